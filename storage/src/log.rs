//! One partition's log: appends, the writes they become, and reads.
//!
//! An append is bookkeeping ([`Log::append`]); at the turn's end everything appended goes out as data
//! ([`Log::push_writes`]); when it has been written the end moves ([`Log::on_outcome`]) and readers may see
//! it. At most one flight of writes is under way: what is appended meanwhile goes with the next. A failed
//! write or sync takes the log offline: nobody knows then what the file holds, so nothing more is appended
//! until it is opened anew.
//!
//! Read on in the order of a batch's life: `open`, `recover`, this file, `dirty`, `writer`, `tail`, `reader`, `time`,
//! `close`.
//!
//! Nothing exists on disk before the first append. A full segment is synced, then its indexes and the
//! producer snapshot at its end are written: that snapshot is the proof that the segment needs no recovery.

mod close;
mod compact;
mod dirty;
mod durable;
pub(crate) mod facts;
mod import;
mod offsets;
mod open;
mod outlook;
mod point;
mod reader;
mod recover;
mod reindex;
mod retention;
mod start;
mod tail;
mod time;
mod transactions;
mod truncate;
mod versions;
mod writer;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::{IoError, WallMs};

use crate::batch::{BatchHeader, ValidBatch};
use crate::epochs::Epochs;
use crate::error::StorageError;
use crate::journal::LogId;
use crate::offset::{LeaderEpoch, Offset};
use crate::producers::{Duplicate, Producers, SequenceRefusal, Standing};
use crate::segment::Segment;
use crate::settings::{LogSettings, Promise};
use dirty::Dirty;
use durable::Durable;
use tail::Tail;

pub use close::{aside_of, delete_dir, sync_segments};
pub use compact::{CompactStep, Compaction, Dirtiness};
pub use import::{ImportFault, ImportLog, ImportRefusal, Imported, import};
pub use offsets::Offsets;
pub use open::{OpenLog, Recovered};
pub use outlook::{Outlook, OutlookSegment};
pub use recover::Opening;
pub use retention::{Deletion, DeletionReason, Upkeep};
pub use time::Found;
pub use transactions::{MarkerAppend, MarkerFault};

