//! InitProducerIdRequest, key 22. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `InitProducerIdRequest`, versions 0–6, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct InitProducerIdRequest<'a> {
    /// `TransactionalId`, versions 0–6.
    pub transactional_id: Option<&'a str>,
    /// `TransactionTimeoutMs`, versions 0–6.
    pub transaction_timeout_ms: i32,
    /// `ProducerId`, versions 3–6.
    pub producer_id: i64,
    /// `ProducerEpoch`, versions 3–6.
    pub producer_epoch: i16,
    /// `Enable2Pc`, version 6.
    pub enable2_pc: bool,
    /// `KeepPreparedTxn`, version 6.
    pub keep_prepared_txn: bool,
}

impl Default for InitProducerIdRequest<'_> {
    fn default() -> Self {
        InitProducerIdRequest {
            transactional_id: Some(""),
            transaction_timeout_ms: 0,
            producer_id: -1,
            producer_epoch: -1,
            enable2_pc: false,
            keep_prepared_txn: false,
        }
    }
}

impl<'a> Message<'a> for InitProducerIdRequest<'a> {
    const NAME: &'static str = "InitProducerIdRequest";
    const API_KEY: Option<i16> = Some(22);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=6;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.transactional_id = d.nullable_string(flexible)?;
        message.transaction_timeout_ms = d.i32()?;
        if version >= 3 {
            message.producer_id = d.i64()?;
            message.producer_epoch = d.i16()?;
        }
        if version >= 6 {
            message.enable2_pc = d.bool()?;
            message.keep_prepared_txn = d.bool()?;
        }
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.nullable_string(self.transactional_id, flexible);
        e.i32(self.transaction_timeout_ms);
        if version >= 3 {
            e.i64(self.producer_id);
            e.i16(self.producer_epoch);
        }
        if version >= 6 {
            e.bool(self.enable2_pc);
            e.bool(self.keep_prepared_txn);
        }
        if version >= 2 {
            e.no_tags();
        }
    }
}
