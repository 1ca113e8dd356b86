//! From appended to written: what is pushed at a turn's end, and what its completions mean.

use std::path::Path;

use shard::{Disk, IoError, Op, OpenMode, Ops, Outcome, Token};

use super::{Flight, Log, Offline, Progress, Sealing, close};
use crate::aborted;
use crate::epochs;
use crate::error::StorageError;
use crate::files::OpenFiles;
use crate::journal::Journal;
use crate::offset::Offset;
use crate::segment::{INDEX, Indexes, SNAPSHOT, Segment, TIME_INDEX, TXN_INDEX, path_of};

impl Log {
    /// Whether [`Log::push_writes`] has something to do.
    pub fn has_work(&self) -> bool {
        let is_idle = self.offline.is_none() && self.flight.is_none();
        let has_writes = !self.dirty.is_empty() && !self.defers_writes();
        is_idle && (has_writes || self.may_seal() || self.wants_sync() || self.wants_point())
    }

    /// Whether the oldest full segment can be synced now.
    fn may_seal(&self) -> bool {
        let is_whole = |first: &Sealing| !first.is_syncing && first.end <= self.offsets.end;
        self.durable.sync.is_none() && self.sealing.front().is_some_and(is_whole)
    }

    /// Whether completions are still to come.
    pub fn has_flight(&self) -> bool {
        self.flight.is_some()
            || self.durable.sync.is_some()
            || self.is_writing_back()
            || self.sealing.iter().any(|sealing| sealing.is_syncing)
    }

    /// Pushes what was appended since the last flight as writes, and the sync of a segment if it is time for
    /// one, all under `token`; what must be durable goes into the journal as well, whose commit names `token`.
    /// Every completion goes to [`Log::on_outcome`]. Failing to open a file takes the log offline.
    pub fn push_writes(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        journal: Option<&mut Journal>,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), Offline> {
        if self.offline.is_some() || self.flight.is_some() {
            return Ok(());
        }
        // What is due to be synced goes before new writes: a sync that had to find no write under way would never come while
        // somebody writes in every turn.
        let pushed = self
            .push_due_sync(disk, files, ops, token)
            .and_then(|()| self.push_dirty(disk, files, journal, ops, token))
            .and_then(|()| self.push_writeback(disk, files, ops, token))
            .and_then(|()| self.push_sync(disk, files, ops, token));
        pushed.map_err(|error| self.go_offline(Offline::File(error)))
    }

    fn push_dirty(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        journal: Option<&mut Journal>,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), StorageError> {
        if self.dirty.is_empty() || self.defers_writes() {
            return Ok(());
        }
        let mut journal = journal.filter(|journal| self.may_journal(journal));
        self.prepare_dir(disk)?;
        let (end, promised) = (self.offsets.assigned, self.promised());
        let mut flight = Flight { writes_left: 0, written: Vec::new(), end, promised };
        let writes: Vec<_> = self.dirty.drain().collect();
        for write in writes {
            let index = self.segments.binary_search_by_key(&write.segment, |segment| segment.base);
            let segment = &mut self.segments[index.expect("a dirty segment is one of the log's")];
            let file = segment.open_log(disk, files, &self.dir, OpenMode::Create)?;
            let offset = u64::from(write.position);
            flight.written.push((write.segment, write.end()));
            let (base, position, parts) = (write.segment, write.position, write.into_parts());
            if let Some(journal) = journal.as_deref_mut() {
                self.journal_write(journal, base, position, &parts);
            }
            ops.push(token, Op::Write { file, offset, parts });
            flight.writes_left += 1;
        }
        self.flight = Some(flight);
        self.on_pushed(journal.is_some());
        if let Some(journal) = journal {
            journal.commit(token, self.offsets.assigned);
        }
        Ok(())
    }

    /// Makes the directory and what must be in it before the first write of a run, or of an epoch.
    pub(super) fn prepare_dir(&mut self, disk: &mut dyn Disk) -> Result<(), StorageError> {
        if !self.on_disk.has_dir {
            disk.create_dir(&self.dir).map_err(StorageError::io(&self.dir))?;
            self.on_disk.has_dir = true;
        }
        if let Some((base, end)) = self.on_disk.marked.take() {
            close::unmark(disk, &self.dir, base, end)?;
        }
        self.save_epochs(disk)
    }

