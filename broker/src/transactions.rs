//! One core's transaction coordinators: one for each partition of `__transaction_state` that lives here.
//!
//! ```text
//! question ─► coordinator (pure) ─► records ─► the partition's log ─┐
//!                                └► replies and markers, parked ────┴─► answers; markers to the partitions ─► complete
//! ```
//! A coordinator is made by replaying its partition's log, a bounded slice at a time; until then its ids are answered
//! COORDINATOR_LOAD_IN_PROGRESS. Replies and markers wait for all that was written before them, so that nothing is told or
//! done that a crash could take back. A log that cannot be written takes its ids out of reach until a restart:
//! COORDINATOR_NOT_AVAILABLE, which clients retry (C43).

pub mod ask;
pub mod coordinator;
pub mod record;

mod load;
mod markers;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use protocol::ErrorCode;
use shard::{Nanos, ShardId};
use storage::Offset;
use storage::batch::BatchBuilder;

use crate::answer::Answer;
use crate::groups;
use crate::mail::{PartitionId, PendingId, Turn};
use crate::metadata::Image;
use crate::partition::{Outbound, Partitions};
use ask::{Addressed, TxnQuestion};
use coordinator::{Coordinator, Effects, Env, Markers};
use markers::MarkerRounds;

/// The topic that transactions are kept in.
pub const TOPIC: &str = "__transaction_state";

/// Records are split into batches of about this many bytes.
const BATCH_BYTES_MAX: usize = 512 << 10;

/// Which core has a transactional id, and in which partition.
pub fn home_of(image: &Image, id: &str) -> Result<(ShardId, i32), ErrorCode> {
    let topic = image.topic(TOPIC).ok_or(ErrorCode::CoordinatorNotAvailable)?;
    let partition = groups::partition_of(id, topic.partitions.len());
    let meta = topic.partition(partition).ok_or(ErrorCode::CoordinatorNotAvailable)?;
    Ok((meta.home, partition))
}

/// One core's coordinators.
#[derive(Debug, Default)]
pub struct TxnCoordinators {
    homes: BTreeMap<i32, Home>,
    /// The newest image, from which topics and settings are taken.
    image: Option<Arc<Image>>,
    /// When this core's timer for transactions is due.
    timer_at: Option<Nanos>,
    /// When the next look for what has expired begins, monotonic ms; and which partitions it has still to go through.
    expiry_ms: Option<i64>,
    expiring: Vec<i32>,
    rounds: MarkerRounds,
}

/// A coordinator and what it waits for.
#[derive(Debug)]
struct Home {
    id: PartitionId,
    phase: Phase,
    machine: Coordinator,
    /// Replies and markers that wait for the log to reach an offset, in the order of these.
    parked: VecDeque<(Offset, Parked)>,
    /// Where the log ends when all that was appended is in it.
    appended: Offset,
    /// Where the log is known to end.
    written: Offset,
}

#[derive(Debug)]
enum Parked {
    Reply(Addressed),
    Markers(Markers),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The log is being replayed, from this offset on.
    Loading(Offset),
    Active,
    /// The log cannot be read or written: its ids are out of reach until a restart.
    Failed,
}

impl TxnCoordinators {
    /// Makes the coordinators what the metadata says. Partitions must be open already.
    pub fn apply(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        after: &Arc<Image>,
        out: &mut Outbound,
    ) {
        self.image = Some(Arc::clone(after));
        let topic = after.topic(TOPIC);
        let is_same = |home: &Home| topic.is_some_and(|topic| topic.id == home.id.topic_id);
        let gone: Vec<i32> =
            self.homes.iter().filter(|(_, home)| !is_same(home)).map(|(number, _)| *number).collect();
        for number in gone {
            let mut home = self.homes.remove(&number).expect("it is one of them");
            home.refuse_parked(ErrorCode::NotCoordinator, out);
        }
        let Some(topic) = topic else { return };
        for (meta, number) in topic.partitions.iter().zip(0..) {
            if meta.home == turn.shard && !self.homes.contains_key(&number) {
                let id = PartitionId { topic_id: topic.id, partition: number };
                self.homes.insert(number, Home::new(id));
                self.load_slice(turn, partitions, number, out);
            }
        }
        self.set_timer(turn);
    }

