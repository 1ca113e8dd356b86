//! ElectLeadersRequest, key 43. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ElectLeadersRequest`, versions 0–2, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct ElectLeadersRequest<'a> {
    /// `ElectionType`, versions 1–2.
    pub election_type: i8,
    /// `TopicPartitions`, versions 0–2.
    pub topic_partitions: Option<Vec<TopicPartitions<'a>>>,
    /// `TimeoutMs`, versions 0–2.
    pub timeout_ms: i32,
}

impl Default for ElectLeadersRequest<'_> {
    fn default() -> Self {
        ElectLeadersRequest { election_type: 0, topic_partitions: Some(Vec::new()), timeout_ms: 60000 }
    }
}

impl<'a> Message<'a> for ElectLeadersRequest<'a> {
    const NAME: &'static str = "ElectLeadersRequest";
    const API_KEY: Option<i16> = Some(43);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        if version >= 1 {
            message.election_type = d.i8()?;
        }
        message.topic_partitions = d.nullable_array(flexible, |d| TopicPartitions::decode(d, version))?;
        message.timeout_ms = d.i32()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        if version >= 1 {
            e.i8(self.election_type);
        }
        e.nullable_array(self.topic_partitions.as_deref(), flexible, |e, item| item.encode(e, version));
        e.i32(self.timeout_ms);
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `TopicPartitions` of [`ElectLeadersRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartitions<'a> {
    /// `Topic`, versions 0–2.
    pub topic: &'a str,
    /// `Partitions`, versions 0–2.
    pub partitions: Vec<i32>,
}

impl<'a> TopicPartitions<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.topic = d.string(flexible)?;
        message.partitions = d.array(flexible, Decoder::i32)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.topic, flexible);
        e.array(&self.partitions, flexible, |e, item| e.i32(*item));
        if version >= 2 {
            e.no_tags();
        }
    }
}
