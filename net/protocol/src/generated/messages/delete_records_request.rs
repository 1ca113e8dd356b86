//! DeleteRecordsRequest, key 21. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DeleteRecordsRequest`, versions 0–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteRecordsRequest<'a> {
    /// `Topics`, versions 0–2.
    pub topics: Vec<DeleteRecordsTopic<'a>>,
    /// `TimeoutMs`, versions 0–2.
    pub timeout_ms: i32,
}

impl<'a> Message<'a> for DeleteRecordsRequest<'a> {
    const NAME: &'static str = "DeleteRecordsRequest";
    const API_KEY: Option<i16> = Some(21);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.topics = d.array(flexible, |d| DeleteRecordsTopic::decode(d, version))?;
        message.timeout_ms = d.i32()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        e.i32(self.timeout_ms);
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `DeleteRecordsTopic` of [`DeleteRecordsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteRecordsTopic<'a> {
    /// `Name`, versions 0–2.
    pub name: &'a str,
    /// `Partitions`, versions 0–2.
    pub partitions: Vec<DeleteRecordsPartition>,
}

impl<'a> DeleteRecordsTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| DeleteRecordsPartition::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `DeleteRecordsPartition` of [`DeleteRecordsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteRecordsPartition {
    /// `PartitionIndex`, versions 0–2.
    pub partition_index: i32,
    /// `Offset`, versions 0–2.
    pub offset: i64,
}

impl DeleteRecordsPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.offset = d.i64()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i64(self.offset);
        if version >= 2 {
            e.no_tags();
        }
    }
}
