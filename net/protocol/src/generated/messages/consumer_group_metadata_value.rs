//! ConsumerGroupMetadataValue, key 3. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ConsumerGroupMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsumerGroupMetadataValue {
    /// `Epoch`, version 0.
    pub epoch: i32,
    /// `MetadataHash`, version 0, tag 0.
    pub metadata_hash: i64,
}

impl<'a> Message<'a> for ConsumerGroupMetadataValue {
    const NAME: &'static str = "ConsumerGroupMetadataValue";
    const API_KEY: Option<i16> = Some(3);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.epoch = d.i32()?;
        d.tags(|d, tag| {
            match tag {
                0 => message.metadata_hash = d.i64()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.epoch);
        let mut tags = e.tags();
        if self.metadata_hash != 0 {
            tags.put(e, 0, |e| e.i64(self.metadata_hash));
        }
    }
}
