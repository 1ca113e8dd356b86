//! Compaction: of each key the last record stays, in its batch, at its offset.
//!
//! ```text
//!   │ cleaned before │ dirty            │ too young, unsealed or active │
//!   └ start          └ from     map_end ┘ up_to
//! ```
//! The dirty part is read into a map from key to last offset, as far as the map's memory goes; then everything
//! from the log's start on is written again without what the map supersedes, several segments into one where
//! they fit, and swapped in. What did not fit into the map is left for the next round. A batch keeps its
//! offsets, its producer and its sequence, and an empty one stays where a producer's last sequence or a file's
//! last offset would be lost (Q70). A tombstone stays for `delete.retention.ms` after it was first compacted: the
//! batch says until when (attribute bit 6, KIP-534; Q71).
//!
//! Records of aborted transactions go, and markers when nobody needs them any more; open transactions end the range
//! (`transactions`).
//!
//! One call of [`Log::compact`] is one bounded step, and every step leaves files that opening understands.

mod filter;
mod keys;
mod swap;
mod transactions;

use std::collections::HashSet;
use std::path::Path;

use shard::{Disk, FileId, OpenMode, WallMs};

use super::Log;
use crate::aborted::{self, AbortedTxn};
use crate::batch::{BatchHeader, HEADER_LEN, RecordStream};
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::offset::Offset;
use crate::scan::Scanner;
use crate::segment::{Indexes, LOG, Segment, TXN_INDEX, path_of};
use filter::{Filter, Filtered};
use keys::KeyMap;
use transactions::{Kind, Transactions};

pub(super) use swap::{CLEANED, decode_cleaned_to, finish_swaps, read_cleaned_to};

/// Bytes that a step reads at most, but for a batch that is larger. Of records of 40 bytes it takes most of a millisecond.
const STEP_LEN: u64 = 32 << 10;
const WINDOW_LEN: usize = STEP_LEN as usize;
/// No index of aborted transactions is larger: a segment ends before.
const ABORTED_LEN_MAX: u64 = 1 << 30;

/// A compaction of one log under way.
#[derive(Debug)]
pub struct Compaction {
    keys: KeyMap,
    /// Where the dirty part begins.
    from: Offset,
    /// The map knows everything before.
    map_end: Offset,
    /// Nothing from here on is touched.
    up_to: Offset,
    now: WallMs,
    /// The transactions in the range, once they are known.
    transactions: Option<Transactions>,
    phase: Phase,
    /// The file being read.
    source: Option<(Offset, FileId)>,
    /// Bytes read and written in all.
    pub read_bytes: u64,
    /// Bytes of the segments that were written anew.
    pub before_bytes: u64,
    /// What became of them.
    pub after_bytes: u64,
}

#[derive(Debug)]
enum Phase {
    Mapping { base: Offset, position: u64 },
    Writing { groups: Vec<Vec<Offset>>, draft: Option<Box<Draft>> },
    Done,
}

/// A segment that is being written.
#[derive(Debug)]
struct Draft {
    /// The segments it is made of, by base.
    group: Vec<Offset>,
    segment: Segment,
    file: FileId,
    /// The place in the group, and in that segment, that comes next.
    source: usize,
    position: u64,
    /// Whether it differs from its only source.
    is_changed: bool,
    /// Markers that are not in it any more.
    gone: HashSet<Offset>,
    is_synced: bool,
}

/// What there is to compact in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dirtiness {
    /// Bytes of sealed segments that were compacted.
    pub clean_bytes: u64,
    /// Bytes of sealed segments that were not.
    pub dirty_bytes: u64,
    /// Whether they are `min.cleanable.dirty.ratio` of all.
    pub is_dirty: bool,
    /// When the log is compacted; the past means now.
    pub due: WallMs,
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactStep {
    /// There is more to do.
    More,
    /// This file must be synced before the next step.
    Sync(FileId),
    /// The log is compacted.
    Done,
}

impl Log {
    /// When the log should be compacted; the past means now. It changes when a segment is sealed.
    pub fn compaction_due(&self) -> Option<WallMs> {
        if self.offline.is_some() || self.has_failed_compaction {
            return None;
        }
        self.dirtiness().map(|dirtiness| dirtiness.due)
    }

