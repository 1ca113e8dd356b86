//! From what a member has to what it should have, one heartbeat at a time (Q97).

use storage::mutation::{Mutation, is_on};

use super::*;

impl Consumer {
    /// Works out what a member may have now. `owned` is what it says it has; if it does not say, it has all it was given.
    pub(super) fn reconcile(&mut self, cx: &mut Context<'_>, id: &Arc<str>, owned: Option<&Assignment>) {
        let current = &self.members[id].current;
        let still_has = |partitions: &Assignment| match owned {
            None => !partitions.is_empty(),
            Some(owned) => partitions_of(partitions)
                .any(|(topic, partition)| owned.get(&topic).is_some_and(|owned| owned.contains(&partition))),
        };
        let next = match current.state {
            MemberState::Stable if current.epoch == self.target_epoch => return,
            MemberState::Unrevoked if still_has(&current.revoking) => return,
            MemberState::Stable | MemberState::Unrevoked | MemberState::Unreleased => {
                self.next(id, current, still_has)
            }
        };
        if next != *current {
            self.write(cx, Record::Current(cx.group.clone(), id.clone(), Some(next)));
        }
    }

    fn next(&self, id: &Arc<str>, current: &Current, still_has: impl Fn(&Assignment) -> bool) -> Current {
        let nothing = Assignment::new();
        let target = self.targets.get(id).unwrap_or(&nothing);
        let is_in = |assignment: &Assignment, (topic, partition): (Uuid, i32)| {
            assignment.get(&topic).is_some_and(|partitions| partitions.contains(&partition))
        };
        let (kept, revoking): (Vec<_>, Vec<_>) =
            partitions_of(&current.assigned).partition(|&partition| is_in(target, partition));
        let revoking = assignment_of(revoking);
        if still_has(&revoking) {
            // What it has let go before is no longer its own.
            let since = current.since_of(&current.assigned);
            let assigned = assignment_of(kept);
            return Current { state: MemberState::Unrevoked, assigned, revoking, since, ..current.clone() };
        }
        let wanted = partitions_of(target).filter(|&partition| !is_in(&current.assigned, partition));
        let is_free = |owner: &Arc<str>| owner == id || is_on(Mutation::GiveTwice);
        let (free, held): (Vec<_>, Vec<_>) =
            wanted.partition(|partition| self.owners.get(partition).is_none_or(is_free));
        let is_moved = current.epoch != self.target_epoch;
        let had = kept.iter().map(|partition| (*partition, current.since[partition]));
        let given = free.iter().map(|partition| (*partition, self.target_epoch));
        Current {
            epoch: self.target_epoch,
            // A lost answer is asked for again by the epoch that it answered.
            previous_epoch: if is_moved { current.epoch } else { current.previous_epoch },
            state: if held.is_empty() { MemberState::Stable } else { MemberState::Unreleased },
            since: had.chain(given).collect(),
            assigned: assignment_of(kept.into_iter().chain(free)),
            revoking: Assignment::new(),
        }
    }
}
