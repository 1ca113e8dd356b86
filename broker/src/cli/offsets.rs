//! Offsets by time, from the leaders of many partitions at once.

use std::collections::{BTreeMap, HashMap};

use net::client::{Client, ClientError, ClusterMap, Target, WantedTopics};
use protocol::ErrorCode;
use protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use protocol::messages::list_offsets_response::ListOffsetsResponse;

/// Asks for the log's first offset.
pub const EARLIEST: i64 = -2;
/// Asks for the log's end.
pub const LATEST: i64 = -1;

/// How often leaders are looked up anew before it is said that there is none.
const ATTEMPTS_MAX: usize = 3;

/// What offsets a reader may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum Isolation {
    /// All of them: to the high watermark.
    ReadUncommitted = 0,
    /// To the last stable offset.
    ReadCommitted = 1,
}

/// A partition, and the time to look for in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    pub topic: String,
    pub partition: i32,
    /// ms since 1970, or [`EARLIEST`] or [`LATEST`].
    pub timestamp: i64,
}

/// Where the first record at or after the time is: `None` if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub offset: Option<i64>,
    pub timestamp: i64,
}

/// What each partition answers, in the order of `wants`; an error is Kafka's number of it.
pub type Answers = Vec<Result<Found, i16>>;

/// Looks all of them up. Each partition may be wanted once.
pub fn look_up(client: &mut Client, wants: &[Want], isolation: Isolation) -> Result<Answers, ClientError> {
    let mut answers: Answers = vec![Err(ErrorCode::LeaderNotAvailable.code()); wants.len()];
    let mut open: Vec<usize> = (0..wants.len()).collect();
    for _ in 0..ATTEMPTS_MAX {
        if open.is_empty() {
            break;
        }
        let mut names: Vec<&str> = open.iter().map(|index| wants[*index].topic.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let map = client.metadata(WantedTopics::Named(&names))?;
        for (leader, indexes) in by_leader(&map, wants, &open, &mut answers) {
            ask_leader(client, leader, wants, &indexes, isolation, &mut answers)?;
        }
        open.retain(|index| answers[*index].is_err_and(has_moved));
    }
    Ok(answers)
}

/// As [`look_up`], where every partition must answer.
pub fn look_up_all(
    client: &mut Client,
    wants: &[Want],
    isolation: Isolation,
) -> Result<Vec<Found>, ClientError> {
    let answers = look_up(client, wants, isolation)?;
    let checked = wants.iter().zip(answers).map(|(want, answer)| answer.map_err(|code| refusal(want, code)));
    checked.collect()
}

fn refusal(want: &Want, code: i16) -> ClientError {
    ClientError::Refused(net::client::Refused {
        request: protocol::ApiKey::ListOffsets,
        broker: String::new(),
        about: format!("partition {} of topic {}", want.partition, want.topic),
        code,
        message: None,
    })
}

fn has_moved(code: i16) -> bool {
    let moved = [ErrorCode::NotLeaderOrFollower, ErrorCode::FencedLeaderEpoch, ErrorCode::UnknownLeaderEpoch];
    moved.iter().any(|error| error.code() == code)
}

fn by_leader(
    map: &ClusterMap,
    wants: &[Want],
    open: &[usize],
    answers: &mut Answers,
) -> BTreeMap<i32, Vec<usize>> {
    let mut by_leader: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for &index in open {
        let want = &wants[index];
        let topic = map.topic(&want.topic).filter(|topic| topic.error_code == 0);
        let Some(partition) = topic.and_then(|topic| topic.partition(want.partition)) else {
            answers[index] = Err(ErrorCode::UnknownTopicOrPartition.code());
            continue;
        };
        match partition.leader {
            Some(leader) => by_leader.entry(leader).or_default().push(index),
            None => answers[index] = Err(ErrorCode::LeaderNotAvailable.code()),
        }
    }
    by_leader
}

fn ask_leader(
    client: &mut Client,
    leader: i32,
    wants: &[Want],
    indexes: &[usize],
    isolation: Isolation,
    answers: &mut Answers,
) -> Result<(), ClientError> {
    let mut places: HashMap<(&str, i32), usize> = HashMap::new();
    let mut by_topic: BTreeMap<&str, Vec<ListOffsetsPartition>> = BTreeMap::new();
    for &index in indexes {
        let Want { topic, partition, timestamp } = &wants[index];
        let earlier = places.insert((topic, *partition), index);
        assert!(earlier.is_none(), "a partition is asked once in a request");
        let partition =
            ListOffsetsPartition { partition_index: *partition, timestamp: *timestamp, ..Default::default() };
        by_topic.entry(topic).or_default().push(partition);
    }
    let topics =
        by_topic.into_iter().map(|(name, partitions)| ListOffsetsTopic { name, partitions }).collect();
    let timeout_ms = client.timeout().as_millis() as i32;
    let request = ListOffsetsRequest { replica_id: -1, isolation_level: isolation as i8, topics, timeout_ms };
    let answer = client.ask(Target::Broker(leader), &request)?;
    let response: ListOffsetsResponse<'_> = client.read(&answer)?;
    for topic in &response.topics {
        for partition in &topic.partitions {
            let Some(&index) = places.get(&(topic.name, partition.partition_index)) else { continue };
            answers[index] = match partition.error_code {
                0 => Ok(Found {
                    offset: Some(partition.offset).filter(|offset| *offset >= 0),
                    timestamp: partition.timestamp,
                }),
                code => Err(code),
            };
        }
    }
    Ok(())
}
