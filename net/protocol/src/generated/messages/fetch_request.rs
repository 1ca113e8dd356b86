//! FetchRequest, key 1. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `FetchRequest`, versions 4–18, flexible from 12.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchRequest<'a> {
    /// `ClusterId`, versions 12–18, tag 0.
    pub cluster_id: Option<&'a str>,
    /// `ReplicaId`, versions 4–14.
    pub replica_id: i32,
    /// `ReplicaState`, versions 15–18, tag 1.
    pub replica_state: ReplicaState,
    /// `MaxWaitMs`, versions 4–18.
    pub max_wait_ms: i32,
    /// `MinBytes`, versions 4–18.
    pub min_bytes: i32,
    /// `MaxBytes`, versions 4–18.
    pub max_bytes: i32,
    /// `IsolationLevel`, versions 4–18.
    pub isolation_level: i8,
    /// `SessionId`, versions 7–18.
    pub session_id: i32,
    /// `SessionEpoch`, versions 7–18.
    pub session_epoch: i32,
    /// `Topics`, versions 4–18.
    pub topics: Vec<FetchTopic<'a>>,
    /// `ForgottenTopicsData`, versions 7–18.
    pub forgotten_topics_data: Vec<ForgottenTopic<'a>>,
    /// `RackId`, versions 11–18.
    pub rack_id: &'a str,
}

impl Default for FetchRequest<'_> {
    fn default() -> Self {
        FetchRequest {
            cluster_id: None,
            replica_id: -1,
            replica_state: ReplicaState::default(),
            max_wait_ms: 0,
            min_bytes: 0,
            max_bytes: 2147483647,
            isolation_level: 0,
            session_id: 0,
            session_epoch: -1,
            topics: Vec::new(),
            forgotten_topics_data: Vec::new(),
            rack_id: "",
        }
    }
}

impl<'a> Message<'a> for FetchRequest<'a> {
    const NAME: &'static str = "FetchRequest";
    const API_KEY: Option<i16> = Some(1);
    const VERSIONS: std::ops::RangeInclusive<i16> = 4..=18;
    const FLEXIBLE_FROM: i16 = 12;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 12;
        let mut message = Self::default();
        if version <= 14 {
            message.replica_id = d.i32()?;
        }
        message.max_wait_ms = d.i32()?;
        message.min_bytes = d.i32()?;
        message.max_bytes = d.i32()?;
        message.isolation_level = d.i8()?;
        if version >= 7 {
            message.session_id = d.i32()?;
            message.session_epoch = d.i32()?;
        }
        message.topics = d.array(flexible, |d| FetchTopic::decode(d, version))?;
        if version >= 7 {
            message.forgotten_topics_data = d.array(flexible, |d| ForgottenTopic::decode(d, version))?;
        }
        if version >= 11 {
            message.rack_id = d.string(flexible)?;
        }
        if version >= 12 {
            d.tags(|d, tag| {
                match tag {
                    0 => message.cluster_id = d.nullable_string(true)?,
                    1 if version >= 15 => message.replica_state = ReplicaState::decode(d, version)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 12;
        if version <= 14 {
            e.i32(self.replica_id);
        }
        e.i32(self.max_wait_ms);
        e.i32(self.min_bytes);
        e.i32(self.max_bytes);
        e.i8(self.isolation_level);
        if version >= 7 {
            e.i32(self.session_id);
            e.i32(self.session_epoch);
        }
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 7 {
            e.array(&self.forgotten_topics_data, flexible, |e, item| item.encode(e, version));
        }
        if version >= 11 {
            e.string(self.rack_id, flexible);
        }
        if version >= 12 {
            let mut tags = e.tags();
            if self.cluster_id.is_some() {
                tags.put(e, 0, |e| e.nullable_string(self.cluster_id, true));
            }
            if version >= 15 && self.replica_state != ReplicaState::default() {
                tags.put(e, 1, |e| self.replica_state.encode(e, version));
            }
        }
    }
}

/// `ReplicaState` of [`FetchRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct ReplicaState {
    /// `ReplicaId`, versions 15–18.
    pub replica_id: i32,
    /// `ReplicaEpoch`, versions 15–18.
    pub replica_epoch: i64,
}

impl Default for ReplicaState {
    fn default() -> Self {
        ReplicaState { replica_id: -1, replica_epoch: -1 }
    }
}

impl ReplicaState {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.replica_id = d.i32()?;
        message.replica_epoch = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.replica_id);
        e.i64(self.replica_epoch);
        e.no_tags();
    }
}

