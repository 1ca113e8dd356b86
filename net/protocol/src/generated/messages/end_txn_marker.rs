//! EndTxnMarker. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `EndTxnMarker`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EndTxnMarker {
    /// `CoordinatorEpoch`, version 0.
    pub coordinator_epoch: i32,
}

impl<'a> Message<'a> for EndTxnMarker {
    const NAME: &'static str = "EndTxnMarker";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.coordinator_epoch = d.i32()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.coordinator_epoch);
    }
}
