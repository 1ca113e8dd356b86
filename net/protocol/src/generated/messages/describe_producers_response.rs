//! DescribeProducersResponse, key 61. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeProducersResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeProducersResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `Topics`, version 0.
    pub topics: Vec<TopicResponse<'a>>,
}

impl<'a> Message<'a> for DescribeProducersResponse<'a> {
    const NAME: &'static str = "DescribeProducersResponse";
    const API_KEY: Option<i16> = Some(61);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.topics = d.array(true, |d| TopicResponse::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `TopicResponse` of [`DescribeProducersResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicResponse<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<PartitionResponse<'a>>,
}

impl<'a> TopicResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.array(true, |d| PartitionResponse::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.name, true);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `PartitionResponse` of [`DescribeProducersResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionResponse<'a> {
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `ActiveProducers`, version 0.
    pub active_producers: Vec<ProducerState>,
}

impl<'a> PartitionResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.active_producers = d.array(true, |d| ProducerState::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.array(&self.active_producers, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `ProducerState` of [`DescribeProducersResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct ProducerState {
    /// `ProducerId`, version 0.
    pub producer_id: i64,
    /// `ProducerEpoch`, version 0.
    pub producer_epoch: i32,
    /// `LastSequence`, version 0.
    pub last_sequence: i32,
    /// `LastTimestamp`, version 0.
    pub last_timestamp: i64,
    /// `CoordinatorEpoch`, version 0.
    pub coordinator_epoch: i32,
    /// `CurrentTxnStartOffset`, version 0.
    pub current_txn_start_offset: i64,
}

impl Default for ProducerState {
    fn default() -> Self {
        ProducerState {
            producer_id: 0,
            producer_epoch: 0,
            last_sequence: -1,
            last_timestamp: -1,
            coordinator_epoch: 0,
            current_txn_start_offset: -1,
        }
    }
}

impl ProducerState {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i32()?;
        message.last_sequence = d.i32()?;
        message.last_timestamp = d.i64()?;
        message.coordinator_epoch = d.i32()?;
        message.current_txn_start_offset = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.producer_id);
        e.i32(self.producer_epoch);
        e.i32(self.last_sequence);
        e.i64(self.last_timestamp);
        e.i32(self.coordinator_epoch);
        e.i64(self.current_txn_start_offset);
        e.no_tags();
    }
}
