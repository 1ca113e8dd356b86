//! OffsetFetchRequest, key 9. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `OffsetFetchRequest`, versions 1–10, flexible from 6.
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetFetchRequest<'a> {
    /// `GroupId`, versions 1–7.
    pub group_id: &'a str,
    /// `Topics`, versions 1–7.
    pub topics: Option<Vec<OffsetFetchRequestTopic<'a>>>,
    /// `Groups`, versions 8–10.
    pub groups: Vec<OffsetFetchRequestGroup<'a>>,
    /// `RequireStable`, versions 7–10.
    pub require_stable: bool,
}

impl Default for OffsetFetchRequest<'_> {
    fn default() -> Self {
        OffsetFetchRequest {
            group_id: "",
            topics: Some(Vec::new()),
            groups: Vec::new(),
            require_stable: false,
        }
    }
}

impl<'a> Message<'a> for OffsetFetchRequest<'a> {
    const NAME: &'static str = "OffsetFetchRequest";
    const API_KEY: Option<i16> = Some(9);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=10;
    const FLEXIBLE_FROM: i16 = 6;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 6;
        let mut message = Self::default();
        if version <= 7 {
            message.group_id = d.string(flexible)?;
            message.topics = if version >= 2 {
                d.nullable_array(flexible, |d| OffsetFetchRequestTopic::decode(d, version))?
            } else {
                Some(d.array(flexible, |d| OffsetFetchRequestTopic::decode(d, version))?)
            };
        }
        if version >= 8 {
            message.groups = d.array(true, |d| OffsetFetchRequestGroup::decode(d, version))?;
        }
        if version >= 7 {
            message.require_stable = d.bool()?;
        }
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        if version <= 7 {
            e.string(self.group_id, flexible);
            if version >= 2 {
                e.nullable_array(self.topics.as_deref(), flexible, |e, item| item.encode(e, version))
            } else {
                e.array(self.topics.as_deref().unwrap_or_default(), flexible, |e, item| {
                    item.encode(e, version)
                })
            };
        }
        if version >= 8 {
            e.array(&self.groups, true, |e, item| item.encode(e, version));
        }
        if version >= 7 {
            e.bool(self.require_stable);
        }
        if version >= 6 {
            e.no_tags();
        }
    }
}

/// `OffsetFetchRequestTopic` of [`OffsetFetchRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetFetchRequestTopic<'a> {
    /// `Name`, versions 1–7.
    pub name: &'a str,
    /// `PartitionIndexes`, versions 1–7.
    pub partition_indexes: Vec<i32>,
}

impl<'a> OffsetFetchRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 6;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partition_indexes = d.array(flexible, Decoder::i32)?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.string(self.name, flexible);
        e.array(&self.partition_indexes, flexible, |e, item| e.i32(*item));
        if version >= 6 {
            e.no_tags();
        }
    }
}

/// `OffsetFetchRequestGroup` of [`OffsetFetchRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetFetchRequestGroup<'a> {
    /// `GroupId`, versions 8–10.
    pub group_id: &'a str,
    /// `MemberId`, versions 9–10.
    pub member_id: Option<&'a str>,
    /// `MemberEpoch`, versions 9–10.
    pub member_epoch: i32,
    /// `Topics`, versions 8–10.
    pub topics: Option<Vec<OffsetFetchRequestTopics<'a>>>,
}

impl Default for OffsetFetchRequestGroup<'_> {
    fn default() -> Self {
        OffsetFetchRequestGroup { group_id: "", member_id: None, member_epoch: -1, topics: Some(Vec::new()) }
    }
}

impl<'a> OffsetFetchRequestGroup<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        if version >= 9 {
            message.member_id = d.nullable_string(true)?;
            message.member_epoch = d.i32()?;
        }
        message.topics = d.nullable_array(true, |d| OffsetFetchRequestTopics::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.group_id, true);
        if version >= 9 {
            e.nullable_string(self.member_id, true);
            e.i32(self.member_epoch);
        }
        e.nullable_array(self.topics.as_deref(), true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `OffsetFetchRequestTopics` of [`OffsetFetchRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffsetFetchRequestTopics<'a> {
    /// `Name`, versions 8–9.
    pub name: &'a str,
    /// `TopicId`, version 10.
    pub topic_id: Uuid,
    /// `PartitionIndexes`, versions 8–10.
    pub partition_indexes: Vec<i32>,
}

impl<'a> OffsetFetchRequestTopics<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        if version <= 9 {
            message.name = d.string(true)?;
        }
        if version >= 10 {
            message.topic_id = d.uuid()?;
        }
        message.partition_indexes = d.array(true, Decoder::i32)?;
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
        e.array(&self.partition_indexes, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
