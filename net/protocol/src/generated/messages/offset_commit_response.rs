//! OffsetCommitResponse, key 8. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `OffsetCommitResponse`, versions 2–10, flexible from 8.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetCommitResponse<'a> {
    /// `ThrottleTimeMs`, versions 3–10.
    pub throttle_time_ms: i32,
    /// `Topics`, versions 2–10.
    pub topics: Vec<OffsetCommitResponseTopic<'a>>,
}

impl<'a> Message<'a> for OffsetCommitResponse<'a> {
    const NAME: &'static str = "OffsetCommitResponse";
    const API_KEY: Option<i16> = Some(8);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=10;
    const FLEXIBLE_FROM: i16 = 8;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 8;
        let mut message = Self::default();
        if version >= 3 {
            message.throttle_time_ms = d.i32()?;
        }
        message.topics = d.array(flexible, |d| OffsetCommitResponseTopic::decode(d, version))?;
        if version >= 8 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 8;
        if version >= 3 {
            e.i32(self.throttle_time_ms);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 8 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `OffsetCommitResponseTopic` of [`OffsetCommitResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetCommitResponseTopic<'a> {
    /// `Name`, versions 2–9.
    pub name: &'a str,
    /// `TopicId`, version 10.
    pub topic_id: Uuid,
    /// `Partitions`, versions 2–10.
    pub partitions: Vec<OffsetCommitResponsePartition>,
}

impl<'a> OffsetCommitResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 8;
        let mut message = Self::default();
        if version <= 9 {
            message.name = d.string(flexible)?;
        }
        if version >= 10 {
            message.topic_id = d.uuid()?;
        }
        message.partitions = d.array(flexible, |d| OffsetCommitResponsePartition::decode(d, version))?;
        if version >= 8 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 8;
        if version <= 9 {
            e.string(self.name, flexible);
        }
        if version >= 10 {
            e.uuid(self.topic_id);
        }
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 8 {
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

/// `OffsetCommitResponsePartition` of [`OffsetCommitResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetCommitResponsePartition {
    /// `PartitionIndex`, versions 2–10.
    pub partition_index: i32,
    /// `ErrorCode`, versions 2–10.
    pub error_code: i16,
}

impl OffsetCommitResponsePartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        if version >= 8 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        if version >= 8 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
