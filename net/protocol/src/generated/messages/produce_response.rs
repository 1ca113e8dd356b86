//! ProduceResponse, key 0. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ProduceResponse`, versions 3–13, flexible from 9.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProduceResponse<'a> {
    /// `Responses`, versions 3–13.
    pub responses: Vec<TopicProduceResponse<'a>>,
    /// `ThrottleTimeMs`, versions 3–13.
    pub throttle_time_ms: i32,
    /// `NodeEndpoints`, versions 10–13, tag 0.
    pub node_endpoints: Vec<NodeEndpoint<'a>>,
}

impl<'a> Message<'a> for ProduceResponse<'a> {
    const NAME: &'static str = "ProduceResponse";
    const API_KEY: Option<i16> = Some(0);
    const VERSIONS: std::ops::RangeInclusive<i16> = 3..=13;
    const FLEXIBLE_FROM: i16 = 9;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 9;
        let mut message = Self::default();
        message.responses = d.array(flexible, |d| TopicProduceResponse::decode(d, version))?;
        message.throttle_time_ms = d.i32()?;
        if version >= 9 {
            d.tags(|d, tag| {
                match tag {
                    0 if version >= 10 => {
                        message.node_endpoints = d.array(true, |d| NodeEndpoint::decode(d, version))?
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.array(&self.responses, flexible, |e, item| item.encode(e, version));
        e.i32(self.throttle_time_ms);
        if version >= 9 {
            let mut tags = e.tags();
            if version >= 10 && !self.node_endpoints.is_empty() {
                tags.put(e, 0, |e| e.array(&self.node_endpoints, true, |e, item| item.encode(e, version)));
            }
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.responses {
            one.each_error(on);
        }
    }
}

/// `TopicProduceResponse` of [`ProduceResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicProduceResponse<'a> {
    /// `Name`, versions 3–12.
    pub name: &'a str,
    /// `TopicId`, version 13.
    pub topic_id: Uuid,
    /// `PartitionResponses`, versions 3–13.
    pub partition_responses: Vec<PartitionProduceResponse<'a>>,
}

impl<'a> TopicProduceResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        if version <= 12 {
            message.name = d.string(flexible)?;
        }
        if version >= 13 {
            message.topic_id = d.uuid()?;
        }
        message.partition_responses = d.array(flexible, |d| PartitionProduceResponse::decode(d, version))?;
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        if version <= 12 {
            e.string(self.name, flexible);
        }
        if version >= 13 {
            e.uuid(self.topic_id);
        }
        e.array(&self.partition_responses, flexible, |e, item| item.encode(e, version));
        if version >= 9 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.partition_responses {
            one.each_error(on);
        }
    }
}

/// `PartitionProduceResponse` of [`ProduceResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionProduceResponse<'a> {
    /// `Index`, versions 3–13.
    pub index: i32,
    /// `ErrorCode`, versions 3–13.
    pub error_code: i16,
    /// `BaseOffset`, versions 3–13.
    pub base_offset: i64,
    /// `LogAppendTimeMs`, versions 3–13.
    pub log_append_time_ms: i64,
    /// `LogStartOffset`, versions 5–13.
    pub log_start_offset: i64,
    /// `RecordErrors`, versions 8–13.
    pub record_errors: Vec<BatchIndexAndErrorMessage<'a>>,
    /// `ErrorMessage`, versions 8–13.
    pub error_message: Option<&'a str>,
    /// `CurrentLeader`, versions 10–13, tag 0.
    pub current_leader: LeaderIdAndEpoch,
}

impl Default for PartitionProduceResponse<'_> {
    fn default() -> Self {
        PartitionProduceResponse {
            index: 0,
            error_code: 0,
            base_offset: 0,
            log_append_time_ms: -1,
            log_start_offset: -1,
            record_errors: Vec::new(),
            error_message: None,
            current_leader: LeaderIdAndEpoch::default(),
        }
    }
}

impl<'a> PartitionProduceResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        message.index = d.i32()?;
        message.error_code = d.i16()?;
        message.base_offset = d.i64()?;
        message.log_append_time_ms = d.i64()?;
        if version >= 5 {
            message.log_start_offset = d.i64()?;
        }
        if version >= 8 {
            message.record_errors = d.array(flexible, |d| BatchIndexAndErrorMessage::decode(d, version))?;
            message.error_message = d.nullable_string(flexible)?;
        }
        if version >= 9 {
            d.tags(|d, tag| {
                match tag {
                    0 if version >= 10 => message.current_leader = LeaderIdAndEpoch::decode(d, version)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.i32(self.index);
        e.i16(self.error_code);
        e.i64(self.base_offset);
        e.i64(self.log_append_time_ms);
        if version >= 5 {
            e.i64(self.log_start_offset);
        }
        if version >= 8 {
            e.array(&self.record_errors, flexible, |e, item| item.encode(e, version));
            e.nullable_string(self.error_message, flexible);
        }
        if version >= 9 {
            let mut tags = e.tags();
            if version >= 10 && self.current_leader != LeaderIdAndEpoch::default() {
                tags.put(e, 0, |e| self.current_leader.encode(e, version));
            }
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `BatchIndexAndErrorMessage` of [`ProduceResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchIndexAndErrorMessage<'a> {
    /// `BatchIndex`, versions 8–13.
    pub batch_index: i32,
    /// `BatchIndexErrorMessage`, versions 8–13.
    pub batch_index_error_message: Option<&'a str>,
}

impl<'a> BatchIndexAndErrorMessage<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        message.batch_index = d.i32()?;
        message.batch_index_error_message = d.nullable_string(flexible)?;
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        e.i32(self.batch_index);
        e.nullable_string(self.batch_index_error_message, flexible);
        if version >= 9 {
            e.no_tags();
        }
    }
}

/// `LeaderIdAndEpoch` of [`ProduceResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct LeaderIdAndEpoch {
    /// `LeaderId`, versions 10–13.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 10–13.
    pub leader_epoch: i32,
}

impl Default for LeaderIdAndEpoch {
    fn default() -> Self {
        LeaderIdAndEpoch { leader_id: -1, leader_epoch: -1 }
    }
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

/// `NodeEndpoint` of [`ProduceResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeEndpoint<'a> {
    /// `NodeId`, versions 10–13.
    pub node_id: i32,
    /// `Host`, versions 10–13.
    pub host: &'a str,
    /// `Port`, versions 10–13.
    pub port: i32,
    /// `Rack`, versions 10–13.
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
