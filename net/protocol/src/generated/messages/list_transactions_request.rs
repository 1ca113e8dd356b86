//! ListTransactionsRequest, key 66. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListTransactionsRequest`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ListTransactionsRequest<'a> {
    /// `StateFilters`, versions 0–2.
    pub state_filters: Vec<&'a str>,
    /// `ProducerIdFilters`, versions 0–2.
    pub producer_id_filters: Vec<i64>,
    /// `DurationFilter`, versions 1–2.
    pub duration_filter: i64,
    /// `TransactionalIdPattern`, version 2.
    pub transactional_id_pattern: Option<&'a str>,
}

impl Default for ListTransactionsRequest<'_> {
    fn default() -> Self {
        ListTransactionsRequest {
            state_filters: Vec::new(),
            producer_id_filters: Vec::new(),
            duration_filter: -1,
            transactional_id_pattern: None,
        }
    }
}

impl<'a> Message<'a> for ListTransactionsRequest<'a> {
    const NAME: &'static str = "ListTransactionsRequest";
    const API_KEY: Option<i16> = Some(66);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.state_filters = d.array(true, |d| d.string(true))?;
        message.producer_id_filters = d.array(true, Decoder::i64)?;
        if version >= 1 {
            message.duration_filter = d.i64()?;
        }
        if version >= 2 {
            message.transactional_id_pattern = d.nullable_string(true)?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.state_filters, true, |e, item| e.string(item, true));
        e.array(&self.producer_id_filters, true, |e, item| e.i64(*item));
        if version >= 1 {
            e.i64(self.duration_filter);
        }
        if version >= 2 {
            e.nullable_string(self.transactional_id_pattern, true);
        }
        e.no_tags();
    }
}
