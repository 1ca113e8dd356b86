//! AddPartitionsToTxn (24), versions 0–5: partitions that a transaction will write to.
//!
//! Order of checks: id not empty → all partitions are there: else each that is not gets its error, and the others
//! OPERATION_NOT_ATTEMPTED (Q47) → the coordinator's table (`transactions::coordinator`).
//! - From version 4 many transactions at once, each of which may only be verified (KIP-890): brokers among each other; clients
//!   stay with version 3. There is no authorisation yet that could tell them apart.
//! - Before version 2 a fenced producer is told INVALID_PRODUCER_EPOCH (Q43).

use std::sync::Arc;

use protocol::messages::add_partitions_to_txn_request::{AddPartitionsToTxnRequest, AddPartitionsToTxnTopic};
use protocol::messages::add_partitions_to_txn_response::{
    AddPartitionsToTxnPartitionResult, AddPartitionsToTxnResponse, AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::transactions::{ask_many, check_partition, error_for, take};
use crate::broker::Broker;
use crate::mail::{PendingId, Turn};
use crate::metadata::Image;
use crate::request::Request;
use crate::transactions::ask::{Add, Producer, TxnAnswer, TxnAsk, TxnReply};
use crate::transactions::record::Partition;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::AddPartitionsToTxn, 0..=5, on_add_partitions_to_txn, finish);

/// The first version with many transactions.
const BATCH_FROM: i16 = 4;

/// The first version that knows PRODUCER_FENCED.
const FENCED_FROM: i16 = 2;

fn on_add_partitions_to_txn(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: AddPartitionsToTxnRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let of_old = asked.v3_and_below_topics.iter().map(|topic| topic.partitions.len());
    let topics = asked.transactions.iter().flat_map(|asked| &asked.topics);
    let count = of_old.chain(topics.map(|topic| topic.partitions.len())).sum();
    if broker.refuse_too_many(turn, &request, count) {
        return;
    }
    let image = broker.image.clone();
    let one = |id: &str, producer, verify_only, topics: &[AddPartitionsToTxnTopic<'_>]| {
        (Arc::from(id), plan(&image, id, producer, verify_only, topics))
    };
    let asks = if request.version >= BATCH_FROM {
        let each = asked.transactions.iter().map(|asked| {
            let producer = Producer { id: asked.producer_id, epoch: asked.producer_epoch };
            one(asked.transactional_id, producer, asked.verify_only, &asked.topics)
        });
        each.collect()
    } else {
        let producer =
            Producer { id: asked.v3_and_below_producer_id, epoch: asked.v3_and_below_producer_epoch };
        vec![one(asked.v3_and_below_transactional_id, producer, false, &asked.v3_and_below_topics)]
    };
    ask_many(broker, turn, request, asks);
}

fn plan(
    image: &Image,
    id: &str,
    producer: Producer,
    verify_only: bool,
    topics: &[AddPartitionsToTxnTopic<'_>],
) -> Result<TxnAsk, ErrorCode> {
    if id.is_empty() {
        return Err(ErrorCode::InvalidRequest);
    }
    let mut partitions: Vec<Partition> = Vec::new();
    for topic in topics {
        let name: Arc<str> = topic.name.into();
        for &partition in &topic.partitions {
            // What of them is not there is told one by one, see `errors_of`.
            check_partition(image, topic.name, partition).map_err(|_| ErrorCode::OperationNotAttempted)?;
            partitions.push((name.clone(), partition));
        }
    }
    Ok(match verify_only {
        true => TxnAsk::Verify(producer, partitions),
        false => TxnAsk::Add(Add { producer, partitions, version: 0, may_wait: true }),
    })
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let asked: AddPartitionsToTxnRequest<'_> = request.decode().expect("the request was decoded before");
    let image = broker.image.clone();
    let response = if request.version >= BATCH_FROM {
        let each = asked.transactions.iter().zip(&replies).map(|(asked, reply)| AddPartitionsToTxnResult {
            transactional_id: asked.transactional_id,
            topic_results: results(&image, &asked.topics, reply, request.version),
            ..Default::default()
        });
        AddPartitionsToTxnResponse { results_by_transaction: each.collect(), ..Default::default() }
    } else {
        let topics = results(&image, &asked.v3_and_below_topics, &replies[0], request.version);
        AddPartitionsToTxnResponse { results_by_topic_v3_and_below: topics, ..Default::default() }
    };
    broker.reply(turn, &request, &response);
}

fn results<'a>(
    image: &Image,
    topics: &[AddPartitionsToTxnTopic<'a>],
    reply: &TxnReply,
    version: i16,
) -> Vec<AddPartitionsToTxnTopicResult<'a>> {
    let mut number = 0;
    let each = topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|&partition| {
            let error = match reply {
                Ok(TxnAnswer::Done) => ErrorCode::None,
                Ok(TxnAnswer::PerPartition(errors)) => errors[number],
                Ok(other) => unreachable!("AddPartitionsToTxn is not answered by {other:?}"),
                Err(ErrorCode::OperationNotAttempted) => check_partition(image, topic.name, partition)
                    .err()
                    .unwrap_or(ErrorCode::OperationNotAttempted),
                Err(error) => error_for(*error, version, FENCED_FROM),
            };
            number += 1;
            AddPartitionsToTxnPartitionResult {
                partition_index: partition,
                partition_error_code: error.code(),
                ..Default::default()
            }
        });
        AddPartitionsToTxnTopicResult {
            name: topic.name,
            results_by_partition: partitions.collect(),
            ..Default::default()
        }
    });
    each.collect()
}
