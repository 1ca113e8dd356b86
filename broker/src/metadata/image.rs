//! The metadata at one moment: immutable, shared by all cores, replaced as a whole.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use protocol::Uuid;
use shard::ShardId;
use storage::LogSettings;

use super::partition_state::PartitionState;
use super::record::Record;
use super::registration::{Registration, RegistrationChange};
use super::settings::log_settings;
use crate::config::{GroupConfig, ServerConfig, Texts, TopicConfig};

/// Everything that is known of the cluster after some record of the metadata log.
#[derive(Debug, Clone)]
pub struct Image {
    /// The offset of the metadata log up to which this image is made.
    pub version: i64,
    /// The broker's settings: those that the process was started with, and over them what was set at run time.
    pub server: Arc<ServerConfig>,
    /// The cluster's id, made when the data directory was.
    pub cluster_id: Arc<str>,
    /// Finalized features and their levels.
    pub features: BTreeMap<String, i16>,
    /// The first producer id that no block was given out for.
    pub next_producer_id: i64,
    topics: BTreeMap<Arc<str>, Arc<Topic>>,
    names: HashMap<Uuid, Arc<str>>,
    brokers: BTreeMap<i32, Arc<Registration>>,
    /// What other brokers set at run time, by their numbers as text: theirs to heed, and everybody's to keep.
    others: BTreeMap<String, Texts>,
    /// What groups set themselves; only those that set something.
    groups: BTreeMap<Arc<str>, Arc<GroupConfig>>,
    /// Names as metrics show them.
    metric_names: HashMap<String, Arc<str>>,
}

/// A topic.
#[derive(Debug, Clone)]
pub struct Topic {
    /// Its name.
    pub name: Arc<str>,
    /// Its id.
    pub id: Uuid,
    /// Its partitions, by number.
    pub partitions: Vec<PartitionMeta>,
    /// Its own settings over the broker's.
    pub config: Arc<TopicConfig>,
    /// What the settings mean for its logs.
    pub log_settings: Arc<LogSettings>,
}

/// A partition, as far as the metadata knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionMeta {
    /// Which brokers have it, and who leads it.
    pub state: PartitionState,
    /// The core of this node that owns it, if this node has it; else the one that answers that it is elsewhere. Not of the
    /// metadata log: see `placement`.
    pub home: ShardId,
}

impl Image {
    /// The image before the first record.
    pub fn empty(server: Arc<ServerConfig>, cluster_id: &str) -> Image {
        Image {
            version: 0,
            server,
            cluster_id: cluster_id.into(),
            features: BTreeMap::new(),
            next_producer_id: 0,
            topics: BTreeMap::new(),
            names: HashMap::new(),
            brokers: BTreeMap::new(),
            others: BTreeMap::new(),
            groups: BTreeMap::new(),
            metric_names: HashMap::new(),
        }
    }

    /// The topic with this name.
    pub fn topic(&self, name: &str) -> Option<&Arc<Topic>> {
        self.topics.get(name)
    }

    /// The topic with this id.
    pub fn topic_by_id(&self, id: Uuid) -> Option<&Arc<Topic>> {
        self.topics.get(self.names.get(&id)?)
    }

    /// All topics, by name.
    pub fn topics(&self) -> impl Iterator<Item = &Arc<Topic>> {
        self.topics.values()
    }

    /// All topics whose names come after `name`, or are `name` itself.
    pub fn topics_from<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Arc<Topic>> {
        self.topics.range::<str, _>((Bound::Included(name), Bound::Unbounded)).map(|(_, topic)| topic)
    }

    /// The number of the node that this image is on.
    pub fn node_id(&self) -> i32 {
        self.server.values().node_id()
    }

    /// The broker with this number, if one has registered.
    pub fn broker(&self, id: i32) -> Option<&Arc<Registration>> {
        self.brokers.get(&id)
    }

    /// All brokers that have registered, by number.
    pub fn brokers(&self) -> impl Iterator<Item = &Arc<Registration>> {
        self.brokers.values()
    }

    /// Those that clients may talk to.
    pub fn live_brokers(&self) -> impl Iterator<Item = &Arc<Registration>> {
        self.brokers().filter(|broker| !broker.is_fenced)
    }

    /// The settings of a broker: of another one only what was set at run time is known here.
    pub fn server_of(&self, id: i32) -> Arc<ServerConfig> {
        if id == self.node_id() {
            return Arc::clone(&self.server);
        }
        let own = self.others.get(&id.to_string()).cloned().unwrap_or_default();
        Arc::new(self.server.with_dynamic(&own, &self.server.layers().dynamic_default))
    }

    /// The replicas of a partition whose brokers are not alive.
    pub fn offline_of(&self, state: &PartitionState) -> Vec<i32> {
        let is_live = |id: &i32| self.broker(*id).is_some_and(|broker| !broker.is_fenced);
        state.replicas.iter().copied().filter(|id| !is_live(id)).collect()
    }

    /// What a group sets itself, if it sets anything.
    pub fn group_config(&self, group: &str) -> Option<&Arc<GroupConfig>> {
        self.groups.get(group)
    }

