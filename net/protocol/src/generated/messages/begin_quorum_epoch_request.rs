//! BeginQuorumEpochRequest, key 53. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `BeginQuorumEpochRequest`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct BeginQuorumEpochRequest<'a> {
    /// `ClusterId`, versions 0–1.
    pub cluster_id: Option<&'a str>,
    /// `VoterId`, version 1.
    pub voter_id: i32,
    /// `Topics`, versions 0–1.
    pub topics: Vec<TopicData<'a>>,
    /// `LeaderEndpoints`, version 1.
    pub leader_endpoints: Vec<LeaderEndpoint<'a>>,
}

impl Default for BeginQuorumEpochRequest<'_> {
    fn default() -> Self {
        BeginQuorumEpochRequest {
            cluster_id: None,
            voter_id: -1,
            topics: Vec::new(),
            leader_endpoints: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for BeginQuorumEpochRequest<'a> {
    const NAME: &'static str = "BeginQuorumEpochRequest";
    const API_KEY: Option<i16> = Some(53);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.cluster_id = d.nullable_string(flexible)?;
        if version >= 1 {
            message.voter_id = d.i32()?;
        }
        message.topics = d.array(flexible, |d| TopicData::decode(d, version))?;
        if version >= 1 {
            message.leader_endpoints = d.array(true, |d| LeaderEndpoint::decode(d, version))?;
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.nullable_string(self.cluster_id, flexible);
        if version >= 1 {
            e.i32(self.voter_id);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.array(&self.leader_endpoints, true, |e, item| item.encode(e, version));
            e.no_tags();
        }
    }
}

/// `TopicData` of [`BeginQuorumEpochRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData<'a> {
    /// `TopicName`, versions 0–1.
    pub topic_name: &'a str,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<PartitionData>,
}

impl<'a> TopicData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.topic_name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| PartitionData::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.string(self.topic_name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `PartitionData` of [`BeginQuorumEpochRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, versions 0–1.
    pub partition_index: i32,
    /// `VoterDirectoryId`, version 1.
    pub voter_directory_id: Uuid,
    /// `LeaderId`, versions 0–1.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 0–1.
    pub leader_epoch: i32,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        if version >= 1 {
            message.voter_directory_id = d.uuid()?;
        }
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        if version >= 1 {
            e.uuid(self.voter_directory_id);
        }
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `LeaderEndpoint` of [`BeginQuorumEpochRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeaderEndpoint<'a> {
    /// `Name`, version 1.
    pub name: &'a str,
    /// `Host`, version 1.
    pub host: &'a str,
    /// `Port`, version 1.
    pub port: u16,
}

impl<'a> LeaderEndpoint<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.host = d.string(true)?;
        message.port = d.u16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.string(self.host, true);
        e.u16(self.port);
        e.no_tags();
    }
}
