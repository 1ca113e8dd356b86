//! AlterPartitionReassignmentsResponse, key 45. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterPartitionReassignmentsResponse`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterPartitionReassignmentsResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–1.
    pub throttle_time_ms: i32,
    /// `AllowReplicationFactorChange`, version 1.
    pub allow_replication_factor_change: bool,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
    /// `Responses`, versions 0–1.
    pub responses: Vec<ReassignableTopicResponse<'a>>,
}

impl Default for AlterPartitionReassignmentsResponse<'_> {
    fn default() -> Self {
        AlterPartitionReassignmentsResponse {
            throttle_time_ms: 0,
            allow_replication_factor_change: true,
            error_code: 0,
            error_message: Some(""),
            responses: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for AlterPartitionReassignmentsResponse<'a> {
    const NAME: &'static str = "AlterPartitionReassignmentsResponse";
    const API_KEY: Option<i16> = Some(45);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        if version >= 1 {
            message.allow_replication_factor_change = d.bool()?;
        }
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.responses = d.array(true, |d| ReassignableTopicResponse::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        if version >= 1 {
            e.bool(self.allow_replication_factor_change);
        }
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.array(&self.responses, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.responses {
            one.each_error(on);
        }
    }
}

/// `ReassignableTopicResponse` of [`AlterPartitionReassignmentsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReassignableTopicResponse<'a> {
    /// `Name`, versions 0–1.
    pub name: &'a str,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<ReassignablePartitionResponse<'a>>,
}

impl<'a> ReassignableTopicResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.array(true, |d| ReassignablePartitionResponse::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.name, true);
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

/// `ReassignablePartitionResponse` of [`AlterPartitionReassignmentsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct ReassignablePartitionResponse<'a> {
    /// `PartitionIndex`, versions 0–1.
    pub partition_index: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
}

impl Default for ReassignablePartitionResponse<'_> {
    fn default() -> Self {
        ReassignablePartitionResponse { partition_index: 0, error_code: 0, error_message: Some("") }
    }
}

impl<'a> ReassignablePartitionResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
