//! AllocateProducerIdsRequest, key 67. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AllocateProducerIdsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct AllocateProducerIdsRequest {
    /// `BrokerId`, version 0.
    pub broker_id: i32,
    /// `BrokerEpoch`, version 0.
    pub broker_epoch: i64,
}

impl Default for AllocateProducerIdsRequest {
    fn default() -> Self {
        AllocateProducerIdsRequest { broker_id: 0, broker_epoch: -1 }
    }
}

impl<'a> Message<'a> for AllocateProducerIdsRequest {
    const NAME: &'static str = "AllocateProducerIdsRequest";
    const API_KEY: Option<i16> = Some(67);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.broker_epoch = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.broker_id);
        e.i64(self.broker_epoch);
        e.no_tags();
    }
}
