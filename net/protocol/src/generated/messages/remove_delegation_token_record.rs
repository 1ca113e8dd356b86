//! RemoveDelegationTokenRecord, key 26. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `RemoveDelegationTokenRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoveDelegationTokenRecord<'a> {
    /// `TokenId`, version 0.
    pub token_id: &'a str,
}

impl<'a> Message<'a> for RemoveDelegationTokenRecord<'a> {
    const NAME: &'static str = "RemoveDelegationTokenRecord";
    const API_KEY: Option<i16> = Some(26);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.token_id = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.token_id, true);
        e.no_tags();
    }
}
