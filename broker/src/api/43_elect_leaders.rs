//! ElectLeaders (43), versions 0–2: lets partitions elect their leaders anew.
//!
//! With one replica the leader is the preferred one, so no partition needs an election: ELECTION_NOT_NEEDED; or its broker is
//! not alive, and none can be held. When all partitions are asked for (null), the answers of the former kind are left out
//! (Q105).

use protocol::messages::elect_leaders_request::ElectLeadersRequest;
use protocol::messages::elect_leaders_response::{
    ElectLeadersResponse, PartitionResult, ReplicaElectionResult,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::partition_state::NO_LEADER;
use crate::metadata::{PartitionMeta, Topic};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::ElectLeaders, 0..=2, on_elect_leaders);

/// The kind of election that makes the first replica the leader.
const PREFERRED: i8 = 0;

fn on_elect_leaders(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: ElectLeadersRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let results = asked.topic_partitions.iter().flatten().map(|topic| ReplicaElectionResult {
        topic: topic.topic,
        partition_result: topic
            .partitions
            .iter()
            .map(|&partition_id| {
                let known = image.topic(topic.topic).and_then(|topic| topic.partition(partition_id));
                result_of(partition_id, judge(known, asked.election_type))
            })
            .collect(),
        ..Default::default()
    });
    let mut replica_election_results: Vec<ReplicaElectionResult<'_>> = results.collect();
    if asked.topic_partitions.is_none() {
        replica_election_results = image
            .topics()
            .map(|topic| leaderless(topic, asked.election_type))
            .filter(|topic| !topic.partition_result.is_empty())
            .collect();
    }
    let response = ElectLeadersResponse { replica_election_results, ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn judge(known: Option<&PartitionMeta>, election_type: i8) -> ErrorCode {
    match known {
        None => ErrorCode::UnknownTopicOrPartition,
        Some(meta) if meta.state.leader != NO_LEADER => ErrorCode::ElectionNotNeeded,
        Some(_) if election_type == PREFERRED => ErrorCode::PreferredLeaderNotAvailable,
        Some(_) => ErrorCode::EligibleLeadersNotAvailable,
    }
}

/// The partitions of a topic that nobody leads.
fn leaderless(topic: &Topic, election_type: i8) -> ReplicaElectionResult<'_> {
    let partitions = topic.partitions.iter().zip(0..).filter(|(meta, _)| meta.state.leader == NO_LEADER);
    ReplicaElectionResult {
        topic: &topic.name,
        partition_result: partitions
            .map(|(meta, partition)| result_of(partition, judge(Some(meta), election_type)))
            .collect(),
        ..Default::default()
    }
}

fn result_of(partition_id: i32, error: ErrorCode) -> PartitionResult<'static> {
    PartitionResult {
        partition_id,
        error_code: error.code(),
        error_message: Some(error.text()),
        ..Default::default()
    }
}
