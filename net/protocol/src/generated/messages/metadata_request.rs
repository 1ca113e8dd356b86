//! MetadataRequest, key 3. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `MetadataRequest`, versions 0–13, flexible from 9.
#[derive(Debug, Clone, PartialEq)]
pub struct MetadataRequest<'a> {
    /// `Topics`, versions 0–13.
    pub topics: Option<Vec<MetadataRequestTopic<'a>>>,
    /// `AllowAutoTopicCreation`, versions 4–13.
    pub allow_auto_topic_creation: bool,
    /// `IncludeClusterAuthorizedOperations`, versions 8–10.
    pub include_cluster_authorized_operations: bool,
    /// `IncludeTopicAuthorizedOperations`, versions 8–13.
    pub include_topic_authorized_operations: bool,
}

impl Default for MetadataRequest<'_> {
    fn default() -> Self {
        MetadataRequest {
            topics: Some(Vec::new()),
            allow_auto_topic_creation: true,
            include_cluster_authorized_operations: false,
            include_topic_authorized_operations: false,
        }
    }
}

impl<'a> Message<'a> for MetadataRequest<'a> {
    const NAME: &'static str = "MetadataRequest";
    const API_KEY: Option<i16> = Some(3);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=13;
    const FLEXIBLE_FROM: i16 = 9;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 9;
        let mut message = Self::default();
        message.topics = if version >= 1 {
            d.nullable_array(flexible, |d| MetadataRequestTopic::decode(d, version))?
        } else {
            Some(d.array(flexible, |d| MetadataRequestTopic::decode(d, version))?)
        };
        if version >= 4 {
            message.allow_auto_topic_creation = d.bool()?;
        }
        if (8..=10).contains(&version) {
            message.include_cluster_authorized_operations = d.bool()?;
        }
        if version >= 8 {
            message.include_topic_authorized_operations = d.bool()?;
        }
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        if version >= 1 {
            e.nullable_array(self.topics.as_deref(), flexible, |e, item| item.encode(e, version))
        } else {
            e.array(self.topics.as_deref().unwrap_or_default(), flexible, |e, item| item.encode(e, version))
        };
        if version >= 4 {
            e.bool(self.allow_auto_topic_creation);
        }
        if (8..=10).contains(&version) {
            e.bool(self.include_cluster_authorized_operations);
        }
        if version >= 8 {
            e.bool(self.include_topic_authorized_operations);
        }
        if version >= 9 {
            e.no_tags();
        }
    }
}

/// `MetadataRequestTopic` of [`MetadataRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct MetadataRequestTopic<'a> {
    /// `TopicId`, versions 10–13.
    pub topic_id: Uuid,
    /// `Name`, versions 0–13.
    pub name: Option<&'a str>,
}

impl Default for MetadataRequestTopic<'_> {
    fn default() -> Self {
        MetadataRequestTopic { topic_id: Uuid::ZERO, name: Some("") }
    }
}

impl<'a> MetadataRequestTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 9;
        let mut message = Self::default();
        if version >= 10 {
            message.topic_id = d.uuid()?;
        }
        message.name = if version >= 10 { d.nullable_string(flexible)? } else { Some(d.string(flexible)?) };
        if version >= 9 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 9;
        if version >= 10 {
            e.uuid(self.topic_id);
        }
        if version >= 10 {
            e.nullable_string(self.name, flexible)
        } else {
            e.string(self.name.unwrap_or_default(), flexible)
        };
        if version >= 9 {
            e.no_tags();
        }
    }
}
