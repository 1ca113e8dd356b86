//! FenceBrokerRecord, key 7. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `FenceBrokerRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FenceBrokerRecord {
    /// `Id`, version 0.
    pub id: i32,
    /// `Epoch`, version 0.
    pub epoch: i64,
}

impl<'a> Message<'a> for FenceBrokerRecord {
    const NAME: &'static str = "FenceBrokerRecord";
    const API_KEY: Option<i16> = Some(7);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.id = d.i32()?;
        message.epoch = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.id);
        e.i64(self.epoch);
        e.no_tags();
    }
}
