//! ShareUpdateKey, key 1. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareUpdateKey`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareUpdateKey<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partition`, version 0.
    pub partition: i32,
}

impl<'a> Message<'a> for ShareUpdateKey<'a> {
    const NAME: &'static str = "ShareUpdateKey";
    const API_KEY: Option<i16> = Some(1);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(false)?;
        message.topic_id = d.uuid()?;
        message.partition = d.i32()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.group_id, false);
        e.uuid(self.topic_id);
        e.i32(self.partition);
    }
}
