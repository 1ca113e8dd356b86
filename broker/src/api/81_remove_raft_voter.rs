//! RemoveRaftVoter (81), version 0: takes a node out of the metadata quorum (KIP-853).
//!
//! Order of checks: cluster id → there is such a voter, with this directory → the quorum's own (`raft_voters`): this node leads it, no
//! other change is under way, another voter is left. It is answered when the change is committed; a leader that is taken out leads
//! until then. A voter of which no directory is known, since the quorum was founded with it and it has never led, is taken out
//! whatever directory is named.

use protocol::messages::remove_raft_voter_request::RemoveRaftVoterRequest;
use protocol::{ApiKey, ErrorCode, Uuid};
use quorum::NodeId;

use super::raft_voters::{check_cluster, finish_with, refusal_code};
use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::RemoveRaftVoter, 0..=0, on_remove_raft_voter).to(ServedTo::All);

fn on_remove_raft_voter(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: RemoveRaftVoterRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let id = NodeId(asked.voter_id);
    let checked = check_cluster(broker, asked.cluster_id)
        .and_then(|()| check_voter(broker, id, asked.voter_directory_id));
    if let Err((error, why)) = checked {
        return finish_with(broker, turn, &request, error, Some(&why));
    }
    match broker.controller().remove_voter(turn.disk, turn.wall_ms, request, id) {
        Ok(effects) => broker.carry_out(turn, effects),
        Err(refused) => {
            let (request, refusal) = *refused;
            let why = refusal.to_string();
            finish_with(broker, turn, &request, refusal_code(&refusal), Some(&why));
        }
    }
}

fn check_voter(broker: &mut Broker, id: NodeId, directory_id: Uuid) -> Result<(), (ErrorCode, String)> {
    let (_, members) = broker.controller().standing();
    let is_meant = members
        .voter(id)
        .is_some_and(|voter| voter.directory_id == directory_id || voter.directory_id == Uuid::ZERO);
    let why = || format!("node {} with the directory {directory_id} is no voter", id.0);
    if is_meant { Ok(()) } else { Err((ErrorCode::VoterNotFound, why())) }
}
