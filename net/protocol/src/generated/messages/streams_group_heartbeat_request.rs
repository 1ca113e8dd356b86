//! StreamsGroupHeartbeatRequest, key 88. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupHeartbeatRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamsGroupHeartbeatRequest<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `MemberId`, version 0.
    pub member_id: &'a str,
    /// `MemberEpoch`, version 0.
    pub member_epoch: i32,
    /// `EndpointInformationEpoch`, version 0.
    pub endpoint_information_epoch: i32,
    /// `InstanceId`, version 0.
    pub instance_id: Option<&'a str>,
    /// `RackId`, version 0.
    pub rack_id: Option<&'a str>,
    /// `RebalanceTimeoutMs`, version 0.
    pub rebalance_timeout_ms: i32,
    /// `Topology`, version 0.
    pub topology: Option<Topology<'a>>,
    /// `ActiveTasks`, version 0.
    pub active_tasks: Option<Vec<TaskIds<'a>>>,
    /// `StandbyTasks`, version 0.
    pub standby_tasks: Option<Vec<TaskIds<'a>>>,
    /// `WarmupTasks`, version 0.
    pub warmup_tasks: Option<Vec<TaskIds<'a>>>,
    /// `ProcessId`, version 0.
    pub process_id: Option<&'a str>,
    /// `UserEndpoint`, version 0.
    pub user_endpoint: Option<Endpoint<'a>>,
    /// `ClientTags`, version 0.
    pub client_tags: Option<Vec<KeyValue<'a>>>,
    /// `TaskOffsets`, version 0.
    pub task_offsets: Option<Vec<TaskOffset<'a>>>,
    /// `TaskEndOffsets`, version 0.
    pub task_end_offsets: Option<Vec<TaskOffset<'a>>>,
    /// `ShutdownApplication`, version 0.
    pub shutdown_application: bool,
}

impl Default for StreamsGroupHeartbeatRequest<'_> {
    fn default() -> Self {
        StreamsGroupHeartbeatRequest {
            group_id: "",
            member_id: "",
            member_epoch: 0,
            endpoint_information_epoch: 0,
            instance_id: None,
            rack_id: None,
            rebalance_timeout_ms: -1,
            topology: None,
            active_tasks: None,
            standby_tasks: None,
            warmup_tasks: None,
            process_id: None,
            user_endpoint: None,
            client_tags: None,
            task_offsets: None,
            task_end_offsets: None,
            shutdown_application: false,
        }
    }
}