    /// What there is to compact, and when that is due.
    pub(super) fn dirtiness(&self) -> Option<Dirtiness> {
        let settings = &self.settings;
        if !settings.is_compacted {
            return None;
        }
        let (mut clean, mut dirty, mut first_dirty) = (0, 0, None);
        let sealed = self.segments.iter().take_while(|segment| matches!(segment.indexes, Indexes::Sealed));
        for segment in sealed {
            if segment.base < self.cleaned_to {
                clean += u64::from(segment.size);
            } else {
                dirty += u64::from(segment.size);
                first_dirty.get_or_insert(segment);
            }
        }
        let first_dirty = first_dirty?;
        let is_dirty = dirty * 1000 >= (clean + dirty) * u64::from(settings.dirty_permille_min);
        let lag_ms = if is_dirty { settings.compaction_lag_ms_min } else { settings.compaction_lag_ms_max };
        let due = WallMs(first_dirty.appended_at.saturating_add(lag_ms));
        Some(Dirtiness { clean_bytes: clean, dirty_bytes: dirty, is_dirty, due })
    }

    /// Begins a compaction with a map of at most `map_bytes_max` bytes; `seed` keeps clients from choosing keys
    /// that collide. `None` if there is nothing that may be compacted yet.
    pub fn begin_compaction(&mut self, map_bytes_max: usize, seed: u64, now: WallMs) -> Option<Compaction> {
        let lag_ms = self.settings.compaction_lag_ms_min;
        let (mut up_to, mut record_count) = (self.offsets.log_start, 0);
        for (segment, next) in self.segments.iter().zip(self.segments.iter().skip(1)) {
            let is_old = segment.appended_at.saturating_add(lag_ms) <= now.0;
            if !matches!(segment.indexes, Indexes::Sealed) || !is_old || next.base > self.offsets.last_stable
            {
                break;
            }
            up_to = next.base;
            if next.base > self.cleaned_to {
                record_count += next.base.distance_from(segment.base.max(self.cleaned_to));
            }
        }
        let first = self.segments.first()?;
        let from = self.cleaned_to.max(first.base);
        let base = self.segments[self.segment_of(from)].base;
        (up_to > from).then(|| Compaction {
            keys: KeyMap::new(map_bytes_max, record_count as usize, seed),
            from,
            map_end: up_to,
            up_to,
            now,
            transactions: None,
            phase: Phase::Mapping { base, position: 0 },
            source: None,
            read_bytes: 0,
            before_bytes: 0,
            after_bytes: 0,
        })
    }

    /// Does one step. After an error the compaction is to be given up ([`Log::abandon_compaction`]).
    pub fn compact(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        compaction: &mut Compaction,
    ) -> Result<CompactStep, StorageError> {
        if compaction.transactions.is_none() {
            let first = self.segments.first().map_or(compaction.from, |first| first.base);
            let (known, known_to) = Transactions::read(self, disk, first, compaction.up_to)?;
            compaction.transactions = Some(known);
            compaction.map_end = compaction.map_end.min(known_to);
        }
        match std::mem::replace(&mut compaction.phase, Phase::Done) {
            Phase::Mapping { base, position } => self.map_step(disk, compaction, base, position),
            Phase::Writing { groups, draft } => self.write_step(disk, files, compaction, groups, draft),
            Phase::Done => Ok(CompactStep::Done),
        }
    }

    /// Lets go of a compaction; what it wrote and did not swap in is removed. With `has_failed` there will be no
    /// other before the log is opened anew.
    pub fn abandon_compaction(&mut self, disk: &mut dyn Disk, mut compaction: Compaction, has_failed: bool) {
        self.has_failed_compaction |= has_failed;
        compaction.close_source(disk);
        if let Phase::Writing { draft: Some(draft), .. } = compaction.phase {
            disk.close(draft.file);
            // What is left is removed when the log is opened.
            let _ = disk.remove(&path_of(&self.dir, draft.segment.base, swap::LOG_DRAFT));
        }
    }

