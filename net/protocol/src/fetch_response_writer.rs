//! Fetch responses (1, versions 4–18) written from front to back, with the records as external parts.
//!
//! The caller goes through its topics and partitions once and needs no list of them in memory; the counts it must tell
//! ahead. The order of calls: [`FetchResponseWriter::begin`], then for each topic [`FetchResponseWriter::begin_topic`] and
//! its partitions, then [`FetchResponseWriter::finish`]. Miscounting is a bug of ours and panics.

use crate::messages::fetch_response::{
    AbortedTransaction, EpochEndOffset, FetchResponse, LeaderIdAndEpoch, NodeEndpoint, SnapshotId,
};
use crate::segmented::{Frame, Segmented};
use crate::{ApiKey, Encoder, ErrorCode, Message, Uuid};

/// The first version that names topics by id.
const TOPIC_ID_FROM: i16 = 13;

/// Writes one Fetch response frame, size prefix and header included.
#[derive(Debug)]
pub struct FetchResponseWriter<B> {
    frame: Segmented<B>,
    version: i16,
    flexible: bool,
    /// Topics that were announced and not begun.
    topics_left: usize,
    /// Partitions of the topic at hand that were announced and not written.
    partitions_left: usize,
}

/// What stands before the topics.
#[derive(Debug, Clone, Copy, Default)]
pub struct FetchHead {
    /// How long the client was throttled, in milliseconds.
    pub throttle_time_ms: i32,
    /// An error of the whole request (from version 7).
    pub error: ErrorCode,
    /// The fetch session, or 0 (from version 7).
    pub session_id: i32,
    /// How many topics follow.
    pub topic_count: usize,
}

/// A partition's answer, without its records.
#[derive(Debug, Clone)]
pub struct FetchPartitionHead<'a> {
    /// The partition's number.
    pub index: i32,
    /// What became of it.
    pub error: ErrorCode,
    /// The high watermark, or -1 on an error.
    pub high_watermark: i64,
    /// The last stable offset.
    pub last_stable_offset: i64,
    /// The log start offset (from version 5).
    pub log_start_offset: i64,
    /// Where the follower's log diverges (from version 12).
    pub diverging_epoch: Option<EpochEndOffset>,
    /// Who leads the partition now (from version 12).
    pub current_leader: Option<LeaderIdAndEpoch>,
    /// The snapshot to fetch instead (from version 12).
    pub snapshot_id: Option<SnapshotId>,
    /// Transactions to leave out; `None` for read uncommitted (Q55).
    pub aborted_transactions: Option<&'a [AbortedTransaction]>,
    /// The replica to read from instead, or -1 (from version 11).
    pub preferred_read_replica: i32,
}

impl Default for FetchPartitionHead<'_> {
    fn default() -> Self {
        FetchPartitionHead {
            index: 0,
            error: ErrorCode::None,
            high_watermark: -1,
            last_stable_offset: -1,
            log_start_offset: -1,
            diverging_epoch: None,
            current_leader: None,
            snapshot_id: None,
            aborted_transactions: None,
            preferred_read_replica: -1,
        }
    }
}

/// The records of a partition.
#[derive(Debug)]
pub enum Records<B> {
    /// Null. Clients take it, but prefer `Empty` even on an error (Q64).
    Null,
    /// No bytes.
    Empty,
    /// One part and its length in bytes.
    One(B, usize),
    /// Parts in order, each with its length in bytes.
    Many(Vec<(B, usize)>),
}

impl<B> FetchResponseWriter<B> {
    /// Starts the frame in `buffer`, which is emptied.
    pub fn begin(
        buffer: Vec<u8>,
        version: i16,
        correlation_id: i32,
        head: FetchHead,
    ) -> FetchResponseWriter<B> {
        assert!(FetchResponse::VERSIONS.contains(&version), "Fetch has no version {version}");
        let flexible = FetchResponse::is_flexible(version);
        let mut frame = Segmented::new(buffer);
        let e = frame.encoder();
        e.begin_response(ApiKey::Fetch, version, correlation_id);
        e.i32(head.throttle_time_ms);
        if version >= 7 {
            e.i16(head.error.code());
            e.i32(head.session_id);
        }
        e.length(head.topic_count, flexible);
        FetchResponseWriter { frame, version, flexible, topics_left: head.topic_count, partitions_left: 0 }
    }

