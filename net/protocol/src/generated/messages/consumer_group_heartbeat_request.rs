//! ConsumerGroupHeartbeatRequest, key 68. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ConsumerGroupHeartbeatRequest`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsumerGroupHeartbeatRequest<'a> {
    /// `GroupId`, versions 0–1.
    pub group_id: &'a str,
    /// `MemberId`, versions 0–1.
    pub member_id: &'a str,
    /// `MemberEpoch`, versions 0–1.
    pub member_epoch: i32,
    /// `InstanceId`, versions 0–1.
    pub instance_id: Option<&'a str>,
    /// `RackId`, versions 0–1.
    pub rack_id: Option<&'a str>,
    /// `RebalanceTimeoutMs`, versions 0–1.
    pub rebalance_timeout_ms: i32,
    /// `SubscribedTopicNames`, versions 0–1.
    pub subscribed_topic_names: Option<Vec<&'a str>>,
    /// `SubscribedTopicRegex`, version 1.
    pub subscribed_topic_regex: Option<&'a str>,
    /// `ServerAssignor`, versions 0–1.
    pub server_assignor: Option<&'a str>,
    /// `TopicPartitions`, versions 0–1.
    pub topic_partitions: Option<Vec<TopicPartitions>>,
}

impl Default for ConsumerGroupHeartbeatRequest<'_> {
    fn default() -> Self {
        ConsumerGroupHeartbeatRequest {
            group_id: "",
            member_id: "",
            member_epoch: 0,
            instance_id: None,
            rack_id: None,
            rebalance_timeout_ms: -1,
            subscribed_topic_names: None,
            subscribed_topic_regex: None,
            server_assignor: None,
            topic_partitions: None,
        }
    }
}

impl<'a> Message<'a> for ConsumerGroupHeartbeatRequest<'a> {
    const NAME: &'static str = "ConsumerGroupHeartbeatRequest";
    const API_KEY: Option<i16> = Some(68);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.member_id = d.string(true)?;
        message.member_epoch = d.i32()?;
        message.instance_id = d.nullable_string(true)?;
        message.rack_id = d.nullable_string(true)?;
        message.rebalance_timeout_ms = d.i32()?;
        message.subscribed_topic_names = d.nullable_array(true, |d| d.string(true))?;
        if version >= 1 {
            message.subscribed_topic_regex = d.nullable_string(true)?;
        }
        message.server_assignor = d.nullable_string(true)?;
        message.topic_partitions = d.nullable_array(true, |d| TopicPartitions::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        e.string(self.member_id, true);
        e.i32(self.member_epoch);
        e.nullable_string(self.instance_id, true);
        e.nullable_string(self.rack_id, true);
        e.i32(self.rebalance_timeout_ms);
        e.nullable_array(self.subscribed_topic_names.as_deref(), true, |e, item| e.string(item, true));
        if version >= 1 {
            e.nullable_string(self.subscribed_topic_regex, true);
        }
        e.nullable_string(self.server_assignor, true);
        e.nullable_array(self.topic_partitions.as_deref(), true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicPartitions` of [`ConsumerGroupHeartbeatRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartitions {
    /// `TopicId`, versions 0–1.
    pub topic_id: Uuid,
    /// `Partitions`, versions 0–1.
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
