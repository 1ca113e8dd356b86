//! One core's group coordinators: one for each partition of `__consumer_offsets` that lives here.
//!
//! ```text
//! question ─► coordinator (pure) ─► records ─► the partition's log ─┐
//!                                └► replies, parked ────────────────┴─► answers, once the log has the records
//! ```
//! A coordinator is made by replaying its partition's log, a bounded slice at a time; until then its groups are answered
//! COORDINATOR_LOAD_IN_PROGRESS. Every reply waits for all that was written before it, so that nobody is told what a
//! crash could take back.

pub mod ask;
pub mod classic;
pub mod consumer;
pub mod coordinator;
pub mod record;
pub mod step;

mod load;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use protocol::{ErrorCode, Uuid};
use shard::random::Random;
use shard::{Nanos, ShardId};
use storage::batch::BatchBuilder;
use storage::{Marker, Offset, ProducerEpoch, ProducerId, Sequence};

use crate::answer::Answer;
use crate::mail::{PartitionId, PendingId, Turn};
use crate::metadata::Image;
use crate::partition::{Outbound, OwnTransaction, Partitions};
use ask::{GroupAnswer, GroupAsk, GroupQuestion, GroupReply, ReplyTo, TxnCommit};
use coordinator::Coordinator;
use step::{Effects, Env};

/// The topic that groups are kept in.
pub const TOPIC: &str = "__consumer_offsets";

/// The client that is the broker itself: its batches name no producer, and records are split into batches of about this
/// many bytes.
const BATCH_BYTES_MAX: usize = 512 << 10;

/// The bit of a batch that belongs to a transaction.
const TRANSACTIONAL: i16 = 1 << 4;

/// Which partition of `partition_count` has a group: the hash of Java's strings, which counts UTF-16 units (Q79).
pub fn partition_of(group: &str, partition_count: usize) -> i32 {
    let hash =
        group.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    // Kafka's absolute value of the smallest number is 0.
    let hash = if hash == i32::MIN { 0 } else { hash.abs() };
    hash % i32::try_from(partition_count.max(1)).unwrap_or(i32::MAX)
}

/// Which core has a group, and in which partition.
pub fn home_of(image: &Image, group: &str) -> Result<(ShardId, i32), ErrorCode> {
    let topic = image.topic(TOPIC).ok_or(ErrorCode::CoordinatorNotAvailable)?;
    let partition = partition_of(group, topic.partitions.len());
    let meta = topic.partition(partition).ok_or(ErrorCode::CoordinatorNotAvailable)?;
    Ok((meta.home, partition))
}

/// One core's coordinators.
#[derive(Debug, Default)]
pub struct GroupCoordinators {
    homes: BTreeMap<i32, Home>,
    /// The newest image, from which topics and settings are taken.
    image: Option<Arc<Image>>,
    /// When this core's timer for groups is due.
    timer_at: Option<Nanos>,
    /// When the next look for what has expired begins, monotonic ms; and which partitions it has still to go through.
    expiry_ms: Option<i64>,
    expiring: BTreeSet<i32>,
    id_count: u64,
}

/// A coordinator and what it waits for.
#[derive(Debug)]
struct Home {
    id: PartitionId,
    phase: Phase,
    machine: Coordinator,
    /// Replies that wait for the log to reach an offset, in the order of these.
    parked: VecDeque<(Offset, ReplyTo, GroupReply)>,
    /// Where the log ends when all that was appended is in it.
    appended: Offset,
    /// Where the log is known to end.
    written: Offset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The log is being replayed, from this offset on.
    Loading(Offset),
    Active,
    /// The log cannot be read or written: its groups are out of reach until a restart.
    Failed,
}

