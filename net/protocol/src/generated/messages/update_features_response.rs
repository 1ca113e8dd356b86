//! UpdateFeaturesResponse, key 57. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `UpdateFeaturesResponse`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateFeaturesResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–2.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–2.
    pub error_message: Option<&'a str>,
    /// `Results`, versions 0–1.
    pub results: Vec<UpdatableFeatureResult<'a>>,
}

impl Default for UpdateFeaturesResponse<'_> {
    fn default() -> Self {
        UpdateFeaturesResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(""),
            results: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for UpdateFeaturesResponse<'a> {
    const NAME: &'static str = "UpdateFeaturesResponse";
    const API_KEY: Option<i16> = Some(57);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        if version <= 1 {
            message.results = d.array(true, |d| UpdatableFeatureResult::decode(d, version))?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        if version <= 1 {
            e.array(&self.results, true, |e, item| item.encode(e, version));
        }
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `UpdatableFeatureResult` of [`UpdateFeaturesResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatableFeatureResult<'a> {
    /// `Feature`, versions 0–1.
    pub feature: &'a str,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
}

impl Default for UpdatableFeatureResult<'_> {
    fn default() -> Self {
        UpdatableFeatureResult { feature: "", error_code: 0, error_message: Some("") }
    }
}

impl<'a> UpdatableFeatureResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.feature = d.string(true)?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.feature, true);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