    /// Takes questions in.
    pub fn on_ask(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        request: PendingId,
        questions: Vec<TxnQuestion>,
        out: &mut Outbound,
    ) {
        for TxnQuestion { number, partition, id, ask } in questions {
            let refused = match self.homes.get(&partition).map(|home| home.phase) {
                Some(Phase::Active) => None,
                Some(Phase::Loading(_)) => Some(ErrorCode::CoordinatorLoadInProgress),
                Some(Phase::Failed) => Some(ErrorCode::CoordinatorNotAvailable),
                None => Some(ErrorCode::NotCoordinator),
            };
            if let Some(error) = refused {
                out.answers.push((request, number, Answer::Txn(Err(error))));
                continue;
            }
            let to = (request, number);
            self.run(turn, partitions, partition, out, |machine, env| machine.on_ask(env, to, &id, ask));
        }
        self.set_timer(turn);
    }

    /// Runs a step of one coordinator: its records go to the log, its replies and markers wait for them.
    fn run(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        number: i32,
        out: &mut Outbound,
        step: impl FnOnce(&mut Coordinator, &Env<'_>) -> Effects,
    ) {
        let Some(image) = self.image.clone() else { return };
        let env = Env { now_ms: now_ms(turn), wall_ms: turn.wall_ms.0, settings: image.server.values() };
        let Some(home) = self.homes.get_mut(&number) else { return };
        let effects = step(&mut home.machine, &env);
        let is_appended = home.append(turn, partitions, &effects);
        let markers = effects.markers.into_iter().map(Parked::Markers);
        for parked in effects.replies.into_iter().map(Parked::Reply).chain(markers) {
            home.parked.push_back((home.appended, parked));
        }
        match is_appended {
            Ok(()) => self.release(turn, number, out),
            Err(()) => home.fail(out),
        }
    }

    fn active(&self) -> Vec<i32> {
        let active = self.homes.iter().filter(|(_, home)| home.phase == Phase::Active);
        active.map(|(number, _)| *number).collect()
    }

    /// Sends the replies and the markers whose records are in the log.
    fn release(&mut self, turn: &mut Turn<'_>, number: i32, out: &mut Outbound) {
        let Some(home) = self.homes.get_mut(&number) else { return };
        while home.parked.front().is_some_and(|(after, _)| *after <= home.written) {
            match home.parked.pop_front().expect("it was looked at just now").1 {
                Parked::Reply(((request, question), reply)) => {
                    out.answers.push((request, question, Answer::Txn(reply)));
                }
                Parked::Markers(markers) => self.rounds.add(number, markers),
            }
        }
        self.send_markers(turn, out);
    }

    /// A partition's log has grown, or has failed.
    pub fn on_log(
        &mut self,
        turn: &mut Turn<'_>,
        id: PartitionId,
        end: Result<Offset, ()>,
        out: &mut Outbound,
    ) {
        let Some(home) = self.homes.get_mut(&id.partition).filter(|home| home.id == id) else { return };
        match end {
            Ok(end) => {
                home.written = end;
                self.release(turn, id.partition, out);
            }
            Err(()) => home.fail(out),
        }
    }

    /// The timer has fired: does all that is due.
    pub fn on_timer(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        self.timer_at = None;
        let now_ms = now_ms(turn);
        for number in self.active() {
            while self.homes[&number].machine.next_deadline().is_some_and(|at_ms| at_ms <= now_ms)
                && self.homes[&number].phase == Phase::Active
            {
                self.run(turn, partitions, number, out, |machine, env| {
                    machine.on_time(env).unwrap_or_default()
                });
            }
        }
        self.rounds.retry(now_ms);
        self.send_markers(turn, out);
        self.set_timer(turn);
    }

    fn set_timer(&mut self, turn: &mut Turn<'_>) {
        let active = self.homes.values().filter(|home| home.phase == Phase::Active);
        let deadlines = active.filter_map(|home| home.machine.next_deadline());
        let Some(at_ms) = deadlines.chain(self.rounds.next_retry()).min() else { return };
        let at = Nanos((at_ms.max(0) as u64).saturating_mul(1_000_000));
        if self.timer_at.is_none_or(|known| at < known) {
            self.timer_at = Some(at);
            turn.timers.set(at, crate::broker::transactions_timer());
        }
    }

    /// Now and then: a slice of the look for what has expired.
    pub fn on_tick(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        let Some(image) = self.image.clone() else { return };
        let now_ms = now_ms(turn);
        let interval_ms =
            i64::from(image.server.values().transaction_remove_expired_transaction_cleanup_interval_ms());
        let due_ms = *self.expiry_ms.get_or_insert(now_ms + interval_ms);
        if self.expiring.is_empty() && now_ms >= due_ms {
            self.expiring = self.active();
            self.expiry_ms = Some(now_ms + interval_ms);
        }
        for number in std::mem::take(&mut self.expiring) {
            let mut is_done = true;
            self.run(turn, partitions, number, out, |machine, env| {
                let (effects, done) = machine.expire(env);
                is_done = done;
                effects
            });
            if !is_done {
                self.expiring.push(number);
            }
        }
    }

    /// A slice of loading; `true` if more is left.
    pub fn on_background(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        out: &mut Outbound,
    ) -> bool {
        let is_loading = |home: &Home| matches!(home.phase, Phase::Loading(_));
        let next = self.homes.iter().find(|(_, home)| is_loading(home)).map(|(number, _)| *number);
        let Some(number) = next else { return false };
        self.load_slice(turn, partitions, number, out);
        self.set_timer(turn);
        self.homes.values().any(is_loading)
    }

    /// How many transactional ids this core coordinates.
    pub fn id_count(&self) -> usize {
        self.homes.values().map(|home| home.machine.id_count()).sum()
    }
}

impl Home {
    fn new(id: PartitionId) -> Home {
        Home {
            id,
            phase: Phase::Loading(Offset::ZERO),
            machine: Coordinator::default(),
            parked: VecDeque::new(),
            appended: Offset::ZERO,
            written: Offset::ZERO,
        }
    }

