//! What is told of groups and their coordinators: plain values, and what a core counts of them.

use std::ops::Bound;
use std::sync::Arc;

use protocol::Uuid;

use super::history::CauseKind;
use super::{GroupCoordinators, Phase};
use crate::report::GroupSlice;

/// Where a slice of groups or ids begins: behind this one, in this partition of the log; or with the first one there.
pub type Cursor = (i32, Option<Arc<str>>);

/// Partitions of the log that one slice goes through: most have few groups.
const SLICE_PARTITIONS: usize = 64;

/// A committed offset.
#[derive(Debug, Clone)]
pub struct CommittedFacts {
    /// The topic.
    pub topic: Arc<str>,
    /// Its id when the offset was committed; zero if that was not noted.
    pub topic_id: Uuid,
    /// The partition.
    pub partition: i32,
    /// The next record to be read.
    pub offset: i64,
}

/// A group.
#[derive(Debug)]
pub struct GroupFacts {
    /// Its name.
    pub group: Arc<str>,
    /// "Classic" or "Consumer".
    pub kind: &'static str,
    /// Kafka's word for its state.
    pub state: &'static str,
    /// Its generation or epoch.
    pub generation: i32,
    /// How many members it has.
    pub member_count: usize,
    /// What it has committed.
    pub committed: Vec<CommittedFacts>,
}

/// How many coordinators of a core are where in their lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoordinatorPhases {
    /// They read their logs.
    pub loading: usize,
    /// They work.
    pub active: usize,
    /// Their logs cannot be read or written.
    pub failed: usize,
}

/// What a core has counted of its groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Rebalances that have begun, by cause.
    pub rebalances: [u64; CauseKind::ALL.len()],
    /// Offsets that were committed.
    pub commits: u64,
}

impl GroupCounts {
    pub(super) fn on_rebalance(&mut self, cause: CauseKind) {
        if let Some(index) = CauseKind::ALL.iter().position(|kind| *kind == cause) {
            self.rebalances[index] += 1;
        }
    }
}

impl GroupCoordinators {
    /// What was counted so far.
    pub fn counts(&self) -> GroupCounts {
        self.counts
    }

    /// How many coordinators are where in their lives.
    pub fn phases(&self) -> CoordinatorPhases {
        let mut phases = CoordinatorPhases::default();
        for home in self.homes.values() {
            match home.phase {
                Phase::Loading(_) => phases.loading += 1,
                Phase::Active => phases.active += 1,
                Phase::Failed => phases.failed += 1,
            }
        }
        phases
    }

    /// Tells a slice of the groups behind `after`; the last one if there may be more.
    pub fn facts(
        &self,
        after: Option<Cursor>,
        room: &mut (usize, usize),
        slice: &mut GroupSlice,
    ) -> Option<Cursor> {
        let (mut number, mut group) = match after {
            Some(after) => after,
            None => (*self.homes.first_key_value()?.0, None),
        };
        for _ in 0..SLICE_PARTITIONS {
            let home = self.homes.get(&number);
            let last = home.and_then(|home| home.machine.facts(group.as_ref(), room, slice));
            if let Some(last) = last {
                return Some((number, Some(last)));
            }
            let next = self.homes.range((Bound::Excluded(number), Bound::Unbounded)).next();
            (number, group) = (*next?.0, None);
        }
        Some((number, None))
    }
}
