//! UnregisterBrokerRequest, key 64. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `UnregisterBrokerRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnregisterBrokerRequest {
    /// `BrokerId`, version 0.
    pub broker_id: i32,
}

impl<'a> Message<'a> for UnregisterBrokerRequest {
    const NAME: &'static str = "UnregisterBrokerRequest";
    const API_KEY: Option<i16> = Some(64);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.broker_id);
        e.no_tags();
    }
}
