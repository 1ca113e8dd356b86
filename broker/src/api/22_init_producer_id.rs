//! InitProducerId (22), versions 0–5: gives a producer an id and an epoch.
//!
//! Without a transactional id every producer gets a new id with epoch 0, whatever id it had before: an id that came with the
//! request (versions 3+, KIP-360) means that its sequences broke, and a new id starts new ones (Q45).
//!
//! With one, in this order: not empty, INVALID_REQUEST → timeout above 0 and at most `transaction.max.timeout.ms` (50) → id
//! and epoch both given or none, INVALID_REQUEST → the coordinator's table (`transactions::coordinator`): a new epoch, which
//! fences the producer before; an open transaction is aborted, and the client asks again (Q46).
//! - Ids come from durable blocks of a thousand, so that none is given out twice, crashes included. The controller's core
//!   has them: a coordinator that needs one lets the request go there.
//! - Before version 4 a fenced producer is told INVALID_PRODUCER_EPOCH (KIP-588). Version 6 (two phases) is not served.

use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::transactions::{ask_one, error_for, fresh_id, take_one};
use crate::broker::Broker;
use crate::mail::{PendingId, Turn};
use crate::request::Request;
use crate::transactions;
use crate::transactions::ask::{Init, Producer, TxnAnswer, TxnAsk};

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::InitProducerId, 0..=5, on_init_producer_id, finish);

/// The first version that knows PRODUCER_FENCED.
const FENCED_FROM: i16 = 4;

fn on_init_producer_id(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: InitProducerIdRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let Some(id) = asked.transactional_id else { return give_id(broker, turn, request) };
    match plan(broker, &asked) {
        Ok(init) => {
            let id = id.to_owned();
            ask_one(broker, turn, request, &id, TxnAsk::Init(init));
        }
        Err(error) => broker.reply(turn, &request, &refusal(error)),
    }
}

/// A new id for a producer that is idempotent only.
fn give_id(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let Some((request, fresh)) = fresh_id(broker, turn, request) else { return };
    let response = match fresh {
        Ok(producer_id) => InitProducerIdResponse { producer_id, producer_epoch: 0, ..Default::default() },
        Err(error) => refusal(error),
    };
    broker.reply(turn, &request, &response);
}

fn plan(broker: &Broker, asked: &InitProducerIdRequest<'_>) -> Result<Init, ErrorCode> {
    if asked.transactional_id == Some("") {
        return Err(ErrorCode::InvalidRequest);
    }
    transactions::check_served(&broker.image)?;
    let timeout_ms = asked.transaction_timeout_ms;
    let longest_ms = broker.image.server.values().transaction_max_timeout_ms();
    if !(1..=longest_ms).contains(&timeout_ms) {
        return Err(ErrorCode::InvalidTransactionTimeout);
    }
    let expected = match (asked.producer_id, asked.producer_epoch) {
        (-1, -1) => None,
        (-1, _) | (_, -1) => return Err(ErrorCode::InvalidRequest),
        (id, epoch) => Some(Producer { id, epoch }),
    };
    Ok(Init { timeout_ms, expected, fresh_id: None })
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let response = match reply {
        Ok(TxnAnswer::NeedsProducerId) => return ask_with_id(broker, turn, request),
        Ok(TxnAnswer::Producer(Producer { id: producer_id, epoch: producer_epoch })) => {
            InitProducerIdResponse { producer_id, producer_epoch, ..Default::default() }
        }
        Ok(other) => unreachable!("InitProducerId is not answered by {other:?}"),
        Err(error) => refusal(error_for(error, request.version, FENCED_FROM)),
    };
    broker.reply(turn, &request, &response);
}

fn ask_with_id(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let Some((request, fresh)) = fresh_id(broker, turn, request) else { return };
    let asked: InitProducerIdRequest<'_> = request.decode().expect("the request was decoded before");
    let id = asked.transactional_id.unwrap_or_default().to_owned();
    match plan(broker, &asked).and_then(|init| Ok(Init { fresh_id: Some(fresh?), ..init })) {
        Ok(init) => ask_one(broker, turn, request, &id, TxnAsk::Init(init)),
        Err(error) => broker.reply(turn, &request, &refusal(error)),
    }
}

fn refusal(error: ErrorCode) -> InitProducerIdResponse {
    InitProducerIdResponse {
        error_code: error.code(),
        producer_id: -1,
        producer_epoch: -1,
        ..Default::default()
    }
}
