//! ApiVersionsRequest, key 18. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ApiVersionsRequest`, versions 0–4, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApiVersionsRequest<'a> {
    /// `ClientSoftwareName`, versions 3–4.
    pub client_software_name: &'a str,
    /// `ClientSoftwareVersion`, versions 3–4.
    pub client_software_version: &'a str,
}

impl<'a> Message<'a> for ApiVersionsRequest<'a> {
    const NAME: &'static str = "ApiVersionsRequest";
    const API_KEY: Option<i16> = Some(18);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        if version >= 3 {
            message.client_software_name = d.string(true)?;
            message.client_software_version = d.string(true)?;
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        if version >= 3 {
            e.string(self.client_software_name, true);
            e.string(self.client_software_version, true);
            e.no_tags();
        }
    }
}
