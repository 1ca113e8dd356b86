//! AlterReplicaLogDirsResponse, key 34. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterReplicaLogDirsResponse`, versions 1–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterReplicaLogDirsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–2.
    pub throttle_time_ms: i32,
    /// `Results`, versions 1–2.
    pub results: Vec<AlterReplicaLogDirTopicResult<'a>>,
}

impl<'a> Message<'a> for AlterReplicaLogDirsResponse<'a> {
    const NAME: &'static str = "AlterReplicaLogDirsResponse";
    const API_KEY: Option<i16> = Some(34);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.results = d.array(flexible, |d| AlterReplicaLogDirTopicResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.throttle_time_ms);
        e.array(&self.results, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `AlterReplicaLogDirTopicResult` of [`AlterReplicaLogDirsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterReplicaLogDirTopicResult<'a> {
    /// `TopicName`, versions 1–2.
    pub topic_name: &'a str,
    /// `Partitions`, versions 1–2.
    pub partitions: Vec<AlterReplicaLogDirPartitionResult>,
}

impl<'a> AlterReplicaLogDirTopicResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.topic_name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| AlterReplicaLogDirPartitionResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.topic_name, flexible);
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

/// `AlterReplicaLogDirPartitionResult` of [`AlterReplicaLogDirsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterReplicaLogDirPartitionResult {
    /// `PartitionIndex`, versions 1–2.
    pub partition_index: i32,
    /// `ErrorCode`, versions 1–2.
    pub error_code: i16,
}

impl AlterReplicaLogDirPartitionResult {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
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
