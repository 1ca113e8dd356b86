//! CreateDelegationTokenRequest, key 38. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `CreateDelegationTokenRequest`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateDelegationTokenRequest<'a> {
    /// `OwnerPrincipalType`, version 3.
    pub owner_principal_type: Option<&'a str>,
    /// `OwnerPrincipalName`, version 3.
    pub owner_principal_name: Option<&'a str>,
    /// `Renewers`, versions 1–3.
    pub renewers: Vec<CreatableRenewers<'a>>,
    /// `MaxLifetimeMs`, versions 1–3.
    pub max_lifetime_ms: i64,
}

impl Default for CreateDelegationTokenRequest<'_> {
    fn default() -> Self {
        CreateDelegationTokenRequest {
            owner_principal_type: Some(""),
            owner_principal_name: Some(""),
            renewers: Vec::new(),
            max_lifetime_ms: 0,
        }
    }
}

impl<'a> Message<'a> for CreateDelegationTokenRequest<'a> {
    const NAME: &'static str = "CreateDelegationTokenRequest";
    const API_KEY: Option<i16> = Some(38);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        if version >= 3 {
            message.owner_principal_type = d.nullable_string(true)?;
            message.owner_principal_name = d.nullable_string(true)?;
        }
        message.renewers = d.array(flexible, |d| CreatableRenewers::decode(d, version))?;
        message.max_lifetime_ms = d.i64()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        if version >= 3 {
            e.nullable_string(self.owner_principal_type, true);
            e.nullable_string(self.owner_principal_name, true);
        }
        e.array(&self.renewers, flexible, |e, item| item.encode(e, version));
        e.i64(self.max_lifetime_ms);
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `CreatableRenewers` of [`CreateDelegationTokenRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreatableRenewers<'a> {
    /// `PrincipalType`, versions 1–3.
    pub principal_type: &'a str,
    /// `PrincipalName`, versions 1–3.
    pub principal_name: &'a str,
}

impl<'a> CreatableRenewers<'a> {
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
