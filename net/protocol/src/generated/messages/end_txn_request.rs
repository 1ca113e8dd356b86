//! EndTxnRequest, key 26. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `EndTxnRequest`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EndTxnRequest<'a> {
    /// `TransactionalId`, versions 0–5.
    pub transactional_id: &'a str,
    /// `ProducerId`, versions 0–5.
    pub producer_id: i64,
    /// `ProducerEpoch`, versions 0–5.
    pub producer_epoch: i16,
    /// `Committed`, versions 0–5.
    pub committed: bool,
}

impl<'a> Message<'a> for EndTxnRequest<'a> {
    const NAME: &'static str = "EndTxnRequest";
    const API_KEY: Option<i16> = Some(26);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        message.transactional_id = d.string(flexible)?;
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i16()?;
        message.committed = d.bool()?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.string(self.transactional_id, flexible);
        e.i64(self.producer_id);
        e.i16(self.producer_epoch);
        e.bool(self.committed);
        if version >= 3 {
            e.no_tags();
        }
    }
}
