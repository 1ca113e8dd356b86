//! Deleting what is too old or too much, and ending a segment whose time is over while nobody appends.
//!
//! A segment is as old as its newest record, though never younger than its last append by the broker's
//! calendar: one date in the future keeps nothing alive (C83). Segments leave whole, the oldest first, and only
//! when they are sealed; the active one is rolled before (Q73). Nothing scans: [`Log::upkeep_due`] says when
//! [`Log::keep_up`] has something to do.

use shard::{Disk, OpenMode, WallMs};

use super::close::remove_if_there;
use super::{Log, Offline, start};
use crate::error::StorageError;
use crate::files::OpenFiles;
use crate::offset::Offset;
use crate::segment::{INDEX, Indexes, LOG, SNAPSHOT, Segment, TIME_INDEX, TXN_INDEX, path_of};
use crate::settings::RetentionClock;

/// Records stay for so many ms after their append, however old they say they are: what was just acknowledged can be read.
/// Kafka looks only every five minutes, and clients count on it that old dates do not vanish at once.
const READABLE_MS: i64 = 15_000;

/// What one step of upkeep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Bytes of records that were deleted.
    pub deleted_bytes: u64,
    /// Whether a segment was ended: [`Log::push_writes`] has work then.
    pub has_rolled: bool,
}

/// When the first segment may go, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deletion {
    /// When; the past means now.
    pub due: WallMs,
    /// Why.
    pub reason: DeletionReason,
}

/// Why a segment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionReason {
    /// All of it lies before the log's start: its records were deleted.
    BelowLogStart,
    /// The others alone hold `retention.bytes`.
    Size,
    /// It is older than `retention.ms`.
    Age,
}

impl Log {
    /// When [`Log::keep_up`] has something to do; the past means now. It changes when the log is appended to,
    /// rolled, trimmed or gets new settings.
    pub fn upkeep_due(&self) -> Option<WallMs> {
        if self.offline.is_some() {
            return None;
        }
        let expiry = self.producers.next_expiry(self.settings.producer_expiry_ms);
        let deletion = self.next_deletion().map(|deletion| deletion.due);
        [expiry, self.roll_due(), deletion, self.compaction_due(), self.flush_due()]
            .into_iter()
            .flatten()
            .min()
    }

    /// One bounded step: a segment looked at or deleted, or the active one ended. Call again while it is due.
    pub fn keep_up(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        now: WallMs,
    ) -> Result<Upkeep, Offline> {
        let mut done = Upkeep::default();
        if self.offline.is_some() {
            return Ok(done);
        }
        self.producers.expire(now, self.settings.producer_expiry_ms);
        if self.flush_due().is_some_and(|due| due <= now) {
            self.request_checkpoint();
        }
        let is_due = self.next_deletion().is_some_and(|deletion| deletion.due <= now);
        let step = if is_due && self.may_delete_first() && !self.segments[0].is_newest_known {
            // What is to go for its age is looked at first: an index alone has said how old it is.
            self.check_newest(disk, files, 0)
        } else if is_due && self.may_delete_first() {
            self.delete_first(disk, files).map(|bytes| done.deleted_bytes = bytes)
        } else if let Some(active) = self.segments.last()
            && active.size > 0
            && (self.is_overdue(active, now) || is_due && self.segments.len() == 1)
        {
            done.has_rolled = true;
            self.roll_now(disk, files)
        } else {
            Ok(())
        };
        match step {
            Ok(()) => Ok(done),
            Err(error) => Err(self.go_offline(Offline::File(error))),
        }
    }

    /// Moves the log's start up to `offset`, which is at most the high watermark, durably: records before it
    /// stay deleted. Whole segments before it go with [`Log::keep_up`].
    pub fn delete_records(&mut self, disk: &mut dyn Disk, offset: Offset) -> Result<(), StorageError> {
        assert!(offset <= self.offsets.high_watermark, "records are deleted beyond the high watermark");
        if offset > self.offsets.log_start {
            start::write(disk, &self.dir, offset)?;
            self.advance_log_start(offset);
        }
        Ok(())
    }

