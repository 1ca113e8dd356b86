//! DescribeQuorumRequest, key 55. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeQuorumRequest`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeQuorumRequest<'a> {
    /// `Topics`, versions 0–2.
    pub topics: Vec<TopicData<'a>>,
}

impl<'a> Message<'a> for DescribeQuorumRequest<'a> {
    const NAME: &'static str = "DescribeQuorumRequest";
    const API_KEY: Option<i16> = Some(55);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicData` of [`DescribeQuorumRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData<'a> {
    /// `TopicName`, versions 0–2.
    pub topic_name: &'a str,
    /// `Partitions`, versions 0–2.
    pub partitions: Vec<PartitionData>,
}

impl<'a> TopicData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.partitions = d.array(true, |d| PartitionData::decode(d, version))?;
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

/// `PartitionData` of [`DescribeQuorumRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, versions 0–2.
    pub partition_index: i32,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.no_tags();
    }
}
