//! DescribeProducers (61), version 0: the producers that a partition knows, and where their open transactions begin (KIP-664).
//!
//! Per partition: topic and partition known → leader here. `kafka-transactions find-hanging` holds the answer against what the
//! coordinators know.

use std::collections::BTreeSet;

use protocol::messages::describe_producers_request::DescribeProducersRequest;
use protocol::messages::describe_producers_response::{
    DescribeProducersResponse, PartitionResponse, ProducerState, TopicResponse,
};
use protocol::{ApiKey, ErrorCode};
use storage::ProducerRow;

use super::Api;
use crate::answer::Answer;
use crate::broker::Broker;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::DescribeProducers, 0..=0, on_describe_producers, finish);

fn on_describe_producers(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let (mut questions, mut refused, mut number) = (Vec::new(), Vec::new(), 0);
    match request.decode::<DescribeProducersRequest<'_>>() {
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
        Ok(asked) => {
            let count = asked.topics.iter().map(|topic| topic.partition_indexes.len()).sum();
            if broker.refuse_too_many(turn, &request, count) {
                return;
            }
            let mut seen = BTreeSet::new();
            for topic in &asked.topics {
                let known = image.topic(topic.name);
                for &partition in &topic.partition_indexes {
                    let home = known.and_then(|topic| Some((topic.id, topic.partition(partition)?.home)));
                    // Named again it would take all its producers once more, in memory.
                    match home.filter(|_| seen.insert((topic.name, partition))) {
                        Some((topic_id, home)) => {
                            let partition = PartitionId { topic_id, partition };
                            let ask = Ask::Producers;
                            questions
                                .push((home, Question { number, partition, current_leader_epoch: -1, ask }));
                        }
                        None => refused.push(number),
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
    for number in refused {
        broker.on_answer(turn, id, number, Answer::Producers(Err(ErrorCode::UnknownTopicOrPartition)));
    }
    broker.ask(turn, id, questions);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let mut answers = pending.take_answers().map(Answer::producers).collect::<Vec<_>>().into_iter();
    let request = pending.request;
    let asked: DescribeProducersRequest<'_> = request.decode().expect("the request was decoded before");
    let topics = asked.topics.iter().map(|topic| {
        let partitions = topic.partition_indexes.iter().map(|&partition_index| {
            let answer = answers.next().expect("every partition has an answer");
            let error = answer.as_ref().err().copied();
            PartitionResponse {
                partition_index,
                error_code: error.unwrap_or(ErrorCode::None).code(),
                error_message: error.map(ErrorCode::text),
                active_producers: answer.unwrap_or_default().iter().map(state_of).collect(),
                ..Default::default()
            }
        });
        TopicResponse { name: topic.name, partitions: partitions.collect(), ..Default::default() }
    });
    let response = DescribeProducersResponse { topics: topics.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn state_of(row: &ProducerRow) -> ProducerState {
    ProducerState {
        producer_id: row.id.0,
        producer_epoch: i32::from(row.epoch.0),
        last_sequence: row.last_sequence.0,
        last_timestamp: row.last_timestamp,
        coordinator_epoch: row.coordinator_epoch,
        current_txn_start_offset: row.txn_first_offset.map_or(-1, |offset| offset.0),
        ..Default::default()
    }
}
