//! EndTxn (26), versions 0–5: commits or aborts a transaction.
//!
//! Order of checks: id not empty → the coordinator's table (`transactions::coordinator`). It is answered when the decision is in the log, before the
//! markers are written (Q49).
//! - From version 5 (KIP-890) every transaction has an epoch of its own: the answer brings the next, or another producer id
//!   if the epochs are used up. A request of the epoch before repeats the last one; an old one can end no later transaction.
//! - Before version 2 a fenced producer is told INVALID_PRODUCER_EPOCH (Q43).

use protocol::messages::end_txn_request::EndTxnRequest;
use protocol::messages::end_txn_response::EndTxnResponse;
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::transactions::{ask_one, error_for, fresh_id, take_one};
use crate::broker::Broker;
use crate::mail::{PendingId, Turn};
use crate::request::Request;
use crate::transactions::ask::{End, Producer, TxnAnswer, TxnAsk};
use crate::transactions::coordinator::BUMPS_EPOCH_FROM;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::EndTxn, 0..=5, on_end_txn, finish);

/// The first version that knows PRODUCER_FENCED.
const FENCED_FROM: i16 = 2;

/// The first version of clients of transactions version 2.
const EPOCH_BUMP_FROM: i16 = 5;

fn on_end_txn(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: EndTxnRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    if asked.transactional_id.is_empty() {
        return broker.reply(turn, &request, &refusal(ErrorCode::InvalidRequest));
    }
    let (id, end) = (asked.transactional_id.to_owned(), plan(&asked, request.version, None));
    ask_one(broker, turn, request, &id, TxnAsk::End(end));
}

fn plan(asked: &EndTxnRequest<'_>, version: i16, fresh_id: Option<i64>) -> End {
    End {
        producer: Producer { id: asked.producer_id, epoch: asked.producer_epoch },
        is_commit: asked.committed,
        version: if version >= EPOCH_BUMP_FROM { BUMPS_EPOCH_FROM } else { 0 },
        fresh_id,
    }
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let response = match reply {
        Ok(TxnAnswer::NeedsProducerId) => return ask_with_id(broker, turn, request),
        Ok(TxnAnswer::Producer(Producer { id: producer_id, epoch: producer_epoch })) => {
            EndTxnResponse { producer_id, producer_epoch, ..Default::default() }
        }
        Ok(other) => unreachable!("EndTxn is not answered by {other:?}"),
        Err(error) => refusal(error_for(error, request.version, FENCED_FROM)),
    };
    broker.reply(turn, &request, &response);
}

fn ask_with_id(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let Some((request, fresh)) = fresh_id(broker, turn, request) else { return };
    let asked: EndTxnRequest<'_> = request.decode().expect("the request was decoded before");
    match fresh {
        Ok(fresh) => {
            let (id, end) = (asked.transactional_id.to_owned(), plan(&asked, request.version, Some(fresh)));
            ask_one(broker, turn, request, &id, TxnAsk::End(end));
        }
        Err(error) => broker.reply(turn, &request, &refusal(error)),
    }
}

fn refusal(error: ErrorCode) -> EndTxnResponse {
    EndTxnResponse { error_code: error.code(), producer_id: -1, producer_epoch: -1, ..Default::default() }
}
