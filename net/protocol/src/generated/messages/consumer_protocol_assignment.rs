//! ConsumerProtocolAssignment. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ConsumerProtocolAssignment`, versions 0–3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsumerProtocolAssignment<'a> {
    /// `AssignedPartitions`, versions 0–3.
    pub assigned_partitions: Vec<TopicPartition<'a>>,
    /// `UserData`, versions 0–3.
    pub user_data: Option<&'a [u8]>,
}

impl<'a> Message<'a> for ConsumerProtocolAssignment<'a> {
    const NAME: &'static str = "ConsumerProtocolAssignment";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=3;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.assigned_partitions = d.array(false, |d| TopicPartition::decode(d, version))?;
        message.user_data = d.nullable_bytes(false)?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.assigned_partitions, false, |e, item| item.encode(e, version));
        e.nullable_bytes(self.user_data, false);
    }
}

/// `TopicPartition` of [`ConsumerProtocolAssignment`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartition<'a> {
    /// `Topic`, versions 0–3.
    pub topic: &'a str,
    /// `Partitions`, versions 0–3.
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
