//! DefaultPrincipalData. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DefaultPrincipalData`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DefaultPrincipalData<'a> {
    /// `Type`, version 0.
    pub r#type: &'a str,
    /// `Name`, version 0.
    pub name: &'a str,
    /// `TokenAuthenticated`, version 0.
    pub token_authenticated: bool,
}

impl<'a> Message<'a> for DefaultPrincipalData<'a> {
    const NAME: &'static str = "DefaultPrincipalData";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.r#type = d.string(true)?;
        message.name = d.string(true)?;
        message.token_authenticated = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.r#type, true);
        e.string(self.name, true);
        e.bool(self.token_authenticated);
        e.no_tags();
    }
}
