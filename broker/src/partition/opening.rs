//! Opening logs: each when it is first asked for, and the rest in quiet moments, so that a start waits for none.
//!
//! What a start needs of a partition is in the metadata. Its log is opened by the first question to it; one that was closed
//! cleanly takes some small reads. After a crash the part of it that nobody vouches for is read a bounded step a turn, and
//! the questions wait. A log that cannot be opened is offline alone, and every question is told why.
//!
//! Logs that nobody asks for are opened too, one after another with pauses, for old records have to be deleted, broken
//! files reported and what the journal holds of them synced.

use std::collections::{HashMap, VecDeque};

use shard::{Nanos, Token};
use storage::{Log, Offset, OpenLog, Opening, Recovered};

use super::open::OpenedCounts;
use super::read::Budget;
use super::{NoLog, OPEN, Outbound, Partitions, log_id};
use crate::mail::{PendingId, Turn};

/// Logs that are opened, or read on, in one turn because they were asked for.
const STEPS_MAX: u32 = 64;
/// Bytes that are read for one log in a turn, and for all of them.
const STEP_BYTES: u64 = 1 << 20;
const TURN_BYTES: u64 = 2 << 20;
/// Logs that are opened in one go when nobody asks. Closing idle ones ([`super::rest`]) takes its turn with it.
const UNHURRIED_STEPS: u32 = 4;
/// How much longer than such a go the pause after it is: a quarter of the core goes into it.
const REST_FACTOR: u32 = 3;

/// Who is to be opened.
#[derive(Debug, Default)]
pub(super) struct Openings {
    /// Slots and generations of those that were asked for.
    asked: VecDeque<(usize, u32)>,
    /// All others.
    unhurried: VecDeque<(usize, u32)>,
    /// What requests may still take, and how many of their questions wait.
    budgets: HashMap<PendingId, (Option<Budget>, usize)>,
    steps: u32,
    bytes: u64,
    /// When the last unhurried go began; the turn after it tells how long it took.
    stepped_at: Option<Nanos>,
    next_at: Nanos,
    counts: OpenedCounts,
    /// Whether it is to be said when all are open.
    is_telling: bool,
}

impl Openings {
    pub(super) fn on_turn_start(&mut self) {
        (self.steps, self.bytes) = (0, 0);
    }

    fn has_room(&self) -> bool {
        self.steps < STEPS_MAX && self.bytes < TURN_BYTES
    }

    /// So many questions of a request wait; together with those that were answered they may take no more than one fetch.
    pub(super) fn keep_budget(&mut self, request: PendingId, budget: Option<Budget>, waiting: usize) {
        if waiting > 0 {
            self.budgets.insert(request, (budget, waiting));
        }
    }

    /// What the request may still take, and how many of its questions wait after this one. To be kept again if any.
    pub(super) fn take_budget(&mut self, request: PendingId) -> (Option<Budget>, usize) {
        let (budget, waiting) = self.budgets.remove(&request).unwrap_or((None, 1));
        (budget, waiting - 1)
    }

    /// When all that was added is open, that is said.
    pub(super) fn tell(&mut self) {
        self.is_telling = true;
    }

    /// A log will be opened when it is asked for, or when it is its turn; soon, if the journal is not free before.
    pub(super) fn add(&mut self, slot: usize, generation: u32, is_soon: bool) {
        if is_soon {
            self.unhurried.push_front((slot, generation));
        } else {
            self.unhurried.push_back((slot, generation));
        }
    }
}

impl Partitions {
    /// Whether a partition can answer: its log is open, or offline. Else it is on its way.
    pub(super) fn is_at_hand(&mut self, turn: &mut Turn<'_>, slot: usize) -> bool {
        let partition = &self.slots[slot];
        let generation = partition.generation;
        let is_first = match &partition.log {
            Ok(_) | Err(NoLog::Offline(_)) => return true,
            Err(NoLog::Closed | NoLog::Opening(_)) => partition.asked.is_empty(),
        };
        if is_first && self.openings.has_room() && self.open_on(turn, slot) {
            return true;
        }
        if is_first {
            self.openings.asked.push_back((slot, generation));
        }
        false
    }

    /// Opens a log, or takes its opening on by one step; `true` when it is open or offline.
    fn open_on(&mut self, turn: &mut Turn<'_>, slot: usize) -> bool {
        let dir = self.dir_of(&self.slots[slot].topic, self.slots[slot].number);
        let partition = &mut self.slots[slot];
        let opening = match std::mem::replace(&mut partition.log, Err(NoLog::Closed)) {
            Err(NoLog::Closed) => {
                let with = OpenLog {
                    id: log_id(&partition.id()),
                    dir,
                    settings: std::sync::Arc::clone(&partition.topic.log_settings),
                    log_start: Offset::ZERO,
                    now: turn.wall_ms,
                };
                Opening::begin(turn.disk, &mut self.files, with).map(Box::new)
            }
            Err(NoLog::Opening(opening)) => Ok(opening),
            other => {
                partition.log = other;
                return true;
            }
        };
        self.openings.steps += 1;
        let stepped = opening.and_then(|mut opening| {
            let before = opening.checked_bytes();
            let is_open = opening.step(turn.disk, &mut self.files, STEP_BYTES)?;
            self.openings.bytes += opening.checked_bytes() - before;
            Ok((is_open, opening))
        });
        match stepped {
            Ok((false, opening)) => {
                self.slots[slot].log = Err(NoLog::Opening(opening));
                return false;
            }
            Ok((true, opening)) => {
                let (log, recovered) = opening.finish();
                self.on_open(turn, slot, log, recovered);
            }
            Err(error) => self.on_broken(turn, slot, error.to_string()),
        }
        true
    }

