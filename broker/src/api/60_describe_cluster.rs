//! DescribeCluster (60), versions 0–2: the cluster's id, its controller and its brokers.
//!
//! - Any broker takes administrative requests, so the controller named is this one (C77).
//! - Endpoint type 1 asks for brokers, 2 for controllers: there is no listener for controllers, so 2 is refused as a mistake
//!   of the listener, and any other as unknown (KIP-919).
//! - Brokers that are fenced are told if that is asked for (version 2, KIP-1073).

use protocol::messages::describe_cluster_request::DescribeClusterRequest;
use protocol::messages::describe_cluster_response::{DescribeClusterBroker, DescribeClusterResponse};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::addresses::{self, Address};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::DescribeCluster, 0..=2, on_describe_cluster);

/// The kinds of endpoint.
const BROKERS: i8 = 1;
const CONTROLLERS: i8 = 2;

fn on_describe_cluster(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: DescribeClusterRequest = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let refusal = match asked.endpoint_type {
        BROKERS => None,
        CONTROLLERS => {
            Some((ErrorCode::MismatchedEndpointType, "this listener is the brokers', not the controllers'"))
        }
        _ => Some((ErrorCode::UnsupportedEndpointType, "an endpoint is the brokers' or the controllers'")),
    };
    if let Some((error, why)) = refusal {
        let refused = DescribeClusterResponse {
            error_code: error.code(),
            error_message: Some(why),
            ..Default::default()
        };
        return broker.reply(turn, &request, &refused);
    }
    let node = broker.node.clone();
    let image = broker.image.clone();
    let asked_for = image.brokers().filter(|broker| asked.include_fenced_brokers || !broker.is_fenced);
    let found = asked_for.filter_map(|broker| addresses::find(&image, &node, request.listener, broker.id));
    let brokers = found.map(|Address { id, host, port, rack, is_fenced }| DescribeClusterBroker {
        broker_id: id,
        host,
        port: i32::from(port),
        rack,
        is_fenced,
        ..Default::default()
    });
    let response = DescribeClusterResponse {
        cluster_id: &node.cluster_id,
        controller_id: node.id,
        brokers: brokers.collect(),
        ..Default::default()
    };
    broker.reply(turn, &request, &response);
}
