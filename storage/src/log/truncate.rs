//! Cutting a log's end off: a follower drops what its new leader does not have.

use shard::{Disk, OpenMode, WallMs};

use super::close::{MARKER, remove_if_there};
use super::{Log, OpenLog, point, start};
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::journal::Journal;
use crate::offset::Offset;
use crate::scan::Scanner;
use crate::segment::{INDEX, LOG, SNAPSHOT, TIME_INDEX, TXN_INDEX, parse_name, path_of};

/// Headers are read this many bytes at a time.
const WINDOW_LEN: usize = 4 << 10;

impl Log {
    /// Drops every batch that reaches `offset`, and opens what is left as after a crash: producers and
    /// indexes are made from it, and the high watermark is at the log's start until it is told anew. No
    /// writes may be under way.
    pub fn truncate_to(
        mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        journal: Option<&Journal>,
        offset: Offset,
        now: WallMs,
    ) -> Result<Log, StorageError> {
        assert!(!self.has_flight(), "a log is truncated with writes under way");
        let log_start = self.offsets.log_start.min(offset);
        if self.on_disk.has_dir && offset < self.offsets.assigned {
            if let Some(journal) = journal {
                journal.mark().write(disk, &self.dir)?;
            }
            self.cut_files(disk, files, offset)?;
        }
        for segment in &mut self.segments {
            segment.release(files);
        }
        let with = OpenLog { id: self.id, dir: self.dir, settings: self.settings, log_start, now };
        Ok(Log::open(disk, files, with)?.0)
    }

    fn cut_files(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        offset: Offset,
    ) -> Result<(), StorageError> {
        // The marker goes first: whatever is left of the rest, opening then looks at the data itself.
        remove_if_there(disk, &self.dir.join(MARKER))?;
        remove_if_there(disk, &self.dir.join(point::FILE_NAME))?;
        if offset < self.offsets.log_start {
            start::write(disk, &self.dir, offset)?;
        }
        let cut_from = self.segment_of(offset);
        for entry in disk.list(&self.dir).map_err(StorageError::io(&self.dir))? {
            if let Some((at, SNAPSHOT)) = parse_name(&entry.name)
                && at > offset
            {
                remove_if_there(disk, &path_of(&self.dir, at, SNAPSHOT))?;
            }
        }
        for index in (cut_from..self.segments.len()).rev() {
            let base = self.segments[index].base;
            for ending in [INDEX, TIME_INDEX, TXN_INDEX] {
                remove_if_there(disk, &path_of(&self.dir, base, ending))?;
            }
            if index > cut_from {
                remove_if_there(disk, &path_of(&self.dir, base, LOG))?;
            }
        }
        self.cut_segment(disk, files, cut_from, offset)?;
        remove_if_there(disk, &self.dir.join("ringlog.cleaned"))?;
        self.epochs.cut(offset);
        self.on_disk.has_epochs = false;
        self.save_epochs(disk)
    }

    fn cut_segment(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
        offset: Offset,
    ) -> Result<(), StorageError> {
        let end = self.offsets.end;
        let Some(segment) = self.segments.get_mut(index) else { return Ok(()) };
        if segment.base >= end {
            return remove_if_there(disk, &path_of(&self.dir, segment.base, LOG));
        }
        let file = segment.open_log(disk, files, &self.dir, OpenMode::Write)?;
        let (mut at, mut next_offset) = (0, segment.base);
        let mut scanner = Scanner::new(disk, file, WINDOW_LEN);
        while next_offset < end.min(offset) {
            let read = scanner.header_at(at, segment.written.into(), next_offset);
            let header = read.map_err(|error| segment.error(&self.dir, LOG, at, Cause::Io(error)))?;
            let Some((header, size)) = header else {
                return Err(segment.error(&self.dir, LOG, at, Cause::Corrupt));
            };
            if header.last_offset() >= offset {
                break;
            }
            next_offset = header.last_offset().plus(1);
            at += size;
        }
        // Durably, before anything is appended: a power cut could bring old batches back behind new ones.
        let cut = disk.truncate(file, at).and_then(|()| disk.sync(file));
        cut.map_err(|error| segment.error(&self.dir, LOG, at, Cause::Io(error)))
    }
}
