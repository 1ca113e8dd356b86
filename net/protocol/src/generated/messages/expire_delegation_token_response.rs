//! ExpireDelegationTokenResponse, key 40. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ExpireDelegationTokenResponse`, versions 1–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExpireDelegationTokenResponse {
    /// `ErrorCode`, versions 1–2.
    pub error_code: i16,
    /// `ExpiryTimestampMs`, versions 1–2.
    pub expiry_timestamp_ms: i64,
    /// `ThrottleTimeMs`, versions 1–2.
    pub throttle_time_ms: i32,
}

impl<'a> Message<'a> for ExpireDelegationTokenResponse {
    const NAME: &'static str = "ExpireDelegationTokenResponse";
    const API_KEY: Option<i16> = Some(40);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.expiry_timestamp_ms = d.i64()?;
        message.throttle_time_ms = d.i32()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        e.i64(self.expiry_timestamp_ms);
        e.i32(self.throttle_time_ms);
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
