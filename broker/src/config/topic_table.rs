//! The settings of a topic: every one of Kafka 4.3, with its default, its range and the server settings
//! behind it.

use super::nearest::nearest;
use super::setting::{Effect, InvalidSetting, Kind, Setting, Valid, excerpt};

const NO_TIERED_STORAGE: Effect = Effect::Refused { reason: "there is no tiered storage" };
const LONG_MAX: &str = "9223372036854775807";

/// All topic settings, sorted by name.
pub static TOPIC_SETTINGS: &[Setting] = &[
    Setting::new("cleanup.policy", Kind::List, "delete", Valid::EachOf(&["compact", "delete"]))
        .server(&["log.cleanup.policy"])
        .about(
            "How old data leaves: `delete` drops whole segments by age or size, `compact` keeps the last \
             record of each key and so requires keys. Both may stand together; an empty list keeps \
             everything.",
        ),
    Setting::new("compression.gzip.level", Kind::Int, "-1", Valid::BetweenOrMinusOne(1, 9))
        .server(&["compression.gzip.level"])
        .about("Effort of gzip where compression.type is gzip; -1 is the library's choice."),
    Setting::new("compression.lz4.level", Kind::Int, "9", Valid::Between(1, 17))
        .server(&["compression.lz4.level"])
        .about("Effort of lz4 where compression.type is lz4."),
    Setting::new(
        "compression.type",
        Kind::String,
        "producer",
        Valid::OneOf(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]),
    )
    .server(&["compression.type"])
    .about("How batches are compressed on disk; `producer` keeps each batch as it came."),
    Setting::new("compression.zstd.level", Kind::Int, "3", Valid::Between(-131_072, 22))
        .server(&["compression.zstd.level"])
        .about("Effort of zstd where compression.type is zstd."),
    Setting::new("delete.retention.ms", Kind::Long, "86400000", Valid::AtLeast(0))
        .server(&["log.cleaner.delete.retention.ms"])
        .about(
            "How long a compacted topic keeps a tombstone, which is also how long a reader that started at \
             offset 0 has to see every deletion.",
        ),
    Setting::new("file.delete.delay.ms", Kind::Long, "60000", Valid::AtLeast(0))
        .server(&["log.segment.delete.delay.ms"])
        .about(
            "How long a file that is no longer part of the log stays on disk. Ringlog deletes it at once: who reads \
             it keeps it until done.",
        ),
    Setting::new("flush.messages", Kind::Long, LONG_MAX, Valid::AtLeast(1))
        .server(&["log.flush.interval.messages"])
        .about(
            "How many records may be in the page cache alone: the append that reaches this number is acknowledged when \
             they are on the disk, whatever its acks. What acks=all promises needs no such setting.",
        ),
    Setting::new("flush.ms", Kind::Long, LONG_MAX, Valid::AtLeast(0))
        .server(&["log.flush.interval.ms"])
        .about("How long records may be in the page cache alone before they are synced to disk in the background."),
    Setting::new("follower.replication.throttled.replicas", Kind::List, "", Valid::ThrottledReplicas)
        .stored()
        .about("Replicas, as partition:broker pairs or * for all, whose copying is slowed on the follower."),
    Setting::new("index.interval.bytes", Kind::Int, "4096", Valid::AtLeast(0))
        .server(&["log.index.interval.bytes"])
        .about(
            "Bytes of records between two entries of the offset index. Smaller finds records faster and \
             makes larger indexes.",
        ),
    Setting::new("internal.segment.bytes", Kind::Int, "", Valid::AtLeast(1)).without_default().about(
        "Overrides segment.bytes without its lower limit. For tests, which need segments that fill \
             quickly; shown only where it is set.",
    ),
    Setting::new("leader.replication.throttled.replicas", Kind::List, "", Valid::ThrottledReplicas)
        .stored()
        .about("Replicas, as partition:broker pairs or * for all, whose copying is slowed on the leader."),
    Setting::new("local.retention.bytes", Kind::Long, "-2", Valid::AtLeast(-2))
        .effect(NO_TIERED_STORAGE)
        .server(&["log.local.retention.bytes"])
        .about("Bytes of a tiered partition that stay on local disk; -2 follows retention.bytes."),
    Setting::new("local.retention.ms", Kind::Long, "-2", Valid::AtLeast(-2))
        .effect(NO_TIERED_STORAGE)
        .server(&["log.local.retention.ms"])
        .about("How long a tiered partition's data stays on local disk; -2 follows retention.ms."),
    Setting::new("max.compaction.lag.ms", Kind::Long, LONG_MAX, Valid::AtLeast(1))
        .server(&["log.cleaner.max.compaction.lag.ms"])
        .about("The longest that a record may wait for compaction."),
    Setting::new("max.message.bytes", Kind::Int, "1048588", Valid::AtLeast(0))
        .server(&["message.max.bytes"])
        .about("The largest batch accepted, in bytes, as it is sent: compressed, with its header."),
    Setting::new("message.timestamp.after.max.ms", Kind::Long, "3600000", Valid::AtLeast(0))
        .server(&["log.message.timestamp.after.max.ms"])
        .about(
            "How far in the broker's future a record's own timestamp may lie before the record is refused.",
        ),
    Setting::new("message.timestamp.before.max.ms", Kind::Long, LONG_MAX, Valid::AtLeast(0))
        .server(&["log.message.timestamp.before.max.ms"])
        .about("How far in the broker's past a record's own timestamp may lie before the record is refused."),
    Setting::new(
        "message.timestamp.type",
        Kind::String,
        "CreateTime",
        Valid::OneOf(&["CreateTime", "LogAppendTime"]),
    )
    .server(&["log.message.timestamp.type"])
    .about("Whose clock stamps records: the producer's (CreateTime) or the broker's (LogAppendTime)."),
    Setting::new("min.cleanable.dirty.ratio", Kind::Double, "0.5", Valid::Fraction)
        .server(&["log.cleaner.min.cleanable.ratio"])
        .about(
            "The share of a log that must be new since the last compaction before the next one starts. It \
             bounds the space that duplicates may take.",
        ),
    Setting::new("min.compaction.lag.ms", Kind::Long, "0", Valid::AtLeast(0))
        .server(&["log.cleaner.min.compaction.lag.ms"])
        .about("The shortest time that a record is safe from compaction."),
    Setting::new("min.insync.replicas", Kind::Int, "1", Valid::AtLeast(1))
        .server(&["min.insync.replicas"])
        .about("How many replicas must be in sync for a write with acks=all to be accepted."),
    Setting::new("preallocate", Kind::Boolean, "false", Valid::Any)
        .effect(Effect::Refused { reason: "segments grow as they are written, and the journal makes that cheap" })
        .server(&["log.preallocate"])
        .about("Whether a new segment's file gets its full size at once."),
    Setting::new("remote.log.copy.disable", Kind::Boolean, "false", Valid::Any)
        .effect(NO_TIERED_STORAGE)
        .about("Whether a tiered topic stops copying segments out."),
    Setting::new("remote.log.delete.on.disable", Kind::Boolean, "false", Valid::Any)
        .effect(NO_TIERED_STORAGE)
        .about("Whether a topic that leaves tiered storage loses what it kept there."),
    Setting::new("remote.storage.enable", Kind::Boolean, "false", Valid::Any)
        .effect(NO_TIERED_STORAGE)
        .about("Whether the topic's old segments move to tiered storage."),
    Setting::new("retention.bytes", Kind::Long, "-1", Valid::Any)
        .server(&["log.retention.bytes"])
        .about("The size of a partition above which `delete` drops its oldest segments; -1 sets no limit."),
    Setting::new("retention.ms", Kind::Long, "604800000", Valid::AtLeast(-1))
        .server(&["log.retention.ms", "log.retention.minutes", "log.retention.hours"])
        .about("The age above which `delete` drops a segment; -1 sets no limit."),
    Setting::new("ringlog.durability", Kind::String, "disk", Valid::OneOf(&["disk", "os"]))
        .server(&["ringlog.durability"])
        .about(
            "What an acknowledgement of acks=all promises: `disk` that the records survive a loss of power, `os` \
             that they are in the operating system's page cache and survive the end of the process. acks=1 \
             promises the page cache either way. The topics of the broker itself are always on `disk`.",
        ),
    Setting::new("ringlog.retention.clock", Kind::String, "records", Valid::OneOf(&["records", "append"]))
        .server(&["ringlog.retention.clock"])
        .about(
            "Whose dates retention.ms goes by: `records` takes the newest record's, though never later than its \
             append, so that a date in the future keeps nothing; `append` takes the broker's time of the append \
             alone.",
        ),
    Setting::new("segment.bytes", Kind::Int, "1073741824", Valid::AtLeast(1_048_576))
        .server(&["log.segment.bytes"])
        .about(
            "The size at which a segment is closed and the next begun. Data leaves by whole segments, so \
             this is also how finely retention works.",
        ),
    Setting::new("segment.index.bytes", Kind::Int, "10485760", Valid::AtLeast(4))
        .server(&["log.index.size.max.bytes"])
        .about("The largest size of a segment's index; a full index closes its segment."),
    Setting::new("segment.jitter.ms", Kind::Long, "0", Valid::AtLeast(0))
        .server(&["log.roll.jitter.ms", "log.roll.jitter.hours"])
        .about(
            "The most by which segment.ms is shortened at random, so that not all partitions begin a \
             segment at once.",
        ),
    Setting::new("segment.ms", Kind::Long, "604800000", Valid::AtLeast(1))
        .server(&["log.roll.ms", "log.roll.hours"])
        .about("The age at which a segment is closed even if it is not full, so that retention can take it."),
    Setting::new("unclean.leader.election.enable", Kind::Boolean, "false", Valid::Any)
        .stored()
        .server(&["unclean.leader.election.enable"])
        .about(
            "Whether a replica that lags may lead when no other is left. The partition is back sooner, and \
             acknowledged records may be lost.",
        ),
];

/// The setting of that name, or an error that names the nearest one.
pub fn find_topic_setting(name: &str) -> Result<&'static Setting, InvalidSetting> {
    let found = TOPIC_SETTINGS.binary_search_by(|setting| setting.name.cmp(name));
    found.map(|index| &TOPIC_SETTINGS[index]).map_err(|_| {
        // A server's name for a topic's setting is the likeliest mistake of all.
        let of_server = TOPIC_SETTINGS.iter().find(|setting| setting.server_names.contains(&name));
        let meant = of_server.map(|setting| setting.name);
        let meant = meant.or_else(|| nearest(name, TOPIC_SETTINGS.iter().map(|setting| setting.name)));
        InvalidSetting::Unknown { name: excerpt(name), nearest: meant }
    })
}
