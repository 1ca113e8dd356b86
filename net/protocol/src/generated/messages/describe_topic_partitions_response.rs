//! DescribeTopicPartitionsResponse, key 75. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `DescribeTopicPartitionsResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeTopicPartitionsResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `Topics`, version 0.
    pub topics: Vec<DescribeTopicPartitionsResponseTopic<'a>>,
    /// `NextCursor`, version 0.
    pub next_cursor: Option<Cursor<'a>>,
}

impl<'a> Message<'a> for DescribeTopicPartitionsResponse<'a> {
    const NAME: &'static str = "DescribeTopicPartitionsResponse";
    const API_KEY: Option<i16> = Some(75);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.topics = d.array(true, |d| DescribeTopicPartitionsResponseTopic::decode(d, version))?;
        message.next_cursor = if d.present()? { Some(Cursor::decode(d, version)?) } else { None };
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        {
            e.present(self.next_cursor.is_some());
            if let Some(inner) = &self.next_cursor {
                inner.encode(e, version);
            }
        };
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `DescribeTopicPartitionsResponseTopic` of [`DescribeTopicPartitionsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeTopicPartitionsResponseTopic<'a> {
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `Name`, version 0.
    pub name: Option<&'a str>,
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `IsInternal`, version 0.
    pub is_internal: bool,
    /// `Partitions`, version 0.
    pub partitions: Vec<DescribeTopicPartitionsResponsePartition>,
    /// `TopicAuthorizedOperations`, version 0.
    pub topic_authorized_operations: i32,
}

impl Default for DescribeTopicPartitionsResponseTopic<'_> {
    fn default() -> Self {
        DescribeTopicPartitionsResponseTopic {
            error_code: 0,
            name: Some(""),
            topic_id: Uuid::ZERO,
            is_internal: false,
            partitions: Vec::new(),
            topic_authorized_operations: -2147483648,
        }
    }
}

impl<'a> DescribeTopicPartitionsResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.name = d.nullable_string(true)?;
        message.topic_id = d.uuid()?;
        message.is_internal = d.bool()?;
        message.partitions =
            d.array(true, |d| DescribeTopicPartitionsResponsePartition::decode(d, version))?;
        message.topic_authorized_operations = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        e.nullable_string(self.name, true);
        e.uuid(self.topic_id);
        e.bool(self.is_internal);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.i32(self.topic_authorized_operations);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `DescribeTopicPartitionsResponsePartition` of [`DescribeTopicPartitionsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeTopicPartitionsResponsePartition {
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
    /// `LeaderId`, version 0.
    pub leader_id: i32,
    /// `LeaderEpoch`, version 0.
    pub leader_epoch: i32,
    /// `ReplicaNodes`, version 0.
    pub replica_nodes: Vec<i32>,
    /// `IsrNodes`, version 0.
    pub isr_nodes: Vec<i32>,
    /// `EligibleLeaderReplicas`, version 0.
    pub eligible_leader_replicas: Option<Vec<i32>>,
    /// `LastKnownElr`, version 0.
    pub last_known_elr: Option<Vec<i32>>,
    /// `OfflineReplicas`, version 0.
    pub offline_replicas: Vec<i32>,
}

impl Default for DescribeTopicPartitionsResponsePartition {
    fn default() -> Self {
        DescribeTopicPartitionsResponsePartition {
            error_code: 0,
            partition_index: 0,
            leader_id: 0,
            leader_epoch: -1,
            replica_nodes: Vec::new(),
            isr_nodes: Vec::new(),
            eligible_leader_replicas: None,
            last_known_elr: None,
            offline_replicas: Vec::new(),
        }
    }
}

impl DescribeTopicPartitionsResponsePartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.partition_index = d.i32()?;
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.replica_nodes = d.array(true, Decoder::i32)?;
        message.isr_nodes = d.array(true, Decoder::i32)?;
        message.eligible_leader_replicas = d.nullable_array(true, Decoder::i32)?;
        message.last_known_elr = d.nullable_array(true, Decoder::i32)?;
        message.offline_replicas = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i16(self.error_code);
        e.i32(self.partition_index);
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        e.array(&self.replica_nodes, true, |e, item| e.i32(*item));
        e.array(&self.isr_nodes, true, |e, item| e.i32(*item));
        e.nullable_array(self.eligible_leader_replicas.as_deref(), true, |e, item| e.i32(*item));
        e.nullable_array(self.last_known_elr.as_deref(), true, |e, item| e.i32(*item));
        e.array(&self.offline_replicas, true, |e, item| e.i32(*item));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `Cursor` of [`DescribeTopicPartitionsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cursor<'a> {
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
}

impl<'a> Cursor<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.partition_index = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic_name, true);
        e.i32(self.partition_index);
        e.no_tags();
    }
}
