//! StreamsGroupHeartbeatResponse, key 88. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupHeartbeatResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamsGroupHeartbeatResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `MemberId`, version 0.
    pub member_id: &'a str,
    /// `MemberEpoch`, version 0.
    pub member_epoch: i32,
    /// `HeartbeatIntervalMs`, version 0.
    pub heartbeat_interval_ms: i32,
    /// `AcceptableRecoveryLag`, version 0.
    pub acceptable_recovery_lag: i32,
    /// `TaskOffsetIntervalMs`, version 0.
    pub task_offset_interval_ms: i32,
    /// `Status`, version 0.
    pub status: Option<Vec<Status<'a>>>,
    /// `ActiveTasks`, version 0.
    pub active_tasks: Option<Vec<TaskIds<'a>>>,
    /// `StandbyTasks`, version 0.
    pub standby_tasks: Option<Vec<TaskIds<'a>>>,
    /// `WarmupTasks`, version 0.
    pub warmup_tasks: Option<Vec<TaskIds<'a>>>,
    /// `EndpointInformationEpoch`, version 0.
    pub endpoint_information_epoch: i32,
    /// `PartitionsByUserEndpoint`, version 0.
    pub partitions_by_user_endpoint: Option<Vec<EndpointToPartitions<'a>>>,
}

impl Default for StreamsGroupHeartbeatResponse<'_> {
    fn default() -> Self {
        StreamsGroupHeartbeatResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: None,
            member_id: "",
            member_epoch: 0,
            heartbeat_interval_ms: 0,
            acceptable_recovery_lag: 0,
            task_offset_interval_ms: 0,
            status: Some(Vec::new()),
            active_tasks: None,
            standby_tasks: None,
            warmup_tasks: None,
            endpoint_information_epoch: 0,
            partitions_by_user_endpoint: None,
        }
    }
}

impl<'a> Message<'a> for StreamsGroupHeartbeatResponse<'a> {
    const NAME: &'static str = "StreamsGroupHeartbeatResponse";
    const API_KEY: Option<i16> = Some(88);
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
        message.member_id = d.string(true)?;
        message.member_epoch = d.i32()?;
        message.heartbeat_interval_ms = d.i32()?;
        message.acceptable_recovery_lag = d.i32()?;
        message.task_offset_interval_ms = d.i32()?;
        message.status = d.nullable_array(true, |d| Status::decode(d, version))?;
        message.active_tasks = d.nullable_array(true, |d| TaskIds::decode(d, version))?;
        message.standby_tasks = d.nullable_array(true, |d| TaskIds::decode(d, version))?;
        message.warmup_tasks = d.nullable_array(true, |d| TaskIds::decode(d, version))?;
        message.endpoint_information_epoch = d.i32()?;
        message.partitions_by_user_endpoint =
            d.nullable_array(true, |d| EndpointToPartitions::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.string(self.member_id, true);
        e.i32(self.member_epoch);
        e.i32(self.heartbeat_interval_ms);
        e.i32(self.acceptable_recovery_lag);
        e.i32(self.task_offset_interval_ms);
        e.nullable_array(self.status.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_array(self.active_tasks.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_array(self.standby_tasks.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_array(self.warmup_tasks.as_deref(), true, |e, item| item.encode(e, version));
        e.i32(self.endpoint_information_epoch);
        e.nullable_array(self.partitions_by_user_endpoint.as_deref(), true, |e, item| {
            item.encode(e, version)
        });
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `Status` of [`StreamsGroupHeartbeatResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status<'a> {
    /// `StatusCode`, version 0.
    pub status_code: i8,
    /// `StatusDetail`, version 0.
    pub status_detail: &'a str,
}

impl<'a> Status<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.status_code = d.i8()?;
        message.status_detail = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i8(self.status_code);
        e.string(self.status_detail, true);
        e.no_tags();
    }
}

/// `TaskIds` of [`StreamsGroupHeartbeatResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskIds<'a> {
    /// `SubtopologyId`, version 0.
    pub subtopology_id: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
}

impl<'a> TaskIds<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.subtopology_id = d.string(true)?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.subtopology_id, true);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}

/// `EndpointToPartitions` of [`StreamsGroupHeartbeatResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EndpointToPartitions<'a> {
    /// `UserEndpoint`, version 0.
    pub user_endpoint: Endpoint<'a>,
    /// `ActivePartitions`, version 0.
    pub active_partitions: Vec<TopicPartition<'a>>,
    /// `StandbyPartitions`, version 0.
    pub standby_partitions: Vec<TopicPartition<'a>>,
}

impl<'a> EndpointToPartitions<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.user_endpoint = Endpoint::decode(d, version)?;
        message.active_partitions = d.array(true, |d| TopicPartition::decode(d, version))?;
        message.standby_partitions = d.array(true, |d| TopicPartition::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        self.user_endpoint.encode(e, version);
        e.array(&self.active_partitions, true, |e, item| item.encode(e, version));
        e.array(&self.standby_partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Endpoint` of [`StreamsGroupHeartbeatResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endpoint<'a> {
    /// `Host`, version 0.
    pub host: &'a str,
    /// `Port`, version 0.
    pub port: u16,
}

impl<'a> Endpoint<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.host = d.string(true)?;
        message.port = d.u16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.host, true);
        e.u16(self.port);
        e.no_tags();
    }
}

/// `TopicPartition` of [`StreamsGroupHeartbeatResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartition<'a> {
    /// `Topic`, version 0.
    pub topic: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
}

impl<'a> TopicPartition<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic = d.string(true)?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic, true);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
