//! PartitionRecord, key 3. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `PartitionRecord`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionRecord {
    /// `PartitionId`, versions 0–2.
    pub partition_id: i32,
    /// `TopicId`, versions 0–2.
    pub topic_id: Uuid,
    /// `Replicas`, versions 0–2.
    pub replicas: Vec<i32>,
    /// `Isr`, versions 0–2.
    pub isr: Vec<i32>,
    /// `RemovingReplicas`, versions 0–2.
    pub removing_replicas: Vec<i32>,
    /// `AddingReplicas`, versions 0–2.
    pub adding_replicas: Vec<i32>,
    /// `Leader`, versions 0–2.
    pub leader: i32,
    /// `LeaderRecoveryState`, versions 0–2, tag 0.
    pub leader_recovery_state: i8,
    /// `LeaderEpoch`, versions 0–2.
    pub leader_epoch: i32,
    /// `PartitionEpoch`, versions 0–2.
    pub partition_epoch: i32,
    /// `Directories`, versions 1–2.
    pub directories: Vec<Uuid>,
    /// `EligibleLeaderReplicas`, version 2, tag 1.
    pub eligible_leader_replicas: Option<Vec<i32>>,
    /// `LastKnownElr`, version 2, tag 2.
    pub last_known_elr: Option<Vec<i32>>,
}

impl Default for PartitionRecord {
    fn default() -> Self {
        PartitionRecord {
            partition_id: -1,
            topic_id: Uuid::ZERO,
            replicas: Vec::new(),
            isr: Vec::new(),
            removing_replicas: Vec::new(),
            adding_replicas: Vec::new(),
            leader: -1,
            leader_recovery_state: 0,
            leader_epoch: -1,
            partition_epoch: -1,
            directories: Vec::new(),
            eligible_leader_replicas: None,
            last_known_elr: None,
        }
    }
}

impl<'a> Message<'a> for PartitionRecord {
    const NAME: &'static str = "PartitionRecord";
    const API_KEY: Option<i16> = Some(3);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.partition_id = d.i32()?;
        message.topic_id = d.uuid()?;
        message.replicas = d.array(true, Decoder::i32)?;
        message.isr = d.array(true, Decoder::i32)?;
        message.removing_replicas = d.array(true, Decoder::i32)?;
        message.adding_replicas = d.array(true, Decoder::i32)?;
        message.leader = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.partition_epoch = d.i32()?;
        if version >= 1 {
            message.directories = d.array(true, Decoder::uuid)?;
        }
        d.tags(|d, tag| {
            match tag {
                0 => message.leader_recovery_state = d.i8()?,
                1 if version >= 2 => {
                    message.eligible_leader_replicas = d.nullable_array(true, Decoder::i32)?
                }
                2 if version >= 2 => message.last_known_elr = d.nullable_array(true, Decoder::i32)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_id);
        e.uuid(self.topic_id);
        e.array(&self.replicas, true, |e, item| e.i32(*item));
        e.array(&self.isr, true, |e, item| e.i32(*item));
        e.array(&self.removing_replicas, true, |e, item| e.i32(*item));
        e.array(&self.adding_replicas, true, |e, item| e.i32(*item));
        e.i32(self.leader);
        e.i32(self.leader_epoch);
        e.i32(self.partition_epoch);
        if version >= 1 {
            e.array(&self.directories, true, |e, item| e.uuid(*item));
        }
        let mut tags = e.tags();
        if self.leader_recovery_state != 0 {
            tags.put(e, 0, |e| e.i8(self.leader_recovery_state));
        }
        if version >= 2 && self.eligible_leader_replicas.is_some() {
            tags.put(e, 1, |e| {
                e.nullable_array(self.eligible_leader_replicas.as_deref(), true, |e, item| e.i32(*item))
            });
        }
        if version >= 2 && self.last_known_elr.is_some() {
            tags.put(e, 2, |e| {
                e.nullable_array(self.last_known_elr.as_deref(), true, |e, item| e.i32(*item))
            });
        }
    }
}
