//! ListPartitionReassignmentsRequest, key 46. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListPartitionReassignmentsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPartitionReassignmentsRequest<'a> {
    /// `TimeoutMs`, version 0.
    pub timeout_ms: i32,
    /// `Topics`, version 0.
    pub topics: Option<Vec<ListPartitionReassignmentsTopics<'a>>>,
}

impl Default for ListPartitionReassignmentsRequest<'_> {
    fn default() -> Self {
        ListPartitionReassignmentsRequest { timeout_ms: 60000, topics: None }
    }
}

impl<'a> Message<'a> for ListPartitionReassignmentsRequest<'a> {
    const NAME: &'static str = "ListPartitionReassignmentsRequest";
    const API_KEY: Option<i16> = Some(46);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.timeout_ms = d.i32()?;
        message.topics = d.nullable_array(true, |d| ListPartitionReassignmentsTopics::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.timeout_ms);
        e.nullable_array(self.topics.as_deref(), true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `ListPartitionReassignmentsTopics` of [`ListPartitionReassignmentsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListPartitionReassignmentsTopics<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `PartitionIndexes`, version 0.
    pub partition_indexes: Vec<i32>,
}

impl<'a> ListPartitionReassignmentsTopics<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.partition_indexes = d.array(true, Decoder::i32)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.array(&self.partition_indexes, true, |e, item| e.i32(*item));
        e.no_tags();
    }
}
