//! Produce (0), versions 3–13, advertised from 0 (Q5): appends record batches to partitions.
//!
//! Order of checks: acks → then per partition: topic known (by name, by id from 13) → topic may be written by clients
//! (Q38) → partition exists → enough replicas in sync for acks=all (Q37) → at its home: leader, batch (see `storage::batch::validate`), sequence.
//! - Batches of a transaction need a transactional id (Q39). The first of each in a partition waits until the coordinator has
//!   confirmed that the partition is in the transaction (Q53); for clients of version 12 and later it is added then (KIP-890).
//! - acks=0 gets no response; an error closes the connection, so that the client looks for the reason (Q12).
//! - acks=1 is answered when the bytes are in the page cache, acks=all when they are on stable storage, unless the topic's
//!   `ringlog.durability` is `os`.
//! - Error partitions answer -1 for offset, time and log start (Q40); record errors and a message from version 8.
//! - Versions by KIP: 7 zstd (110), 8 record errors (467), 10 leader hints (951; a lone broker has none to give), 12 transactions v2 (890), 13 topic ids (516).
//! - Not checked on purpose: `timeout_ms`. The answer needs this node's disk alone, which answers or fails by itself.

use std::sync::Arc;

use net::{CloseReason, ListenerIndex, Reply};
use protocol::messages::produce_response::{
    BatchIndexAndErrorMessage, LeaderIdAndEpoch, NodeEndpoint, PartitionProduceResponse, ProduceResponse,
    TopicProduceResponse,
};
use protocol::{ApiKey, ErrorCode, ProducePartition, ProduceTopic, ProduceView};
use shard::{Buf, ShardId};
use storage::{BatchHeader, Codec, Promise};

use super::addresses::{self, Address};
use super::{Api, produce_verification};
use crate::answer::{Answer, Appended};
use crate::broker::Broker;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::metadata::{Image, Topic};
use crate::node::Node;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api { advertised_from: 0, ..Api::asking(ApiKey::Produce, 3..=13, on_produce, finish) };

/// The acknowledgement that waits for all in-sync replicas, and how many a lone broker has.
const ALL_REPLICAS: i16 = -1;
const REPLICA_COUNT: u32 = 1;

/// The first version that may carry zstd (Q28).
const ZSTD_FROM: i16 = 7;

/// Topics that only the broker writes, and the client id that may do so all the same (Q38).
const INTERNAL_TOPICS: [&str; 2] = ["__consumer_offsets", "__transaction_state"];
const ADMIN_CLIENT_ID: &str = "__admin_client";

fn on_produce(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let frame = request.frame.clone();
    let view = match decode(&request, &frame) {
        Ok(view) => view,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    if broker.refuse_too_many(turn, &request, view.partition_count()) {
        return;
    }
    let is_admin = request.client_id() == ADMIN_CLIENT_ID;
    let named = check_named(&view);
    let mut questions = Vec::with_capacity(view.partition_count());
    let mut refused = Vec::new();
    let mut number = 0;
    for topic in view.topics() {
        let known = find_topic(&broker.image, &topic);
        for partition in topic.partitions() {
            let planned = check_acks(view.acks)
                .and(named)
                .and(known)
                .and_then(|topic| plan_append(topic, &partition, (request.version, view.acks), is_admin));
            match planned {
                Ok((home, id)) => questions
                    .push((home, question(number, id, frame.slice(partition.range.clone()), view.acks))),
                Err(refusal) => refused.push((number, refusal.answer())),
            }
            number += 1;
        }
    }
    let id = broker.pending.insert(request, number as usize, None);
    if number == 0 {
        return finish(broker, turn, id);
    }
    for (number, answer) in refused {
        broker.on_answer(turn, id, number, Answer::Appended(answer));
    }
    broker.ask(turn, id, questions);
}

pub(super) fn decode<'a>(
    request: &'a Request,
    frame: &'a Buf,
) -> Result<ProduceView<'a>, protocol::DecodeError> {
    // The ranges that the view gives are cut out of `frame`, so the decoder must have walked that very frame.
    debug_assert_eq!(request.frame.as_ptr(), frame.as_ptr());
    let mut d = request.body()?;
    ProduceView::decode(&mut d, request.version)
}

fn question(number: u32, partition: PartitionId, records: Buf, acks: i16) -> Question {
    let promise = if acks == -1 { Promise::Disk } else { Promise::PageCache };
    Question { number, partition, current_leader_epoch: -1, ask: Ask::Append(records, promise, None) }
}

/// Batches of a transaction come with its id (Q39).
fn check_named(view: &ProduceView<'_>) -> Result<(), Refusal> {
    let mut batches = view.topics().flat_map(|topic| topic.partitions());
    let is_transactional = |partition: ProducePartition<'_>| {
        let header = partition.records.and_then(BatchHeader::parse);
        header.is_some_and(|header| header.attributes.is_transactional())
    };
    if view.transactional_id.is_none() && batches.any(is_transactional) {
        return Err(Refusal::Unnamed);
    }
    Ok(())
}

/// Why a partition is not even asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    Acks,
    UnknownTopic,
    UnknownTopicId,
    UnknownPartition,
    Internal,
    ZstdTooEarly,
    Unnamed,
    NotEnoughReplicas,
}