/// `FetchTopic` of [`FetchRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FetchTopic<'a> {
    /// `Topic`, versions 4–12.
    pub topic: &'a str,
    /// `TopicId`, versions 13–18.
    pub topic_id: Uuid,
    /// `Partitions`, versions 4–18.
    pub partitions: Vec<FetchPartition>,
}

impl<'a> FetchTopic<'a> {
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
        message.partitions = d.array(flexible, |d| FetchPartition::decode(d, version))?;
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
}

/// `FetchPartition` of [`FetchRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct FetchPartition {
    /// `Partition`, versions 4–18.
    pub partition: i32,
    /// `CurrentLeaderEpoch`, versions 9–18.
    pub current_leader_epoch: i32,
    /// `FetchOffset`, versions 4–18.
    pub fetch_offset: i64,
    /// `LastFetchedEpoch`, versions 12–18.
    pub last_fetched_epoch: i32,
    /// `LogStartOffset`, versions 5–18.
    pub log_start_offset: i64,
    /// `PartitionMaxBytes`, versions 4–18.
    pub partition_max_bytes: i32,
    /// `ReplicaDirectoryId`, versions 17–18, tag 0.
    pub replica_directory_id: Uuid,
    /// `HighWatermark`, version 18, tag 1.
    pub high_watermark: i64,
}

impl Default for FetchPartition {
    fn default() -> Self {
        FetchPartition {
            partition: 0,
            current_leader_epoch: -1,
            fetch_offset: 0,
            last_fetched_epoch: -1,
            log_start_offset: -1,
            partition_max_bytes: 0,
            replica_directory_id: Uuid::ZERO,
            high_watermark: 9223372036854775807,
        }
    }
}

impl FetchPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        if version >= 9 {
            message.current_leader_epoch = d.i32()?;
        }
        message.fetch_offset = d.i64()?;
        if version >= 12 {
            message.last_fetched_epoch = d.i32()?;
        }
        if version >= 5 {
            message.log_start_offset = d.i64()?;
        }
        message.partition_max_bytes = d.i32()?;
        if version >= 12 {
            d.tags(|d, tag| {
                match tag {
                    0 if version >= 17 => message.replica_directory_id = d.uuid()?,
                    1 if version >= 18 => message.high_watermark = d.i64()?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition);
        if version >= 9 {
            e.i32(self.current_leader_epoch);
        }
        e.i64(self.fetch_offset);
        if version >= 12 {
            e.i32(self.last_fetched_epoch);
        }
        if version >= 5 {
            e.i64(self.log_start_offset);
        }
        e.i32(self.partition_max_bytes);
        if version >= 12 {
            let mut tags = e.tags();
            if version >= 17 && self.replica_directory_id != Uuid::ZERO {
                tags.put(e, 0, |e| e.uuid(self.replica_directory_id));
            }
            if version >= 18 && self.high_watermark != 9223372036854775807 {
                tags.put(e, 1, |e| e.i64(self.high_watermark));
            }
        }
    }
}

/// `ForgottenTopic` of [`FetchRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForgottenTopic<'a> {
    /// `Topic`, versions 7–12.
    pub topic: &'a str,
    /// `TopicId`, versions 13–18.
    pub topic_id: Uuid,
    /// `Partitions`, versions 7–18.
    pub partitions: Vec<i32>,
}

impl<'a> ForgottenTopic<'a> {
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
        message.partitions = d.array(flexible, Decoder::i32)?;
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
        e.array(&self.partitions, flexible, |e, item| e.i32(*item));
        if version >= 12 {
            e.no_tags();
        }
    }
}
