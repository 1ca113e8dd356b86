//! OffsetForLeaderEpochResponse, key 23. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `OffsetForLeaderEpochResponse`, versions 2–4, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetForLeaderEpochResponse<'a> {
    /// `ThrottleTimeMs`, versions 2–4.
    pub throttle_time_ms: i32,
    /// `Topics`, versions 2–4.
    pub topics: Vec<OffsetForLeaderTopicResult<'a>>,
}

impl<'a> Message<'a> for OffsetForLeaderEpochResponse<'a> {
    const NAME: &'static str = "OffsetForLeaderEpochResponse";
    const API_KEY: Option<i16> = Some(23);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.topics = d.array(flexible, |d| OffsetForLeaderTopicResult::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.i32(self.throttle_time_ms);
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `OffsetForLeaderTopicResult` of [`OffsetForLeaderEpochResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetForLeaderTopicResult<'a> {
    /// `Topic`, versions 2–4.
    pub topic: &'a str,
    /// `Partitions`, versions 2–4.
    pub partitions: Vec<EpochEndOffset>,
}

impl<'a> OffsetForLeaderTopicResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.topic = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| EpochEndOffset::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.topic, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `EpochEndOffset` of [`OffsetForLeaderEpochResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct EpochEndOffset {
    /// `ErrorCode`, versions 2–4.
    pub error_code: i16,
    /// `Partition`, versions 2–4.
    pub partition: i32,
    /// `LeaderEpoch`, versions 2–4.
    pub leader_epoch: i32,
    /// `EndOffset`, versions 2–4.
    pub end_offset: i64,
}

impl Default for EpochEndOffset {
    fn default() -> Self {
        EpochEndOffset { error_code: 0, partition: 0, leader_epoch: -1, end_offset: -1 }
    }
}

impl EpochEndOffset {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.partition = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.end_offset = d.i64()?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        e.i32(self.partition);
        e.i32(self.leader_epoch);
        e.i64(self.end_offset);
        if version >= 4 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
