//! ShareGroupHeartbeatResponse, key 76. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareGroupHeartbeatResponse`, version 1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupHeartbeatResponse<'a> {
    /// `ThrottleTimeMs`, version 1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 1.
    pub error_code: i16,
    /// `ErrorMessage`, version 1.
    pub error_message: Option<&'a str>,
    /// `MemberId`, version 1.
    pub member_id: Option<&'a str>,
    /// `MemberEpoch`, version 1.
    pub member_epoch: i32,
    /// `HeartbeatIntervalMs`, version 1.
    pub heartbeat_interval_ms: i32,
    /// `Assignment`, version 1.
    pub assignment: Option<Assignment>,
}

impl<'a> Message<'a> for ShareGroupHeartbeatResponse<'a> {
    const NAME: &'static str = "ShareGroupHeartbeatResponse";
    const API_KEY: Option<i16> = Some(76);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.member_id = d.nullable_string(true)?;
        message.member_epoch = d.i32()?;
        message.heartbeat_interval_ms = d.i32()?;
        message.assignment = if d.present()? { Some(Assignment::decode(d, version)?) } else { None };
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.nullable_string(self.member_id, true);
        e.i32(self.member_epoch);
        e.i32(self.heartbeat_interval_ms);
        {
            e.present(self.assignment.is_some());
            if let Some(inner) = &self.assignment {
                inner.encode(e, version);
            }
        };
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `Assignment` of [`ShareGroupHeartbeatResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assignment {
    /// `TopicPartitions`, version 1.
    pub topic_partitions: Vec<TopicPartitions>,
}

impl Assignment {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_partitions = d.array(true, |d| TopicPartitions::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.topic_partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicPartitions` of [`ShareGroupHeartbeatResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartitions {
    /// `TopicId`, version 1.
    pub topic_id: Uuid,
    /// `Partitions`, version 1.
    pub partitions: Vec<i32>,
}

impl TopicPartitions {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.topic_id);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
