//! AlterPartitionResponse, key 56. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `AlterPartitionResponse`, versions 2–3, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterPartitionResponse {
    /// `ThrottleTimeMs`, versions 2–3.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 2–3.
    pub error_code: i16,
    /// `Topics`, versions 2–3.
    pub topics: Vec<TopicData>,
}

impl<'a> Message<'a> for AlterPartitionResponse {
    const NAME: &'static str = "AlterPartitionResponse";
    const API_KEY: Option<i16> = Some(56);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=3;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `TopicData` of [`AlterPartitionResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData {
    /// `TopicId`, versions 2–3.
    pub topic_id: Uuid,
    /// `Partitions`, versions 2–3.
    pub partitions: Vec<PartitionData>,
}

impl TopicData {
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

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `PartitionData` of [`AlterPartitionResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, versions 2–3.
    pub partition_index: i32,
    /// `ErrorCode`, versions 2–3.
    pub error_code: i16,
    /// `LeaderId`, versions 2–3.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 2–3.
    pub leader_epoch: i32,
    /// `Isr`, versions 2–3.
    pub isr: Vec<i32>,
    /// `LeaderRecoveryState`, versions 2–3.
    pub leader_recovery_state: i8,
    /// `PartitionEpoch`, versions 2–3.
    pub partition_epoch: i32,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.isr = d.array(true, Decoder::i32)?;
        message.leader_recovery_state = d.i8()?;
        message.partition_epoch = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        e.array(&self.isr, true, |e, item| e.i32(*item));
        e.i8(self.leader_recovery_state);
        e.i32(self.partition_epoch);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
