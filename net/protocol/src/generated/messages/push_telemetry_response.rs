//! PushTelemetryResponse, key 72. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `PushTelemetryResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PushTelemetryResponse {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
}

impl<'a> Message<'a> for PushTelemetryResponse {
    const NAME: &'static str = "PushTelemetryResponse";
    const API_KEY: Option<i16> = Some(72);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
