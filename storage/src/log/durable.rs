//! How far a log is durable, and which way each append gets there.
//!
//! ```text
//!     synced ≤ durable ≤ journaling          the end moves on by itself, in the page cache
//!     └ in synced segments ┘└ also in the journal ┘└ on its way there
//! ```
//! An append that asks for the disk goes into the core's journal with the next turn, if everything before it is
//! durable or on its way there; else, and when it is large, its segment is synced. Appends that ask for the page
//! cache only are journaled too for a while after one that asked for more, so that the two may alternate.
//!
//! A log whose end is durable up to [`Durable::synced`] only needs its journal entries no more: that is what a
//! checkpoint brings about, and it leaves a recovery point beside the segment (`point`).

use shard::buffer::ALIGNMENT;
use shard::{Disk, Op, OpenMode, Ops, Token, WallMs};

use super::{Log, Progress, point};
use crate::error::StorageError;
use crate::files::OpenFiles;
use crate::journal::{Journal, Place};
use crate::mutation::{Mutation, is_on};
use crate::offset::Offset;
use crate::settings::{Durability, Promise};

/// So many bytes of one log in a turn are written to their segment and synced there, instead of going through
/// the journal: a second copy of them would cost more than the sync.
const DIRECT_LEN_MIN: usize = 1 << 20;
/// A segment that is journaled is written back to the device in pieces of this length, as it grows: a checkpoint that finds
/// much to write fills the device's queue, and the journal's next write waits behind all of it.
const WRITEBACK_LEN: u32 = 1 << 20;
/// Turns in which appends are journaled that did not ask for it, after one that did.
const JOURNALED_TURNS: u32 = 64;

/// How far a log is durable.
#[derive(Debug, Default)]
pub(super) struct Durable {
    /// Before it everything is in synced segments.
    pub synced: Offset,
    /// Before it everything survives a loss of power.
    pub durable: Offset,
    /// Before it everything is durable or has been given to the journal.
    journaling: Offset,
    /// Before it an append waits for the disk.
    promised: Offset,
    /// The same of those appends that are written: a sync now would keep their promise.
    promised_written: Offset,
    /// A sync of the active segment is under way: what it makes durable.
    pub sync: Option<Offset>,
    turns_left: u32,
    /// When the first record was appended that may not be in a synced segment.
    unsynced_since: Option<WallMs>,
    /// The active segment's first offset, and up to where in its file the kernel was asked to write it back.
    written_back: (Offset, u32),
    is_writing_back: bool,
    /// A checkpoint is asked for.
    is_point_wanted: bool,
    /// The recovery point that the next sync allows: where it is, and the file's content.
    point: Option<(Offset, Vec<u8>)>,
}

impl Durable {
    /// Everything before `synced` is in synced segments.
    pub fn at(synced: Offset) -> Durable {
        Durable {
            synced,
            durable: synced,
            journaling: synced,
            promised: synced,
            promised_written: synced,
            ..Durable::default()
        }
    }

    fn covered(&self) -> Offset {
        self.durable.max(self.journaling)
    }

    /// A write is done that has taken everything along which was promised before `promised`.
    pub fn on_written(&mut self, promised: Offset) {
        self.promised_written = self.promised_written.max(promised);
    }

    /// Everything before `end` is in synced segments now.
    pub fn on_synced(&mut self, end: Offset) {
        self.synced = self.synced.max(end);
        self.durable = self.durable.max(end);
        assert!(self.synced <= self.durable);
    }
}

impl Log {
    /// Everything before it survives a loss of power.
    pub fn durable_end(&self) -> Offset {
        self.durable.durable
    }

    /// Everything before it is in synced segments, so that the journal is not needed for it.
    pub fn synced_end(&self) -> Offset {
        self.durable.synced
    }

    /// Up to where records may be read, as far as this replica goes: an append that asks for the disk is not
    /// shown before it is there, and neither is what follows it.
    pub fn readable_end(&self) -> Offset {
        let Durable { durable, promised, .. } = self.durable;
        if durable < promised && !is_on(Mutation::ShowBeforeDurable) {
            durable.min(self.offsets.end)
        } else {
            self.offsets.end
        }
    }

