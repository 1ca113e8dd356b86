//! AlterPartitionReassignments (45), versions 0–1: moves partitions to other brokers, which is not there yet.
//!
//! Order of checks, per partition: known → null replicas would cancel a move, and none is under way → the replicas are
//! those that it has, which changes nothing and succeeds; any other set cannot be had (Q104).

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
    let image = broker.image.clone();
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
                let (error, why) = judge(&image, topic.name, partition);
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

fn judge(image: &Image, topic: &str, partition: &ReassignablePartition) -> (ErrorCode, Option<&'static str>) {
    let known = image.topic(topic).and_then(|topic| topic.partition(partition.partition_index));
    let refuse = |error: ErrorCode| (error, Some(error.text()));
    match (&partition.replicas, known) {
        (_, None) => refuse(ErrorCode::UnknownTopicOrPartition),
        (None, Some(_)) => refuse(ErrorCode::NoReassignmentInProgress),
        (Some(replicas), Some(meta)) if **replicas == *meta.state.replicas => (ErrorCode::None, None),
        (Some(_), Some(_)) => (
            ErrorCode::InvalidReplicaAssignment,
            Some("partitions cannot be moved to other brokers yet: the replicas can be those that it has"),
        ),
    }
}
