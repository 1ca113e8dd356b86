//! OffsetCommitRequest, key 8. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `OffsetCommitRequest`, versions 2–10, flexible from 8.
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetCommitRequest<'a> {
    /// `GroupId`, versions 2–10.
    pub group_id: &'a str,
    /// `GenerationIdOrMemberEpoch`, versions 2–10.
    pub generation_id_or_member_epoch: i32,
    /// `MemberId`, versions 2–10.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 7–10.
    pub group_instance_id: Option<&'a str>,
    /// `RetentionTimeMs`, versions 2–4.
    pub retention_time_ms: i64,
    /// `Topics`, versions 2–10.
    pub topics: Vec<OffsetCommitRequestTopic<'a>>,
}

impl Default for OffsetCommitRequest<'_> {
    fn default() -> Self {
        OffsetCommitRequest {
            group_id: "",
            generation_id_or_member_epoch: -1,
            member_id: "",
            group_instance_id: None,
            retention_time_ms: -1,
            topics: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for OffsetCommitRequest<'a> {
    const NAME: &'static str = "OffsetCommitRequest";
    const API_KEY: Option<i16> = Some(8);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=10;
    const FLEXIBLE_FROM: i16 = 8;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 8;
        let mut message = Self::default();
        message.group_id = d.string(flexible)?;
        message.generation_id_or_member_epoch = d.i32()?;
        message.member_id = d.string(flexible)?;
        if version >= 7 {
            message.group_instance_id = d.nullable_string(flexible)?;
        }
        if version <= 4 {
            message.retention_time_ms = d.i64()?;
        }
        message.topics = d.array(flexible, |d| OffsetCommitRequestTopic::decode(d, version))?;
        if version >= 8 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 8;
        e.string(self.group_id, flexible);
        e.i32(self.generation_id_or_member_epoch);
        e.string(self.member_id, flexible);
        if version >= 7 {
            e.nullable_string(self.group_instance_id, flexible);
        }
        if version <= 4 {
            e.i64(self.retention_time_ms);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 8 {
            e.no_tags();
        }
    }
}

/// `OffsetCommitRequestTopic` of [`OffsetCommitRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetCommitRequestTopic<'a> {
    /// `Name`, versions 2–9.
    pub name: &'a str,
    /// `TopicId`, version 10.
    pub topic_id: Uuid,
    /// `Partitions`, versions 2–10.
    pub partitions: Vec<OffsetCommitRequestPartition<'a>>,
}

impl<'a> OffsetCommitRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 8;
        let mut message = Self::default();
        if version <= 9 {
            message.name = d.string(flexible)?;
        }
        if version >= 10 {
            message.topic_id = d.uuid()?;
        }
        message.partitions = d.array(flexible, |d| OffsetCommitRequestPartition::decode(d, version))?;
        if version >= 8 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 8;
        if version <= 9 {
            e.string(self.name, flexible);
        }
        if version >= 10 {
            e.uuid(self.topic_id);
        }
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 8 {
            e.no_tags();
        }
    }
}

/// `OffsetCommitRequestPartition` of [`OffsetCommitRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetCommitRequestPartition<'a> {
    /// `PartitionIndex`, versions 2–10.
    pub partition_index: i32,
    /// `CommittedOffset`, versions 2–10.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`, versions 6–10.
    pub committed_leader_epoch: i32,
    /// `CommittedMetadata`, versions 2–10.
    pub committed_metadata: Option<&'a str>,
}

impl Default for OffsetCommitRequestPartition<'_> {
    fn default() -> Self {
        OffsetCommitRequestPartition {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            committed_metadata: Some(""),
        }
    }
}

impl<'a> OffsetCommitRequestPartition<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 8;
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.committed_offset = d.i64()?;
        if version >= 6 {
            message.committed_leader_epoch = d.i32()?;
        }
        message.committed_metadata = d.nullable_string(flexible)?;
        if version >= 8 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 8;
        e.i32(self.partition_index);
        e.i64(self.committed_offset);
        if version >= 6 {
            e.i32(self.committed_leader_epoch);
        }
        e.nullable_string(self.committed_metadata, flexible);
        if version >= 8 {
            e.no_tags();
        }
    }
}
