//! The core's journal: one durable write a turn for all its partitions, and the checkpoints that free its space.
//!
//! A checkpoint syncs the segments of every partition that the journal holds something of, a few at a time; then the
//! journal's space is used again. It begins when the journal is half full, and for all partitions with anything unsynced
//! once a minute. After a failed write of the journal nothing can be promised: all partitions of the core go offline. A
//! partition whose own sync failed keeps the journal from being freed, because only the journal has its records.

use shard::{Completion, Histogram, Nanos, Token};
use storage::journal::{self, Commit, Journal};
use storage::{LogId, Offset};

use super::{GENERATION_MASK, JOURNAL, NoLog, Outbound, Partitions};
use crate::mail::{PartitionId, Turn};

/// Segments that a checkpoint syncs at a time.
const SYNCS_MAX: usize = 8;
/// The journal is freed when it is so full.
const USED_PERCENT_MAX: u64 = 50;
/// What is only in the page cache is synced after so many ms, so that a restart has little to read.
const SYNC_INTERVAL_MS: i64 = 60_000;

/// The journal and who is not synced.
#[derive(Debug)]
pub(super) struct Durability {
    /// None where it cannot be opened: then segments are synced instead.
    pub journal: Option<Journal>,
    journal_len: u64,
    /// Partitions that have something unsynced: slots and generations.
    unsynced: Vec<(usize, u32)>,
    running: Option<Checkpoint>,
    synced_at: Nanos,
    is_due: bool,
    /// A partition could not be synced: the journal is all that its records have.
    is_pinned: bool,
    /// Partitions of which the journal had records when this core took it over, and that are not synced yet.
    inherited_count: usize,
    /// No more is written than what was promised.
    is_ending: bool,
    /// When the commit that is under way was pushed, and how long commits took.
    pushed_at: Option<Nanos>,
    took: Histogram,
}

/// What is told of a core's journal.
#[derive(Debug, Clone, Copy)]
pub struct JournalFacts {
    /// Commits since the start.
    pub commits: u64,
    /// Their bytes.
    pub bytes: u64,
    /// From pushing a commit to its end.
    pub took: Histogram,
    /// How much of it cannot be written over yet, in percent.
    pub used_percent: u64,
    /// Its size in bytes.
    pub len_bytes: u64,
    /// Whether commits go into it; else segments are synced instead.
    pub is_usable: bool,
}

/// A checkpoint under way.
#[derive(Debug)]
struct Checkpoint {
    /// The journal is freed up to this frame.
    newest: u64,
    waiting: Vec<(usize, u32, Offset)>,
    syncing: Vec<(usize, u32, Offset)>,
}

/// A partition's name in the journal: its topic's id and its number, which never come again.
pub fn log_id(partition: &PartitionId) -> LogId {
    let mut bytes = [0; 20];
    bytes[..16].copy_from_slice(&partition.topic_id.as_u128().to_be_bytes());
    bytes[16..].copy_from_slice(&partition.partition.to_be_bytes());
    LogId(bytes)
}

/// The partition of that name.
pub fn partition_id(id: &LogId) -> PartitionId {
    let (mut topic, mut number) = ([0; 16], [0; 4]);
    topic.copy_from_slice(&id.0[..16]);
    number.copy_from_slice(&id.0[16..]);
    let topic_id = protocol::Uuid::from_u128(u128::from_be_bytes(topic));
    PartitionId { topic_id, partition: i32::from_be_bytes(number) }
}

impl Durability {
    pub(super) fn new(journal_len: u64) -> Durability {
        Durability {
            journal: None,
            journal_len,
            unsynced: Vec::new(),
            running: None,
            synced_at: Nanos::default(),
            is_due: false,
            is_pinned: false,
            inherited_count: 0,
            is_ending: false,
            pushed_at: None,
            took: Histogram::default(),
        }
    }
}

impl Partitions {
    /// Opens the core's journal, which was replayed before. What it still holds is kept until its logs are synced. The core
    /// does not wait until it is ready: till then segments are synced instead.
    pub(super) fn open_journal(&mut self, turn: &mut Turn<'_>) {
        let path = journal::path_of(&self.data_dir, turn.shard.0);
        // What is in the page cache now may wait as long as any: a start should not begin with thousands of syncs.
        self.durability.synced_at = turn.now;
        match Journal::open(turn.disk, &path, self.durability.journal_len, turn.random_u64) {
            Ok((journal, kept)) => {
                tracing::debug!(core = turn.shard.0, writes = ?journal.writes(), logs = kept.len(), "the journal is open");
                self.durability.journal = Some(journal);
                for slot in kept.iter().filter_map(|log| self.by_id.get(&partition_id(log))) {
                    self.slots[*slot].is_inherited = true;
                    self.durability.inherited_count += 1;
                }
            }
            Err(error) => {
                tracing::error!(core = turn.shard.0, %error, "there is no journal: every acks=all append syncs its segment instead");
            }
        }
    }

