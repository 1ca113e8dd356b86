//! Logs that nobody uses are closed: marked as clean on disk, and next to nothing in memory. So what is idle costs neither
//! a stop nor a start after a crash anything, and its next use opens it again.
//!
//! Each open log stands in one queue, by the time at which it is looked at. One that was used meanwhile, or that has
//! something under way, goes to the end.

use std::collections::VecDeque;

use shard::Nanos;
use storage::Log;

use super::{NoLog, Partitions};
use crate::mail::Turn;

/// A log is closed when it was not used for so many ms.
const IDLE_MS: i64 = 60_000;
/// Logs that are closed in one turn.
const CLOSED_MAX: u32 = 4;
/// Logs that are looked at in one turn.
const LOOKS_MAX: u32 = 64;

/// The open logs, by the time of the next look.
#[derive(Debug, Default)]
pub(super) struct Resting {
    looks: VecDeque<(Nanos, usize, u32)>,
}

impl Partitions {
    /// A log was opened.
    pub(super) fn look_later(&mut self, now: Nanos, slot: usize) {
        let generation = self.slots[slot].generation;
        self.resting.looks.push_back((now.plus_ms(IDLE_MS), slot, generation));
    }

    /// Closes logs that nobody uses; `true` if some were closed.
    pub(super) fn run_resting(&mut self, turn: &mut Turn<'_>) -> bool {
        let mut closed = 0;
        for _ in 0..LOOKS_MAX {
            let due = self.resting.looks.front().filter(|(at, ..)| *at <= turn.now);
            let Some(&(_, slot, generation)) = due.filter(|_| closed < CLOSED_MAX) else { break };
            self.resting.looks.pop_front();
            if !self.is_generation(slot, generation) || self.slots[slot].log.is_err() {
                continue;
            }
            if self.may_rest(turn.now, slot) {
                closed += 1;
                self.rest(turn, slot);
            } else {
                self.look_later(turn.now, slot);
            }
        }
        closed > 0
    }

    /// Whether a log is synced, idle and nobody waits for anything of it.
    fn may_rest(&self, now: Nanos, slot: usize) -> bool {
        let partition = &self.slots[slot];
        let is_idle =
            |log: &Log| log.offline().is_none() && log.is_synced() && !log.has_work() && !log.has_flight();
        now >= partition.used_at.plus_ms(IDLE_MS)
            && partition.log.as_ref().is_ok_and(is_idle)
            && partition.waiting.is_empty()
            && partition.watches.count() == 0
            && !(partition.is_own || partition.is_listed || partition.is_unsynced || partition.is_compacting)
            && self.reads.iter().all(|(_, read)| !read.is_of(slot))
    }

    fn rest(&mut self, turn: &mut Turn<'_>, slot: usize) {
        self.on_inheritance_synced(slot);
        let partition = &mut self.slots[slot];
        let Ok(log) = std::mem::replace(&mut partition.log, Err(NoLog::Closed)) else { return };
        partition.facts.on_closing(&log);
        if let Err(error) = log.close(turn.disk, &mut self.files) {
            let (topic, number) = (&partition.topic.name, partition.number);
            tracing::warn!(%topic, partition = number, %error, "an idle log was not closed cleanly; its next use checks it");
        }
    }
}
