//! TxnOffsetCommitRequest, key 28. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `TxnOffsetCommitRequest`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, PartialEq)]
pub struct TxnOffsetCommitRequest<'a> {
    /// `TransactionalId`, versions 0–5.
    pub transactional_id: &'a str,
    /// `GroupId`, versions 0–5.
    pub group_id: &'a str,
    /// `ProducerId`, versions 0–5.
    pub producer_id: i64,
    /// `ProducerEpoch`, versions 0–5.
    pub producer_epoch: i16,
    /// `GenerationId`, versions 3–5.
    pub generation_id: i32,
    /// `MemberId`, versions 3–5.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 3–5.
    pub group_instance_id: Option<&'a str>,
    /// `Topics`, versions 0–5.
    pub topics: Vec<TxnOffsetCommitRequestTopic<'a>>,
}

impl Default for TxnOffsetCommitRequest<'_> {
    fn default() -> Self {
        TxnOffsetCommitRequest {
            transactional_id: "",
            group_id: "",
            producer_id: 0,
            producer_epoch: 0,
            generation_id: -1,
            member_id: "",
            group_instance_id: None,
            topics: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for TxnOffsetCommitRequest<'a> {
    const NAME: &'static str = "TxnOffsetCommitRequest";
    const API_KEY: Option<i16> = Some(28);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        message.transactional_id = d.string(flexible)?;
        message.group_id = d.string(flexible)?;
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i16()?;
        if version >= 3 {
            message.generation_id = d.i32()?;
            message.member_id = d.string(true)?;
            message.group_instance_id = d.nullable_string(true)?;
        }
        message.topics = d.array(flexible, |d| TxnOffsetCommitRequestTopic::decode(d, version))?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.string(self.transactional_id, flexible);
        e.string(self.group_id, flexible);
        e.i64(self.producer_id);
        e.i16(self.producer_epoch);
        if version >= 3 {
            e.i32(self.generation_id);
            e.string(self.member_id, true);
            e.nullable_string(self.group_instance_id, true);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
            e.no_tags();
        }
    }
}

/// `TxnOffsetCommitRequestTopic` of [`TxnOffsetCommitRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TxnOffsetCommitRequestTopic<'a> {
    /// `Name`, versions 0–5.
    pub name: &'a str,
    /// `Partitions`, versions 0–5.
    pub partitions: Vec<TxnOffsetCommitRequestPartition<'a>>,
}

impl<'a> TxnOffsetCommitRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 3;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| TxnOffsetCommitRequestPartition::decode(d, version))?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
            e.no_tags();
        }
    }
}

/// `TxnOffsetCommitRequestPartition` of [`TxnOffsetCommitRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct TxnOffsetCommitRequestPartition<'a> {
    /// `PartitionIndex`, versions 0–5.
    pub partition_index: i32,
    /// `CommittedOffset`, versions 0–5.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`, versions 2–5.
    pub committed_leader_epoch: i32,
    /// `CommittedMetadata`, versions 0–5.
    pub committed_metadata: Option<&'a str>,
}

impl Default for TxnOffsetCommitRequestPartition<'_> {
    fn default() -> Self {
        TxnOffsetCommitRequestPartition {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            committed_metadata: Some(""),
        }
    }
}

impl<'a> TxnOffsetCommitRequestPartition<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 3;
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.committed_offset = d.i64()?;
        if version >= 2 {
            message.committed_leader_epoch = d.i32()?;
        }
        message.committed_metadata = d.nullable_string(flexible)?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.i32(self.partition_index);
        e.i64(self.committed_offset);
        if version >= 2 {
            e.i32(self.committed_leader_epoch);
        }
        e.nullable_string(self.committed_metadata, flexible);
        if version >= 3 {
            e.no_tags();
        }
    }
}