/// One partition's log.
#[derive(Debug)]
pub struct Log {
    id: LogId,
    dir: PathBuf,
    settings: Arc<LogSettings>,
    offsets: Offsets,
    /// By base offset; the last one is the active one. Empty before the first append.
    segments: Vec<Segment>,
    epochs: Epochs,
    producers: Producers,
    /// Transactions that have ended, until the high watermark passes their markers: first offset and marker.
    ended: BTreeMap<Offset, Offset>,
    tail: Tail,
    dirty: Dirty,
    durable: Durable,
    flight: Option<Flight>,
    /// Full segments whose data is not yet known to be durable, oldest first.
    sealing: VecDeque<Sealing>,
    /// Before it no key is there twice.
    cleaned_to: Offset,
    has_failed_compaction: bool,
    offline: Option<Offline>,
    on_disk: OnDisk,
    /// Segments whose indexes were made anew, until somebody asks.
    reindexed: Vec<Offset>,
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
    /// How far each segment written to is in its file then.
    written: Vec<(Offset, u32)>,
    /// Where the log ends once they are done.
    end: Offset,
    /// Before it an append waits for the disk that is written once they are done.
    promised: Offset,
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
    /// The core's journal cannot be written.
    Journal(IoError),
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
        /// Where it is to be before it is acknowledged.
        promise: Promise,
    },
    /// It was appended before; the answer is the first one's, once [`Offsets::end`] is beyond its last
    /// offset and the promise is kept.
    Duplicate(Duplicate, Promise),
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
    /// [`Log::durable_end`] has moved.
    DurableMoved,
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

    /// When the segment that has `offset` was begun, by the clock of the broker that appended to it: no later than that
    /// record was appended. `None` if there is nothing to tell it by.
    pub fn appended_at(&self, offset: Offset) -> Option<WallMs> {
        let segment = self.segments.get(self.segment_of(offset))?;
        (segment.size > 0 && segment.first_appended_at >= 0).then_some(WallMs(segment.first_appended_at))
    }

    /// Why it takes no appends, if it does not.
    pub fn offline(&self) -> Option<&Offline> {
        self.offline.as_ref()
    }

    /// Everything below `offset` is on all in-sync replicas. Never moves back, and never beyond the end.
    pub fn advance_high_watermark(&mut self, offset: Offset) {
        let offset = offset.min(self.offsets.end);
        self.offsets.high_watermark = self.offsets.high_watermark.max(offset);
        self.move_last_stable();
    }

    /// Everything below `offset`, which lies at most at the high watermark, is deleted. Never moves back.
    pub fn advance_log_start(&mut self, offset: Offset) {
        self.offsets.log_start = self.offsets.log_start.max(offset);
        self.move_last_stable();
    }

    /// Gives a batch its offsets and queues its bytes. Nothing is visible before it is written.
    pub fn append(
        &mut self,
        batch: &ValidBatch,
        leader_epoch: LeaderEpoch,
        now: WallMs,
        promise: Promise,
    ) -> Result<Appended, AppendRefusal> {
        if let Some(reason) = &self.offline {
            return Err(AppendRefusal::Offline(reason.clone()));
        }
        match self.producers.check(&batch.header) {
            Err(refusal) => return Err(AppendRefusal::Sequence(refusal)),
            Ok(Standing::Duplicate(first_try)) => {
                let promise = self.promise(promise, first_try.last_offset.plus(1));
                return Ok(Appended::Duplicate(first_try, promise));
            }
            Ok(Standing::Fresh) => {}
        }
        let header = self.place(batch, leader_epoch, now);
        self.producers.apply(&header, now, self.settings.producer_count_max);
        self.move_last_stable();
        let promise = self.promise_fresh(promise, now);
        Ok(Appended::Fresh { base_offset: header.base_offset, last_offset: header.last_offset(), promise })
    }

    /// Gives a batch its offsets and its place in the active segment, and queues its bytes; gives its header as it is then.
    fn place(&mut self, batch: &ValidBatch, leader_epoch: LeaderEpoch, now: WallMs) -> BatchHeader {
        let base_offset = self.offsets.assigned;
        let header = BatchHeader { base_offset, leader_epoch, ..batch.header };
        let last_offset = header.last_offset();
        assert!(last_offset >= base_offset);
        self.roll_if_full(&header, batch.bytes.len(), now);
        let Some(active) = self.segments.last_mut() else { unreachable!("a roll leaves an active segment") };
        self.tail.push(base_offset, last_offset, active.size);
        self.dirty.push(active.base, active.size, &header, &batch.bytes);
        active.apply(&header, batch.bytes.len() as u32, now, self.settings.index_interval_bytes);
        if self.epochs.apply(leader_epoch, base_offset) {
            self.on_disk.has_epochs = false;
        }
        self.offsets.assigned = last_offset.plus(1);
        self.offsets.validate();
        header
    }

    /// Makes sure that there is an active segment with room for a batch.
    fn roll_if_full(&mut self, header: &BatchHeader, size: usize, now: WallMs) {
        if let Some(active) = self.segments.last()
            && !self.is_overdue(active, now)
            && !active.is_full_for(header, size, self.segment_ms(active), &self.settings)
        {
            return;
        }
        self.start_segment(header.base_offset);
    }

    /// Begins a segment at `base`, the next offset to be given out; the one before is on its way to be sealed.
    fn start_segment(&mut self, base: Offset) {
        if let Some(active) = self.segments.last() {
            self.sealing.push_back(Sealing {
                base: active.base,
                end: base,
                snapshot: self.producers.encode_snapshot(),
                is_syncing: false,
            });
        }
        self.tail.clear();
        self.segments.push(Segment::new(base));
    }
}
