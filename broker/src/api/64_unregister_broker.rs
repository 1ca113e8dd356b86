//! UnregisterBroker (64), version 0: takes a broker out of the cluster for good (KIP-631).
//!
//! Nothing but its number is checked, as in Kafka: one that lives registers again. What only it had is without a leader.

use protocol::messages::unregister_broker_request::UnregisterBrokerRequest;
use protocol::messages::unregister_broker_response::UnregisterBrokerResponse;
use protocol::{ApiKey, ErrorCode, encode_response};

use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::controller::Committed;
use crate::metadata::lifecycle::plan_unregistration;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::UnregisterBroker, 0..=0, on_unregister_broker).to(ServedTo::All);

fn on_unregister_broker(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: UnregisterBrokerRequest = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let encode = |error: ErrorCode| {
        let error_message = (!error.is_none()).then(|| error.text());
        let response =
            UnregisterBrokerResponse { error_code: error.code(), error_message, ..Default::default() };
        encode_response(request.key, request.version, request.correlation_id, &response)
    };
    let is_active = broker.controller().is_active();
    let records = plan_unregistration(broker.controller().image(), asked.broker_id);
    let records = match records {
        Some(records) if is_active => records,
        found => {
            let error = match found {
                Some(_) => ErrorCode::NotController,
                None => ErrorCode::BrokerIdNotRegistered,
            };
            let frame = encode(error);
            broker.note_error(request.key, error.code());
            return broker.reply_frame(turn, &request, frame);
        }
    };
    let (reply, failure) = (encode(ErrorCode::None), encode(ErrorCode::KafkaStorageError));
    let not_controller = encode(ErrorCode::NotController);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}
