//! What a coordinator tells of its groups when somebody asks how they are: nothing changes by it.

use std::ops::Bound;
use std::sync::Arc;

use protocol::ErrorCode;

use super::{Coordinator, Group, Kind};
use crate::groups::ask::{GroupAnswer, GroupReply};
use crate::groups::facts::{CommittedFacts, GroupCounts, GroupFacts};
use crate::groups::step::Effects;
use crate::report::GroupSlice;

/// Groups that one slice of a report goes through, and committed offsets that it tells; one group more than that at most.
const SLICE_GROUPS: usize = 256;
const SLICE_OFFSETS: usize = 1024;

impl Group {
    /// Its generation or epoch, and how many members it has.
    pub(super) fn standing(&self) -> (i32, usize) {
        match &self.kind {
            Kind::Classic(group) => (group.generation, group.members.len()),
            Kind::Consumer(group) => group.standing(),
        }
    }

    pub(super) fn kind_and_state(&self) -> (&'static str, &'static str) {
        match &self.kind {
            Kind::Classic(group) => ("classic", group.state.name()),
            Kind::Consumer(group) => ("consumer", group.state()),
        }
    }

    fn committed(&self) -> Vec<CommittedFacts> {
        let all = self.offsets.iter().map(|((topic, partition), committed)| CommittedFacts {
            topic: Arc::clone(topic),
            topic_id: committed.topic_id,
            partition: *partition,
            offset: committed.offset,
        });
        all.collect()
    }
}

impl Coordinator {
    /// What was counted so far.
    pub fn counts(&self) -> GroupCounts {
        self.counts
    }

    /// Counts what a step has done.
    pub(super) fn count(&mut self, effects: &Effects) {
        effects.rebalances.iter().for_each(|cause| self.counts.on_rebalance(*cause));
        self.counts.commits += effects.commits;
    }

    /// Tells groups behind `after` until the slice is full; the last one that was told, if there are more.
    pub fn facts(
        &self,
        after: Option<&Arc<str>>,
        room: &mut (usize, usize),
        slice: &mut GroupSlice,
    ) -> Option<Arc<str>> {
        let after = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.clone()));
        let (mut seen, mut offsets) = (0, 0);
        for (id, group) in self.groups.range((after, Bound::Unbounded)) {
            let (kind, state) = group.kind_and_state();
            *slice.states.entry((kind, state)).or_default() += 1;
            if room.0 > 0 {
                room.0 -= 1;
                let (generation, member_count) = group.standing();
                let has_room = group.offsets.len() <= room.1;
                let committed = if has_room { group.committed() } else { Vec::new() };
                slice.offsets_left_out += u64::from(!has_room);
                room.1 -= committed.len();
                offsets += committed.len();
                let group = Arc::clone(id);
                slice.groups.push(GroupFacts { group, kind, state, generation, member_count, committed });
            } else {
                slice.groups_left_out += 1;
            }
            seen += 1;
            if seen >= SLICE_GROUPS || offsets >= SLICE_OFFSETS {
                return Some(Arc::clone(id));
            }
        }
        None
    }

    /// Why a group rebalanced, and what it has committed.
    pub(super) fn tell_history(&self, id: &Arc<str>) -> GroupReply {
        let group = self.groups.get(id).ok_or(ErrorCode::GroupIdNotFound)?;
        let mut history = group.history.tell();
        history.group = id.to_string();
        history.kind = group.kind_and_state().0.to_owned();
        Ok(GroupAnswer::History(Box::new(history), group.committed()))
    }
}
