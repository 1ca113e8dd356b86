//! SaslAuthenticateRequest, key 36. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `SaslAuthenticateRequest`, versions 0–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SaslAuthenticateRequest<'a> {
    /// `AuthBytes`, versions 0–2.
    pub auth_bytes: &'a [u8],
}

impl<'a> Message<'a> for SaslAuthenticateRequest<'a> {
    const NAME: &'static str = "SaslAuthenticateRequest";
    const API_KEY: Option<i16> = Some(36);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.auth_bytes = d.bytes(flexible)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.bytes(self.auth_bytes, flexible);
        if version >= 2 {
            e.no_tags();
        }
    }
}