    /// When the active segment ends by the clock.
    pub(super) fn roll_due(&self) -> Option<WallMs> {
        self.segments.last().filter(|active| active.size > 0).map(|active| self.overdue_at(active))
    }

    /// When the first segment may go, and why.
    pub(super) fn next_deletion(&self) -> Option<Deletion> {
        let first = self.segments.first()?;
        let is_below_start = self.segments.get(1).is_some_and(|next| next.base <= self.offsets.log_start);
        let at_once = |reason| Some(Deletion { due: WallMs(i64::MIN), reason });
        if is_below_start {
            return at_once(DeletionReason::BelowLogStart);
        }
        if !self.settings.is_deleted || first.size == 0 && self.segments.len() == 1 {
            return None;
        }
        let others = self.size_bytes() - u64::from(first.size);
        if self.settings.retention_bytes.is_some_and(|bytes_max| others >= bytes_max) {
            return at_once(DeletionReason::Size);
        }
        let retention_ms = self.settings.retention_ms?;
        let expired = self.dated_at(first).saturating_add(retention_ms).saturating_add(1);
        let due = WallMs(expired.max(first.appended_at.saturating_add(READABLE_MS)));
        Some(Deletion { due, reason: DeletionReason::Age })
    }

    /// How new a segment is, in ms.
    pub(super) fn dated_at(&self, segment: &Segment) -> i64 {
        match self.settings.retention_clock {
            RetentionClock::Records if segment.newest.timestamp >= 0 => {
                segment.newest.timestamp.min(segment.appended_at)
            }
            RetentionClock::Records | RetentionClock::Append => segment.appended_at,
        }
    }

    /// Whether the first segment is whole, durable, and nothing that a replica still needs. An open transaction keeps nothing,
    /// as in Kafka: one that hangs must not fill the disk.
    pub(super) fn may_delete_first(&self) -> bool {
        let [first, second, ..] = &self.segments[..] else { return false };
        matches!(first.indexes, Indexes::Sealed) && second.base <= self.offsets.high_watermark
    }

    /// The log's file goes first: whatever else a crash leaves of the segment is nothing without it.
    fn delete_first(&mut self, disk: &mut dyn Disk, files: &mut OpenFiles) -> Result<u64, StorageError> {
        let mut gone = self.segments.remove(0);
        gone.release(files);
        self.advance_log_start(self.segments[0].base);
        for ending in [LOG, INDEX, TIME_INDEX, TXN_INDEX, SNAPSHOT] {
            remove_if_there(disk, &path_of(&self.dir, gone.base, ending))?;
        }
        Ok(u64::from(gone.size))
    }

    /// Ends the active segment. The next one's file is made at once: it keeps the place when the rest is
    /// deleted.
    fn roll_now(&mut self, disk: &mut dyn Disk, files: &mut OpenFiles) -> Result<(), StorageError> {
        self.prepare_dir(disk)?;
        self.start_segment(self.offsets.assigned);
        let Some(active) = self.segments.last_mut() else { return Ok(()) };
        active.open_log(disk, files, &self.dir, OpenMode::Create).map(drop)
    }

    /// Whether a segment's time is over by the broker's calendar, whatever its records say.
    pub(super) fn is_overdue(&self, active: &Segment, now: WallMs) -> bool {
        active.size > 0 && now >= self.overdue_at(active)
    }

    fn overdue_at(&self, active: &Segment) -> WallMs {
        WallMs(active.first_appended_at.saturating_add(self.segment_ms(active)).saturating_add(1))
    }

    /// `segment.ms` less a part of the jitter that this segment of this log always gets.
    pub(super) fn segment_ms(&self, segment: &Segment) -> i64 {
        let (segment_ms, jitter_ms) = (self.settings.segment_ms, self.settings.segment_jitter_ms);
        let jitter_ms = jitter_ms.min(segment_ms);
        if jitter_ms <= 0 {
            return segment_ms;
        }
        let place = crc32c::crc32c(self.dir.as_os_str().as_encoded_bytes());
        let lot = u64::from(crc32c::crc32c_append(place, &segment.base.0.to_be_bytes()));
        segment_ms - (lot % jitter_ms as u64) as i64
    }
}
