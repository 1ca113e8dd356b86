//! FeatureLevelRecord, key 12. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `FeatureLevelRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeatureLevelRecord<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `FeatureLevel`, version 0.
    pub feature_level: i16,
}

impl<'a> Message<'a> for FeatureLevelRecord<'a> {
    const NAME: &'static str = "FeatureLevelRecord";
    const API_KEY: Option<i16> = Some(12);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.feature_level = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i16(self.feature_level);
        e.no_tags();
    }
}
