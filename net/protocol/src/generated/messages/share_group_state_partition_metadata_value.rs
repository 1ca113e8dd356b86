//! ShareGroupStatePartitionMetadataValue, key 15. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareGroupStatePartitionMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupStatePartitionMetadataValue<'a> {
    /// `InitializingTopics`, version 0.
    pub initializing_topics: Vec<TopicPartitionsInfo<'a>>,
    /// `InitializedTopics`, version 0.
    pub initialized_topics: Vec<TopicPartitionsInfo<'a>>,
    /// `DeletingTopics`, version 0.
    pub deleting_topics: Vec<TopicInfo<'a>>,
}

impl<'a> Message<'a> for ShareGroupStatePartitionMetadataValue<'a> {
    const NAME: &'static str = "ShareGroupStatePartitionMetadataValue";
    const API_KEY: Option<i16> = Some(15);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.initializing_topics = d.array(true, |d| TopicPartitionsInfo::decode(d, version))?;
        message.initialized_topics = d.array(true, |d| TopicPartitionsInfo::decode(d, version))?;
        message.deleting_topics = d.array(true, |d| TopicInfo::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.initializing_topics, true, |e, item| item.encode(e, version));
        e.array(&self.initialized_topics, true, |e, item| item.encode(e, version));
        e.array(&self.deleting_topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicPartitionsInfo` of [`ShareGroupStatePartitionMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicPartitionsInfo<'a> {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: Vec<i32>,
}

impl<'a> TopicPartitionsInfo<'a> {
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

/// `TopicInfo` of [`ShareGroupStatePartitionMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicInfo<'a> {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
}

impl<'a> TopicInfo<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.topic_name = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.topic_id);
        e.string(self.topic_name, true);
        e.no_tags();
    }
}
