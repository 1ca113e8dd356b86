//! How transactions end: prepared, marked everywhere, complete.
//!
//! ```text
//! Ongoing ─ EndTxn, a fence, a timeout ─► Prepare*, in the log ─► markers ─► Complete*, in the log
//! ```
//! EndTxn is answered when the decision is in the log, before the markers are written (Q49).

use std::sync::Arc;

use protocol::ErrorCode;

use super::super::ask::{End, Fate, Producer, TxnAnswer, TxnReply};
use super::super::record::{Partition, State};
use super::{BUMPS_EPOCH_FROM, Coordinator, EPOCH_MAX, Effects, Env, Markers, NO_EPOCH, NO_PRODUCER, Txn};

/// Whether a request ends something now, or what it is answered.
enum Decision {
    Prepare,
    Answer(TxnReply),
}

impl Coordinator {
    /// EndTxn (Q49, C39).
    pub(super) fn end(&mut self, env: &Env<'_>, id: &Arc<str>, end: &End, effects: &mut Effects) -> TxnReply {
        let txn = self.txns.get(id).ok_or(ErrorCode::InvalidProducerIdMapping)?;
        let decision = match end.version >= BUMPS_EPOCH_FROM {
            true => txn.decide_v2(end),
            false => txn.decide_v1(end),
        };
        match decision {
            Decision::Answer(reply) => return reply,
            Decision::Prepare => {}
        }
        let mut next_producer_id = NO_PRODUCER;
        if end.version >= BUMPS_EPOCH_FROM && txn.saved.producer_epoch >= EPOCH_MAX {
            let Some(fresh_id) = end.fresh_id else { return Ok(TxnAnswer::NeedsProducerId) };
            next_producer_id = fresh_id;
        }
        let txn = self.txns.get_mut(id).expect("it was found before");
        let saved = &mut txn.saved;
        saved.version = end.version;
        saved.next_producer_id = next_producer_id;
        if end.version >= BUMPS_EPOCH_FROM {
            txn.last_epoch = saved.producer_epoch;
            saved.producer_epoch += 1;
        }
        if saved.state != State::Ongoing {
            // Nothing was begun: an abort of nothing begins and ends now.
            saved.partitions.clear();
            saved.start_ms = env.wall_ms;
        }
        let producer = txn.producer_to_be();
        self.prepare(env, id, end.is_commit, effects);
        Ok(TxnAnswer::Producer(producer))
    }

    /// Aborts an open transaction without its producer, which is fenced: nobody is ever told this epoch.
    pub(super) fn fence(&mut self, env: &Env<'_>, id: &Arc<str>, effects: &mut Effects) {
        let txn = self.txns.get_mut(id).expect("an open transaction is there");
        assert!(txn.saved.state == State::Ongoing);
        txn.saved.producer_epoch = txn.saved.producer_epoch.saturating_add(1);
        txn.last_epoch = NO_EPOCH;
        // The producer did not end it, so it must not be told that it did when it tries to: as in version 1.
        txn.saved.version = txn.saved.version.min(BUMPS_EPOCH_FROM - 1);
        self.prepare(env, id, false, effects);
    }

    fn prepare(&mut self, env: &Env<'_>, id: &Arc<str>, is_commit: bool, effects: &mut Effects) {
        self.set_deadline(id, None);
        let txn = self.txns.get_mut(id).expect("it was found before");
        txn.saved.state = if is_commit { State::PrepareCommit } else { State::PrepareAbort };
        txn.saved.update_ms = env.wall_ms;
        txn.note_commit();
        self.record(id, effects);
        self.send_markers(env, id, effects);
    }

    /// Sends the markers of a transaction that is decided; one without partitions is complete at once.
    pub(super) fn send_markers(&mut self, env: &Env<'_>, id: &Arc<str>, effects: &mut Effects) {
        let txn = self.txns.get_mut(id).expect("it was found before");
        txn.unmarked = txn.saved.partitions.clone();
        if txn.unmarked.is_empty() {
            return self.complete(env, id, effects);
        }
        let saved = &txn.saved;
        effects.markers.push(Markers {
            id: id.clone(),
            producer: Producer { id: saved.producer_id, epoch: saved.producer_epoch },
            is_commit: saved.state == State::PrepareCommit,
            bumps_epoch: saved.version >= BUMPS_EPOCH_FROM,
            partitions: saved.partitions.iter().cloned().collect(),
        });
    }

    /// A partition has its marker, or needs none any more.
    pub fn on_marked(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        producer: Producer,
        partition: &Partition,
    ) -> Effects {
        let mut effects = Effects::default();
        let Some(txn) = self.txns.get_mut(id) else { return effects };
        let saved = &txn.saved;
        let is_meant = (saved.producer_id, saved.producer_epoch) == (producer.id, producer.epoch)
            && matches!(saved.state, State::PrepareCommit | State::PrepareAbort);
        if is_meant && txn.unmarked.remove(partition) && txn.unmarked.is_empty() {
            self.complete(env, id, &mut effects);
        }
        effects
    }

    fn complete(&mut self, env: &Env<'_>, id: &Arc<str>, effects: &mut Effects) {
        let txn = self.txns.get_mut(id).expect("it was found before");
        let saved = &mut txn.saved;
        saved.state = match saved.state {
            State::PrepareCommit => State::CompleteCommit,
            State::PrepareAbort => State::CompleteAbort,
            other => unreachable!("a transaction that is {} cannot become complete", other.name()),
        };
        match saved.state {
            State::CompleteCommit => self.ended.committed += 1,
            _ => self.ended.aborted += 1,
        }
        saved.partitions.clear();
        saved.update_ms = env.wall_ms;
        if saved.next_producer_id != NO_PRODUCER {
            saved.previous_producer_id = saved.producer_id;
            (saved.producer_id, saved.producer_epoch) = (saved.next_producer_id, 0);
            saved.next_producer_id = NO_PRODUCER;
        }
        let waiting = std::mem::take(&mut txn.waiting);
        self.set_deadline(id, None);
        self.record(id, effects);
        for (to, ask) in waiting {
            self.answer(env, to, id, ask, effects);
        }
    }
}