    /// The segment with this base, and where the next one begins; an error if retention took it meanwhile.
    fn source_at(&self, base: Offset) -> Result<(usize, Offset), StorageError> {
        let gone = || StorageError::new(&path_of(&self.dir, base, LOG), 0, Cause::Gone);
        let index = self.segments.binary_search_by_key(&base, |segment| segment.base).map_err(|_| gone())?;
        let next = self.segments.get(index + 1).ok_or_else(gone)?;
        Ok((index, next.base))
    }

    fn map_step(
        &mut self,
        disk: &mut dyn Disk,
        compaction: &mut Compaction,
        base: Offset,
        mut position: u64,
    ) -> Result<CompactStep, StorageError> {
        let (index, next) = self.source_at(base)?;
        let end = u64::from(self.segments[index].size);
        let path = path_of(&self.dir, base, LOG);
        let unpacked_max = self.settings.unpacked_bytes_max as usize;
        let stop = end.min(position + STEP_LEN);
        let file = compaction.open_source(disk, base, &path)?;
        let mut scanner = Scanner::new(disk, file, WINDOW_LEN);
        let mut is_over = false;
        while position < stop && !is_over {
            let at = |cause| StorageError::new(&path, position, cause);
            let found = scanner.header_at(position, end, base).map_err(|error| at(Cause::Io(error)))?;
            let (header, size) = found.ok_or_else(|| at(Cause::Corrupt))?;
            let counts = !header.attributes.is_control()
                && !compaction.transactions.as_ref().is_some_and(|known| known.is_aborted(&header));
            if header.base_offset >= compaction.map_end {
                is_over = true;
            } else if header.last_offset() >= compaction.from && counts {
                if compaction.keys.has_room_for(header.record_count.max(0) as usize) {
                    let bytes =
                        scanner.copy_at(position, size as usize).map_err(|error| at(Cause::Io(error)))?;
                    compaction.keys.read(&header, &bytes, unpacked_max).map_err(|_| at(Cause::Corrupt))?;
                } else {
                    compaction.map_end = header.base_offset;
                    is_over = true;
                }
            }
            if !is_over {
                position += size;
            }
            compaction.read_bytes += size;
        }
        is_over |= position >= end && next >= compaction.up_to;
        compaction.phase = if is_over {
            Phase::Writing { groups: self.group(compaction), draft: None }
        } else if position >= end {
            Phase::Mapping { base: next, position: 0 }
        } else {
            Phase::Mapping { base, position }
        };
        Ok(CompactStep::More)
    }

    /// Which segments become one, last group first.
    fn group(&self, compaction: &Compaction) -> Vec<Vec<Offset>> {
        let mut groups: Vec<Vec<Offset>> = Vec::new();
        let mut size = 0;
        for (segment, next) in self.segments.iter().zip(self.segments.iter().skip(1)) {
            if segment.base >= compaction.map_end || next.base > compaction.up_to {
                break;
            }
            size += u64::from(segment.size);
            let fits = groups.last().and_then(|group| group.first()).is_some_and(|first| {
                size <= u64::from(self.settings.segment_bytes)
                    && next.base.distance_from(*first) <= i64::from(i32::MAX)
            });
            match groups.last_mut() {
                Some(group) if fits => group.push(segment.base),
                _ => {
                    groups.push(vec![segment.base]);
                    size = u64::from(segment.size);
                }
            }
        }
        groups.reverse();
        groups
    }

