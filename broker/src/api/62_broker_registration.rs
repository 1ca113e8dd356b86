//! BrokerRegistration (62), versions 0–4: a broker takes part in the cluster, fenced until it has the metadata (KIP-631).
//!
//! Order of checks: this node is the active controller → the cluster is this one → no ZooKeeper → the broker can work with the
//! features of the cluster → no other process of that number is alive. A process that has the data directory of the one before
//! is not another: two cannot have it at a time. So a broker that was killed comes back at once, where Kafka lets it wait for
//! the end of its session.

use protocol::messages::broker_registration_request::BrokerRegistrationRequest;
use protocol::messages::broker_registration_response::BrokerRegistrationResponse;
use protocol::{ApiKey, ErrorCode, encode_response};

use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::controller::Committed;
use crate::metadata::lifecycle::{RegistrationRefusal, plan_registration};
use crate::metadata::record::Record;
use crate::metadata::registration::{Endpoint, FeatureRange, Registration};
use crate::request::Request;

/// This request's entry.
pub const API: Api =
    Api::changing(ApiKey::BrokerRegistration, 0..=4, on_broker_registration).to(ServedTo::Peers);

fn on_broker_registration(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: BrokerRegistrationRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let encode = |error: ErrorCode, broker_epoch: i64| {
        let response =
            BrokerRegistrationResponse { error_code: error.code(), broker_epoch, ..Default::default() };
        encode_response(request.key, request.version, request.correlation_id, &response)
    };
    let planned = check(broker, &asked).and_then(|()| plan(broker, turn, &asked));
    let records = match planned {
        Ok(records) => records,
        Err(error) => {
            let frame = encode(error, -1);
            broker.note_error(request.key, error.code());
            return broker.reply_frame(turn, &request, frame);
        }
    };
    let epoch = match records.first() {
        Some(Record::RegisterBroker(registration)) => registration.epoch,
        _ => unreachable!("a registration begins with its record"),
    };
    tracing::info!(broker = asked.broker_id, epoch, "a broker registers");
    let reply = encode(ErrorCode::None, epoch);
    let failure = encode(ErrorCode::KafkaStorageError, -1);
    let not_controller = encode(ErrorCode::NotController, -1);
    drop(asked);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}

fn check(broker: &mut Broker, asked: &BrokerRegistrationRequest<'_>) -> Result<(), ErrorCode> {
    if !broker.controller().is_active() {
        return Err(ErrorCode::NotController);
    }
    if asked.cluster_id != broker.node.cluster_id {
        return Err(ErrorCode::InconsistentClusterId);
    }
    if asked.is_migrating_zk_broker || asked.broker_id < 0 {
        return Err(ErrorCode::InvalidRequest);
    }
    Ok(())
}

fn plan(
    broker: &mut Broker,
    turn: &Turn<'_>,
    asked: &BrokerRegistrationRequest<'_>,
) -> Result<Vec<Record>, ErrorCode> {
    let image = broker.controller().image().clone();
    let next_offset = broker.controller().log_end_offset();
    let wanted = registration_of(asked);
    let known = image.broker(wanted.id);
    let is_same_place =
        known.is_some_and(|known| !known.log_dirs.is_empty() && known.log_dirs == wanted.log_dirs);
    let is_alive = broker.is_heard_of(turn.now, wanted.id) && !is_same_place;
    plan_registration(&image, &wanted, next_offset, is_alive).map_err(|refusal| match refusal {
        RegistrationRefusal::Duplicate => ErrorCode::DuplicateBrokerRegistration,
        RegistrationRefusal::Feature(why) => {
            tracing::warn!("a broker cannot register: {why}");
            ErrorCode::UnsupportedVersion
        }
    })
}

fn registration_of(asked: &BrokerRegistrationRequest<'_>) -> Registration {
    let endpoints = asked.listeners.iter().map(|listener| Endpoint {
        listener: listener.name.into(),
        host: listener.host.into(),
        port: listener.port,
        security_protocol: listener.security_protocol,
    });
    let features = asked.features.iter().map(|feature| FeatureRange {
        name: feature.name.into(),
        min: feature.min_supported_version,
        max: feature.max_supported_version,
    });
    Registration {
        id: asked.broker_id,
        epoch: -1,
        incarnation: asked.incarnation_id,
        endpoints: endpoints.collect(),
        features: features.collect(),
        rack: asked.rack.map(Into::into),
        log_dirs: asked.log_dirs.clone(),
        is_fenced: true,
        is_shutting_down: false,
    }
}
