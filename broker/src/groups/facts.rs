//! What is told of groups and their coordinators: plain values, and what a core counts of them.

use std::sync::Arc;

use protocol::Uuid;

use super::GroupCoordinators;
use super::history::CauseKind;
use crate::homes::facts::{CoordinatorPhases, Cursor};
use crate::report::GroupSlice;

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
    /// "classic" or "consumer".
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

/// What a core has counted of its groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Rebalances that have begun, by cause.
    pub rebalances: [u64; CauseKind::ALL.len()],
    /// Offsets that were committed.
    pub commits: u64,
}

impl GroupCounts {
    /// Adds what another coordinator has counted.
    fn add(&mut self, other: &GroupCounts) {
        for (count, more) in self.rebalances.iter_mut().zip(&other.rebalances) {
            *count += more;
        }
        self.commits += other.commits;
    }

    pub(in crate::groups) fn on_rebalance(&mut self, cause: CauseKind) {
        if let Some(index) = CauseKind::ALL.iter().position(|kind| *kind == cause) {
            self.rebalances[index] += 1;
        }
    }
}

impl GroupCoordinators {
    /// What was counted so far.
    pub fn counts(&self) -> GroupCounts {
        let mut counts = GroupCounts::default();
        self.homes.all().for_each(|machine| counts.add(&machine.counts()));
        counts
    }

    /// How many coordinators are where in their lives.
    pub fn phases(&self) -> CoordinatorPhases {
        self.homes.phases()
    }

    /// Tells a slice of the groups behind `after`; where the next one begins, if there is one. `room` is for so many groups and
    /// offsets of theirs.
    pub fn facts(
        &self,
        after: Option<Cursor>,
        room: &mut (usize, usize),
        slice: &mut GroupSlice,
    ) -> Option<Cursor> {
        self.homes.walk(after, |machine, after| machine.facts(after, room, slice))
    }
}
