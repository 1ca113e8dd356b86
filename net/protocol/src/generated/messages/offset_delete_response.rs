//! OffsetDeleteResponse, key 47. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `OffsetDeleteResponse`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetDeleteResponse<'a> {
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `Topics`, version 0.
    pub topics: Vec<OffsetDeleteResponseTopic<'a>>,
}

impl<'a> Message<'a> for OffsetDeleteResponse<'a> {
    const NAME: &'static str = "OffsetDeleteResponse";
    const API_KEY: Option<i16> = Some(47);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.throttle_time_ms = d.i32()?;
        message.topics = d.array(false, |d| OffsetDeleteResponseTopic::decode(d, version))?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        e.i32(self.throttle_time_ms);
        e.array(&self.topics, false, |e, item| item.encode(e, version));
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `OffsetDeleteResponseTopic` of [`OffsetDeleteResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetDeleteResponseTopic<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<OffsetDeleteResponsePartition>,
}

impl<'a> OffsetDeleteResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(false)?;
        message.partitions = d.array(false, |d| OffsetDeleteResponsePartition::decode(d, version))?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.name, false);
        e.array(&self.partitions, false, |e, item| item.encode(e, version));
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `OffsetDeleteResponsePartition` of [`OffsetDeleteResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetDeleteResponsePartition {
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
}

impl OffsetDeleteResponsePartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
