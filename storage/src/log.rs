//! One partition's log: appends, the writes they become, and reads.
//!
//! An append is bookkeeping ([`Log::append`]); at the turn's end everything appended goes out as data
//! ([`Log::push_writes`]); when it has been written the end moves ([`Log::on_outcome`]) and readers may see
//! it. At most one flight of writes is under way: what is appended meanwhile goes with the next. A failed
//! write or sync takes the log offline: nobody knows then what the file holds, so nothing more is appended
//! until it is opened anew.
//!
//! Nothing exists on disk before the first append. A full segment is synced, then its indexes and the
//! producer snapshot at its end are written: that snapshot is the proof that the segment needs no recovery.

mod close;
mod dirty;
mod offsets;
mod open;
mod reader;
mod tail;
mod time;
mod truncate;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::{Disk, IoError, Op, OpenMode, Ops, Outcome, Token, WallMs};

use crate::batch::{BatchHeader, ValidBatch};
use crate::epochs::{self, Epochs};
use crate::error::StorageError;
use crate::files::OpenFiles;
use crate::offset::{LeaderEpoch, Offset};
use crate::producers::{Duplicate, Producers, SequenceRefusal, Standing};
use crate::segment::{INDEX, Indexes, SNAPSHOT, Segment, TIME_INDEX, path_of};
use crate::settings::LogSettings;
use dirty::Dirty;
use tail::Tail;

pub use offsets::Offsets;
pub use open::{OpenLog, Recovered};
pub use time::Found;

/// One partition's log.
#[derive(Debug)]
pub struct Log {
    dir: PathBuf,
    settings: Arc<LogSettings>,
    offsets: Offsets,
    /// By base offset; the last one is the active one. Empty before the first append.
    segments: Vec<Segment>,
    epochs: Epochs,
    producers: Producers,
    tail: Tail,
    dirty: Dirty,
    flight: Option<Flight>,
    /// Full segments whose data is not yet known to be durable, oldest first.
    sealing: VecDeque<Sealing>,
    offline: Option<Offline>,
    on_disk: OnDisk,
}

/// What of the bookkeeping is already on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OnDisk {
    /// The directory exists.
    has_dir: bool,
    /// The active segment's base and the end, while the marker of a clean close still stands.
    marked: Option<(Offset, Offset)>,
    /// The epoch file tells all.
    has_epochs: bool,
}

/// Writes under way.
#[derive(Debug)]
struct Flight {
    writes_left: u32,
    /// Where the log ends once they are done.
    end: Offset,
}

/// A full segment on its way to be sealed.
#[derive(Debug)]
struct Sealing {
    base: Offset,
    end: Offset,
    /// Producer state at its end.
    snapshot: Vec<u8>,
    is_syncing: bool,
}

/// Why a log takes no more appends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offline {
    /// A write or a sync failed.
    Io(IoError),
    /// A file could not be made or replaced.
    File(StorageError),
}

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It has offsets; it counts once [`Offsets::end`] is beyond `last_offset`.
    Fresh {
        /// The first record's offset.
        base_offset: Offset,
        /// The last record's.
        last_offset: Offset,
    },
    /// It was appended before; the answer is the first one's, once [`Offsets::end`] is beyond its last
    /// offset.
    Duplicate(Duplicate),
}

/// Why nothing was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendRefusal {
    /// See [`SequenceRefusal`] for the codes.
    Sequence(SequenceRefusal),
    /// KAFKA_STORAGE_ERROR (56).
    Offline(Offline),
}

/// What a completion meant for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Nothing that a client could see.
    Nothing,
    /// [`Offsets::end`] has moved.
    EndMoved,
    /// The log went offline just now.
    Offline(Offline),
}

impl Log {
    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Its offsets.
    pub fn offsets(&self) -> Offsets {
        self.offsets
    }

    /// Its leader epochs.
    pub fn epochs(&self) -> &Epochs {
        &self.epochs
    }

    /// Its producers.
    pub fn producers(&self) -> &Producers {
        &self.producers
    }

    /// What it does as its topic asks.
    pub fn settings(&self) -> &Arc<LogSettings> {
        &self.settings
    }

    /// Takes new settings; they hold from the next append on.
    pub fn set_settings(&mut self, settings: Arc<LogSettings>) {
        self.settings = settings;
    }

