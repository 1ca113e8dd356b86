//! CreateAclsResponse, key 30. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `CreateAclsResponse`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateAclsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–3.
    pub throttle_time_ms: i32,
    /// `Results`, versions 1–3.
    pub results: Vec<AclCreationResult<'a>>,
}

impl<'a> Message<'a> for CreateAclsResponse<'a> {
    const NAME: &'static str = "CreateAclsResponse";
    const API_KEY: Option<i16> = Some(30);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.results = d.array(flexible, |d| AclCreationResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.throttle_time_ms);
        e.array(&self.results, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `AclCreationResult` of [`CreateAclsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct AclCreationResult<'a> {
    /// `ErrorCode`, versions 1–3.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–3.
    pub error_message: Option<&'a str>,
}

impl Default for AclCreationResult<'_> {
    fn default() -> Self {
        AclCreationResult { error_code: 0, error_message: Some("") }
    }
}

impl<'a> AclCreationResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        if version >= 2 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
