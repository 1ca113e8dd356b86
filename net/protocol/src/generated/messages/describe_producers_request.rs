//! DescribeProducersRequest, key 61. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeProducersRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeProducersRequest<'a> {
    /// `Topics`, version 0.
    pub topics: Vec<TopicRequest<'a>>,
}

impl<'a> Message<'a> for DescribeProducersRequest<'a> {
    const NAME: &'static str = "DescribeProducersRequest";
    const API_KEY: Option<i16> = Some(61);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topics = d.array(true, |d| TopicRequest::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicRequest` of [`DescribeProducersRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicRequest<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `PartitionIndexes`, version 0.
    pub partition_indexes: Vec<i32>,
}

impl<'a> TopicRequest<'a> {
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
