//! ListConfigResources (74), versions 0–1: everything that can have settings.
//!
//! - Version 0 asks for client metrics alone, of which there are none.
//! - Version 1 names kinds; none named means all (KIP-1142). A kind that Kafka does not list is UNSUPPORTED_VERSION.

use protocol::messages::list_config_resources_request::ListConfigResourcesRequest;
use protocol::messages::list_config_resources_response::{ConfigResource, ListConfigResourcesResponse};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::ListConfigResources, 0..=1, on_list_config_resources);

const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const BROKER_LOGGER: i8 = 8;
const CLIENT_METRICS: i8 = 16;
const GROUP: i8 = 32;

/// The kinds that Kafka lists.
const KINDS: [i8; 5] = [TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP];

fn on_list_config_resources(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: ListConfigResourcesRequest = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let kinds = match (request.version, asked.resource_types.as_slice()) {
        (0, _) => &[CLIENT_METRICS][..],
        (_, []) => &KINDS[..],
        (_, kinds) => kinds,
    };
    if kinds.iter().any(|kind| !KINDS.contains(kind)) {
        let error_code = ErrorCode::UnsupportedVersion.code();
        return broker.reply(
            turn,
            &request,
            &ListConfigResourcesResponse { error_code, ..Default::default() },
        );
    }
    let brokers: Vec<String> = image.brokers().map(|broker| broker.id.to_string()).collect();
    let resource =
        |resource_type, resource_name| ConfigResource { resource_name, resource_type, ..Default::default() };
    let mut config_resources = Vec::new();
    for &kind in kinds {
        match kind {
            TOPIC => config_resources.extend(image.topics().map(|topic| resource(TOPIC, &*topic.name))),
            BROKER | BROKER_LOGGER => {
                config_resources.extend(brokers.iter().map(|broker| resource(kind, broker.as_str())));
            }
            GROUP => {
                config_resources.extend(image.configured_groups().map(|group| resource(GROUP, &**group)))
            }
            // There are no subscriptions to client metrics.
            _ => {}
        }
    }
    broker.reply(turn, &request, &ListConfigResourcesResponse { config_resources, ..Default::default() });
}
