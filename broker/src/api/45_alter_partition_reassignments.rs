//! AlterPartitionReassignments (45), versions 0–1: moves partitions to other brokers. There is one.
//!
//! Order of checks, per partition: known → null replicas would cancel a move, and none is under way → the replicas are this
//! broker alone, which changes nothing and succeeds; any other set cannot be had (Q104).

use protocol::messages::alter_partition_reassignments_request::{
    AlterPartitionReassignmentsRequest, ReassignablePartition,
};
use protocol::messages::alter_partition_reassignments_response::{
    AlterPartitionReassignmentsResponse, ReassignablePartitionResponse, ReassignableTopicResponse,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::Image;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::AlterPartitionReassignments, 0..=1, on_alter_partition_reassignments);

fn on_alter_partition_reassignments(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let (image, node_id) = (broker.image.clone(), broker.node.id);
    let asked: AlterPartitionReassignmentsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let responses = asked.topics.iter().map(|topic| ReassignableTopicResponse {
        name: topic.name,
        partitions: topic
            .partitions
            .iter()
            .map(|partition| {
                let (error, why) = judge(&image, node_id, topic.name, partition);
                ReassignablePartitionResponse {
                    partition_index: partition.partition_index,
                    error_code: error.code(),
                    error_message: why,
                    ..Default::default()
                }
            })
            .collect(),
        ..Default::default()
    });
    let response = AlterPartitionReassignmentsResponse {
        allow_replication_factor_change: asked.allow_replication_factor_change,
        responses: responses.collect(),
        ..Default::default()
    };
    broker.reply(turn, &request, &response);
}

fn judge(
    image: &Image,
    node_id: i32,
    topic: &str,
    partition: &ReassignablePartition,
) -> (ErrorCode, Option<&'static str>) {
    let is_known =
        image.topic(topic).is_some_and(|topic| topic.partition(partition.partition_index).is_some());
    let refuse = |error: ErrorCode| (error, Some(error.text()));
    match &partition.replicas {
        _ if !is_known => refuse(ErrorCode::UnknownTopicOrPartition),
        None => refuse(ErrorCode::NoReassignmentInProgress),
        Some(replicas) if *replicas == [node_id] => (ErrorCode::None, None),
        Some(_) => (
            ErrorCode::InvalidReplicaAssignment,
            Some("this broker is alone: the replicas can be this broker, once, and no other"),
        ),
    }
}
