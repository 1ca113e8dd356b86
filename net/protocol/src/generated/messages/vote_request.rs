//! VoteRequest, key 52. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `VoteRequest`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteRequest<'a> {
    /// `ClusterId`, versions 0–2.
    pub cluster_id: Option<&'a str>,
    /// `VoterId`, versions 1–2.
    pub voter_id: i32,
    /// `Topics`, versions 0–2.
    pub topics: Vec<TopicData<'a>>,
}

impl Default for VoteRequest<'_> {
    fn default() -> Self {
        VoteRequest { cluster_id: None, voter_id: -1, topics: Vec::new() }
    }
}

impl<'a> Message<'a> for VoteRequest<'a> {
    const NAME: &'static str = "VoteRequest";
    const API_KEY: Option<i16> = Some(52);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.cluster_id = d.nullable_string(true)?;
        if version >= 1 {
            message.voter_id = d.i32()?;
        }
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.nullable_string(self.cluster_id, true);
        if version >= 1 {
            e.i32(self.voter_id);
        }
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicData` of [`VoteRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData<'a> {
    /// `TopicName`, versions 0–2.
    pub topic_name: &'a str,
    /// `Partitions`, versions 0–2.
    pub partitions: Vec<PartitionData>,
}

impl<'a> TopicData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.partitions = d.array(true, |d| PartitionData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.topic_name, true);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `PartitionData` of [`VoteRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, versions 0–2.
    pub partition_index: i32,
    /// `ReplicaEpoch`, versions 0–2.
    pub replica_epoch: i32,
    /// `ReplicaId`, versions 0–2.
    pub replica_id: i32,
    /// `ReplicaDirectoryId`, versions 1–2.
    pub replica_directory_id: Uuid,
    /// `VoterDirectoryId`, versions 1–2.
    pub voter_directory_id: Uuid,
    /// `LastOffsetEpoch`, versions 0–2.
    pub last_offset_epoch: i32,
    /// `LastOffset`, versions 0–2.
    pub last_offset: i64,
    /// `PreVote`, version 2.
    pub pre_vote: bool,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.replica_epoch = d.i32()?;
        message.replica_id = d.i32()?;
        if version >= 1 {
            message.replica_directory_id = d.uuid()?;
            message.voter_directory_id = d.uuid()?;
        }
        message.last_offset_epoch = d.i32()?;
        message.last_offset = d.i64()?;
        if version >= 2 {
            message.pre_vote = d.bool()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i32(self.replica_epoch);
        e.i32(self.replica_id);
        if version >= 1 {
            e.uuid(self.replica_directory_id);
            e.uuid(self.voter_directory_id);
        }
        e.i32(self.last_offset_epoch);
        e.i64(self.last_offset);
        if version >= 2 {
            e.bool(self.pre_vote);
        }
        e.no_tags();
    }
}