    fn on_open(&mut self, turn: &Turn<'_>, slot: usize, mut log: Log, recovered: Recovered) {
        let partition = &mut self.slots[slot];
        let end = log.offsets().end;
        log.advance_high_watermark(end);
        // They may have changed while it was being opened.
        log.set_settings(std::sync::Arc::clone(&partition.topic.log_settings));
        let is_synced = log.synced_end() >= end;
        partition.log = Ok(log);
        self.find_unsure(slot);
        self.openings.counts.opened += 1;
        self.openings.counts.checked_bytes += recovered.checked_bytes;
        self.openings.counts.cut_bytes += recovered.cut_bytes;
        if is_synced {
            self.on_inheritance_synced(slot);
        }
        self.schedule_upkeep(slot);
        self.note_unsynced(slot);
        self.look_later(turn.now, slot);
    }

    fn on_broken(&mut self, turn: &mut Turn<'_>, slot: usize, error: String) {
        let partition = &mut self.slots[slot];
        let (topic, number) = (&partition.topic.name, partition.number);
        tracing::error!(%topic, partition = number, %error, "the partition is offline: its log cannot be opened");
        partition.log = Err(NoLog::Offline(error));
        self.openings.counts.offline += 1;
        self.sync_inheritance(turn, slot);
    }

    /// Opens what was asked for, then a little of the rest; `true` if the next turn is to come at once.
    pub(super) fn run_openings(&mut self, turn: &mut Turn<'_>, out: &mut Outbound) -> bool {
        if self.closing.is_some() {
            return false;
        }
        while self.openings.has_room()
            && let Some((slot, generation)) = self.openings.asked.pop_front()
        {
            if !self.is_generation(slot, generation) {
                continue;
            }
            if self.open_on(turn, slot) {
                self.answer_asked(turn, slot, out);
            } else {
                // Each its step in turn: one that has much to read does not hold up the others.
                self.openings.asked.push_back((slot, generation));
            }
        }
        if !self.openings.asked.is_empty() {
            return true;
        }
        self.run_unhurried(turn, out)
    }

    fn run_unhurried(&mut self, turn: &mut Turn<'_>, out: &mut Outbound) -> bool {
        if let Some(stepped_at) = self.openings.stepped_at.take() {
            let took = turn.now.since(stepped_at);
            self.openings.next_at = turn.now + took.saturating_mul(REST_FACTOR);
            turn.timers.set(self.openings.next_at, Token(OPEN << 56));
        }
        if turn.now < self.openings.next_at {
            return false;
        }
        for _ in 0..UNHURRIED_STEPS {
            let Some(&(slot, generation)) = self.openings.unhurried.front() else {
                self.tell_opened(turn);
                let has_closed = self.run_resting(turn);
                self.openings.stepped_at = has_closed.then_some(turn.now);
                return has_closed;
            };
            let is_closed = self.is_generation(slot, generation)
                && matches!(&self.slots[slot].log, Err(NoLog::Closed | NoLog::Opening(_)));
            if !is_closed || self.open_on(turn, slot) {
                self.openings.unhurried.pop_front();
            }
            if is_closed {
                self.openings.stepped_at = Some(turn.now);
                self.answer_asked(turn, slot, out);
            }
            if !self.openings.has_room() {
                break;
            }
        }
        true
    }

    /// Answers the questions that waited for a log, in the order in which they came, if it is open now.
    fn answer_asked(&mut self, turn: &mut Turn<'_>, slot: usize, out: &mut Outbound) {
        if matches!(&self.slots[slot].log, Err(NoLog::Closed | NoLog::Opening(_))) {
            return;
        }
        for (request, question) in std::mem::take(&mut self.slots[slot].asked) {
            let (mut budget, left) = self.openings.take_budget(request);
            self.answer(turn, slot, request, question, &mut budget, out);
            self.openings.keep_budget(request, budget, left);
        }
    }

    pub(super) fn is_generation(&self, slot: usize, generation: u32) -> bool {
        self.slots.get(slot).is_some_and(|partition| partition.generation == generation)
    }

    /// All logs are open: says once what that took. What the journal was taken over with can be synced now.
    fn tell_opened(&mut self, turn: &Turn<'_>) {
        if !std::mem::take(&mut self.openings.is_telling) {
            return;
        }
        self.free_inheritance();
        let OpenedCounts { opened, offline, checked_bytes, cut_bytes } = self.openings.counts;
        tracing::info!(
            core = turn.shard.0,
            opened,
            offline,
            checked_bytes,
            cut_bytes,
            "all partitions are open"
        );
    }
}
