//! Reading as a member of a group: joins, reads what it is given, commits what was printed, leaves.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use net::client::{Client, TopicMap};

use super::fetching::{Fetching, Span};
use super::follow::Reading;
use super::member::{Assignment, Member};
use super::range;
use crate::cli::commits::{Commit, Committer, Place, commit, committed};
use crate::cli::failure::{Failure, tell};
use crate::cli::topic::{distinct, find_topics};

/// How often the member says that it lives.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How often it commits.
const COMMIT: Duration = Duration::from_secs(1);

/// Reads until it is over.
pub fn run(mut reading: Reading<'_>, client: &mut Client, group: &str) -> Result<(), Failure> {
    let names = distinct(&reading.args.topics);
    let mut member = Member::new(group, &names, reading.stop.clone());
    let done = rounds(&mut reading, client, group, &mut member, &names);
    // Whatever happened, the others need not wait for this member.
    let left = member.leave(client);
    done?;
    Ok(left?)
}

fn rounds(
    reading: &mut Reading<'_>,
    client: &mut Client,
    group: &str,
    member: &mut Member,
    names: &[&str],
) -> Result<(), Failure> {
    loop {
        let topics = find_topics(client, names)?;
        let counts = topics.iter().map(|topic| (topic.name.clone(), topic.partitions.len() as i32)).collect();
        let Some(assignment) = member.join(client, &counts)? else { return Ok(()) };
        let spans = spans_of(reading, client, group, &topics, &assignment)?;
        let mut round = Round {
            group,
            committed: positions(&spans),
            spans,
            heartbeat: Instant::now(),
            commit: Instant::now(),
        };
        if round.run(reading, client, member)? {
            return Ok(());
        }
    }
}

/// What is to be read: from what was committed, or else from where the command line says.
fn spans_of(
    reading: &Reading<'_>,
    client: &mut Client,
    group: &str,
    topics: &[TopicMap],
    assignment: &Assignment,
) -> Result<Vec<Span>, Failure> {
    let mut spans = Vec::new();
    for (name, partitions) in assignment {
        let Some(topic) = topics.iter().find(|topic| topic.name == *name) else { continue };
        spans.extend(partitions.iter().map(|partition| Span::new(&topic.name, topic.id, *partition)));
    }
    let isolation = reading.args.isolation();
    range::begin(client, &mut spans, reading.args.from, isolation)?;
    range::end(client, &mut spans, reading.args.end(), isolation, reading.started_ms)?;
    let commits = client.until_done(|client| committed(client, group))?;
    for span in &mut spans {
        if let Some(commit) = commits.get(&(span.topic.to_string(), span.partition)) {
            span.next = commit.offset;
        }
    }
    Ok(spans)
}

fn positions(spans: &[Span]) -> BTreeMap<Place, i64> {
    spans.iter().map(|span| ((span.topic.to_string(), span.partition), span.next)).collect()
}

/// One generation of the group.
struct Round<'a> {
    group: &'a str,
    spans: Vec<Span>,
    /// What the coordinator knows.
    committed: BTreeMap<Place, i64>,
    heartbeat: Instant,
    commit: Instant,
}

impl Round<'_> {
    /// Reads until it is over (`true`) or the group rebalances (`false`).
    fn run(
        &mut self,
        reading: &mut Reading<'_>,
        client: &mut Client,
        member: &mut Member,
    ) -> Result<bool, Failure> {
        let mut fetching: Option<Fetching> = None;
        let has_nothing_to_end = self.spans.is_empty() && reading.args.end().is_some();
        while !has_nothing_to_end && !reading.is_over(&self.spans) {
            fetching = reading.step(client, &mut self.spans, fetching)?;
            if self.commit.elapsed() >= COMMIT {
                self.commit = Instant::now();
                if !self.commit(reading, client, member)? {
                    return Ok(false);
                }
            }
            if self.heartbeat.elapsed() >= HEARTBEAT {
                self.heartbeat = Instant::now();
                if !client.until_done(|client| member.heartbeat(client))? {
                    drop(fetching);
                    // Others go on from here: what is printed must be committed before they do.
                    self.commit(reading, client, member)?;
                    return Ok(false);
                }
            }
        }
        self.commit(reading, client, member)?;
        Ok(true)
    }

    /// Commits what was printed since the last time; `false` if the group has moved on.
    fn commit(
        &mut self,
        reading: &mut Reading<'_>,
        client: &mut Client,
        member: &Member,
    ) -> Result<bool, Failure> {
        reading.output.flush()?;
        let now = positions(&self.spans);
        let changed: BTreeMap<Place, Commit> = now
            .iter()
            .filter(|(place, offset)| self.committed.get(*place) != Some(offset))
            .map(|(place, offset)| {
                (place.clone(), Commit { offset: *offset, leader_epoch: -1, metadata: String::new() })
            })
            .collect();
        if changed.is_empty() {
            return Ok(true);
        }
        let committer = Committer { member_id: &member.member_id, generation: member.generation };
        match client.until_done(|client| commit(client, self.group, committer, &changed)) {
            Ok(()) => {
                self.committed = now;
                Ok(true)
            }
            Err(error) if Member::is_overtaken(&error) => {
                tell(&format!(
                    "not committed, for the group has moved on; another member reads again: {error}"
                ));
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}
