//! EndTxnResponse, key 26. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `EndTxnResponse`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, PartialEq)]
pub struct EndTxnResponse {
    /// `ThrottleTimeMs`, versions 0–5.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–5.
    pub error_code: i16,
    /// `ProducerId`, version 5.
    pub producer_id: i64,
    /// `ProducerEpoch`, version 5.
    pub producer_epoch: i16,
}

impl Default for EndTxnResponse {
    fn default() -> Self {
        EndTxnResponse { throttle_time_ms: 0, error_code: 0, producer_id: -1, producer_epoch: -1 }
    }
}

impl<'a> Message<'a> for EndTxnResponse {
    const NAME: &'static str = "EndTxnResponse";
    const API_KEY: Option<i16> = Some(26);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        if version >= 5 {
            message.producer_id = d.i64()?;
            message.producer_epoch = d.i16()?;
        }
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        if version >= 5 {
            e.i64(self.producer_id);
            e.i16(self.producer_epoch);
        }
        if version >= 3 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
