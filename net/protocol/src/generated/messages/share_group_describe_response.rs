//! ShareGroupDescribeResponse, key 77. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareGroupDescribeResponse`, version 1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupDescribeResponse<'a> {
    /// `ThrottleTimeMs`, version 1.
    pub throttle_time_ms: i32,
    /// `Groups`, version 1.
    pub groups: Vec<DescribedGroup<'a>>,
}

impl<'a> Message<'a> for ShareGroupDescribeResponse<'a> {
    const NAME: &'static str = "ShareGroupDescribeResponse";
    const API_KEY: Option<i16> = Some(77);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=1;
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

/// `DescribedGroup` of [`ShareGroupDescribeResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedGroup<'a> {
    /// `ErrorCode`, version 1.
    pub error_code: i16,
    /// `ErrorMessage`, version 1.
    pub error_message: Option<&'a str>,
    /// `GroupId`, version 1.
    pub group_id: &'a str,
    /// `GroupState`, version 1.
    pub group_state: &'a str,
    /// `GroupEpoch`, version 1.
    pub group_epoch: i32,
    /// `AssignmentEpoch`, version 1.
    pub assignment_epoch: i32,
    /// `AssignorName`, version 1.
    pub assignor_name: &'a str,
    /// `Members`, version 1.
    pub members: Vec<Member<'a>>,
    /// `AuthorizedOperations`, version 1.
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
            assignor_name: "",
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
        message.assignor_name = d.string(true)?;
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
        e.string(self.assignor_name, true);
        e.array(&self.members, true, |e, item| item.encode(e, version));
        e.i32(self.authorized_operations);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `Member` of [`ShareGroupDescribeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Member<'a> {
    /// `MemberId`, version 1.
    pub member_id: &'a str,
    /// `RackId`, version 1.
    pub rack_id: Option<&'a str>,
    /// `MemberEpoch`, version 1.
    pub member_epoch: i32,
    /// `ClientId`, version 1.
    pub client_id: &'a str,
    /// `ClientHost`, version 1.
    pub client_host: &'a str,
    /// `SubscribedTopicNames`, version 1.
    pub subscribed_topic_names: Vec<&'a str>,
    /// `Assignment`, version 1.
    pub assignment: Assignment<'a>,
}

impl<'a> Member<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.member_id = d.string(true)?;
        message.rack_id = d.nullable_string(true)?;
        message.member_epoch = d.i32()?;
        message.client_id = d.string(true)?;
        message.client_host = d.string(true)?;
        message.subscribed_topic_names = d.array(true, |d| d.string(true))?;
        message.assignment = Assignment::decode(d, version)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.member_id, true);
        e.nullable_string(self.rack_id, true);
        e.i32(self.member_epoch);
        e.string(self.client_id, true);
        e.string(self.client_host, true);
        e.array(&self.subscribed_topic_names, true, |e, item| e.string(item, true));
        self.assignment.encode(e, version);
        e.no_tags();
    }
}

/// `Assignment` of [`ShareGroupDescribeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assignment<'a> {
    /// `TopicPartitions`, version 1.
    pub topic_partitions: Vec<TopicPartitions<'a>>,
}

impl<'a> Assignment<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
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

/// `TopicPartitions` of [`ShareGroupDescribeResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartitions<'a> {
    /// `TopicId`, version 1.
    pub topic_id: Uuid,
    /// `TopicName`, version 1.
    pub topic_name: &'a str,
    /// `Partitions`, version 1.
    pub partitions: Vec<i32>,
}

impl<'a> TopicPartitions<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.topic_name = d.string(true)?;
        message.partitions = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.topic_id);
        e.string(self.topic_name, true);
        e.array(&self.partitions, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
