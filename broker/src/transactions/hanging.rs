//! Transactions that a log has open though their coordinator may have ended them: a loss of power takes what is in the page
//! cache only, and in a topic with `ringlog.durability=os` that may be a marker.
//!
//! Such a log names the transactions that it finds open when it is opened. All coordinators are asked for each; till they
//! have answered, the producer can append nothing there. What is alive goes on, what is known to be committed gets its marker
//! again, and all else is aborted: nobody must see what was not committed, and a lost record is what such a topic puts up with.

use std::collections::{BTreeMap, VecDeque};

use storage::{Marker, ProducerEpoch, ProducerId};

use super::ask::{Fate, Producer, TxnAnswer, TxnAsk, TxnQuestion};
use super::coordinator::Markers;
use super::markers::RETRY_MS;
use super::record::Partition;
use super::{Outbound, Partitions, TOPIC, TxnCoordinators, now_ms};
use crate::answer::Answer;
use crate::mail::{PartitionId, PendingId, Turn};

/// So many are looked into at a time.
const TRACES_MAX: usize = 16;

/// A transaction that a log has open and is not sure of.
#[derive(Debug, Clone)]
pub struct Unsure {
    /// The log's partition.
    pub id: PartitionId,
    /// The same by its topic's name.
    pub partition: Partition,
    /// Whose transaction it is.
    pub producer: Producer,
}

/// Questions about such transactions.
#[derive(Debug, Default)]
pub(super) struct Traces {
    asked: BTreeMap<u32, Trace>,
    /// To be asked, each not before this time, monotonic ms.
    waiting: VecDeque<(i64, Unsure)>,
}

/// One transaction that all coordinators are asked for.
#[derive(Debug)]
struct Trace {
    unsure: Unsure,
    /// Coordinators without an answer.
    left: usize,
    /// What was answered by the one that knows it.
    fate: Fate,
    /// Whether one could not be asked.
    has_failed: bool,
}

impl Traces {
    pub(super) fn next_retry(&self) -> Option<i64> {
        self.waiting.front().filter(|_| self.asked.len() < TRACES_MAX).map(|(at_ms, _)| *at_ms)
    }

    pub(super) fn is_asked(&self, round: u32) -> bool {
        self.asked.contains_key(&round)
    }
}

impl TxnCoordinators {
    /// Looks into what logs are not sure of.
    pub(super) fn trace_open(&mut self, turn: &Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        let now_ms = now_ms(turn);
        self.traces.waiting.extend(partitions.take_unsure().map(|unsure| (now_ms, unsure)));
        while self.traces.next_retry().is_some_and(|at_ms| at_ms <= now_ms) {
            let Some((_, unsure)) = self.traces.waiting.pop_front() else { return };
            self.trace(turn, partitions, unsure, out);
        }
    }

    fn trace(&mut self, turn: &Turn<'_>, partitions: &mut Partitions, unsure: Unsure, out: &mut Outbound) {
        let Some(image) = self.homes.image().cloned() else { return };
        let coordinators = image.topic(TOPIC).into_iter().flat_map(|topic| topic.partitions.iter().zip(0..));
        let ask = TxnAsk::Trace(unsure.producer, unsure.partition.clone());
        let questions: Vec<_> = coordinators
            .zip(0..)
            .map(|((meta, partition), number)| {
                (meta.home, TxnQuestion { number, partition, id: "".into(), ask: ask.clone() })
            })
            .collect();
        if questions.is_empty() {
            return self.conclude(partitions, unsure, Fate::Unknown);
        }
        let round = self.rounds.next_number();
        let trace = Trace { unsure, left: questions.len(), fate: Fate::Unknown, has_failed: false };
        self.traces.asked.insert(round, trace);
        out.traces.push((PendingId::internal(turn.shard, round), questions));
    }

    /// A coordinator has answered.
    pub(super) fn on_traced(
        &mut self,
        turn: &Turn<'_>,
        partitions: &mut Partitions,
        round: u32,
        answer: &Answer,
    ) {
        let Some(trace) = self.traces.asked.get_mut(&round) else { return };
        trace.left -= 1;
        match answer {
            Answer::Txn(Ok(TxnAnswer::Traced(Fate::Unknown))) => {}
            Answer::Txn(Ok(TxnAnswer::Traced(fate))) => trace.fate = *fate,
            _ => trace.has_failed = true,
        }
        if trace.left > 0 {
            return;
        }
        let Some(Trace { unsure, fate, has_failed, .. }) = self.traces.asked.remove(&round) else { return };
        match has_failed && fate == Fate::Unknown {
            true => self.traces.waiting.push_back((now_ms(turn) + RETRY_MS, unsure)),
            false => self.conclude(partitions, unsure, fate),
        }
    }

    fn conclude(&mut self, partitions: &mut Partitions, unsure: Unsure, fate: Fate) {
        let (topic, number) = (&unsure.partition.0, unsure.partition.1);
        let (producer, is_commit, bumps_epoch) = match fate {
            Fate::Alive => return partitions.settle(&unsure),
            Fate::Committed(marker) => (marker, true, true),
            Fate::Unknown | Fate::Over => (unsure.producer, false, false),
        };
        tracing::warn!(%topic, partition = number, producer = producer.id, is_commit, ?fate,
            "a transaction was left open by a loss of power: its marker is written again");
        // No coordinator of this core has an id without a name, so none is told.
        let markers =
            Markers { id: "".into(), producer, is_commit, bumps_epoch, partitions: vec![unsure.partition] };
        self.rounds.add(NO_HOME, markers);
    }
}

/// In place of a partition of `__transaction_state`.
const NO_HOME: i32 = -1;

impl Unsure {
    /// Whether a marker ends it.
    pub fn is_ended_by(&self, marker: &Marker) -> bool {
        ProducerId(self.producer.id) == marker.producer_id
            && ProducerEpoch(self.producer.epoch) <= marker.producer_epoch
    }
}
