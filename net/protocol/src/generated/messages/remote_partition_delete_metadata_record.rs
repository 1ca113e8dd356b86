//! RemotePartitionDeleteMetadataRecord, key 2. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `RemotePartitionDeleteMetadataRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemotePartitionDeleteMetadataRecord<'a> {
    /// `TopicIdPartition`, version 0.
    pub topic_id_partition: TopicIdPartitionEntry<'a>,
    /// `BrokerId`, version 0.
    pub broker_id: i32,
    /// `EventTimestampMs`, version 0.
    pub event_timestamp_ms: i64,
    /// `RemotePartitionDeleteState`, version 0.
    pub remote_partition_delete_state: i8,
}

impl<'a> Message<'a> for RemotePartitionDeleteMetadataRecord<'a> {
    const NAME: &'static str = "RemotePartitionDeleteMetadataRecord";
    const API_KEY: Option<i16> = Some(2);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topic_id_partition = TopicIdPartitionEntry::decode(d, version)?;
        message.broker_id = d.i32()?;
        message.event_timestamp_ms = d.i64()?;
        message.remote_partition_delete_state = d.i8()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        self.topic_id_partition.encode(e, version);
        e.i32(self.broker_id);
        e.i64(self.event_timestamp_ms);
        e.i8(self.remote_partition_delete_state);
        e.no_tags();
    }
}

/// `TopicIdPartitionEntry` of [`RemotePartitionDeleteMetadataRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicIdPartitionEntry<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Id`, version 0.
    pub id: Uuid,
    /// `Partition`, version 0.
    pub partition: i32,
}

impl<'a> TopicIdPartitionEntry<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.id = d.uuid()?;
        message.partition = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.uuid(self.id);
        e.i32(self.partition);
        e.no_tags();
    }
}
