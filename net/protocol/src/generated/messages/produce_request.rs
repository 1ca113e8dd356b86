//! ProduceRequest, key 0. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ProduceRequest`, versions 3–13, flexible from 9.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProduceRequest<'a> {
    /// `TransactionalId`, versions 3–13.
    pub transactional_id: Option<&'a str>,
    /// `Acks`, versions 3–13.
    pub acks: i16,
    /// `TimeoutMs`, versions 3–13.
    pub timeout_ms: i32,
    /// `TopicData`, versions 3–13.
    pub topic_data: Vec<TopicProduceData<'a>>,
}

impl<'a> Message<'a> for ProduceRequest<'a> {
    const NAME: &'static str = "ProduceRequest";
    const API_KEY: Option<i16> = Some(0);
    const VERSIONS: std::ops::RangeInclusive<i16> = 3..=13;
    const FLEXIBLE_FROM: i16 = 9;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 9;
        let mut message = Self::default();
        message.transactional_id = d.nullable_string(flexible)?;
        message.acks = d.i16()?;
        message.timeout_ms = d.i32()?;
        message.topic_data = d.array(flexible, |d| TopicProduceData::decode(d, version))?;
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.nullable_string(self.transactional_id, flexible);
        e.i16(self.acks);
        e.i32(self.timeout_ms);
        e.array(&self.topic_data, flexible, |e, item| item.encode(e, version));
        if version >= 9 {
            e.no_tags();
        }
    }
}

/// `TopicProduceData` of [`ProduceRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicProduceData<'a> {
    /// `Name`, versions 3–12.
    pub name: &'a str,
    /// `TopicId`, version 13.
    pub topic_id: Uuid,
    /// `PartitionData`, versions 3–13.
    pub partition_data: Vec<PartitionProduceData<'a>>,
}

impl<'a> TopicProduceData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        if version <= 12 {
            message.name = d.string(flexible)?;
        }
        if version >= 13 {
            message.topic_id = d.uuid()?;
        }
        message.partition_data = d.array(flexible, |d| PartitionProduceData::decode(d, version))?;
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        if version <= 12 {
            e.string(self.name, flexible);
        }
        if version >= 13 {
            e.uuid(self.topic_id);
        }
        e.array(&self.partition_data, flexible, |e, item| item.encode(e, version));
        if version >= 9 {
            e.no_tags();
        }
    }
}

/// `PartitionProduceData` of [`ProduceRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionProduceData<'a> {
    /// `Index`, versions 3–13.
    pub index: i32,
    /// `Records`, versions 3–13.
    pub records: Option<&'a [u8]>,
}

impl<'a> PartitionProduceData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        message.index = d.i32()?;
        message.records = d.nullable_bytes(flexible)?;
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.i32(self.index);
        e.nullable_bytes(self.records, flexible);
        if version >= 9 {
            e.no_tags();
        }
    }
}
