//! DescribeLogDirsRequest, key 35. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeLogDirsRequest`, versions 1–5, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeLogDirsRequest<'a> {
    /// `Topics`, versions 1–5.
    pub topics: Option<Vec<DescribableLogDirTopic<'a>>>,
}

impl Default for DescribeLogDirsRequest<'_> {
    fn default() -> Self {
        DescribeLogDirsRequest { topics: Some(Vec::new()) }
    }
}

impl<'a> Message<'a> for DescribeLogDirsRequest<'a> {
    const NAME: &'static str = "DescribeLogDirsRequest";
    const API_KEY: Option<i16> = Some(35);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=5;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.topics = d.nullable_array(flexible, |d| DescribableLogDirTopic::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.nullable_array(self.topics.as_deref(), flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `DescribableLogDirTopic` of [`DescribeLogDirsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribableLogDirTopic<'a> {
    /// `Topic`, versions 1–5.
    pub topic: &'a str,
    /// `Partitions`, versions 1–5.
    pub partitions: Vec<i32>,
}

impl<'a> DescribableLogDirTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.topic = d.string(flexible)?;
        message.partitions = d.array(flexible, Decoder::i32)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.topic, flexible);
        e.array(&self.partitions, flexible, |e, item| e.i32(*item));
        if version >= 2 {
            e.no_tags();
        }
    }
}
