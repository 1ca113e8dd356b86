//! SaslHandshakeRequest, key 17. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `SaslHandshakeRequest`, versions 0–1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SaslHandshakeRequest<'a> {
    /// `Mechanism`, versions 0–1.
    pub mechanism: &'a str,
}

impl<'a> Message<'a> for SaslHandshakeRequest<'a> {
    const NAME: &'static str = "SaslHandshakeRequest";
    const API_KEY: Option<i16> = Some(17);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.mechanism = d.string(false)?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.mechanism, false);
    }
}
