//! EnvelopeRequest, key 58. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `EnvelopeRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct EnvelopeRequest<'a> {
    /// `RequestData`, version 0.
    pub request_data: &'a [u8],
    /// `RequestPrincipal`, version 0.
    pub request_principal: Option<&'a [u8]>,
    /// `ClientHostAddress`, version 0.
    pub client_host_address: &'a [u8],
}

impl Default for EnvelopeRequest<'_> {
    fn default() -> Self {
        EnvelopeRequest { request_data: &[], request_principal: Some(&[]), client_host_address: &[] }
    }
}

impl<'a> Message<'a> for EnvelopeRequest<'a> {
    const NAME: &'static str = "EnvelopeRequest";
    const API_KEY: Option<i16> = Some(58);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.request_data = d.bytes(true)?;
        message.request_principal = d.nullable_bytes(true)?;
        message.client_host_address = d.bytes(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.bytes(self.request_data, true);
        e.nullable_bytes(self.request_principal, true);
        e.bytes(self.client_host_address, true);
        e.no_tags();
    }
}
