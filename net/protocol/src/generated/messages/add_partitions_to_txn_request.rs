//! AddPartitionsToTxnRequest, key 24. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AddPartitionsToTxnRequest`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddPartitionsToTxnRequest<'a> {
    /// `Transactions`, versions 4–5.
    pub transactions: Vec<AddPartitionsToTxnTransaction<'a>>,
    /// `V3AndBelowTransactionalId`, versions 0–3.
    pub v3_and_below_transactional_id: &'a str,
    /// `V3AndBelowProducerId`, versions 0–3.
    pub v3_and_below_producer_id: i64,
    /// `V3AndBelowProducerEpoch`, versions 0–3.
    pub v3_and_below_producer_epoch: i16,
    /// `V3AndBelowTopics`, versions 0–3.
    pub v3_and_below_topics: Vec<AddPartitionsToTxnTopic<'a>>,
}

impl<'a> Message<'a> for AddPartitionsToTxnRequest<'a> {
    const NAME: &'static str = "AddPartitionsToTxnRequest";
    const API_KEY: Option<i16> = Some(24);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        if version >= 4 {
            message.transactions = d.array(true, |d| AddPartitionsToTxnTransaction::decode(d, version))?;
        }
        if version <= 3 {
            message.v3_and_below_transactional_id = d.string(flexible)?;
            message.v3_and_below_producer_id = d.i64()?;
            message.v3_and_below_producer_epoch = d.i16()?;
            message.v3_and_below_topics =
                d.array(flexible, |d| AddPartitionsToTxnTopic::decode(d, version))?;
        }
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        if version >= 4 {
            e.array(&self.transactions, true, |e, item| item.encode(e, version));
        }
        if version <= 3 {
            e.string(self.v3_and_below_transactional_id, flexible);
            e.i64(self.v3_and_below_producer_id);
            e.i16(self.v3_and_below_producer_epoch);
            e.array(&self.v3_and_below_topics, flexible, |e, item| item.encode(e, version));
        }
        if version >= 3 {
            e.no_tags();
        }
    }
}

/// `AddPartitionsToTxnTransaction` of [`AddPartitionsToTxnRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddPartitionsToTxnTransaction<'a> {
    /// `TransactionalId`, versions 4–5.
    pub transactional_id: &'a str,
    /// `ProducerId`, versions 4–5.
    pub producer_id: i64,
    /// `ProducerEpoch`, versions 4–5.
    pub producer_epoch: i16,
    /// `VerifyOnly`, versions 4–5.
    pub verify_only: bool,
    /// `Topics`, versions 4–5.
    pub topics: Vec<AddPartitionsToTxnTopic<'a>>,
}

impl<'a> AddPartitionsToTxnTransaction<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.transactional_id = d.string(true)?;
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i16()?;
        message.verify_only = d.bool()?;
        message.topics = d.array(true, |d| AddPartitionsToTxnTopic::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.transactional_id, true);
        e.i64(self.producer_id);
        e.i16(self.producer_epoch);
        e.bool(self.verify_only);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `AddPartitionsToTxnTopic` of [`AddPartitionsToTxnRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddPartitionsToTxnTopic<'a> {
    /// `Name`, versions 0–5.
    pub name: &'a str,
    /// `Partitions`, versions 0–5.
    pub partitions: Vec<i32>,
}

impl<'a> AddPartitionsToTxnTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 3;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, Decoder::i32)?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| e.i32(*item));
        if version >= 3 {
            e.no_tags();
        }
    }
}