    /// Appends a step's records, split into batches of a bounded size.
    fn append(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        effects: &Effects,
    ) -> Result<(), ()> {
        let mut records = effects.records.iter().peekable();
        while records.peek().is_some() {
            let (mut builder, mut size) = (BatchBuilder::new(), 0);
            while let Some(record) = records.next_if(|_| size < BATCH_BYTES_MAX) {
                let (key, value) = record.encode();
                size += key.len() + value.as_ref().map_or(0, Vec::len);
                builder = builder.record(turn.wall_ms.0, Some(&key), value.as_deref());
            }
            self.appended = partitions.append_own(turn, self.id, builder.build())?;
        }
        Ok(())
    }

    fn fail(&mut self, out: &mut Outbound) {
        tracing::error!(
            partition = self.id.partition,
            "transactions are out of reach: their partition of {TOPIC} is offline"
        );
        self.phase = Phase::Failed;
        self.refuse_parked(ErrorCode::CoordinatorNotAvailable, out);
    }

    /// Markers that were not sent are sent when the log is read again: it has what was decided, or nothing was.
    fn refuse_parked(&mut self, error: ErrorCode, out: &mut Outbound) {
        for (_, parked) in self.parked.drain(..) {
            if let Parked::Reply(((request, number), _)) = parked {
                out.answers.push((request, number, Answer::Txn(Err(error))));
            }
        }
    }
}

fn now_ms(turn: &Turn<'_>) -> i64 {
    (turn.now.0 / 1_000_000) as i64
}
