//! Where coordinators live: one machine for each partition of an internal topic that this core has.
//!
//! ```text
//! question ─► machine (pure) ─► records ─► the partition's log ─┐
//!                           └► answers and more, parked ────────┴─► out, once the log has the records
//! ```
//! A machine is made by replaying its partition's log, a bounded slice at a time; until then its questions are answered
//! COORDINATOR_LOAD_IN_PROGRESS. All that a step gives waits for what was written before it, so that nobody is told, and
//! nothing is done, what a crash could take back. A log that cannot be read or written takes its machine out of reach until a
//! restart: COORDINATOR_NOT_AVAILABLE, which clients retry (C43).

pub mod facts;
mod load;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::sync::Arc;

use protocol::{DecodeError, ErrorCode};
use shard::{Nanos, ShardId, Token};
use storage::batch::BatchBuilder;
use storage::mutation::{Mutation, is_on};
use storage::{BatchHeader, Marker, Offset, ProducerEpoch, ProducerId, Sequence};

use crate::answer::Answer;
use crate::config::ServerValues;
use crate::mail::{PartitionId, PendingId, Turn};
use crate::metadata::Image;
use crate::partition::{Outbound, Partitions};

/// Where a reply goes: a request that waits, and the question's number within it.
pub type ReplyTo = (PendingId, u32);

/// Records are split into batches of about this many bytes.
const BATCH_BYTES_MAX: usize = 512 << 10;

/// The bit of a batch that belongs to a transaction.
const TRANSACTIONAL: i16 = 1 << 4;

/// The longest name of a group and the longest transactional id, bytes: Kafka's records count a string in 16 bits.
pub const ID_BYTES_MAX: usize = 32_767;

/// Which partition of `partition_count` has a group or a transactional id: the hash of Java's strings, which counts UTF-16
/// units (Q79).
pub fn partition_of(id: &str, partition_count: usize) -> i32 {
    let hash = id.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    // Kafka's absolute value of the smallest number is 0.
    let hash = if hash == i32::MIN { 0 } else { hash.abs() };
    hash % i32::try_from(partition_count.max(1)).unwrap_or(i32::MAX)
}

/// Which core has a group or a transactional id, and in which partition of its topic.
pub fn home_of(image: &Image, topic: &str, id: &str) -> Result<(ShardId, i32), ErrorCode> {
    let topic = image.topic(topic).ok_or(ErrorCode::CoordinatorNotAvailable)?;
    let partition = partition_of(id, topic.partitions.len());
    let meta = topic.partition(partition).ok_or(ErrorCode::CoordinatorNotAvailable)?;
    Ok((meta.home, partition))
}

/// A coordinator as a pure state machine: what comes in gives records to keep and things to do, and the same records, replayed,
/// give the same state.
pub trait Machine: Debug + Default {
    /// The topic that its records are kept in.
    const TOPIC: &'static str;
    /// What it coordinates, for log lines.
    const SUBJECT: &'static str;
    /// What a step may know besides its input.
    type Env<'a>;
    /// What comes of a step.
    type Effects: Into<Outcome<Self::Deed>> + Default;
    /// What is done, besides answering, when the log has the records.
    type Deed: Debug;

