//! ReadShareGroupStateRequest, key 84. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ReadShareGroupStateRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadShareGroupStateRequest<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `Topics`, version 0.
    pub topics: Vec<ReadStateData>,
}

impl<'a> Message<'a> for ReadShareGroupStateRequest<'a> {
    const NAME: &'static str = "ReadShareGroupStateRequest";
    const API_KEY: Option<i16> = Some(84);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics = d.array(true, |d| ReadStateData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `ReadStateData` of [`ReadShareGroupStateRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadStateData {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partitions`, version 0.
    pub partitions: Vec<PartitionData>,
}

impl ReadStateData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, |d| PartitionData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.uuid(self.topic_id);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `PartitionData` of [`ReadShareGroupStateRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `Partition`, version 0.
    pub partition: i32,
    /// `LeaderEpoch`, version 0.
    pub leader_epoch: i32,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.leader_epoch = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition);
        e.i32(self.leader_epoch);
        e.no_tags();
    }
}
