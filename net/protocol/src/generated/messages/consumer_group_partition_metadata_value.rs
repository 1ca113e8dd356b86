//! ConsumerGroupPartitionMetadataValue, key 4. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ConsumerGroupPartitionMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsumerGroupPartitionMetadataValue<'a> {
    /// `Topics`, version 0.
    pub topics: Vec<TopicMetadata<'a>>,
}

impl<'a> Message<'a> for ConsumerGroupPartitionMetadataValue<'a> {
    const NAME: &'static str = "ConsumerGroupPartitionMetadataValue";
    const API_KEY: Option<i16> = Some(4);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topics = d.array(true, |d| TopicMetadata::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicMetadata` of [`ConsumerGroupPartitionMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicMetadata<'a> {
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
    /// `NumPartitions`, version 0.
    pub num_partitions: i32,
    /// `PartitionMetadata`, version 0.
    pub partition_metadata: Vec<PartitionMetadata<'a>>,
}

impl<'a> TopicMetadata<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.topic_name = d.string(true)?;
        message.num_partitions = d.i32()?;
        message.partition_metadata = d.array(true, |d| PartitionMetadata::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.uuid(self.topic_id);
        e.string(self.topic_name, true);
        e.i32(self.num_partitions);
        e.array(&self.partition_metadata, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `PartitionMetadata` of [`ConsumerGroupPartitionMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionMetadata<'a> {
    /// `Partition`, version 0.
    pub partition: i32,
    /// `Racks`, version 0.
    pub racks: Vec<&'a str>,
}

impl<'a> PartitionMetadata<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition = d.i32()?;
        message.racks = d.array(true, |d| d.string(true))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.partition);
        e.array(&self.racks, true, |e, item| e.string(item, true));
        e.no_tags();
    }
}
