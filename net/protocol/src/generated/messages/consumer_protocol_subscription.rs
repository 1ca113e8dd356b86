//! ConsumerProtocolSubscription. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ConsumerProtocolSubscription`, versions 0–3.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsumerProtocolSubscription<'a> {
    /// `Topics`, versions 0–3.
    pub topics: Vec<&'a str>,
    /// `UserData`, versions 0–3.
    pub user_data: Option<&'a [u8]>,
    /// `OwnedPartitions`, versions 1–3.
    pub owned_partitions: Vec<TopicPartition<'a>>,
    /// `GenerationId`, versions 2–3.
    pub generation_id: i32,
    /// `RackId`, version 3.
    pub rack_id: Option<&'a str>,
}

impl Default for ConsumerProtocolSubscription<'_> {
    fn default() -> Self {
        ConsumerProtocolSubscription {
            topics: Vec::new(),
            user_data: None,
            owned_partitions: Vec::new(),
            generation_id: -1,
            rack_id: None,
        }
    }
}

impl<'a> Message<'a> for ConsumerProtocolSubscription<'a> {
    const NAME: &'static str = "ConsumerProtocolSubscription";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=3;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topics = d.array(false, |d| d.string(false))?;
        message.user_data = d.nullable_bytes(false)?;
        if version >= 1 {
            message.owned_partitions = d.array(false, |d| TopicPartition::decode(d, version))?;
        }
        if version >= 2 {
            message.generation_id = d.i32()?;
        }
        if version >= 3 {
            message.rack_id = d.nullable_string(false)?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.topics, false, |e, item| e.string(item, false));
        e.nullable_bytes(self.user_data, false);
        if version >= 1 {
            e.array(&self.owned_partitions, false, |e, item| item.encode(e, version));
        }
        if version >= 2 {
            e.i32(self.generation_id);
        }
        if version >= 3 {
            e.nullable_string(self.rack_id, false);
        }
    }
}

/// `TopicPartition` of [`ConsumerProtocolSubscription`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartition<'a> {
    /// `Topic`, versions 1–3.
    pub topic: &'a str,
    /// `Partitions`, versions 1–3.
    pub partitions: Vec<i32>,
}

impl<'a> TopicPartition<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic = d.string(false)?;
        message.partitions = d.array(false, Decoder::i32)?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic, false);
        e.array(&self.partitions, false, |e, item| e.i32(*item));
    }
}
