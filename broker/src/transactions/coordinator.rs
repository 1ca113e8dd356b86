//! The transactional ids of one partition of `__transaction_state`: a pure state machine,
//! `(now, input) → records + replies + markers`.
//!
//! What each request is answered in each state, by a client of version 1 | of version 2 (KIP-890). A change is applied
//! at once and answered when the log has it, so there is no state between. A test reads this table.
//!
//! | state          | init         | add          | verify       | commit                                       | abort                                     |
//! |----------------|--------------|--------------|--------------|----------------------------------------------|-------------------------------------------|
//! | none           | new          | 49           | 49           | 49                                           | 49                                        |
//! | Empty          | bump         | Ongoing      | 120          | 48                                           | 48 \| CompleteAbort                       |
//! | Ongoing        | 51, abort    | Ongoing      | ok           | PrepareCommit                                | PrepareAbort                              |
//! | PrepareCommit  | 51           | 51           | 51           | 51                                           | 48                                        |
//! | PrepareAbort   | 51           | 51           | 51           | 48                                           | 51                                        |
//! | CompleteCommit | bump         | Ongoing      | 120          | ok \| 48                                     | 48 \| CompleteAbort                       |
//! | CompleteAbort  | bump         | Ongoing      | 120          | 48                                           | ok \| CompleteAbort                       |
//!
//! 48 INVALID_TXN_STATE, 49 INVALID_PRODUCER_ID_MAPPING, 51 CONCURRENT_TRANSACTIONS, 120 TRANSACTION_ABORTABLE. A producer of
//! another id is answered 49, of another epoch PRODUCER_FENCED. The last two columns are what a request that was not made
//! before is answered; a repetition of the one that brought the state about is told apart by its epoch in version 2 (the one
//! before), and is answered 51 while markers are being written, and success after that.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use protocol::ErrorCode;
use shard::WallMs;

use super::ask::{
    Add, Addressed, Described, Fate, Filter, Init, Listed, Producer, TxnAnswer, TxnAsk, TxnReply,
};
use super::commits::Commits;
use super::facts::TxnCounts;
use super::record::{Partition, Record, Saved, State};
use crate::config::ServerValues;
use crate::homes::ReplyTo;

#[path = "end.rs"]
mod end;

/// From this version of transactions on each transaction has an epoch of its own.
pub const BUMPS_EPOCH_FROM: i16 = 2;
/// A producer of this epoch gets another id next: the epoch above is for fencing it (Q46).
const EPOCH_MAX: i16 = i16::MAX - 1;
const NO_EPOCH: i16 = -1;
const NO_PRODUCER: i64 = -1;
/// Requests that wait for markers, one id; each has a connection of its own.
const WAITING_MAX: usize = 64;
/// How long they wait.
const WAIT_MS: i64 = 1000;
/// How many ids one look for what has expired goes through.
const EXPIRY_SLICE: usize = 1024;

/// What a step may know besides its input.
#[derive(Debug, Clone, Copy)]
pub struct Env<'a> {
    /// Monotonic time in ms: for deadlines.
    pub now_ms: i64,
    /// Calendar time in ms: for what is written down.
    pub wall_ms: i64,
    /// The settings in force.
    pub settings: &'a ServerValues,
}

/// What comes of a step. Replies and markers may go out when the records are in the log.
#[derive(Debug, Default)]
pub struct Effects {
    /// To be appended, in this order, together.
    pub records: Vec<Record>,
    /// To be sent.
    pub replies: Vec<Addressed>,
    /// To be written to the partitions.
    pub markers: Vec<Markers>,
}

/// The markers of one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markers {
    /// The transactional id.
    pub id: Arc<str>,
    /// Its producer; the epoch is the one that the marker brings.
    pub producer: Producer,
    /// Whether it is committed.
    pub is_commit: bool,
    /// Whether the epoch is a new one (version 2).
    pub bumps_epoch: bool,
    /// Where they go.
    pub partitions: Vec<Partition>,
}

/// One transactional id.
#[derive(Debug)]
struct Txn {
    saved: Saved,
    /// Not in the log either, but made of its records as far as they are there.
    commits: Commits,
    /// The epoch before, as far as the producer that has it may still ask for the bump again (KIP-360). Not in the log.
    last_epoch: i16,
    /// Partitions that have no marker yet.
    unmarked: BTreeSet<Partition>,
    /// Requests that wait for that.
    waiting: Vec<(ReplyTo, TxnAsk)>,
    /// When the open transaction has lasted too long, or those that wait have: monotonic ms.
    deadline_ms: Option<i64>,
}

