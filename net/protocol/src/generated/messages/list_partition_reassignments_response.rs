//! ListPartitionReassignmentsResponse, key 46. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListPartitionReassignmentsResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPartitionReassignmentsResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `Topics`, version 0.
    pub topics: Vec<OngoingTopicReassignment<'a>>,
}

impl Default for ListPartitionReassignmentsResponse<'_> {
    fn default() -> Self {
        ListPartitionReassignmentsResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(""),
            topics: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for ListPartitionReassignmentsResponse<'a> {
    const NAME: &'static str = "ListPartitionReassignmentsResponse";
    const API_KEY: Option<i16> = Some(46);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.topics = d.array(true, |d| OngoingTopicReassignment::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `OngoingTopicReassignment` of [`ListPartitionReassignmentsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OngoingTopicReassignment<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<OngoingPartitionReassignment>,
}

impl<'a> OngoingTopicReassignment<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.array(true, |d| OngoingPartitionReassignment::decode(d, version))?;
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

/// `OngoingPartitionReassignment` of [`ListPartitionReassignmentsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OngoingPartitionReassignment {
    /// `PartitionIndex`, version 0.
    pub partition_index: i32,
    /// `Replicas`, version 0.
    pub replicas: Vec<i32>,
    /// `AddingReplicas`, version 0.
    pub adding_replicas: Vec<i32>,
    /// `RemovingReplicas`, version 0.
    pub removing_replicas: Vec<i32>,
}

impl OngoingPartitionReassignment {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.replicas = d.array(true, Decoder::i32)?;
        message.adding_replicas = d.array(true, Decoder::i32)?;
        message.removing_replicas = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition_index);
        e.array(&self.replicas, true, |e, item| e.i32(*item));
        e.array(&self.adding_replicas, true, |e, item| e.i32(*item));
        e.array(&self.removing_replicas, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
