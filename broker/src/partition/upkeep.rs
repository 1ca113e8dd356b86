//! Upkeep of logs: retention, segments that end by the clock, producers that expire.
//!
//! Each log says when it next has something to do, and stands in a queue by that time; an idle one costs its
//! place there and nothing else. Each turn does one bounded step for one log.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use shard::WallMs;

use super::{NoLog, Outbound, Partitions};
use crate::mail::Turn;

/// A log that could not do what was due is asked again after so many ms.
const RETRY_MS: i64 = 1000;

/// Who is due when, and who is being worked on.
#[derive(Debug, Default)]
pub(super) struct Upkeep {
    /// Time, slot and generation. An entry that its partition does not know is stale.
    due: BinaryHeap<Reverse<(WallMs, usize, u32)>>,
    ready: VecDeque<(usize, u32)>,
}

impl Partitions {
    /// Puts a partition in its place in the queue, unless it will be looked at sooner.
    pub(super) fn schedule_upkeep(&mut self, slot: usize) {
        let partition = &mut self.slots[slot];
        let Some(due) = partition.log.as_ref().ok().and_then(|log| log.upkeep_due()) else { return };
        if partition.upkeep_at.is_none_or(|known| due < known) {
            partition.upkeep_at = Some(due);
            self.upkeep.due.push(Reverse((due, slot, partition.generation)));
        }
    }

    /// Notes which partitions are due.
    pub fn on_tick(&mut self, turn: &mut Turn<'_>) {
        self.on_sync_tick(turn.now);
        self.look_at_space(turn);
        while let Some(&Reverse((due, slot, generation))) = self.upkeep.due.peek()
            && due <= turn.wall_ms
        {
            self.upkeep.due.pop();
            let partition = self.slots.get(slot).filter(|partition| partition.generation == generation);
            if partition.is_some_and(|partition| partition.upkeep_at == Some(due)) {
                self.upkeep.ready.push_back((slot, generation));
            }
        }
    }

    /// Does one step for one partition; `true` if more is waiting.
    pub fn on_background(&mut self, turn: &mut Turn<'_>, out: &mut Outbound) -> bool {
        let is_opening = self.run_openings(turn, out);
        self.run_checkpoint();
        self.run_compaction(turn);
        let Some((slot, generation)) = self.upkeep.ready.pop_front() else {
            return self.has_stepped() || is_opening;
        };
        let mut known = self.slots.get_mut(slot).filter(|partition| partition.generation == generation);
        if let Some(partition) = known.as_mut().filter(|partition| partition.log.is_err()) {
            // It stands in the queue again when it is open.
            partition.upkeep_at = None;
            if matches!(partition.log, Err(NoLog::Closed)) {
                self.openings.add(slot, generation, false);
            }
        }
        if let Some(partition) = known
            && let Ok(log) = &mut partition.log
        {
            let (topic, number) = (&partition.topic.name, partition.number);
            let is_done = match log.keep_up(turn.disk, &mut self.files, turn.wall_ms) {
                Ok(done) if done.deleted_bytes > 0 => {
                    let (bytes, log_start) = (done.deleted_bytes, log.offsets().log_start.0);
                    tracing::info!(%topic, partition = number, bytes, log_start, "old records were deleted");
                    false
                }
                Ok(_) => true,
                Err(reason) => {
                    tracing::error!(%topic, partition = number, ?reason, "the partition is offline: its old files cannot be changed");
                    true
                }
            };
            if is_done {
                partition.upkeep_at = log.upkeep_due().map(|due| due.max(WallMs(turn.wall_ms.0 + RETRY_MS)));
                if let Some(due) = partition.upkeep_at {
                    self.upkeep.due.push(Reverse((due, slot, generation)));
                }
            } else {
                self.upkeep.ready.push_back((slot, generation));
            }
            self.list_if_dirty(slot);
            self.note_compaction(turn, slot);
        }
        !self.upkeep.ready.is_empty() || self.has_stepped() || is_opening
    }
}
