//! DescribeQuorum (55), versions 0–2: who keeps the metadata log. This node does, alone.
//!
//! Only `__cluster_metadata` 0 has a quorum; another partition is UNKNOWN_TOPIC_OR_PARTITION, as in Kafka. There is no
//! listener for controllers, so no node's endpoints are told (version 2, KIP-853).

use protocol::messages::describe_quorum_request::DescribeQuorumRequest;
use protocol::messages::describe_quorum_response::{
    DescribeQuorumResponse, Node, PartitionData, ReplicaState, TopicData,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry; the controller's core alone knows where the log ends.
pub const API: Api = Api::changing(ApiKey::DescribeQuorum, 0..=2, on_describe_quorum);

/// The metadata log's topic.
const TOPIC: &str = "__cluster_metadata";

/// The only term of the only leader.
const LEADER_EPOCH: i32 = 1;

fn on_describe_quorum(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: DescribeQuorumRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let node_id = broker.node.id;
    let end = broker.controller().log_end_offset();
    let voter = ReplicaState {
        replica_id: node_id,
        log_end_offset: end,
        last_fetch_timestamp: turn.wall_ms.0,
        last_caught_up_timestamp: turn.wall_ms.0,
        ..Default::default()
    };
    let topics = asked.topics.iter().map(|topic| TopicData {
        topic_name: topic.topic_name,
        partitions: topic
            .partitions
            .iter()
            .map(|partition| {
                let data = PartitionData { partition_index: partition.partition_index, ..Default::default() };
                if topic.topic_name != TOPIC || partition.partition_index != 0 {
                    let error = ErrorCode::UnknownTopicOrPartition;
                    return PartitionData {
                        error_code: error.code(),
                        error_message: Some(error.text()),
                        ..data
                    };
                }
                PartitionData {
                    leader_id: node_id,
                    leader_epoch: LEADER_EPOCH,
                    high_watermark: end,
                    current_voters: vec![voter.clone()],
                    error_message: None,
                    ..data
                }
            })
            .collect(),
        ..Default::default()
    });
    let response = DescribeQuorumResponse {
        error_message: None,
        topics: topics.collect(),
        nodes: vec![Node { node_id, ..Default::default() }],
        ..Default::default()
    };
    broker.reply(turn, &request, &response);
}
