//! DescribeTopicPartitionsRequest, key 75. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeTopicPartitionsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeTopicPartitionsRequest<'a> {
    /// `Topics`, version 0.
    pub topics: Vec<TopicRequest<'a>>,
    /// `ResponsePartitionLimit`, version 0.
    pub response_partition_limit: i32,
    /// `Cursor`, version 0.
    pub cursor: Option<Cursor<'a>>,
}

impl Default for DescribeTopicPartitionsRequest<'_> {
    fn default() -> Self {
        DescribeTopicPartitionsRequest { topics: Vec::new(), response_partition_limit: 2000, cursor: None }
    }
}

impl<'a> Message<'a> for DescribeTopicPartitionsRequest<'a> {
    const NAME: &'static str = "DescribeTopicPartitionsRequest";
    const API_KEY: Option<i16> = Some(75);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topics = d.array(true, |d| TopicRequest::decode(d, version))?;
        message.response_partition_limit = d.i32()?;
        message.cursor = if d.present()? { Some(Cursor::decode(d, version)?) } else { None };
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.i32(self.response_partition_limit);
        {
            e.present(self.cursor.is_some());
            if let Some(inner) = &self.cursor {
                inner.encode(e, version);
            }
        };
        e.no_tags();
    }
}

/// `TopicRequest` of [`DescribeTopicPartitionsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicRequest<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
}

impl<'a> TopicRequest<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.no_tags();
    }
}

/// `Cursor` of [`DescribeTopicPartitionsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cursor<'a> {
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
}

impl<'a> Cursor<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.partition_index = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic_name, true);
        e.i32(self.partition_index);
        e.no_tags();
    }
}
