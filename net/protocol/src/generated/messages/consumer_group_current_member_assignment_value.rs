//! ConsumerGroupCurrentMemberAssignmentValue, key 8. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ConsumerGroupCurrentMemberAssignmentValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsumerGroupCurrentMemberAssignmentValue {
    /// `MemberEpoch`, version 0.
    pub member_epoch: i32,
    /// `PreviousMemberEpoch`, version 0.
    pub previous_member_epoch: i32,
    /// `State`, version 0.
    pub state: i8,
    /// `AssignedPartitions`, version 0.
    pub assigned_partitions: Vec<TopicPartitions>,
    /// `PartitionsPendingRevocation`, version 0.
    pub partitions_pending_revocation: Vec<TopicPartitions>,
}

impl<'a> Message<'a> for ConsumerGroupCurrentMemberAssignmentValue {
    const NAME: &'static str = "ConsumerGroupCurrentMemberAssignmentValue";
    const API_KEY: Option<i16> = Some(8);
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
        message.partitions_pending_revocation = d.array(true, |d| TopicPartitions::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.member_epoch);
        e.i32(self.previous_member_epoch);
        e.i8(self.state);
        e.array(&self.assigned_partitions, true, |e, item| item.encode(e, version));
        e.array(&self.partitions_pending_revocation, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicPartitions` of [`ConsumerGroupCurrentMemberAssignmentValue`].
#[derive(Debug, Clone, PartialEq)]
pub struct TopicPartitions {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
    /// `AssignmentEpochs`, version 0, tag 0.
    pub assignment_epochs: Option<Vec<i32>>,
}

impl Default for TopicPartitions {
    fn default() -> Self {
        TopicPartitions { topic_id: Uuid::ZERO, partitions: Vec::new(), assignment_epochs: Some(Vec::new()) }
    }
}

impl TopicPartitions {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.tags(|d, tag| {
            match tag {
                0 => message.assignment_epochs = d.nullable_array(true, Decoder::i32)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.topic_id);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        let mut tags = e.tags();
        if self.assignment_epochs.as_ref().is_none_or(|items| !items.is_empty()) {
            tags.put(e, 0, |e| {
                e.nullable_array(self.assignment_epochs.as_deref(), true, |e, item| e.i32(*item))
            });
        }
    }
}
