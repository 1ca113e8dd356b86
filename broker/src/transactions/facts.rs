//! What is told of transactions and their coordinators: counted over in slices, when somebody asks.

use shard::WallMs;

use super::TxnCoordinators;
use super::record::State;
use crate::homes::facts::{CoordinatorPhases, Cursor};

/// What a core has of transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TxnCounts {
    /// Transactional ids, by the state of their transaction, in the order of [`State::ALL`].
    pub states: [u64; State::ALL.len()],
    /// Transactions that are open, or being ended, for longer than their timeout.
    pub overdue: u64,
    /// How long the oldest of those that are open or being ended has been so, ms.
    pub oldest_ms: i64,
    /// Transactions that were committed everywhere, since the start.
    pub committed: u64,
    /// Transactions that were aborted everywhere, since the start.
    pub aborted: u64,
    /// Transactions that were aborted because they were open for too long, since the start.
    pub timed_out: u64,
}

impl TxnCounts {
    /// Counts one transactional id.
    pub(super) fn see(&mut self, state: State, start_ms: i64, timeout_ms: i32, now: WallMs) {
        if let Some(index) = State::ALL.iter().position(|known| *known == state) {
            self.states[index] += 1;
        }
        if matches!(state, State::Ongoing | State::PrepareCommit | State::PrepareAbort) {
            let age_ms = now.0.saturating_sub(start_ms).max(0);
            self.oldest_ms = self.oldest_ms.max(age_ms);
            self.overdue += u64::from(age_ms > i64::from(timeout_ms));
        }
    }

    /// Adds what another core has.
    pub fn add(&mut self, other: &TxnCounts) {
        for (count, more) in self.states.iter_mut().zip(&other.states) {
            *count += more;
        }
        self.overdue += other.overdue;
        self.oldest_ms = self.oldest_ms.max(other.oldest_ms);
        self.committed += other.committed;
        self.aborted += other.aborted;
        self.timed_out += other.timed_out;
    }
}

impl TxnCoordinators {
    /// How many coordinators are where in their lives.
    pub fn phases(&self) -> CoordinatorPhases {
        self.homes.phases()
    }

    /// Counts a slice of the ids behind `after`; where the next one begins, if there is one.
    pub fn facts(&self, after: Option<Cursor>, now: WallMs, counts: &mut TxnCounts) -> Option<Cursor> {
        self.homes.walk(after, |machine, after| machine.facts(after, now, counts))
    }
}
