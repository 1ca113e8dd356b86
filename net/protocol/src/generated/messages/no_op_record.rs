//! NoOpRecord, key 20. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `NoOpRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NoOpRecord {}

impl<'a> Message<'a> for NoOpRecord {
    const NAME: &'static str = "NoOpRecord";
    const API_KEY: Option<i16> = Some(20);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        d.skip_tags()?;
        Ok(NoOpRecord {})
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.no_tags();
    }
}
