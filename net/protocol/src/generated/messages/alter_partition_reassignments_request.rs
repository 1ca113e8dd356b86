//! AlterPartitionReassignmentsRequest, key 45. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterPartitionReassignmentsRequest`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterPartitionReassignmentsRequest<'a> {
    /// `TimeoutMs`, versions 0–1.
    pub timeout_ms: i32,
    /// `AllowReplicationFactorChange`, version 1.
    pub allow_replication_factor_change: bool,
    /// `Topics`, versions 0–1.
    pub topics: Vec<ReassignableTopic<'a>>,
}

impl Default for AlterPartitionReassignmentsRequest<'_> {
    fn default() -> Self {
        AlterPartitionReassignmentsRequest {
            timeout_ms: 60000,
            allow_replication_factor_change: true,
            topics: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for AlterPartitionReassignmentsRequest<'a> {
    const NAME: &'static str = "AlterPartitionReassignmentsRequest";
    const API_KEY: Option<i16> = Some(45);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.timeout_ms = d.i32()?;
        if version >= 1 {
            message.allow_replication_factor_change = d.bool()?;
        }
        message.topics = d.array(true, |d| ReassignableTopic::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.timeout_ms);
        if version >= 1 {
            e.bool(self.allow_replication_factor_change);
        }
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `ReassignableTopic` of [`AlterPartitionReassignmentsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReassignableTopic<'a> {
    /// `Name`, versions 0–1.
    pub name: &'a str,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<ReassignablePartition>,
}

impl<'a> ReassignableTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.array(true, |d| ReassignablePartition::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.name, true);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `ReassignablePartition` of [`AlterPartitionReassignmentsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReassignablePartition {
    /// `PartitionIndex`, versions 0–1.
    pub partition_index: i32,
    /// `Replicas`, versions 0–1.
    pub replicas: Option<Vec<i32>>,
}

impl ReassignablePartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.replicas = d.nullable_array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.nullable_array(self.replicas.as_deref(), true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
