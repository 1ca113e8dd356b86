//! BrokerRegistrationResponse, key 62. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `BrokerRegistrationResponse`, versions 0–4, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokerRegistrationResponse {
    /// `ThrottleTimeMs`, versions 0–4.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–4.
    pub error_code: i16,
    /// `BrokerEpoch`, versions 0–4.
    pub broker_epoch: i64,
}

impl Default for BrokerRegistrationResponse {
    fn default() -> Self {
        BrokerRegistrationResponse { throttle_time_ms: 0, error_code: 0, broker_epoch: -1 }
    }
}

impl<'a> Message<'a> for BrokerRegistrationResponse {
    const NAME: &'static str = "BrokerRegistrationResponse";
    const API_KEY: Option<i16> = Some(62);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.broker_epoch = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.i64(self.broker_epoch);
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
