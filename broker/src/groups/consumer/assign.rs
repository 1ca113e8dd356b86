//! The assignors of the broker: pure functions from members and topics to who should have what.
//!
//! - `uniform`: as even as subscriptions allow, and as little moved as that allows.
//! - `range`: each topic in stretches, the same member the same stretch of every topic.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use protocol::Uuid;

use super::assignment_of;
use crate::groups::record::Assignment;

/// The assignors by name, the default first.
pub const ASSIGNORS: [&str; 2] = ["uniform", "range"];

/// A member as an assignor sees it.
#[derive(Debug)]
pub struct Subscriber {
    /// Its id.
    pub id: Arc<str>,
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
    /// What it reads.
    pub topics: BTreeSet<Uuid>,
}

type Targets = BTreeMap<Arc<str>, Assignment>;

/// The assignor that most prefer; the default if none is preferred.
pub fn choose<'a>(preferred: impl Iterator<Item = &'a str>) -> &'static str {
    let mut votes = [0usize; ASSIGNORS.len()];
    for name in preferred {
        if let Some(index) = ASSIGNORS.iter().position(|known| *known == name) {
            votes[index] += 1;
        }
    }
    let most = (0..ASSIGNORS.len()).rev().max_by_key(|&index| votes[index]).unwrap_or(0);
    ASSIGNORS[most]
}

/// Who should have something else than `before`, and what. `counts` has the partitions of every topic that is read.
pub fn plan(
    assignor: &str,
    members: &[Subscriber],
    counts: &BTreeMap<Uuid, i32>,
    before: &Targets,
) -> Targets {
    match assignor {
        "range" => {
            let mut targets = range(members, counts);
            targets.retain(|id, target| before.get(id) != Some(target));
            targets
        }
        _ => uniform(members, counts, before),
    }
}

fn range(members: &[Subscriber], counts: &BTreeMap<Uuid, i32>) -> Targets {
    let mut targets: Targets = members.iter().map(|member| (member.id.clone(), Assignment::new())).collect();
    let mut sorted: Vec<&Subscriber> = members.iter().collect();
    // Static members keep their place over restarts.
    sorted.sort_by_key(|member| (member.instance.is_none(), member.instance.clone(), member.id.clone()));
    for (&topic, &count) in counts {
        let readers: Vec<&&Subscriber> =
            sorted.iter().filter(|member| member.topics.contains(&topic)).collect();
        let (each, extra) = (count / readers.len().max(1) as i32, count % readers.len().max(1) as i32);
        let mut next = 0;
        for (member, index) in readers.iter().zip(0..) {
            let end = next + each + i32::from(index < extra);
            if end > next {
                targets.entry(member.id.clone()).or_default().insert(topic, (next..end).collect());
            }
            next = end;
        }
    }
    targets
}

/// An assignment in the making. Partitions are numbered through, topic after topic, so that a group of thousands of members
/// and partitions costs a few passes over plain arrays at each join.
struct Plan<'a> {
    members: &'a [Subscriber],
    topics: Vec<Uuid>,
    /// The number of each topic's first partition.
    starts: Vec<usize>,
    is_free: Vec<bool>,
    /// What each member has.
    held: Vec<Vec<usize>>,
    /// Whose target is not what it was.
    has_changed: Vec<bool>,
}

fn uniform(members: &[Subscriber], counts: &BTreeMap<Uuid, i32>, before: &Targets) -> Targets {
    let (mut starts, mut count) = (Vec::new(), 0);
    for partitions in counts.values() {
        starts.push(count);
        count += *partitions as usize;
    }
    let mut plan = Plan {
        members,
        topics: counts.keys().copied().collect(),
        starts,
        is_free: vec![true; count],
        held: vec![Vec::new(); members.len()],
        has_changed: vec![false; members.len()],
    };
    plan.keep(before);
    let is_same = members.windows(2).all(|pair| pair[0].topics == pair[1].topics);
    if is_same && !members.is_empty() {
        plan.even_out()
    } else {
        plan.balance()
    }
    let changed = (0..members.len()).filter(|&index| plan.has_changed[index]);
    changed.map(|index| (members[index].id.clone(), plan.target(index))).collect()
}

