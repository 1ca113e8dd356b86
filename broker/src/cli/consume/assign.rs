//! The assignor `range`: of each topic, every member gets a run of partitions, the first members one more where it does
//! not come out even.

use std::collections::BTreeMap;

use super::member::Assignment;

/// A member and what it wants to read.
#[derive(Debug, Clone)]
pub struct Subscriber {
    pub member_id: String,
    pub topics: Vec<String>,
}

/// Gives every member its partitions; `counts` says how many a topic has.
pub fn assign_by_range(
    subscribers: &[Subscriber],
    counts: &BTreeMap<String, i32>,
) -> BTreeMap<String, Assignment> {
    let mut assigned: BTreeMap<String, Assignment> =
        subscribers.iter().map(|it| (it.member_id.clone(), Assignment::new())).collect();
    for (topic, count) in counts {
        let mut members: Vec<&str> = subscribers
            .iter()
            .filter(|it| it.topics.contains(topic))
            .map(|it| it.member_id.as_str())
            .collect();
        members.sort_unstable();
        members.dedup();
        let among = members.len() as i32;
        let mut next = 0;
        for (index, member) in members.into_iter().enumerate() {
            let size = count / among + i32::from((index as i32) < count % among);
            if size > 0 {
                let assignment = assigned.get_mut(member).expect("every member is there");
                assignment.insert(topic.clone(), (next..next + size).collect());
            }
            next += size;
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_cut_into_runs() {
        check("a:t b:t", "t=4", "a: t 0,1; b: t 2,3;");
        check("b:t a:t c:t", "t=4", "a: t 0,1; b: t 2; c: t 3;");
        check("a:t b:t c:t", "t=2", "a: t 0; b: t 1; c:;");
        check("a:t,u b:u", "t=2 u=3", "a: t 0,1 u 0,1; b: u 2;");
        check("a:t", "t=0", "a:;");
    }

    #[test]
    fn a_topic_that_nobody_wants_goes_to_nobody() {
        check("a:t", "t=1 u=5", "a: t 0;");
        check("", "t=5", "");
    }

    fn check(members: &str, counts: &str, expected: &str) {
        let subscriber = |text: &str| {
            let (member_id, topics) = text.split_once(':').unwrap();
            let topics = topics.split(',').map(str::to_owned).collect();
            Subscriber { member_id: member_id.to_owned(), topics }
        };
        let subscribers: Vec<Subscriber> = members.split_whitespace().map(subscriber).collect();
        let count = |text: &str| {
            let (topic, count) = text.split_once('=').unwrap();
            (topic.to_owned(), count.parse().unwrap())
        };
        let counts: BTreeMap<String, i32> = counts.split_whitespace().map(count).collect();
        let mut shown: Vec<String> = Vec::new();
        for (member, assignment) in assign_by_range(&subscribers, &counts) {
            let topic = |(topic, partitions): (String, Vec<i32>)| {
                let numbers: Vec<String> = partitions.iter().map(i32::to_string).collect();
                format!(" {topic} {}", numbers.join(","))
            };
            shown.push(format!("{member}:{};", assignment.into_iter().map(topic).collect::<String>()));
        }
        assert_eq!(shown.join(" "), expected);
    }
}
