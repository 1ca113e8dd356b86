//! StreamsGroupTargetAssignmentMemberValue, key 21. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupTargetAssignmentMemberValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamsGroupTargetAssignmentMemberValue<'a> {
    /// `ActiveTasks`, version 0.
    pub active_tasks: Vec<TaskIds<'a>>,
    /// `StandbyTasks`, version 0.
    pub standby_tasks: Vec<TaskIds<'a>>,
    /// `WarmupTasks`, version 0.
    pub warmup_tasks: Vec<TaskIds<'a>>,
}

impl<'a> Message<'a> for StreamsGroupTargetAssignmentMemberValue<'a> {
    const NAME: &'static str = "StreamsGroupTargetAssignmentMemberValue";
    const API_KEY: Option<i16> = Some(21);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.active_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        message.standby_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        message.warmup_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.active_tasks, true, |e, item| item.encode(e, version));
        e.array(&self.standby_tasks, true, |e, item| item.encode(e, version));
        e.array(&self.warmup_tasks, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TaskIds` of [`StreamsGroupTargetAssignmentMemberValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskIds<'a> {
    /// `SubtopologyId`, version 0.
    pub subtopology_id: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
}

impl<'a> TaskIds<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.subtopology_id = d.string(true)?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.subtopology_id, true);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
