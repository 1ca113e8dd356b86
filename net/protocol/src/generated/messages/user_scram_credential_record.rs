//! UserScramCredentialRecord, key 11. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `UserScramCredentialRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserScramCredentialRecord<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Mechanism`, version 0.
    pub mechanism: i8,
    /// `Salt`, version 0.
    pub salt: &'a [u8],
    /// `StoredKey`, version 0.
    pub stored_key: &'a [u8],
    /// `ServerKey`, version 0.
    pub server_key: &'a [u8],
    /// `Iterations`, version 0.
    pub iterations: i32,
}

impl<'a> Message<'a> for UserScramCredentialRecord<'a> {
    const NAME: &'static str = "UserScramCredentialRecord";
    const API_KEY: Option<i16> = Some(11);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.mechanism = d.i8()?;
        message.salt = d.bytes(true)?;
        message.stored_key = d.bytes(true)?;
        message.server_key = d.bytes(true)?;
        message.iterations = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i8(self.mechanism);
        e.bytes(self.salt, true);
        e.bytes(self.stored_key, true);
        e.bytes(self.server_key, true);
        e.i32(self.iterations);
        e.no_tags();
    }
}
