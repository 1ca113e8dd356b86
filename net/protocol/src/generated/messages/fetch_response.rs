//! FetchResponse, key 1. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `FetchResponse`, versions 4–18, flexible from 12.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FetchResponse<'a> {
    /// `ThrottleTimeMs`, versions 4–18.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 7–18.
    pub error_code: i16,
    /// `SessionId`, versions 7–18.
    pub session_id: i32,
    /// `Responses`, versions 4–18.
    pub responses: Vec<FetchableTopicResponse<'a>>,
    /// `NodeEndpoints`, versions 16–18, tag 0.
    pub node_endpoints: Vec<NodeEndpoint<'a>>,
}

impl<'a> Message<'a> for FetchResponse<'a> {
    const NAME: &'static str = "FetchResponse";
    const API_KEY: Option<i16> = Some(1);
    const VERSIONS: std::ops::RangeInclusive<i16> = 4..=18;
    const FLEXIBLE_FROM: i16 = 12;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 12;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        if version >= 7 {
            message.error_code = d.i16()?;
            message.session_id = d.i32()?;
        }
        message.responses = d.array(flexible, |d| FetchableTopicResponse::decode(d, version))?;
        if version >= 12 {
            d.tags(|d, tag| {
                match tag {
                    0 if version >= 16 => {
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
        let flexible = version >= 12;
        e.i32(self.throttle_time_ms);
        if version >= 7 {
            e.i16(self.error_code);
            e.i32(self.session_id);
        }
        e.array(&self.responses, flexible, |e, item| item.encode(e, version));
        if version >= 12 {
            let mut tags = e.tags();
            if version >= 16 && !self.node_endpoints.is_empty() {
                tags.put(e, 0, |e| e.array(&self.node_endpoints, true, |e, item| item.encode(e, version)));
            }
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.responses {
            one.each_error(on);
        }
    }
}

/// `FetchableTopicResponse` of [`FetchResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FetchableTopicResponse<'a> {
    /// `Topic`, versions 4–12.
    pub topic: &'a str,
    /// `TopicId`, versions 13–18.
    pub topic_id: Uuid,
    /// `Partitions`, versions 4–18.
    pub partitions: Vec<PartitionData<'a>>,
}

impl<'a> FetchableTopicResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 12;
        let mut message = Self::default();
        if version <= 12 {
            message.topic = d.string(flexible)?;
        }
        if version >= 13 {
            message.topic_id = d.uuid()?;
        }
        message.partitions = d.array(flexible, |d| PartitionData::decode(d, version))?;
        if version >= 12 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 12;
        if version <= 12 {
            e.string(self.topic, flexible);
        }
        if version >= 13 {
            e.uuid(self.topic_id);
        }
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 12 {
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

/// `PartitionData` of [`FetchResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionData<'a> {
    /// `PartitionIndex`, versions 4–18.
    pub partition_index: i32,
    /// `ErrorCode`, versions 4–18.
    pub error_code: i16,
    /// `HighWatermark`, versions 4–18.
    pub high_watermark: i64,
    /// `LastStableOffset`, versions 4–18.
    pub last_stable_offset: i64,
    /// `LogStartOffset`, versions 5–18.
    pub log_start_offset: i64,
    /// `DivergingEpoch`, versions 12–18, tag 0.
    pub diverging_epoch: EpochEndOffset,
    /// `CurrentLeader`, versions 12–18, tag 1.
    pub current_leader: LeaderIdAndEpoch,
    /// `SnapshotId`, versions 12–18, tag 2.
    pub snapshot_id: SnapshotId,
    /// `AbortedTransactions`, versions 4–18.
    pub aborted_transactions: Option<Vec<AbortedTransaction>>,
    /// `PreferredReadReplica`, versions 11–18.
    pub preferred_read_replica: i32,
    /// `Records`, versions 4–18.
    pub records: Option<&'a [u8]>,
}

impl Default for PartitionData<'_> {
    fn default() -> Self {
        PartitionData {
            partition_index: 0,
            error_code: 0,
            high_watermark: 0,
            last_stable_offset: -1,
            log_start_offset: -1,
            diverging_epoch: EpochEndOffset::default(),
            current_leader: LeaderIdAndEpoch::default(),
            snapshot_id: SnapshotId::default(),
            aborted_transactions: Some(Vec::new()),
            preferred_read_replica: -1,
            records: None,
        }
    }
}

impl<'a> PartitionData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 12;
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.error_code = d.i16()?;
        message.high_watermark = d.i64()?;
        message.last_stable_offset = d.i64()?;
        if version >= 5 {
            message.log_start_offset = d.i64()?;
        }
        message.aborted_transactions =
            d.nullable_array(flexible, |d| AbortedTransaction::decode(d, version))?;
        if version >= 11 {
            message.preferred_read_replica = d.i32()?;
        }
        message.records = d.nullable_bytes(flexible)?;
        if version >= 12 {
            d.tags(|d, tag| {
                match tag {
                    0 => message.diverging_epoch = EpochEndOffset::decode(d, version)?,
                    1 => message.current_leader = LeaderIdAndEpoch::decode(d, version)?,
                    2 => message.snapshot_id = SnapshotId::decode(d, version)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 12;
        e.i32(self.partition_index);
        e.i16(self.error_code);
        e.i64(self.high_watermark);
        e.i64(self.last_stable_offset);
        if version >= 5 {
            e.i64(self.log_start_offset);
        }
        e.nullable_array(self.aborted_transactions.as_deref(), flexible, |e, item| item.encode(e, version));
        if version >= 11 {
            e.i32(self.preferred_read_replica);
        }
        e.nullable_bytes(self.records, flexible);
        if version >= 12 {
            let mut tags = e.tags();
            if self.diverging_epoch != EpochEndOffset::default() {
                tags.put(e, 0, |e| self.diverging_epoch.encode(e, version));
            }
            if self.current_leader != LeaderIdAndEpoch::default() {
                tags.put(e, 1, |e| self.current_leader.encode(e, version));
            }
            if self.snapshot_id != SnapshotId::default() {
                tags.put(e, 2, |e| self.snapshot_id.encode(e, version));
            }
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `EpochEndOffset` of [`FetchResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct EpochEndOffset {
    /// `Epoch`, versions 12–18.
    pub epoch: i32,
    /// `EndOffset`, versions 12–18.
    pub end_offset: i64,
}

impl Default for EpochEndOffset {
    fn default() -> Self {
        EpochEndOffset { epoch: -1, end_offset: -1 }
    }
}

impl EpochEndOffset {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.epoch = d.i32()?;
        message.end_offset = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.epoch);
        e.i64(self.end_offset);
        e.no_tags();
    }
}

/// `LeaderIdAndEpoch` of [`FetchResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct LeaderIdAndEpoch {
    /// `LeaderId`, versions 12–18.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 12–18.
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

/// `SnapshotId` of [`FetchResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotId {
    /// `EndOffset`, versions 12–18.
    pub end_offset: i64,
    /// `Epoch`, versions 12–18.
    pub epoch: i32,
}

impl Default for SnapshotId {
    fn default() -> Self {
        SnapshotId { end_offset: -1, epoch: -1 }
    }
}

impl SnapshotId {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.end_offset = d.i64()?;
        message.epoch = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.end_offset);
        e.i32(self.epoch);
        e.no_tags();
    }
}

/// `AbortedTransaction` of [`FetchResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AbortedTransaction {
    /// `ProducerId`, versions 4–18.
    pub producer_id: i64,
    /// `FirstOffset`, versions 4–18.
    pub first_offset: i64,
}

impl AbortedTransaction {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.producer_id = d.i64()?;
        message.first_offset = d.i64()?;
        if version >= 12 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i64(self.producer_id);
        e.i64(self.first_offset);
        if version >= 12 {
            e.no_tags();
        }
    }
}

/// `NodeEndpoint` of [`FetchResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeEndpoint<'a> {
    /// `NodeId`, versions 16–18.
    pub node_id: i32,
    /// `Host`, versions 16–18.
    pub host: &'a str,
    /// `Port`, versions 16–18.
    pub port: i32,
    /// `Rack`, versions 16–18.
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
