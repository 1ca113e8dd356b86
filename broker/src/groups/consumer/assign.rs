//! The assignors of the broker: pure functions from members and topics to who should have what.
//!
//! - `uniform`: as even as subscriptions allow, and as little moved as that allows.
//! - `range`: each topic in stretches, the same member the same stretch of every topic.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use protocol::Uuid;

use super::{assignment_of, partitions_of};
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

/// Who should have what. `counts` has the partitions of every topic that is read, `before` the targets before.
pub fn plan(
    assignor: &str,
    members: &[Subscriber],
    counts: &BTreeMap<Uuid, i32>,
    before: &Targets,
) -> Targets {
    match assignor {
        "range" => range(members, counts),
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

/// An assignment in the making: who has each partition, and how many each has.
struct Plan<'a> {
    members: &'a [Subscriber],
    held: Vec<Vec<(Uuid, i32)>>,
    free: BTreeSet<(Uuid, i32)>,
}

fn uniform(members: &[Subscriber], counts: &BTreeMap<Uuid, i32>, before: &Targets) -> Targets {
    let all = counts.iter().flat_map(|(&topic, &count)| (0..count).map(move |partition| (topic, partition)));
    let mut plan = Plan { members, held: vec![Vec::new(); members.len()], free: all.collect() };
    plan.keep(before);
    let is_same = members.windows(2).all(|pair| pair[0].topics == pair[1].topics);
    if is_same {
        plan.even_out()
    } else {
        plan.balance()
    }
    let held = plan.held.into_iter().map(assignment_of);
    members.iter().map(|member| member.id.clone()).zip(held).collect()
}

impl Plan<'_> {
    /// Everyone keeps what it had, as far as it still reads it and it is still there.
    fn keep(&mut self, before: &Targets) {
        for (index, member) in self.members.iter().enumerate() {
            for partition in before.get(&member.id).into_iter().flat_map(partitions_of) {
                if member.topics.contains(&partition.0) && self.free.remove(&partition) {
                    self.held[index].push(partition);
                }
            }
        }
    }

    /// All read the same: everyone gets the same number, some one more.
    fn even_out(&mut self) {
        let count = self.free.len() + self.held.iter().map(Vec::len).sum::<usize>();
        let each = count / self.members.len().max(1);
        let mut extra = count % self.members.len().max(1);
        for held in &mut self.held {
            // Those who have more already are the first to keep one more.
            let quota = if held.len() > each && extra > 0 { each + 1 } else { each };
            extra -= quota - each;
            let over = held.split_off(held.len().min(quota));
            self.free.extend(over);
        }
        let mut index = 0;
        for partition in std::mem::take(&mut self.free) {
            // One after another, so that the partitions of a topic are spread.
            let from = index;
            while self.held[index].len() >= each {
                index = (index + 1) % self.members.len();
                if index == from {
                    break;
                }
            }
            if self.held[index].len() >= each {
                // Everyone has its share: the rest goes to those who have no more than that.
                index = (0..self.members.len()).find(|&one| self.held[one].len() == each).unwrap_or(0);
            }
            self.held[index].push(partition);
            index = (index + 1) % self.members.len();
        }
    }

    /// Some read what others do not: what is free goes to the reader with the least, then partitions move from those with
    /// more to those with less until that helps no more.
    fn balance(&mut self) {
        let mut readers: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
        for (index, member) in self.members.iter().enumerate() {
            member.topics.iter().for_each(|&topic| readers.entry(topic).or_default().push(index));
        }
        let mut free: Vec<(Uuid, i32)> = std::mem::take(&mut self.free).into_iter().collect();
        free.sort_by_key(|(topic, partition)| (readers.get(topic).map_or(0, Vec::len), *topic, *partition));
        let least = |held: &[Vec<(Uuid, i32)>], topic: Uuid| {
            readers.get(&topic).and_then(|readers| readers.iter().copied().min_by_key(|&one| held[one].len()))
        };
        for partition in free {
            if let Some(index) = least(&self.held, partition.0) {
                self.held[index].push(partition);
            }
        }
        let mut has_moved = true;
        while has_moved {
            has_moved = false;
            for from in 0..self.held.len() {
                for at in (0..self.held[from].len()).rev() {
                    let partition = self.held[from][at];
                    let Some(to) = least(&self.held, partition.0) else { continue };
                    if self.held[from].len() > self.held[to].len() + 1 {
                        self.held[from].swap_remove(at);
                        self.held[to].push(partition);
                        has_moved = true;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
        let targets = plan(assignor, members, &counts, before);
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
