//! VoteResponse, key 52. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `VoteResponse`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VoteResponse<'a> {
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `Topics`, versions 0–2.
    pub topics: Vec<TopicData<'a>>,
    /// `NodeEndpoints`, versions 1–2, tag 0.
    pub node_endpoints: Vec<NodeEndpoint<'a>>,
}

impl<'a> Message<'a> for VoteResponse<'a> {
    const NAME: &'static str = "VoteResponse";
    const API_KEY: Option<i16> = Some(52);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        d.tags(|d, tag| {
            match tag {
                0 if version >= 1 => {
                    message.node_endpoints = d.array(true, |d| NodeEndpoint::decode(d, version))?
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        let mut tags = e.tags();
        if version >= 1 && !self.node_endpoints.is_empty() {
            tags.put(e, 0, |e| e.array(&self.node_endpoints, true, |e, item| item.encode(e, version)));
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `TopicData` of [`VoteResponse`].
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

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `PartitionData` of [`VoteResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, versions 0–2.
    pub partition_index: i32,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `LeaderId`, versions 0–2.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 0–2.
    pub leader_epoch: i32,
    /// `VoteGranted`, versions 0–2.
    pub vote_granted: bool,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.vote_granted = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        e.bool(self.vote_granted);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `NodeEndpoint` of [`VoteResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeEndpoint<'a> {
    /// `NodeId`, versions 1–2.
    pub node_id: i32,
    /// `Host`, versions 1–2.
    pub host: &'a str,
    /// `Port`, versions 1–2.
    pub port: u16,
}

impl<'a> NodeEndpoint<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.node_id = d.i32()?;
        message.host = d.string(true)?;
        message.port = d.u16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.node_id);
        e.string(self.host, true);
        e.u16(self.port);
        e.no_tags();
    }
}
