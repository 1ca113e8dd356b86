//! ListOffsets (2), versions 1–11: the offsets at a log's ends, or of the first record at or after a time.
//!
//! Order of checks, per partition: asked once → topic and partition known → special timestamp known to the version (Q75) →
//! at its home: leader epoch (Q65), then the look-up.
//! - -1 the end (high watermark, last stable offset for read_committed), -2 the start, -3 the newest record (from 7), -4 the
//!   start on local disk (from 8), -5 the end of remote storage (from 9), -6 the first not yet remote (from 11).
//! - There is no remote storage: -4 is the start, -5 and -6 answer -1.
//! - By time: the first *record* with that time or a later one, with its own timestamp; none is -1 without an error (Q76).
//! - Not checked on purpose: `timeout_ms` (from 10), which is for remote storage.

use std::collections::HashSet;

use protocol::messages::list_offsets_request::ListOffsetsRequest;
use protocol::messages::list_offsets_response::{
    ListOffsetsPartitionResponse, ListOffsetsResponse, ListOffsetsTopicResponse,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::answer::{Answer, FoundOffset};
use crate::broker::Broker;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::ListOffsets, 1..=11, on_list_offsets, finish);

/// The isolation level of readers that want only what is stable.
const READ_COMMITTED: i8 = 1;

fn on_list_offsets(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let (mut questions, mut refused, mut number) = (Vec::new(), Vec::new(), 0);
    match request.decode::<ListOffsetsRequest<'_>>() {
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
        Ok(asked) => {
            let twice = repeated(&asked);
            for topic in &asked.topics {
                let known = image.topic(topic.name);
                for partition in &topic.partitions {
                    let meta = known.and_then(|topic| topic.partition(partition.partition_index));
                    let refusal = if twice.contains(&(topic.name, partition.partition_index)) {
                        Some(ErrorCode::InvalidRequest)
                    } else if meta.is_none() {
                        Some(ErrorCode::UnknownTopicOrPartition)
                    } else if request.version < first_version_of(partition.timestamp) {
                        Some(ErrorCode::UnsupportedVersion)
                    } else {
                        None
                    };
                    match (known, meta, refusal) {
                        (Some(topic), Some(meta), None) => {
                            let id = PartitionId { topic_id: topic.id, partition: partition.partition_index };
                            let is_committed = asked.isolation_level == READ_COMMITTED;
                            let question = Question {
                                number,
                                partition: id,
                                current_leader_epoch: partition.current_leader_epoch,
                                ask: Ask::OffsetFor { timestamp: partition.timestamp, is_committed },
                            };
                            questions.push((meta.home, question));
                        }
                        (_, _, refusal) => {
                            refused.push((number, refusal.unwrap_or(ErrorCode::UnknownTopicOrPartition)));
                        }
                    }
                    number += 1;
                }
            }
        }
    }
    let id = broker.pending.insert(request, number as usize, None);
    if number == 0 {
        return finish(broker, turn, id);
    }
    for (number, error) in refused {
        broker.on_answer(turn, id, number, Answer::Offset(FoundOffset::refused(error)));
    }
    broker.ask(turn, id, questions);
}

/// Partitions that are asked for more than once, each a mistake (Q77).
fn repeated<'a>(asked: &ListOffsetsRequest<'a>) -> HashSet<(&'a str, i32)> {
    let mut seen = HashSet::new();
    let all = asked
        .topics
        .iter()
        .flat_map(|topic| topic.partitions.iter().map(|p| (topic.name, p.partition_index)));
    all.filter(|partition| !seen.insert(*partition)).collect()
}

/// The first version that knows a timestamp; one beyond all for those that mean nothing.
fn first_version_of(timestamp: i64) -> i16 {
    match timestamp {
        -2.. => 1,
        -3 => 7,
        -4 => 8,
        -5 => 9,
        -6 => 11,
        _ => i16::MAX,
    }
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let mut answers = pending.take_answers().map(Answer::offset).collect::<Vec<_>>().into_iter();
    let request = pending.request;
    let asked: ListOffsetsRequest<'_> = request.decode().expect("the request was decoded before");
    let topics = asked.topics.iter().map(|topic| ListOffsetsTopicResponse {
        name: topic.name,
        partitions: topic
            .partitions
            .iter()
            .map(|partition| {
                let answer = answers.next().expect("every partition has an answer");
                ListOffsetsPartitionResponse {
                    partition_index: partition.partition_index,
                    error_code: answer.error.code(),
                    timestamp: answer.timestamp,
                    offset: answer.offset,
                    leader_epoch: answer.leader_epoch,
                    ..Default::default()
                }
            })
            .collect(),
        ..Default::default()
    });
    let response = ListOffsetsResponse { topics: topics.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
