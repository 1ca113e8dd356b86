//! Compaction of logs: one at a time on each core, one bounded step a turn, with pauses.
//!
//! A step reads and writes at most 32 KiB, or a batch. After each, compaction rests nine times as long as the step took while
//! anybody uses the core, so that it takes a tenth of it, and as long as the step where nobody does; syncs of its files go
//! through the ring like all others.

use std::collections::VecDeque;

use shard::{Completion, Nanos, Op, Outcome, Token};
use storage::{CompactStep, Compaction};

use super::{COMPACT, Partitions};
use crate::mail::Turn;

/// How much longer than a step the pause after it is, while somebody uses the core and while nobody does.
const REST_FACTOR: u32 = 9;
const QUIET_REST_FACTOR: u32 = 1;

/// What is being compacted on a core, and what comes next.
#[derive(Debug)]
pub(super) struct Compactions {
    /// Bytes of the map from keys to offsets.
    map_bytes_max: usize,
    /// Whether partitions were asked something since the last step.
    is_core_used: bool,
    waiting: VecDeque<(usize, u32)>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    slot: usize,
    generation: u32,
    compaction: Compaction,
    is_syncing: bool,
    /// When the last step began; the turn after it tells how long it took.
    stepped_at: Option<Nanos>,
    next_at: Nanos,
}

impl Compactions {
    pub(super) fn new(map_bytes_max: u64) -> Compactions {
        Compactions {
            map_bytes_max: map_bytes_max as usize,
            is_core_used: false,
            waiting: VecDeque::new(),
            running: None,
        }
    }

    /// Somebody uses the core.
    pub(super) fn on_used(&mut self) {
        self.is_core_used = true;
    }
}

impl Partitions {
    /// Puts a partition in the queue if its log is to be compacted.
    pub(super) fn note_compaction(&mut self, turn: &Turn<'_>, slot: usize) {
        let partition = &mut self.slots[slot];
        let Ok(log) = &partition.log else { return };
        let is_due = log.compaction_due().is_some_and(|due| due <= turn.wall_ms);
        if is_due && !std::mem::replace(&mut partition.is_compacting, true) {
            self.compactions.waiting.push_back((slot, partition.generation));
        }
    }

    /// Whether a step was done in this turn: the next turn, which is to come at once, tells how long it took.
    pub(super) fn has_stepped(&self) -> bool {
        self.compactions.running.as_ref().is_some_and(|running| running.stepped_at.is_some())
    }

    /// Does one step of a compaction, if it is time.
    pub(super) fn run_compaction(&mut self, turn: &mut Turn<'_>) {
        let Some(mut running) = self.compactions.running.take().or_else(|| self.begin_compaction(turn))
        else {
            return;
        };
        if let Some(stepped_at) = running.stepped_at.take() {
            let took = turn.now.since(stepped_at);
            let is_used = std::mem::take(&mut self.compactions.is_core_used);
            running.next_at =
                turn.now + took.saturating_mul(if is_used { REST_FACTOR } else { QUIET_REST_FACTOR });
            turn.timers.set(running.next_at, Token(COMPACT << 56));
        }
        if running.is_syncing || turn.now < running.next_at {
            self.compactions.running = Some(running);
            return;
        }
        let known = self.slots.get_mut(running.slot).filter(|known| known.generation == running.generation);
        let Some(partition) = known else { return };
        let Ok(log) = &mut partition.log else { return };
        match log.compact(turn.disk, &mut self.files, &mut running.compaction) {
            Ok(CompactStep::More) => running.stepped_at = Some(turn.now),
            Ok(CompactStep::Sync(file)) => {
                running.is_syncing = true;
                turn.ops.push(Token(COMPACT << 56), Op::Sync { file });
            }
            Ok(CompactStep::Done) => {
                let Compaction { before_bytes, after_bytes, .. } = running.compaction;
                let (topic, number) = (&partition.topic.name, partition.number);
                tracing::info!(%topic, partition = number, before_bytes, after_bytes, "a log was compacted");
                return self.end_compaction(turn, running.slot);
            }
            Err(error) => {
                self.abandon(turn, running, &error.to_string(), error.cause != storage::Cause::Gone);
                return;
            }
        }
        self.compactions.running = Some(running);
    }

    fn begin_compaction(&mut self, turn: &mut Turn<'_>) -> Option<Running> {
        while let Some((slot, generation)) = self.compactions.waiting.pop_front() {
            let known = self.slots.get_mut(slot).filter(|known| known.generation == generation);
            let Some(partition) = known else { continue };
            let Ok(log) = &mut partition.log else { continue };
            let begun = log.begin_compaction(self.compactions.map_bytes_max, turn.random_u64, turn.wall_ms);
            match begun {
                Some(compaction) => {
                    let next_at = turn.now;
                    return Some(Running {
                        slot,
                        generation,
                        compaction,
                        is_syncing: false,
                        stepped_at: None,
                        next_at,
                    });
                }
                None => partition.is_compacting = false,
            }
        }
        None
    }

    fn end_compaction(&mut self, turn: &Turn<'_>, slot: usize) {
        self.slots[slot].is_compacting = false;
        self.schedule_upkeep(slot);
        // What did not fit into the map is due still.
        self.note_compaction(turn, slot);
    }

    fn abandon(&mut self, turn: &mut Turn<'_>, running: Running, why: &str, has_failed: bool) {
        let Running { slot, generation, compaction, .. } = running;
        let known = self.slots.get_mut(slot).filter(|known| known.generation == generation);
        let Some(partition) = known else { return };
        let Ok(log) = &mut partition.log else { return };
        let (topic, number) = (&partition.topic.name, partition.number);
        if has_failed {
            tracing::error!(%topic, partition = number, why, "a log cannot be compacted, and will not be before a restart");
        }
        log.abandon_compaction(turn.disk, compaction, has_failed);
        self.end_compaction(turn, slot);
    }

    /// A file of a compaction is durable, or not.
    pub(super) fn on_compaction_synced(&mut self, turn: &mut Turn<'_>, completion: &Completion) {
        let Some(mut running) = self.compactions.running.take() else { return };
        if let Outcome::Failed(error) = &completion.outcome {
            return self.abandon(turn, running, &error.to_string(), true);
        }
        running.is_syncing = false;
        self.compactions.running = Some(running);
    }
}
