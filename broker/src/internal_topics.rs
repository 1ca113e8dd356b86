//! The topics that coordinators keep their state in, as Kafka makes them: kept by key, and packed as the coordinator writes.

use protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig};

use crate::groups;
use crate::metadata::Image;
use crate::transactions;

/// How one of them is made.
#[derive(Debug)]
pub struct InternalTopic {
    /// Its name.
    pub name: &'static str,
    partition_count: i32,
    compression: &'static str,
    segment_bytes: String,
}

/// How the topic of this name is made, if it is such a topic.
pub fn find(image: &Image, name: &str) -> Option<InternalTopic> {
    let values = image.server.values();
    if name == groups::TOPIC {
        Some(InternalTopic {
            name: groups::TOPIC,
            partition_count: values.offsets_topic_num_partitions(),
            compression: "producer",
            segment_bytes: values.offsets_topic_segment_bytes().to_string(),
        })
    } else if name == transactions::TOPIC {
        Some(InternalTopic {
            name: transactions::TOPIC,
            partition_count: values.transaction_state_log_num_partitions(),
            compression: "uncompressed",
            segment_bytes: values.transaction_state_log_segment_bytes().to_string(),
        })
    } else {
        None
    }
}

impl InternalTopic {
    /// What the controller is asked for.
    pub fn creatable(&self) -> CreatableTopic<'_> {
        let settings = [
            ("cleanup.policy", "compact"),
            ("compression.type", self.compression),
            // As it is in any case: so that those who look are told.
            ("ringlog.durability", "disk"),
            ("segment.bytes", self.segment_bytes.as_str()),
        ];
        let configs = settings.map(|(name, value)| CreatableTopicConfig { name, value: Some(value) });
        CreatableTopic {
            name: self.name,
            num_partitions: self.partition_count,
            replication_factor: -1,
            configs: configs.to_vec(),
            ..CreatableTopic::default()
        }
    }
}