    /// The groups that set something themselves, by name.
    pub fn configured_groups(&self) -> impl Iterator<Item = &Arc<str>> {
        self.groups.keys()
    }

    /// How many topics there are.
    pub fn topic_count(&self) -> usize {
        self.topics.len()
    }

    /// A topic whose name differs from `name` only in '.' against '_': Kafka takes such names for the same in metrics.
    pub fn colliding_topic(&self, name: &str) -> Option<&Arc<Topic>> {
        let other = self.metric_names.get(&metric_name(name)).filter(|other| &***other != name)?;
        self.topics.get(other)
    }

    /// Applies a committed record. Placement of partitions comes later, with [`Image::place`].
    pub fn apply(&mut self, record: &Record) {
        self.version += 1;
        match record {
            Record::FeatureLevel { name, level } => {
                self.features.insert(name.clone(), *level);
            }
            Record::Topic { name, id } => self.apply_topic(name, *id),
            Record::Partition { topic_id, partition, state } => {
                self.apply_partition(*topic_id, *partition, state);
            }
            Record::PartitionChange { topic_id, partition, change } => {
                let meta =
                    self.topic_mut(*topic_id).and_then(|topic| topic.partitions.get_mut(*partition as usize));
                match meta {
                    Some(meta) => meta.state.apply(change),
                    None => {
                        tracing::error!(%topic_id, partition, "a change of a partition that is not there is left out")
                    }
                }
            }
            Record::RegisterBroker(registration) => {
                self.brokers.insert(registration.id, Arc::new(registration.clone()));
            }
            Record::BrokerChange { id, epoch, change } => self.apply_broker_change(*id, *epoch, *change),
            Record::UnregisterBroker { id, epoch } => {
                if self.brokers.get(id).is_some_and(|broker| broker.epoch == *epoch) {
                    self.brokers.remove(id);
                }
            }
            Record::TopicConfig { topic, name, value } => {
                let Some(topic) = self.topics.get_mut(topic.as_str()).map(Arc::make_mut) else { return };
                let mut overrides = topic.config.overrides().clone();
                match value {
                    Some(value) => overrides.insert(name.clone(), value.clone()),
                    None => overrides.remove(name),
                };
                topic.set_config(TopicConfig::from_stored(overrides, &self.server), &self.server);
            }
            Record::BrokerConfig { broker, name, value } => {
                self.apply_broker_config(broker, name, value.as_deref())
            }
            Record::GroupConfig { group, name, value } => {
                self.apply_group_config(group, name, value.as_deref());
            }
            Record::RemoveTopic { id } => {
                if let Some(name) = self.names.remove(id) {
                    self.topics.remove(&name);
                    self.metric_names.remove(&metric_name(&name));
                }
            }
            Record::ProducerIds { next } => self.next_producer_id = *next,
        }
    }

    fn apply_partition(&mut self, topic_id: Uuid, partition: i32, state: &PartitionState) {
        let Some(topic) = self.topic_mut(topic_id) else { return };
        let count = topic.partitions.len();
        match usize::try_from(partition) {
            Ok(index) if index < count => topic.partitions[index].state = state.clone(),
            Ok(index) if index == count => {
                topic.partitions.push(PartitionMeta { state: state.clone(), home: ShardId(0) });
            }
            _ => {
                tracing::error!(topic = %topic.name, partition, "a partition without the ones before it is left out")
            }
        }
    }

    fn apply_broker_change(&mut self, id: i32, epoch: i64, change: RegistrationChange) {
        match self.brokers.get_mut(&id).filter(|broker| broker.epoch == epoch) {
            Some(broker) => *broker = Arc::new(broker.changed(change)),
            None => tracing::error!(id, epoch, "a change of a registration that is not there is left out"),
        }
    }

    fn apply_topic(&mut self, name: &str, id: Uuid) {
        let name: Arc<str> = name.into();
        let config = TopicConfig::from_stored(Texts::new(), &self.server);
        let log_settings = Arc::new(log_settings(&name, &config, &self.server));
        let topic = Topic {
            name: Arc::clone(&name),
            id,
            partitions: Vec::new(),
            config: Arc::new(config),
            log_settings,
        };
        self.names.insert(id, Arc::clone(&name));
        self.metric_names.insert(metric_name(&name), Arc::clone(&name));
        self.topics.insert(name, Arc::new(topic));
    }

    fn apply_broker_config(&mut self, broker: &str, name: &str, value: Option<&str>) {
        if !broker.is_empty() && broker != self.node_id().to_string() {
            return self.apply_other_config(broker, name, value);
        }
        let layers = self.server.layers();
        let (mut this, mut all) = (layers.dynamic_broker.clone(), layers.dynamic_default.clone());
        let texts = if broker.is_empty() { &mut all } else { &mut this };
        match value {
            Some(value) => texts.insert(name.to_owned(), value.to_owned()),
            None => texts.remove(name),
        };
        self.server = Arc::new(self.server.with_dynamic(&this, &all));
        // What topics do not set themselves they have from the broker.
        for topic in self.topics.values_mut().map(Arc::make_mut) {
            let config = TopicConfig::from_stored(topic.config.overrides().clone(), &self.server);
            topic.set_config(config, &self.server);
        }
    }

