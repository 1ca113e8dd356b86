//! WriteTxnMarkersRequest, key 27. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `WriteTxnMarkersRequest`, versions 1–2, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteTxnMarkersRequest<'a> {
    /// `Markers`, versions 1–2.
    pub markers: Vec<WritableTxnMarker<'a>>,
}

impl<'a> Message<'a> for WriteTxnMarkersRequest<'a> {
    const NAME: &'static str = "WriteTxnMarkersRequest";
    const API_KEY: Option<i16> = Some(27);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.markers = d.array(true, |d| WritableTxnMarker::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.markers, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `WritableTxnMarker` of [`WriteTxnMarkersRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WritableTxnMarker<'a> {
    /// `ProducerId`, versions 1–2.
    pub producer_id: i64,
    /// `ProducerEpoch`, versions 1–2.
    pub producer_epoch: i16,
    /// `TransactionResult`, versions 1–2.
    pub transaction_result: bool,
    /// `Topics`, versions 1–2.
    pub topics: Vec<WritableTxnMarkerTopic<'a>>,
    /// `CoordinatorEpoch`, versions 1–2.
    pub coordinator_epoch: i32,
    /// `TransactionVersion`, version 2.
    pub transaction_version: i8,
}

impl<'a> WritableTxnMarker<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i16()?;
        message.transaction_result = d.bool()?;
        message.topics = d.array(true, |d| WritableTxnMarkerTopic::decode(d, version))?;
        message.coordinator_epoch = d.i32()?;
        if version >= 2 {
            message.transaction_version = d.i8()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i64(self.producer_id);
        e.i16(self.producer_epoch);
        e.bool(self.transaction_result);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.i32(self.coordinator_epoch);
        if version >= 2 {
            e.i8(self.transaction_version);
        }
        e.no_tags();
    }
}

/// `WritableTxnMarkerTopic` of [`WriteTxnMarkersRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WritableTxnMarkerTopic<'a> {
    /// `Name`, versions 1–2.
    pub name: &'a str,
    /// `PartitionIndexes`, versions 1–2.
    pub partition_indexes: Vec<i32>,
}

impl<'a> WritableTxnMarkerTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partition_indexes = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.array(&self.partition_indexes, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