impl Txn {
    /// Remembers a commit of version 2, in case that a partition loses its marker.
    pub(super) fn note_commit(&mut self) {
        let is_commit = matches!(self.saved.state, State::PrepareCommit | State::CompleteCommit);
        // An epoch of 0 is that of a new id, which its marker did not have.
        if is_commit && self.saved.version >= BUMPS_EPOCH_FROM && self.saved.producer_epoch > 0 {
            self.commits.note(Producer { id: self.saved.producer_id, epoch: self.saved.producer_epoch });
        }
    }

    /// What the producer is once its transaction has ended.
    fn producer_to_be(&self) -> Producer {
        match self.saved.next_producer_id {
            NO_PRODUCER => Producer { id: self.saved.producer_id, epoch: self.saved.producer_epoch },
            next => Producer { id: next, epoch: 0 },
        }
    }

    /// What becomes of this id's transaction that is open in a partition. In version 1 an epoch is that of many transactions:
    /// what is said to be alive may then be the next one, and what is over any of them.
    pub(super) fn fate_of(&self, producer: Producer, partition: &Partition) -> Fate {
        let saved = &self.saved;
        let is_own = producer.id == saved.producer_id && saved.partitions.contains(partition);
        let is_alive = match saved.state {
            State::Ongoing => producer.epoch == saved.producer_epoch,
            State::PrepareCommit | State::PrepareAbort => producer.epoch <= saved.producer_epoch,
            State::Empty
            | State::CompleteCommit
            | State::CompleteAbort
            | State::Dead
            | State::PrepareEpochFence => false,
        };
        let marker = Producer { id: producer.id, epoch: producer.epoch.saturating_add(1) };
        if self.commits.has(marker) {
            return Fate::Committed(marker);
        }
        if is_own && is_alive { Fate::Alive } else { Fate::Over }
    }

    fn decide_v1(&self, end: &End) -> Decision {
        let error = |error| Decision::Answer(Err(error));
        if end.producer.id != self.saved.producer_id {
            return error(ErrorCode::InvalidProducerIdMapping);
        }
        if !self.is_told(end.producer.epoch) {
            return error(ErrorCode::ProducerFenced);
        }
        match (self.saved.state, end.is_commit) {
            (State::Ongoing, _) => Decision::Prepare,
            (State::CompleteCommit, true) | (State::CompleteAbort, false) => {
                Decision::Answer(Ok(TxnAnswer::Producer(self.producer_to_be())))
            }
            (State::PrepareCommit, true) | (State::PrepareAbort, false) => {
                error(ErrorCode::ConcurrentTransactions)
            }
            (State::Empty, _)
            | (State::PrepareCommit | State::CompleteCommit, false)
            | (State::PrepareAbort | State::CompleteAbort, true) => error(ErrorCode::InvalidTxnState),
            (State::Dead | State::PrepareEpochFence, _) => {
                unreachable!("an id is never in such a state here")
            }
        }
    }

    /// In version 2 the epoch tells a repetition from the next request: the one before the bump is the repetition.
    fn decide_v2(&self, end: &End) -> Decision {
        let error = |error| Decision::Answer(Err(error));
        let saved = &self.saved;
        let (id, epoch) = (end.producer.id, end.producer.epoch);
        let is_complete = matches!(saved.state, State::CompleteCommit | State::CompleteAbort);
        let is_ending = matches!(saved.state, State::PrepareCommit | State::PrepareAbort);
        let was_bumped = saved.version >= BUMPS_EPOCH_FROM;
        let has_new_id = is_complete
            && was_bumped
            && id == saved.previous_producer_id
            && epoch == EPOCH_MAX
            && saved.producer_epoch == 0;
        let is_one_before = epoch.checked_add(1) == Some(saved.producer_epoch);
        let is_repeated = has_new_id || (is_complete || is_ending) && was_bumped && is_one_before;
        if is_ending && id == saved.next_producer_id {
            return error(ErrorCode::ConcurrentTransactions);
        }
        if id != saved.producer_id && !has_new_id {
            return error(ErrorCode::InvalidProducerIdMapping);
        }
        if !is_repeated && !self.is_told(epoch) {
            return error(ErrorCode::ProducerFenced);
        }
        match (saved.state, end.is_commit) {
            (State::Ongoing, _) => Decision::Prepare,
            (State::PrepareCommit, true) | (State::PrepareAbort, false) => {
                error(ErrorCode::ConcurrentTransactions)
            }
            (State::PrepareCommit, false) | (State::PrepareAbort, true) => error(ErrorCode::InvalidTxnState),
            (State::CompleteCommit, true) | (State::CompleteAbort, false) if is_repeated => {
                Decision::Answer(Ok(TxnAnswer::Producer(self.producer_to_be())))
            }
            (State::Empty | State::CompleteCommit | State::CompleteAbort, false) if !is_repeated => {
                Decision::Prepare
            }
            (State::Empty | State::CompleteCommit | State::CompleteAbort, _) => {
                error(ErrorCode::InvalidTxnState)
            }
            (State::Dead | State::PrepareEpochFence, _) => {
                unreachable!("an id is never in such a state here")
            }
        }
    }
}
