//! AbortTransactionRecord, key 25. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AbortTransactionRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AbortTransactionRecord<'a> {
    /// `Reason`, version 0, tag 0.
    pub reason: Option<&'a str>,
}

impl<'a> Message<'a> for AbortTransactionRecord<'a> {
    const NAME: &'static str = "AbortTransactionRecord";
    const API_KEY: Option<i16> = Some(25);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        d.tags(|d, tag| {
            match tag {
                0 => message.reason = d.nullable_string(true)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        let mut tags = e.tags();
        if self.reason.is_some() {
            tags.put(e, 0, |e| e.nullable_string(self.reason, true));
        }
    }
}
