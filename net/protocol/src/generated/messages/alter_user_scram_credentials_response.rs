//! AlterUserScramCredentialsResponse, key 51. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterUserScramCredentialsResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterUserScramCredentialsResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `Results`, version 0.
    pub results: Vec<AlterUserScramCredentialsResult<'a>>,
}

impl<'a> Message<'a> for AlterUserScramCredentialsResponse<'a> {
    const NAME: &'static str = "AlterUserScramCredentialsResponse";
    const API_KEY: Option<i16> = Some(51);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.results = d.array(true, |d| AlterUserScramCredentialsResult::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.array(&self.results, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `AlterUserScramCredentialsResult` of [`AlterUserScramCredentialsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct AlterUserScramCredentialsResult<'a> {
    /// `User`, version 0.
    pub user: &'a str,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
}

impl Default for AlterUserScramCredentialsResult<'_> {
    fn default() -> Self {
        AlterUserScramCredentialsResult { user: "", error_code: 0, error_message: Some("") }
    }
}

impl<'a> AlterUserScramCredentialsResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.user = d.string(true)?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.user, true);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
