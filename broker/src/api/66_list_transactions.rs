//! ListTransactions (66), versions 0–2: the transactional ids that this node coordinates (KIP-664).
//!
//! - Filters: states (a word that is no state is told back as unknown), producer ids, from version 1 how long ago the
//!   transaction began (KIP-994), from version 2 an expression that the whole id matches (KIP-1152); one that is none is
//!   INVALID_REGULAR_EXPRESSION.
//! - While a coordinator loads, the whole answer is its error: a list with a gap would be taken for the truth.

use std::sync::Arc;

use protocol::messages::list_transactions_request::ListTransactionsRequest;
use protocol::messages::list_transactions_response::{ListTransactionsResponse, TransactionState};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::transactions::{ask_all, take};
use crate::broker::Broker;
use crate::mail::{PendingId, Turn};
use crate::request::Request;
use crate::transactions::ask::{Filter, Listed, TxnAnswer, TxnAsk};
use crate::transactions::record::State;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::ListTransactions, 0..=2, on_list_transactions, finish);

/// An expression may compile to this many bytes, so that one request cannot fill the memory.
const REGEX_BYTES_MAX: usize = 1 << 20;

fn on_list_transactions(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: ListTransactionsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let states: Vec<State> = asked.state_filters.iter().filter_map(|name| State::of_name(name)).collect();
    let pattern = asked.transactional_id_pattern.filter(|pattern| !pattern.is_empty()).map(|pattern| {
        regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(REGEX_BYTES_MAX).build()
    });
    let Ok(pattern) = pattern.transpose() else {
        let error_code = ErrorCode::InvalidRegularExpression.code();
        return broker.reply(turn, &request, &ListTransactionsResponse { error_code, ..Default::default() });
    };
    if states.is_empty() && !asked.state_filters.is_empty() {
        // Nothing is in a state that is none.
        let unknown_state_filters = asked.state_filters.clone();
        let response = ListTransactionsResponse { unknown_state_filters, ..Default::default() };
        return broker.reply(turn, &request, &response);
    }
    let duration_ms = if request.version >= 1 { asked.duration_filter } else { -1 };
    let filter = Filter { states, producers: asked.producer_id_filters.clone(), duration_ms, pattern };
    ask_all(broker, turn, request, &TxnAsk::List(Arc::new(filter)));
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let asked: ListTransactionsRequest<'_> = request.decode().expect("the request was decoded before");
    let listed: Result<Vec<Vec<Listed>>, ErrorCode> = replies
        .into_iter()
        .map(|reply| match reply {
            Ok(TxnAnswer::Listed(listed)) => Ok(listed),
            Ok(other) => unreachable!("ListTransactions is not answered by {other:?}"),
            Err(error) => Err(error),
        })
        .collect();
    let error = listed.as_ref().err().copied().unwrap_or(ErrorCode::None);
    let listed = listed.unwrap_or_default();
    let states = listed.iter().flatten().map(|listed| TransactionState {
        transactional_id: &listed.id,
        producer_id: listed.producer_id,
        transaction_state: listed.state.name(),
        ..Default::default()
    });
    let unknown = asked.state_filters.iter().filter(|name| State::of_name(name).is_none());
    let response = ListTransactionsResponse {
        error_code: error.code(),
        unknown_state_filters: unknown.copied().collect(),
        transaction_states: states.collect(),
        ..Default::default()
    };
    broker.reply(turn, &request, &response);
}
