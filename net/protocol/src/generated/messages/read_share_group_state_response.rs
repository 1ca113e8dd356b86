//! ReadShareGroupStateResponse, key 84. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ReadShareGroupStateResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadShareGroupStateResponse<'a> {
    /// `Results`, version 0.
    pub results: Vec<ReadStateResult<'a>>,
}

impl<'a> Message<'a> for ReadShareGroupStateResponse<'a> {
    const NAME: &'static str = "ReadShareGroupStateResponse";
    const API_KEY: Option<i16> = Some(84);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.results = d.array(true, |d| ReadStateResult::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.results, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `ReadStateResult` of [`ReadShareGroupStateResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadStateResult<'a> {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partitions`, version 0.
    pub partitions: Vec<PartitionResult<'a>>,
}

impl<'a> ReadStateResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, |d| PartitionResult::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.uuid(self.topic_id);
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

/// `PartitionResult` of [`ReadShareGroupStateResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionResult<'a> {
    /// `Partition`, version 0.
    pub partition: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `StateEpoch`, version 0.
    pub state_epoch: i32,
    /// `StartOffset`, version 0.
    pub start_offset: i64,
    /// `StateBatches`, version 0.
    pub state_batches: Vec<StateBatch>,
}

impl<'a> PartitionResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.state_epoch = d.i32()?;
        message.start_offset = d.i64()?;
        message.state_batches = d.array(true, |d| StateBatch::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.i32(self.state_epoch);
        e.i64(self.start_offset);
        e.array(&self.state_batches, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `StateBatch` of [`ReadShareGroupStateResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateBatch {
    /// `FirstOffset`, version 0.
    pub first_offset: i64,
    /// `LastOffset`, version 0.
    pub last_offset: i64,
    /// `DeliveryState`, version 0.
    pub delivery_state: i8,
    /// `DeliveryCount`, version 0.
    pub delivery_count: i16,
}

impl StateBatch {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.first_offset = d.i64()?;
        message.last_offset = d.i64()?;
        message.delivery_state = d.i8()?;
        message.delivery_count = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.first_offset);
        e.i64(self.last_offset);
        e.i8(self.delivery_state);
        e.i16(self.delivery_count);
        e.no_tags();
    }
}
