//! InitializeShareGroupStateRequest, key 83. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `InitializeShareGroupStateRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InitializeShareGroupStateRequest<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `Topics`, version 0.
    pub topics: Vec<InitializeStateData>,
}

impl<'a> Message<'a> for InitializeShareGroupStateRequest<'a> {
    const NAME: &'static str = "InitializeShareGroupStateRequest";
    const API_KEY: Option<i16> = Some(83);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics = d.array(true, |d| InitializeStateData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `InitializeStateData` of [`InitializeShareGroupStateRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InitializeStateData {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partitions`, version 0.
    pub partitions: Vec<PartitionData>,
}

impl InitializeStateData {
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

/// `PartitionData` of [`InitializeShareGroupStateRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `Partition`, version 0.
    pub partition: i32,
    /// `StateEpoch`, version 0.
    pub state_epoch: i32,
    /// `StartOffset`, version 0.
    pub start_offset: i64,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.state_epoch = d.i32()?;
        message.start_offset = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition);
        e.i32(self.state_epoch);
        e.i64(self.start_offset);
        e.no_tags();
    }
}