    fn write_step(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        compaction: &mut Compaction,
        mut groups: Vec<Vec<Offset>>,
        draft: Option<Box<Draft>>,
    ) -> Result<CompactStep, StorageError> {
        let mut draft = match draft {
            Some(draft) => draft,
            None => match groups.pop() {
                Some(group) => Box::new(self.begin_draft(disk, group)?),
                None => {
                    compaction.close_source(disk);
                    let cleaned_to = compaction.map_end.min(compaction.up_to).max(self.cleaned_to);
                    swap::write_cleaned_to(disk, &self.dir, cleaned_to)?;
                    self.cleaned_to = cleaned_to;
                    return Ok(CompactStep::Done);
                }
            },
        };
        let step = if draft.source < draft.group.len() {
            self.filter_step(disk, compaction, &mut draft)?;
            CompactStep::More
        } else if draft.is_changed && !draft.is_synced {
            draft.is_synced = true;
            CompactStep::Sync(draft.file)
        } else {
            compaction.close_source(disk);
            disk.close(draft.file);
            self.end_draft(disk, files, compaction, *draft)?;
            compaction.phase = Phase::Writing { groups, draft: None };
            return Ok(CompactStep::More);
        };
        compaction.phase = Phase::Writing { groups, draft: Some(draft) };
        Ok(step)
    }

    fn begin_draft(&mut self, disk: &mut dyn Disk, group: Vec<Offset>) -> Result<Draft, StorageError> {
        let path = path_of(&self.dir, group[0], swap::LOG_DRAFT);
        let file = disk.open(&path, OpenMode::Truncate).map_err(StorageError::io(&path))?;
        let is_changed = group.len() > 1;
        let segment = Segment::new(group[0]);
        Ok(Draft {
            group,
            segment,
            file,
            source: 0,
            position: 0,
            is_changed,
            gone: HashSet::new(),
            is_synced: false,
        })
    }

    /// Filters some batches of a draft's sources into it.
    fn filter_step(
        &mut self,
        disk: &mut dyn Disk,
        compaction: &mut Compaction,
        draft: &mut Draft,
    ) -> Result<(), StorageError> {
        let base = draft.group[draft.source];
        let (index, _) = self.source_at(base)?;
        let source = &self.segments[index];
        let (end, dates) = (u64::from(source.size), (source.first_appended_at, source.appended_at));
        let path = path_of(&self.dir, base, LOG);
        let file = compaction.open_source(disk, base, &path)?;
        let is_last = draft.source + 1 == draft.group.len();
        let stop = end.min(draft.position + STEP_LEN);
        let mut written = Vec::new();
        let start = draft.segment.size;
        let mut scanner = Scanner::new(disk, file, WINDOW_LEN);
        while draft.position < stop {
            let at = |cause| StorageError::new(&path, draft.position, cause);
            let found = scanner.header_at(draft.position, end, base).map_err(|error| at(Cause::Io(error)))?;
            let (header, size) = found.ok_or_else(|| at(Cause::Corrupt))?;
            let bytes =
                scanner.copy_at(draft.position, size as usize).map_err(|error| at(Cause::Io(error)))?;
            let ends_file = is_last && draft.position + size == end;
            let filter = self.filter_of(compaction, &header, ends_file);
            let kind = filter.kind;
            let kept = match filter.apply(&header, &bytes).map_err(|_| at(Cause::Corrupt))? {
                Filtered::Same => Some(bytes),
                Filtered::Changed(batch) => {
                    draft.is_changed = true;
                    if kind == Kind::LoneMarker && batch.as_deref().is_none_or(is_empty) {
                        draft.gone.insert(header.base_offset);
                    }
                    batch
                }
            };
            if let Some(batch) = kept {
                let header = BatchHeader::parse(&batch).ok_or_else(|| at(Cause::Corrupt))?;
                draft.segment.apply(
                    &header,
                    batch.len() as u32,
                    WallMs(dates.1),
                    self.settings.index_interval_bytes,
                );
                written.extend(batch);
            }
            draft.position += size;
            compaction.read_bytes += size;
        }
        if draft.source == 0 {
            draft.segment.first_appended_at = dates.0;
        }
        draft.segment.appended_at = dates.1;
        let path = path_of(&self.dir, draft.segment.base, swap::LOG_DRAFT);
        disk.write_at(draft.file, start.into(), &written).map_err(StorageError::io(&path))?;
        if draft.position >= end {
            compaction.before_bytes += end;
            compaction.close_source(disk);
            (draft.source, draft.position) = (draft.source + 1, 0);
        }
        Ok(())
    }

