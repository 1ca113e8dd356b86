//! AllocateProducerIds (67), version 0: a block of producer ids for one broker (KIP-730).
//!
//! Order of checks: this node is the active controller → the broker is registered → the registration is its newest.

use protocol::messages::allocate_producer_ids_request::AllocateProducerIdsRequest;
use protocol::messages::allocate_producer_ids_response::AllocateProducerIdsResponse;
use protocol::{ApiKey, ErrorCode, encode_response};

use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::controller::Committed;
use crate::metadata::record::Record;
use crate::request::Request;

/// This request's entry.
pub const API: Api =
    Api::changing(ApiKey::AllocateProducerIds, 0..=0, on_allocate_producer_ids).to(ServedTo::Peers);

/// Ids in a block, as in Kafka.
const BLOCK: i32 = 1000;

fn on_allocate_producer_ids(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: AllocateProducerIdsRequest = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let image = broker.controller().image().clone();
    let encode = |error: ErrorCode, first: i64, count: i32| {
        let response = AllocateProducerIdsResponse {
            error_code: error.code(),
            producer_id_start: first,
            producer_id_len: count,
            ..Default::default()
        };
        encode_response(request.key, request.version, request.correlation_id, &response)
    };
    let refusal = match image.broker(asked.broker_id) {
        _ if !broker.controller().is_active() => Some(ErrorCode::NotController),
        None => Some(ErrorCode::BrokerIdNotRegistered),
        Some(known) if known.epoch != asked.broker_epoch => Some(ErrorCode::StaleBrokerEpoch),
        Some(_) => None,
    };
    if let Some(error) = refusal {
        let frame = encode(error, -1, 0);
        return broker.reply_frame(turn, &request, frame);
    }
    let first = image.next_producer_id;
    let records = [Record::ProducerIds { next: first + i64::from(BLOCK) }];
    let reply = encode(ErrorCode::None, first, BLOCK);
    let failure = encode(ErrorCode::KafkaStorageError, -1, 0);
    let not_controller = encode(ErrorCode::NotController, -1, 0);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}
