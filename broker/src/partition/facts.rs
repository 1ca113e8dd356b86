//! What is known of a partition without asking its log anything: what was counted, where it stands, and how old its records
//! are. Kept while the log is closed, so that whoever looks opens nothing.

use std::sync::Arc;

use shard::{Buf, WallMs};
use storage::{Log, Offset, ValidBatch};

use super::{NoLog, Partition, Partitions};
use crate::mail::PartitionId;
use crate::metadata::Topic;

#[path = "marks.rs"]
mod marks;
use marks::Marks;

/// Partitions that one slice of a report tells of.
const SLICE_PARTITIONS: usize = 256;

/// Offline partitions that are told of by name.
const OFFLINE_MAX: usize = 100;

/// What a partition has taken in and given out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartitionCounts {
    /// Records that were appended.
    pub records_in: u64,
    /// Their bytes, as they came.
    pub bytes_in: u64,
    /// Records in the batches that were read for fetches.
    pub records_out: u64,
    /// The bytes of these batches.
    pub bytes_out: u64,
}

impl PartitionCounts {
    /// Adds another partition's.
    pub fn add(&mut self, other: &PartitionCounts) {
        self.records_in += other.records_in;
        self.bytes_in += other.bytes_in;
        self.records_out += other.records_out;
        self.bytes_out += other.bytes_out;
    }
}

/// Where a log stands, or stood when it was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogFacts {
    /// The first offset that may be read.
    pub log_start: Offset,
    /// Below it no transaction is open.
    pub last_stable: Offset,
    /// Below it everything is committed.
    pub high_watermark: Offset,
    /// One beyond the last record.
    pub end: Offset,
    /// Bytes in its segments.
    pub size_bytes: u64,
    /// How many these are.
    pub segment_count: u32,
    /// When the first batch of its oldest segment was appended, calendar ms.
    pub oldest: Option<WallMs>,
}

impl LogFacts {
    fn of(log: &Log) -> LogFacts {
        let offsets = log.offsets();
        LogFacts {
            log_start: offsets.log_start,
            last_stable: offsets.last_stable,
            high_watermark: offsets.high_watermark,
            end: offsets.end,
            size_bytes: log.size_bytes(),
            segment_count: u32::try_from(log.segment_count()).unwrap_or(u32::MAX),
            oldest: log.appended_at(offsets.log_start),
        }
    }
}

/// How a partition's log is at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogState {
    /// Open.
    Open,
    /// Closed, or on its way: its next use opens it.
    Closed,
    /// Out of reach.
    Offline,
}

/// One partition, as a report tells of it: plain numbers.
#[derive(Debug, Clone, Copy)]
pub struct PartitionFacts {
    /// Which.
    pub id: PartitionId,
    /// How its log is at hand.
    pub state: LogState,
    /// Where its log stands; `None` as long as it was never opened.
    pub log: Option<LogFacts>,
    /// How long its last stable offset has been held back by an open transaction, ms; 0 if by none.
    pub unstable_ms: i64,
    /// What was counted.
    pub counts: PartitionCounts,
}

/// What a reader of committed records who stands at an offset has before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lag {
    /// The first offset that may be read.
    pub log_start: Offset,
    /// Where it could read to.
    pub last_stable: Offset,
    /// How many records lie between: those that were deleted or belong to markers count as well.
    pub records: u64,
    /// How old the oldest of them is, ms, by the time of its append; 0 if there is none, `None` if that is not known.
    pub age_ms: Option<i64>,
}

/// What a partition remembers besides its log.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) counts: PartitionCounts,
    /// What the log was when it was closed.
    closed: Option<LogFacts>,
    marks: Marks,
}

impl Facts {
    /// A batch was appended.
    pub(super) fn on_appended(&mut self, batch: &ValidBatch, base_offset: Offset, now: WallMs) {
        self.counts.records_in += batch.header().record_count.max(0) as u64;
        self.counts.bytes_in += batch.bytes().len() as u64;
        self.marks.note(base_offset, now);
    }

    /// Batches with so many records were read for a fetch.
    pub(super) fn on_fetched(&mut self, record_count: u64, batches: &Buf) {
        self.counts.records_out += record_count;
        self.counts.bytes_out += batches.len() as u64;
    }

