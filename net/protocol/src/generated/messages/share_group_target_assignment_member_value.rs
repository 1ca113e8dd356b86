//! ShareGroupTargetAssignmentMemberValue, key 13. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareGroupTargetAssignmentMemberValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupTargetAssignmentMemberValue {
    /// `TopicPartitions`, version 0.
    pub topic_partitions: Vec<TopicPartition>,
}

impl<'a> Message<'a> for ShareGroupTargetAssignmentMemberValue {
    const NAME: &'static str = "ShareGroupTargetAssignmentMemberValue";
    const API_KEY: Option<i16> = Some(13);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topic_partitions = d.array(true, |d| TopicPartition::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.topic_partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicPartition` of [`ShareGroupTargetAssignmentMemberValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartition {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
}

impl TopicPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.topic_id);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
