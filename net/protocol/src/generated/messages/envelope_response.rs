//! EnvelopeResponse, key 58. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `EnvelopeResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EnvelopeResponse<'a> {
    /// `ResponseData`, version 0.
    pub response_data: Option<&'a [u8]>,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
}

impl<'a> Message<'a> for EnvelopeResponse<'a> {
    const NAME: &'static str = "EnvelopeResponse";
    const API_KEY: Option<i16> = Some(58);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.response_data = d.nullable_bytes(true)?;
        message.error_code = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.nullable_bytes(self.response_data, true);
        e.i16(self.error_code);
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
