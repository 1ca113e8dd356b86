//! Fetch requests (1, versions 4–18) read in place: no list is built, however many partitions there are.
//!
//! Like [`crate::ProduceView`]: one walk that refuses a damaged frame, then iterators that repeat it. The replica's id is
//! one field here, wherever its version puts it (plain before 15, tagged `ReplicaState` since, KIP-903).

use crate::messages::fetch_request::FetchRequest;
use crate::{DecodeError, Decoder, Message, Uuid};

/// The first version that names topics by id.
const TOPIC_ID_FROM: i16 = 13;

/// A valid Fetch request.
#[derive(Debug, Clone)]
pub struct FetchView<'a> {
    /// The sender's cluster id, if it is a replica that knows it.
    pub cluster_id: Option<&'a str>,
    /// -1 for a consumer, else the follower's node id.
    pub replica_id: i32,
    /// The follower's broker epoch, or -1.
    pub replica_epoch: i64,
    /// How long to wait for `min_bytes`, in milliseconds.
    pub max_wait_ms: i32,
    /// Answer as soon as this many bytes are there.
    pub min_bytes: i32,
    /// The most bytes of records to return, but for a first batch that is larger (Q57).
    pub max_bytes: i32,
    /// 0 read uncommitted, 1 read committed.
    pub isolation_level: i8,
    /// The fetch session, or 0.
    pub session_id: i32,
    /// The session's epoch; -1 for no session (Q61).
    pub session_epoch: i32,
    /// The consumer's rack, or empty.
    pub rack_id: &'a str,
    topics: Topics<'a>,
    forgotten: ForgottenTopics<'a>,
    partition_count: usize,
}

/// A topic of the request.
#[derive(Debug, Clone)]
pub struct FetchTopic<'a> {
    /// The name; empty from version 13.
    pub name: &'a str,
    /// The id; zero before version 13.
    pub topic_id: Uuid,
    partitions: Partitions<'a>,
}

/// A partition of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchPartition {
    /// The partition's number.
    pub index: i32,
    /// The leader epoch the client knows, or -1.
    pub current_leader_epoch: i32,
    /// The first offset wanted.
    pub fetch_offset: i64,
    /// The epoch of the last record the follower has, or -1.
    pub last_fetched_epoch: i32,
    /// The follower's log start offset, or -1.
    pub log_start_offset: i64,
    /// The most bytes of records from this partition.
    pub max_bytes: i32,
    /// The follower's directory, or zero.
    pub replica_directory_id: Uuid,
    /// The high watermark the follower knows; `i64::MAX` if it does not say.
    pub high_watermark: i64,
}

/// A topic that leaves the session.
#[derive(Debug, Clone)]
pub struct ForgottenTopic<'a> {
    /// The name; empty from version 13.
    pub name: &'a str,
    /// The id; zero before version 13.
    pub topic_id: Uuid,
    indexes: Indexes<'a>,
}

impl<'a> FetchView<'a> {
    /// Reads the body at the decoder, which then stands behind it.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<FetchView<'a>, DecodeError> {
        if !FetchRequest::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = FetchRequest::is_flexible(version);
        let replica_id = if version <= 14 { d.i32()? } else { -1 };
        let max_wait_ms = d.i32()?;
        let min_bytes = d.i32()?;
        let max_bytes = d.i32()?;
        let isolation_level = d.i8()?;
        let (session_id, session_epoch) = if version >= 7 { (d.i32()?, d.i32()?) } else { (0, -1) };
        let topics = Topics { left: d.required_count(flexible)?, decoder: d.clone(), version };
        let partition_count = skip_topics(d, topics.left, version)?;
        let forgotten_count = if version >= 7 { d.required_count(flexible)? } else { 0 };
        let forgotten = ForgottenTopics { left: forgotten_count, decoder: d.clone(), version };
        skip_forgotten(d, forgotten_count, version)?;
        let rack_id = if version >= 11 { d.string(flexible)? } else { "" };
        let mut view = FetchView {
            cluster_id: None,
            replica_id,
            replica_epoch: -1,
            max_wait_ms,
            min_bytes,
            max_bytes,
            isolation_level,
            session_id,
            session_epoch,
            rack_id,
            topics,
            forgotten,
            partition_count,
        };
        if flexible {
            view.read_tags(d, version)?;
        }
        Ok(view)
    }

    fn read_tags(&mut self, d: &mut Decoder<'a>, version: i16) -> Result<(), DecodeError> {
        d.tags(|d, tag| {
            match tag {
                0 => self.cluster_id = d.nullable_string(true)?,
                1 if version >= 15 => {
                    self.replica_id = d.i32()?;
                    self.replica_epoch = d.i64()?;
                    d.skip_tags()?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    /// The topics, in the order of the request, which is the order to serve them in (Q58).
    pub fn topics(&self) -> impl Iterator<Item = FetchTopic<'a>> + use<'a> {
        self.topics.clone()
    }

    /// The topics that leave the session.
    pub fn forgotten_topics(&self) -> impl Iterator<Item = ForgottenTopic<'a>> + use<'a> {
        self.forgotten.clone()
    }

    /// How many partitions all topics have together.
    pub fn partition_count(&self) -> usize {
        self.partition_count
    }
}

impl<'a> FetchTopic<'a> {
    /// The partitions, in the order of the request.
    pub fn partitions(&self) -> impl Iterator<Item = FetchPartition> + use<'a> {
        self.partitions.clone()
    }
}

impl<'a> ForgottenTopic<'a> {
    /// The numbers of the partitions that leave.
    pub fn partitions(&self) -> impl Iterator<Item = i32> + use<'a> {
        self.indexes.clone()
    }
}

#[derive(Debug, Clone)]
struct Topics<'a> {
    decoder: Decoder<'a>,
    version: i16,
    left: usize,
}

impl<'a> Iterator for Topics<'a> {
    type Item = FetchTopic<'a>;

    fn next(&mut self) -> Option<FetchTopic<'a>> {
        self.left = self.left.checked_sub(1)?;
        let topic = read_topic(&mut self.decoder, self.version).ok()?;
        skip_partitions(&mut self.decoder, topic.partitions.left, self.version).ok()?;
        Some(topic)
    }
}

