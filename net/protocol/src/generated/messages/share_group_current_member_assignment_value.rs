//! ShareGroupCurrentMemberAssignmentValue, key 14. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareGroupCurrentMemberAssignmentValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupCurrentMemberAssignmentValue {
    /// `MemberEpoch`, version 0.
    pub member_epoch: i32,
    /// `PreviousMemberEpoch`, version 0.
    pub previous_member_epoch: i32,
    /// `State`, version 0.
    pub state: i8,
    /// `AssignedPartitions`, version 0.
    pub assigned_partitions: Vec<TopicPartitions>,
}

impl<'a> Message<'a> for ShareGroupCurrentMemberAssignmentValue {
    const NAME: &'static str = "ShareGroupCurrentMemberAssignmentValue";
    const API_KEY: Option<i16> = Some(14);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.member_epoch = d.i32()?;
        message.previous_member_epoch = d.i32()?;
        message.state = d.i8()?;
        message.assigned_partitions = d.array(true, |d| TopicPartitions::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.member_epoch);
        e.i32(self.previous_member_epoch);
        e.i8(self.state);
        e.array(&self.assigned_partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicPartitions` of [`ShareGroupCurrentMemberAssignmentValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartitions {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
}

impl TopicPartitions {
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
