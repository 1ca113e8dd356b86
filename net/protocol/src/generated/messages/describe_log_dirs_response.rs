//! DescribeLogDirsResponse, key 35. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeLogDirsResponse`, versions 1–5, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeLogDirsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–5.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 3–5.
    pub error_code: i16,
    /// `Results`, versions 1–5.
    pub results: Vec<DescribeLogDirsResult<'a>>,
}

impl<'a> Message<'a> for DescribeLogDirsResponse<'a> {
    const NAME: &'static str = "DescribeLogDirsResponse";
    const API_KEY: Option<i16> = Some(35);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=5;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        if version >= 3 {
            message.error_code = d.i16()?;
        }
        message.results = d.array(flexible, |d| DescribeLogDirsResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.throttle_time_ms);
        if version >= 3 {
            e.i16(self.error_code);
        }
        e.array(&self.results, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `DescribeLogDirsResult` of [`DescribeLogDirsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeLogDirsResult<'a> {
    /// `ErrorCode`, versions 1–5.
    pub error_code: i16,
    /// `LogDir`, versions 1–5.
    pub log_dir: &'a str,
    /// `Topics`, versions 1–5.
    pub topics: Vec<DescribeLogDirsTopic<'a>>,
    /// `TotalBytes`, versions 4–5.
    pub total_bytes: i64,
    /// `UsableBytes`, versions 4–5.
    pub usable_bytes: i64,
    /// `IsCordoned`, version 5.
    pub is_cordoned: bool,
}

impl Default for DescribeLogDirsResult<'_> {
    fn default() -> Self {
        DescribeLogDirsResult {
            error_code: 0,
            log_dir: "",
            topics: Vec::new(),
            total_bytes: -1,
            usable_bytes: -1,
            is_cordoned: false,
        }
    }
}

impl<'a> DescribeLogDirsResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.log_dir = d.string(flexible)?;
        message.topics = d.array(flexible, |d| DescribeLogDirsTopic::decode(d, version))?;
        if version >= 4 {
            message.total_bytes = d.i64()?;
            message.usable_bytes = d.i64()?;
        }
        if version >= 5 {
            message.is_cordoned = d.bool()?;
        }
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i16(self.error_code);
        e.string(self.log_dir, flexible);
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.i64(self.total_bytes);
            e.i64(self.usable_bytes);
        }
        if version >= 5 {
            e.bool(self.is_cordoned);
        }
        if version >= 2 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `DescribeLogDirsTopic` of [`DescribeLogDirsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeLogDirsTopic<'a> {
    /// `Name`, versions 1–5.
    pub name: &'a str,
    /// `Partitions`, versions 1–5.
    pub partitions: Vec<DescribeLogDirsPartition>,
}

impl<'a> DescribeLogDirsTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, |d| DescribeLogDirsPartition::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `DescribeLogDirsPartition` of [`DescribeLogDirsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeLogDirsPartition {
    /// `PartitionIndex`, versions 1–5.
    pub partition_index: i32,
    /// `PartitionSize`, versions 1–5.
    pub partition_size: i64,
    /// `OffsetLag`, versions 1–5.
    pub offset_lag: i64,
    /// `IsFutureKey`, versions 1–5.
    pub is_future_key: bool,
}

impl DescribeLogDirsPartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.partition_size = d.i64()?;
        message.offset_lag = d.i64()?;
        message.is_future_key = d.bool()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i64(self.partition_size);
        e.i64(self.offset_lag);
        e.bool(self.is_future_key);
        if version >= 2 {
            e.no_tags();
        }
    }
}
