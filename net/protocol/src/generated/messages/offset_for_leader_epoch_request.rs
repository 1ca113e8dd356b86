//! OffsetForLeaderEpochRequest, key 23. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `OffsetForLeaderEpochRequest`, versions 2–4, flexible from 4.
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetForLeaderEpochRequest<'a> {
    /// `ReplicaId`, versions 3–4.
    pub replica_id: i32,
    /// `Topics`, versions 2–4.
    pub topics: Vec<OffsetForLeaderTopic<'a>>,
}

impl Default for OffsetForLeaderEpochRequest<'_> {
    fn default() -> Self {
        OffsetForLeaderEpochRequest { replica_id: -2, topics: Vec::new() }
    }
}

impl<'a> Message<'a> for OffsetForLeaderEpochRequest<'a> {
    const NAME: &'static str = "OffsetForLeaderEpochRequest";
    const API_KEY: Option<i16> = Some(23);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        if version >= 3 {
            message.replica_id = d.i32()?;
        }
        message.topics = d.array(flexible, |d| OffsetForLeaderTopic::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        if version >= 3 {
            e.i32(self.replica_id);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `OffsetForLeaderTopic` of [`OffsetForLeaderEpochRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetForLeaderTopic<'a> {
    /// `Topic`, versions 2–4.
    pub topic: &'a str,
    /// `Partitions`, versions 2–4.
    pub partitions: Vec<OffsetForLeaderPartition>,
}

impl<'a> OffsetForLeaderTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.topic = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| OffsetForLeaderPartition::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.topic, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `OffsetForLeaderPartition` of [`OffsetForLeaderEpochRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetForLeaderPartition {
    /// `Partition`, versions 2–4.
    pub partition: i32,
    /// `CurrentLeaderEpoch`, versions 2–4.
    pub current_leader_epoch: i32,
    /// `LeaderEpoch`, versions 2–4.
    pub leader_epoch: i32,
}

impl Default for OffsetForLeaderPartition {
    fn default() -> Self {
        OffsetForLeaderPartition { partition: 0, current_leader_epoch: -1, leader_epoch: 0 }
    }
}

impl OffsetForLeaderPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.current_leader_epoch = d.i32()?;
        message.leader_epoch = d.i32()?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition);
        e.i32(self.current_leader_epoch);
        e.i32(self.leader_epoch);
        if version >= 4 {
            e.no_tags();
        }
    }
}
