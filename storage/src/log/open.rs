//! Opening a log, and finding out after a crash what it holds.
//!
//! A segment is trusted if it was sealed (a snapshot lies at its end) and its indexes fit, or, for the active
//! one, if a marker says that it was closed cleanly. Every other segment is read batch by batch, CRCs
//! checked, and its indexes are made anew (C93); it is cut after the last whole batch. No value of a checksum
//! means "nothing here" (C21). Producers are restored from the newest snapshot that lies before what is read,
//! and from the headers after it.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::{Disk, IoError, OpenMode, WallMs};

use super::close::{Marker, index_crc, read_marker, remove_if_there, unmark};
use super::compact::{finish_swaps, read_cleaned_to};
use super::point::Point;
use super::recover::Opening;
use super::start;
use super::{Dirty, Durable, Log, Offsets, OnDisk, Tail, point, versions};
use crate::aborted;
use crate::epochs::{self, Epochs};
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::index::{self, OFFSET_ENTRY_LEN, SegmentIndex, TIME_ENTRY_LEN};
use crate::journal::LogId;
use crate::offset::Offset;
use crate::producers::Producers;
use crate::scan::Scanner;
use crate::segment::{INDEX, Indexes, LOG, SNAPSHOT, Segment, TIME_INDEX, TXN_INDEX, parse_name, path_of};
use crate::settings::LogSettings;

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
pub(super) struct FoundSegment {
    pub base: Offset,
    pub size: u32,
    pub modified: WallMs,
    /// Whether it has an index of aborted transactions.
    pub has_aborted: bool,
    /// The next segment's base; none for the active one.
    pub next: Option<Offset>,
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
    /// Opens a log, however long that takes; an absent directory is an empty log, and stays absent until the first
    /// write. [`Opening`] does the same a step at a time.
    pub fn open(
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        with: OpenLog,
    ) -> Result<(Log, Recovered), StorageError> {
        let mut opening = Opening::begin(disk, files, with)?;
        while !opening.step(disk, files, u64::MAX)? {}
        Ok(opening.finish())
    }

    /// A log of which nothing is known yet.
    fn empty(with: OpenLog) -> Log {
        Log {
            id: with.id,
            dir: with.dir,
            settings: with.settings,
            offsets: Offsets::at(with.log_start),
            segments: Vec::new(),
            epochs: Epochs::default(),
            producers: Producers::default(),
            ended: Default::default(),
            tail: Tail::default(),
            dirty: Dirty::default(),
            durable: Durable::at(with.log_start),
            flight: None,
            sealing: Default::default(),
            cleaned_to: Offset::ZERO,
            has_failed_compaction: false,
            offline: None,
            on_disk: OnDisk { has_dir: false, marked: None, has_epochs: true },
            reindexed: Vec::new(),
        }
    }
}

impl Opening {
    /// Looks at what the directory holds and loads what can be trusted: small files only, so that it takes a bounded
    /// time. What is left to read comes with [`Opening::step`].
    pub fn begin(disk: &mut dyn Disk, files: &mut OpenFiles, with: OpenLog) -> Result<Opening, StorageError> {
        let now = with.now;
        let mut opening = Opening::of(Log::empty(with), now);
        let log = &mut opening.log;
        let mut entries = match disk.list(&log.dir) {
            Err(IoError::NOT_FOUND) => return Ok(opening.without_files()),
            listed => listed.map_err(StorageError::io(&log.dir))?,
        };
        log.on_disk.has_dir = true;
        versions::check(disk, &log.dir, &entries)?;
        log.cleaned_to = read_cleaned_to(disk, &log.dir)?.unwrap_or_default();
        if finish_swaps(disk, &log.dir, &entries)? {
            entries = disk.list(&log.dir).map_err(StorageError::io(&log.dir))?;
        }
        let found = Found::in_entries(&log.dir, entries)?;
        Preparation { log: &mut opening.log, disk, files, found, now }.run()?.fill(&mut opening);
        Ok(opening)
    }
}

impl Found {
    fn in_entries(dir: &Path, entries: Vec<shard::disk::Entry>) -> Result<Found, StorageError> {
        let mut found = Found::default();
        let is_aborted = |entry: &&shard::disk::Entry| entry.name.ends_with(TXN_INDEX) && entry.len > 0;
        let aborted: BTreeSet<Offset> =
            entries.iter().filter(is_aborted).filter_map(|entry| Some(parse_name(&entry.name)?.0)).collect();
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
                    let (modified, has_aborted) = (entry.modified, aborted.contains(&base));
                    found.segments.push(FoundSegment { base, size, modified, has_aborted, next: None });
                }
                Some((base, INDEX)) => found.indexes.push((base, INDEX)),
                Some((base, TIME_INDEX)) => found.indexes.push((base, TIME_INDEX)),
                Some((base, TXN_INDEX)) => found.indexes.push((base, TXN_INDEX)),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// Finding out what of a log can be trusted without reading it.
struct Preparation<'a> {
    log: &'a mut Log,
    disk: &'a mut dyn Disk,
    files: &'a mut OpenFiles,
    found: Found,
    now: WallMs,
}

/// What a preparation found out.
struct Prepared {
    is_clean: bool,
    snapshots: BTreeSet<Offset>,
    marker: Option<Marker>,
    has_epochs: bool,
    snapshot_at: Offset,
    point: Option<Point>,
    segments: VecDeque<(FoundSegment, Option<Segment>)>,
}

impl Prepared {
    fn fill(self, opening: &mut Opening) {
        opening.report.is_clean = self.is_clean;
        opening.end = self.segments.front().map_or(opening.log.offsets.log_start, |(first, _)| first.base);
        opening.snapshots = self.snapshots;
        opening.marker = self.marker;
        opening.has_epochs = self.has_epochs;
        opening.snapshot_at = self.snapshot_at;
        opening.point = self.point;
        opening.left = self.segments;
    }
}

impl Preparation<'_> {
    fn run(mut self) -> Result<Prepared, StorageError> {
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
        let is_clean = segments.is_empty() || (first_doubtful.is_none() && marker.is_some());
        if let Some(Marker { base, end, .. }) = marker {
            if is_clean {
                self.log.on_disk.marked = Some((base, end));
            } else {
                // Where a segment begins at the end, the snapshot there proves that the one before it is whole: it stays.
                let is_proof = segments.iter().any(|found| found.base == end);
                unmark(self.disk, &self.log.dir, if is_proof { end } else { base }, end)?;
            }
        }
        Ok(Prepared {
            is_clean,
            snapshots: self.found.snapshots,
            marker,
            has_epochs,
            snapshot_at,
            point,
            segments: segments.into_iter().zip(trusted).collect(),
        })
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
            (segment.newest, segment.is_newest_known) = (entry, false);
        }
        segment.size = found.size;
        segment.indexes = Indexes::Sealed;
        segment.has_aborted_file = found.has_aborted;
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
        let path = path_of(&self.log.dir, found.base, TXN_INDEX);
        let txns = match found.has_aborted {
            true => self.disk.read_file(&path, FILE_LEN_MAX).map_err(StorageError::io(&path))?,
            false => None,
        };
        let txns = txns.unwrap_or_default();
        if index_crc(offsets, times, &txns) != marker.index_crc {
            return Ok(None);
        }
        let Some(aborted) = aborted::decode(&txns) else { return Ok(None) };
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
        (segment.aborted, segment.has_aborted_file) = (aborted, found.has_aborted);
        Ok(Some(segment))
    }
}