/// The transactional ids of one partition.
#[derive(Debug, Default)]
pub struct Coordinator {
    txns: BTreeMap<Arc<str>, Txn>,
    deadlines: BTreeSet<(i64, Arc<str>)>,
    /// Where the look for what has expired goes on; `None` between two of them.
    expiry_at: Option<Arc<str>>,
    /// How many transactions have ended since it was made: committed, aborted, and aborted for their age.
    ended: Ended,
}

/// Transactions that have ended.
#[derive(Debug, Clone, Copy, Default)]
struct Ended {
    committed: u64,
    aborted: u64,
    timed_out: u64,
}

impl Coordinator {
    // --- replay -------------------------------------------------------------------------------------------------------

    /// Takes a record of the log in.
    pub fn apply(&mut self, record: Record) {
        match record.saved {
            Some(saved) => {
                let commits = self.txns.get(&record.id).map(|txn| txn.commits).unwrap_or_default();
                let mut txn = Txn {
                    saved,
                    commits,
                    last_epoch: NO_EPOCH,
                    unmarked: BTreeSet::new(),
                    waiting: Vec::new(),
                    deadline_ms: None,
                };
                txn.note_commit();
                self.txns.insert(record.id, txn);
            }
            None => _ = self.txns.remove(&record.id),
        }
    }

    /// The whole log has been taken in: what was being ended is ended now, and what is open has its time.
    pub fn on_loaded(&mut self, env: &Env<'_>) -> Effects {
        let mut effects = Effects::default();
        for id in self.txns.keys().cloned().collect::<Vec<_>>() {
            let saved = &self.txns[&id].saved;
            match saved.state {
                State::Ongoing => {
                    let timeout_ms = i64::from(saved.timeout_ms);
                    let left_ms = saved.start_ms.saturating_add(timeout_ms).saturating_sub(env.wall_ms);
                    self.set_deadline(&id, Some(env.now_ms + left_ms.clamp(0, timeout_ms.max(0))));
                }
                State::PrepareCommit | State::PrepareAbort => self.send_markers(env, &id, &mut effects),
                State::Empty | State::CompleteCommit | State::CompleteAbort => {}
                State::Dead | State::PrepareEpochFence => unreachable!("no live id is saved in such a state"),
            }
        }
        effects
    }

    // --- requests -----------------------------------------------------------------------------------------------------

    /// Takes a question about an id.
    pub fn on_ask(&mut self, env: &Env<'_>, to: ReplyTo, id: &Arc<str>, ask: TxnAsk) -> Effects {
        let mut effects = Effects::default();
        self.answer(env, to, id, ask, &mut effects);
        effects
    }

    fn answer(&mut self, env: &Env<'_>, to: ReplyTo, id: &Arc<str>, ask: TxnAsk, effects: &mut Effects) {
        let reply = match &ask {
            TxnAsk::Init(init) => self.init(env, id, init, effects),
            TxnAsk::Add(add) => {
                let reply = self.add(env, id, add, effects);
                if reply == Err(ErrorCode::ConcurrentTransactions) && add.may_wait {
                    return self.wait(env, to, id, ask, effects);
                }
                reply
            }
            TxnAsk::Verify(producer, partitions) => self.verify(id, *producer, partitions),
            TxnAsk::End(end) => self.end(env, id, end, effects),
            TxnAsk::Trace(producer, partition) => Ok(TxnAnswer::Traced(self.trace(*producer, partition))),
            TxnAsk::Describe => self.describe(id),
            TxnAsk::List(filter) => Ok(TxnAnswer::Listed(self.list(env, filter))),
        };
        effects.replies.push((to, reply));
    }

    /// Keeps a request until the markers of the transaction before are written, for a short while.
    fn wait(&mut self, env: &Env<'_>, to: ReplyTo, id: &Arc<str>, ask: TxnAsk, effects: &mut Effects) {
        let txn = self.txns.get_mut(id).expect("an id that is being ended is there");
        if txn.waiting.len() >= WAITING_MAX {
            effects.replies.push((to, Err(ErrorCode::ConcurrentTransactions)));
            return;
        }
        txn.waiting.push((to, ask));
        if txn.waiting.len() == 1 {
            self.set_deadline(id, Some(env.now_ms + WAIT_MS));
        }
    }

