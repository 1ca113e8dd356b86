//! BeginQuorumEpochResponse, key 53. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `BeginQuorumEpochResponse`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeginQuorumEpochResponse<'a> {
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `Topics`, versions 0–1.
    pub topics: Vec<TopicData<'a>>,
    /// `NodeEndpoints`, version 1, tag 0.
    pub node_endpoints: Vec<NodeEndpoint<'a>>,
}

impl<'a> Message<'a> for BeginQuorumEpochResponse<'a> {
    const NAME: &'static str = "BeginQuorumEpochResponse";
    const API_KEY: Option<i16> = Some(53);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.topics = d.array(flexible, |d| TopicData::decode(d, version))?;
        if version >= 1 {
            d.tags(|d, tag| {
                match tag {
                    0 => message.node_endpoints = d.array(true, |d| NodeEndpoint::decode(d, version))?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i16(self.error_code);
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            let mut tags = e.tags();
            if !self.node_endpoints.is_empty() {
                tags.put(e, 0, |e| e.array(&self.node_endpoints, true, |e, item| item.encode(e, version)));
            }
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `TopicData` of [`BeginQuorumEpochResponse`].
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

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `PartitionData` of [`BeginQuorumEpochResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, versions 0–1.
    pub partition_index: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
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
        message.error_code = d.i16()?;
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
        e.i16(self.error_code);
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        if version >= 1 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `NodeEndpoint` of [`BeginQuorumEpochResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeEndpoint<'a> {
    /// `NodeId`, version 1.
    pub node_id: i32,
    /// `Host`, version 1.
    pub host: &'a str,
    /// `Port`, version 1.
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
