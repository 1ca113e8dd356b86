//! HeartbeatResponse, key 12. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `HeartbeatResponse`, versions 0–4, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeartbeatResponse {
    /// `ThrottleTimeMs`, versions 1–4.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–4.
    pub error_code: i16,
}

impl<'a> Message<'a> for HeartbeatResponse {
    const NAME: &'static str = "HeartbeatResponse";
    const API_KEY: Option<i16> = Some(12);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        if version >= 1 {
            message.throttle_time_ms = d.i32()?;
        }
        message.error_code = d.i16()?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        if version >= 1 {
            e.i32(self.throttle_time_ms);
        }
        e.i16(self.error_code);
        if version >= 4 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
