//! DeleteRecords (21), versions 0–2: moves a partition's log start up, so that older records can go.
//!
//! Order of checks, per partition: not an internal topic → topic and partition known → topic may lose records by age → at
//! its home: offset in range.
//! - `offset = -1` means the high watermark (KIP-107); below the log's start nothing happens (Q72).
//! - A topic whose `cleanup.policy` lacks `delete` answers POLICY_VIOLATION: its records leave by key (C75).
//! - The answer comes when the new start is on disk. Whole segments before it go in the background.
//! - Not checked on purpose: `timeout_ms`. The answer needs this node's disk alone, which has a deadline of its own.

use protocol::messages::delete_records_request::DeleteRecordsRequest;
use protocol::messages::delete_records_response::{
    DeleteRecordsPartitionResult, DeleteRecordsResponse, DeleteRecordsTopicResult,
};
use protocol::{ApiKey, ErrorCode};
use shard::ShardId;

use super::Api;
use crate::answer::{Answer, Trimmed};
use crate::broker::Broker;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::metadata::Image;
use crate::request::Request;
use crate::topic_name;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::DeleteRecords, 0..=2, on_delete_records, finish);

fn on_delete_records(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let (mut questions, mut refused, mut number) = (Vec::new(), Vec::new(), 0);
    match request.decode::<DeleteRecordsRequest<'_>>() {
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
        Ok(asked) => {
            for topic in &asked.topics {
                for partition in &topic.partitions {
                    match plan_trim(&image, topic.name, partition.partition_index) {
                        Ok((home, id)) => {
                            let ask = Ask::Trim { offset: partition.offset };
                            let question = Question { number, partition: id, current_leader_epoch: -1, ask };
                            questions.push((home, question));
                        }
                        Err(refusal) => refused.push((number, refusal.code())),
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
        broker.on_answer(turn, id, number, Answer::Trimmed(Trimmed::refused(error)));
    }
    broker.ask(turn, id, questions);
}

/// Why a partition is not even asked.
#[derive(Debug, Clone, Copy)]
enum Refusal {
    Internal,
    UnknownPartition,
    KeptByKey,
}

impl Refusal {
    fn code(self) -> ErrorCode {
        match self {
            Refusal::Internal => ErrorCode::InvalidTopicException,
            Refusal::UnknownPartition => ErrorCode::UnknownTopicOrPartition,
            Refusal::KeptByKey => ErrorCode::PolicyViolation,
        }
    }
}

/// Decides whose log start moves; touches nothing.
fn plan_trim(image: &Image, topic: &str, partition: i32) -> Result<(ShardId, PartitionId), Refusal> {
    if topic_name::is_internal(topic) {
        return Err(Refusal::Internal);
    }
    let topic = image.topic(topic).ok_or(Refusal::UnknownPartition)?;
    let meta = topic.partition(partition).ok_or(Refusal::UnknownPartition)?;
    if !topic.config.values().cleanup_policy().delete {
        return Err(Refusal::KeptByKey);
    }
    Ok((meta.home, PartitionId { topic_id: topic.id, partition }))
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let mut answers = pending.take_answers().map(Answer::trimmed).collect::<Vec<_>>().into_iter();
    let request = pending.request;
    let asked: DeleteRecordsRequest<'_> = request.decode().expect("the request was decoded before");
    let topics = asked.topics.iter().map(|topic| DeleteRecordsTopicResult {
        name: topic.name,
        partitions: topic
            .partitions
            .iter()
            .map(|partition| {
                let answer = answers.next().expect("every partition has an answer");
                DeleteRecordsPartitionResult {
                    partition_index: partition.partition_index,
                    low_watermark: answer.low_watermark,
                    error_code: answer.error.code(),
                    ..Default::default()
                }
            })
            .collect(),
        ..Default::default()
    });
    let response = DeleteRecordsResponse { topics: topics.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
