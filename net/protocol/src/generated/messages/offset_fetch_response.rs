//! OffsetFetchResponse, key 9. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `OffsetFetchResponse`, versions 1–10, flexible from 6.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetFetchResponse<'a> {
    /// `ThrottleTimeMs`, versions 3–10.
    pub throttle_time_ms: i32,
    /// `Topics`, versions 1–7.
    pub topics: Vec<OffsetFetchResponseTopic<'a>>,
    /// `ErrorCode`, versions 2–7.
    pub error_code: i16,
    /// `Groups`, versions 8–10.
    pub groups: Vec<OffsetFetchResponseGroup<'a>>,
}

impl<'a> Message<'a> for OffsetFetchResponse<'a> {
    const NAME: &'static str = "OffsetFetchResponse";
    const API_KEY: Option<i16> = Some(9);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=10;
    const FLEXIBLE_FROM: i16 = 6;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 6;
        let mut message = Self::default();
        if version >= 3 {
            message.throttle_time_ms = d.i32()?;
        }
        if version <= 7 {
            message.topics = d.array(flexible, |d| OffsetFetchResponseTopic::decode(d, version))?;
        }
        if (2..=7).contains(&version) {
            message.error_code = d.i16()?;
        }
        if version >= 8 {
            message.groups = d.array(true, |d| OffsetFetchResponseGroup::decode(d, version))?;
        }
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        if version >= 3 {
            e.i32(self.throttle_time_ms);
        }
        if version <= 7 {
            e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        }
        if (2..=7).contains(&version) {
            e.i16(self.error_code);
        }
        if version >= 8 {
            e.array(&self.groups, true, |e, item| item.encode(e, version));
        }
        if version >= 6 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
        on(self.error_code);
        for one in &self.groups {
            one.each_error(on);
        }
    }
}

/// `OffsetFetchResponseTopic` of [`OffsetFetchResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetFetchResponseTopic<'a> {
    /// `Name`, versions 1–7.
    pub name: &'a str,
    /// `Partitions`, versions 1–7.
    pub partitions: Vec<OffsetFetchResponsePartition<'a>>,
}

impl<'a> OffsetFetchResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 6;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| OffsetFetchResponsePartition::decode(d, version))?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 6 {
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

/// `OffsetFetchResponsePartition` of [`OffsetFetchResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetFetchResponsePartition<'a> {
    /// `PartitionIndex`, versions 1–7.
    pub partition_index: i32,
    /// `CommittedOffset`, versions 1–7.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`, versions 5–7.
    pub committed_leader_epoch: i32,
    /// `Metadata`, versions 1–7.
    pub metadata: Option<&'a str>,
    /// `ErrorCode`, versions 1–7.
    pub error_code: i16,
}

impl Default for OffsetFetchResponsePartition<'_> {
    fn default() -> Self {
        OffsetFetchResponsePartition {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            metadata: Some(""),
            error_code: 0,
        }
    }
}

impl<'a> OffsetFetchResponsePartition<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 6;
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.committed_offset = d.i64()?;
        if version >= 5 {
            message.committed_leader_epoch = d.i32()?;
        }
        message.metadata = d.nullable_string(flexible)?;
        message.error_code = d.i16()?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.i32(self.partition_index);
        e.i64(self.committed_offset);
        if version >= 5 {
            e.i32(self.committed_leader_epoch);
        }
        e.nullable_string(self.metadata, flexible);
        e.i16(self.error_code);
        if version >= 6 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `OffsetFetchResponseGroup` of [`OffsetFetchResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetFetchResponseGroup<'a> {
    /// `GroupId`, versions 8–10.
    pub group_id: &'a str,
    /// `Topics`, versions 8–10.
    pub topics: Vec<OffsetFetchResponseTopics<'a>>,
    /// `ErrorCode`, versions 8–10.
    pub error_code: i16,
}

impl<'a> OffsetFetchResponseGroup<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics = d.array(true, |d| OffsetFetchResponseTopics::decode(d, version))?;
        message.error_code = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.i16(self.error_code);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
        on(self.error_code);
    }
}

/// `OffsetFetchResponseTopics` of [`OffsetFetchResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetFetchResponseTopics<'a> {
    /// `Name`, versions 8–9.
    pub name: &'a str,
    /// `TopicId`, version 10.
    pub topic_id: Uuid,
    /// `Partitions`, versions 8–10.
    pub partitions: Vec<OffsetFetchResponsePartitions<'a>>,
}

impl<'a> OffsetFetchResponseTopics<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        if version <= 9 {
            message.name = d.string(true)?;
        }
        if version >= 10 {
            message.topic_id = d.uuid()?;
        }
        message.partitions = d.array(true, |d| OffsetFetchResponsePartitions::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        if version <= 9 {
            e.string(self.name, true);
        }
        if version >= 10 {
            e.uuid(self.topic_id);
        }
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

/// `OffsetFetchResponsePartitions` of [`OffsetFetchResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetFetchResponsePartitions<'a> {
    /// `PartitionIndex`, versions 8–10.
    pub partition_index: i32,
    /// `CommittedOffset`, versions 8–10.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`, versions 8–10.
    pub committed_leader_epoch: i32,
    /// `Metadata`, versions 8–10.
    pub metadata: Option<&'a str>,
    /// `ErrorCode`, versions 8–10.
    pub error_code: i16,
}

impl Default for OffsetFetchResponsePartitions<'_> {
    fn default() -> Self {
        OffsetFetchResponsePartitions {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            metadata: Some(""),
            error_code: 0,
        }
    }
}

impl<'a> OffsetFetchResponsePartitions<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.committed_offset = d.i64()?;
        message.committed_leader_epoch = d.i32()?;
        message.metadata = d.nullable_string(true)?;
        message.error_code = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.i64(self.committed_offset);
        e.i32(self.committed_leader_epoch);
        e.nullable_string(self.metadata, true);
        e.i16(self.error_code);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
