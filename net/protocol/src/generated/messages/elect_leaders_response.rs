//! ElectLeadersResponse, key 43. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ElectLeadersResponse`, versions 0–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ElectLeadersResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–2.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 1–2.
    pub error_code: i16,
    /// `ReplicaElectionResults`, versions 0–2.
    pub replica_election_results: Vec<ReplicaElectionResult<'a>>,
}

impl<'a> Message<'a> for ElectLeadersResponse<'a> {
    const NAME: &'static str = "ElectLeadersResponse";
    const API_KEY: Option<i16> = Some(43);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        if version >= 1 {
            message.error_code = d.i16()?;
        }
        message.replica_election_results =
            d.array(flexible, |d| ReplicaElectionResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.throttle_time_ms);
        if version >= 1 {
            e.i16(self.error_code);
        }
        e.array(&self.replica_election_results, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.replica_election_results {
            one.each_error(on);
        }
    }
}

/// `ReplicaElectionResult` of [`ElectLeadersResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplicaElectionResult<'a> {
    /// `Topic`, versions 0–2.
    pub topic: &'a str,
    /// `PartitionResult`, versions 0–2.
    pub partition_result: Vec<PartitionResult<'a>>,
}

impl<'a> ReplicaElectionResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.topic = d.string(flexible)?;
        message.partition_result = d.array(flexible, |d| PartitionResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.topic, flexible);
        e.array(&self.partition_result, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partition_result {
            one.each_error(on);
        }
    }
}

/// `PartitionResult` of [`ElectLeadersResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionResult<'a> {
    /// `PartitionId`, versions 0–2.
    pub partition_id: i32,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–2.
    pub error_message: Option<&'a str>,
}

impl Default for PartitionResult<'_> {
    fn default() -> Self {
        PartitionResult { partition_id: 0, error_code: 0, error_message: Some("") }
    }
}

impl<'a> PartitionResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.partition_id = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.partition_id);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        if version >= 2 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