impl<'a> Message<'a> for StreamsGroupHeartbeatRequest<'a> {
    const NAME: &'static str = "StreamsGroupHeartbeatRequest";
    const API_KEY: Option<i16> = Some(88);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.member_id = d.string(true)?;
        message.member_epoch = d.i32()?;
        message.endpoint_information_epoch = d.i32()?;
        message.instance_id = d.nullable_string(true)?;
        message.rack_id = d.nullable_string(true)?;
        message.rebalance_timeout_ms = d.i32()?;
        message.topology = if d.present()? { Some(Topology::decode(d, version)?) } else { None };
        message.active_tasks = d.nullable_array(true, |d| TaskIds::decode(d, version))?;
        message.standby_tasks = d.nullable_array(true, |d| TaskIds::decode(d, version))?;
        message.warmup_tasks = d.nullable_array(true, |d| TaskIds::decode(d, version))?;
        message.process_id = d.nullable_string(true)?;
        message.user_endpoint = if d.present()? { Some(Endpoint::decode(d, version)?) } else { None };
        message.client_tags = d.nullable_array(true, |d| KeyValue::decode(d, version))?;
        message.task_offsets = d.nullable_array(true, |d| TaskOffset::decode(d, version))?;
        message.task_end_offsets = d.nullable_array(true, |d| TaskOffset::decode(d, version))?;
        message.shutdown_application = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.string(self.member_id, true);
        e.i32(self.member_epoch);
        e.i32(self.endpoint_information_epoch);
        e.nullable_string(self.instance_id, true);
        e.nullable_string(self.rack_id, true);
        e.i32(self.rebalance_timeout_ms);
        {
            e.present(self.topology.is_some());
            if let Some(inner) = &self.topology {
                inner.encode(e, version);
            }
        };
        e.nullable_array(self.active_tasks.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_array(self.standby_tasks.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_array(self.warmup_tasks.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_string(self.process_id, true);
        {
            e.present(self.user_endpoint.is_some());
            if let Some(inner) = &self.user_endpoint {
                inner.encode(e, version);
            }
        };
        e.nullable_array(self.client_tags.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_array(self.task_offsets.as_deref(), true, |e, item| item.encode(e, version));
        e.nullable_array(self.task_end_offsets.as_deref(), true, |e, item| item.encode(e, version));
        e.bool(self.shutdown_application);
        e.no_tags();
    }
}

/// `Topology` of [`StreamsGroupHeartbeatRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology<'a> {
    /// `Epoch`, version 0.
    pub epoch: i32,
    /// `Subtopologies`, version 0.
    pub subtopologies: Vec<Subtopology<'a>>,
}

impl<'a> Topology<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.epoch = d.i32()?;
        message.subtopologies = d.array(true, |d| Subtopology::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.epoch);
        e.array(&self.subtopologies, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Subtopology` of [`StreamsGroupHeartbeatRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subtopology<'a> {
    /// `SubtopologyId`, version 0.
    pub subtopology_id: &'a str,
    /// `SourceTopics`, version 0.
    pub source_topics: Vec<&'a str>,
    /// `SourceTopicRegex`, version 0.
    pub source_topic_regex: Vec<&'a str>,
    /// `StateChangelogTopics`, version 0.
    pub state_changelog_topics: Vec<TopicInfo<'a>>,
    /// `RepartitionSinkTopics`, version 0.
    pub repartition_sink_topics: Vec<&'a str>,
    /// `RepartitionSourceTopics`, version 0.
    pub repartition_source_topics: Vec<TopicInfo<'a>>,
    /// `CopartitionGroups`, version 0.
    pub copartition_groups: Vec<CopartitionGroup>,
}

impl<'a> Subtopology<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.subtopology_id = d.string(true)?;
        message.source_topics = d.array(true, |d| d.string(true))?;
        message.source_topic_regex = d.array(true, |d| d.string(true))?;
        message.state_changelog_topics = d.array(true, |d| TopicInfo::decode(d, version))?;
        message.repartition_sink_topics = d.array(true, |d| d.string(true))?;
        message.repartition_source_topics = d.array(true, |d| TopicInfo::decode(d, version))?;
        message.copartition_groups = d.array(true, |d| CopartitionGroup::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.subtopology_id, true);
        e.array(&self.source_topics, true, |e, item| e.string(item, true));
        e.array(&self.source_topic_regex, true, |e, item| e.string(item, true));
        e.array(&self.state_changelog_topics, true, |e, item| item.encode(e, version));
        e.array(&self.repartition_sink_topics, true, |e, item| e.string(item, true));
        e.array(&self.repartition_source_topics, true, |e, item| item.encode(e, version));
        e.array(&self.copartition_groups, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicInfo` of [`StreamsGroupHeartbeatRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicInfo<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: i32,
    /// `ReplicationFactor`, version 0.
    pub replication_factor: i16,
    /// `TopicConfigs`, version 0.
    pub topic_configs: Vec<KeyValue<'a>>,
}

impl<'a> TopicInfo<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.i32()?;
        message.replication_factor = d.i16()?;
        message.topic_configs = d.array(true, |d| KeyValue::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.name, true);
        e.i32(self.partitions);
        e.i16(self.replication_factor);
        e.array(&self.topic_configs, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `CopartitionGroup` of [`StreamsGroupHeartbeatRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CopartitionGroup {
    /// `SourceTopics`, version 0.
    pub source_topics: Vec<i16>,
    /// `SourceTopicRegex`, version 0.
    pub source_topic_regex: Vec<i16>,
    /// `RepartitionSourceTopics`, version 0.
    pub repartition_source_topics: Vec<i16>,
}

impl CopartitionGroup {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.source_topics = d.array(true, Decoder::i16)?;
        message.source_topic_regex = d.array(true, Decoder::i16)?;
        message.repartition_source_topics = d.array(true, Decoder::i16)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.array(&self.source_topics, true, |e, item| e.i16(*item));
        e.array(&self.source_topic_regex, true, |e, item| e.i16(*item));
        e.array(&self.repartition_source_topics, true, |e, item| e.i16(*item));
        e.no_tags();
    }
}

/// `TaskIds` of [`StreamsGroupHeartbeatRequest`].
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

/// `Endpoint` of [`StreamsGroupHeartbeatRequest`].
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

/// `KeyValue` of [`StreamsGroupHeartbeatRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeyValue<'a> {
    /// `Key`, version 0.
    pub key: &'a str,
    /// `Value`, version 0.
    pub value: &'a str,
}

impl<'a> KeyValue<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.key = d.string(true)?;
        message.value = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.key, true);
        e.string(self.value, true);
        e.no_tags();
    }
}

/// `TaskOffset` of [`StreamsGroupHeartbeatRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskOffset<'a> {
    /// `SubtopologyId`, version 0.
    pub subtopology_id: &'a str,
    /// `Partition`, version 0.
    pub partition: i32,
    /// `Offset`, version 0.
    pub offset: i64,
}

impl<'a> TaskOffset<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.subtopology_id = d.string(true)?;
        message.partition = d.i32()?;
        message.offset = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.subtopology_id, true);
        e.i32(self.partition);
        e.i64(self.offset);
        e.no_tags();
    }
}
