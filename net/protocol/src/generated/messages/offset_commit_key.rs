//! OffsetCommitKey, key 1. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `OffsetCommitKey`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetCommitKey<'a> {
    /// `group`, version 0.
    pub group: &'a str,
    /// `topic`, version 0.
    pub topic: &'a str,
    /// `partition`, version 0.
    pub partition: i32,
}

impl<'a> Message<'a> for OffsetCommitKey<'a> {
    const NAME: &'static str = "OffsetCommitKey";
    const API_KEY: Option<i16> = Some(1);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group = d.string(false)?;
        message.topic = d.string(false)?;
        message.partition = d.i32()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.group, false);
        e.string(self.topic, false);
        e.i32(self.partition);
    }
}
