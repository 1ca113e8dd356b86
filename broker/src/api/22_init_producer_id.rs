//! InitProducerId (22), versions 0–5: gives an idempotent producer an id of its own.
//!
//! - Without a transactional id every producer gets a new id with epoch 0, whatever id it had before: an id that came with
//!   the request (versions 3+, KIP-360) means that its sequences broke, and a new id starts new ones (Q45).
//! - With one, the answer is a reasoned refusal: this version has no transactions. An empty one is INVALID_REQUEST.
//! - Ids come from durable blocks of a thousand, so that none is given out twice, crashes included.

use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::InitProducerId, 0..=5, on_init_producer_id);

fn on_init_producer_id(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: InitProducerIdRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let refused = match asked.transactional_id {
        None => None,
        Some("") => Some(ErrorCode::InvalidRequest),
        Some(_) => Some(ErrorCode::UnsupportedVersion),
    };
    let response = match refused {
        Some(error) => refusal(error),
        None => match broker.controller().next_producer_id(turn.disk, turn.wall_ms) {
            Ok(producer_id) => {
                InitProducerIdResponse { producer_id, producer_epoch: 0, ..Default::default() }
            }
            Err(error) => {
                tracing::error!(%error, "no producer id can be given out: the metadata log cannot be written");
                refusal(ErrorCode::CoordinatorNotAvailable)
            }
        },
    };
    broker.reply(turn, &request, &response);
}

fn refusal(error: ErrorCode) -> InitProducerIdResponse {
    InitProducerIdResponse {
        error_code: error.code(),
        producer_id: -1,
        producer_epoch: -1,
        ..Default::default()
    }
}
