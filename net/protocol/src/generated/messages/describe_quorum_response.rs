//! DescribeQuorumResponse, key 55. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `DescribeQuorumResponse`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeQuorumResponse<'a> {
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `ErrorMessage`, version 2.
    pub error_message: Option<&'a str>,
    /// `Topics`, versions 0–2.
    pub topics: Vec<TopicData<'a>>,
    /// `Nodes`, version 2.
    pub nodes: Vec<Node<'a>>,
}

impl Default for DescribeQuorumResponse<'_> {
    fn default() -> Self {
        DescribeQuorumResponse {
            error_code: 0,
            error_message: Some(""),
            topics: Vec::new(),
            nodes: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for DescribeQuorumResponse<'a> {
    const NAME: &'static str = "DescribeQuorumResponse";
    const API_KEY: Option<i16> = Some(55);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.error_code = d.i16()?;
        if version >= 2 {
            message.error_message = d.nullable_string(true)?;
        }
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        if version >= 2 {
            message.nodes = d.array(true, |d| Node::decode(d, version))?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        if version >= 2 {
            e.nullable_string(self.error_message, true);
        }
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        if version >= 2 {
            e.array(&self.nodes, true, |e, item| item.encode(e, version));
        }
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `TopicData` of [`DescribeQuorumResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData<'a> {
    /// `TopicName`, versions 0–2.
    pub topic_name: &'a str,
    /// `Partitions`, versions 0–2.
    pub partitions: Vec<PartitionData<'a>>,
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

/// `PartitionData` of [`DescribeQuorumResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionData<'a> {
    /// `PartitionIndex`, versions 0–2.
    pub partition_index: i32,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `ErrorMessage`, version 2.
    pub error_message: Option<&'a str>,
    /// `LeaderId`, versions 0–2.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 0–2.
    pub leader_epoch: i32,
    /// `HighWatermark`, versions 0–2.
    pub high_watermark: i64,
    /// `CurrentVoters`, versions 0–2.
    pub current_voters: Vec<ReplicaState>,
    /// `Observers`, versions 0–2.
    pub observers: Vec<ReplicaState>,
}

impl Default for PartitionData<'_> {
    fn default() -> Self {
        PartitionData {
            partition_index: 0,
            error_code: 0,
            error_message: Some(""),
            leader_id: 0,
            leader_epoch: 0,
            high_watermark: 0,
            current_voters: Vec::new(),
            observers: Vec::new(),
        }
    }
}

impl<'a> PartitionData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        if version >= 2 {
            message.error_message = d.nullable_string(true)?;
        }
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.high_watermark = d.i64()?;
        message.current_voters = d.array(true, |d| ReplicaState::decode(d, version))?;
        message.observers = d.array(true, |d| ReplicaState::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        if version >= 2 {
            e.nullable_string(self.error_message, true);
        }
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        e.i64(self.high_watermark);
        e.array(&self.current_voters, true, |e, item| item.encode(e, version));
        e.array(&self.observers, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `ReplicaState` of [`DescribeQuorumResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct ReplicaState {
    /// `ReplicaId`, versions 0–2.
    pub replica_id: i32,
    /// `ReplicaDirectoryId`, version 2.
    pub replica_directory_id: Uuid,
    /// `LogEndOffset`, versions 0–2.
    pub log_end_offset: i64,
    /// `LastFetchTimestamp`, versions 1–2.
    pub last_fetch_timestamp: i64,
    /// `LastCaughtUpTimestamp`, versions 1–2.
    pub last_caught_up_timestamp: i64,
}

impl Default for ReplicaState {
    fn default() -> Self {
        ReplicaState {
            replica_id: 0,
            replica_directory_id: Uuid::ZERO,
            log_end_offset: 0,
            last_fetch_timestamp: -1,
            last_caught_up_timestamp: -1,
        }
    }
}

impl ReplicaState {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.replica_id = d.i32()?;
        if version >= 2 {
            message.replica_directory_id = d.uuid()?;
        }
        message.log_end_offset = d.i64()?;
        if version >= 1 {
            message.last_fetch_timestamp = d.i64()?;
            message.last_caught_up_timestamp = d.i64()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.replica_id);
        if version >= 2 {
            e.uuid(self.replica_directory_id);
        }
        e.i64(self.log_end_offset);
        if version >= 1 {
            e.i64(self.last_fetch_timestamp);
            e.i64(self.last_caught_up_timestamp);
        }
        e.no_tags();
    }
}

/// `Node` of [`DescribeQuorumResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node<'a> {
    /// `NodeId`, version 2.
    pub node_id: i32,
    /// `Listeners`, version 2.
    pub listeners: Vec<Listener<'a>>,
}

impl<'a> Node<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.node_id = d.i32()?;
        message.listeners = d.array(true, |d| Listener::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.node_id);
        e.array(&self.listeners, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Listener` of [`DescribeQuorumResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listener<'a> {
    /// `Name`, version 2.
    pub name: &'a str,
    /// `Host`, version 2.
    pub host: &'a str,
    /// `Port`, version 2.
    pub port: u16,
}

impl<'a> Listener<'a> {
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
