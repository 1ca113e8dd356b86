//! AssignReplicasToDirsRequest, key 73. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `AssignReplicasToDirsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct AssignReplicasToDirsRequest {
    /// `BrokerId`, version 0.
    pub broker_id: i32,
    /// `BrokerEpoch`, version 0.
    pub broker_epoch: i64,
    /// `Directories`, version 0.
    pub directories: Vec<DirectoryData>,
}

impl Default for AssignReplicasToDirsRequest {
    fn default() -> Self {
        AssignReplicasToDirsRequest { broker_id: 0, broker_epoch: -1, directories: Vec::new() }
    }
}

impl<'a> Message<'a> for AssignReplicasToDirsRequest {
    const NAME: &'static str = "AssignReplicasToDirsRequest";
    const API_KEY: Option<i16> = Some(73);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.broker_epoch = d.i64()?;
        message.directories = d.array(true, |d| DirectoryData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.broker_id);
        e.i64(self.broker_epoch);
        e.array(&self.directories, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `DirectoryData` of [`AssignReplicasToDirsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DirectoryData {
    /// `Id`, version 0.
    pub id: Uuid,
    /// `Topics`, version 0.
    pub topics: Vec<TopicData>,
}

impl DirectoryData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.id = d.uuid()?;
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.uuid(self.id);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicData` of [`AssignReplicasToDirsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `Partitions`, version 0.
    pub partitions: Vec<PartitionData>,
}

impl TopicData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, |d| PartitionData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.uuid(self.topic_id);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `PartitionData` of [`AssignReplicasToDirsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.no_tags();
    }
}
