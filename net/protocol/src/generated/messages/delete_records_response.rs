//! DeleteRecordsResponse, key 21. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DeleteRecordsResponse`, versions 0–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteRecordsResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–2.
    pub throttle_time_ms: i32,
    /// `Topics`, versions 0–2.
    pub topics: Vec<DeleteRecordsTopicResult<'a>>,
}

impl<'a> Message<'a> for DeleteRecordsResponse<'a> {
    const NAME: &'static str = "DeleteRecordsResponse";
    const API_KEY: Option<i16> = Some(21);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.topics = d.array(flexible, |d| DeleteRecordsTopicResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.throttle_time_ms);
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `DeleteRecordsTopicResult` of [`DeleteRecordsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteRecordsTopicResult<'a> {
    /// `Name`, versions 0–2.
    pub name: &'a str,
    /// `Partitions`, versions 0–2.
    pub partitions: Vec<DeleteRecordsPartitionResult>,
}

impl<'a> DeleteRecordsTopicResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| DeleteRecordsPartitionResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
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

/// `DeleteRecordsPartitionResult` of [`DeleteRecordsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteRecordsPartitionResult {
    /// `PartitionIndex`, versions 0–2.
    pub partition_index: i32,
    /// `LowWatermark`, versions 0–2.
    pub low_watermark: i64,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
}

impl DeleteRecordsPartitionResult {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.low_watermark = d.i64()?;
        message.error_code = d.i16()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i64(self.low_watermark);
        e.i16(self.error_code);
        if version >= 2 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
