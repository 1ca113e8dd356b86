//! ShareGroupStatePartitionMetadataKey, key 15. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ShareGroupStatePartitionMetadataKey`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupStatePartitionMetadataKey<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
}

impl<'a> Message<'a> for ShareGroupStatePartitionMetadataKey<'a> {
    const NAME: &'static str = "ShareGroupStatePartitionMetadataKey";
    const API_KEY: Option<i16> = Some(15);
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
