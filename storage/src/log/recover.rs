//! Reading what cannot be trusted of a log that is being opened: a bounded step at a time, so that the core that
//! opens it serves its other partitions meanwhile.

use std::collections::{BTreeSet, VecDeque};

use shard::{Disk, FileId, IoError, OpenMode, WallMs};

use super::close::{Marker, remove_if_there};
use super::open::{FoundSegment, Recovered};
use super::point::Point;
use super::writer::seal;
use super::{Durable, Log, Offsets};
use crate::batch::{self, BatchHeader, HEADER_LEN, marker};
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::offset::Offset;
use crate::scan::Scanner;
use crate::segment::{LOG, SNAPSHOT, Segment, TXN_INDEX, path_of};

/// Recovery reads this many bytes at a time.
const WINDOW_LEN: usize = 256 << 10;

/// A log that is being opened. Begun by [`Opening::begin`]; [`Opening::step`] until that says `true`; then
/// [`Opening::finish`]. One that is given up is let go of with [`Opening::abandon`].
#[derive(Debug)]
pub struct Opening {
    pub(super) log: Log,
    pub(super) report: Recovered,
    /// Where segments end that were sealed.
    pub(super) snapshots: BTreeSet<Offset>,
    pub(super) marker: Option<Marker>,
    /// Whether the epoch file can be relied on.
    pub(super) has_epochs: bool,
    /// Before it the producers are known.
    pub(super) snapshot_at: Offset,
    /// The recovery point of the active segment, if it is of use.
    pub(super) point: Option<Point>,
    /// Segments that are not part of the log yet, oldest first; with what is trusted of each.
    pub(super) left: VecDeque<(FoundSegment, Option<Segment>)>,
    /// Where the log ends so far.
    pub(super) end: Offset,
    reading: Option<Reading>,
    now: WallMs,
    is_done: bool,
}

/// A segment whose batches are being read: to trust it (then it may come out shorter), or only to learn from its
/// headers.
#[derive(Debug)]
struct Reading {
    segment: Segment,
    is_trusted: bool,
    at: u64,
    next_offset: Offset,
}

impl Opening {
    pub(super) fn of(log: Log, now: WallMs) -> Opening {
        let end = log.offsets.log_start;
        Opening {
            log,
            report: Recovered { is_clean: true, ..Recovered::default() },
            snapshots: BTreeSet::new(),
            marker: None,
            has_epochs: true,
            snapshot_at: Offset(i64::MIN),
            point: None,
            left: VecDeque::new(),
            end,
            reading: None,
            now,
            is_done: false,
        }
    }

    /// There is no directory, and so nothing to read.
    pub(super) fn without_files(mut self) -> Opening {
        self.is_done = true;
        self
    }

    /// Reads on, by about `bytes_max` bytes and a batch; `true` when the log is open.
    pub fn step(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        bytes_max: u64,
    ) -> Result<bool, StorageError> {
        let mut bytes_left = bytes_max;
        while let Some(&mut (found, ref mut trusted)) = self.left.front_mut() {
            let reading = match self.reading.take() {
                Some(reading) => Some(reading),
                None => {
                    let trusted = trusted.take();
                    self.begin_segment(disk, &found, trusted)?
                }
            };
            if let Some(mut reading) = reading {
                if !self.read_on(disk, files, &mut reading, &found, &mut bytes_left)? {
                    self.reading = Some(reading);
                    return Ok(false);
                }
                self.end = reading.next_offset;
                self.end_segment(disk, files, &found, reading)?;
            }
        }
        if !self.is_done {
            self.is_done = true;
            self.end_all(disk, files)?;
        }
        Ok(true)
    }

    /// Bytes read so far to be trusted.
    pub fn checked_bytes(&self) -> u64 {
        self.report.checked_bytes
    }

    /// The log, and what opening it took.
    pub fn finish(self) -> (Log, Recovered) {
        assert!(self.is_done, "a log is used before it is open");
        (self.log, self.report)
    }

    /// Lets go of the files.
    pub fn abandon(mut self, files: &mut OpenFiles) {
        let reading = self.reading.iter_mut().map(|reading| &mut reading.segment);
        self.log.segments.iter_mut().chain(reading).for_each(|segment| segment.release(files));
    }

