//! How far a group is behind: in records, and in the age of the oldest record that it has not read.
//!
//! ```text
//!   log start      committed        last stable   high watermark
//!   │ … read …     │◀──── lag ─────▶│◀─ open ───▶│
//! ```
//!
//! What lies beyond the last stable offset belongs to open transactions and cannot be read for certain yet. What lay
//! before the log's start is gone, and nobody is behind with it.

use std::collections::{BTreeMap, HashMap};

use net::client::{Client, ClientError, Target, TopicMap, WantedTopics};
use protocol::Uuid;
use protocol::messages::fetch_request::{FetchPartition, FetchRequest, FetchTopic};
use protocol::messages::fetch_response::FetchResponse;

use super::state::GroupState;
use crate::cli::batches::Batches;
use crate::cli::commits::{Commit, Place};
use crate::cli::consume::NAMES_UP_TO;
use crate::cli::offsets::{Answers, EARLIEST, Isolation, LATEST, Want, look_up};
use crate::cli::when::now_ms;

/// How often leaders are asked for the oldest unread records: an answer's size bounds how many it holds.
const ROUNDS_MAX: usize = 50;
/// Of one partition, bytes: a batch.
const BATCH_BYTES: i32 = 1 << 20;
/// Of one answer, bytes.
const ANSWER_BYTES: i32 = 32 << 20;

/// How far a group is with a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionLag {
    pub topic: String,
    pub partition: i32,
    pub committed: Option<Commit>,
    pub log_start: Option<i64>,
    pub last_stable: Option<i64>,
    pub high_watermark: Option<i64>,
    /// Milliseconds since the oldest unread record was written.
    pub behind_ms: Option<i64>,
    /// Which member has it.
    pub member: Option<String>,
    /// What is worth a word.
    pub note: Option<String>,
}

impl PartitionLag {
    /// Records that can be read and were not.
    pub fn records(&self) -> Option<i64> {
        let from = self.next_unread()?;
        Some((self.last_stable? - from).max(0))
    }

    /// The offset of the oldest unread record.
    fn next_unread(&self) -> Option<i64> {
        Some(self.committed.as_ref()?.offset.max(self.log_start?))
    }
}

/// All partitions that a group has committed or that a member has.
pub fn lags(
    client: &mut Client,
    group: &GroupState,
    commits: &BTreeMap<Place, Commit>,
) -> Result<Vec<PartitionLag>, ClientError> {
    let mut owners: BTreeMap<Place, &str> = BTreeMap::new();
    for member in &group.members {
        for (topic, partitions) in &member.partitions {
            owners
                .extend(partitions.iter().map(|partition| ((topic.clone(), *partition), member.id.as_str())));
        }
    }
    let mut places: Vec<&Place> = commits.keys().chain(owners.keys()).collect();
    places.sort_unstable();
    places.dedup();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let starts = offsets(client, &places, EARLIEST, Isolation::ReadUncommitted)?;
    let stables = offsets(client, &places, LATEST, Isolation::ReadCommitted)?;
    let ends = offsets(client, &places, LATEST, Isolation::ReadUncommitted)?;
    let mut names: Vec<&str> = places.iter().map(|(topic, _)| topic.as_str()).collect();
    names.dedup();
    let map = client.metadata(WantedTopics::Named(&names))?;
    let offset = |answers: &Answers, index: usize| answers[index].ok().and_then(|found| found.offset);
    let mut lags = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let mut lag = PartitionLag {
            topic: place.0.clone(),
            partition: place.1,
            committed: commits.get(*place).cloned(),
            log_start: offset(&starts, index),
            last_stable: offset(&stables, index),
            high_watermark: offset(&ends, index),
            behind_ms: None,
            member: owners.get(*place).map(|member| (*member).to_owned()),
            note: None,
        };
        let topic = map.topic(&place.0).filter(|topic| topic.error_code == 0);
        lag.note = note(&lag, topic, group);
        lags.push(lag);
    }
    add_ages(client, &mut lags, &map.topics)?;
    Ok(lags)
}

fn offsets(
    client: &mut Client,
    places: &[&Place],
    timestamp: i64,
    isolation: Isolation,
) -> Result<Answers, ClientError> {
    let want = |place: &&Place| Want { topic: place.0.clone(), partition: place.1, timestamp };
    look_up(client, &places.iter().map(want).collect::<Vec<_>>(), isolation)
}

/// What the numbers do not say by themselves.
fn note(lag: &PartitionLag, topic: Option<&TopicMap>, group: &GroupState) -> Option<String> {
    let Some(topic) = topic else { return Some("the topic does not exist".to_owned()) };
    let Some(partition) = topic.partition(lag.partition) else {
        return Some("the topic has no such partition: it was made anew".to_owned());
    };
    if partition.leader.is_none() {
        return Some("no leader".to_owned());
    }
    let is_other = |id: &Uuid| !id.is_zero() && *id != topic.id;
    if group.members.iter().any(|member| member.topic_ids.get(&lag.topic).is_some_and(is_other)) {
        return Some("the topic was made anew: its id is another than the members know".to_owned());
    }
    let (commit, start, end) = (lag.committed.as_ref()?, lag.log_start?, lag.high_watermark?);
    if partition.leader_epoch >= 0 && commit.leader_epoch > partition.leader_epoch {
        return Some("the topic was made anew: the commit is of a later leader epoch".to_owned());
    }
    if commit.offset > end {
        return Some(format!("{} beyond the log's end: it was cut, or made anew", commit.offset - end));
    }
    if commit.offset < start {
        return Some(format!("{} were deleted before they were read", start - commit.offset));
    }
    let held = end - lag.last_stable?;
    (held > 0).then(|| format!("{held} held back by an open transaction"))
}

