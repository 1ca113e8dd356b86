//! DeleteShareGroupOffsetsRequest, key 92. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DeleteShareGroupOffsetsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteShareGroupOffsetsRequest<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `Topics`, version 0.
    pub topics: Vec<DeleteShareGroupOffsetsRequestTopic<'a>>,
}

impl<'a> Message<'a> for DeleteShareGroupOffsetsRequest<'a> {
    const NAME: &'static str = "DeleteShareGroupOffsetsRequest";
    const API_KEY: Option<i16> = Some(92);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics = d.array(true, |d| DeleteShareGroupOffsetsRequestTopic::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `DeleteShareGroupOffsetsRequestTopic` of [`DeleteShareGroupOffsetsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteShareGroupOffsetsRequestTopic<'a> {
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
}

impl<'a> DeleteShareGroupOffsetsRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic_name, true);
        e.no_tags();
    }
}
