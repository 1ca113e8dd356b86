//! BrokerHeartbeat (63), versions 0–2: a broker says that it lives, how much of the metadata it has, and whether it wants to stop
//! (KIP-631).
//!
//! Order of checks: this node is the active controller → the broker is registered → the registration is its newest. What the
//! heartbeat changes is in force when it is answered. Directories that are offline or cordoned change nothing: a broker has one.

use protocol::messages::broker_heartbeat_request::BrokerHeartbeatRequest;
use protocol::messages::broker_heartbeat_response::BrokerHeartbeatResponse;
use protocol::{ApiKey, ErrorCode, encode_response};

use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::controller::Committed;
use crate::metadata::lifecycle::{Heartbeat, HeartbeatAnswer, HeartbeatRefusal, plan_heartbeat};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::BrokerHeartbeat, 0..=2, on_broker_heartbeat).to(ServedTo::Peers);

fn on_broker_heartbeat(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: BrokerHeartbeatRequest = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let refused = HeartbeatAnswer { is_caught_up: false, is_fenced: true, should_shut_down: false };
    let encode = |error: ErrorCode, answer: HeartbeatAnswer| {
        let response = BrokerHeartbeatResponse {
            error_code: error.code(),
            is_caught_up: answer.is_caught_up,
            is_fenced: answer.is_fenced,
            should_shut_down: answer.should_shut_down,
            ..Default::default()
        };
        encode_response(request.key, request.version, request.correlation_id, &response)
    };
    let heartbeat = Heartbeat {
        id: asked.broker_id,
        epoch: asked.broker_epoch,
        metadata_offset: asked.current_metadata_offset,
        wants_fence: asked.want_fence,
        wants_shutdown: asked.want_shut_down,
    };
    let image = broker.controller().image().clone();
    let planned = match broker.controller().is_active() {
        true => plan_heartbeat(&image, &heartbeat).map_err(|refusal| match refusal {
            HeartbeatRefusal::NotRegistered => ErrorCode::BrokerIdNotRegistered,
            HeartbeatRefusal::StaleEpoch => ErrorCode::StaleBrokerEpoch,
        }),
        false => Err(ErrorCode::NotController),
    };
    let (records, answer) = match planned {
        Ok(planned) => planned,
        Err(error) => {
            let frame = encode(error, refused);
            broker.note_error(request.key, error.code());
            return broker.reply_frame(turn, &request, frame);
        }
    };
    broker.on_heard_of(turn.now, heartbeat.id);
    let reply = encode(ErrorCode::None, answer);
    if records.is_empty() {
        return broker.reply_frame(turn, &request, reply);
    }
    tracing::info!(broker = heartbeat.id, is_fenced = answer.is_fenced, "a broker's part changes");
    let failure = encode(ErrorCode::KafkaStorageError, refused);
    let not_controller = encode(ErrorCode::NotController, refused);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}
