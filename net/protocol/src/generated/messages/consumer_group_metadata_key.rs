//! ConsumerGroupMetadataKey, key 3. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ConsumerGroupMetadataKey`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsumerGroupMetadataKey<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
}

impl<'a> Message<'a> for ConsumerGroupMetadataKey<'a> {
    const NAME: &'static str = "ConsumerGroupMetadataKey";
    const API_KEY: Option<i16> = Some(3);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(false)?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.group_id, false);
    }
}