    /// Before it an append waits for the disk.
    pub(super) fn promised(&self) -> Offset {
        self.durable.promised
    }

    /// Whether everything that was appended is in synced segments.
    pub fn is_synced(&self) -> bool {
        self.durable.synced >= self.offsets.assigned && self.sealing.is_empty()
    }

    /// Whether the journal holds something of this log that its segments may not.
    pub fn is_journaled(&self) -> bool {
        self.durable.covered() > self.durable.synced
    }

    /// Notes what an append that ends before `end` asks for, and says what it is given.
    pub(super) fn promise(&mut self, asked: Promise, end: Offset) -> Promise {
        let given = match self.settings.durability {
            Durability::Disk => asked,
            Durability::Os => Promise::PageCache,
        };
        if given == Promise::Disk {
            self.promise_disk(end);
        }
        given
    }

    /// The same for the newest append, which `flush.messages` may give more than it asks for.
    pub(super) fn promise_fresh(&mut self, asked: Promise, now: WallMs) -> Promise {
        let end = self.offsets.assigned;
        let unflushed = end.0 - self.durable.promised.max(self.durable.covered()).0;
        self.durable.unsynced_since.get_or_insert(now);
        if unflushed as u64 >= self.settings.flush_messages {
            self.promise_disk(end);
            return Promise::Disk;
        }
        self.promise(asked, end)
    }

    fn promise_disk(&mut self, end: Offset) {
        self.durable.promised = self.durable.promised.max(end);
        self.durable.turns_left = JOURNALED_TURNS;
        // A repeated append asks for what was written before, or is being written.
        if end <= self.offsets.end {
            self.durable.on_written(end);
        } else if let Some(flight) = self.flight.as_mut().filter(|flight| end <= flight.end) {
            flight.promised = flight.promised.max(end);
        }
    }

    /// When `flush.ms` asks for a checkpoint.
    pub fn flush_due(&self) -> Option<WallMs> {
        let is_asked = self.durable.is_point_wanted || self.durable.point.is_some();
        let is_synced = self.durable.synced >= self.offsets.assigned;
        let is_on = self.settings.flush_ms < i64::MAX && !is_asked && !is_synced;
        let since = self.durable.unsynced_since.filter(|_| is_on)?;
        Some(WallMs(since.0.saturating_add(self.settings.flush_ms)))
    }

    /// Asks for everything appended so far to be in synced segments, and for a recovery point there.
    /// [`Log::synced_end`] tells when it is done.
    pub fn request_checkpoint(&mut self) {
        if is_on(Mutation::ForgetSegmentSync) {
            return self.durable.on_synced(self.offsets.end);
        }
        self.durable.is_point_wanted |= self.durable.synced < self.offsets.assigned;
    }

    /// The core's journal has made everything before `end` durable.
    pub fn on_journaled(&mut self, end: Offset) -> Progress {
        if self.offline.is_some() || end <= self.durable.durable {
            return Progress::Nothing;
        }
        self.durable.durable = end;
        Progress::DurableMoved
    }

    /// Whether what waits to be written goes into the journal as well.
    pub(super) fn may_journal(&self, journal: &Journal) -> bool {
        let wants = self.durable.promised > self.durable.covered() || self.durable.turns_left > 0;
        let (bytes, count) = (self.dirty.byte_count(), self.dirty.write_count());
        self.settings.durability == Durability::Disk
            && wants
            && self.durable.covered() == self.offsets.end
            && bytes < DIRECT_LEN_MIN
            && journal.has_room_for(bytes, count)
    }

    /// Everything that was waiting is being written, in the journal too if so.
    pub(super) fn on_pushed(&mut self, is_journaled: bool) {
        if is_journaled {
            self.durable.journaling = self.offsets.assigned;
        }
        self.durable.turns_left = self.durable.turns_left.saturating_sub(1);
    }

    pub(super) fn journal_write(
        &self,
        journal: &mut Journal,
        segment: Offset,
        position: u32,
        parts: &[shard::Buf],
    ) {
        journal.add(&Place { log: self.id, segment, position }, parts);
    }

