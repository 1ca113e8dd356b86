//! DescribeDelegationTokenRequest, key 41. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeDelegationTokenRequest`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeDelegationTokenRequest<'a> {
    /// `Owners`, versions 1–3.
    pub owners: Option<Vec<DescribeDelegationTokenOwner<'a>>>,
}

impl Default for DescribeDelegationTokenRequest<'_> {
    fn default() -> Self {
        DescribeDelegationTokenRequest { owners: Some(Vec::new()) }
    }
}

impl<'a> Message<'a> for DescribeDelegationTokenRequest<'a> {
    const NAME: &'static str = "DescribeDelegationTokenRequest";
    const API_KEY: Option<i16> = Some(41);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.owners = d.nullable_array(flexible, |d| DescribeDelegationTokenOwner::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.nullable_array(self.owners.as_deref(), flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `DescribeDelegationTokenOwner` of [`DescribeDelegationTokenRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeDelegationTokenOwner<'a> {
    /// `PrincipalType`, versions 1–3.
    pub principal_type: &'a str,
    /// `PrincipalName`, versions 1–3.
    pub principal_name: &'a str,
}

impl<'a> DescribeDelegationTokenOwner<'a> {
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
