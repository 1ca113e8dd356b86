//! OffsetForLeaderEpoch (23), versions 2–4: where a leader epoch ends, so that a reader finds out what it must drop.
//!
//! Order of checks, per partition: topic and partition known → at its home: leader epoch (Q65), then the look-up. The
//! answer is the largest epoch that is not above the asked one, and the start of the next or the log's end (Q78).

use protocol::messages::offset_for_leader_epoch_request::OffsetForLeaderEpochRequest;
use protocol::messages::offset_for_leader_epoch_response::{
    EpochEndOffset, OffsetForLeaderEpochResponse, OffsetForLeaderTopicResult,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::answer::{Answer, EpochEnd};
use crate::broker::Broker;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::OffsetForLeaderEpoch, 2..=4, on_offset_for_leader_epoch, finish);

fn on_offset_for_leader_epoch(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let (mut questions, mut unknown, mut number) = (Vec::new(), Vec::new(), 0);
    match request.decode::<OffsetForLeaderEpochRequest<'_>>() {
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
        Ok(asked) => {
            for topic in &asked.topics {
                for partition in &topic.partitions {
                    let known = image.topic(topic.topic);
                    match known.and_then(|topic| Some((topic.id, topic.partition(partition.partition)?))) {
                        Some((topic_id, meta)) => questions.push((
                            meta.home,
                            Question {
                                number,
                                partition: PartitionId { topic_id, partition: partition.partition },
                                current_leader_epoch: partition.current_leader_epoch,
                                ask: Ask::EpochEnd(partition.leader_epoch),
                            },
                        )),
                        None => unknown.push(number),
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
    let error = ErrorCode::UnknownTopicOrPartition;
    for number in unknown {
        broker.on_answer(
            turn,
            id,
            number,
            Answer::EpochEnd(EpochEnd { error, leader_epoch: -1, end_offset: -1 }),
        );
    }
    broker.ask(turn, id, questions);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let mut answers = pending.take_answers().map(Answer::epoch_end).collect::<Vec<_>>().into_iter();
    let request = pending.request;
    let asked: OffsetForLeaderEpochRequest<'_> = request.decode().expect("the request was decoded before");
    let topics = asked.topics.iter().map(|topic| OffsetForLeaderTopicResult {
        topic: topic.topic,
        partitions: topic
            .partitions
            .iter()
            .map(|partition| {
                let answer = answers.next().expect("every partition has an answer");
                EpochEndOffset {
                    error_code: answer.error.code(),
                    partition: partition.partition,
                    leader_epoch: answer.leader_epoch,
                    end_offset: answer.end_offset,
                    ..Default::default()
                }
            })
            .collect(),
        ..Default::default()
    });
    let response = OffsetForLeaderEpochResponse { topics: topics.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
