//! The configuration of one topic: its overrides, resolved over the server's settings.
//!
//! A value comes from the first of: the topic's override, the server settings that stand behind it (each at
//! run time or from the file, `log.retention.ms` before `.minutes` before `.hours`), the default. That is
//! worked out once, when the configuration is made; the getters are plain fields. Who changes the server's
//! settings makes the topics' anew.
//!
//! Nothing here changes in place: an alteration gives a new configuration, and
//! [`differences`](super::alter::differences) says what to write to the metadata log.

use super::alter::{self, Alteration, Texts};
use super::describe::{Entry, Source, Synonym};
use super::server::ServerConfig;
use super::setting::{InvalidSetting, Setting, Value};
use super::topic_table::{TOPIC_SETTINGS, find_topic_setting};
use super::typed::{FromValue, typed_settings};

/// The configuration in force for one topic.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicConfig {
    overrides: Texts,
    values: TopicValues,
    segment_bytes: u32,
}

typed_settings! {
    /// The values in force for one topic. Times are in the milliseconds of i64 that Kafka counts in.
    struct TopicValues {
        cleanup_policy: CleanupPolicy = "cleanup.policy",
        compression_gzip_level: i32 = "compression.gzip.level",
        compression_lz4_level: i32 = "compression.lz4.level",
        compression_type: CompressionType = "compression.type",
        compression_zstd_level: i32 = "compression.zstd.level",
        delete_retention_ms: i64 = "delete.retention.ms",
        file_delete_delay_ms: i64 = "file.delete.delay.ms",
        flush_messages: u64 = "flush.messages",
        flush_ms: i64 = "flush.ms",
        index_interval_bytes: u32 = "index.interval.bytes",
        /// -2 follows `retention.bytes`.
        local_retention_bytes: i64 = "local.retention.bytes",
        /// -2 follows `retention.ms`.
        local_retention_ms: i64 = "local.retention.ms",
        max_compaction_lag_ms: i64 = "max.compaction.lag.ms",
        max_message_bytes: u32 = "max.message.bytes",
        message_timestamp_after_max_ms: i64 = "message.timestamp.after.max.ms",
        message_timestamp_before_max_ms: i64 = "message.timestamp.before.max.ms",
        message_timestamp_type: TimestampType = "message.timestamp.type",
        min_cleanable_dirty_ratio: f64 = "min.cleanable.dirty.ratio",
        min_compaction_lag_ms: i64 = "min.compaction.lag.ms",
        min_insync_replicas: u32 = "min.insync.replicas",
        preallocate: bool = "preallocate",
        remote_log_copy_disable: bool = "remote.log.copy.disable",
        remote_log_delete_on_disable: bool = "remote.log.delete.on.disable",
        remote_storage_enable: bool = "remote.storage.enable",
        /// `None` sets no limit.
        retention_bytes: Option<u64> = "retention.bytes",
        /// `None` sets no limit.
        retention_ms: Option<i64> = "retention.ms",
        ringlog_durability: Durability = "ringlog.durability",
        ringlog_retention_clock: RetentionClock = "ringlog.retention.clock",
        segment_index_bytes: u32 = "segment.index.bytes",
        segment_jitter_ms: i64 = "segment.jitter.ms",
        segment_ms: i64 = "segment.ms",
        unclean_leader_election_enable: bool = "unclean.leader.election.enable",
    }
}

/// How old data leaves a topic. Neither is possible: such a topic keeps everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanupPolicy {
    pub delete: bool,
    pub compact: bool,
}

/// `compression.type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompressionType {
    /// Each batch stays as it came.
    Producer,
    Uncompressed,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}

/// `message.timestamp.type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimestampType {
    CreateTime,
    LogAppendTime,
}

/// `ringlog.durability`: what an acknowledgement of acks=all promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The record survives a loss of power.
    Disk,
    /// The record survives the process, in the page cache.
    Os,
}

/// `ringlog.retention.clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionClock {
    Records,
    Append,
}

/// Replicas whose copying is slowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThrottledReplicas {
    All,
    /// Pairs of partition and broker.
    Some(Vec<(i32, i32)>),
}

