//! ClearElrRecord, key 28. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ClearElrRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClearElrRecord<'a> {
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
}

impl<'a> Message<'a> for ClearElrRecord<'a> {
    const NAME: &'static str = "ClearElrRecord";
    const API_KEY: Option<i16> = Some(28);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic_name, true);
        e.no_tags();
    }
}
