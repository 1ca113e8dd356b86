//! PartitionChangeRecord, key 5. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `PartitionChangeRecord`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionChangeRecord {
    /// `PartitionId`, versions 0–2.
    pub partition_id: i32,
    /// `TopicId`, versions 0–2.
    pub topic_id: Uuid,
    /// `Isr`, versions 0–2, tag 0.
    pub isr: Option<Vec<i32>>,
    /// `Leader`, versions 0–2, tag 1.
    pub leader: i32,
    /// `Replicas`, versions 0–2, tag 2.
    pub replicas: Option<Vec<i32>>,
    /// `RemovingReplicas`, versions 0–2, tag 3.
    pub removing_replicas: Option<Vec<i32>>,
    /// `AddingReplicas`, versions 0–2, tag 4.
    pub adding_replicas: Option<Vec<i32>>,
    /// `LeaderRecoveryState`, versions 0–2, tag 5.
    pub leader_recovery_state: i8,
    /// `Directories`, versions 1–2, tag 8.
    pub directories: Option<Vec<Uuid>>,
    /// `EligibleLeaderReplicas`, version 2, tag 6.
    pub eligible_leader_replicas: Option<Vec<i32>>,
    /// `LastKnownElr`, version 2, tag 7.
    pub last_known_elr: Option<Vec<i32>>,
}

impl Default for PartitionChangeRecord {
    fn default() -> Self {
        PartitionChangeRecord {
            partition_id: -1,
            topic_id: Uuid::ZERO,
            isr: None,
            leader: -2,
            replicas: None,
            removing_replicas: None,
            adding_replicas: None,
            leader_recovery_state: -1,
            directories: None,
            eligible_leader_replicas: None,
            last_known_elr: None,
        }
    }
}

impl<'a> Message<'a> for PartitionChangeRecord {
    const NAME: &'static str = "PartitionChangeRecord";
    const API_KEY: Option<i16> = Some(5);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.partition_id = d.i32()?;
        message.topic_id = d.uuid()?;
        d.tags(|d, tag| {
            match tag {
                0 => message.isr = d.nullable_array(true, Decoder::i32)?,
                1 => message.leader = d.i32()?,
                2 => message.replicas = d.nullable_array(true, Decoder::i32)?,
                3 => message.removing_replicas = d.nullable_array(true, Decoder::i32)?,
                4 => message.adding_replicas = d.nullable_array(true, Decoder::i32)?,
                5 => message.leader_recovery_state = d.i8()?,
                6 if version >= 2 => {
                    message.eligible_leader_replicas = d.nullable_array(true, Decoder::i32)?
                }
                7 if version >= 2 => message.last_known_elr = d.nullable_array(true, Decoder::i32)?,
                8 if version >= 1 => message.directories = d.nullable_array(true, Decoder::uuid)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_id);
        e.uuid(self.topic_id);
        let mut tags = e.tags();
        if self.isr.is_some() {
            tags.put(e, 0, |e| e.nullable_array(self.isr.as_deref(), true, |e, item| e.i32(*item)));
        }
        if self.leader != -2 {
            tags.put(e, 1, |e| e.i32(self.leader));
        }
        if self.replicas.is_some() {
            tags.put(e, 2, |e| e.nullable_array(self.replicas.as_deref(), true, |e, item| e.i32(*item)));
        }
        if self.removing_replicas.is_some() {
            tags.put(e, 3, |e| {
                e.nullable_array(self.removing_replicas.as_deref(), true, |e, item| e.i32(*item))
            });
        }
        if self.adding_replicas.is_some() {
            tags.put(e, 4, |e| {
                e.nullable_array(self.adding_replicas.as_deref(), true, |e, item| e.i32(*item))
            });
        }
        if self.leader_recovery_state != -1 {
            tags.put(e, 5, |e| e.i8(self.leader_recovery_state));
        }
        if version >= 2 && self.eligible_leader_replicas.is_some() {
            tags.put(e, 6, |e| {
                e.nullable_array(self.eligible_leader_replicas.as_deref(), true, |e, item| e.i32(*item))
            });
        }
        if version >= 2 && self.last_known_elr.is_some() {
            tags.put(e, 7, |e| {
                e.nullable_array(self.last_known_elr.as_deref(), true, |e, item| e.i32(*item))
            });
        }
        if version >= 1 && self.directories.is_some() {
            tags.put(e, 8, |e| e.nullable_array(self.directories.as_deref(), true, |e, item| e.uuid(*item)));
        }
    }
}
