//! WriteShareGroupStateRequest, key 85. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `WriteShareGroupStateRequest`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteShareGroupStateRequest<'a> {
    /// `GroupId`, versions 0–1.
    pub group_id: &'a str,
    /// `Topics`, versions 0–1.
    pub topics: Vec<WriteStateData>,
}

impl<'a> Message<'a> for WriteShareGroupStateRequest<'a> {
    const NAME: &'static str = "WriteShareGroupStateRequest";
    const API_KEY: Option<i16> = Some(85);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics = d.array(true, |d| WriteStateData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `WriteStateData` of [`WriteShareGroupStateRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteStateData {
    /// `TopicId`, versions 0–1.
    pub topic_id: Uuid,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<PartitionData>,
}

impl WriteStateData {
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

/// `PartitionData` of [`WriteShareGroupStateRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionData {
    /// `Partition`, versions 0–1.
    pub partition: i32,
    /// `StateEpoch`, versions 0–1.
    pub state_epoch: i32,
    /// `LeaderEpoch`, versions 0–1.
    pub leader_epoch: i32,
    /// `StartOffset`, versions 0–1.
    pub start_offset: i64,
    /// `DeliveryCompleteCount`, version 1.
    pub delivery_complete_count: i32,
    /// `StateBatches`, versions 0–1.
    pub state_batches: Vec<StateBatch>,
}

impl Default for PartitionData {
    fn default() -> Self {
        PartitionData {
            partition: 0,
            state_epoch: 0,
            leader_epoch: 0,
            start_offset: 0,
            delivery_complete_count: -1,
            state_batches: Vec::new(),
        }
    }
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.state_epoch = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.start_offset = d.i64()?;
        if version >= 1 {
            message.delivery_complete_count = d.i32()?;
        }
        message.state_batches = d.array(true, |d| StateBatch::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition);
        e.i32(self.state_epoch);
        e.i32(self.leader_epoch);
        e.i64(self.start_offset);
        if version >= 1 {
            e.i32(self.delivery_complete_count);
        }
        e.array(&self.state_batches, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `StateBatch` of [`WriteShareGroupStateRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateBatch {
    /// `FirstOffset`, versions 0–1.
    pub first_offset: i64,
    /// `LastOffset`, versions 0–1.
    pub last_offset: i64,
    /// `DeliveryState`, versions 0–1.
    pub delivery_state: i8,
    /// `DeliveryCount`, versions 0–1.
    pub delivery_count: i16,
}

impl StateBatch {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.first_offset = d.i64()?;
        message.last_offset = d.i64()?;
        message.delivery_state = d.i8()?;
        message.delivery_count = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.first_offset);
        e.i64(self.last_offset);
        e.i8(self.delivery_state);
        e.i16(self.delivery_count);
        e.no_tags();
    }
}
