//! DeleteTopicsRequest, key 20. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `DeleteTopicsRequest`, versions 1–6, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteTopicsRequest<'a> {
    /// `Topics`, version 6.
    pub topics: Vec<DeleteTopicState<'a>>,
    /// `TopicNames`, versions 1–5.
    pub topic_names: Vec<&'a str>,
    /// `TimeoutMs`, versions 1–6.
    pub timeout_ms: i32,
}

impl<'a> Message<'a> for DeleteTopicsRequest<'a> {
    const NAME: &'static str = "DeleteTopicsRequest";
    const API_KEY: Option<i16> = Some(20);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=6;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        if version >= 6 {
            message.topics = d.array(true, |d| DeleteTopicState::decode(d, version))?;
        }
        if version <= 5 {
            message.topic_names = d.array(flexible, |d| d.string(flexible))?;
        }
        message.timeout_ms = d.i32()?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        if version >= 6 {
            e.array(&self.topics, true, |e, item| item.encode(e, version));
        }
        if version <= 5 {
            e.array(&self.topic_names, flexible, |e, item| e.string(item, flexible));
        }
        e.i32(self.timeout_ms);
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `DeleteTopicState` of [`DeleteTopicsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteTopicState<'a> {
    /// `Name`, version 6.
    pub name: Option<&'a str>,
    /// `TopicId`, version 6.
    pub topic_id: Uuid,
}

impl<'a> DeleteTopicState<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.nullable_string(true)?;
        message.topic_id = d.uuid()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.nullable_string(self.name, true);
        e.uuid(self.topic_id);
        e.no_tags();
    }
}
