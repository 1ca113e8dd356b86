//! StreamsGroupTopologyValue, key 23. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupTopologyValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamsGroupTopologyValue<'a> {
    /// `Epoch`, version 0.
    pub epoch: i32,
    /// `Subtopologies`, version 0.
    pub subtopologies: Vec<Subtopology<'a>>,
}

impl<'a> Message<'a> for StreamsGroupTopologyValue<'a> {
    const NAME: &'static str = "StreamsGroupTopologyValue";
    const API_KEY: Option<i16> = Some(23);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.epoch = d.i32()?;
        message.subtopologies = d.array(true, |d| Subtopology::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.epoch);
        e.array(&self.subtopologies, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Subtopology` of [`StreamsGroupTopologyValue`].
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

/// `TopicInfo` of [`StreamsGroupTopologyValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicInfo<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Partitions`, version 0.
    pub partitions: i32,
    /// `ReplicationFactor`, version 0.
    pub replication_factor: i16,
    /// `TopicConfigs`, version 0.
    pub topic_configs: Vec<TopicConfig<'a>>,
}

impl<'a> TopicInfo<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partitions = d.i32()?;
        message.replication_factor = d.i16()?;
        message.topic_configs = d.array(true, |d| TopicConfig::decode(d, version))?;
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

/// `CopartitionGroup` of [`StreamsGroupTopologyValue`].
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

/// `TopicConfig` of [`StreamsGroupTopologyValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicConfig<'a> {
    /// `key`, version 0.
    pub key: &'a str,
    /// `value`, version 0.
    pub value: &'a str,
}

impl<'a> TopicConfig<'a> {
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