    /// Makes what a step may know; `step` is another number for each.
    fn env<'a>(turn: &Turn<'_>, image: &'a Image, step: u64) -> Self::Env<'a>;
    /// Takes a record of the log in.
    fn replay(&mut self, batch: &BatchHeader, key: &[u8], value: Option<&[u8]>) -> Result<(), DecodeError>;
    /// Takes the end of a transaction in the log in.
    fn replay_marker(&mut self, marker: &Marker);
    /// All is replayed.
    fn on_loaded(&mut self, env: &Self::Env<'_>) -> Self::Effects;
    /// When something has to be done though nobody asks, monotonic ms.
    fn next_deadline(&self) -> Option<i64>;
    /// Does what is due first; `None` if nothing is.
    fn on_time(&mut self, env: &Self::Env<'_>) -> Option<Self::Effects>;
    /// A slice of the look for what has expired; `true` when it has come to the end.
    fn expire(&mut self, env: &Self::Env<'_>) -> (Self::Effects, bool);
    /// How many it coordinates.
    fn count(&self) -> usize;
    /// How long to wait between two looks for what has expired.
    fn expiry_interval_ms(settings: &ServerValues) -> i64;
    /// The token of its timer.
    fn timer() -> Token;
    /// How a question is refused.
    fn refusal(error: ErrorCode) -> Answer;
}

/// What comes of a step, as far as its home has to know it.
#[derive(Debug)]
pub struct Outcome<D> {
    /// Keys and values to be appended, in this order, together.
    pub records: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    /// The producer and its epoch in whose transaction they are written.
    pub producer: Option<(i64, i16)>,
    /// What waits for them, in this order.
    pub parked: Vec<Parked<D>>,
}

/// What waits for the log.
#[derive(Debug)]
pub enum Parked<D> {
    /// An answer to a question.
    Answer(ReplyTo, Answer),
    /// Something to do.
    Deed(D),
}

/// One core's machines of one kind.
#[derive(Debug)]
pub struct Homes<M: Machine> {
    by_number: BTreeMap<i32, Home<M>>,
    /// The newest image, from which topics and settings are taken.
    image: Option<Arc<Image>>,
    /// When this core's timer for them is due.
    timer_at: Option<Nanos>,
    /// When the next look for what has expired begins, monotonic ms; and which partitions it has still to go through.
    expiry_ms: Option<i64>,
    expiring: BTreeSet<i32>,
    step_count: u64,
    /// Deeds that may be done, each with its partition.
    released: Vec<(i32, M::Deed)>,
}

/// A machine and what it waits for.
#[derive(Debug)]
struct Home<M: Machine> {
    id: PartitionId,
    phase: Phase,
    machine: M,
    /// What waits for the log to reach an offset, in the order of these.
    parked: VecDeque<(Offset, Parked<M::Deed>)>,
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
    /// The log cannot be read or written: out of reach until a restart.
    Failed,
}

impl<M: Machine> Default for Homes<M> {
    fn default() -> Self {
        Homes {
            by_number: BTreeMap::new(),
            image: None,
            timer_at: None,
            expiry_ms: None,
            expiring: BTreeSet::new(),
            step_count: 0,
            released: Vec::new(),
        }
    }
}

impl<M: Machine> Homes<M> {
    /// Makes the homes what the metadata says. Partitions must be open already.
    pub fn apply(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        image: &Arc<Image>,
        out: &mut Outbound,
    ) {
        self.image = Some(Arc::clone(image));
        let topic = image.topic(M::TOPIC);
        self.by_number.retain(|_, home| {
            let meta = topic.filter(|topic| topic.id == home.id.topic_id);
            let meta = meta.and_then(|topic| topic.partition(home.id.partition));
            let is_kept = meta.is_some_and(|meta| meta.is_led_by(image.node_id()));
            if !is_kept {
                home.refuse_parked(ErrorCode::NotCoordinator, out);
            }
            is_kept
        });
        let Some(topic) = topic else { return };
        for (meta, number) in topic.partitions.iter().zip(0..) {
            let is_ours = meta.home == turn.shard && meta.is_led_by(image.node_id());
            if is_ours && !self.by_number.contains_key(&number) {
                let id = PartitionId { topic_id: topic.id, partition: number };
                self.by_number.insert(number, Home::new(id));
                self.load_slice(turn, partitions, number, out);
            }
        }
    }

    /// The newest image.
    pub fn image(&self) -> Option<&Arc<Image>> {
        self.image.as_ref()
    }

    /// Whether a partition's machine takes questions, or with what they are refused.
    pub fn check_active(&self, number: i32) -> Result<PartitionId, ErrorCode> {
        let home = self.by_number.get(&number).ok_or(ErrorCode::NotCoordinator)?;
        match home.phase {
            Phase::Active => Ok(home.id),
            Phase::Loading(_) => Err(ErrorCode::CoordinatorLoadInProgress),
            Phase::Failed => Err(ErrorCode::CoordinatorNotAvailable),
        }
    }

    /// The partitions whose machines take questions.
    pub fn active(&self) -> BTreeSet<i32> {
        let active = self.by_number.iter().filter(|(_, home)| home.phase == Phase::Active);
        active.map(|(number, _)| *number).collect()
    }

    /// The machines that take questions.
    pub fn machines(&self) -> impl Iterator<Item = &M> {
        self.by_number.values().filter(|home| home.phase == Phase::Active).map(|home| &home.machine)
    }

    /// Runs a step of one machine: its records go to the log, and what it gives waits for them.
    pub fn run(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        number: i32,
        out: &mut Outbound,
        step: impl FnOnce(&mut M, &M::Env<'_>) -> M::Effects,
    ) {
        let Some(image) = self.image.clone() else { return };
        self.step_count += 1;
        let env = M::env(turn, &image, self.step_count);
        let Some(home) = self.by_number.get_mut(&number) else { return };
        let outcome = step(&mut home.machine, &env).into();
        let is_appended = home.append(turn, partitions, outcome.records, outcome.producer);
        let after = if is_on(Mutation::AnswerBeforeRecords) { Offset::ZERO } else { home.appended };
        home.parked.extend(outcome.parked.into_iter().map(|parked| (after, parked)));
        match is_appended {
            Ok(()) => self.release(number, out),
            Err(()) => home.fail(out),
        }
    }

    /// Ends a producer's transaction in a partition's log, and answers `done` when the marker is in it.
    #[expect(
        clippy::too_many_arguments,
        reason = "a turn, the partitions and what goes out belong to every step"
    )]
    pub fn mark(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        number: i32,
        to: ReplyTo,
        (marker, bumps_epoch): (&Marker, bool),
        done: Answer,
        out: &mut Outbound,
    ) {
        let Some(home) = self.by_number.get_mut(&number) else { return };
        let marked = partitions.mark_own(turn, home.id, marker, bumps_epoch);
        let answer = match marked {
            Ok(Ok(end)) => {
                home.appended = home.appended.max(end);
                home.machine.replay_marker(marker);
                done
            }
            Ok(Err(error)) => M::refusal(error),
            Err(()) => M::refusal(ErrorCode::CoordinatorNotAvailable),
        };
        home.parked.push_back((home.appended, Parked::Answer(to, answer)));
        match marked {
            Ok(_) => self.release(number, out),
            Err(()) => home.fail(out),
        }
    }

    /// Lets go what waited for records that are in the log by now.
    fn release(&mut self, number: i32, out: &mut Outbound) {
        let Some(home) = self.by_number.get_mut(&number) else { return };
        while home.parked.front().is_some_and(|(after, _)| *after <= home.written) {
            match home.parked.pop_front().expect("it was looked at just now").1 {
                Parked::Answer((request, question), answer) => out.answers.push((request, question, answer)),
                Parked::Deed(deed) => self.released.push((number, deed)),
            }
        }
    }

    /// Deeds that may be done now, each with the partition of its machine.
    pub fn take_released(&mut self) -> Vec<(i32, M::Deed)> {
        std::mem::take(&mut self.released)
    }

    /// A partition's log has grown, or has failed.
    pub fn on_log(&mut self, id: PartitionId, end: Result<Offset, ()>, out: &mut Outbound) {
        let Some(home) = self.by_number.get_mut(&id.partition).filter(|home| home.id == id) else { return };
        match end {
            Ok(end) => {
                home.written = end;
                self.release(id.partition, out);
            }
            Err(()) => home.fail(out),
        }
    }

    /// The timer has fired: does all that is due.
    pub fn on_timer(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        self.timer_at = None;
        let now_ms = now_ms(turn);
        for number in self.active() {
            let is_due = |home: &Home<M>| home.machine.next_deadline().is_some_and(|at_ms| at_ms <= now_ms);
            while is_due(&self.by_number[&number]) && self.by_number[&number].phase == Phase::Active {
                self.run(turn, partitions, number, out, |machine, env| {
                    machine.on_time(env).unwrap_or_default()
                });
            }
        }
    }

    /// Sets the timer for what is due first, here or in what its owner waits for.
    pub fn set_timer(&mut self, turn: &mut Turn<'_>, also_ms: Option<i64>) {
        let deadlines = self.machines().filter_map(Machine::next_deadline);
        let Some(at_ms) = deadlines.chain(also_ms).min() else { return };
        let at = Nanos((at_ms.max(0) as u64).saturating_mul(1_000_000));
        if self.timer_at.is_none_or(|known| at < known) {
            self.timer_at = Some(at);
            turn.timers.set(at, M::timer());
        }
    }

    /// Now and then: a slice of the look for what has expired.
    pub fn on_tick(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        let Some(image) = &self.image else { return };
        let now_ms = now_ms(turn);
        let interval_ms = M::expiry_interval_ms(image.server.values());
        let due_ms = *self.expiry_ms.get_or_insert(now_ms + interval_ms);
        if self.expiring.is_empty() && now_ms >= due_ms {
            self.expiring = self.active();
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
        let is_loading = |home: &Home<M>| matches!(home.phase, Phase::Loading(_));
        let next = self.by_number.iter().find(|(_, home)| is_loading(home)).map(|(number, _)| *number);
        let Some(number) = next else { return false };
        self.load_slice(turn, partitions, number, out);
        self.by_number.values().any(is_loading)
    }
}

impl<M: Machine> Home<M> {
    fn new(id: PartitionId) -> Self {
        Home {
            id,
            phase: Phase::Loading(Offset::ZERO),
            machine: M::default(),
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
        records: Vec<(Vec<u8>, Option<Vec<u8>>)>,
        producer: Option<(i64, i16)>,
    ) -> Result<(), ()> {
        let mut records = records.into_iter().peekable();
        while records.peek().is_some() {
            let (mut builder, mut size) = (BatchBuilder::new(), 0);
            if let Some((id, epoch)) = producer {
                builder = builder
                    .producer(ProducerId(id), ProducerEpoch(epoch), Sequence::NONE)
                    .attributes(TRANSACTIONAL);
            }
            while let Some((key, value)) = records.next_if(|_| size < BATCH_BYTES_MAX) {
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
            "{} are out of reach: their partition of {} is offline",
            M::SUBJECT,
            M::TOPIC
        );
        self.phase = Phase::Failed;
        self.refuse_parked(ErrorCode::CoordinatorNotAvailable, out);
    }

    /// Deeds are dropped: when the log is read again it has what was decided, or nothing was.
    fn refuse_parked(&mut self, error: ErrorCode, out: &mut Outbound) {
        for (_, parked) in self.parked.drain(..) {
            if let Parked::Answer((request, number), _) = parked {
                out.answers.push((request, number, M::refusal(error)));
            }
        }
    }
}

/// Monotonic time in ms.
pub fn now_ms(turn: &Turn<'_>) -> i64 {
    (turn.now.0 / 1_000_000) as i64
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
