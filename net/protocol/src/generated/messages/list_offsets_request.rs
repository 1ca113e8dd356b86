//! ListOffsetsRequest, key 2. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListOffsetsRequest`, versions 1–11, flexible from 6.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListOffsetsRequest<'a> {
    /// `ReplicaId`, versions 1–11.
    pub replica_id: i32,
    /// `IsolationLevel`, versions 2–11.
    pub isolation_level: i8,
    /// `Topics`, versions 1–11.
    pub topics: Vec<ListOffsetsTopic<'a>>,
    /// `TimeoutMs`, versions 10–11.
    pub timeout_ms: i32,
}

impl<'a> Message<'a> for ListOffsetsRequest<'a> {
    const NAME: &'static str = "ListOffsetsRequest";
    const API_KEY: Option<i16> = Some(2);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=11;
    const FLEXIBLE_FROM: i16 = 6;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 6;
        let mut message = Self::default();
        message.replica_id = d.i32()?;
        if version >= 2 {
            message.isolation_level = d.i8()?;
        }
        message.topics = d.array(flexible, |d| ListOffsetsTopic::decode(d, version))?;
        if version >= 10 {
            message.timeout_ms = d.i32()?;
        }
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.i32(self.replica_id);
        if version >= 2 {
            e.i8(self.isolation_level);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 10 {
            e.i32(self.timeout_ms);
        }
        if version >= 6 {
            e.no_tags();
        }
    }
}

/// `ListOffsetsTopic` of [`ListOffsetsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListOffsetsTopic<'a> {
    /// `Name`, versions 1–11.
    pub name: &'a str,
    /// `Partitions`, versions 1–11.
    pub partitions: Vec<ListOffsetsPartition>,
}

impl<'a> ListOffsetsTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 6;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| ListOffsetsPartition::decode(d, version))?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 6 {
            e.no_tags();
        }
    }
}

/// `ListOffsetsPartition` of [`ListOffsetsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct ListOffsetsPartition {
    /// `PartitionIndex`, versions 1–11.
    pub partition_index: i32,
    /// `CurrentLeaderEpoch`, versions 4–11.
    pub current_leader_epoch: i32,
    /// `Timestamp`, versions 1–11.
    pub timestamp: i64,
}

impl Default for ListOffsetsPartition {
    fn default() -> Self {
        ListOffsetsPartition { partition_index: 0, current_leader_epoch: -1, timestamp: 0 }
    }
}

impl ListOffsetsPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        if version >= 4 {
            message.current_leader_epoch = d.i32()?;
        }
        message.timestamp = d.i64()?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        if version >= 4 {
            e.i32(self.current_leader_epoch);
        }
        e.i64(self.timestamp);
        if version >= 6 {
            e.no_tags();
        }
    }
}
