//! What a cluster is, as its Metadata says: brokers, topics, and who leads what.

use protocol::Uuid;
use protocol::messages::metadata_response::{
    MetadataResponse, MetadataResponsePartition, MetadataResponseTopic,
};

use super::address::Address;

/// Which topics to ask about.
#[derive(Debug, Clone, Copy)]
pub enum WantedTopics<'a> {
    /// Every one.
    All,
    /// None: brokers only.
    None,
    /// These.
    Named(&'a [&'a str]),
}

/// A cluster at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterMap {
    /// The cluster's id.
    pub cluster_id: Option<String>,
    /// The broker that takes requests for the controller.
    pub controller_id: Option<i32>,
    /// By number.
    pub brokers: Vec<BrokerMap>,
    /// By name.
    pub topics: Vec<TopicMap>,
}

/// A broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerMap {
    /// Its number.
    pub id: i32,
    /// What it advertises.
    pub address: Address,
    /// Where it stands, if it says so.
    pub rack: Option<String>,
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicMap {
    /// Its name.
    pub name: String,
    /// Zero where the broker is too old to have ids.
    pub id: Uuid,
    /// 0, or why nothing is known about it.
    pub error_code: i16,
    /// Whether it is one of the cluster's own.
    pub is_internal: bool,
    /// By number.
    pub partitions: Vec<PartitionMap>,
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionMap {
    /// Its number.
    pub index: i32,
    /// 0, or what is wrong with it.
    pub error_code: i16,
    /// Who leads it, if anybody.
    pub leader: Option<i32>,
    /// Its leader's epoch, -1 if it is unknown.
    pub leader_epoch: i32,
    /// Who has a replica.
    pub replicas: Vec<i32>,
    /// Who has all of it.
    pub isr: Vec<i32>,
}

impl ClusterMap {
    /// The topic of this name.
    pub fn topic(&self, name: &str) -> Option<&TopicMap> {
        self.topics.iter().find(|topic| topic.name == name)
    }

    pub(super) fn of(response: &MetadataResponse<'_>) -> ClusterMap {
        let mut brokers: Vec<BrokerMap> = response
            .brokers
            .iter()
            .filter_map(|broker| {
                let address =
                    Address { host: broker.host.to_owned(), port: u16::try_from(broker.port).ok()? };
                Some(BrokerMap { id: broker.node_id, address, rack: broker.rack.map(str::to_owned) })
            })
            .collect();
        brokers.sort_by_key(|broker| broker.id);
        let mut topics: Vec<TopicMap> = response.topics.iter().map(TopicMap::of).collect();
        topics.sort_by(|a, b| a.name.cmp(&b.name));
        ClusterMap {
            cluster_id: response.cluster_id.map(str::to_owned),
            controller_id: Some(response.controller_id).filter(|id| *id >= 0),
            brokers,
            topics,
        }
    }
}

impl TopicMap {
    fn of(topic: &MetadataResponseTopic<'_>) -> TopicMap {
        let mut partitions: Vec<PartitionMap> = topic.partitions.iter().map(PartitionMap::of).collect();
        partitions.sort_by_key(|partition| partition.index);
        TopicMap {
            name: topic.name.unwrap_or_default().to_owned(),
            id: topic.topic_id,
            error_code: topic.error_code,
            is_internal: topic.is_internal,
            partitions,
        }
    }

    /// The partition of this number.
    pub fn partition(&self, index: i32) -> Option<&PartitionMap> {
        let at = self.partitions.binary_search_by_key(&index, |partition| partition.index).ok()?;
        self.partitions.get(at)
    }
}

impl PartitionMap {
    fn of(partition: &MetadataResponsePartition) -> PartitionMap {
        PartitionMap {
            index: partition.partition_index,
            error_code: partition.error_code,
            leader: Some(partition.leader_id).filter(|id| *id >= 0),
            leader_epoch: partition.leader_epoch,
            replicas: partition.replica_nodes.clone(),
            isr: partition.isr_nodes.clone(),
        }
    }
}
