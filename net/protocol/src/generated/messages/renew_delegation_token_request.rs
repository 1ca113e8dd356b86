//! RenewDelegationTokenRequest, key 39. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `RenewDelegationTokenRequest`, versions 1–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RenewDelegationTokenRequest<'a> {
    /// `Hmac`, versions 1–2.
    pub hmac: &'a [u8],
    /// `RenewPeriodMs`, versions 1–2.
    pub renew_period_ms: i64,
}

impl<'a> Message<'a> for RenewDelegationTokenRequest<'a> {
    const NAME: &'static str = "RenewDelegationTokenRequest";
    const API_KEY: Option<i16> = Some(39);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.hmac = d.bytes(flexible)?;
        message.renew_period_ms = d.i64()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.bytes(self.hmac, flexible);
        e.i64(self.renew_period_ms);
        if version >= 2 {
            e.no_tags();
        }
    }
}
