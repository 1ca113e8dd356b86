//! One segment of a log: a file of batches and its two indexes, named by the offset it starts at.

use std::path::{Path, PathBuf};

use shard::{Disk, FileId, OpenMode, WallMs};

use crate::aborted::{self, AbortedTxn};
use crate::batch::BatchHeader;
use crate::batch::validate::NO_TIMESTAMP;
use crate::error::{Cause, StorageError};
use crate::files::{FileSlot, OpenFiles};
use crate::index::{self, OffsetEntry, SegmentIndex, TimeEntry};
use crate::offset::Offset;
use crate::settings::LogSettings;

/// What a segment's files are called after the base offset.
pub const LOG: &str = "log";
/// The offset index.
pub const INDEX: &str = "index";
/// The time index.
pub const TIME_INDEX: &str = "timeindex";
/// The transactions that were aborted by markers in it; there is none if there are no such.
pub const TXN_INDEX: &str = "txnindex";
/// Producer state before the segment of the same number.
pub const SNAPSHOT: &str = "snapshot";

/// A file's path: `%020d.<ending>`, as Kafka names it.
pub fn path_of(dir: &Path, base: Offset, ending: &str) -> PathBuf {
    dir.join(format!("{:020}.{ending}", base.0))
}

/// The base offset and the ending in a file's name.
pub fn parse_name(name: &str) -> Option<(Offset, &str)> {
    let (number, ending) = name.split_once('.')?;
    let is_number = number.len() == 20 && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Some((Offset(number.parse().ok()?), ending)) } else { None }
}

/// Where a segment's indexes are.
#[derive(Debug)]
pub enum Indexes {
    /// In memory: the active segment's, and a sealed one's until its data is durable.
    Growing(SegmentIndex),
    /// On disk, and with that the promise that the segment's data is durable.
    Sealed,
}

/// A segment, without its bytes.
#[derive(Debug)]
pub struct Segment {
    /// Its first possible offset.
    pub base: Offset,
    /// Bytes in it, those on their way included.
    pub size: u32,
    /// Bytes of it that are in the file.
    pub written: u32,
    /// Largest timestamp of its first batch, in ms; the clock's where that has none.
    pub first_timestamp: i64,
    /// When its first batch was appended, in ms of the broker's calendar.
    pub first_appended_at: i64,
    /// When its last batch was appended: after a restart the file's own time.
    pub appended_at: i64,
    /// Its newest time so far.
    pub newest: TimeEntry,
    /// Whether batches have said so, and not an index alone.
    pub is_newest_known: bool,
    /// Counts how often compaction has replaced it: positions in an earlier one mean nothing here.
    pub revision: u32,
    /// Its indexes.
    pub indexes: Indexes,
    /// Where its batches end before the segment does, if that was found: indexes are not made of it again.
    pub damaged_at: Option<u32>,
    /// Indexes that were made anew and could not be written.
    pub mended: Option<Box<SegmentIndex>>,
    /// Transactions that markers in it aborted, while its indexes grow.
    pub aborted: Vec<AbortedTxn>,
    /// Whether they lie in a file of their own.
    pub has_aborted_file: bool,
    log_file: FileSlot,
    index_file: FileSlot,
}

impl Segment {
    /// An empty one.
    pub fn new(base: Offset) -> Segment {
        Segment {
            base,
            size: 0,
            written: 0,
            first_timestamp: NO_TIMESTAMP,
            first_appended_at: NO_TIMESTAMP,
            appended_at: NO_TIMESTAMP,
            newest: TimeEntry { timestamp: NO_TIMESTAMP, relative: 0 },
            is_newest_known: true,
            revision: 0,
            indexes: Indexes::Growing(SegmentIndex::default()),
            damaged_at: None,
            mended: None,
            aborted: Vec::new(),
            has_aborted_file: false,
            log_file: FileSlot::default(),
            index_file: FileSlot::default(),
        }
    }

    /// Whether a batch must go to a new segment instead (Q74): no room, too late, or no way to index it.
    /// `ms_max` is `segment.ms` less this log's jitter.
    pub fn is_full_for(
        &self,
        header: &BatchHeader,
        size: usize,
        ms_max: i64,
        settings: &LogSettings,
    ) -> bool {
        if self.size == 0 {
            return false;
        }
        let Indexes::Growing(index) = &self.indexes else { return true };
        let age_ms = header.max_timestamp.saturating_sub(self.first_timestamp);
        self.size as usize + size > settings.segment_bytes as usize
            || (self.first_timestamp >= 0 && header.max_timestamp >= 0 && age_ms > ms_max)
            || index.is_full(settings.index_bytes_max)
            || self.aborted.len() * aborted::ENTRY_LEN > settings.index_bytes_max as usize
            || header.last_offset().distance_from(self.base) > i64::from(i32::MAX)
    }

