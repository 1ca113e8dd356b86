//! SaslAuthenticateResponse, key 36. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `SaslAuthenticateResponse`, versions 0–2, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct SaslAuthenticateResponse<'a> {
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–2.
    pub error_message: Option<&'a str>,
    /// `AuthBytes`, versions 0–2.
    pub auth_bytes: &'a [u8],
    /// `SessionLifetimeMs`, versions 1–2.
    pub session_lifetime_ms: i64,
}

impl Default for SaslAuthenticateResponse<'_> {
    fn default() -> Self {
        SaslAuthenticateResponse {
            error_code: 0,
            error_message: Some(""),
            auth_bytes: &[],
            session_lifetime_ms: 0,
        }
    }
}

impl<'a> Message<'a> for SaslAuthenticateResponse<'a> {
    const NAME: &'static str = "SaslAuthenticateResponse";
    const API_KEY: Option<i16> = Some(36);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.auth_bytes = d.bytes(flexible)?;
        if version >= 1 {
            message.session_lifetime_ms = d.i64()?;
        }
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.bytes(self.auth_bytes, flexible);
        if version >= 1 {
            e.i64(self.session_lifetime_ms);
        }
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
