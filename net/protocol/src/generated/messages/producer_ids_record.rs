//! ProducerIdsRecord, key 15. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ProducerIdsRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ProducerIdsRecord {
    /// `BrokerId`, version 0.
    pub broker_id: i32,
    /// `BrokerEpoch`, version 0.
    pub broker_epoch: i64,
    /// `NextProducerId`, version 0.
    pub next_producer_id: i64,
}

impl Default for ProducerIdsRecord {
    fn default() -> Self {
        ProducerIdsRecord { broker_id: 0, broker_epoch: -1, next_producer_id: 0 }
    }
}

impl<'a> Message<'a> for ProducerIdsRecord {
    const NAME: &'static str = "ProducerIdsRecord";
    const API_KEY: Option<i16> = Some(15);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.broker_epoch = d.i64()?;
        message.next_producer_id = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.broker_id);
        e.i64(self.broker_epoch);
        e.i64(self.next_producer_id);
        e.no_tags();
    }
}
