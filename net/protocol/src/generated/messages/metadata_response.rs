//! MetadataResponse, key 3. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `MetadataResponse`, versions 0–13, flexible from 9.
#[derive(Debug, Clone, PartialEq)]
pub struct MetadataResponse<'a> {
    /// `ThrottleTimeMs`, versions 3–13.
    pub throttle_time_ms: i32,
    /// `Brokers`, versions 0–13.
    pub brokers: Vec<MetadataResponseBroker<'a>>,
    /// `ClusterId`, versions 2–13.
    pub cluster_id: Option<&'a str>,
    /// `ControllerId`, versions 1–13.
    pub controller_id: i32,
    /// `Topics`, versions 0–13.
    pub topics: Vec<MetadataResponseTopic<'a>>,
    /// `ClusterAuthorizedOperations`, versions 8–10.
    pub cluster_authorized_operations: i32,
    /// `ErrorCode`, version 13.
    pub error_code: i16,
}

impl Default for MetadataResponse<'_> {
    fn default() -> Self {
        MetadataResponse {
            throttle_time_ms: 0,
            brokers: Vec::new(),
            cluster_id: None,
            controller_id: -1,
            topics: Vec::new(),
            cluster_authorized_operations: -2147483648,
            error_code: 0,
        }
    }
}

impl<'a> Message<'a> for MetadataResponse<'a> {
    const NAME: &'static str = "MetadataResponse";
    const API_KEY: Option<i16> = Some(3);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=13;
    const FLEXIBLE_FROM: i16 = 9;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 9;
        let mut message = Self::default();
        if version >= 3 {
            message.throttle_time_ms = d.i32()?;
        }
        message.brokers = d.array(flexible, |d| MetadataResponseBroker::decode(d, version))?;
        if version >= 2 {
            message.cluster_id = d.nullable_string(flexible)?;
        }
        if version >= 1 {
            message.controller_id = d.i32()?;
        }
        message.topics = d.array(flexible, |d| MetadataResponseTopic::decode(d, version))?;
        if (8..=10).contains(&version) {
            message.cluster_authorized_operations = d.i32()?;
        }
        if version >= 13 {
            message.error_code = d.i16()?;
        }
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        if version >= 3 {
            e.i32(self.throttle_time_ms);
        }
        e.array(&self.brokers, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.nullable_string(self.cluster_id, flexible);
        }
        if version >= 1 {
            e.i32(self.controller_id);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if (8..=10).contains(&version) {
            e.i32(self.cluster_authorized_operations);
        }
        if version >= 13 {
            e.i16(self.error_code);
        }
        if version >= 9 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
        on(self.error_code);
    }
}

/// `MetadataResponseBroker` of [`MetadataResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetadataResponseBroker<'a> {
    /// `NodeId`, versions 0–13.
    pub node_id: i32,
    /// `Host`, versions 0–13.
    pub host: &'a str,
    /// `Port`, versions 0–13.
    pub port: i32,
    /// `Rack`, versions 1–13.
    pub rack: Option<&'a str>,
}

impl<'a> MetadataResponseBroker<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        message.node_id = d.i32()?;
        message.host = d.string(flexible)?;
        message.port = d.i32()?;
        if version >= 1 {
            message.rack = d.nullable_string(flexible)?;
        }
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.i32(self.node_id);
        e.string(self.host, flexible);
        e.i32(self.port);
        if version >= 1 {
            e.nullable_string(self.rack, flexible);
        }
        if version >= 9 {
            e.no_tags();
        }
    }
}

/// `MetadataResponseTopic` of [`MetadataResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct MetadataResponseTopic<'a> {
    /// `ErrorCode`, versions 0–13.
    pub error_code: i16,
    /// `Name`, versions 0–13.
    pub name: Option<&'a str>,
    /// `TopicId`, versions 10–13.
    pub topic_id: Uuid,
    /// `IsInternal`, versions 1–13.
    pub is_internal: bool,
    /// `Partitions`, versions 0–13.
    pub partitions: Vec<MetadataResponsePartition>,
    /// `TopicAuthorizedOperations`, versions 8–13.
    pub topic_authorized_operations: i32,
}

impl Default for MetadataResponseTopic<'_> {
    fn default() -> Self {
        MetadataResponseTopic {
            error_code: 0,
            name: Some(""),
            topic_id: Uuid::ZERO,
            is_internal: false,
            partitions: Vec::new(),
            topic_authorized_operations: -2147483648,
        }
    }
}

impl<'a> MetadataResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.name = if version >= 12 { d.nullable_string(flexible)? } else { Some(d.string(flexible)?) };
        if version >= 10 {
            message.topic_id = d.uuid()?;
        }
        if version >= 1 {
            message.is_internal = d.bool()?;
        }
        message.partitions = d.array(flexible, |d| MetadataResponsePartition::decode(d, version))?;
        if version >= 8 {
            message.topic_authorized_operations = d.i32()?;
        }
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.i16(self.error_code);
        if version >= 12 {
            e.nullable_string(self.name, flexible)
        } else {
            e.string(self.name.unwrap_or_default(), flexible)
        };
        if version >= 10 {
            e.uuid(self.topic_id);
        }
        if version >= 1 {
            e.bool(self.is_internal);
        }
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 8 {
            e.i32(self.topic_authorized_operations);
        }
        if version >= 9 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `MetadataResponsePartition` of [`MetadataResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct MetadataResponsePartition {
    /// `ErrorCode`, versions 0–13.
    pub error_code: i16,
    /// `PartitionIndex`, versions 0–13.
    pub partition_index: i32,
    /// `LeaderId`, versions 0–13.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 7–13.
    pub leader_epoch: i32,
    /// `ReplicaNodes`, versions 0–13.
    pub replica_nodes: Vec<i32>,
    /// `IsrNodes`, versions 0–13.
    pub isr_nodes: Vec<i32>,
    /// `OfflineReplicas`, versions 5–13.
    pub offline_replicas: Vec<i32>,
}

impl Default for MetadataResponsePartition {
    fn default() -> Self {
        MetadataResponsePartition {
            error_code: 0,
            partition_index: 0,
            leader_id: 0,
            leader_epoch: -1,
            replica_nodes: Vec::new(),
            isr_nodes: Vec::new(),
            offline_replicas: Vec::new(),
        }
    }
}

impl MetadataResponsePartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.partition_index = d.i32()?;
        message.leader_id = d.i32()?;
        if version >= 7 {
            message.leader_epoch = d.i32()?;
        }
        message.replica_nodes = d.array(flexible, Decoder::i32)?;
        message.isr_nodes = d.array(flexible, Decoder::i32)?;
        if version >= 5 {
            message.offline_replicas = d.array(flexible, Decoder::i32)?;
        }
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.i16(self.error_code);
        e.i32(self.partition_index);
        e.i32(self.leader_id);
        if version >= 7 {
            e.i32(self.leader_epoch);
        }
        e.array(&self.replica_nodes, flexible, |e, item| e.i32(*item));
        e.array(&self.isr_nodes, flexible, |e, item| e.i32(*item));
        if version >= 5 {
            e.array(&self.offline_replicas, flexible, |e, item| e.i32(*item));
        }
        if version >= 9 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
