//! StreamsGroupDescribeResponse, key 89. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupDescribeResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamsGroupDescribeResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `Groups`, version 0.
    pub groups: Vec<DescribedGroup<'a>>,
}

impl<'a> Message<'a> for StreamsGroupDescribeResponse<'a> {
    const NAME: &'static str = "StreamsGroupDescribeResponse";
    const API_KEY: Option<i16> = Some(89);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.groups = d.array(true, |d| DescribedGroup::decode(d, version))?;
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

/// `DescribedGroup` of [`StreamsGroupDescribeResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedGroup<'a> {
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `GroupId`, version 0.
    pub group_id: &'a str,
    /// `GroupState`, version 0.
    pub group_state: &'a str,
    /// `GroupEpoch`, version 0.
    pub group_epoch: i32,
    /// `AssignmentEpoch`, version 0.
    pub assignment_epoch: i32,
    /// `Topology`, version 0.
    pub topology: Option<Topology<'a>>,
    /// `Members`, version 0.
    pub members: Vec<Member<'a>>,
    /// `AuthorizedOperations`, version 0.
    pub authorized_operations: i32,
}

impl Default for DescribedGroup<'_> {
    fn default() -> Self {
        DescribedGroup {
            error_code: 0,
            error_message: None,
            group_id: "",
            group_state: "",
            group_epoch: 0,
            assignment_epoch: 0,
            topology: None,
            members: Vec::new(),
            authorized_operations: -2147483648,
        }
    }
}

