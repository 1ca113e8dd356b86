//! RemoveUserScramCredentialRecord, key 22. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `RemoveUserScramCredentialRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoveUserScramCredentialRecord<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Mechanism`, version 0.
    pub mechanism: i8,
}

impl<'a> Message<'a> for RemoveUserScramCredentialRecord<'a> {
    const NAME: &'static str = "RemoveUserScramCredentialRecord";
    const API_KEY: Option<i16> = Some(22);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.mechanism = d.i8()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i8(self.mechanism);
        e.no_tags();
    }
}