    /// Begins with the next segment: takes it as it is, or says how to read it.
    fn begin_segment(
        &mut self,
        disk: &mut dyn Disk,
        found: &FoundSegment,
        trusted: Option<Segment>,
    ) -> Result<Option<Reading>, StorageError> {
        if found.base < self.end {
            return Err(self.error(found.base, 0, Cause::Corrupt));
        }
        let is_trusted = trusted.is_some();
        if !is_trusted && found.has_aborted {
            // It is made anew, like the other indexes.
            remove_if_there(disk, &path_of(&self.log.dir, found.base, TXN_INDEX))?;
        }
        let mut next_offset = found.base;
        let mut segment = trusted.unwrap_or_else(|| Segment::new(found.base));
        if let Some(point) = self.point.take_if(|point| point.segment.base == found.base) {
            (segment, next_offset) = (point.segment, point.end);
        }
        let known_end = match found.next {
            None if is_trusted => self.marker.map(|marker| marker.end),
            next => next,
        };
        let needs_headers =
            !is_trusted || !self.has_epochs || known_end.is_none_or(|end| self.snapshot_at < end);
        if let Some(known) = known_end.filter(|_| !needs_headers) {
            self.end = known;
            segment.date_by_file(found.modified);
            self.log.segments.push(segment);
            self.left.pop_front();
            return Ok(None);
        }
        // What lies before a recovery point is in the segment already, unless only the headers are wanted.
        let (at, next_offset) =
            if is_trusted { (0, found.base) } else { (u64::from(segment.size), next_offset) };
        Ok(Some(Reading { segment, is_trusted, at, next_offset }))
    }

    /// Reads batches until the segment ends, `true`, or the bytes are used up.
    fn read_on(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        reading: &mut Reading,
        found: &FoundSegment,
        bytes_left: &mut u64,
    ) -> Result<bool, StorageError> {
        let log = &mut self.log;
        let Reading { segment, is_trusted, at, next_offset } = reading;
        let (is_trusted, end) = (*is_trusted, u64::from(found.size));
        let file = segment.open_log(disk, files, &log.dir, OpenMode::Write)?;
        let window_len = WINDOW_LEN.min(end.saturating_sub(*at) as usize).max(HEADER_LEN);
        let mut scanner = Scanner::new(disk, file, window_len);
        while let Some((header, size)) = next_batch(&mut scanner, *at, end, *next_offset, !is_trusted)
            .map_err(StorageError::io(&log.dir))?
            && header.last_offset().distance_from(found.base) <= i64::from(i32::MAX)
        {
            if header.base_offset >= self.snapshot_at {
                let marker = match header.attributes.is_control() && size <= marker::LEN_MAX as u64 {
                    true => {
                        let copied = scanner.copy_at(*at, size as usize);
                        batch::Marker::parse(&header, &copied.map_err(StorageError::io(&log.dir))?)
                    }
                    false => None,
                };
                let count_max = log.settings.producer_count_max;
                let ended = marker.and_then(|marker| {
                    log.producers.apply_marker(&marker, header.base_offset, self.now, count_max)
                });
                log.producers.apply(&header, self.now, count_max);
                if !is_trusted {
                    segment.aborted.extend(ended.and_then(|ended| ended.aborted));
                }
            }
            if log.epochs.apply(header.leader_epoch, header.base_offset) {
                log.on_disk.has_epochs = false;
            }
            if !is_trusted {
                segment.apply(&header, size as u32, found.modified, log.settings.index_interval_bytes);
                self.report.checked_bytes += size;
            }
            *next_offset = header.last_offset().plus(1);
            *at += size;
            *bytes_left = bytes_left.saturating_sub(size);
            if *bytes_left == 0 && *at < end {
                return Ok(false);
            }
        }
        if is_trusted && *at < end {
            let at = *at;
            return Err(self.error(found.base, at, Cause::Corrupt));
        }
        Ok(true)
    }

    /// A segment was read to its end: it is part of the log, and what follows is not if it came out shorter.
    fn end_segment(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        found: &FoundSegment,
        reading: Reading,
    ) -> Result<(), StorageError> {
        let Reading { mut segment, is_trusted, .. } = reading;
        self.left.pop_front();
        // Compaction leaves gaps between segments, but sealed ones. Without that proof, a gap is a lost tail.
        let lost_tail = found.next.is_some_and(|next| self.end < next && !self.snapshots.contains(&next));
        segment.date_by_file(found.modified);
        let is_cut = segment.size < found.size || lost_tail;
        self.log.segments.push(segment);
        self.report.rebuilt_count += u32::from(!is_trusted);
        if is_cut {
            let later = std::mem::take(&mut self.left);
            self.cut(disk, files, found, later)
        } else if !is_trusted && found.next.is_some() {
            self.seal_last(disk, files)
        } else {
            Ok(())
        }
    }

