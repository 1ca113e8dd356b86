//! Opening a log, and finding out after a crash what it holds.
//!
//! A segment is trusted if it was sealed (a snapshot lies at its end) and its indexes fit, or, for the active
//! one, if a marker says that it was closed cleanly. Every other segment is read batch by batch, CRCs
//! checked, and its indexes are made anew (C93); it is cut after the last whole batch. No value of a checksum
//! means "nothing here" (C21). Producers are restored from the newest snapshot that lies before what is read,
//! and from the headers after it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::{Disk, FileId, IoError, OpenMode, WallMs};

use super::close::{Marker, index_crc, read_marker, remove_if_there, unmark};
use super::compact::{finish_swaps, read_cleaned_to};
use super::point::Point;
use super::start;
use super::writer::seal;
use super::{Dirty, Durable, Log, Offsets, OnDisk, Tail, point, versions};
use crate::batch::BatchHeader;
use crate::epochs::{self, Epochs};
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::index::{self, OFFSET_ENTRY_LEN, SegmentIndex, TIME_ENTRY_LEN};
use crate::journal::LogId;
use crate::offset::Offset;
use crate::producers::Producers;
use crate::scan::Scanner;
use crate::segment::{INDEX, Indexes, LOG, SNAPSHOT, Segment, TIME_INDEX, parse_name, path_of};
use crate::settings::LogSettings;

/// Recovery reads this many bytes at a time.
const WINDOW_LEN: usize = 256 << 10;
/// No index, snapshot or epoch file is larger.
const FILE_LEN_MAX: u64 = 1 << 30;

/// How to open a log.
#[derive(Debug, Clone)]
pub struct OpenLog {
    /// Its name in the journal.
    pub id: LogId,
    /// Its directory, which need not exist.
    pub dir: PathBuf,
    /// What its topic asks for.
    pub settings: Arc<LogSettings>,
    /// Where it starts, as far as is known from elsewhere.
    pub log_start: Offset,
    /// The calendar.
    pub now: WallMs,
}

/// What opening a log took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// The last close was clean.
    pub is_clean: bool,
    /// Bytes whose CRCs were checked.
    pub checked_bytes: u64,
    /// Bytes cut off the end, in all segments.
    pub cut_bytes: u64,
    /// Segments whose indexes were made anew.
    pub rebuilt_count: u32,
}

/// A segment as found in the directory.
#[derive(Debug, Clone, Copy)]
struct FoundSegment {
    base: Offset,
    size: u32,
    modified: WallMs,
    /// The next segment's base; none for the active one.
    next: Option<Offset>,
}

