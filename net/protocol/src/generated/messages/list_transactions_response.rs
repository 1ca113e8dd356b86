//! ListTransactionsResponse, key 66. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListTransactionsResponse`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListTransactionsResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–2.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `UnknownStateFilters`, versions 0–2.
    pub unknown_state_filters: Vec<&'a str>,
    /// `TransactionStates`, versions 0–2.
    pub transaction_states: Vec<TransactionState<'a>>,
}

impl<'a> Message<'a> for ListTransactionsResponse<'a> {
    const NAME: &'static str = "ListTransactionsResponse";
    const API_KEY: Option<i16> = Some(66);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.unknown_state_filters = d.array(true, |d| d.string(true))?;
        message.transaction_states = d.array(true, |d| TransactionState::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.array(&self.unknown_state_filters, true, |e, item| e.string(item, true));
        e.array(&self.transaction_states, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `TransactionState` of [`ListTransactionsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactionState<'a> {
    /// `TransactionalId`, versions 0–2.
    pub transactional_id: &'a str,
    /// `ProducerId`, versions 0–2.
    pub producer_id: i64,
    /// `TransactionState`, versions 0–2.
    pub transaction_state: &'a str,
}

impl<'a> TransactionState<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.transactional_id = d.string(true)?;
        message.producer_id = d.i64()?;
        message.transaction_state = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.transactional_id, true);
        e.i64(self.producer_id);
        e.string(self.transaction_state, true);
        e.no_tags();
    }
}