    /// InitProducerId (KIP-360, Q46): an open transaction is aborted first, and the client asks again.
    fn init(&mut self, env: &Env<'_>, id: &Arc<str>, init: &Init, effects: &mut Effects) -> TxnReply {
        let Some(txn) = self.txns.get(id) else { return self.init_new(env, id, init, effects) };
        let saved = &txn.saved;
        if let Some(expected) = init.expected {
            let is_successor = expected.id == saved.previous_producer_id && expected.epoch >= EPOCH_MAX;
            if expected.id != saved.producer_id && !is_successor {
                return Err(ErrorCode::ProducerFenced);
            }
        }
        let expected_epoch = init.expected.map(|expected| expected.epoch);
        match saved.state {
            State::PrepareCommit | State::PrepareAbort => return Err(ErrorCode::ConcurrentTransactions),
            State::Ongoing => {
                if expected_epoch.is_some_and(|epoch| epoch != saved.producer_epoch) {
                    return Err(ErrorCode::ProducerFenced);
                }
                self.fence(env, id, effects);
                return Err(ErrorCode::ConcurrentTransactions);
            }
            State::Empty | State::CompleteCommit | State::CompleteAbort => {}
            State::Dead | State::PrepareEpochFence => unreachable!("an id is never in such a state here"),
        }
        let (old_id, old_epoch) = (saved.producer_id, saved.producer_epoch);
        if old_epoch >= EPOCH_MAX && expected_epoch.is_none_or(|epoch| epoch == old_epoch) {
            let Some(fresh_id) = init.fresh_id else { return Ok(TxnAnswer::NeedsProducerId) };
            let last_epoch = expected_epoch.map_or(NO_EPOCH, |_| old_epoch);
            return Ok(self.restart(env, id, init, last_epoch, effects, |saved| {
                (saved.previous_producer_id, saved.producer_id, saved.producer_epoch) = (old_id, fresh_id, 0);
            }));
        }
        match expected_epoch {
            None => Ok(self.restart(env, id, init, NO_EPOCH, effects, |saved| saved.producer_epoch += 1)),
            Some(epoch) if epoch == old_epoch => {
                Ok(self.restart(env, id, init, old_epoch, effects, |saved| saved.producer_epoch += 1))
            }
            // The bump was made, and its answer was lost.
            Some(epoch) if epoch == txn.last_epoch => Ok(self.restart(env, id, init, epoch, effects, |_| {})),
            Some(_) => Err(ErrorCode::ProducerFenced),
        }
    }

    fn init_new(&mut self, env: &Env<'_>, id: &Arc<str>, init: &Init, effects: &mut Effects) -> TxnReply {
        let Some(fresh_id) = init.fresh_id else { return Ok(TxnAnswer::NeedsProducerId) };
        let saved = Saved {
            producer_id: fresh_id,
            previous_producer_id: NO_PRODUCER,
            next_producer_id: NO_PRODUCER,
            producer_epoch: 0,
            timeout_ms: init.timeout_ms,
            state: State::Empty,
            partitions: BTreeSet::new(),
            update_ms: env.wall_ms,
            start_ms: -1,
            version: 0,
        };
        self.apply(Record { id: id.clone(), saved: Some(saved) });
        self.record(id, effects);
        Ok(TxnAnswer::Producer(Producer { id: fresh_id, epoch: 0 }))
    }

    fn restart(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        init: &Init,
        last_epoch: i16,
        effects: &mut Effects,
        change: impl FnOnce(&mut Saved),
    ) -> TxnAnswer {
        let txn = self.txns.get_mut(id).expect("it was found before");
        let saved = &mut txn.saved;
        change(saved);
        saved.state = State::Empty;
        saved.timeout_ms = init.timeout_ms;
        saved.partitions.clear();
        (saved.start_ms, saved.update_ms) = (-1, env.wall_ms);
        txn.last_epoch = last_epoch;
        let producer = Producer { id: saved.producer_id, epoch: saved.producer_epoch };
        self.record(id, effects);
        TxnAnswer::Producer(producer)
    }