impl Refusal {
    fn answer(self) -> Appended {
        let (error, why) = match self {
            Refusal::Acks => (ErrorCode::InvalidRequiredAcks, "acks must be -1, 0 or 1"),
            Refusal::UnknownTopic => (ErrorCode::UnknownTopicOrPartition, "no topic has this name"),
            Refusal::UnknownTopicId => (ErrorCode::UnknownTopicId, "no topic has this id"),
            Refusal::UnknownPartition => {
                (ErrorCode::UnknownTopicOrPartition, "the topic has no such partition")
            }
            Refusal::Internal => {
                (ErrorCode::InvalidTopicException, "only the broker writes to internal topics")
            }
            Refusal::ZstdTooEarly => {
                (ErrorCode::UnsupportedCompressionType, "zstd needs version 7 of Produce or a later one")
            }
            Refusal::NotEnoughReplicas => (
                ErrorCode::NotEnoughReplicas,
                "min.insync.replicas asks for more replicas than a lone broker has",
            ),
            Refusal::Unnamed => (
                ErrorCode::TransactionalIdAuthorizationFailed,
                "a batch belongs to a transaction, and the request names no transactional id",
            ),
        };
        Appended::refused(error, why)
    }
}

fn check_acks(acks: i16) -> Result<(), Refusal> {
    if (-1..=1).contains(&acks) { Ok(()) } else { Err(Refusal::Acks) }
}

pub(super) fn find_topic<'a>(image: &'a Image, topic: &ProduceTopic<'_>) -> Result<&'a Topic, Refusal> {
    if topic.name.is_empty() {
        image.topic_by_id(topic.topic_id).map(|topic| &**topic).ok_or(Refusal::UnknownTopicId)
    } else {
        image.topic(topic.name).map(|topic| &**topic).ok_or(Refusal::UnknownTopic)
    }
}

/// Decides where a batch goes; touches nothing.
fn plan_append(
    topic: &Topic,
    partition: &ProducePartition<'_>,
    (version, acks): (i16, i16),
    is_admin: bool,
) -> Result<(ShardId, PartitionId), Refusal> {
    if INTERNAL_TOPICS.contains(&&*topic.name) && !is_admin {
        return Err(Refusal::Internal);
    }
    let meta = topic.partition(partition.index).ok_or(Refusal::UnknownPartition)?;
    if acks == ALL_REPLICAS && topic.config.values().min_insync_replicas() > REPLICA_COUNT {
        return Err(Refusal::NotEnoughReplicas);
    }
    // What cannot be read here is refused at the partition's home, with the reason.
    if version < ZSTD_FROM
        && let Some(header) = partition.records.and_then(BatchHeader::parse)
        && header.attributes.codec() == Some(Codec::Zstd)
    {
        return Err(Refusal::ZstdTooEarly);
    }
    Ok((meta.home, PartitionId { topic_id: topic.id, partition: partition.index }))
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    if produce_verification::begin_round(broker, turn, id) {
        return;
    }
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let answers: Vec<Appended> = pending.take_answers().map(Answer::appended).collect();
    let request = pending.request;
    let view = decode(&request, &request.frame).expect("the request was decoded before");
    if view.acks == 0 {
        let reply = match answers.iter().find(|answer| !answer.error.is_none()) {
            None => Reply::Silent,
            Some(failed) => {
                let why = failed.message.clone().unwrap_or_else(|| failed.error.text().to_owned());
                Reply::Close(CloseReason::SilentFailure(why.into()))
            }
        };
        return broker.reply_or_close(turn, &request, reply);
    }
    let image = Arc::clone(&broker.image);
    let node = Arc::clone(&broker.node);
    let mut response = ProduceResponse::default();
    let mut leaders = Vec::new();
    let mut answers = answers.iter();
    for topic in view.topics() {
        let mut partitions = Vec::new();
        for partition in topic.partitions() {
            let answer = answers.next().expect("every partition has an answer");
            let mut told = partition_response(partition.index, answer);
            if answer.error == ErrorCode::NotLeaderOrFollower
                && let Some(leader) = leader_of(&image, &topic, partition.index)
            {
                leaders.push(leader.leader_id);
                told.current_leader = leader;
            }
            partitions.push(told);
        }
        response.responses.push(TopicProduceResponse {
            name: topic.name,
            topic_id: topic.topic_id,
            partition_responses: partitions,
            ..TopicProduceResponse::default()
        });
    }
    response.node_endpoints = endpoints_of(&image, &node, request.listener, leaders);
    broker.reply(turn, &request, &response);
}

/// Who leads a partition that is not led here, so that the producer need not ask (KIP-951).
fn leader_of(image: &Image, topic: &ProduceTopic<'_>, partition: i32) -> Option<LeaderIdAndEpoch> {
    let state = &find_topic(image, topic).ok()?.partition(partition)?.state;
    Some(LeaderIdAndEpoch {
        leader_id: state.leader,
        leader_epoch: state.leader_epoch,
        ..LeaderIdAndEpoch::default()
    })
}

fn endpoints_of<'a>(
    image: &'a Image,
    node: &'a Node,
    listener: ListenerIndex,
    leaders: Vec<i32>,
) -> Vec<NodeEndpoint<'a>> {
    let found = addresses::each_once(image, node, listener, leaders);
    found
        .map(|Address { id, host, port, rack, .. }| NodeEndpoint {
            node_id: id,
            host,
            port: i32::from(port),
            rack,
            ..NodeEndpoint::default()
        })
        .collect()
}

fn partition_response(index: i32, answer: &Appended) -> PartitionProduceResponse<'_> {
    let mut response = PartitionProduceResponse {
        index,
        error_code: answer.error.code(),
        base_offset: answer.base_offset,
        log_append_time_ms: answer.log_append_time_ms,
        log_start_offset: answer.log_start_offset,
        error_message: answer.message.as_deref(),
        ..PartitionProduceResponse::default()
    };
    response.record_errors = answer
        .record_errors
        .iter()
        .map(|(index, why)| BatchIndexAndErrorMessage {
            batch_index: *index,
            batch_index_error_message: Some(why),
            ..BatchIndexAndErrorMessage::default()
        })
        .collect();
    response
}