    /// Starts a topic; the version chooses between name and id.
    pub fn begin_topic(&mut self, name: &str, topic_id: Uuid, partition_count: usize) {
        assert_eq!(self.partitions_left, 0, "a topic begins before the last one is complete");
        assert!(self.topics_left > 0, "more topics than announced");
        self.topics_left -= 1;
        self.partitions_left = partition_count;
        let e = self.frame.encoder();
        if self.version >= TOPIC_ID_FROM {
            e.uuid(topic_id);
        } else {
            e.string(name, self.flexible);
        }
        e.length(partition_count, self.flexible);
        if partition_count == 0 {
            self.end_topic();
        }
    }

    /// Adds the next partition of the topic.
    pub fn push_partition(&mut self, head: &FetchPartitionHead<'_>, records: Records<B>) {
        assert!(self.partitions_left > 0, "more partitions than announced");
        self.partitions_left -= 1;
        self.write_partition_head(head);
        match records {
            Records::Null => self.frame.encoder().null(self.flexible),
            Records::Empty => self.frame.encoder().length(0, self.flexible),
            Records::One(part, len) => self.push_records([(part, len)]),
            Records::Many(parts) => self.push_records(parts),
        }
        if self.flexible {
            write_partition_tags(self.frame.encoder(), head);
        }
        if self.partitions_left == 0 {
            self.end_topic();
        }
    }

    /// Ends the frame. The endpoints of leaders named in `current_leader` go into version 16 and later (KIP-951).
    pub fn finish(mut self, node_endpoints: &[NodeEndpoint<'_>]) -> Frame<B> {
        assert_eq!(self.topics_left, 0, "fewer topics than announced");
        assert_eq!(self.partitions_left, 0, "fewer partitions than announced");
        if self.flexible {
            let version = self.version;
            let e = self.frame.encoder();
            let mut tags = e.tags();
            if version >= 16 && !node_endpoints.is_empty() {
                tags.put(e, 0, |e| e.array(node_endpoints, true, |e, node| node.encode(e, version)));
            }
        }
        self.frame.finish()
    }

    /// Bytes so far, size prefix and records included.
    pub fn total_bytes(&self) -> usize {
        self.frame.total_bytes()
    }

    fn write_partition_head(&mut self, head: &FetchPartitionHead<'_>) {
        let (version, flexible) = (self.version, self.flexible);
        let e = self.frame.encoder();
        e.i32(head.index);
        e.i16(head.error.code());
        e.i64(head.high_watermark);
        e.i64(head.last_stable_offset);
        if version >= 5 {
            e.i64(head.log_start_offset);
        }
        e.nullable_array(head.aborted_transactions, flexible, |e, aborted| aborted.encode(e, version));
        if version >= 11 {
            e.i32(head.preferred_read_replica);
        }
    }

    fn push_records<P: IntoIterator<Item = (B, usize)> + AsRef<[(B, usize)]>>(&mut self, parts: P) {
        let total_bytes = parts.as_ref().iter().map(|(_, len)| len).sum();
        self.frame.encoder().length(total_bytes, self.flexible);
        for (part, len) in parts {
            self.frame.push_external(part, len);
        }
    }

    fn end_topic(&mut self) {
        if self.flexible {
            self.frame.encoder().no_tags();
        }
    }
}

fn write_partition_tags(e: &mut Encoder, head: &FetchPartitionHead<'_>) {
    // The three structs are the same in every version that has them.
    let version = *FetchResponse::VERSIONS.end();
    let mut tags = e.tags();
    if let Some(epoch) = &head.diverging_epoch {
        tags.put(e, 0, |e| epoch.encode(e, version));
    }
    if let Some(leader) = &head.current_leader {
        tags.put(e, 1, |e| leader.encode(e, version));
    }
    if let Some(snapshot) = &head.snapshot_id {
        tags.put(e, 2, |e| snapshot.encode(e, version));
    }
}