    /// AddPartitionsToTxn (Q47): the first partitions begin a transaction.
    fn add(&mut self, env: &Env<'_>, id: &Arc<str>, add: &Add, effects: &mut Effects) -> TxnReply {
        let txn = self.txns.get_mut(id).ok_or(ErrorCode::InvalidProducerIdMapping)?;
        txn.check_producer(add.producer)?;
        let is_open = txn.saved.state == State::Ongoing;
        let known = &mut txn.saved.partitions;
        if is_open && add.partitions.iter().all(|partition| known.contains(partition)) {
            return Ok(TxnAnswer::Done);
        }
        known.extend(add.partitions.iter().cloned());
        txn.saved.state = State::Ongoing;
        txn.saved.version = add.version;
        txn.saved.update_ms = env.wall_ms;
        if !is_open {
            txn.saved.start_ms = env.wall_ms;
            let deadline_ms = env.now_ms + i64::from(txn.saved.timeout_ms);
            self.set_deadline(id, Some(deadline_ms));
        }
        self.record(id, effects);
        Ok(TxnAnswer::Done)
    }

    /// Whether partitions are in the open transaction (KIP-890, Q53).
    fn verify(&self, id: &Arc<str>, producer: Producer, partitions: &[Partition]) -> TxnReply {
        let txn = self.txns.get(id).ok_or(ErrorCode::InvalidProducerIdMapping)?;
        txn.check_producer(producer)?;
        let known = &txn.saved.partitions;
        let one = |partition| match known.contains(partition) {
            true => ErrorCode::None,
            false => ErrorCode::TransactionAbortable,
        };
        Ok(TxnAnswer::PerPartition(partitions.iter().map(one).collect()))
    }

    /// What becomes of a transaction that a partition has open. Ids are not found by their producers, and this is rare.
    fn trace(&self, producer: Producer, partition: &Partition) -> Fate {
        let is_of =
            |txn: &&Txn| [txn.saved.producer_id, txn.saved.previous_producer_id].contains(&producer.id);
        self.txns.values().find(is_of).map_or(Fate::Unknown, |txn| txn.fate_of(producer, partition))
    }

    fn describe(&self, id: &Arc<str>) -> TxnReply {
        let saved = &self.txns.get(id).ok_or(ErrorCode::TransactionalIdNotFound)?.saved;
        Ok(TxnAnswer::Described(Described {
            state: saved.state,
            timeout_ms: saved.timeout_ms,
            start_ms: saved.start_ms,
            producer: Producer { id: saved.producer_id, epoch: saved.producer_epoch },
            partitions: saved.partitions.iter().cloned().collect(),
        }))
    }

    fn list(&self, env: &Env<'_>, filter: &Filter) -> Vec<Listed> {
        let fits = |id: &str, saved: &Saved| {
            let age_ms = env.wall_ms.saturating_sub(saved.start_ms);
            (filter.states.is_empty() || filter.states.contains(&saved.state))
                && (filter.producers.is_empty() || filter.producers.contains(&saved.producer_id))
                && (filter.duration_ms < 0 || age_ms > filter.duration_ms)
                && filter.pattern.as_ref().is_none_or(|pattern| pattern.is_match(id))
        };
        let fitting = self.txns.iter().filter(|(id, txn)| fits(id, &txn.saved));
        let listed = fitting.map(|(id, txn)| Listed {
            id: id.clone(),
            producer_id: txn.saved.producer_id,
            state: txn.saved.state,
        });
        listed.collect()
    }

    /// Writes down what an id is now.
    fn record(&self, id: &Arc<str>, effects: &mut Effects) {
        effects.records.push(Record { id: id.clone(), saved: Some(self.txns[id].saved.clone()) });
    }

    // --- time ---------------------------------------------------------------------------------------------------------

    /// When something has to be done though nobody asks, monotonic ms.
    pub fn next_deadline(&self) -> Option<i64> {
        self.deadlines.first().map(|(at_ms, _)| *at_ms)
    }

    fn set_deadline(&mut self, id: &Arc<str>, at_ms: Option<i64>) {
        let txn = self.txns.get_mut(id).expect("only known ids have deadlines");
        if let Some(known) = std::mem::replace(&mut txn.deadline_ms, at_ms) {
            self.deadlines.remove(&(known, id.clone()));
        }
        self.deadlines.extend(at_ms.map(|at_ms| (at_ms, id.clone())));
    }

