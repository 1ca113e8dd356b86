//! ShareAcknowledgeResponse, key 79. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareAcknowledgeResponse`, versions 1–2, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareAcknowledgeResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–2.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 1–2.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–2.
    pub error_message: Option<&'a str>,
    /// `AcquisitionLockTimeoutMs`, version 2.
    pub acquisition_lock_timeout_ms: i32,
    /// `Responses`, versions 1–2.
    pub responses: Vec<ShareAcknowledgeTopicResponse<'a>>,
    /// `NodeEndpoints`, versions 1–2.
    pub node_endpoints: Vec<NodeEndpoint<'a>>,
}

impl<'a> Message<'a> for ShareAcknowledgeResponse<'a> {
    const NAME: &'static str = "ShareAcknowledgeResponse";
    const API_KEY: Option<i16> = Some(79);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        if version >= 2 {
            message.acquisition_lock_timeout_ms = d.i32()?;
        }
        message.responses = d.array(true, |d| ShareAcknowledgeTopicResponse::decode(d, version))?;
        message.node_endpoints = d.array(true, |d| NodeEndpoint::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        if version >= 2 {
            e.i32(self.acquisition_lock_timeout_ms);
        }
        e.array(&self.responses, true, |e, item| item.encode(e, version));
        e.array(&self.node_endpoints, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.responses {
            one.each_error(on);
        }
    }
}

/// `ShareAcknowledgeTopicResponse` of [`ShareAcknowledgeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareAcknowledgeTopicResponse<'a> {
    /// `TopicId`, versions 1–2.
    pub topic_id: Uuid,
    /// `Partitions`, versions 1–2.
    pub partitions: Vec<PartitionData<'a>>,
}

impl<'a> ShareAcknowledgeTopicResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
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

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partitions {
            one.each_error(on);
        }
    }
}

/// `PartitionData` of [`ShareAcknowledgeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData<'a> {
    /// `PartitionIndex`, versions 1–2.
    pub partition_index: i32,
    /// `ErrorCode`, versions 1–2.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–2.
    pub error_message: Option<&'a str>,
    /// `CurrentLeader`, versions 1–2.
    pub current_leader: LeaderIdAndEpoch,
}

impl<'a> PartitionData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.current_leader = LeaderIdAndEpoch::decode(d, version)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        self.current_leader.encode(e, version);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `LeaderIdAndEpoch` of [`ShareAcknowledgeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeaderIdAndEpoch {
    /// `LeaderId`, versions 1–2.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 1–2.
    pub leader_epoch: i32,
}

impl LeaderIdAndEpoch {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        e.no_tags();
    }
}

/// `NodeEndpoint` of [`ShareAcknowledgeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeEndpoint<'a> {
    /// `NodeId`, versions 1–2.
    pub node_id: i32,
    /// `Host`, versions 1–2.
    pub host: &'a str,
    /// `Port`, versions 1–2.
    pub port: i32,
    /// `Rack`, versions 1–2.
    pub rack: Option<&'a str>,
}

impl<'a> NodeEndpoint<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.node_id = d.i32()?;
        message.host = d.string(true)?;
        message.port = d.i32()?;
        message.rack = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.node_id);
        e.string(self.host, true);
        e.i32(self.port);
        e.nullable_string(self.rack, true);
        e.no_tags();
    }
}