impl GroupCoordinators {
    /// Makes the coordinators what the metadata says. Partitions must be open already.
    pub fn apply(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        before: &Image,
        after: &Arc<Image>,
        out: &mut Outbound,
    ) {
        self.image = Some(Arc::clone(after));
        let topic = after.topic(TOPIC);
        let is_same = |home: &Home| topic.is_some_and(|topic| topic.id == home.id.topic_id);
        let gone: Vec<i32> =
            self.homes.iter().filter(|(_, home)| !is_same(home)).map(|(number, _)| *number).collect();
        for number in gone {
            let home = self.homes.remove(&number).expect("it is one of them");
            home.refuse_parked(ErrorCode::NotCoordinator, out);
        }
        let deleted: BTreeSet<Arc<str>> = before
            .topics()
            .filter(|topic| after.topic_by_id(topic.id).is_none())
            .map(|topic| topic.name.clone())
            .collect();
        if !deleted.is_empty() {
            self.run_all(turn, partitions, out, |machine, _| machine.on_topics_deleted(&deleted));
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
        questions: Vec<GroupQuestion>,
        out: &mut Outbound,
    ) {
        for GroupQuestion { number, partition, group, ask } in questions {
            let to = (request, number);
            let refused = match self.homes.get(&partition).map(|home| home.phase) {
                Some(Phase::Active) => None,
                Some(Phase::Loading(_)) => Some(ErrorCode::CoordinatorLoadInProgress),
                Some(Phase::Failed) => Some(ErrorCode::CoordinatorNotAvailable),
                None => Some(ErrorCode::NotCoordinator),
            };
            if let Some(error) = refused {
                out.answers.push((request, number, Answer::Group(Err(error))));
                continue;
            }
            match ask {
                GroupAsk::Mark(marker, bumps_epoch) => {
                    self.mark(turn, partitions, partition, to, (&marker, bumps_epoch), out);
                    continue;
                }
                GroupAsk::CommitInTransaction(ref commit) => {
                    if let Some(reply) = self.verify(partitions, partition, commit) {
                        out.answers.push((request, number, Answer::Group(reply)));
                        continue;
                    }
                }
                _ => {}
            }
            self.run(turn, partitions, partition, out, |machine, env| machine.on_ask(env, to, &group, ask));
        }
        self.set_timer(turn);
    }

    /// What TxnOffsetCommit is answered if it may not write yet, or may not write at all.
    fn verify(&self, partitions: &Partitions, number: i32, commit: &TxnCommit) -> Option<GroupReply> {
        let home = self.homes.get(&number)?;
        let (producer, epoch) = (ProducerId(commit.producer_id), ProducerEpoch(commit.producer_epoch));
        match partitions.own_transaction(home.id, producer, epoch, commit.guard, commit.has_own_epoch) {
            Ok(OwnTransaction::Open) => None,
            Ok(OwnTransaction::Unverified(guard)) => Some(Ok(GroupAnswer::Unverified(guard))),
            Ok(OwnTransaction::Ended) => Some(Err(ErrorCode::InvalidTxnState)),
            Ok(OwnTransaction::Fenced) => Some(Err(ErrorCode::InvalidProducerEpoch)),
            Err(()) => Some(Err(ErrorCode::CoordinatorNotAvailable)),
        }
    }

    /// Ends a transaction in one partition: what it committed counts, or is dropped, when the marker is in the log.
    fn mark(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        number: i32,
        to: ReplyTo,
        (marker, bumps_epoch): (&Marker, bool),
        out: &mut Outbound,
    ) {
        let Some(home) = self.homes.get_mut(&number) else { return };
        let reply = match partitions.mark_own(turn, home.id, marker, bumps_epoch) {
            Ok(Ok(end)) => {
                home.appended = home.appended.max(end);
                home.machine.apply_marker(marker.producer_id.0, marker.is_commit);
                Ok(GroupAnswer::Done)
            }
            Ok(Err(error)) => Err(error),
            Err(()) => {
                home.fail(out);
                out.answers.push((to.0, to.1, Answer::Group(Err(ErrorCode::CoordinatorNotAvailable))));
                return;
            }
        };
        home.parked.push_back((home.appended, to, reply));
        home.release(out);
    }

    /// Runs a step of one coordinator: its records go to the log, its replies wait for them.
    fn run(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        number: i32,
        out: &mut Outbound,
        step: impl FnOnce(&mut Coordinator, &Env<'_>) -> Effects,
    ) {
        let Some(image) = self.image.clone() else { return };
        self.id_count += 1;
        let env = env(turn, &image, self.id_count);
        let Some(home) = self.homes.get_mut(&number) else { return };
        let effects = step(&mut home.machine, &env);
        if home.append(turn, partitions, &effects).is_err() {
            home.fail(out);
            for ((request, number), _) in effects.replies {
                out.answers.push((request, number, Answer::Group(Err(ErrorCode::CoordinatorNotAvailable))));
            }
            return;
        }
        for (to, reply) in effects.replies {
            home.parked.push_back((home.appended, to, reply));
        }
        home.release(out);
    }

    fn run_all(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        out: &mut Outbound,
        step: impl Fn(&mut Coordinator, &Env<'_>) -> Effects,
    ) {
        for number in self.active() {
            self.run(turn, partitions, number, out, &step);
        }
    }

    fn active(&self) -> Vec<i32> {
        let active = self.homes.iter().filter(|(_, home)| home.phase == Phase::Active);
        active.map(|(number, _)| *number).collect()
    }

    /// A partition's log has grown, or has failed.
    pub fn on_log(&mut self, id: PartitionId, end: Result<Offset, ()>, out: &mut Outbound) {
        let Some(home) = self.homes.get_mut(&id.partition).filter(|home| home.id == id) else { return };
        match end {
            Ok(end) => {
                home.written = end;
                home.release(out);
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
        self.set_timer(turn);
    }

    fn set_timer(&mut self, turn: &mut Turn<'_>) {
        let active = self.homes.values().filter(|home| home.phase == Phase::Active);
        let Some(at_ms) = active.filter_map(|home| home.machine.next_deadline()).min() else { return };
        let at = Nanos((at_ms.max(0) as u64).saturating_mul(1_000_000));
        if self.timer_at.is_none_or(|known| at < known) {
            self.timer_at = Some(at);
            turn.timers.set(at, crate::broker::groups_timer());
        }
    }

    /// Now and then: a slice of the look for what has expired.
    pub fn on_tick(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        let Some(image) = self.image.clone() else { return };
        let now_ms = now_ms(turn);
        let interval_ms = image.server.values().offsets_retention_check_interval_ms();
        let due_ms = *self.expiry_ms.get_or_insert(now_ms + interval_ms);
        if self.expiring.is_empty() && now_ms >= due_ms {
            self.expiring = self.active().into_iter().collect();
            self.expiry_ms = Some(now_ms + interval_ms);
        }
        for number in self.expiring.clone() {
            let mut is_done = true;
            self.run(turn, partitions, number, out, |machine, env| {
                let (effects, done) = machine.expire(env);
                is_done = done;
                effects
            });
            if is_done {
                self.expiring.remove(&number);
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

    /// How many groups this core coordinates.
    pub fn group_count(&self) -> usize {
        self.homes.values().map(|home| home.machine.group_count()).sum()
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
            if let Some((id, epoch)) = effects.producer {
                builder = builder
                    .producer(ProducerId(id), ProducerEpoch(epoch), Sequence::NONE)
                    .attributes(TRANSACTIONAL);
            }
            while let Some(record) = records.next_if(|_| size < BATCH_BYTES_MAX) {
                let (key, value) = record.encode();
                size += key.len() + value.as_ref().map_or(0, Vec::len);
                builder = builder.record(turn.wall_ms.0, Some(&key), value.as_deref());
            }
            self.appended = partitions.append_own(turn, self.id, builder.build())?;
        }
        Ok(())
    }

    /// Sends the replies whose records are in the log.
    fn release(&mut self, out: &mut Outbound) {
        while self.parked.front().is_some_and(|(after, ..)| *after <= self.written) {
            let (_, (request, number), reply) = self.parked.pop_front().expect("it was looked at just now");
            out.answers.push((request, number, Answer::Group(reply)));
        }
    }

    fn fail(&mut self, out: &mut Outbound) {
        tracing::error!(
            partition = self.id.partition,
            "groups are out of reach: their partition of {TOPIC} is offline"
        );
        self.phase = Phase::Failed;
        for (_, (request, number), _) in self.parked.drain(..) {
            out.answers.push((request, number, Answer::Group(Err(ErrorCode::CoordinatorNotAvailable))));
        }
    }

    fn refuse_parked(mut self, error: ErrorCode, out: &mut Outbound) {
        for (_, (request, number), _) in self.parked.drain(..) {
            out.answers.push((request, number, Answer::Group(Err(error))));
        }
    }
}

fn now_ms(turn: &Turn<'_>) -> i64 {
    (turn.now.0 / 1_000_000) as i64
}

fn env<'a>(turn: &Turn<'_>, image: &'a Image, id_count: u64) -> Env<'a> {
    let mut random = Random::from_seed(turn.random_u64 ^ id_count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let bits = (u128::from(random.next_u64()) << 64) | u128::from(random.next_u64());
    Env {
        now_ms: now_ms(turn),
        wall_ms: turn.wall_ms.0,
        // A version-4 UUID, as Java makes them.
        fresh_id: Uuid::from_u128((bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62)),
        image,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q79_groups_are_spread_by_the_hash_of_javas_strings() {
        for (group, count, expected) in [
            ("", 50, 0),
            ("a", 50, 97 % 50),
            ("ab", 50, (97 * 31 + 98) % 50),
            // Java's "polygenelubricants".hashCode() is the smallest number there is.
            ("polygenelubricants", 50, 0),
            ("ä", 50, 228 % 50),
            ("\u{1f600}", 50, (0xd83d * 31 + 0xde00) % 50),
            ("test-consumer-group", 1, 0),
        ] {
            assert_eq!(partition_of(group, count), expected, "{group}");
        }
    }
}
