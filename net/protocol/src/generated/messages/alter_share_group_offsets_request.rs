//! AlterShareGroupOffsetsRequest, key 91. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterShareGroupOffsetsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterShareGroupOffsetsRequest<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `Topics`, version 0.
    pub topics: Vec<AlterShareGroupOffsetsRequestTopic<'a>>,
}

impl<'a> Message<'a> for AlterShareGroupOffsetsRequest<'a> {
    const NAME: &'static str = "AlterShareGroupOffsetsRequest";
    const API_KEY: Option<i16> = Some(91);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics = d.array(true, |d| AlterShareGroupOffsetsRequestTopic::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `AlterShareGroupOffsetsRequestTopic` of [`AlterShareGroupOffsetsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterShareGroupOffsetsRequestTopic<'a> {
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<AlterShareGroupOffsetsRequestPartition>,
}

impl<'a> AlterShareGroupOffsetsRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.partitions = d.array(true, |d| AlterShareGroupOffsetsRequestPartition::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.topic_name, true);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `AlterShareGroupOffsetsRequestPartition` of [`AlterShareGroupOffsetsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterShareGroupOffsetsRequestPartition {
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
    /// `StartOffset`, version 0.
    pub start_offset: i64,
}

impl AlterShareGroupOffsetsRequestPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.start_offset = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.i64(self.start_offset);
        e.no_tags();
    }
}