    /// Bytes in its segments, those on their way included.
    pub fn size_bytes(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.size)).sum()
    }

    /// How many segments it has.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Why it takes no appends, if it does not.
    pub fn offline(&self) -> Option<&Offline> {
        self.offline.as_ref()
    }

    /// Forgets producers that were idle for too long.
    pub fn expire_producers(&mut self, now: WallMs) {
        self.producers.expire(now, self.settings.producer_expiry_ms);
    }

    /// Everything below `offset` is on all in-sync replicas. Never moves back, and never beyond the end.
    pub fn advance_high_watermark(&mut self, offset: Offset) {
        let offset = offset.min(self.offsets.end);
        self.offsets.high_watermark = self.offsets.high_watermark.max(offset);
        self.offsets.last_stable = self.offsets.high_watermark;
        self.offsets.validate();
    }

    /// Everything below `offset`, which lies at most at the high watermark, is deleted. Never moves back.
    pub fn advance_log_start(&mut self, offset: Offset) {
        self.offsets.log_start = self.offsets.log_start.max(offset);
        self.offsets.validate();
    }

    /// Gives a batch its offsets and queues its bytes. Nothing is visible before it is written.
    pub fn append(
        &mut self,
        batch: &ValidBatch,
        leader_epoch: LeaderEpoch,
        now: WallMs,
    ) -> Result<Appended, AppendRefusal> {
        if let Some(reason) = &self.offline {
            return Err(AppendRefusal::Offline(reason.clone()));
        }
        match self.producers.check(&batch.header) {
            Err(refusal) => return Err(AppendRefusal::Sequence(refusal)),
            Ok(Standing::Duplicate(first_try)) => return Ok(Appended::Duplicate(first_try)),
            Ok(Standing::Fresh) => {}
        }
        let base_offset = self.offsets.assigned;
        let header = BatchHeader { base_offset, leader_epoch, ..batch.header };
        let last_offset = header.last_offset();
        assert!(last_offset >= base_offset);
        self.roll_if_full(&header, batch.bytes.len());
        let Some(active) = self.segments.last_mut() else { unreachable!("a roll leaves an active segment") };
        self.tail.push(base_offset, last_offset, active.size);
        self.dirty.push(active.base, active.size, &header, &batch.bytes);
        active.apply(&header, batch.bytes.len() as u32, self.settings.index_interval_bytes);
        self.producers.apply(&header, now, self.settings.producer_count_max);
        if self.epochs.apply(leader_epoch, base_offset) {
            self.on_disk.has_epochs = false;
        }
        self.offsets.assigned = last_offset.plus(1);
        self.offsets.validate();
        Ok(Appended::Fresh { base_offset, last_offset })
    }

    /// Makes sure that there is an active segment with room for a batch.
    fn roll_if_full(&mut self, header: &BatchHeader, size: usize) {
        if let Some(active) = self.segments.last() {
            if !active.is_full_for(header, size, &self.settings) {
                return;
            }
            self.sealing.push_back(Sealing {
                base: active.base,
                end: header.base_offset,
                snapshot: self.producers.encode_snapshot(),
                is_syncing: false,
            });
        }
        self.tail.clear();
        self.segments.push(Segment::new(header.base_offset));
    }

    /// Whether [`Log::push_writes`] has something to do.
    pub fn has_work(&self) -> bool {
        let is_idle = self.offline.is_none() && self.flight.is_none();
        is_idle && (!self.dirty.is_empty() || self.sealing.front().is_some_and(|first| !first.is_syncing))
    }

    /// Whether completions are still to come.
    pub fn has_flight(&self) -> bool {
        self.flight.is_some() || self.sealing.iter().any(|sealing| sealing.is_syncing)
    }

    /// Pushes what was appended since the last flight as writes, and the sync of a full segment, all under
    /// `token`. Every completion goes to [`Log::on_outcome`]. Failing to open a file takes the log offline.
    pub fn push_writes(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), Offline> {
        if self.offline.is_some() || self.flight.is_some() {
            return Ok(());
        }
        let pushed =
            self.push_dirty(disk, files, ops, token).and_then(|()| self.push_sync(disk, files, ops, token));
        pushed.map_err(|error| self.go_offline(Offline::File(error)))
    }

    fn push_dirty(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), StorageError> {
        if self.dirty.is_empty() {
            return Ok(());
        }
        self.prepare_dir(disk)?;
        let mut flight = Flight { writes_left: 0, end: self.offsets.assigned };
        for write in self.dirty.drain() {
            let index = self.segments.binary_search_by_key(&write.segment, |segment| segment.base);
            let segment = &mut self.segments[index.expect("a dirty segment is one of the log's")];
            let file = segment.open_log(disk, files, &self.dir, OpenMode::Create)?;
            let offset = u64::from(write.position);
            ops.push(token, Op::Write { file, offset, parts: write.into_parts() });
            flight.writes_left += 1;
        }
        self.flight = Some(flight);
        Ok(())
    }

    /// Makes the directory and what must be in it before the first write of a run, or of an epoch.
    fn prepare_dir(&mut self, disk: &mut dyn Disk) -> Result<(), StorageError> {
        if !self.on_disk.has_dir {
            disk.create_dir(&self.dir).map_err(StorageError::io(&self.dir))?;
            self.on_disk.has_dir = true;
        }
        if let Some((base, end)) = self.on_disk.marked.take() {
            close::unmark(disk, &self.dir, base, end)?;
        }
        if !self.on_disk.has_epochs {
            let path = self.dir.join(epochs::FILE_NAME);
            disk.replace_file(&path, &self.epochs.encode()).map_err(StorageError::io(&path))?;
            self.on_disk.has_epochs = true;
        }
        Ok(())
    }

    fn push_sync(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), StorageError> {
        let Some(first) = self.sealing.front_mut() else { return Ok(()) };
        if first.is_syncing || first.end > self.offsets.end {
            return Ok(());
        }
        let index = self.segments.partition_point(|segment| segment.base < first.base);
        let file = self.segments[index].open_log(disk, files, &self.dir, OpenMode::Write)?;
        ops.push(token, Op::Sync { file });
        first.is_syncing = true;
        Ok(())
    }

    /// Takes the completion of an operation that [`Log::push_writes`] pushed.
    pub fn on_outcome(&mut self, disk: &mut dyn Disk, outcome: &Outcome) -> Progress {
        let done = match outcome {
            Outcome::Written => Ok(self.on_written()),
            Outcome::Synced => self.on_synced(disk).map_err(Offline::File),
            Outcome::Failed(error) => Err(Offline::Io(*error)),
            other => unreachable!("a log pushes writes and syncs, and got {other:?}"),
        };
        done.unwrap_or_else(|reason| Progress::Offline(self.go_offline(reason)))
    }

    fn on_written(&mut self) -> Progress {
        let Some(flight) = &mut self.flight else {
            assert!(self.offline.is_some(), "a write ended that nobody pushed");
            return Progress::Nothing;
        };
        flight.writes_left -= 1;
        if flight.writes_left > 0 {
            return Progress::Nothing;
        }
        self.offsets.end = flight.end;
        self.flight = None;
        self.offsets.validate();
        Progress::EndMoved
    }

    /// The oldest full segment is durable: now its indexes may say so.
    fn on_synced(&mut self, disk: &mut dyn Disk) -> Result<Progress, StorageError> {
        let Some(sealing) = self.sealing.pop_front() else {
            assert!(self.offline.is_some(), "a sync ended that nobody pushed");
            return Ok(Progress::Nothing);
        };
        let index = self.segments.partition_point(|segment| segment.base < sealing.base);
        seal(disk, &self.dir, &mut self.segments[index], sealing.end, &sealing.snapshot)?;
        Ok(Progress::Nothing)
    }

    /// Takes no more appends. The end stays where it is: what is before it was written.
    fn go_offline(&mut self, reason: Offline) -> Offline {
        self.flight = None;
        self.sealing.clear();
        self.dirty.clear();
        self.offline.get_or_insert(reason).clone()
    }
}

/// Writes out the indexes of a segment whose data is durable, and drops them from memory. The snapshot at its
/// end comes last, because a segment followed by a snapshot counts as sealed.
fn seal(
    disk: &mut dyn Disk,
    dir: &Path,
    segment: &mut Segment,
    end: Offset,
    snapshot: &[u8],
) -> Result<(), StorageError> {
    let Indexes::Growing(index) = &mut segment.indexes else { return Ok(()) };
    index.apply_time(segment.newest);
    let (offsets, times) = index.encode();
    let contents =
        [(segment.base, INDEX, &offsets[..]), (segment.base, TIME_INDEX, &times), (end, SNAPSHOT, snapshot)];
    for (base, ending, bytes) in contents {
        let path = path_of(dir, base, ending);
        disk.replace_file(&path, bytes).map_err(StorageError::io(&path))?;
    }
    segment.indexes = Indexes::Sealed;
    Ok(())
}
