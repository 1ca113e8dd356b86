//! SaslHandshakeResponse, key 17. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `SaslHandshakeResponse`, versions 0–1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SaslHandshakeResponse<'a> {
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `Mechanisms`, versions 0–1.
    pub mechanisms: Vec<&'a str>,
}

impl<'a> Message<'a> for SaslHandshakeResponse<'a> {
    const NAME: &'static str = "SaslHandshakeResponse";
    const API_KEY: Option<i16> = Some(17);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.mechanisms = d.array(false, |d| d.string(false))?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i16(self.error_code);
        e.array(&self.mechanisms, false, |e, item| e.string(item, false));
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
