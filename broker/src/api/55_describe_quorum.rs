//! DescribeQuorum (55), versions 0–2: who keeps the metadata log, who leads, and how far everybody is.
//!
//! Only `__cluster_metadata` 0 has a quorum; another partition is UNKNOWN_TOPIC_OR_PARTITION, as in Kafka. A node that does not lead
//! answers NOT_LEADER_OR_FOLLOWER with the leader that it knows. Voters are told with the addresses that the log has of them
//! (version 2, KIP-853); a new voter that has not caught up is an observer. When a follower was heard of last is not kept: it is told
//! as unknown (-1), and as now of the leader itself.

use protocol::messages::describe_quorum_request::DescribeQuorumRequest;
use protocol::messages::describe_quorum_response::{
    DescribeQuorumResponse, Listener, Node, PartitionData, ReplicaState, TopicData,
};
use protocol::{ApiKey, ErrorCode, Uuid};
use quorum::{Members, NodeId, Progress, Standing};

use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry; the controller's core alone knows how the quorum stands.
pub const API: Api = Api::changing(ApiKey::DescribeQuorum, 0..=2, on_describe_quorum).to(ServedTo::All);

/// The metadata log's topic.
const TOPIC: &str = "__cluster_metadata";

fn on_describe_quorum(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: DescribeQuorumRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let me = NodeId(broker.node.id);
    let (standing, members) = broker.controller().standing();
    let members = members.clone();
    let of_log = describe(&standing, &members, me, turn.wall_ms.0);
    let topics = asked.topics.iter().map(|topic| TopicData {
        topic_name: topic.topic_name,
        partitions: topic
            .partitions
            .iter()
            .map(|partition| {
                let index = partition.partition_index;
                let is_log = topic.topic_name == TOPIC && index == 0;
                if is_log { of_log.clone() } else { refusal(index, ErrorCode::UnknownTopicOrPartition) }
            })
            .collect(),
        ..Default::default()
    });
    let response = DescribeQuorumResponse {
        error_message: None,
        topics: topics.collect(),
        nodes: nodes(&members),
        ..Default::default()
    };
    broker.reply(turn, &request, &response);
}

fn refusal(partition_index: i32, error: ErrorCode) -> PartitionData<'static> {
    PartitionData {
        partition_index,
        error_code: error.code(),
        error_message: Some(error.text()),
        ..Default::default()
    }
}

/// The one partition that has a quorum.
fn describe(standing: &Standing, members: &Members, me: NodeId, now: i64) -> PartitionData<'static> {
    let (leader_id, leader_epoch) = (standing.leader.map_or(-1, |leader| leader.0), standing.term as i32);
    if standing.leader != Some(me) {
        let refused = refusal(0, ErrorCode::NotLeaderOrFollower);
        return PartitionData { leader_id, leader_epoch, ..refused };
    }
    let replica = |progress: &Progress| {
        let member = members.voter(progress.id).or_else(|| members.learner(progress.id));
        let seen = if progress.id == me { now } else { -1 };
        ReplicaState {
            replica_id: progress.id.0,
            replica_directory_id: member.map_or(Uuid::ZERO, |member| member.directory_id),
            log_end_offset: progress.log_end_offset.unwrap_or(-1),
            last_fetch_timestamp: seen,
            last_caught_up_timestamp: seen,
        }
    };
    let replicas = |votes: bool| {
        standing.progress.iter().filter(|progress| progress.is_voter == votes).map(replica).collect()
    };
    PartitionData {
        leader_id,
        leader_epoch,
        high_watermark: standing.high_watermark,
        current_voters: replicas(true),
        observers: replicas(false),
        error_message: None,
        ..Default::default()
    }
}

fn nodes(members: &Members) -> Vec<Node<'_>> {
    members
        .voters()
        .map(|voter| Node {
            node_id: voter.id.0,
            listeners: voter
                .endpoints
                .iter()
                .map(|endpoint| Listener {
                    name: &endpoint.name,
                    host: &endpoint.host,
                    port: endpoint.port,
                    ..Default::default()
                })
                .collect(),
            ..Default::default()
        })
        .collect()
}
