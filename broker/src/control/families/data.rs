//! What is stored: partitions, topics, journals and the disk.

use super::super::snapshot::{CoreAnswer, PartitionRow};
use super::super::text::{Kind, Number, seconds};
use super::node::sum;
use super::{Family, Lines, Scene};
use crate::partition::facts::{LogFacts, LogState};
use crate::partition::{DiskFacts, JournalFacts};

const CORE: &[&str] = &["core"];

fn each_journal<N: Into<Number>>(scene: &Scene, lines: &mut Lines<'_>, value: fn(&JournalFacts) -> N) {
    for (core, answer) in scene.snapshot.told() {
        lines.put(&[&core.0.to_string()], value(&answer.facts.journal));
    }
}

/// All cores look at the same disk: the one with the least knows best.
fn disk(scene: &Scene) -> Option<&DiskFacts> {
    let known = scene.snapshot.told().map(|(_, answer)| &answer.facts.disk);
    known.filter(|disk| disk.total_bytes > 0).min_by_key(|disk| disk.free_bytes)
}

fn log(row: &PartitionRow, value: fn(&LogFacts) -> i64) -> Option<Number> {
    row.facts.log.as_ref().map(|log| Number::Whole(value(log)))
}

pub(super) const FAMILIES: &[Family] = &[
    Family::few("ringlog_topics", Kind::Gauge, &[], "Topics that there are", |scene, lines| {
        let known = scene.snapshot.told().map(|(_, answer)| answer.facts.image.topic_count()).max();
        lines.put(&[], known.unwrap_or(0));
    }),
    Family::few(
        "ringlog_partitions",
        Kind::Gauge,
        &["log"],
        "Partitions that there are, by how their log is at hand; a closed one is opened by its next use",
        |scene, lines| {
            lines.put(&["open"], sum(scene, |answer| answer.logs.open));
            lines.put(&["closed"], sum(scene, |answer| answer.logs.closed));
            lines.put(&["offline"], sum(scene, |answer| answer.logs.offline));
        },
    ),
    Family::few(
        "ringlog_partitions_left_out",
        Kind::Gauge,
        &[],
        "Partitions without series of their own, because there are more than ringlog.metrics.partitions.max",
        |scene, lines| {
            lines.put(&[], scene.snapshot.partitions_left_out);
        },
    ),
    Family::few(
        "ringlog_topics_left_out",
        Kind::Gauge,
        &[],
        "Topics without series, because there are more than ringlog.metrics.topics.max",
        |scene, lines| {
            lines.put(&[], scene.snapshot.topics_left_out);
        },
    ),
    Family::topic("ringlog_topic_partitions", Kind::Gauge, "Partitions of the topic", |sums| {
        sums.partition_count.into()
    }),
    Family::topic(
        "ringlog_topic_offline_partitions",
        Kind::Gauge,
        "Partitions of the topic that are out of reach",
        |sums| sums.offline_count.into(),
    ),
    Family::topic(
        "ringlog_topic_size_bytes",
        Kind::Gauge,
        "Bytes in the topic's segments, as far as its logs were opened since the start",
        |sums| sums.size_bytes.into(),
    ),
    Family::topic(
        "ringlog_topic_records_in_total",
        Kind::Counter,
        "Records that were appended to the topic",
        |sums| sums.counts.records_in.into(),
    ),
    Family::topic(
        "ringlog_topic_bytes_in_total",
        Kind::Counter,
        "Bytes of batches that were appended to the topic",
        |sums| sums.counts.bytes_in.into(),
    ),
    Family::topic(
        "ringlog_topic_records_out_total",
        Kind::Counter,
        "Records of the topic in batches that were read for fetches",
        |sums| sums.counts.records_out.into(),
    ),
    Family::topic(
        "ringlog_topic_bytes_out_total",
        Kind::Counter,
        "Bytes of batches of the topic that were read for fetches",
        |sums| sums.counts.bytes_out.into(),
    ),
    Family::partition(
        "ringlog_partition_records_in_total",
        Kind::Counter,
        "Records that were appended to the partition",
        |row| Some(row.facts.counts.records_in.into()),
    ),
    Family::partition(
        "ringlog_partition_bytes_in_total",
        Kind::Counter,
        "Bytes of batches that were appended to the partition",
        |row| Some(row.facts.counts.bytes_in.into()),
    ),
    Family::partition(
        "ringlog_partition_records_out_total",
        Kind::Counter,
        "Records in batches that were read for fetches",
        |row| Some(row.facts.counts.records_out.into()),
    ),
    Family::partition(
        "ringlog_partition_bytes_out_total",
        Kind::Counter,
        "Bytes of batches that were read for fetches",
        |row| Some(row.facts.counts.bytes_out.into()),
    ),
    Family::partition(
        "ringlog_partition_log_start_offset",
        Kind::Gauge,
        "The first offset that can be read",
        |row| log(row, |log| log.log_start.0),
    ),
    Family::partition("ringlog_partition_log_end_offset", Kind::Gauge, "One beyond the last record", |row| {
        log(row, |log| log.end.0)
    }),
    Family::partition(
        "ringlog_partition_high_watermark",
        Kind::Gauge,
        "Below it everything is committed",
        |row| log(row, |log| log.high_watermark.0),
    ),
    Family::partition(
        "ringlog_partition_last_stable_offset",
        Kind::Gauge,
        "Where readers of committed transactions end",
        |row| log(row, |log| log.last_stable.0),
    ),
    Family::partition(
        "ringlog_partition_unstable_seconds",
        Kind::Gauge,
        "How long ago the first record at the last stable offset was appended, if an open transaction holds it back; else 0",
        |row| Some(seconds(row.facts.unstable_ms)),
    ),
    Family::partition(
        "ringlog_partition_size_bytes",
        Kind::Gauge,
        "Bytes in the partition's segments",
        |row| row.facts.log.map(|log| log.size_bytes.into()),
    ),
    Family::partition("ringlog_partition_segments", Kind::Gauge, "Segments of the partition", |row| {
        row.facts.log.map(|log| u64::from(log.segment_count).into())
    }),
    Family::partition(
        "ringlog_partition_offline",
        Kind::Gauge,
        "Whether the partition is out of reach; /health/ready tells the reason",
        |row| Some((row.facts.state == LogState::Offline).into()),
    ),
    Family::few(
        "ringlog_open_files",
        Kind::Gauge,
        CORE,
        "Files that are open for partitions",
        |scene, lines| {
            for (core, answer) in scene.snapshot.told() {
                lines.put(&[&core.0.to_string()], answer.facts.open_files.0);
            }
        },
    ),
    Family::few(
        "ringlog_open_files_max",
        Kind::Gauge,
        CORE,
        "Files that may be open for partitions; a further one closes another",
        |scene, lines| {
            for (core, answer) in scene.snapshot.told() {
                lines.put(&[&core.0.to_string()], answer.facts.open_files.1);
            }
        },
    ),
    Family::few(
        "ringlog_journal_commits_total",
        Kind::Counter,
        CORE,
        "Commits of the core's journal: one write each",
        |scene, lines| {
            each_journal(scene, lines, |journal| journal.commits);
        },
    ),
    Family::few(
        "ringlog_journal_bytes_total",
        Kind::Counter,
        CORE,
        "Bytes that were written to the core's journal, padding included",
        |scene, lines| {
            each_journal(scene, lines, |journal| journal.bytes);
        },
    ),
    Family::few(
        "ringlog_journal_commit_duration_seconds",
        Kind::Histogram,
        CORE,
        "From handing a commit to the kernel to having it on stable storage",
        |scene, lines| {
            for (core, answer) in scene.snapshot.told() {
                lines.histogram(&[&core.0.to_string()], &answer.facts.journal.took);
            }
        },
    ),
    Family::few(
        "ringlog_journal_used_ratio",
        Kind::Gauge,
        CORE,
        "How much of the core's journal cannot be written over yet; segments are synced when it is half full",
        |scene, lines| {
            each_journal(scene, lines, |journal| Number::Real(journal.used_percent as f64 / 100.0));
        },
    ),
    Family::few(
        "ringlog_journal_size_bytes",
        Kind::Gauge,
        CORE,
        "Size of the core's journal",
        |scene, lines| {
            each_journal(scene, lines, |journal| journal.len_bytes);
        },
    ),
    Family::few(
        "ringlog_journal_usable",
        Kind::Gauge,
        CORE,
        "Whether commits go into the core's journal; if not, each syncs its segment, or the core's partitions are offline",
        |scene, lines| {
            each_journal(scene, lines, |journal| journal.is_usable);
        },
    ),
    Family::few(
        "ringlog_disk_total_bytes",
        Kind::Gauge,
        &[],
        "Bytes that the data directory's file system has",
        |scene, lines| {
            disk(scene).into_iter().for_each(|disk| lines.put(&[], disk.total_bytes));
        },
    ),
    Family::few(
        "ringlog_disk_free_bytes",
        Kind::Gauge,
        &[],
        "Bytes of it that are free, as it told within the last second or so",
        |scene, lines| {
            disk(scene).into_iter().for_each(|disk| lines.put(&[], disk.free_bytes));
        },
    ),
    Family::few(
        "ringlog_disk_reserve_bytes",
        Kind::Gauge,
        &[],
        "Bytes of it that are kept in reserve: with less than that free, appends are refused",
        |scene, lines| {
            disk(scene).into_iter().for_each(|disk| lines.put(&[], disk.reserve_bytes));
        },
    ),
    Family::few(
        "ringlog_disk_full",
        Kind::Gauge,
        &[],
        "Whether appends are refused because the disk is full",
        |scene, lines| {
            lines.put(&[], scene.snapshot.told().any(|(_, answer)| answer.facts.disk.is_full));
        },
    ),
    Family::few(
        "ringlog_disk_refused_total",
        Kind::Counter,
        &[],
        "Appends that were refused because the disk was full",
        |scene, lines| {
            lines.put(&[], sum(scene, |answer: &CoreAnswer| answer.facts.disk.refused));
        },
    ),
];
