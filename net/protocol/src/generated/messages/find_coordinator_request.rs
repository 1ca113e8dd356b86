//! FindCoordinatorRequest, key 10. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `FindCoordinatorRequest`, versions 0–6, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindCoordinatorRequest<'a> {
    /// `Key`, versions 0–3.
    pub key: &'a str,
    /// `KeyType`, versions 1–6.
    pub key_type: i8,
    /// `CoordinatorKeys`, versions 4–6.
    pub coordinator_keys: Vec<&'a str>,
}

impl<'a> Message<'a> for FindCoordinatorRequest<'a> {
    const NAME: &'static str = "FindCoordinatorRequest";
    const API_KEY: Option<i16> = Some(10);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=6;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        if version <= 3 {
            message.key = d.string(flexible)?;
        }
        if version >= 1 {
            message.key_type = d.i8()?;
        }
        if version >= 4 {
            message.coordinator_keys = d.array(true, |d| d.string(true))?;
        }
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        if version <= 3 {
            e.string(self.key, flexible);
        }
        if version >= 1 {
            e.i8(self.key_type);
        }
        if version >= 4 {
            e.array(&self.coordinator_keys, true, |e, item| e.string(item, true));
        }
        if version >= 3 {
            e.no_tags();
        }
    }
}
