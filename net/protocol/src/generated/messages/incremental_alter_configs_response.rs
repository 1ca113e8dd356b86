//! IncrementalAlterConfigsResponse, key 44. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `IncrementalAlterConfigsResponse`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IncrementalAlterConfigsResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–1.
    pub throttle_time_ms: i32,
    /// `Responses`, versions 0–1.
    pub responses: Vec<AlterConfigsResourceResponse<'a>>,
}

impl<'a> Message<'a> for IncrementalAlterConfigsResponse<'a> {
    const NAME: &'static str = "IncrementalAlterConfigsResponse";
    const API_KEY: Option<i16> = Some(44);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.responses = d.array(flexible, |d| AlterConfigsResourceResponse::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i32(self.throttle_time_ms);
        e.array(&self.responses, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.responses {
            one.each_error(on);
        }
    }
}

/// `AlterConfigsResourceResponse` of [`IncrementalAlterConfigsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct AlterConfigsResourceResponse<'a> {
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
    /// `ResourceType`, versions 0–1.
    pub resource_type: i8,
    /// `ResourceName`, versions 0–1.
    pub resource_name: &'a str,
}

impl Default for AlterConfigsResourceResponse<'_> {
    fn default() -> Self {
        AlterConfigsResourceResponse {
            error_code: 0,
            error_message: Some(""),
            resource_type: 0,
            resource_name: "",
        }
    }
}

impl<'a> AlterConfigsResourceResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.resource_type = d.i8()?;
        message.resource_name = d.string(flexible)?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.i8(self.resource_type);
        e.string(self.resource_name, flexible);
        if version >= 1 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
