//! DescribeTransactionsResponse, key 65. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeTransactionsResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeTransactionsResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `TransactionStates`, version 0.
    pub transaction_states: Vec<TransactionState<'a>>,
}

impl<'a> Message<'a> for DescribeTransactionsResponse<'a> {
    const NAME: &'static str = "DescribeTransactionsResponse";
    const API_KEY: Option<i16> = Some(65);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.transaction_states = d.array(true, |d| TransactionState::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.array(&self.transaction_states, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.transaction_states {
            one.each_error(on);
        }
    }
}

/// `TransactionState` of [`DescribeTransactionsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactionState<'a> {
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `TransactionalId`, version 0.
    pub transactional_id: &'a str,
    /// `TransactionState`, version 0.
    pub transaction_state: &'a str,
    /// `TransactionTimeoutMs`, version 0.
    pub transaction_timeout_ms: i32,
    /// `TransactionStartTimeMs`, version 0.
    pub transaction_start_time_ms: i64,
    /// `ProducerId`, version 0.
    pub producer_id: i64,
    /// `ProducerEpoch`, version 0.
    pub producer_epoch: i16,
    /// `Topics`, version 0.
    pub topics: Vec<TopicData<'a>>,
}

impl<'a> TransactionState<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.transactional_id = d.string(true)?;
        message.transaction_state = d.string(true)?;
        message.transaction_timeout_ms = d.i32()?;
        message.transaction_start_time_ms = d.i64()?;
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i16()?;
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        e.string(self.transactional_id, true);
        e.string(self.transaction_state, true);
        e.i32(self.transaction_timeout_ms);
        e.i64(self.transaction_start_time_ms);
        e.i64(self.producer_id);
        e.i16(self.producer_epoch);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `TopicData` of [`DescribeTransactionsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData<'a> {
    /// `Topic`, version 0.
    pub topic: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
}

impl<'a> TopicData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic = d.string(true)?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic, true);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
