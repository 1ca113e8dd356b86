//! DescribeUserScramCredentialsResponse, key 50. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeUserScramCredentialsResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeUserScramCredentialsResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `Results`, version 0.
    pub results: Vec<DescribeUserScramCredentialsResult<'a>>,
}

impl Default for DescribeUserScramCredentialsResponse<'_> {
    fn default() -> Self {
        DescribeUserScramCredentialsResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(""),
            results: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for DescribeUserScramCredentialsResponse<'a> {
    const NAME: &'static str = "DescribeUserScramCredentialsResponse";
    const API_KEY: Option<i16> = Some(50);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.results = d.array(true, |d| DescribeUserScramCredentialsResult::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.array(&self.results, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `DescribeUserScramCredentialsResult` of [`DescribeUserScramCredentialsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeUserScramCredentialsResult<'a> {
    /// `User`, version 0.
    pub user: &'a str,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `CredentialInfos`, version 0.
    pub credential_infos: Vec<CredentialInfo>,
}

impl Default for DescribeUserScramCredentialsResult<'_> {
    fn default() -> Self {
        DescribeUserScramCredentialsResult {
            user: "",
            error_code: 0,
            error_message: Some(""),
            credential_infos: Vec::new(),
        }
    }
}

impl<'a> DescribeUserScramCredentialsResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.user = d.string(true)?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.credential_infos = d.array(true, |d| CredentialInfo::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.user, true);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.array(&self.credential_infos, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `CredentialInfo` of [`DescribeUserScramCredentialsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CredentialInfo {
    /// `Mechanism`, version 0.
    pub mechanism: i8,
    /// `Iterations`, version 0.
    pub iterations: i32,
}

impl CredentialInfo {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.mechanism = d.i8()?;
        message.iterations = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i8(self.mechanism);
        e.i32(self.iterations);
        e.no_tags();
    }
}
