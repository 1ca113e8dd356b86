//! What a topic asks of its logs. Shared by all partitions of a topic and replaced as a whole when it
//! changes.

use crate::batch::Codec;

/// Kafka's settings under Kafka's names, units in the comments. The defaults are Kafka 4's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// `segment.bytes`: a segment is rolled before it would grow beyond. At most 2^31-1.
    pub segment_bytes: u32,
    /// `segment.ms`: a segment is rolled when its first and newest record are further apart (Q74), and when
    /// its first record was appended that long ago.
    pub segment_ms: i64,
    /// `segment.jitter.ms`: `segment.ms` is shortened by up to so much, by a different time in each log.
    pub segment_jitter_ms: i64,
    /// Whether `cleanup.policy` contains `delete`, so that the next two hold.
    pub is_deleted: bool,
    /// `retention.ms`: older segments are deleted.
    pub retention_ms: Option<i64>,
    /// `retention.bytes`: the oldest segments are deleted while the others hold as much.
    pub retention_bytes: Option<u64>,
    /// `ringlog.retention.clock`: whose dates say how old a segment is.
    pub retention_clock: RetentionClock,
    /// `index.interval.bytes`: how far apart index entries lie.
    pub index_interval_bytes: u32,
    /// `segment.index.bytes`: an index of this size rolls its segment.
    pub index_bytes_max: u32,
    /// `max.message.bytes`: the largest batch, as it is sent (Q33).
    pub message_bytes_max: u32,
    /// `message.timestamp.type`.
    pub timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`: how far in the past a record may be dated (Q35).
    pub timestamp_before_ms_max: i64,
    /// `message.timestamp.after.max.ms`: how far in the future a record may be dated (Q35).
    pub timestamp_after_ms_max: i64,
    /// `delete.retention.ms`: how long a tombstone stays after it was first compacted.
    pub delete_retention_ms: i64,
    /// `min.compaction.lag.ms`: how long a record is safe from compaction.
    pub compaction_lag_ms_min: i64,
    /// `max.compaction.lag.ms`: how long it may wait for one.
    pub compaction_lag_ms_max: i64,
    /// `min.cleanable.dirty.ratio`, in thousandths.
    pub dirty_permille_min: u32,
    /// `ringlog.durability`.
    pub durability: Durability,
    /// `flush.messages`: an append that leaves so many records in the page cache alone waits until they are on the disk.
    pub flush_messages: u64,
    /// `flush.ms`: what is in the page cache alone for so long is synced.
    pub flush_ms: i64,
    /// `compression.type` with its level.
    pub compression: Compression,
    /// Whether `cleanup.policy` contains `compact`, so that every record needs a key (Q34).
    pub is_compacted: bool,
    /// How compressed batches are checked.
    pub compressed_check: CompressedCheck,
    /// What a compressed batch may unpack to, in bytes. Kafka has no limit; ours keeps a bomb from holding a
    /// core.
    pub unpacked_bytes_max: u32,
    /// `producer.id.expiration.ms`: an idle producer's state is dropped after it (Q44).
    pub producer_expiry_ms: i64,
    /// How many producers a log remembers; the one idle longest makes room (C31).
    pub producer_count_max: u32,
}

/// Who dates the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimestampType {
    /// The producer does.
    CreateTime,
    /// The broker does, when it appends (Q31).
    LogAppendTime,
}

/// What an append that asks for the disk is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It is acknowledged when it survives a loss of power.
    Disk,
    /// It is acknowledged when it is in the page cache.
    Os,
}

/// What an append asks for before it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// To be in the page cache: it survives the process (acks=1).
    PageCache,
    /// To be on stable storage: it survives a loss of power (acks=all).
    Disk,
}

/// Whose dates say how old a segment is (C83).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionClock {
    /// The records' (Q73), but none counts as later than its append: a date in the future keeps nothing.
    Records,
    /// The broker's alone: a record is as old as its append, whatever its date.
    Append,
}

/// How records are packed on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As the producer sent them.
    Producer,
    /// With this codec, whatever was sent (Q32); the level is the codec's own, `None` its default.
    Codec(Codec, Option<i32>),
}

/// Whether compressed batches are unpacked to be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompressedCheck {
    /// Always, as Kafka does: record count, lengths, dates and keys are right on disk.
    Always,
    /// Only where keys or another codec are asked for; otherwise the header is trusted, protected by its CRC.
    /// Cheaper by all the unpacking, but a producer's mistake then reaches the consumers.
    WhenNeeded,
}

impl Default for LogSettings {
    fn default() -> LogSettings {
        LogSettings {
            segment_bytes: 1 << 30,
            segment_ms: 7 * 24 * 3600 * 1000,
            segment_jitter_ms: 0,
            is_deleted: true,
            retention_ms: Some(7 * 24 * 3600 * 1000),
            retention_bytes: None,
            retention_clock: RetentionClock::Records,
            index_interval_bytes: 4096,
            index_bytes_max: 10 << 20,
            message_bytes_max: 1_048_588,
            timestamp_type: TimestampType::CreateTime,
            timestamp_before_ms_max: i64::MAX,
            timestamp_after_ms_max: 3600 * 1000,
            delete_retention_ms: 24 * 3600 * 1000,
            compaction_lag_ms_min: 0,
            compaction_lag_ms_max: i64::MAX,
            dirty_permille_min: 500,
            durability: Durability::Disk,
            flush_messages: u64::MAX,
            flush_ms: i64::MAX,
            compression: Compression::Producer,
            is_compacted: false,
            compressed_check: CompressedCheck::Always,
            unpacked_bytes_max: 64 << 20,
            producer_expiry_ms: 24 * 3600 * 1000,
            producer_count_max: 100_000,
        }
    }
}
