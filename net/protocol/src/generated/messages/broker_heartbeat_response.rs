//! BrokerHeartbeatResponse, key 63. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `BrokerHeartbeatResponse`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokerHeartbeatResponse {
    /// `ThrottleTimeMs`, versions 0–2.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `IsCaughtUp`, versions 0–2.
    pub is_caught_up: bool,
    /// `IsFenced`, versions 0–2.
    pub is_fenced: bool,
    /// `ShouldShutDown`, versions 0–2.
    pub should_shut_down: bool,
}

impl Default for BrokerHeartbeatResponse {
    fn default() -> Self {
        BrokerHeartbeatResponse {
            throttle_time_ms: 0,
            error_code: 0,
            is_caught_up: false,
            is_fenced: true,
            should_shut_down: false,
        }
    }
}

impl<'a> Message<'a> for BrokerHeartbeatResponse {
    const NAME: &'static str = "BrokerHeartbeatResponse";
    const API_KEY: Option<i16> = Some(63);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.is_caught_up = d.bool()?;
        message.is_fenced = d.bool()?;
        message.should_shut_down = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.bool(self.is_caught_up);
        e.bool(self.is_fenced);
        e.bool(self.should_shut_down);
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