    /// Notes that a partition has something unsynced, if so.
    pub(super) fn note_unsynced(&mut self, slot: usize) {
        let partition = &mut self.slots[slot];
        let has_unsynced = partition.log.as_ref().is_ok_and(|log| log.synced_end() < log.offsets().assigned);
        if has_unsynced && !std::mem::replace(&mut partition.is_unsynced, true) {
            self.durability.unsynced.push((slot, partition.generation));
        }
    }

    /// Ends a turn: commits everything that its appends put into the journal.
    pub fn push_commit(&mut self, turn: &mut Turn<'_>) {
        let is_ending = self.durability.is_ending;
        if let Some(journal) = self.durability.journal.as_mut().filter(|it| it.is_ready() || !is_ending) {
            let before = journal.counts();
            journal.push(turn.ops, Token(JOURNAL << 56));
            if journal.counts() != before {
                self.durability.pushed_at = Some(turn.now);
            }
        }
    }

    /// What is told of the journal.
    pub fn journal_facts(&self) -> JournalFacts {
        let journal = self.durability.journal.as_ref();
        let counts = journal.map(Journal::counts).unwrap_or_default();
        JournalFacts {
            commits: counts.commits,
            bytes: counts.bytes,
            took: self.durability.took,
            used_percent: journal.map_or(0, Journal::used_percent),
            len_bytes: journal.map_or(0, Journal::len_bytes),
            is_usable: journal.is_some_and(|journal| journal.is_ready() && journal.failed().is_none()),
        }
    }

    /// The core is about to stop: a journal that is not ready will not be.
    pub fn on_stop(&mut self) {
        self.durability.is_ending = true;
    }

    /// Partitions of which the journal that was taken over has records that no segment is known to be synced for.
    pub fn inherited_count(&self) -> usize {
        self.durability.inherited_count
    }

    /// All logs are open after a start: a journal that is half full of what it was taken over with is freed now, not by the
    /// next checkpoint that time asks for. Till then appends would be synced in their segments one by one.
    pub(super) fn free_inheritance(&mut self) {
        self.durability.is_due |= self.inherited_count() > 0 && self.is_journal_full();
    }

    fn is_journal_full(&self) -> bool {
        self.durability.journal.as_ref().is_some_and(|journal| journal.used_percent() >= USED_PERCENT_MAX)
    }

    /// A partition does not need the journal that was taken over.
    pub(super) fn on_inheritance_synced(&mut self, slot: usize) {
        if std::mem::take(&mut self.slots[slot].is_inherited) {
            self.durability.inherited_count -= 1;
        }
    }

    /// A partition cannot be opened, and so not be synced by a checkpoint: its files are synced as they are.
    pub(super) fn sync_inheritance(&mut self, turn: &mut Turn<'_>, slot: usize) {
        let partition = &self.slots[slot];
        if !partition.is_inherited {
            return;
        }
        let dir = self.dir_of(&partition.topic, partition.number);
        match storage::sync_segments(turn.disk, &dir) {
            Ok(()) => self.on_inheritance_synced(slot),
            Err(error) => {
                tracing::error!(%error, "the journal keeps the partition's records and is not freed until a restart");
                self.durability.is_pinned = true;
            }
        }
    }

    pub(super) fn on_journal(&mut self, turn: &mut Turn<'_>, completion: Completion, out: &mut Outbound) {
        if let Some(pushed_at) = self.durability.pushed_at.take() {
            self.durability.took.record(turn.now.since(pushed_at));
        }
        let Some(journal) = &mut self.durability.journal else { return };
        match journal.on_outcome(completion.outcome) {
            Ok(commits) => {
                for Commit { token, end } in commits {
                    let (slot, generation) = split(token);
                    let known = self.slots.get_mut(slot).filter(|known| known.generation == generation);
                    if let Some(Ok(log)) = known.map(|partition| &mut partition.log) {
                        let progress = log.on_journaled(end);
                        self.on_progress(slot, progress, out);
                    }
                }
            }
            Err(error) if !journal.is_ready() => {
                // Nothing was promised by it yet.
                tracing::error!(core = turn.shard.0, %error, "the journal cannot be made: every acks=all append syncs its segment instead");
                self.durability.journal = None;
            }
            Err(error) => {
                tracing::error!(core = turn.shard.0, %error, "the journal cannot be written: all partitions of this core are offline until a restart");
                for (_, partition) in &mut self.slots {
                    match &mut partition.log {
                        Ok(log) => drop(log.on_journal_failed(error)),
                        Err(NoLog::Offline(_)) => {}
                        // What waits for the log is told when its turn comes.
                        Err(no_log) => {
                            let why = format!("the core's journal cannot be written: {error}");
                            *no_log = NoLog::Offline(why);
                        }
                    }
                    partition.fail_appends(&format!("the core's journal cannot be written: {error}"), out);
                    partition.watches.wake(out);
                }
            }
        }
    }

