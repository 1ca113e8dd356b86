//! TopicRecord, key 2. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `TopicRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicRecord<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
}

impl<'a> Message<'a> for TopicRecord<'a> {
    const NAME: &'static str = "TopicRecord";
    const API_KEY: Option<i16> = Some(2);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.topic_id = d.uuid()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.uuid(self.topic_id);
        e.no_tags();
    }
}