/// What the directory holds.
#[derive(Debug, Default)]
struct Found {
    segments: Vec<FoundSegment>,
    snapshots: BTreeSet<Offset>,
    /// Index files, by their segments.
    indexes: Vec<(Offset, &'static str)>,
}

impl Log {
    /// Opens a log; an absent directory is an empty log, and stays absent until the first write.
    pub fn open(
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        with: OpenLog,
    ) -> Result<(Log, Recovered), StorageError> {
        let mut log = Log {
            id: with.id,
            dir: with.dir,
            settings: with.settings,
            offsets: Offsets::at(with.log_start),
            segments: Vec::new(),
            epochs: Epochs::default(),
            producers: Producers::default(),
            tail: Tail::default(),
            dirty: Dirty::default(),
            durable: Durable::at(with.log_start),
            flight: None,
            sealing: Default::default(),
            cleaned_to: Offset::ZERO,
            has_failed_compaction: false,
            offline: None,
            on_disk: OnDisk { has_dir: false, marked: None, has_epochs: true },
        };
        let mut recovered = Recovered { is_clean: true, ..Recovered::default() };
        match disk.list(&log.dir) {
            Err(IoError::NOT_FOUND) => return Ok((log, recovered)),
            Err(error) => return Err(StorageError::io(&log.dir)(error)),
            Ok(mut entries) => {
                log.on_disk.has_dir = true;
                versions::check(disk, &log.dir, &entries)?;
                log.cleaned_to = read_cleaned_to(disk, &log.dir)?.unwrap_or_default();
                if finish_swaps(disk, &log.dir, &entries)? {
                    entries = disk.list(&log.dir).map_err(StorageError::io(&log.dir))?;
                }
                let found = Found::in_entries(&log.dir, entries)?;
                Recovery { log: &mut log, disk, files, found, now: with.now, report: &mut recovered }
                    .run()?;
            }
        }
        Ok((log, recovered))
    }
}

impl Found {
    fn in_entries(dir: &Path, entries: Vec<shard::disk::Entry>) -> Result<Found, StorageError> {
        let mut found = Found::default();
        for entry in entries {
            match parse_name(&entry.name) {
                Some((offset, SNAPSHOT)) => {
                    found.snapshots.insert(offset);
                }
                Some((base, LOG)) => {
                    let size = u32::try_from(entry.len)
                        .map_err(|_| StorageError::new(&dir.join(&entry.name), entry.len, Cause::Corrupt))?;
                    if let Some(last) = found.segments.last_mut() {
                        last.next = Some(base);
                    }
                    found.segments.push(FoundSegment { base, size, modified: entry.modified, next: None });
                }
                Some((base, INDEX)) => found.indexes.push((base, INDEX)),
                Some((base, TIME_INDEX)) => found.indexes.push((base, TIME_INDEX)),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// A recovery under way.
struct Recovery<'a> {
    log: &'a mut Log,
    disk: &'a mut dyn Disk,
    files: &'a mut OpenFiles,
    found: Found,
    now: WallMs,
    report: &'a mut Recovered,
}

impl Recovery<'_> {
    fn run(mut self) -> Result<(), StorageError> {
        let marker = read_marker(self.disk, &self.log.dir)?;
        if let Some(start) = start::read(self.disk, &self.log.dir)? {
            self.log.offsets = Offsets::at(self.log.offsets.log_start.max(start));
        }
        self.finish_deletions()?;
        let has_epochs = self.load_epochs()?;
        let segments = std::mem::take(&mut self.found.segments);
        let mut trusted = Vec::with_capacity(segments.len());
        for found in &segments {
            trusted.push(self.load_trusted(found, marker.as_ref())?);
        }
        let first_doubtful = segments.iter().zip(&trusted).find(|(_, trusted)| trusted.is_none());
        let doubtful_from = first_doubtful.map_or(Offset(i64::MAX), |(found, _)| found.base);
        let mut point = self.load_point(&segments, doubtful_from)?;
        let snapshot_at = match &mut point {
            Some(point) => {
                self.log.producers = std::mem::take(&mut point.producers);
                point.end
            }
            None => self.load_snapshot(doubtful_from)?,
        };
        self.report.is_clean = segments.is_empty() || (first_doubtful.is_none() && marker.is_some());
        if let Some(Marker { base, end, .. }) = marker {
            if self.report.is_clean {
                self.log.on_disk.marked = Some((base, end));
            } else {
                unmark(self.disk, &self.log.dir, base, end)?;
            }
        }

        let mut end = segments.first().map_or(self.log.offsets.log_start, |first| first.base);
        for (index, (found, trusted)) in segments.iter().zip(trusted).enumerate() {
            if found.base < end {
                return Err(self.error(found.base, 0, Cause::Corrupt));
            }
            let is_trusted = trusted.is_some();
            let mut read_from = found.base;
            let mut segment = trusted.unwrap_or_else(|| Segment::new(found.base));
            if let Some(point) = point.take_if(|point| point.segment.base == found.base) {
                (segment, read_from) = (point.segment, point.end);
            }
            let known_end = match found.next {
                None if is_trusted => marker.map(|marker| marker.end),
                next => next,
            };
            let needs_headers = !is_trusted || !has_epochs || known_end.is_none_or(|end| snapshot_at < end);
            end = match known_end {
                Some(known) if !needs_headers => known,
                _ => self.read_segment(&mut segment, found, is_trusted, read_from, snapshot_at)?,
            };
            // Compaction leaves gaps between segments, but sealed ones. Without that proof, a gap is a lost
            // tail.
            let lost_tail =
                found.next.is_some_and(|next| end < next && !self.found.snapshots.contains(&next));
            segment.date_by_file(found.modified);
            let is_cut = segment.size < found.size || lost_tail;
            self.log.segments.push(segment);
            if is_cut {
                self.cut(found, &segments[index + 1..])?;
                break;
            }
            if !is_trusted && found.next.is_some() {
                self.seal_last(end)?;
            }
        }
        self.finish(end)
    }

    fn finish(&mut self, mut end: Offset) -> Result<(), StorageError> {
        let log = &mut *self.log;
        if let Some(first) = log.segments.first() {
            log.offsets.log_start = log.offsets.log_start.max(first.base);
        }
        log.epochs.cut(end);
        // A log start beyond the end was kept elsewhere and outlived the data: what follows leaves a gap, in
        // a segment of its own, because a segment's offsets lie at most 2^31-1 apart.
        if log.offsets.log_start > end {
            end = log.offsets.log_start;
            self.drop_empty_active()?;
        }
        let log = &mut *self.log;
        log.segments.iter_mut().for_each(|segment| segment.written = segment.size);
        log.offsets = Offsets { end, assigned: end, ..Offsets::at(log.offsets.log_start) };
        // Without a clean close nobody knows what of the page cache has reached the disk.
        let first = log.segments.first().map_or(end, |first| first.base);
        log.durable = Durable::at(if self.report.is_clean { end } else { first });
        log.offsets.validate();
        Ok(())
    }

    fn drop_empty_active(&mut self) -> Result<(), StorageError> {
        let Some(mut active) = self.log.segments.pop_if(|active| active.size == 0) else { return Ok(()) };
        active.release(self.files);
        let path = path_of(&self.log.dir, active.base, LOG);
        self.disk.remove(&path).map_err(StorageError::io(&path))
    }

    /// Removes what deletion left when it was cut short: sealed segments before the log's start, whose producers
    /// a snapshot knows, and index files without a segment.
    fn finish_deletions(&mut self) -> Result<(), StorageError> {
        let start = self.log.offsets.log_start;
        let (segments, snapshots) = (&mut self.found.segments, &self.found.snapshots);
        let is_gone = |segment: &&FoundSegment| {
            segment.next.is_some_and(|next| next <= start && snapshots.contains(&next))
        };
        let gone_count = segments.iter().take_while(is_gone);
        let gone_count = gone_count.count();
        for gone in segments.drain(..gone_count) {
            remove_if_there(self.disk, &path_of(&self.log.dir, gone.base, LOG))?;
        }
        for &(base, ending) in &self.found.indexes {
            if self.found.segments.binary_search_by_key(&base, |segment| segment.base).is_err() {
                remove_if_there(self.disk, &path_of(&self.log.dir, base, ending))?;
            }
        }
        // The newest one at or before the first segment tells the producers of all that is gone: after a lost tail it
        // need not lie at its base.
        let first = self.found.segments.first().map_or(start, |first| first.base);
        let Some(&needed) = self.found.snapshots.range(..=first).next_back() else { return Ok(()) };
        for &offset in self.found.snapshots.range(..needed) {
            remove_if_there(self.disk, &path_of(&self.log.dir, offset, SNAPSHOT))?;
        }
        self.found.snapshots = self.found.snapshots.split_off(&needed);
        Ok(())
    }

    /// Reads the epoch file; says whether it can be relied on.
    fn load_epochs(&mut self) -> Result<bool, StorageError> {
        let path = self.log.dir.join(epochs::FILE_NAME);
        let bytes = self.disk.read_file(&path, FILE_LEN_MAX).map_err(StorageError::io(&path))?;
        let epochs = match bytes.map(|bytes| Epochs::decode(&bytes)) {
            Some(Err(Cause::UnknownVersion)) => {
                return Err(StorageError::new(&path, 0, Cause::UnknownVersion));
            }
            epochs => epochs.and_then(Result::ok),
        };
        let has_epochs = epochs.is_some();
        self.log.epochs = epochs.unwrap_or_default();
        self.log.on_disk.has_epochs = has_epochs;
        Ok(has_epochs)
    }

    /// Reads the newest whole snapshot at or before `before`; says where it was taken.
    fn load_snapshot(&mut self, before: Offset) -> Result<Offset, StorageError> {
        for &offset in self.found.snapshots.range(..=before).rev() {
            let path = path_of(&self.log.dir, offset, SNAPSHOT);
            let bytes = self.disk.read_file(&path, FILE_LEN_MAX).map_err(StorageError::io(&path))?;
            match bytes.map(|bytes| Producers::decode_snapshot(&bytes, self.now)) {
                Some(Ok(producers)) => {
                    self.log.producers = producers;
                    return Ok(offset);
                }
                Some(Err(Cause::UnknownVersion)) => {
                    return Err(StorageError::new(&path, 0, Cause::UnknownVersion));
                }
                _ => {}
            }
        }
        Ok(Offset(i64::MIN))
    }

    /// The recovery point of the active segment, if that is the only one in doubt and the point is of use.
    fn load_point(
        &mut self,
        segments: &[FoundSegment],
        doubtful_from: Offset,
    ) -> Result<Option<Point>, StorageError> {
        let point = point::read(self.disk, &self.log.dir, self.now)?;
        let Some(active) = segments.last().filter(|active| active.base == doubtful_from) else {
            return Ok(None);
        };
        let fits = |point: &Point| point.segment.base == active.base && point.segment.size <= active.size;
        Ok(point.filter(fits).filter(|_| self.log.on_disk.has_epochs))
    }

    /// The segment without reading it, if that is safe.
    fn load_trusted(
        &mut self,
        found: &FoundSegment,
        marker: Option<&Marker>,
    ) -> Result<Option<Segment>, StorageError> {
        match found.next {
            Some(next) if self.found.snapshots.contains(&next) => self.load_sealed(found, next),
            Some(_) => Ok(None),
            None => match marker {
                Some(marker) if marker.base == found.base && marker.size == found.size => {
                    self.load_active(found, marker)
                }
                _ => Ok(None),
            },
        }
    }

    fn load_sealed(&mut self, found: &FoundSegment, next: Offset) -> Result<Option<Segment>, StorageError> {
        let offset_entry = self.last_entry::<OFFSET_ENTRY_LEN>(found.base, INDEX)?;
        let time_entry = self.last_entry::<TIME_ENTRY_LEN>(found.base, TIME_INDEX)?;
        let (Some(offset_entry), Some(time_entry)) = (offset_entry, time_entry) else { return Ok(None) };
        let span = next.distance_from(found.base);
        let mut segment = Segment::new(found.base);
        if let Some(entry) = offset_entry.as_ref().and_then(|bytes| index::offset_entry(bytes))
            && (entry.position >= found.size || i64::from(entry.relative) >= span)
        {
            return Ok(None);
        }
        if let Some(entry) = time_entry.as_ref().and_then(|bytes| index::time_entry(bytes)) {
            if i64::from(entry.relative) >= span || entry.timestamp < 0 {
                return Ok(None);
            }
            segment.newest = entry;
        }
        segment.size = found.size;
        segment.indexes = Indexes::Sealed;
        Ok(Some(segment))
    }

    /// The last entry of an index file: `None` if there is no such file or it has a broken length, and
    /// within, `None` if it is empty.
    fn last_entry<const LEN: usize>(
        &mut self,
        base: Offset,
        ending: &str,
    ) -> Result<Option<Option<[u8; LEN]>>, StorageError> {
        let path = path_of(&self.log.dir, base, ending);
        let file = match self.disk.open(&path, OpenMode::Read) {
            Err(IoError::NOT_FOUND) => return Ok(None),
            opened => opened.map_err(StorageError::io(&path))?,
        };
        let read = self.disk.len(file).and_then(|len| {
            if len % LEN as u64 != 0 {
                return Ok(None);
            }
            let mut entry = [0; LEN];
            let Some(last) = len.checked_sub(LEN as u64) else { return Ok(Some(None)) };
            let count = self.disk.read_at(file, last, &mut entry)?;
            Ok((count == LEN).then_some(Some(entry)))
        });
        self.disk.close(file);
        read.map_err(StorageError::io(&path))
    }

    fn load_active(
        &mut self,
        found: &FoundSegment,
        marker: &Marker,
    ) -> Result<Option<Segment>, StorageError> {
        let mut contents = Vec::new();
        for ending in [INDEX, TIME_INDEX] {
            let path = path_of(&self.log.dir, found.base, ending);
            contents.extend(self.disk.read_file(&path, FILE_LEN_MAX).map_err(StorageError::io(&path))?);
        }
        let [offsets, times] = &contents[..] else { return Ok(None) };
        if index_crc(offsets, times) != marker.index_crc {
            return Ok(None);
        }
        let Some(index) = SegmentIndex::decode(offsets, times, found.size) else { return Ok(None) };
        let mut segment = Segment::new(found.base);
        if let Some(entry) = times.last_chunk::<TIME_ENTRY_LEN>().and_then(|bytes| index::time_entry(bytes)) {
            segment.newest = entry;
        }
        let file = segment.open_log(self.disk, self.files, &self.log.dir, OpenMode::Write)?;
        let mut scanner = Scanner::new(self.disk, file, crate::batch::HEADER_LEN);
        let first =
            scanner.header_at(0, found.size.into(), found.base).map_err(StorageError::io(&self.log.dir))?;
        segment.first_timestamp = first.map_or(segment.first_timestamp, |(header, _)| header.max_timestamp);
        segment.size = found.size;
        segment.indexes = Indexes::Growing(index);
        Ok(Some(segment))
    }

    /// Reads a segment's batches from a recovery point or its start: to trust it (then it may come out shorter), or
    /// only to learn from its headers. Gives the offset after its last batch.
    fn read_segment(
        &mut self,
        segment: &mut Segment,
        found: &FoundSegment,
        is_trusted: bool,
        read_from: Offset,
        snapshot_at: Offset,
    ) -> Result<Offset, StorageError> {
        let file = segment.open_log(self.disk, self.files, &self.log.dir, OpenMode::Write)?;
        // What lies before a recovery point is in the segment already, unless only the headers are wanted.
        let start = if is_trusted { 0 } else { segment.size };
        let (mut at, end) = (u64::from(start), u64::from(found.size));
        let mut next_offset = if is_trusted { found.base } else { read_from };
        let dir = self.log.dir.clone();
        let mut scanner = Scanner::new(self.disk, file, WINDOW_LEN);
        while let Some((header, size)) =
            next_batch(&mut scanner, at, end, next_offset, !is_trusted).map_err(StorageError::io(&dir))?
            && header.last_offset().distance_from(found.base) <= i64::from(i32::MAX)
        {
            if header.base_offset >= snapshot_at {
                self.log.producers.apply(&header, self.now, self.log.settings.producer_count_max);
            }
            if self.log.epochs.apply(header.leader_epoch, header.base_offset) {
                self.log.on_disk.has_epochs = false;
            }
            if !is_trusted {
                segment.apply(&header, size as u32, found.modified, self.log.settings.index_interval_bytes);
                self.report.checked_bytes += size;
            }
            next_offset = header.last_offset().plus(1);
            at += size;
        }
        if is_trusted && at < end {
            return Err(self.error(found.base, at, Cause::Corrupt));
        }
        if !is_trusted {
            self.report.rebuilt_count += 1;
        }
        Ok(next_offset)
    }

    /// Cuts the last loaded segment to its whole batches, and removes what follows: it was written later and
    /// never synced.
    fn cut(&mut self, found: &FoundSegment, later: &[FoundSegment]) -> Result<(), StorageError> {
        let snapshots = &self.found.snapshots;
        let at = self.log.segments.last().map_or(0, |segment| u64::from(segment.size));
        if later.iter().any(|later| later.next.is_some_and(|next| snapshots.contains(&next))) {
            return Err(self.error(found.base, at, Cause::DamagedWithin));
        }
        for later in later {
            self.report.cut_bytes += u64::from(later.size);
            let path = path_of(&self.log.dir, later.base, LOG);
            self.disk.remove(&path).map_err(StorageError::io(&path))?;
        }
        self.report.cut_bytes += u64::from(found.size) - at;
        let Some(segment) = self.log.segments.last_mut() else { return Ok(()) };
        let file: FileId = segment.open_log(self.disk, self.files, &self.log.dir, OpenMode::Write)?;
        // Durably, before anything is appended: a power cut could bring old batches back behind new ones.
        let cut = self.disk.truncate(file, at).and_then(|()| self.disk.sync(file));
        cut.map_err(StorageError::io(&self.log.dir))
    }

    /// Seals the segment just read, since others follow it.
    fn seal_last(&mut self, end: Offset) -> Result<(), StorageError> {
        let snapshot = self.log.producers.encode_snapshot();
        let Some(segment) = self.log.segments.last_mut() else { return Ok(()) };
        let file = segment.open_log(self.disk, self.files, &self.log.dir, OpenMode::Write)?;
        self.disk.sync(file).map_err(StorageError::io(&self.log.dir))?;
        seal(self.disk, &self.log.dir, segment, end, &snapshot)
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
