//! ShareGroupMetadataValue, key 11. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ShareGroupMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupMetadataValue {
    /// `Epoch`, version 0.
    pub epoch: i32,
    /// `MetadataHash`, version 0.
    pub metadata_hash: i64,
}

impl<'a> Message<'a> for ShareGroupMetadataValue {
    const NAME: &'static str = "ShareGroupMetadataValue";
    const API_KEY: Option<i16> = Some(11);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.epoch = d.i32()?;
        message.metadata_hash = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.epoch);
        e.i64(self.metadata_hash);
        e.no_tags();
    }
}
