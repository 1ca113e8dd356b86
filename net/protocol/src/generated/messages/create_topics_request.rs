//! CreateTopicsRequest, key 19. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `CreateTopicsRequest`, versions 2–7, flexible from 5.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTopicsRequest<'a> {
    /// `Topics`, versions 2–7.
    pub topics: Vec<CreatableTopic<'a>>,
    /// `timeoutMs`, versions 2–7.
    pub timeout_ms: i32,
    /// `validateOnly`, versions 2–7.
    pub validate_only: bool,
}

impl Default for CreateTopicsRequest<'_> {
    fn default() -> Self {
        CreateTopicsRequest { topics: Vec::new(), timeout_ms: 60000, validate_only: false }
    }
}

impl<'a> Message<'a> for CreateTopicsRequest<'a> {
    const NAME: &'static str = "CreateTopicsRequest";
    const API_KEY: Option<i16> = Some(19);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=7;
    const FLEXIBLE_FROM: i16 = 5;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 5;
        let mut message = Self::default();
        message.topics = d.array(flexible, |d| CreatableTopic::decode(d, version))?;
        message.timeout_ms = d.i32()?;
        message.validate_only = d.bool()?;
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        e.i32(self.timeout_ms);
        e.bool(self.validate_only);
        if version >= 5 {
            e.no_tags();
        }
    }
}

/// `CreatableTopic` of [`CreateTopicsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreatableTopic<'a> {
    /// `Name`, versions 2–7.
    pub name: &'a str,
    /// `NumPartitions`, versions 2–7.
    pub num_partitions: i32,
    /// `ReplicationFactor`, versions 2–7.
    pub replication_factor: i16,
    /// `Assignments`, versions 2–7.
    pub assignments: Vec<CreatableReplicaAssignment>,
    /// `Configs`, versions 2–7.
    pub configs: Vec<CreatableTopicConfig<'a>>,
}

impl<'a> CreatableTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 5;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.num_partitions = d.i32()?;
        message.replication_factor = d.i16()?;
        message.assignments = d.array(flexible, |d| CreatableReplicaAssignment::decode(d, version))?;
        message.configs = d.array(flexible, |d| CreatableTopicConfig::decode(d, version))?;
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.string(self.name, flexible);
        e.i32(self.num_partitions);
        e.i16(self.replication_factor);
        e.array(&self.assignments, flexible, |e, item| item.encode(e, version));
        e.array(&self.configs, flexible, |e, item| item.encode(e, version));
        if version >= 5 {
            e.no_tags();
        }
    }
}

/// `CreatableReplicaAssignment` of [`CreateTopicsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreatableReplicaAssignment {
    /// `PartitionIndex`, versions 2–7.
    pub partition_index: i32,
    /// `BrokerIds`, versions 2–7.
    pub broker_ids: Vec<i32>,
}

impl CreatableReplicaAssignment {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 5;
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.broker_ids = d.array(flexible, Decoder::i32)?;
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.i32(self.partition_index);
        e.array(&self.broker_ids, flexible, |e, item| e.i32(*item));
        if version >= 5 {
            e.no_tags();
        }
    }
}

/// `CreatableTopicConfig` of [`CreateTopicsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct CreatableTopicConfig<'a> {
    /// `Name`, versions 2–7.
    pub name: &'a str,
    /// `Value`, versions 2–7.
    pub value: Option<&'a str>,
}

impl Default for CreatableTopicConfig<'_> {
    fn default() -> Self {
        CreatableTopicConfig { name: "", value: Some("") }
    }
}

impl<'a> CreatableTopicConfig<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 5;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.value = d.nullable_string(flexible)?;
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.string(self.name, flexible);
        e.nullable_string(self.value, flexible);
        if version >= 5 {
            e.no_tags();
        }
    }
}