    /// Counts a batch that follows all others.
    pub fn apply(&mut self, header: &BatchHeader, size: u32, now: WallMs, index_interval_bytes: u32) {
        let relative_last = self.relative(header.last_offset());
        if self.size == 0 {
            self.first_timestamp = header.max_timestamp;
            self.first_appended_at = now.0;
        }
        self.appended_at = now.0;
        if header.max_timestamp > self.newest.timestamp {
            self.newest = TimeEntry { timestamp: header.max_timestamp, relative: relative_last };
        }
        if let Indexes::Growing(index) = &mut self.indexes {
            index.apply(relative_last, self.size, size, self.newest, index_interval_bytes);
        }
        self.size = self.size.checked_add(size).expect("a segment stays below 4 GiB");
    }

    /// Dates a segment that was found on disk: the file's time stands for its last append, and its first record's
    /// for the first.
    pub fn date_by_file(&mut self, modified: WallMs) {
        self.appended_at = modified.0;
        let first = self.first_timestamp;
        self.first_appended_at = if first < 0 { modified.0 } else { first.min(modified.0) };
    }

    /// `offset` relative to the base.
    pub fn relative(&self, offset: Offset) -> u32 {
        u32::try_from(offset.distance_from(self.base)).expect("an offset lies within its segment")
    }

    /// The segment's log file, open for reading and writing.
    pub fn open_log(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        dir: &Path,
        mode: OpenMode,
    ) -> Result<FileId, StorageError> {
        let path = || path_of(dir, self.base, LOG);
        files
            .get(disk, &mut self.log_file, mode, path)
            .map_err(|error| self.error(dir, LOG, 0, Cause::Io(error)))
    }

    /// A batch at or before the one that contains `offset`; without one, the first.
    pub fn entry_before(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        dir: &Path,
        offset: Offset,
    ) -> Result<Option<OffsetEntry>, StorageError> {
        // Beyond 2^31-1 lies nothing, so a large distance only means "at the end".
        let relative =
            u32::try_from(offset.distance_from(self.base).clamp(0, i64::from(u32::MAX))).unwrap_or(0);
        if let Some(index) = self.index_in_memory() {
            return Ok(index.entry_before(relative));
        }
        let path = || path_of(dir, self.base, INDEX);
        files
            .get(disk, &mut self.index_file, OpenMode::Read, path)
            .and_then(|file| index::find_entry(disk, file, relative))
            .map_err(|error| self.error(dir, INDEX, 0, Cause::Io(error)))
    }

    fn index_in_memory(&self) -> Option<&SegmentIndex> {
        match &self.indexes {
            Indexes::Growing(index) => Some(index),
            Indexes::Sealed => self.mended.as_deref(),
        }
    }

    /// Whether its data is durable and its indexes are on disk.
    pub fn is_sealed(&self) -> bool {
        matches!(self.indexes, Indexes::Sealed)
    }

    /// The newest time before `timestamp` that an index knows: every record up to its offset is older.
    pub fn older_to(
        &mut self,
        disk: &mut dyn Disk,
        dir: &Path,
        timestamp: i64,
    ) -> Result<Option<TimeEntry>, StorageError> {
        Ok(match self.index_in_memory() {
            Some(index) => index.older_than(timestamp),
            None => {
                let path = path_of(dir, self.base, TIME_INDEX);
                let file = disk.open(&path, OpenMode::Read).map_err(StorageError::io(&path))?;
                let found = index::find_older(disk, file, timestamp);
                disk.close(file);
                found.map_err(StorageError::io(&path))?
            }
        })
    }

    /// Lets go of the files.
    pub fn release(&mut self, files: &mut OpenFiles) {
        files.release(&mut self.log_file);
        files.release(&mut self.index_file);
    }

    /// An error about one of its files.
    pub fn error(&self, dir: &Path, ending: &str, position: u64, cause: Cause) -> StorageError {
        StorageError::new(&path_of(dir, self.base, ending), position, cause)
    }
}
