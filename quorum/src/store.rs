//! The end of the log in memory: what Raft looks at, and where each batch ends in the file.
//!
//! ```text
//! file    │ batches … ──────────────────────────────────────────────► │
//! memory              `before` │ applied, for followers that lag │ not applied yet │
//! ```
//! Batches that are applied leave memory first when there is too much of them. A follower that needs one of those gets a checkpoint.

use std::cell::Cell;
use std::collections::VecDeque;

use raft::eraftpb::{ConfState, Entry, EntryType, HardState, Snapshot};
use raft::{GetEntriesContext, RaftState, Storage, StorageError};

use crate::batch::is_of_members;

/// A place between two batches: behind one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The batch before it.
    pub index: u64,
    /// That one's term.
    pub term: u64,
    /// The offset behind it.
    pub next_offset: i64,
    /// Where it ends in the file, in bytes.
    pub end: u64,
}

/// What is in memory of the log.
#[derive(Debug, Default)]
pub(crate) struct Store {
    initial: RaftState,
    before: Mark,
    batches: VecDeque<(Entry, Mark)>,
    bytes: usize,
    /// The batch that the newest checkpoint ends with, and the members then.
    checkpoint: Option<(Mark, ConfState)>,
    /// Whether a follower needs a newer one.
    wants_checkpoint: Cell<bool>,
}

impl Store {
    /// An empty one that begins behind `before`.
    pub fn new(before: Mark) -> Store {
        Store { before, ..Store::default() }
    }

    /// Says what Raft begins with.
    pub fn set_initial(&mut self, hard_state: HardState, conf_state: ConfState) {
        self.initial = RaftState::new(hard_state, conf_state);
    }

    /// Says which checkpoint followers can have.
    pub fn set_checkpoint(&mut self, mark: Mark, members: ConfState) {
        self.checkpoint = Some((mark, members));
        self.wants_checkpoint.set(false);
    }

    /// The newest checkpoint.
    pub fn checkpoint(&self) -> Option<Mark> {
        self.checkpoint.as_ref().map(|(mark, _)| *mark)
    }

    /// Whether a follower needs a checkpoint that there is not.
    pub fn wants_checkpoint(&self) -> bool {
        self.wants_checkpoint.get()
    }

    /// Where the log ends.
    pub fn end(&self) -> Mark {
        self.batches.back().map_or(self.before, |(_, mark)| *mark)
    }

    /// Where the batch with this number ends, if that is known.
    pub fn mark(&self, index: u64) -> Option<Mark> {
        if index == self.before.index {
            return Some(self.before);
        }
        self.batches.get(self.position(index)?).map(|(_, mark)| *mark)
    }

    /// The batch with this number.
    pub fn batch(&self, index: u64) -> Option<&[u8]> {
        self.batches.get(self.position(index)?).map(|(entry, _)| &entry.data[..])
    }

    /// The first batch in memory.
    pub fn first(&self) -> u64 {
        self.before.index + 1
    }

    /// All batches from this one on, one behind the other.
    pub fn bytes_from(&self, index: u64) -> Vec<u8> {
        let from = self.position(index).unwrap_or(self.batches.len());
        self.batches.range(from..).flat_map(|(entry, _)| entry.data.iter().copied()).collect()
    }

    fn position(&self, index: u64) -> Option<usize> {
        usize::try_from(index.checked_sub(self.before.index + 1)?).ok()
    }

    /// Adds the next batch.
    pub fn push(&mut self, term: u64, next_offset: i64, batch: Vec<u8>) {
        let before = self.end();
        assert!(next_offset > before.next_offset && term >= before.term, "logs go on");
        let end = before.end + batch.len() as u64;
        let mark = Mark { index: before.index + 1, term, next_offset, end };
        self.bytes += batch.len();
        self.batches.push_back((entry_of(mark.index, term, batch), mark));
    }

    /// Forgets the batches from this one on.
    pub fn truncate(&mut self, index: u64) {
        assert!(index > self.before.index, "what left memory is committed");
        let kept = self.position(index).unwrap_or(0);
        self.bytes -= self
            .batches
            .range(kept.min(self.batches.len())..)
            .map(|(entry, _)| entry.data.len())
            .sum::<usize>();
        self.batches.truncate(kept);
    }

    /// Lets batches up to `applied` go while there is too much in memory.
    pub fn shrink(&mut self, applied: u64, bytes_max: usize) {
        while self.bytes > bytes_max
            && let Some((_, mark)) = self.batches.front()
            && mark.index <= applied
        {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        let (entry, mark) = self.batches.pop_front().expect("it was looked at just now");
        self.bytes -= entry.data.len();
        self.before = mark;
    }

    /// The file begins behind `mark` from now on, and its bytes are counted anew. What comes before it stays in memory, for
    /// followers that lag.
    pub fn rebase(&mut self, mark: Mark) {
        assert!(mark.index >= self.before.index, "a log is cut at a batch that is in memory");
        self.before.end = 0;
        for (_, of_batch) in &mut self.batches {
            of_batch.end = of_batch.end.saturating_sub(mark.end);
        }
    }

    /// The first batch in memory begins at this byte of the file; nothing was read into memory yet.
    pub fn begin_at_byte(&mut self, end: u64) {
        assert!(self.batches.is_empty(), "the beginning comes first");
        self.before.end = end;
    }

    /// The first batch of all begins at this offset.
    pub fn begin_at_offset(&mut self, offset: i64) {
        assert!(self.batches.is_empty() && self.before.index == 0, "the first batch comes first");
        self.before = Mark { next_offset: offset, ..Mark::default() };
    }

    /// Nothing but what comes behind `mark` counts.
    pub fn restart(&mut self, mark: Mark) {
        self.before = mark;
        self.batches.clear();
        self.bytes = 0;
    }
}

/// A batch as Raft sees it.
pub(crate) fn entry_of(index: u64, term: u64, batch: Vec<u8>) -> Entry {
    let mut entry = Entry { index, term, ..Entry::default() };
    if is_of_members(&batch) {
        entry.set_entry_type(EntryType::EntryConfChangeV2);
    }
    entry.data = batch.into();
    entry
}

impl Storage for Store {
    fn initial_state(&self) -> raft::Result<RaftState> {
        Ok(self.initial.clone())
    }

