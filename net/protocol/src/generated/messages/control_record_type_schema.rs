//! ControlRecordTypeSchema. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ControlRecordTypeSchema`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ControlRecordTypeSchema {
    /// `Type`, version 0.
    pub r#type: i16,
}

impl<'a> Message<'a> for ControlRecordTypeSchema {
    const NAME: &'static str = "ControlRecordTypeSchema";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.r#type = d.i16()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i16(self.r#type);
    }
}
