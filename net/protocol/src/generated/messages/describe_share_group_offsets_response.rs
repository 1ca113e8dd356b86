//! DescribeShareGroupOffsetsResponse, key 90. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `DescribeShareGroupOffsetsResponse`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeShareGroupOffsetsResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–1.
    pub throttle_time_ms: i32,
    /// `Groups`, versions 0–1.
    pub groups: Vec<DescribeShareGroupOffsetsResponseGroup<'a>>,
}

impl<'a> Message<'a> for DescribeShareGroupOffsetsResponse<'a> {
    const NAME: &'static str = "DescribeShareGroupOffsetsResponse";
    const API_KEY: Option<i16> = Some(90);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.groups = d.array(true, |d| DescribeShareGroupOffsetsResponseGroup::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.array(&self.groups, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.groups {
            one.each_error(on);
        }
    }
}

/// `DescribeShareGroupOffsetsResponseGroup` of [`DescribeShareGroupOffsetsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeShareGroupOffsetsResponseGroup<'a> {
    /// `GroupId`, versions 0–1.
    pub group_id: &'a str,
    /// `Topics`, versions 0–1.
    pub topics: Vec<DescribeShareGroupOffsetsResponseTopic<'a>>,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
}

impl<'a> DescribeShareGroupOffsetsResponseGroup<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.topics = d.array(true, |d| DescribeShareGroupOffsetsResponseTopic::decode(d, version))?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
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

/// `DescribeShareGroupOffsetsResponseTopic` of [`DescribeShareGroupOffsetsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeShareGroupOffsetsResponseTopic<'a> {
    /// `TopicName`, versions 0–1.
    pub topic_name: &'a str,
    /// `TopicId`, versions 0–1.
    pub topic_id: Uuid,
    /// `Partitions`, versions 0–1.
    pub partitions: Vec<DescribeShareGroupOffsetsResponsePartition<'a>>,
}

impl<'a> DescribeShareGroupOffsetsResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.topic_id = d.uuid()?;
        message.partitions =
            d.array(true, |d| DescribeShareGroupOffsetsResponsePartition::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.topic_name, true);
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

/// `DescribeShareGroupOffsetsResponsePartition` of [`DescribeShareGroupOffsetsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeShareGroupOffsetsResponsePartition<'a> {
    /// `PartitionIndex`, versions 0–1.
    pub partition_index: i32,
    /// `StartOffset`, versions 0–1.
    pub start_offset: i64,
    /// `LeaderEpoch`, versions 0–1.
    pub leader_epoch: i32,
    /// `Lag`, version 1.
    pub lag: i64,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
}

impl Default for DescribeShareGroupOffsetsResponsePartition<'_> {
    fn default() -> Self {
        DescribeShareGroupOffsetsResponsePartition {
            partition_index: 0,
            start_offset: 0,
            leader_epoch: 0,
            lag: -1,
            error_code: 0,
            error_message: None,
        }
    }
}

impl<'a> DescribeShareGroupOffsetsResponsePartition<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.start_offset = d.i64()?;
        message.leader_epoch = d.i32()?;
        if version >= 1 {
            message.lag = d.i64()?;
        }
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i64(self.start_offset);
        e.i32(self.leader_epoch);
        if version >= 1 {
            e.i64(self.lag);
        }
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
