//! WriteShareGroupStateResponse, key 85. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `WriteShareGroupStateResponse`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteShareGroupStateResponse<'a> {
    /// `Results`, versions 0–1.
    pub results: Vec<WriteStateResult<'a>>,
}

impl<'a> Message<'a> for WriteShareGroupStateResponse<'a> {
    const NAME: &'static str = "WriteShareGroupStateResponse";
    const API_KEY: Option<i16> = Some(85);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.results = d.array(true, |d| WriteStateResult::decode(d, version))?;
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

/// `WriteStateResult` of [`WriteShareGroupStateResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteStateResult<'a> {
    /// `TopicId`, versions 0–1.
    pub topic_id: Uuid,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<PartitionResult<'a>>,
}

impl<'a> WriteStateResult<'a> {
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

/// `PartitionResult` of [`WriteShareGroupStateResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionResult<'a> {
    /// `Partition`, versions 0–1.
    pub partition: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
}

impl<'a> PartitionResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