impl<'a> DescribedGroup<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.group_id = d.string(true)?;
        message.group_state = d.string(true)?;
        message.group_epoch = d.i32()?;
        message.assignment_epoch = d.i32()?;
        message.topology = if d.present()? { Some(Topology::decode(d, version)?) } else { None };
        message.members = d.array(true, |d| Member::decode(d, version))?;
        message.authorized_operations = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.string(self.group_id, true);
        e.string(self.group_state, true);
        e.i32(self.group_epoch);
        e.i32(self.assignment_epoch);
        {
            e.present(self.topology.is_some());
            if let Some(inner) = &self.topology {
                inner.encode(e, version);
            }
        };
        e.array(&self.members, true, |e, item| item.encode(e, version));
        e.i32(self.authorized_operations);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `Topology` of [`StreamsGroupDescribeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology<'a> {
    /// `Epoch`, version 0.
    pub epoch: i32,
    /// `Subtopologies`, version 0.
    pub subtopologies: Option<Vec<Subtopology<'a>>>,
}

impl<'a> Topology<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.epoch = d.i32()?;
        message.subtopologies = d.nullable_array(true, |d| Subtopology::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.epoch);
        e.nullable_array(self.subtopologies.as_deref(), true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Subtopology` of [`StreamsGroupDescribeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subtopology<'a> {
    /// `SubtopologyId`, version 0.
    pub subtopology_id: &'a str,
    /// `SourceTopics`, version 0.
    pub source_topics: Vec<&'a str>,
    /// `RepartitionSinkTopics`, version 0.
    pub repartition_sink_topics: Vec<&'a str>,
    /// `StateChangelogTopics`, version 0.
    pub state_changelog_topics: Vec<TopicInfo<'a>>,
    /// `RepartitionSourceTopics`, version 0.
    pub repartition_source_topics: Vec<TopicInfo<'a>>,
}

impl<'a> Subtopology<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.subtopology_id = d.string(true)?;
        message.source_topics = d.array(true, |d| d.string(true))?;
        message.repartition_sink_topics = d.array(true, |d| d.string(true))?;
        message.state_changelog_topics = d.array(true, |d| TopicInfo::decode(d, version))?;
        message.repartition_source_topics = d.array(true, |d| TopicInfo::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.subtopology_id, true);
        e.array(&self.source_topics, true, |e, item| e.string(item, true));
        e.array(&self.repartition_sink_topics, true, |e, item| e.string(item, true));
        e.array(&self.state_changelog_topics, true, |e, item| item.encode(e, version));
        e.array(&self.repartition_source_topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicInfo` of [`StreamsGroupDescribeResponse`].
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

/// `Member` of [`StreamsGroupDescribeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Member<'a> {
    /// `MemberId`, version 0.
    pub member_id: &'a str,
    /// `MemberEpoch`, version 0.
    pub member_epoch: i32,
    /// `InstanceId`, version 0.
    pub instance_id: Option<&'a str>,
    /// `RackId`, version 0.
    pub rack_id: Option<&'a str>,
    /// `ClientId`, version 0.
    pub client_id: &'a str,
    /// `ClientHost`, version 0.
    pub client_host: &'a str,
    /// `TopologyEpoch`, version 0.
    pub topology_epoch: i32,
    /// `ProcessId`, version 0.
    pub process_id: &'a str,
    /// `UserEndpoint`, version 0.
    pub user_endpoint: Option<Endpoint<'a>>,
    /// `ClientTags`, version 0.
    pub client_tags: Vec<KeyValue<'a>>,
    /// `TaskOffsets`, version 0.
    pub task_offsets: Vec<TaskOffset<'a>>,
    /// `TaskEndOffsets`, version 0.
    pub task_end_offsets: Vec<TaskOffset<'a>>,
    /// `Assignment`, version 0.
    pub assignment: Assignment<'a>,
    /// `TargetAssignment`, version 0.
    pub target_assignment: Assignment<'a>,
    /// `IsClassic`, version 0.
    pub is_classic: bool,
}

impl<'a> Member<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.member_id = d.string(true)?;
        message.member_epoch = d.i32()?;
        message.instance_id = d.nullable_string(true)?;
        message.rack_id = d.nullable_string(true)?;
        message.client_id = d.string(true)?;
        message.client_host = d.string(true)?;
        message.topology_epoch = d.i32()?;
        message.process_id = d.string(true)?;
        message.user_endpoint = if d.present()? { Some(Endpoint::decode(d, version)?) } else { None };
        message.client_tags = d.array(true, |d| KeyValue::decode(d, version))?;
        message.task_offsets = d.array(true, |d| TaskOffset::decode(d, version))?;
        message.task_end_offsets = d.array(true, |d| TaskOffset::decode(d, version))?;
        message.assignment = Assignment::decode(d, version)?;
        message.target_assignment = Assignment::decode(d, version)?;
        message.is_classic = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.member_id, true);
        e.i32(self.member_epoch);
        e.nullable_string(self.instance_id, true);
        e.nullable_string(self.rack_id, true);
        e.string(self.client_id, true);
        e.string(self.client_host, true);
        e.i32(self.topology_epoch);
        e.string(self.process_id, true);
        {
            e.present(self.user_endpoint.is_some());
            if let Some(inner) = &self.user_endpoint {
                inner.encode(e, version);
            }
        };
        e.array(&self.client_tags, true, |e, item| item.encode(e, version));
        e.array(&self.task_offsets, true, |e, item| item.encode(e, version));
        e.array(&self.task_end_offsets, true, |e, item| item.encode(e, version));
        self.assignment.encode(e, version);
        self.target_assignment.encode(e, version);
        e.bool(self.is_classic);
        e.no_tags();
    }
}

/// `Endpoint` of [`StreamsGroupDescribeResponse`].
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

/// `KeyValue` of [`StreamsGroupDescribeResponse`].
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

/// `TaskOffset` of [`StreamsGroupDescribeResponse`].
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

/// `Assignment` of [`StreamsGroupDescribeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assignment<'a> {
    /// `ActiveTasks`, version 0.
    pub active_tasks: Vec<TaskIds<'a>>,
    /// `StandbyTasks`, version 0.
    pub standby_tasks: Vec<TaskIds<'a>>,
    /// `WarmupTasks`, version 0.
    pub warmup_tasks: Vec<TaskIds<'a>>,
}

impl<'a> Assignment<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.active_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        message.standby_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        message.warmup_tasks = d.array(true, |d| TaskIds::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.active_tasks, true, |e, item| item.encode(e, version));
        e.array(&self.standby_tasks, true, |e, item| item.encode(e, version));
        e.array(&self.warmup_tasks, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TaskIds` of [`StreamsGroupDescribeResponse`].
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
