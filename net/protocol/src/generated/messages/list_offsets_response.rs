//! ListOffsetsResponse, key 2. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListOffsetsResponse`, versions 1–11, flexible from 6.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListOffsetsResponse<'a> {
    /// `ThrottleTimeMs`, versions 2–11.
    pub throttle_time_ms: i32,
    /// `Topics`, versions 1–11.
    pub topics: Vec<ListOffsetsTopicResponse<'a>>,
}

impl<'a> Message<'a> for ListOffsetsResponse<'a> {
    const NAME: &'static str = "ListOffsetsResponse";
    const API_KEY: Option<i16> = Some(2);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=11;
    const FLEXIBLE_FROM: i16 = 6;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 6;
        let mut message = Self::default();
        if version >= 2 {
            message.throttle_time_ms = d.i32()?;
        }
        message.topics = d.array(flexible, |d| ListOffsetsTopicResponse::decode(d, version))?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        if version >= 2 {
            e.i32(self.throttle_time_ms);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 6 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `ListOffsetsTopicResponse` of [`ListOffsetsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListOffsetsTopicResponse<'a> {
    /// `Name`, versions 1–11.
    pub name: &'a str,
    /// `Partitions`, versions 1–11.
    pub partitions: Vec<ListOffsetsPartitionResponse>,
}

impl<'a> ListOffsetsTopicResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 6;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| ListOffsetsPartitionResponse::decode(d, version))?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 6 {
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

/// `ListOffsetsPartitionResponse` of [`ListOffsetsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct ListOffsetsPartitionResponse {
    /// `PartitionIndex`, versions 1–11.
    pub partition_index: i32,
    /// `ErrorCode`, versions 1–11.
    pub error_code: i16,
    /// `Timestamp`, versions 1–11.
    pub timestamp: i64,
    /// `Offset`, versions 1–11.
    pub offset: i64,
    /// `LeaderEpoch`, versions 4–11.
    pub leader_epoch: i32,
}

impl Default for ListOffsetsPartitionResponse {
    fn default() -> Self {
        ListOffsetsPartitionResponse {
            partition_index: 0,
            error_code: 0,
            timestamp: -1,
            offset: -1,
            leader_epoch: -1,
        }
    }
}

impl ListOffsetsPartitionResponse {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        message.timestamp = d.i64()?;
        message.offset = d.i64()?;
        if version >= 4 {
            message.leader_epoch = d.i32()?;
        }
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.i64(self.timestamp);
        e.i64(self.offset);
        if version >= 4 {
            e.i32(self.leader_epoch);
        }
        if version >= 6 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