    /// Whether writes wait until a sync is done, because they can go to the journal then.
    pub(super) fn defers_writes(&self) -> bool {
        self.durable.sync.is_some()
            && self.settings.durability == Durability::Disk
            && self.durable.turns_left > 0
            && self.durable.covered() < self.offsets.end
            && self.dirty.byte_count() < DIRECT_LEN_MIN
    }

    /// Takes the state that a recovery point needs, at a moment when everything appended is at least being
    /// written.
    pub(super) fn take_point(&mut self) {
        let is_whole = self.dirty.is_empty() && self.sealing.is_empty();
        if self.durable.is_point_wanted && is_whole && self.durable.sync.is_none() {
            self.durable.is_point_wanted = false;
            self.durable.unsynced_since = None;
            if let Some(active) = self.segments.last() {
                let bytes = point::encode(active, self.offsets.assigned, &self.producers);
                self.durable.point = Some((self.offsets.assigned, bytes));
            }
        }
    }

    /// Whether a checkpoint waits for [`Log::push_writes`].
    pub(super) fn wants_point(&self) -> bool {
        self.durable.is_point_wanted && self.sealing.is_empty() && self.durable.sync.is_none()
    }

    /// Whether the active segment must be synced now.
    pub(super) fn wants_sync(&self) -> bool {
        let Durable { promised_written, sync, point, .. } = &self.durable;
        let is_free = sync.is_none() && self.flight.is_none() && self.sealing.is_empty();
        let has_point = point.as_ref().is_some_and(|(end, _)| *end <= self.offsets.end);
        let has_promise = *promised_written > self.durable.covered();
        is_free && (has_point || has_promise)
    }

    pub(super) fn push_active_sync(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), StorageError> {
        let Some(active) = self.segments.last_mut() else { return Ok(()) };
        let file = active.open_log(disk, files, &self.dir, OpenMode::Write)?;
        ops.push(token, Op::Sync { file });
        self.durable.sync = Some(self.offsets.end);
        if self.offsets.end == self.offsets.assigned {
            self.durable.unsynced_since = None;
        }
        Ok(())
    }

    /// How much of the active segment's file is to be written back now: from where to where.
    pub(super) fn wants_writeback(&self) -> Option<(u32, u32)> {
        let active = self.segments.last()?;
        let (base, position) = self.durable.written_back;
        let from = if base == active.base { position } else { 0 };
        // The last page is about to change again.
        let to = active.written & !(ALIGNMENT as u32 - 1);
        let is_due = self.is_journaled() && to.saturating_sub(from) >= WRITEBACK_LEN;
        (is_due && !self.durable.is_writing_back && self.durable.sync.is_none()).then_some((from, to))
    }

    pub(super) fn push_writeback(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), StorageError> {
        let Some((from, to)) = self.wants_writeback() else { return Ok(()) };
        let Some(active) = self.segments.last_mut() else { return Ok(()) };
        let file = active.open_log(disk, files, &self.dir, OpenMode::Write)?;
        ops.push(token, Op::BeginWriteback { file, offset: u64::from(from), len: to - from });
        self.durable.written_back = (active.base, to);
        self.durable.is_writing_back = true;
        Ok(())
    }

    /// A part of the segment is on its way to the device.
    pub(super) fn on_writeback_begun(&mut self) -> Progress {
        self.durable.is_writing_back = false;
        Progress::Nothing
    }

    /// Whether the kernel has yet to take up a part of the segment.
    pub(super) fn is_writing_back(&self) -> bool {
        self.durable.is_writing_back
    }

    /// The active segment is durable up to what it was synced for.
    pub(super) fn on_active_synced(
        &mut self,
        disk: &mut dyn Disk,
        end: Offset,
    ) -> Result<Progress, StorageError> {
        self.durable.on_synced(end);
        // A point of a segment that was ended meanwhile helps nobody.
        if let Some((at, bytes)) = self.durable.point.take_if(|(at, _)| *at <= end)
            && self.segments.last().is_some_and(|active| active.base <= at)
            && self.sealing.is_empty()
        {
            point::write(disk, &self.dir, &bytes)?;
        }
        Ok(Progress::DurableMoved)
    }
}
