//! TxnOffsetCommitResponse, key 28. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `TxnOffsetCommitResponse`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TxnOffsetCommitResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–5.
    pub throttle_time_ms: i32,
    /// `Topics`, versions 0–5.
    pub topics: Vec<TxnOffsetCommitResponseTopic<'a>>,
}

impl<'a> Message<'a> for TxnOffsetCommitResponse<'a> {
    const NAME: &'static str = "TxnOffsetCommitResponse";
    const API_KEY: Option<i16> = Some(28);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.topics = d.array(flexible, |d| TxnOffsetCommitResponseTopic::decode(d, version))?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.i32(self.throttle_time_ms);
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `TxnOffsetCommitResponseTopic` of [`TxnOffsetCommitResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TxnOffsetCommitResponseTopic<'a> {
    /// `Name`, versions 0–5.
    pub name: &'a str,
    /// `Partitions`, versions 0–5.
    pub partitions: Vec<TxnOffsetCommitResponsePartition>,
}

impl<'a> TxnOffsetCommitResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 3;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| TxnOffsetCommitResponsePartition::decode(d, version))?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
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

/// `TxnOffsetCommitResponsePartition` of [`TxnOffsetCommitResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TxnOffsetCommitResponsePartition {
    /// `PartitionIndex`, versions 0–5.
    pub partition_index: i32,
    /// `ErrorCode`, versions 0–5.
    pub error_code: i16,
}

impl TxnOffsetCommitResponsePartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        if version >= 3 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