    fn end_all(&mut self, disk: &mut dyn Disk, files: &mut OpenFiles) -> Result<(), StorageError> {
        let mut end = self.end;
        let log = &mut self.log;
        if let Some(first) = log.segments.first() {
            log.offsets.log_start = log.offsets.log_start.max(first.base);
        }
        log.epochs.cut(end);
        // A log start beyond the end was kept elsewhere and outlived the data: what follows leaves a gap, in
        // a segment of its own, because a segment's offsets lie at most 2^31-1 apart.
        if log.offsets.log_start > end {
            end = log.offsets.log_start;
            if let Some(mut active) = log.segments.pop_if(|active| active.size == 0) {
                active.release(files);
                let path = path_of(&log.dir, active.base, LOG);
                disk.remove(&path).map_err(StorageError::io(&path))?;
            }
        }
        for segment in &mut log.segments {
            segment.written = segment.size;
            // A log that is only opened holds no file open: there may be thousands of them.
            segment.release(files);
        }
        log.offsets = Offsets { end, assigned: end, ..Offsets::at(log.offsets.log_start) };
        // Without a clean close nobody knows what of the page cache has reached the disk.
        let first = log.segments.first().map_or(end, |first| first.base);
        log.durable = Durable::at(if self.report.is_clean { end } else { first });
        log.offsets.validate();
        self.remove_stale_snapshots(disk)
    }

    /// Without its marker a clean close has left a snapshot behind at what is the end of the active segment now. Should that
    /// segment be full there, the snapshot would say that it is sealed before it is.
    fn remove_stale_snapshots(&self, disk: &mut dyn Disk) -> Result<(), StorageError> {
        let Some(active) = self.log.segments.last().filter(|_| self.log.on_disk.marked.is_none()) else {
            return Ok(());
        };
        for &offset in self.snapshots.range(active.base.plus(1)..) {
            remove_if_there(disk, &path_of(&self.log.dir, offset, SNAPSHOT))?;
        }
        Ok(())
    }

    /// Cuts the last loaded segment to its whole batches, and removes what follows: it was written later and
    /// never synced.
    fn cut(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        found: &FoundSegment,
        later: VecDeque<(FoundSegment, Option<Segment>)>,
    ) -> Result<(), StorageError> {
        let snapshots = &self.snapshots;
        let at = self.log.segments.last().map_or(0, |segment| u64::from(segment.size));
        if later.iter().any(|(later, _)| later.next.is_some_and(|next| snapshots.contains(&next))) {
            return Err(self.error(found.base, at, Cause::DamagedWithin));
        }
        for (later, _) in later {
            self.report.cut_bytes += u64::from(later.size);
            let path = path_of(&self.log.dir, later.base, LOG);
            disk.remove(&path).map_err(StorageError::io(&path))?;
        }
        self.report.cut_bytes += u64::from(found.size) - at;
        let Some(segment) = self.log.segments.last_mut() else { return Ok(()) };
        let file: FileId = segment.open_log(disk, files, &self.log.dir, OpenMode::Write)?;
        // Durably, before anything is appended: a power cut could bring old batches back behind new ones.
        let cut = disk.truncate(file, at).and_then(|()| disk.sync(file));
        cut.map_err(StorageError::io(&self.log.dir))
    }

    /// Seals the segment just read, since others follow it.
    fn seal_last(&mut self, disk: &mut dyn Disk, files: &mut OpenFiles) -> Result<(), StorageError> {
        let snapshot = self.log.producers.encode_snapshot();
        let Some(segment) = self.log.segments.last_mut() else { return Ok(()) };
        let file = segment.open_log(disk, files, &self.log.dir, OpenMode::Write)?;
        disk.sync(file).map_err(StorageError::io(&self.log.dir))?;
        seal(disk, &self.log.dir, segment, self.end, &snapshot)
    }

    fn error(&self, base: Offset, position: u64, cause: Cause) -> StorageError {
        StorageError::new(&path_of(&self.log.dir, base, LOG), position, cause)
    }
}

/// The batch at `at`, if a whole one is there.
fn next_batch(
    scanner: &mut Scanner<'_>,
    at: u64,
    end: u64,
    offset_min: Offset,
    checks_crc: bool,
) -> Result<Option<(BatchHeader, u64)>, IoError> {
    let Some((header, size)) = scanner.header_at(at, end, offset_min)? else { return Ok(None) };
    let is_whole = !checks_crc || scanner.has_right_crc(at, &header, size)?;
    Ok(is_whole.then_some((header, size)))
}
