//! StreamsGroupCurrentMemberAssignmentValue, key 22. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupCurrentMemberAssignmentValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamsGroupCurrentMemberAssignmentValue<'a> {
    /// `MemberEpoch`, version 0.
    pub member_epoch: i32,
    /// `PreviousMemberEpoch`, version 0.
    pub previous_member_epoch: i32,
    /// `State`, version 0.
    pub state: i8,
    /// `ActiveTasks`, version 0.
    pub active_tasks: Vec<TaskIds<'a>>,
    /// `StandbyTasks`, version 0.
    pub standby_tasks: Vec<TaskIds<'a>>,
    /// `WarmupTasks`, version 0.
    pub warmup_tasks: Vec<TaskIds<'a>>,
    /// `ActiveTasksPendingRevocation`, version 0.
    pub active_tasks_pending_revocation: Vec<TaskIds<'a>>,
    /// `StandbyTasksPendingRevocation`, version 0.
    pub standby_tasks_pending_revocation: Vec<TaskIds<'a>>,
    /// `WarmupTasksPendingRevocation`, version 0.
    pub warmup_tasks_pending_revocation: Vec<TaskIds<'a>>,
}

impl<'a> Message<'a> for StreamsGroupCurrentMemberAssignmentValue<'a> {
    const NAME: &'static str = "StreamsGroupCurrentMemberAssignmentValue";
    const API_KEY: Option<i16> = Some(22);
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
        message.active_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        message.standby_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        message.warmup_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        message.active_tasks_pending_revocation = d.array(true, |d| TaskIds::decode(d, version))?;
        message.standby_tasks_pending_revocation = d.array(true, |d| TaskIds::decode(d, version))?;
        message.warmup_tasks_pending_revocation = d.array(true, |d| TaskIds::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.member_epoch);
        e.i32(self.previous_member_epoch);
        e.i8(self.state);
        e.array(&self.active_tasks, true, |e, item| item.encode(e, version));
        e.array(&self.standby_tasks, true, |e, item| item.encode(e, version));
        e.array(&self.warmup_tasks, true, |e, item| item.encode(e, version));
        e.array(&self.active_tasks_pending_revocation, true, |e, item| item.encode(e, version));
        e.array(&self.standby_tasks_pending_revocation, true, |e, item| item.encode(e, version));
        e.array(&self.warmup_tasks_pending_revocation, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TaskIds` of [`StreamsGroupCurrentMemberAssignmentValue`].
#[derive(Debug, Clone, PartialEq)]
pub struct TaskIds<'a> {
    /// `SubtopologyId`, version 0.
    pub subtopology_id: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
    /// `AssignmentEpochs`, version 0, tag 0.
    pub assignment_epochs: Option<Vec<i32>>,
}

impl Default for TaskIds<'_> {
    fn default() -> Self {
        TaskIds { subtopology_id: "", partitions: Vec::new(), assignment_epochs: Some(Vec::new()) }
    }
}

impl<'a> TaskIds<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.subtopology_id = d.string(true)?;
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
        e.string(self.subtopology_id, true);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        let mut tags = e.tags();
        if self.assignment_epochs.as_ref().is_none_or(|items| !items.is_empty()) {
            tags.put(e, 0, |e| {
                e.nullable_array(self.assignment_epochs.as_deref(), true, |e, item| e.i32(*item))
            });
        }
    }
}
