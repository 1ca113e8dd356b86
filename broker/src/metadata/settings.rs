//! From a topic's settings to what the log engine is told.

use storage::{Codec, CompressedCheck, Compression, Durability, LogSettings, RetentionClock, TimestampType};

use crate::config::{
    CompressionType, Durability as ConfiguredDurability, RetentionClock as ConfiguredClock, ServerConfig,
    TimestampType as ConfiguredTimestampType, TopicConfig,
};
use crate::topic_name;

/// What the settings in force for a topic mean for its logs. The broker's own topics are kept on disk, whatever is the default
/// for others: what a coordinator has decided must not be forgotten while partitions know of it.
pub fn log_settings(name: &str, topic: &TopicConfig, server: &ServerConfig) -> LogSettings {
    let values = topic.values();
    let durability = match values.ringlog_durability() {
        ConfiguredDurability::Os if !topic_name::is_internal(name) => Durability::Os,
        ConfiguredDurability::Os | ConfiguredDurability::Disk => Durability::Disk,
    };
    LogSettings {
        segment_bytes: topic.segment_bytes(),
        segment_ms: values.segment_ms(),
        segment_jitter_ms: values.segment_jitter_ms(),
        is_deleted: values.cleanup_policy().delete,
        retention_ms: values.retention_ms(),
        retention_bytes: values.retention_bytes(),
        retention_clock: match values.ringlog_retention_clock() {
            ConfiguredClock::Records => RetentionClock::Records,
            ConfiguredClock::Append => RetentionClock::Append,
        },
        index_interval_bytes: values.index_interval_bytes(),
        index_bytes_max: values.segment_index_bytes(),
        message_bytes_max: values.max_message_bytes(),
        timestamp_type: match values.message_timestamp_type() {
            ConfiguredTimestampType::CreateTime => TimestampType::CreateTime,
            ConfiguredTimestampType::LogAppendTime => TimestampType::LogAppendTime,
        },
        timestamp_before_ms_max: values.message_timestamp_before_max_ms(),
        timestamp_after_ms_max: values.message_timestamp_after_max_ms(),
        delete_retention_ms: values.delete_retention_ms(),
        compaction_lag_ms_min: values.min_compaction_lag_ms(),
        compaction_lag_ms_max: values.max_compaction_lag_ms(),
        dirty_permille_min: (values.min_cleanable_dirty_ratio() * 1000.0) as u32,
        durability,
        flush_messages: values.flush_messages(),
        flush_ms: values.flush_ms(),
        compression: compression(topic),
        is_compacted: values.cleanup_policy().compact,
        compressed_check: CompressedCheck::Always,
        producer_expiry_ms: server.values().producer_id_expiration_ms(),
        ..LogSettings::default()
    }
}

fn compression(topic: &TopicConfig) -> Compression {
    let values = topic.values();
    match values.compression_type() {
        CompressionType::Producer => Compression::Producer,
        CompressionType::Uncompressed => Compression::Codec(Codec::None, None),
        CompressionType::Gzip => Compression::Codec(Codec::Gzip, Some(values.compression_gzip_level())),
        CompressionType::Snappy => Compression::Codec(Codec::Snappy, None),
        CompressionType::Lz4 => Compression::Codec(Codec::Lz4, Some(values.compression_lz4_level())),
        CompressionType::Zstd => Compression::Codec(Codec::Zstd, Some(values.compression_zstd_level())),
    }
}
