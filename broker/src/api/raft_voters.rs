//! What AddRaftVoter and RemoveRaftVoter have in common: whose cluster it is, and how they are answered.

use protocol::messages::add_raft_voter_response::AddRaftVoterResponse;
use protocol::messages::remove_raft_voter_response::RemoveRaftVoterResponse;
use protocol::{ApiKey, ErrorCode};
use quorum::Refusal;

use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// A client may say which cluster it means.
pub(super) fn check_cluster(broker: &Broker, cluster_id: Option<&str>) -> Result<(), (ErrorCode, String)> {
    let own = &broker.node.cluster_id;
    match cluster_id {
        Some(id) if id != own => {
            Err((ErrorCode::InconsistentClusterId, format!("this is cluster {own}, not {id}")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Kafka's word for why the quorum does not change its voters.
pub(super) fn refusal_code(refusal: &Refusal) -> ErrorCode {
    match refusal {
        Refusal::NotLeader { .. } => ErrorCode::NotLeaderOrFollower,
        Refusal::Busy | Refusal::ChangePending => ErrorCode::RequestTimedOut,
        Refusal::TooLarge | Refusal::LastVoter => ErrorCode::InvalidRequest,
        Refusal::Offline => ErrorCode::KafkaStorageError,
        Refusal::AlreadyVoter => ErrorCode::DuplicateVoter,
        Refusal::UnknownVoter => ErrorCode::VoterNotFound,
    }
}

/// Answers a request whose change has ended.
pub(crate) fn finish(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    request: &Request,
    outcome: Result<(), String>,
) {
    match outcome {
        Ok(()) => finish_with(broker, turn, request, ErrorCode::None, None),
        Err(why) => finish_with(broker, turn, request, ErrorCode::RequestTimedOut, Some(&why)),
    }
}

/// Answers a request.
pub(super) fn finish_with(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    request: &Request,
    error: ErrorCode,
    error_message: Option<&str>,
) {
    let error_code = error.code();
    if request.key == ApiKey::AddRaftVoter {
        let response = AddRaftVoterResponse { error_code, error_message, ..Default::default() };
        broker.reply(turn, request, &response);
    } else {
        let response = RemoveRaftVoterResponse { error_code, error_message, ..Default::default() };
        broker.reply(turn, request, &response);
    }
}
