//! ElectLeaders (43), versions 0–2: lets partitions elect their leaders anew.
//!
//! With one replica the leader is the preferred one and alive, so no partition needs an election: ELECTION_NOT_NEEDED. When
//! all partitions are asked for (null), those answers are left out (Q105).

use protocol::messages::elect_leaders_request::ElectLeadersRequest;
use protocol::messages::elect_leaders_response::{
    ElectLeadersResponse, PartitionResult, ReplicaElectionResult,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::ElectLeaders, 0..=2, on_elect_leaders);

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
                let is_known =
                    image.topic(topic.topic).is_some_and(|topic| topic.partition(partition_id).is_some());
                let error =
                    if is_known { ErrorCode::ElectionNotNeeded } else { ErrorCode::UnknownTopicOrPartition };
                PartitionResult {
                    partition_id,
                    error_code: error.code(),
                    error_message: Some(error.text()),
                    ..Default::default()
                }
            })
            .collect(),
        ..Default::default()
    });
    let response = ElectLeadersResponse { replica_election_results: results.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