    /// The log is about to be closed.
    pub(super) fn on_closing(&mut self, log: &Log) {
        self.closed = Some(LogFacts::of(log));
    }
}

impl Partition {
    fn log_facts(&self) -> Option<LogFacts> {
        self.log.as_ref().ok().map(LogFacts::of).or(self.facts.closed)
    }

    fn state(&self) -> LogState {
        match &self.log {
            Ok(log) if log.offline().is_some() => LogState::Offline,
            Ok(_) => LogState::Open,
            Err(NoLog::Offline(_)) => LogState::Offline,
            Err(NoLog::Closed | NoLog::Opening(_)) => LogState::Closed,
        }
    }

    /// How long ago the record at an offset was appended, ms: never too little. By the marks; by the time at which its segment was
    /// begun where these do not reach back so far.
    fn age_ms(&self, offset: Offset, log: &LogFacts, now: WallMs) -> Option<i64> {
        let by_segment = || match &self.log {
            Ok(log) => log.appended_at(offset),
            Err(_) => log.oldest,
        };
        let appended = self.facts.marks.time_of(offset).or_else(by_segment)?;
        Some(now.0.saturating_sub(appended.0).max(0))
    }

    fn facts(&self, now: WallMs) -> PartitionFacts {
        let log = self.log_facts();
        let held = log.filter(|log| log.last_stable < log.high_watermark);
        PartitionFacts {
            id: self.id(),
            state: self.state(),
            log,
            unstable_ms: held.and_then(|log| self.age_ms(log.last_stable, &log, now)).unwrap_or(0),
            counts: self.facts.counts,
        }
    }

    /// How far behind a reader of committed records is who stands at an offset; `None` if nobody has opened the log yet.
    pub(super) fn lag(&self, offset: Offset, now: WallMs) -> Option<Lag> {
        let log = self.log_facts()?;
        // What was deleted cannot be read any more, and an offset from before a loss may lie beyond the end.
        let from = offset.max(log.log_start).min(log.last_stable);
        let records = (log.last_stable.0 - from.0).max(0) as u64;
        let age_ms = if records == 0 { Some(0) } else { self.age_ms(from, &log, now) };
        Some(Lag { log_start: log.log_start, last_stable: log.last_stable, records, age_ms })
    }
}

impl Partitions {
    /// A slice of all partitions, from the place `from` on; and where the next one begins, if there is one.
    pub fn facts(&self, from: usize, now: WallMs) -> (Vec<PartitionFacts>, Option<usize>) {
        // Places are looked at, not partitions: those that were deleted leave holes.
        let end = from.saturating_add(SLICE_PARTITIONS);
        let places = (from..end.min(self.slots.capacity())).filter_map(|slot| self.slots.get(slot));
        let facts = places.map(|partition| partition.facts(now)).collect();
        (facts, (end < self.slots.capacity()).then_some(end))
    }

    /// The lag of readers at these offsets; `None` for a partition that is not here, or whose log nobody has opened yet.
    pub fn lags(&self, readers: &[(PartitionId, Offset)], now: WallMs) -> Vec<Option<Lag>> {
        let lag = |(id, offset): &(PartitionId, Offset)| {
            let partition = self.slots.get(*self.by_id.get(id)?)?;
            partition.lag(*offset, now)
        };
        readers.iter().map(lag).collect()
    }

    /// Partitions that are out of reach, by topic and number, with the reason; the first hundred, and how many there are.
    pub fn offline(&self) -> (Vec<(Arc<Topic>, i32, String)>, usize) {
        let all = self.slots.iter().map(|(_, partition)| partition);
        let (mut named, mut count) = (Vec::new(), 0);
        for partition in all.filter(|partition| partition.state() == LogState::Offline) {
            count += 1;
            if named.len() < OFFLINE_MAX {
                named.push((Arc::clone(&partition.topic), partition.number, partition.why_offline()));
            }
        }
        (named, count)
    }

    /// How many files are open.
    pub fn open_file_count(&self) -> usize {
        self.files.count()
    }
}

impl Partition {
    fn why_offline(&self) -> String {
        match &self.log {
            Ok(log) => log.offline().map_or_else(String::new, |reason| format!("{reason:?}")),
            Err(no_log) => no_log.why(),
        }
    }
}