#[derive(Debug, Clone)]
struct Partitions<'a> {
    decoder: Decoder<'a>,
    version: i16,
    left: usize,
}

impl Iterator for Partitions<'_> {
    type Item = FetchPartition;

    fn next(&mut self) -> Option<FetchPartition> {
        self.left = self.left.checked_sub(1)?;
        read_partition(&mut self.decoder, self.version).ok()
    }
}

#[derive(Debug, Clone)]
struct ForgottenTopics<'a> {
    decoder: Decoder<'a>,
    version: i16,
    left: usize,
}

impl<'a> Iterator for ForgottenTopics<'a> {
    type Item = ForgottenTopic<'a>;

    fn next(&mut self) -> Option<ForgottenTopic<'a>> {
        self.left = self.left.checked_sub(1)?;
        read_forgotten(&mut self.decoder, self.version).ok()
    }
}

#[derive(Debug, Clone)]
struct Indexes<'a> {
    decoder: Decoder<'a>,
    left: usize,
}

impl Iterator for Indexes<'_> {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        self.left = self.left.checked_sub(1)?;
        self.decoder.i32().ok()
    }
}

/// A topic's name before version 13, its id since.
fn read_name<'a>(d: &mut Decoder<'a>, version: i16) -> Result<(&'a str, Uuid), DecodeError> {
    if version >= TOPIC_ID_FROM {
        Ok(("", d.uuid()?))
    } else {
        Ok((d.string(FetchRequest::is_flexible(version))?, Uuid::ZERO))
    }
}

/// Reads a topic's head; the decoder then stands at its first partition.
fn read_topic<'a>(d: &mut Decoder<'a>, version: i16) -> Result<FetchTopic<'a>, DecodeError> {
    let (name, topic_id) = read_name(d, version)?;
    let left = d.required_count(FetchRequest::is_flexible(version))?;
    Ok(FetchTopic { name, topic_id, partitions: Partitions { decoder: d.clone(), version, left } })
}

/// Reads the rest of a topic: its partitions and its tags.
fn skip_partitions(d: &mut Decoder<'_>, count: usize, version: i16) -> Result<(), DecodeError> {
    for _ in 0..count {
        read_partition(d, version)?;
    }
    if FetchRequest::is_flexible(version) { d.skip_tags() } else { Ok(()) }
}

/// Reads all topics and counts their partitions.
fn skip_topics(d: &mut Decoder<'_>, count: usize, version: i16) -> Result<usize, DecodeError> {
    let mut partition_count = 0;
    for _ in 0..count {
        let topic = read_topic(d, version)?;
        partition_count += topic.partitions.left;
        skip_partitions(d, topic.partitions.left, version)?;
    }
    Ok(partition_count)
}

fn skip_forgotten(d: &mut Decoder<'_>, count: usize, version: i16) -> Result<(), DecodeError> {
    for _ in 0..count {
        read_forgotten(d, version)?;
    }
    Ok(())
}

fn read_partition(d: &mut Decoder<'_>, version: i16) -> Result<FetchPartition, DecodeError> {
    let mut partition = FetchPartition {
        index: d.i32()?,
        current_leader_epoch: if version >= 9 { d.i32()? } else { -1 },
        fetch_offset: d.i64()?,
        last_fetched_epoch: if version >= 12 { d.i32()? } else { -1 },
        log_start_offset: if version >= 5 { d.i64()? } else { -1 },
        max_bytes: d.i32()?,
        replica_directory_id: Uuid::ZERO,
        high_watermark: i64::MAX,
    };
    if FetchRequest::is_flexible(version) {
        d.tags(|d, tag| {
            match tag {
                0 if version >= 17 => partition.replica_directory_id = d.uuid()?,
                1 if version >= 18 => partition.high_watermark = d.i64()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
    }
    Ok(partition)
}

fn read_forgotten<'a>(d: &mut Decoder<'a>, version: i16) -> Result<ForgottenTopic<'a>, DecodeError> {
    let flexible = FetchRequest::is_flexible(version);
    let (name, topic_id) = read_name(d, version)?;
    let left = d.required_count(flexible)?;
    let indexes = Indexes { decoder: d.clone(), left };
    d.take(left.saturating_mul(size_of::<i32>()))?;
    if flexible {
        d.skip_tags()?;
    }
    Ok(ForgottenTopic { name, topic_id, indexes })
}
