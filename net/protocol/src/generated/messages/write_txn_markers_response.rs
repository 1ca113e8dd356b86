//! WriteTxnMarkersResponse, key 27. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `WriteTxnMarkersResponse`, versions 1–2, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteTxnMarkersResponse<'a> {
    /// `Markers`, versions 1–2.
    pub markers: Vec<WritableTxnMarkerResult<'a>>,
}

impl<'a> Message<'a> for WriteTxnMarkersResponse<'a> {
    const NAME: &'static str = "WriteTxnMarkersResponse";
    const API_KEY: Option<i16> = Some(27);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.markers = d.array(true, |d| WritableTxnMarkerResult::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.markers, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.markers {
            one.each_error(on);
        }
    }
}

/// `WritableTxnMarkerResult` of [`WriteTxnMarkersResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WritableTxnMarkerResult<'a> {
    /// `ProducerId`, versions 1–2.
    pub producer_id: i64,
    /// `Topics`, versions 1–2.
    pub topics: Vec<WritableTxnMarkerTopicResult<'a>>,
}

impl<'a> WritableTxnMarkerResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.producer_id = d.i64()?;
        message.topics = d.array(true, |d| WritableTxnMarkerTopicResult::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i64(self.producer_id);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `WritableTxnMarkerTopicResult` of [`WriteTxnMarkersResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WritableTxnMarkerTopicResult<'a> {
    /// `Name`, versions 1–2.
    pub name: &'a str,
    /// `Partitions`, versions 1–2.
    pub partitions: Vec<WritableTxnMarkerPartitionResult>,
}

impl<'a> WritableTxnMarkerTopicResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.array(true, |d| WritableTxnMarkerPartitionResult::decode(d, version))?;
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

/// `WritableTxnMarkerPartitionResult` of [`WriteTxnMarkersResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WritableTxnMarkerPartitionResult {
    /// `PartitionIndex`, versions 1–2.
    pub partition_index: i32,
    /// `ErrorCode`, versions 1–2.
    pub error_code: i16,
}

impl WritableTxnMarkerPartitionResult {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
