//! AlterUserScramCredentialsRequest, key 51. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterUserScramCredentialsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterUserScramCredentialsRequest<'a> {
    /// `Deletions`, version 0.
    pub deletions: Vec<ScramCredentialDeletion<'a>>,
    /// `Upsertions`, version 0.
    pub upsertions: Vec<ScramCredentialUpsertion<'a>>,
}

impl<'a> Message<'a> for AlterUserScramCredentialsRequest<'a> {
    const NAME: &'static str = "AlterUserScramCredentialsRequest";
    const API_KEY: Option<i16> = Some(51);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.deletions = d.array(true, |d| ScramCredentialDeletion::decode(d, version))?;
        message.upsertions = d.array(true, |d| ScramCredentialUpsertion::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.deletions, true, |e, item| item.encode(e, version));
        e.array(&self.upsertions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `ScramCredentialDeletion` of [`AlterUserScramCredentialsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScramCredentialDeletion<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Mechanism`, version 0.
    pub mechanism: i8,
}

impl<'a> ScramCredentialDeletion<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.mechanism = d.i8()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i8(self.mechanism);
        e.no_tags();
    }
}

/// `ScramCredentialUpsertion` of [`AlterUserScramCredentialsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScramCredentialUpsertion<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Mechanism`, version 0.
    pub mechanism: i8,
    /// `Iterations`, version 0.
    pub iterations: i32,
    /// `Salt`, version 0.
    pub salt: &'a [u8],
    /// `SaltedPassword`, version 0.
    pub salted_password: &'a [u8],
}

impl<'a> ScramCredentialUpsertion<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.mechanism = d.i8()?;
        message.iterations = d.i32()?;
        message.salt = d.bytes(true)?;
        message.salted_password = d.bytes(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i8(self.mechanism);
        e.i32(self.iterations);
        e.bytes(self.salt, true);
        e.bytes(self.salted_password, true);
        e.no_tags();
    }
}
