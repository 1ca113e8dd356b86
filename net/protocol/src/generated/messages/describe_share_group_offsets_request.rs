//! DescribeShareGroupOffsetsRequest, key 90. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeShareGroupOffsetsRequest`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeShareGroupOffsetsRequest<'a> {
    /// `Groups`, versions 0–1.
    pub groups: Vec<DescribeShareGroupOffsetsRequestGroup<'a>>,
}

impl<'a> Message<'a> for DescribeShareGroupOffsetsRequest<'a> {
    const NAME: &'static str = "DescribeShareGroupOffsetsRequest";
    const API_KEY: Option<i16> = Some(90);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.groups = d.array(true, |d| DescribeShareGroupOffsetsRequestGroup::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.groups, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `DescribeShareGroupOffsetsRequestGroup` of [`DescribeShareGroupOffsetsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeShareGroupOffsetsRequestGroup<'a> {
    /// `GroupId`, versions 0–1.
    pub group_id: &'a str,
    /// `Topics`, versions 0–1.
    pub topics: Option<Vec<DescribeShareGroupOffsetsRequestTopic<'a>>>,
}

impl Default for DescribeShareGroupOffsetsRequestGroup<'_> {
    fn default() -> Self {
        DescribeShareGroupOffsetsRequestGroup { group_id: "", topics: Some(Vec::new()) }
    }
}

impl<'a> DescribeShareGroupOffsetsRequestGroup<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics =
            d.nullable_array(true, |d| DescribeShareGroupOffsetsRequestTopic::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.nullable_array(self.topics.as_deref(), true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `DescribeShareGroupOffsetsRequestTopic` of [`DescribeShareGroupOffsetsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeShareGroupOffsetsRequestTopic<'a> {
    /// `TopicName`, versions 0–1.
    pub topic_name: &'a str,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<i32>,
}

impl<'a> DescribeShareGroupOffsetsRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic_name, true);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
