//! Indexes that do not say what their segment holds, as when a device gave other bits back than it was given.
//!
//! Nobody reads whole indexes to trust them: they are found wrong when they are used, and are then made anew from the segment alone. An
//! offset entry is right if a batch begins where it says, at or before what was looked for; a time entry, if the batch that
//! it names is just as new. A wrong entry that a search passes over costs time, and no record.
//!
//! Not found this way: wrong entries of the index of aborted transactions, which have nothing to be held against.

use shard::{Disk, OpenMode, WallMs};

use super::Log;
use crate::batch::BatchHeader;
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::index::TimeEntry;
use crate::offset::Offset;
use crate::scan::Scanner;
use crate::segment::{INDEX, Indexes, LOG, Segment, TIME_INDEX, path_of};

/// Headers are read this many bytes at a time: an index interval.
const WINDOW_LEN: usize = 4 << 10;

impl Log {
    /// The segments whose indexes were made anew since the last call.
    pub fn take_reindexed(&mut self) -> Vec<Offset> {
        std::mem::take(&mut self.reindexed)
    }

    /// A position at or before the batch that holds `offset`, within segment `index`; and the last offset of the batch that
    /// is there, if an index on disk promises one.
    pub(super) fn position_in(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
        offset: Offset,
    ) -> Result<(u32, Option<Offset>), StorageError> {
        let segment = &mut self.segments[index];
        let mut entry = segment.entry_before(disk, files, &self.dir, offset)?;
        if segment.is_sealed() && entry.is_some_and(|entry| entry.position >= segment.written) {
            self.reindex(disk, files, index)?;
            entry = self.segments[index].entry_before(disk, files, &self.dir, offset)?;
        }
        let segment = &self.segments[index];
        let promised = entry.filter(|_| segment.is_sealed());
        let promised = promised.map(|entry| segment.base.plus(i64::from(entry.relative)));
        Ok((entry.map_or(0, |entry| entry.position), promised))
    }

    /// Whether the batch that a time entry names is as new as it says.
    pub(super) fn is_right(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
        entry: TimeEntry,
    ) -> Result<bool, StorageError> {
        let offset = self.segments[index].base.plus(i64::from(entry.relative));
        let (position, mut promised) = self.position_in(disk, files, index, offset)?;
        let mut at = u64::from(position);
        let segment = &mut self.segments[index];
        let file = segment.open_log(disk, files, &self.dir, OpenMode::Write)?;
        let (base, end) = (segment.base, u64::from(segment.written));
        let mut scanner = Scanner::new(disk, file, WINDOW_LEN);
        while at < end {
            let read = scanner.header_at(at, end, base);
            let read = read.map_err(|error| segment.error(&self.dir, LOG, at, Cause::Io(error)))?;
            let Some((header, size)) = read else { return Ok(false) };
            if promised.take().is_some_and(|promised| header.last_offset() != promised) {
                return Ok(false);
            }
            if header.last_offset() >= offset {
                return Ok(header.base_offset <= offset && header.max_timestamp == entry.timestamp);
            }
            at += size;
        }
        Ok(false)
    }

    /// Finds out how new segment `index` really is, where only its index has said so yet.
    pub(super) fn check_newest(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
    ) -> Result<(), StorageError> {
        let segment = &self.segments[index];
        let newest = segment.newest;
        if segment.is_newest_known {
            return Ok(());
        }
        if newest.timestamp >= 0 && !self.is_right(disk, files, index, newest)? {
            return self.reindex(disk, files, index);
        }
        self.segments[index].is_newest_known = true;
        Ok(())
    }

    /// Makes the indexes of a sealed segment anew from its batches. A segment that is damaged itself is read through once.
    pub(super) fn reindex(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
    ) -> Result<(), StorageError> {
        let segment = &mut self.segments[index];
        assert!(segment.is_sealed(), "an index in memory is right");
        if let Some(at) = segment.damaged_at {
            return Err(segment.error(&self.dir, LOG, at.into(), Cause::Corrupt));
        }
        let file = segment.open_log(disk, files, &self.dir, OpenMode::Write)?;
        let (mut anew, mut at, mut next_offset) = (Segment::new(segment.base), 0, segment.base);
        let mut scanner = Scanner::new(disk, file, WINDOW_LEN);
        while at < segment.written {
            let read = scanner.header_at(at.into(), segment.written.into(), next_offset);
            let read = read.map_err(Cause::Io).and_then(|found| found.ok_or(Cause::Corrupt));
            let (header, size) = match read {
                Ok(found) => found,
                Err(cause) => {
                    segment.damaged_at = (cause == Cause::Corrupt).then_some(at);
                    return Err(segment.error(&self.dir, LOG, at.into(), cause));
                }
            };
            anew.apply(&header, size as u32, WallMs(0), self.settings.index_interval_bytes);
            next_offset = header.last_offset().plus(1);
            at += size as u32;
        }
        let Indexes::Growing(mut entries) = anew.indexes else { unreachable!("it was just made") };
        entries.apply_time(anew.newest);
        let (offsets, times) = entries.encode();
        let write = |(ending, bytes)| disk.replace_file(&path_of(&self.dir, segment.base, ending), bytes);
        let written = [(INDEX, &offsets[..]), (TIME_INDEX, &times[..])].into_iter().try_for_each(write);
        // A full disk is no reason not to read: until the log is closed the index is in memory then.
        segment.mended = written.is_err().then(|| Box::new(entries));
        // The open file is the one that was replaced.
        segment.release(files);
        (segment.newest, segment.is_newest_known) = (anew.newest, true);
        self.reindexed.push(segment.base);
        Ok(())
    }
}

/// Whether bytes that an index led to do not begin with the batch that it promised. Too few bytes tell nothing.
pub(super) fn is_astray(bytes: &[u8], promised: Offset) -> bool {
    BatchHeader::parse(bytes).is_some_and(|header| {
        header.magic != crate::batch::MAGIC || header.size().is_none() || header.last_offset() != promised
    })
}