impl TopicConfig {
    /// From the whole set of overrides, as CreateTopics and the legacy AlterConfigs give it.
    pub fn new<'a>(
        settings: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
        server: &ServerConfig,
    ) -> Result<TopicConfig, InvalidSetting> {
        TopicConfig::checked(alter::replace(settings, find_topic_setting)?, server)
    }

    /// From overrides that were accepted once, at replay and when the server's settings change. An override
    /// that this version does not accept is kept and has no effect: a broker must start on what an older
    /// one wrote.
    pub fn from_stored(overrides: Texts, server: &ServerConfig) -> TopicConfig {
        let accepted = |setting: &Setting| {
            let text = overrides.get(setting.name)?;
            setting.parse(text).ok()
        };
        let values = TopicValues::read(|name| {
            let setting = find_topic_setting(name).expect("a getter's setting is in the table");
            accepted(setting).unwrap_or_else(|| server.value_for_topics(setting))
        });
        let setting_of = |name| find_topic_setting(name).expect("the name is in the table");
        let small = accepted(setting_of("internal.segment.bytes"));
        let segment_bytes = small
            .or_else(|| accepted(setting_of("segment.bytes")))
            .unwrap_or_else(|| server.value_for_topics(setting_of("segment.bytes")));
        TopicConfig { segment_bytes: FromValue::from_value(&segment_bytes), values, overrides }
    }

    /// Whether a topic may have this setting with this value; contradictions between settings aside.
    pub fn check(name: &str, value: &str) -> Result<(), InvalidSetting> {
        find_topic_setting(name)?.parse(value).map(|_| ())
    }

    /// The configuration after IncrementalAlterConfigs.
    pub fn altered(
        &self,
        alterations: &[Alteration<'_>],
        server: &ServerConfig,
    ) -> Result<TopicConfig, InvalidSetting> {
        let inherited = |setting: &Setting| server.text_for_topics(setting).unwrap_or_default();
        TopicConfig::checked(
            alter::alter(&self.overrides, alterations, find_topic_setting, inherited)?,
            server,
        )
    }

    fn checked(overrides: Texts, server: &ServerConfig) -> Result<TopicConfig, InvalidSetting> {
        let config = TopicConfig::from_stored(overrides, server);
        let (min, max) = (config.values.min_compaction_lag_ms, config.values.max_compaction_lag_ms);
        if min > max {
            let reason = format!("min.compaction.lag.ms ({min}) is more than max.compaction.lag.ms ({max})");
            return Err(InvalidSetting::Conflict { reason });
        }
        Ok(config)
    }

    /// What the topic itself sets: names and canonical texts.
    pub fn overrides(&self) -> &Texts {
        &self.overrides
    }

    /// The values in force, one getter a setting.
    pub fn values(&self) -> &TopicValues {
        &self.values
    }

    /// `segment.bytes`, or `internal.segment.bytes` where a test sets it.
    pub fn segment_bytes(&self) -> u32 {
        self.segment_bytes
    }

    /// `leader.replication.throttled.replicas`.
    pub fn leader_throttled_replicas(&self) -> ThrottledReplicas {
        self.throttled_replicas("leader.replication.throttled.replicas")
    }

    /// `follower.replication.throttled.replicas`.
    pub fn follower_throttled_replicas(&self) -> ThrottledReplicas {
        self.throttled_replicas("follower.replication.throttled.replicas")
    }

    fn throttled_replicas(&self, name: &str) -> ThrottledReplicas {
        let text = self.overrides.get(name).map_or("", String::as_str);
        let pairs = text.split(',').filter_map(|pair| {
            let (partition, broker) = pair.split_once(':')?;
            Some((partition.parse().ok()?, broker.parse().ok()?))
        });
        if text == "*" { ThrottledReplicas::All } else { ThrottledReplicas::Some(pairs.collect()) }
    }

    /// What DescribeConfigs and CreateTopics answer: every setting, or those that `wanted` names.
    ///
    /// A name in `wanted` that is no setting is left out, as Kafka leaves it out.
    pub fn describe(&self, server: &ServerConfig, wanted: Option<&[&str]>) -> Vec<Entry> {
        TOPIC_SETTINGS
            .iter()
            .filter(|setting| wanted.is_none_or(|wanted| wanted.contains(&setting.name)))
            // What has neither default nor value is for tests, and no user's business.
            .filter(|setting| setting.default.is_some() || self.overrides.contains_key(setting.name))
            .map(|setting| self.describe_one(setting, server))
            .collect()
    }

    fn describe_one(&self, setting: &'static Setting, server: &ServerConfig) -> Entry {
        let mut synonyms = Vec::new();
        if let Some(text) = self.overrides.get(setting.name) {
            synonyms.push(Synonym { name: setting.name, value: Some(text.clone()), source: Source::Topic });
        }
        if let Some(first) = setting.server_names.first() {
            synonyms.extend(server.synonyms(first));
        }
        let value = self.overrides.get(setting.name).cloned().or_else(|| server.text_for_topics(setting));
        Entry::new(setting, value, false, synonyms)
    }
}

impl FromValue for CleanupPolicy {
    fn from_value(value: &Value) -> CleanupPolicy {
        let Value::List(elements) = value else { unreachable!("cleanup.policy is a list") };
        let has = |policy: &str| elements.iter().any(|element| element == policy);
        CleanupPolicy { delete: has("delete"), compact: has("compact") }
    }
}

impl FromValue for CompressionType {
    fn from_value(value: &Value) -> CompressionType {
        match value.to_string().as_str() {
            "producer" => CompressionType::Producer,
            "uncompressed" => CompressionType::Uncompressed,
            "gzip" => CompressionType::Gzip,
            "snappy" => CompressionType::Snappy,
            "lz4" => CompressionType::Lz4,
            "zstd" => CompressionType::Zstd,
            other => unreachable!("the table allows no compression.type {other}"),
        }
    }
}

impl FromValue for Durability {
    fn from_value(value: &Value) -> Durability {
        match value.to_string().as_str() {
            "disk" => Durability::Disk,
            "os" => Durability::Os,
            other => unreachable!("the table allows no ringlog.durability {other}"),
        }
    }
}

impl FromValue for RetentionClock {
    fn from_value(value: &Value) -> RetentionClock {
        match value.to_string().as_str() {
            "records" => RetentionClock::Records,
            "append" => RetentionClock::Append,
            other => unreachable!("the table allows no ringlog.retention.clock {other}"),
        }
    }
}

impl FromValue for TimestampType {
    fn from_value(value: &Value) -> TimestampType {
        match value.to_string().as_str() {
            "CreateTime" => TimestampType::CreateTime,
            "LogAppendTime" => TimestampType::LogAppendTime,
            other => unreachable!("the table allows no message.timestamp.type {other}"),
        }
    }
}

#[cfg(test)]
mod tests;
