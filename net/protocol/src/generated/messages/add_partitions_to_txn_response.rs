//! AddPartitionsToTxnResponse, key 24. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AddPartitionsToTxnResponse`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddPartitionsToTxnResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–5.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 4–5.
    pub error_code: i16,
    /// `ResultsByTransaction`, versions 4–5.
    pub results_by_transaction: Vec<AddPartitionsToTxnResult<'a>>,
    /// `ResultsByTopicV3AndBelow`, versions 0–3.
    pub results_by_topic_v3_and_below: Vec<AddPartitionsToTxnTopicResult<'a>>,
}

impl<'a> Message<'a> for AddPartitionsToTxnResponse<'a> {
    const NAME: &'static str = "AddPartitionsToTxnResponse";
    const API_KEY: Option<i16> = Some(24);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        if version >= 4 {
            message.error_code = d.i16()?;
            message.results_by_transaction =
                d.array(true, |d| AddPartitionsToTxnResult::decode(d, version))?;
        }
        if version <= 3 {
            message.results_by_topic_v3_and_below =
                d.array(flexible, |d| AddPartitionsToTxnTopicResult::decode(d, version))?;
        }
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.i32(self.throttle_time_ms);
        if version >= 4 {
            e.i16(self.error_code);
            e.array(&self.results_by_transaction, true, |e, item| item.encode(e, version));
        }
        if version <= 3 {
            e.array(&self.results_by_topic_v3_and_below, flexible, |e, item| item.encode(e, version));
        }
        if version >= 3 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `AddPartitionsToTxnResult` of [`AddPartitionsToTxnResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddPartitionsToTxnResult<'a> {
    /// `TransactionalId`, versions 4–5.
    pub transactional_id: &'a str,
    /// `TopicResults`, versions 4–5.
    pub topic_results: Vec<AddPartitionsToTxnTopicResult<'a>>,
}

impl<'a> AddPartitionsToTxnResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.transactional_id = d.string(true)?;
        message.topic_results = d.array(true, |d| AddPartitionsToTxnTopicResult::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.transactional_id, true);
        e.array(&self.topic_results, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `AddPartitionsToTxnTopicResult` of [`AddPartitionsToTxnResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddPartitionsToTxnTopicResult<'a> {
    /// `Name`, versions 0–5.
    pub name: &'a str,
    /// `ResultsByPartition`, versions 0–5.
    pub results_by_partition: Vec<AddPartitionsToTxnPartitionResult>,
}

impl<'a> AddPartitionsToTxnTopicResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 3;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.results_by_partition =
            d.array(flexible, |d| AddPartitionsToTxnPartitionResult::decode(d, version))?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.string(self.name, flexible);
        e.array(&self.results_by_partition, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
            e.no_tags();
        }
    }
}

/// `AddPartitionsToTxnPartitionResult` of [`AddPartitionsToTxnResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddPartitionsToTxnPartitionResult {
    /// `PartitionIndex`, versions 0–5.
    pub partition_index: i32,
    /// `PartitionErrorCode`, versions 0–5.
    pub partition_error_code: i16,
}

impl AddPartitionsToTxnPartitionResult {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.partition_error_code = d.i16()?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i16(self.partition_error_code);
        if version >= 3 {
            e.no_tags();
        }
    }
}