/// Looks at the oldest unread record of each partition that has one.
fn add_ages(client: &mut Client, lags: &mut [PartitionLag], topics: &[TopicMap]) -> Result<(), ClientError> {
    let mut open: HashMap<Place, i64> = HashMap::new();
    for lag in lags.iter().filter(|lag| lag.records().is_some_and(|records| records > 0)) {
        let next = lag.next_unread().expect("what lags has a next record");
        open.insert((lag.topic.clone(), lag.partition), next);
    }
    let mut written: HashMap<Place, i64> = HashMap::new();
    for _ in 0..ROUNDS_MAX {
        if open.is_empty() {
            break;
        }
        let before = open.len();
        let mut by_leader: BTreeMap<i32, Vec<(&TopicMap, i32, i64)>> = BTreeMap::new();
        for ((name, partition), next) in &open {
            let topic = topics.iter().find(|topic| topic.name == *name);
            let leader = topic.and_then(|topic| topic.partition(*partition)).and_then(|it| it.leader);
            if let (Some(topic), Some(leader)) = (topic, leader) {
                by_leader.entry(leader).or_default().push((topic, *partition, *next));
            }
        }
        for (leader, wants) in by_leader {
            for (place, timestamp) in timestamps(client, leader, &wants)? {
                open.remove(&place);
                written.insert(place, timestamp);
            }
        }
        if open.len() == before {
            break;
        }
    }
    let now = now_ms();
    for lag in lags {
        let timestamp = written.get(&(lag.topic.clone(), lag.partition));
        lag.behind_ms = match (lag.records(), timestamp) {
            (Some(0), _) => Some(0),
            (_, Some(timestamp)) => Some((now - timestamp).max(0)),
            _ => None,
        };
    }
    Ok(())
}

/// When the first record at or after each offset was written, for as many as one answer holds.
fn timestamps(
    client: &mut Client,
    leader: i32,
    wants: &[(&TopicMap, i32, i64)],
) -> Result<Vec<(Place, i64)>, ClientError> {
    let topic = |(topic, partition, next): &(&'_ TopicMap, i32, i64)| {
        let partition = FetchPartition {
            partition: *partition,
            fetch_offset: *next,
            partition_max_bytes: BATCH_BYTES,
            ..Default::default()
        };
        (topic.name.clone(), topic.id, partition)
    };
    let mut owned: Vec<(String, Uuid, FetchPartition)> = wants.iter().map(topic).collect();
    owned.sort_by(|a, b| (&a.0, a.2.partition).cmp(&(&b.0, b.2.partition)));
    let mut topics: Vec<FetchTopic<'_>> = Vec::new();
    for (name, id, partition) in &owned {
        match topics.last_mut().filter(|last| last.topic == name) {
            Some(last) => last.partitions.push(partition.clone()),
            None => topics.push(FetchTopic {
                topic: name,
                topic_id: *id,
                partitions: vec![partition.clone()],
                ..Default::default()
            }),
        }
    }
    let request =
        FetchRequest { max_wait_ms: 0, min_bytes: 0, max_bytes: ANSWER_BYTES, topics, ..Default::default() };
    let highest = if owned.iter().all(|(_, id, _)| !id.is_zero()) { i16::MAX } else { NAMES_UP_TO };
    let answer = client.ask_below(Target::Broker(leader), &request, highest)?;
    let response: FetchResponse<'_> = client.read(&answer)?;
    answer.check("", response.error_code, None)?;
    let mut found = Vec::new();
    for topic in &response.responses {
        for partition in &topic.partitions {
            let is_it = |want: &&(&TopicMap, i32, i64)| {
                let is_topic = if topic.topic.is_empty() {
                    want.0.id == topic.topic_id
                } else {
                    want.0.name == topic.topic
                };
                is_topic && want.1 == partition.partition_index
            };
            let Some(want) = wants.iter().find(is_it) else { continue };
            if let Some(timestamp) = first_timestamp(partition.records.unwrap_or_default(), want.2) {
                found.push(((want.0.name.clone(), want.1), timestamp));
            }
        }
    }
    Ok(found)
}

/// When the first record at or after `offset` was written; nothing where the bytes hold none.
fn first_timestamp(bytes: &[u8], offset: i64) -> Option<i64> {
    for batch in Batches::of(bytes) {
        let batch = batch.ok()?;
        let mut records = batch.records().ok()?;
        while let Some(record) = records.next().ok()? {
            if batch.header.base_offset.0 + i64::from(record.offset_delta) >= offset {
                return Some(batch.header.timestamp_of(record.timestamp_delta));
            }
        }
    }
    None
}