    fn apply_other_config(&mut self, broker: &str, name: &str, value: Option<&str>) {
        let texts = self.others.entry(broker.to_owned()).or_default();
        match value {
            Some(value) => texts.insert(name.to_owned(), value.to_owned()),
            None => texts.remove(name),
        };
        self.others.retain(|_, texts| !texts.is_empty());
    }

    fn apply_group_config(&mut self, group: &str, name: &str, value: Option<&str>) {
        let known = self.groups.remove(group);
        let mut overrides = known.map_or_else(Texts::new, |known| known.overrides().clone());
        match value {
            Some(value) => overrides.insert(name.to_owned(), value.to_owned()),
            None => overrides.remove(name),
        };
        if !overrides.is_empty() {
            self.groups.insert(group.into(), Arc::new(GroupConfig::from_stored(overrides)));
        }
    }

    /// Says which core owns a partition.
    pub fn place(&mut self, topic_id: Uuid, partition: i32, home: ShardId) {
        if let Some(topic) = self.topic_mut(topic_id)
            && let Some(meta) = topic.partitions.get_mut(partition as usize)
        {
            meta.home = home;
        }
    }

    /// The records that make this image from an empty one: what a shortened log holds.
    pub fn to_records(&self) -> Vec<Record> {
        let mut records: Vec<Record> = self
            .features
            .iter()
            .map(|(name, &level)| Record::FeatureLevel { name: name.clone(), level })
            .collect();
        records.extend(self.brokers().map(|broker| Record::RegisterBroker((**broker).clone())));
        if self.next_producer_id > 0 {
            records.push(Record::ProducerIds { next: self.next_producer_id });
        }
        let layers = self.server.layers();
        let node_id = self.node_id().to_string();
        let here = [(&node_id, &layers.dynamic_broker), (&String::new(), &layers.dynamic_default)];
        for (broker, texts) in here.into_iter().chain(&self.others) {
            records.extend(texts.iter().map(|(name, value)| Record::BrokerConfig {
                broker: broker.clone(),
                name: name.clone(),
                value: Some(value.clone()),
            }));
        }
        for (group, config) in &self.groups {
            records.extend(config.overrides().iter().map(|(name, value)| Record::GroupConfig {
                group: group.to_string(),
                name: name.clone(),
                value: Some(value.clone()),
            }));
        }
        for topic in self.topics.values() {
            topic.push_records(&mut records);
        }
        records
    }

    fn topic_mut(&mut self, id: Uuid) -> Option<&mut Topic> {
        self.topics.get_mut(self.names.get(&id)?).map(Arc::make_mut)
    }
}

fn metric_name(name: &str) -> String {
    name.replace('.', "_")
}

impl Topic {
    fn set_config(&mut self, config: TopicConfig, server: &ServerConfig) {
        self.log_settings = Arc::new(log_settings(&self.name, &config, server));
        self.config = Arc::new(config);
    }

    /// The records that make this topic.
    fn push_records(&self, records: &mut Vec<Record>) {
        records.push(Record::Topic { name: self.name.to_string(), id: self.id });
        records.extend(self.partitions.iter().zip(0..).map(|(meta, partition)| Record::Partition {
            topic_id: self.id,
            partition,
            state: meta.state.clone(),
        }));
        records.extend(self.config.overrides().iter().map(|(name, value)| Record::TopicConfig {
            topic: self.name.to_string(),
            name: name.clone(),
            value: Some(value.clone()),
        }));
    }

    /// The partition with this number.
    pub fn partition(&self, partition: i32) -> Option<&PartitionMeta> {
        self.partitions.get(usize::try_from(partition).ok()?)
    }
}

impl PartitionMeta {
    /// Whether this node has the partition.
    pub fn is_on(&self, node_id: i32) -> bool {
        self.state.replicas.contains(&node_id)
    }

    /// Whether this node leads it, and so answers clients.
    pub fn is_led_by(&self, node_id: i32) -> bool {
        self.state.leader == node_id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Given, Origin};

    #[test]
    fn what_another_broker_sets_is_kept_and_not_heeded() {
        let given = Given { name: "node.id".to_owned(), value: "1".to_owned(), origin: Origin::Set };
        let server = Arc::new(ServerConfig::new(vec![given], "machine").unwrap());
        let mut image = Image::empty(server, "c");
        let set = |broker: &str, value: &str| Record::BrokerConfig {
            broker: broker.to_owned(),
            name: "log.retention.ms".to_owned(),
            value: Some(value.to_owned()),
        };
        let text = |server: &ServerConfig| server.layers().dynamic_broker.get("log.retention.ms").cloned();
        image.apply(&set("2", "5000"));
        image.apply(&set("1", "7000"));
        assert_eq!(text(&image.server), Some("7000".to_owned()));
        assert_eq!(text(&image.server_of(2)), Some("5000".to_owned()));
        assert_eq!(text(&image.server_of(3)), None);
        let records = image.to_records();
        assert!(records.contains(&set("2", "5000")) && records.contains(&set("1", "7000")));
    }
}
