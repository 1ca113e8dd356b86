//! OffsetDeleteRequest, key 47. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `OffsetDeleteRequest`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetDeleteRequest<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `Topics`, version 0.
    pub topics: Vec<OffsetDeleteRequestTopic<'a>>,
}

impl<'a> Message<'a> for OffsetDeleteRequest<'a> {
    const NAME: &'static str = "OffsetDeleteRequest";
    const API_KEY: Option<i16> = Some(47);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(false)?;
        message.topics = d.array(false, |d| OffsetDeleteRequestTopic::decode(d, version))?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, false);
        e.array(&self.topics, false, |e, item| item.encode(e, version));
    }
}

/// `OffsetDeleteRequestTopic` of [`OffsetDeleteRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetDeleteRequestTopic<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<OffsetDeleteRequestPartition>,
}

impl<'a> OffsetDeleteRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(false)?;
        message.partitions = d.array(false, |d| OffsetDeleteRequestPartition::decode(d, version))?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.name, false);
        e.array(&self.partitions, false, |e, item| item.encode(e, version));
    }
}

/// `OffsetDeleteRequestPartition` of [`OffsetDeleteRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetDeleteRequestPartition {
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
}

impl OffsetDeleteRequestPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
    }
}
