//! DescribeTransactions (65), version 0: where transactional ids stand, and the partitions of what they have open (KIP-664).
//!
//! Per id: not empty, INVALID_REQUEST → its coordinator is here → it is known, TRANSACTIONAL_ID_NOT_FOUND.

use std::collections::BTreeSet;

use protocol::messages::describe_transactions_request::DescribeTransactionsRequest;
use protocol::messages::describe_transactions_response::{
    DescribeTransactionsResponse, TopicData, TransactionState,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::transactions::{ask_many, take};
use crate::broker::Broker;
use crate::mail::{PendingId, Turn};
use crate::request::Request;
use crate::transactions::ask::{Described, TxnAnswer, TxnAsk, TxnReply};

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::DescribeTransactions, 0..=0, on_describe_transactions, finish);

fn on_describe_transactions(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: DescribeTransactionsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    if broker.refuse_too_many(turn, &request, asked.transactional_ids.len()) {
        return;
    }
    let mut seen = BTreeSet::new();
    let asks = asked.transactional_ids.iter().map(|&id| match id {
        // Named again it would take all its partitions once more, in memory.
        id if id.is_empty() || !seen.insert(id) => (id.into(), Err(ErrorCode::InvalidRequest)),
        id => (id.into(), Ok(TxnAsk::Describe)),
    });
    let asks = asks.collect();
    ask_many(broker, turn, request, asks);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let asked: DescribeTransactionsRequest<'_> = request.decode().expect("the request was decoded before");
    let states = asked.transactional_ids.iter().zip(&replies).map(|(id, reply)| state_of(id, reply));
    let response =
        DescribeTransactionsResponse { transaction_states: states.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn state_of<'a>(transactional_id: &'a str, reply: &'a TxnReply) -> TransactionState<'a> {
    let described = match reply {
        Ok(TxnAnswer::Described(described)) => described,
        Ok(other) => unreachable!("DescribeTransactions is not answered by {other:?}"),
        Err(error) => {
            return TransactionState { error_code: error.code(), transactional_id, ..Default::default() };
        }
    };
    let Described { state, timeout_ms, start_ms, producer, partitions } = described;
    let topics = partitions.chunk_by(|one, other| one.0 == other.0).map(|partitions| TopicData {
        topic: &partitions[0].0,
        partitions: partitions.iter().map(|(_, partition)| *partition).collect(),
        ..Default::default()
    });
    TransactionState {
        transactional_id,
        transaction_state: state.name(),
        transaction_timeout_ms: *timeout_ms,
        transaction_start_time_ms: *start_ms,
        producer_id: producer.id,
        producer_epoch: producer.epoch,
        topics: topics.collect(),
        ..Default::default()
    }
}
