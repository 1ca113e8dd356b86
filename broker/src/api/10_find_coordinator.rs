//! FindCoordinator (10), versions 0–6: who coordinates groups and transactions: the leader of the partition that they hash to.
//!
//! - The first look for a group makes `__consumer_offsets`, the first for a transactional id `__transaction_state`; the answer waits until it is there on every core, where Kafka
//!   answers COORDINATOR_NOT_AVAILABLE and lets the client ask again (Q79, Q80).
//! - From version 4 many keys at once, each with its own error (KIP-699, C11).
//! - Transactions are refused with UNSUPPORTED_VERSION and the reason where there are several brokers.
//! - A key type that is neither group nor transaction is INVALID_REQUEST, as share groups are not served; an empty key of a
//!   transaction as well.
//! - The address belongs to the listener of the connection (Q23). Errors have node -1, no host and port -1.

use net::ListenerIndex;
use protocol::messages::find_coordinator_request::FindCoordinatorRequest;
use protocol::messages::find_coordinator_response::{Coordinator, FindCoordinatorResponse};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::addresses::{self, Address};
use crate::broker::Broker;
use crate::groups::TOPIC;
use crate::homes;
use crate::internal_topics;
use crate::mail::Turn;
use crate::metadata::Image;
use crate::metadata::partition_state::NO_LEADER;
use crate::node::Node;
use crate::request::Request;
use crate::transactions;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::FindCoordinator, 0..=6, on_find_coordinator);

/// The first version with many keys.
const BATCH_FROM: i16 = 4;

/// The kinds of key.
const GROUP: i8 = 0;
const TRANSACTION: i8 = 1;

fn on_find_coordinator(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: FindCoordinatorRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let image = broker.image.clone();
    let missing = topic_of(asked.key_type).filter(|topic| image.topic(topic).is_none());
    let Some(topic) = missing.filter(|_| !request.is_retried) else {
        let node = broker.node.clone();
        let response = answer(&image, &node, &asked, &request);
        return broker.reply(turn, &request, &response);
    };
    drop(asked);
    let topic = internal_topics::find(&image, topic).expect("coordinators keep their state in such topics");
    broker.create_topics_for(turn, request, vec![topic.creatable()]);
}

/// The topic that coordinators of a kind keep their state in.
fn topic_of(key_type: i8) -> Option<&'static str> {
    match key_type {
        GROUP => Some(TOPIC),
        TRANSACTION => Some(transactions::TOPIC),
        _ => None,
    }
}

fn answer<'a>(
    image: &'a Image,
    node: &'a Node,
    asked: &FindCoordinatorRequest<'a>,
    request: &Request,
) -> FindCoordinatorResponse<'a> {
    let one = |key: &'a str| match find(image, node, request.listener, asked.key_type, key) {
        Ok(Address { id, host, port, .. }) => {
            Coordinator { key, node_id: id, host, port: i32::from(port), ..Default::default() }
        }
        Err(error) => Coordinator {
            key,
            node_id: -1,
            port: -1,
            error_code: error.code(),
            error_message: Some(match error {
                ErrorCode::UnsupportedVersion => transactions::NOT_SERVED,
                error => error.text(),
            }),
            ..Default::default()
        },
    };
    if request.version >= BATCH_FROM {
        let coordinators = asked.coordinator_keys.iter().map(|key| one(key)).collect();
        return FindCoordinatorResponse { coordinators, ..Default::default() };
    }
    let Coordinator { node_id, host, port, error_code, error_message, .. } = one(asked.key);
    FindCoordinatorResponse { node_id, host, port, error_code, error_message, ..Default::default() }
}

fn find<'a>(
    image: &'a Image,
    node: &'a Node,
    listener: ListenerIndex,
    key_type: i8,
    key: &str,
) -> Result<Address<'a>, ErrorCode> {
    if key_type == TRANSACTION && key.is_empty() {
        return Err(ErrorCode::InvalidRequest);
    }
    if key_type == TRANSACTION {
        transactions::check_served(image)?;
    }
    let topic = topic_of(key_type).ok_or(ErrorCode::InvalidRequest)?;
    let topic = image.topic(topic).ok_or(ErrorCode::CoordinatorNotAvailable)?;
    let partition = topic.partition(homes::partition_of(key, topic.partitions.len()));
    let leader = partition.map_or(NO_LEADER, |meta| meta.state.leader);
    addresses::find(image, node, listener, leader).ok_or(ErrorCode::CoordinatorNotAvailable)
}
