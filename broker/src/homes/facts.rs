//! How a core's coordinators are, and walking through all that they coordinate in slices: for those who look.

use std::ops::Bound;
use std::sync::Arc;

use super::{Homes, Machine, Phase};

/// Partitions of the log that one slice goes through: most have little.
const SLICE_PARTITIONS: usize = 64;

/// Where a slice begins: behind this group or id, in this partition of the log; or with the first one there.
pub type Cursor = (i32, Option<Arc<str>>);

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

impl<M: Machine> Homes<M> {
    /// How many machines are where in their lives.
    pub fn phases(&self) -> CoordinatorPhases {
        let mut phases = CoordinatorPhases::default();
        for home in self.by_number.values() {
            match home.phase {
                Phase::Loading(_) => phases.loading += 1,
                Phase::Active => phases.active += 1,
                Phase::Failed => phases.failed += 1,
            }
        }
        phases
    }

    /// All machines, whatever their phase.
    pub fn all(&self) -> impl Iterator<Item = &M> {
        self.by_number.values().map(|home| &home.machine)
    }

    /// Shows machines to `tell` from `after` on, until one has more than a slice, and says what was told last; or until some
    /// were shown. Where the next slice begins, if there is one.
    pub fn walk(
        &self,
        after: Option<Cursor>,
        mut tell: impl FnMut(&M, Option<&Arc<str>>) -> Option<Arc<str>>,
    ) -> Option<Cursor> {
        let (mut number, mut id) = match after {
            Some(after) => after,
            None => (*self.by_number.first_key_value()?.0, None),
        };
        for _ in 0..SLICE_PARTITIONS {
            let home = self.by_number.get(&number);
            if let Some(last) = home.and_then(|home| tell(&home.machine, id.as_ref())) {
                return Some((number, Some(last)));
            }
            let next = self.by_number.range((Bound::Excluded(number), Bound::Unbounded)).next();
            (number, id) = (*next?.0, None);
        }
        Some((number, None))
    }
}