    /// How a batch is filtered, the next one of the log.
    fn filter_of<'a>(
        &self,
        compaction: &'a mut Compaction,
        header: &BatchHeader,
        ends_file: bool,
    ) -> Filter<'a> {
        let known = compaction.transactions.as_mut().expect("they were read before");
        Filter {
            kind: known.on_batch(header),
            keys: &compaction.keys,
            map_end: compaction.map_end,
            now: compaction.now,
            delete_retention_ms: self.settings.delete_retention_ms,
            unpacked_max: self.settings.unpacked_bytes_max as usize,
            keeps_empty: ends_file
                || self.producers.last_offset_of(header.producer_id) == Some(header.last_offset()),
        }
    }

    /// Swaps a finished draft in, unless it is the same as what is there.
    fn end_draft(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        compaction: &mut Compaction,
        mut draft: Draft,
    ) -> Result<(), StorageError> {
        let (index, _) = self.source_at(draft.group[0])?;
        compaction.after_bytes += u64::from(draft.segment.size);
        if !draft.is_changed {
            let path = path_of(&self.dir, draft.segment.base, swap::LOG_DRAFT);
            return disk.remove(&path).map_err(StorageError::io(&path));
        }
        let aborted = self.aborted_of(disk, &draft)?;
        swap::swap_in(disk, &self.dir, &mut draft.segment, &draft.group, aborted.as_deref())?;
        draft.segment.has_aborted_file = aborted.is_some_and(|aborted| !aborted.is_empty());
        draft.segment.written = draft.segment.size;
        draft.segment.revision = self.segments[index].revision.wrapping_add(1);
        let count = draft.group.len();
        for mut old in self.segments.splice(index..index + count, [draft.segment]) {
            old.release(files);
        }
        Ok(())
    }

    /// The index of aborted transactions for a draft: those of its sources, but for markers that are gone. `None` if no
    /// source has one.
    fn aborted_of(
        &self,
        disk: &mut dyn Disk,
        draft: &Draft,
    ) -> Result<Option<Vec<AbortedTxn>>, StorageError> {
        let mut all = None;
        for &base in &draft.group {
            let (index, _) = self.source_at(base)?;
            if !self.segments[index].has_aborted_file {
                continue;
            }
            let path = path_of(&self.dir, base, TXN_INDEX);
            let bytes = disk.read_file(&path, ABORTED_LEN_MAX).map_err(StorageError::io(&path))?;
            let aborted = aborted::decode(&bytes.unwrap_or_default());
            let aborted = aborted.ok_or_else(|| StorageError::new(&path, 0, Cause::Corrupt))?;
            let left = aborted.into_iter().filter(|txn| !draft.gone.contains(&txn.last_offset));
            all.get_or_insert_with(Vec::new).extend(left);
        }
        Ok(all)
    }
}

/// Whether a batch has no records.
fn is_empty(batch: &[u8]) -> bool {
    BatchHeader::parse(batch).is_none_or(|header| header.record_count == 0)
}

impl Compaction {
    fn open_source(
        &mut self,
        disk: &mut dyn Disk,
        base: Offset,
        path: &Path,
    ) -> Result<FileId, StorageError> {
        if let Some((open, file)) = self.source
            && open == base
        {
            return Ok(file);
        }
        self.close_source(disk);
        let file = disk.open(path, OpenMode::Read).map_err(StorageError::io(path))?;
        self.source = Some((base, file));
        Ok(file)
    }

    fn close_source(&mut self, disk: &mut dyn Disk) {
        if let Some((_, file)) = self.source.take() {
            disk.close(file);
        }
    }
}

/// The records of a batch that is all there.
fn records_of<'a>(
    header: &BatchHeader,
    bytes: &'a [u8],
    unpacked_max: usize,
) -> Result<RecordStream<'a>, crate::batch::RecordFault> {
    let codec = header.attributes.codec().ok_or(crate::batch::RecordFault::BadPacking)?;
    let records = bytes.get(HEADER_LEN..).ok_or(crate::batch::RecordFault::Truncated)?;
    // An empty batch has no records to unpack, whatever its codec says.
    let codec = if records.is_empty() { crate::batch::Codec::None } else { codec };
    RecordStream::new(codec, records, unpacked_max)
}
