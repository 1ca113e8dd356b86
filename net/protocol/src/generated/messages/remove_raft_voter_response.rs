//! RemoveRaftVoterResponse, key 81. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `RemoveRaftVoterResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoveRaftVoterResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
}

impl Default for RemoveRaftVoterResponse<'_> {
    fn default() -> Self {
        RemoveRaftVoterResponse { throttle_time_ms: 0, error_code: 0, error_message: Some("") }
    }
}

impl<'a> Message<'a> for RemoveRaftVoterResponse<'a> {
    const NAME: &'static str = "RemoveRaftVoterResponse";
    const API_KEY: Option<i16> = Some(81);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