    /// Writes the epoch file if it does not tell all. Not synced, for a new partition must not wait for the device: a file
    /// that a power cut leaves torn is no file, and the epochs are read from the batches instead.
    pub(super) fn save_epochs(&mut self, disk: &mut dyn Disk) -> Result<(), StorageError> {
        if !self.on_disk.has_epochs {
            let path = self.dir.join(epochs::FILE_NAME);
            close::write_file(disk, &path, &self.epochs.encode())?;
            self.on_disk.has_epochs = true;
        }
        Ok(())
    }

    fn push_due_sync(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), StorageError> {
        if self.wants_sync() { self.push_active_sync(disk, files, ops, token) } else { Ok(()) }
    }

    fn push_sync(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        ops: &mut Ops,
        token: Token,
    ) -> Result<(), StorageError> {
        self.take_point();
        if !self.may_seal() {
            return self.push_due_sync(disk, files, ops, token);
        }
        let Some(first) = self.sealing.front_mut() else { return Ok(()) };
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
            Outcome::WritebackBegun => Ok(self.on_writeback_begun()),
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
        self.durable.on_written(flight.promised);
        for (base, written) in std::mem::take(&mut flight.written) {
            let index = self.segments.partition_point(|segment| segment.base < base);
            self.segments[index].written = written;
        }
        self.flight = None;
        self.offsets.validate();
        Progress::EndMoved
    }

    /// A segment is durable: the active one, or the oldest full one, whose indexes may say so now.
    fn on_synced(&mut self, disk: &mut dyn Disk) -> Result<Progress, StorageError> {
        if let Some(end) = self.durable.sync.take() {
            return self.on_active_synced(disk, end);
        }
        let Some(sealing) = self.sealing.pop_front() else {
            assert!(self.offline.is_some(), "a sync ended that nobody pushed");
            return Ok(Progress::Nothing);
        };
        let index = self.segments.partition_point(|segment| segment.base < sealing.base);
        seal(disk, &self.dir, &mut self.segments[index], sealing.end, &sealing.snapshot)?;
        self.durable.on_synced(sealing.end);
        Ok(Progress::DurableMoved)
    }

    /// The core's journal failed: nothing that was promised can be kept, so nothing more is promised.
    pub fn on_journal_failed(&mut self, error: IoError) -> Offline {
        self.go_offline(Offline::Journal(error))
    }

    /// Takes no more appends. The end stays where it is: what is before it was written.
    pub(super) fn go_offline(&mut self, reason: Offline) -> Offline {
        self.flight = None;
        self.durable.sync = None;
        self.sealing.clear();
        self.dirty.clear();
        self.offline.get_or_insert(reason).clone()
    }
}

/// Writes out the indexes of a segment whose data is durable, and drops them from memory. The snapshot at its
/// end comes last, because a segment followed by a snapshot counts as sealed.
pub(super) fn seal(
    disk: &mut dyn Disk,
    dir: &Path,
    segment: &mut Segment,
    end: Offset,
    snapshot: &[u8],
) -> Result<(), StorageError> {
    let Indexes::Growing(index) = &mut segment.indexes else { return Ok(()) };
    index.apply_time(segment.newest);
    let (offsets, times) = index.encode();
    let txns = aborted::encode(&segment.aborted);
    let base = segment.base;
    let contents = [
        (base, INDEX, &offsets[..]),
        (base, TIME_INDEX, &times),
        (base, TXN_INDEX, &txns),
        (end, SNAPSHOT, snapshot),
    ];
    for (base, ending, bytes) in contents {
        if ending == TXN_INDEX && bytes.is_empty() {
            continue;
        }
        let path = path_of(dir, base, ending);
        disk.replace_file(&path, bytes).map_err(StorageError::io(&path))?;
    }
    segment.indexes = Indexes::Sealed;
    segment.has_aborted_file = !segment.aborted.is_empty();
    segment.aborted = Vec::new();
    Ok(())
}
