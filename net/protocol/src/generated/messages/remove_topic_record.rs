//! RemoveTopicRecord, key 9. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `RemoveTopicRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoveTopicRecord {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
}

impl<'a> Message<'a> for RemoveTopicRecord {
    const NAME: &'static str = "RemoveTopicRecord";
    const API_KEY: Option<i16> = Some(9);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.topic_id);
        e.no_tags();
    }
}
