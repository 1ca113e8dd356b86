//! FetchSnapshotRequest, key 59. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `FetchSnapshotRequest`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchSnapshotRequest<'a> {
    /// `ClusterId`, versions 0–1, tag 0.
    pub cluster_id: Option<&'a str>,
    /// `ReplicaId`, versions 0–1.
    pub replica_id: i32,
    /// `MaxBytes`, versions 0–1.
    pub max_bytes: i32,
    /// `Topics`, versions 0–1.
    pub topics: Vec<TopicSnapshot<'a>>,
}

impl Default for FetchSnapshotRequest<'_> {
    fn default() -> Self {
        FetchSnapshotRequest { cluster_id: None, replica_id: -1, max_bytes: 2147483647, topics: Vec::new() }
    }
}

impl<'a> Message<'a> for FetchSnapshotRequest<'a> {
    const NAME: &'static str = "FetchSnapshotRequest";
    const API_KEY: Option<i16> = Some(59);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.replica_id = d.i32()?;
        message.max_bytes = d.i32()?;
        message.topics = d.array(true, |d| TopicSnapshot::decode(d, version))?;
        d.tags(|d, tag| {
            match tag {
                0 => message.cluster_id = d.nullable_string(true)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.replica_id);
        e.i32(self.max_bytes);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        let mut tags = e.tags();
        if self.cluster_id.is_some() {
            tags.put(e, 0, |e| e.nullable_string(self.cluster_id, true));
        }
    }
}

/// `TopicSnapshot` of [`FetchSnapshotRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicSnapshot<'a> {
    /// `Name`, versions 0–1.
    pub name: &'a str,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<PartitionSnapshot>,
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
}

/// `PartitionSnapshot` of [`FetchSnapshotRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionSnapshot {
    /// `Partition`, versions 0–1.
    pub partition: i32,
    /// `CurrentLeaderEpoch`, versions 0–1.
    pub current_leader_epoch: i32,
    /// `SnapshotId`, versions 0–1.
    pub snapshot_id: SnapshotId,
    /// `Position`, versions 0–1.
    pub position: i64,
    /// `ReplicaDirectoryId`, version 1, tag 0.
    pub replica_directory_id: Uuid,
}

impl PartitionSnapshot {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.current_leader_epoch = d.i32()?;
        message.snapshot_id = SnapshotId::decode(d, version)?;
        message.position = d.i64()?;
        d.tags(|d, tag| {
            match tag {
                0 if version >= 1 => message.replica_directory_id = d.uuid()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition);
        e.i32(self.current_leader_epoch);
        self.snapshot_id.encode(e, version);
        e.i64(self.position);
        let mut tags = e.tags();
        if version >= 1 && self.replica_directory_id != Uuid::ZERO {
            tags.put(e, 0, |e| e.uuid(self.replica_directory_id));
        }
    }
}

/// `SnapshotId` of [`FetchSnapshotRequest`].
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
