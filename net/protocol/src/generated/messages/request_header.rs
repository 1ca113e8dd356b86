//! RequestHeader. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `RequestHeader`, versions 1–2, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestHeader<'a> {
    /// `RequestApiKey`, versions 1–2.
    pub request_api_key: i16,
    /// `RequestApiVersion`, versions 1–2.
    pub request_api_version: i16,
    /// `CorrelationId`, versions 1–2.
    pub correlation_id: i32,
    /// `ClientId`, versions 1–2.
    pub client_id: Option<&'a str>,
}

impl Default for RequestHeader<'_> {
    fn default() -> Self {
        RequestHeader { request_api_key: 0, request_api_version: 0, correlation_id: 0, client_id: Some("") }
    }
}

impl<'a> Message<'a> for RequestHeader<'a> {
    const NAME: &'static str = "RequestHeader";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.request_api_key = d.i16()?;
        message.request_api_version = d.i16()?;
        message.correlation_id = d.i32()?;
        message.client_id = d.nullable_string(false)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.request_api_key);
        e.i16(self.request_api_version);
        e.i32(self.correlation_id);
        e.nullable_string(self.client_id, false);
        if version >= 2 {
            e.no_tags();
        }
    }
}
