//! A node's metadata as far as nodes have to agree on it: all but which cores own what, and which producer ids are given out,
//! which is not announced.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use broker::metadata::Image;
use broker::metadata::record::Record;

/// The settings that clients change.
pub const TOPIC_SETTING: &str = "retention.ms";
/// The same of groups.
pub const GROUP_SETTING: &str = "consumer.session.timeout.ms";

/// What an image says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Equal if all of it is.
    pub digest: u64,
    /// All topics, with their own setting if they have one.
    pub topics: BTreeMap<Rc<str>, Option<Rc<str>>>,
    /// All groups with a setting of their own.
    pub groups: BTreeMap<Rc<str>, Option<Rc<str>>>,
}

impl Picture {
    /// Looks at an image.
    pub fn of(image: &Image) -> Picture {
        let setting =
            |texts: &broker::config::Texts, name: &str| texts.get(name).map(|text| text.as_str().into());
        let topics = image
            .topics()
            .map(|topic| (Rc::from(&*topic.name), setting(topic.config.overrides(), TOPIC_SETTING)));
        let groups = image.configured_groups().map(|name| {
            let config = image.group_config(name).expect("it was named just now");
            (Rc::from(&**name), setting(config.overrides(), GROUP_SETTING))
        });
        Picture { digest: digest(image), topics: topics.collect(), groups: groups.collect() }
    }
}

/// The same number for the same metadata. A node lists its own settings before those of others, so the order counts for nothing.
pub fn digest(image: &Image) -> u64 {
    let is_shared = |record: &Record| !matches!(record, Record::ProducerIds { .. });
    let mut records: Vec<Vec<u8>> =
        image.to_records().iter().filter(|record| is_shared(record)).map(Record::encode).collect();
    records.sort_unstable();
    let mut hasher = DefaultHasher::new();
    records.hash(&mut hasher);
    hasher.finish()
}
