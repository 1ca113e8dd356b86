//! ReadShareGroupStateSummaryResponse, key 87. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ReadShareGroupStateSummaryResponse`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadShareGroupStateSummaryResponse<'a> {
    /// `Results`, versions 0–1.
    pub results: Vec<ReadStateSummaryResult<'a>>,
}

impl<'a> Message<'a> for ReadShareGroupStateSummaryResponse<'a> {
    const NAME: &'static str = "ReadShareGroupStateSummaryResponse";
    const API_KEY: Option<i16> = Some(87);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.results = d.array(true, |d| ReadStateSummaryResult::decode(d, version))?;
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

/// `ReadStateSummaryResult` of [`ReadShareGroupStateSummaryResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadStateSummaryResult<'a> {
    /// `TopicId`, versions 0–1.
    pub topic_id: Uuid,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<PartitionResult<'a>>,
}

impl<'a> ReadStateSummaryResult<'a> {
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

/// `PartitionResult` of [`ReadShareGroupStateSummaryResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionResult<'a> {
    /// `Partition`, versions 0–1.
    pub partition: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
    /// `StateEpoch`, versions 0–1.
    pub state_epoch: i32,
    /// `LeaderEpoch`, versions 0–1.
    pub leader_epoch: i32,
    /// `StartOffset`, versions 0–1.
    pub start_offset: i64,
    /// `DeliveryCompleteCount`, version 1.
    pub delivery_complete_count: i32,
}

impl Default for PartitionResult<'_> {
    fn default() -> Self {
        PartitionResult {
            partition: 0,
            error_code: 0,
            error_message: None,
            state_epoch: 0,
            leader_epoch: 0,
            start_offset: 0,
            delivery_complete_count: -1,
        }
    }
}

impl<'a> PartitionResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.state_epoch = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.start_offset = d.i64()?;
        if version >= 1 {
            message.delivery_complete_count = d.i32()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.i32(self.state_epoch);
        e.i32(self.leader_epoch);
        e.i64(self.start_offset);
        if version >= 1 {
            e.i32(self.delivery_complete_count);
        }
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
