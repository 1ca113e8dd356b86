//! InitProducerIdResponse, key 22. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `InitProducerIdResponse`, versions 0–6, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct InitProducerIdResponse {
    /// `ThrottleTimeMs`, versions 0–6.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–6.
    pub error_code: i16,
    /// `ProducerId`, versions 0–6.
    pub producer_id: i64,
    /// `ProducerEpoch`, versions 0–6.
    pub producer_epoch: i16,
    /// `OngoingTxnProducerId`, version 6.
    pub ongoing_txn_producer_id: i64,
    /// `OngoingTxnProducerEpoch`, version 6.
    pub ongoing_txn_producer_epoch: i16,
}

impl Default for InitProducerIdResponse {
    fn default() -> Self {
        InitProducerIdResponse {
            throttle_time_ms: 0,
            error_code: 0,
            producer_id: -1,
            producer_epoch: 0,
            ongoing_txn_producer_id: -1,
            ongoing_txn_producer_epoch: -1,
        }
    }
}

impl<'a> Message<'a> for InitProducerIdResponse {
    const NAME: &'static str = "InitProducerIdResponse";
    const API_KEY: Option<i16> = Some(22);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=6;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i16()?;
        if version >= 6 {
            message.ongoing_txn_producer_id = d.i64()?;
            message.ongoing_txn_producer_epoch = d.i16()?;
        }
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.i64(self.producer_id);
        e.i16(self.producer_epoch);
        if version >= 6 {
            e.i64(self.ongoing_txn_producer_id);
            e.i16(self.ongoing_txn_producer_epoch);
        }
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