    /// Does what is due first: aborts a transaction that is open for too long (Q50), or sends those away who wait.
    pub fn on_time(&mut self, env: &Env<'_>) -> Option<Effects> {
        let (at_ms, id) = self.deadlines.first()?.clone();
        if at_ms > env.now_ms {
            return None;
        }
        let mut effects = Effects::default();
        self.set_deadline(&id, None);
        let txn = self.txns.get_mut(&id).expect("only known ids have deadlines");
        let waiting = std::mem::take(&mut txn.waiting);
        effects
            .replies
            .extend(waiting.into_iter().map(|(to, _)| (to, Err(ErrorCode::ConcurrentTransactions))));
        if txn.saved.state == State::Ongoing {
            self.ended.timed_out += 1;
            tracing::info!(%id, timeout_ms = txn.saved.timeout_ms, "a transaction is aborted: it was open for too long");
            self.fence(env, &id, &mut effects);
        }
        Some(effects)
    }

    /// Looks through some ids for those that were not used for `transactional.id.expiration.ms`; `true` at the end.
    pub fn expire(&mut self, env: &Env<'_>) -> (Effects, bool) {
        let mut effects = Effects::default();
        let after = self.expiry_at.take().map_or(Bound::Unbounded, Bound::Excluded);
        let range = self.txns.range((after, Bound::Unbounded)).take(EXPIRY_SLICE);
        let ids: Vec<Arc<str>> = range.map(|(id, _)| id.clone()).collect();
        for id in &ids {
            let saved = &self.txns[id].saved;
            let is_idle = matches!(saved.state, State::Empty | State::CompleteCommit | State::CompleteAbort);
            let idle_ms = env.wall_ms.saturating_sub(saved.update_ms);
            if is_idle && idle_ms >= i64::from(env.settings.transactional_id_expiration_ms()) {
                self.set_deadline(id, None);
                self.txns.remove(id);
                effects.records.push(Record { id: id.clone(), saved: None });
            }
        }
        self.expiry_at = if ids.len() == EXPIRY_SLICE { ids.last().cloned() } else { None };
        let is_done = self.expiry_at.is_none();
        (effects, is_done)
    }

    /// How many ids there are.
    pub fn id_count(&self) -> usize {
        self.txns.len()
    }

    /// Counts ids behind `after`; the last one if there are more, and what has ended if there are none.
    pub fn facts(&self, after: Option<&Arc<str>>, now: WallMs, counts: &mut TxnCounts) -> Option<Arc<str>> {
        let after = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.clone()));
        let mut left = EXPIRY_SLICE;
        for (id, txn) in self.txns.range((after, Bound::Unbounded)) {
            counts.see(txn.saved.state, txn.saved.start_ms, txn.saved.timeout_ms, now);
            left -= 1;
            if left == 0 {
                return Some(Arc::clone(id));
            }
        }
        counts.committed += self.ended.committed;
        counts.aborted += self.ended.aborted;
        counts.timed_out += self.ended.timed_out;
        None
    }
}

impl Txn {
    /// Whether it is the producer's epoch, and one that producers are told: the last of all only fences.
    fn is_told(&self, epoch: i16) -> bool {
        epoch == self.saved.producer_epoch && epoch <= EPOCH_MAX
    }

    /// Whether a producer is the one that has the id, and may go on with its transaction.
    fn check_producer(&self, producer: Producer) -> Result<(), ErrorCode> {
        let is_ending = matches!(self.saved.state, State::PrepareCommit | State::PrepareAbort);
        // With its last epoch used up it has been told its next id before it is that.
        if is_ending && self.saved.next_producer_id == producer.id {
            return Err(ErrorCode::ConcurrentTransactions);
        }
        if producer.id != self.saved.producer_id {
            return Err(ErrorCode::InvalidProducerIdMapping);
        }
        if !self.is_told(producer.epoch) {
            return Err(ErrorCode::ProducerFenced);
        }
        if is_ending { Err(ErrorCode::ConcurrentTransactions) } else { Ok(()) }
    }
}

#[cfg(test)]
#[path = "coordinator/tests.rs"]
mod tests;
