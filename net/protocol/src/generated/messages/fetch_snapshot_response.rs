//! FetchSnapshotResponse, key 59. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `FetchSnapshotResponse`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FetchSnapshotResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `Topics`, versions 0–1.
    pub topics: Vec<TopicSnapshot<'a>>,
    /// `NodeEndpoints`, version 1, tag 0.
    pub node_endpoints: Vec<NodeEndpoint<'a>>,
}

impl<'a> Message<'a> for FetchSnapshotResponse<'a> {
    const NAME: &'static str = "FetchSnapshotResponse";
    const API_KEY: Option<i16> = Some(59);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.topics = d.array(true, |d| TopicSnapshot::decode(d, version))?;
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
        e.i32(self.throttle_time_ms);
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

/// `TopicSnapshot` of [`FetchSnapshotResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicSnapshot<'a> {
    /// `Name`, versions 0–1.
    pub name: &'a str,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<PartitionSnapshot<'a>>,
}

impl<'a> TopicSnapshot<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.array(true, |d| PartitionSnapshot::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.name, true);
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

/// `PartitionSnapshot` of [`FetchSnapshotResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionSnapshot<'a> {
    /// `Index`, versions 0–1.
    pub index: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `SnapshotId`, versions 0–1.
    pub snapshot_id: SnapshotId,
    /// `CurrentLeader`, versions 0–1, tag 0.
    pub current_leader: LeaderIdAndEpoch,
    /// `Size`, versions 0–1.
    pub size: i64,
    /// `Position`, versions 0–1.
    pub position: i64,
    /// `UnalignedRecords`, versions 0–1.
    pub unaligned_records: Option<&'a [u8]>,
}

impl<'a> PartitionSnapshot<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.index = d.i32()?;
        message.error_code = d.i16()?;
        message.snapshot_id = SnapshotId::decode(d, version)?;
        message.size = d.i64()?;
        message.position = d.i64()?;
        message.unaligned_records = Some(d.bytes(true)?);
        d.tags(|d, tag| {
            match tag {
                0 => message.current_leader = LeaderIdAndEpoch::decode(d, version)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.index);
        e.i16(self.error_code);
        self.snapshot_id.encode(e, version);
        e.i64(self.size);
        e.i64(self.position);
        e.bytes(self.unaligned_records.unwrap_or_default(), true);
        let mut tags = e.tags();
        if self.current_leader != LeaderIdAndEpoch::default() {
            tags.put(e, 0, |e| self.current_leader.encode(e, version));
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `SnapshotId` of [`FetchSnapshotResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SnapshotId {
    /// `EndOffset`, versions 0–1.
    pub end_offset: i64,
    /// `Epoch`, versions 0–1.
    pub epoch: i32,
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

/// `LeaderIdAndEpoch` of [`FetchSnapshotResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeaderIdAndEpoch {
    /// `LeaderId`, versions 0–1.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 0–1.
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

/// `NodeEndpoint` of [`FetchSnapshotResponse`].
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
