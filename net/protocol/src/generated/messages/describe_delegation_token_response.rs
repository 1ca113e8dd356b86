//! DescribeDelegationTokenResponse, key 41. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeDelegationTokenResponse`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeDelegationTokenResponse<'a> {
    /// `ErrorCode`, versions 1–3.
    pub error_code: i16,
    /// `Tokens`, versions 1–3.
    pub tokens: Vec<DescribedDelegationToken<'a>>,
    /// `ThrottleTimeMs`, versions 1–3.
    pub throttle_time_ms: i32,
}

impl<'a> Message<'a> for DescribeDelegationTokenResponse<'a> {
    const NAME: &'static str = "DescribeDelegationTokenResponse";
    const API_KEY: Option<i16> = Some(41);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.tokens = d.array(flexible, |d| DescribedDelegationToken::decode(d, version))?;
        message.throttle_time_ms = d.i32()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i16(self.error_code);
        e.array(&self.tokens, flexible, |e, item| item.encode(e, version));
        e.i32(self.throttle_time_ms);
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `DescribedDelegationToken` of [`DescribeDelegationTokenResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribedDelegationToken<'a> {
    /// `PrincipalType`, versions 1–3.
    pub principal_type: &'a str,
    /// `PrincipalName`, versions 1–3.
    pub principal_name: &'a str,
    /// `TokenRequesterPrincipalType`, version 3.
    pub token_requester_principal_type: &'a str,
    /// `TokenRequesterPrincipalName`, version 3.
    pub token_requester_principal_name: &'a str,
    /// `IssueTimestamp`, versions 1–3.
    pub issue_timestamp: i64,
    /// `ExpiryTimestamp`, versions 1–3.
    pub expiry_timestamp: i64,
    /// `MaxTimestamp`, versions 1–3.
    pub max_timestamp: i64,
    /// `TokenId`, versions 1–3.
    pub token_id: &'a str,
    /// `Hmac`, versions 1–3.
    pub hmac: &'a [u8],
    /// `Renewers`, versions 1–3.
    pub renewers: Vec<DescribedDelegationTokenRenewer<'a>>,
}

impl<'a> DescribedDelegationToken<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.principal_type = d.string(flexible)?;
        message.principal_name = d.string(flexible)?;
        if version >= 3 {
            message.token_requester_principal_type = d.string(true)?;
            message.token_requester_principal_name = d.string(true)?;
        }
        message.issue_timestamp = d.i64()?;
        message.expiry_timestamp = d.i64()?;
        message.max_timestamp = d.i64()?;
        message.token_id = d.string(flexible)?;
        message.hmac = d.bytes(flexible)?;
        message.renewers = d.array(flexible, |d| DescribedDelegationTokenRenewer::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.principal_type, flexible);
        e.string(self.principal_name, flexible);
        if version >= 3 {
            e.string(self.token_requester_principal_type, true);
            e.string(self.token_requester_principal_name, true);
        }
        e.i64(self.issue_timestamp);
        e.i64(self.expiry_timestamp);
        e.i64(self.max_timestamp);
        e.string(self.token_id, flexible);
        e.bytes(self.hmac, flexible);
        e.array(&self.renewers, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `DescribedDelegationTokenRenewer` of [`DescribeDelegationTokenResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribedDelegationTokenRenewer<'a> {
    /// `PrincipalType`, versions 1–3.
    pub principal_type: &'a str,
    /// `PrincipalName`, versions 1–3.
    pub principal_name: &'a str,
}

impl<'a> DescribedDelegationTokenRenewer<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.principal_type = d.string(flexible)?;
        message.principal_name = d.string(flexible)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.principal_type, flexible);
        e.string(self.principal_name, flexible);
        if version >= 2 {
            e.no_tags();
        }
    }
}