    /// Whether the journal has anything that is not durable yet.
    pub(super) fn is_committing(&self) -> bool {
        self.durability.journal.as_ref().is_some_and(|journal| journal.has_flight() || journal.has_entries())
    }

    /// Now and then everything is synced.
    pub(super) fn on_sync_tick(&mut self, now: Nanos) {
        if now >= self.durability.synced_at.plus_ms(SYNC_INTERVAL_MS) {
            self.durability.synced_at = now;
            self.durability.is_due = !self.durability.unsynced.is_empty();
        }
    }

    /// Begins a checkpoint, or takes it on.
    pub(super) fn run_checkpoint(&mut self) {
        let Some(mut running) = self.durability.running.take().or_else(|| self.begin_checkpoint()) else {
            return;
        };
        let (mut failed, mut synced) = (Vec::new(), Vec::new());
        running.syncing.retain(|&(slot, generation, target)| {
            let known = self.slots.get(slot).filter(|known| known.generation == generation);
            let Some(Ok(log)) = known.map(|partition| &partition.log) else { return false };
            if log.offline().is_some() {
                failed.push(log.dir().display().to_string());
            }
            let is_waiting = log.offline().is_none() && log.synced_end() < target;
            if !is_waiting && log.offline().is_none() {
                synced.push(slot);
            }
            is_waiting
        });
        synced.into_iter().for_each(|slot| self.on_inheritance_synced(slot));
        for dir in failed {
            tracing::error!(
                dir,
                "a partition could not be synced: the journal keeps its records and is not freed until a restart"
            );
            self.durability.is_pinned = true;
        }
        while running.syncing.len() < SYNCS_MAX
            && let Some((slot, generation, target)) = running.waiting.pop()
        {
            let known = self.slots.get_mut(slot).filter(|known| known.generation == generation);
            if let Some(Ok(log)) = known.map(|partition| &mut partition.log) {
                log.request_checkpoint();
                running.syncing.push((slot, generation, target));
                self.list_if_dirty(slot);
            }
        }
        if !running.syncing.is_empty() || !running.waiting.is_empty() {
            self.durability.running = Some(running);
        } else if !self.durability.is_pinned
            && self.durability.inherited_count == 0
            && let Some(journal) = &mut self.durability.journal
        {
            journal.free_to(running.newest);
        }
    }

    fn begin_checkpoint(&mut self) -> Option<Checkpoint> {
        let is_full = self.is_journal_full();
        let is_due = std::mem::take(&mut self.durability.is_due);
        // What is inherited holds the journal until it is synced, which the next one that is due sees to.
        let is_held = self.durability.is_pinned || self.durability.inherited_count > 0;
        if !is_due && (!is_full || is_held) {
            return None;
        }
        let newest = self.durability.journal.as_ref().map_or(0, Journal::newest);
        let (mut waiting, mut later) = (Vec::new(), Vec::new());
        for (slot, generation) in std::mem::take(&mut self.durability.unsynced) {
            let known = self.slots.get_mut(slot).filter(|known| known.generation == generation);
            let Some(partition) = known else { continue };
            let Ok(log) = &partition.log else { continue };
            if is_due || log.is_journaled() {
                partition.is_unsynced = false;
                waiting.push((slot, generation, log.offsets().assigned));
            } else {
                later.push((slot, generation));
            }
        }
        self.durability.unsynced = later;
        Some(Checkpoint { newest, waiting, syncing: Vec::new() })
    }
}

/// The partition that a token of its operations names: slot and generation.
pub(super) fn split(token: Token) -> (usize, u32) {
    ((token.0 & u64::from(u32::MAX)) as usize, (token.0 >> 32) as u32 & GENERATION_MASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partitions_name_in_the_journal_names_it() {
        let id = PartitionId { topic_id: protocol::Uuid::from_u128(0x0102 << 100), partition: 77 };
        assert_eq!(partition_id(&log_id(&id)), id);
    }
}