impl Plan<'_> {
    /// Everyone keeps what it had, as far as it still reads it and it is still there.
    fn keep(&mut self, before: &Targets) {
        for (index, member) in self.members.iter().enumerate() {
            let Some(had) = before.get(&member.id) else {
                self.has_changed[index] = true;
                continue;
            };
            for (topic, partitions) in had {
                let place = self.topics.binary_search(topic).ok().filter(|_| member.topics.contains(topic));
                let Some(place) = place else {
                    self.has_changed[index] = true;
                    continue;
                };
                let end = self.starts.get(place + 1).copied().unwrap_or(self.is_free.len());
                for &partition in partitions {
                    let number = self.starts[place] + partition as usize;
                    if number < end && std::mem::replace(&mut self.is_free[number], false) {
                        self.held[index].push(number);
                    } else {
                        self.has_changed[index] = true;
                    }
                }
            }
        }
    }

    fn give(&mut self, index: usize, number: usize) {
        self.is_free[number] = false;
        self.held[index].push(number);
        self.has_changed[index] = true;
    }

    /// All read the same: everyone gets the same number, some one more.
    fn even_out(&mut self) {
        let count = self.is_free.len();
        let (each, mut extra) = (count / self.members.len(), count % self.members.len());
        for index in 0..self.held.len() {
            let held = &mut self.held[index];
            // Those who have more already are the first to keep one more.
            let quota = if held.len() > each && extra > 0 { each + 1 } else { each };
            extra -= quota - each;
            for number in held.split_off(held.len().min(quota)) {
                self.is_free[number] = true;
                self.has_changed[index] = true;
            }
        }
        // Members that lack something, one after another, so that the partitions of a topic are spread; then, once each
        // has its share, those who have no more than that.
        let mut free = (0..count).filter(|&number| self.is_free[number]).collect::<Vec<_>>().into_iter();
        loop {
            let needy: Vec<usize> = (0..self.held.len()).filter(|&one| self.held[one].len() < each).collect();
            if needy.is_empty() {
                break;
            }
            for (index, number) in needy.into_iter().zip(free.by_ref()) {
                self.give(index, number);
            }
        }
        let even: Vec<usize> = (0..self.held.len()).filter(|&one| self.held[one].len() == each).collect();
        for (index, number) in even.into_iter().zip(free) {
            self.give(index, number);
        }
    }

    /// Some read what others do not: what is free goes to the reader with the least, then partitions move from those with
    /// more to those with less until that helps no more.
    fn balance(&mut self) {
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.topics.len()];
        for (index, member) in self.members.iter().enumerate() {
            for topic in &member.topics {
                if let Ok(place) = self.topics.binary_search(topic) {
                    readers[place].push(index);
                }
            }
        }
        let least = |plan: &Plan<'_>, number: usize| {
            readers[plan.place_of(number)].iter().copied().min_by_key(|&one| plan.held[one].len())
        };
        let mut free: Vec<usize> = (0..self.is_free.len()).filter(|&number| self.is_free[number]).collect();
        free.sort_by_key(|&number| readers[self.place_of(number)].len());
        for number in free {
            if let Some(index) = least(self, number) {
                self.give(index, number);
            }
        }
        let mut has_moved = true;
        while has_moved {
            has_moved = false;
            for from in 0..self.held.len() {
                for at in (0..self.held[from].len()).rev() {
                    let number = self.held[from][at];
                    let Some(to) = least(self, number) else { continue };
                    if self.held[from].len() > self.held[to].len() + 1 {
                        self.held[from].swap_remove(at);
                        self.has_changed[from] = true;
                        self.give(to, number);
                        has_moved = true;
                    }
                }
            }
        }
    }

    /// Which topic a partition is of, by its place among the topics.
    fn place_of(&self, number: usize) -> usize {
        self.starts.partition_point(|&start| start <= number) - 1
    }

    fn target(&self, index: usize) -> Assignment {
        assignment_of(self.held[index].iter().map(|&number| {
            let place = self.place_of(number);
            (self.topics[place], (number - self.starts[place]) as i32)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::partitions_of;
    use super::*;

    fn topic(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn member(id: &str, topics: &[u128]) -> Subscriber {
        Subscriber {
            id: id.into(),
            instance: None,
            topics: topics.iter().map(|&number| topic(number)).collect(),
        }
    }

    fn sizes(targets: &Targets) -> Vec<usize> {
        targets.values().map(|target| partitions_of(target).count()).collect()
    }

    /// Every partition of `counts` that someone reads is given out once; gives who got how many.
    fn check(assignor: &str, members: &[Subscriber], counts: &[(u128, i32)], before: &Targets) -> Targets {
        let counts: BTreeMap<Uuid, i32> =
            counts.iter().map(|&(number, count)| (topic(number), count)).collect();
        let mut targets = before.clone();
        targets.extend(plan(assignor, members, &counts, before));
        let mut given: Vec<(Uuid, i32)> = targets.values().flat_map(partitions_of).collect();
        given.sort_unstable();
        let all: Vec<(Uuid, i32)> =
            counts.iter().flat_map(|(&id, &n)| (0..n).map(move |p| (id, p))).collect();
        assert_eq!(given, all);
        for member in members {
            assert!(targets[&member.id].keys().all(|topic| member.topics.contains(topic)));
        }
        targets
    }

    #[test]
    fn uniform_is_even_and_moves_little() {
        let three = [member("a", &[1, 2]), member("b", &[1, 2]), member("c", &[1, 2])];
        let first = check("uniform", &three[..2], &[(1, 3), (2, 4)], &Targets::new());
        assert_eq!(sizes(&first), [4, 3]);
        let second = check("uniform", &three, &[(1, 3), (2, 4)], &first);
        assert_eq!(sizes(&second), [3, 2, 2]);
        let moved = |one: &str| {
            let now: BTreeSet<_> = partitions_of(&second[one]).collect();
            partitions_of(&first[one]).filter(|partition| !now.contains(partition)).count()
        };
        assert_eq!((moved("a"), moved("b")), (1, 1));
        let grown = check("uniform", &three, &[(1, 3), (2, 6)], &second);
        assert_eq!(sizes(&grown), [3, 3, 3]);
    }

    #[test]
    fn uniform_gives_nothing_to_those_who_are_too_many() {
        let members: Vec<Subscriber> = ["a", "b", "c", "d"].iter().map(|id| member(id, &[1])).collect();
        assert_eq!(sizes(&check("uniform", &members, &[(1, 2)], &Targets::new())), [1, 1, 0, 0]);
        assert_eq!(plan("uniform", &[], &BTreeMap::new(), &Targets::new()), Targets::new());
    }

    #[test]
    fn uniform_is_fair_where_subscriptions_differ() {
        let members = [member("a", &[1, 2]), member("b", &[1]), member("c", &[2])];
        assert_eq!(sizes(&check("uniform", &members, &[(1, 3), (2, 3)], &Targets::new())), [2, 2, 2]);
        let members = [member("a", &[1]), member("b", &[1, 2, 3])];
        assert_eq!(sizes(&check("uniform", &members, &[(1, 4), (2, 1), (3, 1)], &Targets::new())), [3, 3]);
    }

    #[test]
    fn range_gives_stretches() {
        let members = [member("a", &[1, 2]), member("b", &[1, 2]), member("c", &[2])];
        let targets = check("range", &members, &[(1, 3), (2, 4)], &Targets::new());
        assert_eq!(targets["a"][&topic(1)], BTreeSet::from([0, 1]));
        assert_eq!(targets["b"][&topic(1)], BTreeSet::from([2]));
        assert_eq!(targets["c"][&topic(2)], BTreeSet::from([3]));
    }

    #[test]
    fn the_most_preferred_assignor_assigns() {
        for (preferred, expected) in [
            (&[] as &[&str], "uniform"),
            (&["range"], "range"),
            (&["range", "uniform"], "uniform"),
            (&["x"], "uniform"),
        ] {
            assert_eq!(choose(preferred.iter().copied()), expected);
        }
    }
}
