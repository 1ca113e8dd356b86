//! Offsets by time (ListOffsets): the first record at or after a time, and the newest record.
//!
//! Records may be dated in any order (C79), so the answer is the first *offset* whose record is late enough
//! (Q76). The time index only says where everything is older; from there batch headers are read, and one
//! batch is opened.

use shard::{Disk, OpenMode};

use super::Log;
use crate::batch::{BatchHeader, HEADER_LEN, RecordFault, RecordStream};
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::offset::{LeaderEpoch, Offset};
use crate::scan::Scanner;
use crate::segment::LOG;

/// Headers are read this many bytes at a time: an index interval.
const WINDOW_LEN: usize = 4 << 10;

/// A record found by its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its offset.
    pub offset: Offset,
    /// Its timestamp in ms.
    pub timestamp: i64,
    /// The leader that appended it.
    pub leader_epoch: LeaderEpoch,
}

/// Whether to go on looking.
enum Step<T> {
    Next,
    Done(T),
}

impl Log {
    /// The first record from the log's start on, and before `up_to`, whose time is `timestamp` ms or later.
    pub fn find_by_time(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        timestamp: i64,
        up_to: Offset,
    ) -> Result<Option<Found>, StorageError> {
        let (start, up_to) = (self.offsets.log_start, up_to.min(self.offsets.end));
        for index in self.segment_of(start)..self.segments.len() {
            self.check_newest(disk, files, index)?;
            // -1 is the time of a segment without dates; those are looked through, as negative targets may
            // ask for them.
            if self.segments[index].newest.timestamp < timestamp {
                continue;
            }
            let older_to = self.older_to(disk, files, index, timestamp)?;
            if older_to >= up_to {
                // The index knows of batches that this reader may not see, or that are not even written.
                break;
            }
            let position = match older_to < self.segments[index].base {
                true => 0,
                false => self.position_in(disk, files, index, older_to)?.0,
            };
            let unpacked_max = self.settings.unpacked_bytes_max as usize;
            let found =
                self.walk_batches(disk, files, index, position, up_to, |header, position, scanner| {
                    if header.last_offset() < start || header.max_timestamp < timestamp {
                        return Ok(Step::Next);
                    }
                    let bytes = scanner.copy_at(position, header.size().unwrap_or(0)).map_err(Cause::Io)?;
                    let found = find_in_batch(header, &bytes, unpacked_max, |offset, time| {
                        offset >= start && time >= timestamp
                    });
                    Ok(found.map_err(|_| Cause::Corrupt)?.map_or(Step::Next, Step::Done))
                })?;
            if let Some(found) = found {
                return Ok(Some(found).filter(|found| found.offset < up_to));
            }
        }
        Ok(None)
    }

    /// An offset up to which every record of segment `index` is older than `timestamp`; one before its base if none is
    /// known.
    fn older_to(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
        timestamp: i64,
    ) -> Result<Offset, StorageError> {
        let mut entry = self.segments[index].older_to(disk, &self.dir, timestamp)?;
        if let Some(told) = entry.filter(|_| self.segments[index].is_sealed())
            && !self.is_right(disk, files, index, told)?
        {
            self.reindex(disk, files, index)?;
            entry = self.segments[index].older_to(disk, &self.dir, timestamp)?;
        }
        Ok(self.segments[index].base.plus(entry.map_or(-1, |entry| i64::from(entry.relative))))
    }

    /// The first of the newest records before `up_to`; `None` if none has a date.
    pub fn find_newest(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        up_to: Offset,
    ) -> Result<Option<Found>, StorageError> {
        for index in 0..self.segments.len() {
            self.check_newest(disk, files, index)?;
        }
        let newest = self.segments.iter().map(|segment| segment.newest.timestamp).max();
        let Some(newest) = newest.filter(|timestamp| *timestamp >= 0) else { return Ok(None) };
        if let Some(found) = self.find_by_time(disk, files, newest, up_to)? {
            return Ok(Some(found));
        }
        // The newest one lies below the log's start or is not yet for this reader: look at every header
        // between, and into the batch that the log's start cuts.
        let (start, mut newest) = (self.offsets.log_start, -1);
        let unpacked_max = self.settings.unpacked_bytes_max as usize;
        for index in self.segment_of(start)..self.segments.len() {
            self.walk_batches(disk, files, index, 0, up_to, |header, position, scanner| {
                if header.base_offset >= start {
                    newest = newest.max(header.max_timestamp);
                } else if header.last_offset() >= start {
                    let bytes = scanner.copy_at(position, header.size().unwrap_or(0)).map_err(Cause::Io)?;
                    let look = |offset, time| {
                        if offset >= start {
                            newest = newest.max(time);
                        }
                        false
                    };
                    find_in_batch(header, &bytes, unpacked_max, look).map_err(|_| Cause::Corrupt)?;
                }
                Ok(Step::<()>::Next)
            })?;
        }
        if newest < 0 { Ok(None) } else { self.find_by_time(disk, files, newest, up_to) }
    }

    /// Shows the batches of a segment from `position` on, as far as `up_to`.
    fn walk_batches<T>(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
        position: u32,
        up_to: Offset,
        mut look: impl FnMut(&BatchHeader, u64, &mut Scanner<'_>) -> Result<Step<T>, Cause>,
    ) -> Result<Option<T>, StorageError> {
        let up_to = up_to.min(self.offsets.end);
        let segment = &mut self.segments[index];
        if segment.base >= up_to {
            return Ok(None);
        }
        let file = segment.open_log(disk, files, &self.dir, OpenMode::Write)?;
        let (mut at, end) = (u64::from(position), u64::from(segment.written));
        let mut next_offset = segment.base;
        let mut scanner = Scanner::new(disk, file, WINDOW_LEN);
        while at < end && next_offset < up_to {
            let read = scanner.header_at(at, end, next_offset).map_err(Cause::Io);
            let step = match read {
                Err(cause) => Err(cause),
                Ok(None) => Err(Cause::Corrupt),
                Ok(Some((header, _))) if header.base_offset >= up_to => return Ok(None),
                Ok(Some((header, size))) => look(&header, at, &mut scanner).map(|step| (step, header, size)),
            };
            match step.map_err(|cause| self.segments[index].error(&self.dir, LOG, at, cause))? {
                (Step::Done(found), ..) => return Ok(Some(found)),
                (Step::Next, header, size) => {
                    next_offset = header.last_offset().plus(1);
                    at += size;
                }
            }
        }
        Ok(None)
    }
}

/// The first record of a batch that `accepts`.
fn find_in_batch(
    header: &BatchHeader,
    bytes: &[u8],
    unpacked_max: usize,
    mut accepts: impl FnMut(Offset, i64) -> bool,
) -> Result<Option<Found>, RecordFault> {
    let codec = header.attributes.codec().ok_or(RecordFault::BadPacking)?;
    let records = bytes.get(HEADER_LEN..).ok_or(RecordFault::Truncated)?;
    let mut records = RecordStream::new(codec, records, unpacked_max)?;
    while let Some(record) = records.next()? {
        let offset = Offset(header.base_offset.0.saturating_add(i64::from(record.offset_delta)));
        let timestamp = header.timestamp_of(record.timestamp_delta);
        if accepts(offset, timestamp) {
            return Ok(Some(Found { offset, timestamp, leader_epoch: header.leader_epoch }));
        }
    }
    Ok(None)
}
