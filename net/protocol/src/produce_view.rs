//! Produce requests (0, versions 3–13) read in place: no list is built, however many partitions there are.
//!
//! [`ProduceView::decode`] walks the whole body once, so that a damaged frame is refused before anything is appended;
//! iterating walks it again, where the same reads cannot fail. Each partition tells where in the frame its records lie,
//! so that the caller can cut them out of the buffer it counts references of.

use std::ops::Range;

use crate::messages::produce_request::ProduceRequest;
use crate::{DecodeError, Decoder, Message, Uuid};

/// The first version that names topics by id.
const TOPIC_ID_FROM: i16 = 13;

/// A valid Produce request.
#[derive(Debug, Clone)]
pub struct ProduceView<'a> {
    /// Set if the producer is transactional.
    pub transactional_id: Option<&'a str>,
    /// -1 all in-sync replicas, 0 no answer, 1 the leader.
    pub acks: i16,
    /// How long to wait for replicas, in milliseconds.
    pub timeout_ms: i32,
    topics: Topics<'a>,
    partition_count: usize,
}

/// A topic of the request.
#[derive(Debug, Clone)]
pub struct ProduceTopic<'a> {
    /// The name; empty from version 13.
    pub name: &'a str,
    /// The id; zero before version 13.
    pub topic_id: Uuid,
    partitions: Partitions<'a>,
}

/// A partition of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProducePartition<'a> {
    /// The partition's number.
    pub index: i32,
    /// The batch, as sent.
    pub records: Option<&'a [u8]>,
    /// Where the records lie in the decoder's frame, in bytes; empty for null.
    pub range: Range<usize>,
}

impl<'a> ProduceView<'a> {
    /// Reads the body at the decoder, which then stands behind it.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<ProduceView<'a>, DecodeError> {
        if !ProduceRequest::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = ProduceRequest::is_flexible(version);
        let transactional_id = d.nullable_string(flexible)?;
        let acks = d.i16()?;
        let timeout_ms = d.i32()?;
        let topics = Topics { left: d.required_count(flexible)?, decoder: d.clone(), version };
        let mut partition_count = 0;
        for _ in 0..topics.left {
            let topic = read_topic(d, version)?;
            partition_count += topic.partitions.left;
            skip_partitions(d, topic.partitions.left, version)?;
        }
        if flexible {
            d.skip_tags()?;
        }
        Ok(ProduceView { transactional_id, acks, timeout_ms, topics, partition_count })
    }

    /// The topics, in the order of the request.
    pub fn topics(&self) -> impl Iterator<Item = ProduceTopic<'a>> + use<'a> {
        self.topics.clone()
    }

    /// How many partitions all topics have together.
    pub fn partition_count(&self) -> usize {
        self.partition_count
    }
}

impl<'a> ProduceTopic<'a> {
    /// The partitions, in the order of the request.
    pub fn partitions(&self) -> impl Iterator<Item = ProducePartition<'a>> + use<'a> {
        self.partitions.clone()
    }
}

#[derive(Debug, Clone)]
struct Topics<'a> {
    decoder: Decoder<'a>,
    version: i16,
    left: usize,
}

impl<'a> Iterator for Topics<'a> {
    type Item = ProduceTopic<'a>;

    fn next(&mut self) -> Option<ProduceTopic<'a>> {
        self.left = self.left.checked_sub(1)?;
        let topic = read_topic(&mut self.decoder, self.version).ok()?;
        skip_partitions(&mut self.decoder, topic.partitions.left, self.version).ok()?;
        Some(topic)
    }
}

#[derive(Debug, Clone)]
struct Partitions<'a> {
    decoder: Decoder<'a>,
    flexible: bool,
    left: usize,
}

impl<'a> Iterator for Partitions<'a> {
    type Item = ProducePartition<'a>;

    fn next(&mut self) -> Option<ProducePartition<'a>> {
        self.left = self.left.checked_sub(1)?;
        read_partition(&mut self.decoder, self.flexible).ok()
    }
}

/// Reads a topic's head; the decoder then stands at its first partition.
fn read_topic<'a>(d: &mut Decoder<'a>, version: i16) -> Result<ProduceTopic<'a>, DecodeError> {
    let flexible = ProduceRequest::is_flexible(version);
    let mut name = "";
    let mut topic_id = Uuid::ZERO;
    if version >= TOPIC_ID_FROM {
        topic_id = d.uuid()?;
    } else {
        name = d.string(flexible)?;
    }
    let left = d.required_count(flexible)?;
    Ok(ProduceTopic { name, topic_id, partitions: Partitions { decoder: d.clone(), flexible, left } })
}

/// Reads the rest of a topic: its partitions and its tags.
fn skip_partitions(d: &mut Decoder<'_>, count: usize, version: i16) -> Result<(), DecodeError> {
    let flexible = ProduceRequest::is_flexible(version);
    for _ in 0..count {
        read_partition(d, flexible)?;
    }
    if flexible { d.skip_tags() } else { Ok(()) }
}

fn read_partition<'a>(d: &mut Decoder<'a>, flexible: bool) -> Result<ProducePartition<'a>, DecodeError> {
    let index = d.i32()?;
    let records = d.nullable_bytes(flexible)?;
    let end = d.position();
    if flexible {
        d.skip_tags()?;
    }
    Ok(ProducePartition { index, records, range: end - records.map_or(0, <[u8]>::len)..end })
}
