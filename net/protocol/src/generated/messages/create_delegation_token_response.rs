//! CreateDelegationTokenResponse, key 38. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `CreateDelegationTokenResponse`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateDelegationTokenResponse<'a> {
    /// `ErrorCode`, versions 1–3.
    pub error_code: i16,
    /// `PrincipalType`, versions 1–3.
    pub principal_type: &'a str,
    /// `PrincipalName`, versions 1–3.
    pub principal_name: &'a str,
    /// `TokenRequesterPrincipalType`, version 3.
    pub token_requester_principal_type: &'a str,
    /// `TokenRequesterPrincipalName`, version 3.
    pub token_requester_principal_name: &'a str,
    /// `IssueTimestampMs`, versions 1–3.
    pub issue_timestamp_ms: i64,
    /// `ExpiryTimestampMs`, versions 1–3.
    pub expiry_timestamp_ms: i64,
    /// `MaxTimestampMs`, versions 1–3.
    pub max_timestamp_ms: i64,
    /// `TokenId`, versions 1–3.
    pub token_id: &'a str,
    /// `Hmac`, versions 1–3.
    pub hmac: &'a [u8],
    /// `ThrottleTimeMs`, versions 1–3.
    pub throttle_time_ms: i32,
}

impl<'a> Message<'a> for CreateDelegationTokenResponse<'a> {
    const NAME: &'static str = "CreateDelegationTokenResponse";
    const API_KEY: Option<i16> = Some(38);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.principal_type = d.string(flexible)?;
        message.principal_name = d.string(flexible)?;
        if version >= 3 {
            message.token_requester_principal_type = d.string(true)?;
            message.token_requester_principal_name = d.string(true)?;
        }
        message.issue_timestamp_ms = d.i64()?;
        message.expiry_timestamp_ms = d.i64()?;
        message.max_timestamp_ms = d.i64()?;
        message.token_id = d.string(flexible)?;
        message.hmac = d.bytes(flexible)?;
        message.throttle_time_ms = d.i32()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i16(self.error_code);
        e.string(self.principal_type, flexible);
        e.string(self.principal_name, flexible);
        if version >= 3 {
            e.string(self.token_requester_principal_type, true);
            e.string(self.token_requester_principal_name, true);
        }
        e.i64(self.issue_timestamp_ms);
        e.i64(self.expiry_timestamp_ms);
        e.i64(self.max_timestamp_ms);
        e.string(self.token_id, flexible);
        e.bytes(self.hmac, flexible);
        e.i32(self.throttle_time_ms);
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