    fn entries(
        &self,
        low: u64,
        high: u64,
        max_size: impl Into<Option<u64>>,
        _: GetEntriesContext,
    ) -> raft::Result<Vec<Entry>> {
        let Some(from) = self.position(low) else { return Err(StorageError::Compacted.into()) };
        let to =
            self.position(high).filter(|&to| to <= self.batches.len()).ok_or(StorageError::Unavailable)?;
        let size_max = max_size.into().unwrap_or(u64::MAX);
        let mut size = 0;
        let mut entries = Vec::new();
        for (entry, _) in self.batches.range(from..to) {
            size += entry.data.len() as u64;
            if size > size_max && !entries.is_empty() {
                break;
            }
            entries.push(entry.clone());
        }
        Ok(entries)
    }

    fn term(&self, index: u64) -> raft::Result<u64> {
        if index < self.before.index {
            return Err(StorageError::Compacted.into());
        }
        self.mark(index).map(|mark| mark.term).ok_or_else(|| StorageError::Unavailable.into())
    }

    fn first_index(&self) -> raft::Result<u64> {
        Ok(self.first())
    }

    fn last_index(&self) -> raft::Result<u64> {
        Ok(self.end().index)
    }

    fn snapshot(&self, request_index: u64, to: u64) -> raft::Result<Snapshot> {
        // One that ends before memory begins would leave the follower as far behind as it was, and one of a time before it was
        // a member would not be taken.
        let usable = self.checkpoint.as_ref().filter(|(mark, members)| {
            let is_new = mark.index >= request_index && mark.index + 1 >= self.first();
            is_new && (members.voters.contains(&to) || members.learners.contains(&to))
        });
        let Some((mark, members)) = usable else {
            self.wants_checkpoint.set(true);
            return Err(StorageError::SnapshotTemporarilyUnavailable.into());
        };
        let mut snapshot = Snapshot::default();
        let metadata = snapshot.mut_metadata();
        metadata.index = mark.index;
        metadata.term = mark.term;
        metadata.set_conf_state(members.clone());
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use shard::WallMs;

    use super::*;
    use crate::batch::of_records;

    const CACHE_BYTES: usize = 4000;

    fn store(count: i64, len: usize) -> Store {
        let mut store = Store::new(Mark { index: 10, term: 2, next_offset: 100, end: 0 });
        for number in 1..=count {
            store.push(2, 100 + number, of_records(&[vec![0; len]], WallMs(1)));
        }
        store
    }

    #[test]
    fn what_is_not_in_memory_is_compacted_to_raft() {
        let store = store(3, 10);
        let context = || GetEntriesContext::empty(false);
        assert_eq!(store.entries(11, 14, None, context()).unwrap().len(), 3);
        assert_eq!(store.entries(11, 14, Some(1), context()).unwrap().len(), 1);
        assert_eq!(store.entries(10, 12, None, context()), Err(StorageError::Compacted.into()));
        assert_eq!(store.term(10), Ok(2));
        assert_eq!(store.term(9), Err(StorageError::Compacted.into()));
        assert_eq!(store.term(14), Err(StorageError::Unavailable.into()));
        assert_eq!((store.first_index(), store.last_index()), (Ok(11), Ok(13)));
    }

    #[test]
    fn memory_is_bounded_and_what_is_not_applied_stays() {
        let mut store = store(10, CACHE_BYTES / 4);
        store.shrink(20, CACHE_BYTES);
        assert_eq!(store.first(), 18);
        store.shrink(0, CACHE_BYTES);
        assert_eq!(store.first(), 18);
        let mut waiting = self::store(10, CACHE_BYTES / 4);
        waiting.shrink(12, CACHE_BYTES);
        assert_eq!(waiting.first(), 13);
    }

    #[test]
    fn a_checkpoint_that_ends_before_memory_begins_is_of_no_use() {
        let mut store = store(10, CACHE_BYTES / 4);
        let mark = store.mark(12).unwrap();
        store.set_checkpoint(mark, ConfState { voters: vec![1], ..ConfState::default() });
        assert!(store.snapshot(0, 2).is_err(), "it was no member then");
        assert_eq!(store.snapshot(0, 1).unwrap().get_metadata().index, 12);
        store.shrink(20, CACHE_BYTES);
        assert!(store.snapshot(0, 1).is_err() && store.wants_checkpoint());
    }

    #[test]
    fn a_cut_file_counts_from_its_new_beginning() {
        let mut store = store(4, 10);
        let mark = store.mark(12).unwrap();
        let len = store.mark(13).unwrap().end - mark.end;
        store.rebase(mark);
        assert_eq!((store.first(), store.mark(12).unwrap().end, store.mark(13).unwrap().end), (11, 0, len));
        store.truncate(14);
        assert_eq!(store.end().index, 13);
        assert_eq!(store.bytes_from(13).len() as u64, len);
    }
}
