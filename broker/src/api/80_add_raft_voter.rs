//! AddRaftVoter (80), versions 0–1: makes a node a voter of the metadata quorum (KIP-853).
//!
//! Order of checks: cluster id → number → listeners → the quorum's own (`raft_voters`): this node leads it, no other change is under
//! way, the node does not vote already. The new voter learns the log first and votes when it has caught up, so that a majority
//! never waits for it; the answer comes when the change is committed, or, if version 1 asks for that, when it has begun. A node that
//! does not catch up within a minute is answered REQUEST_TIMED_OUT and is no voter.
//! Not heeded on purpose: `timeout_ms`, since that minute is the deadline.

use protocol::messages::add_raft_voter_request::AddRaftVoterRequest;
use protocol::{ApiKey, ErrorCode};
use quorum::{Endpoint, NodeId, Voter};

use super::raft_voters::{check_cluster, finish_with, refusal_code};
use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::AddRaftVoter, 0..=1, on_add_raft_voter).to(ServedTo::All);

fn on_add_raft_voter(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: AddRaftVoterRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let planned = check_cluster(broker, asked.cluster_id).and_then(|()| plan(&asked));
    let waits = asked.ack_when_committed;
    drop(asked);
    let voter = match planned {
        Ok(voter) => voter,
        Err((error, why)) => return finish_with(broker, turn, &request, error, Some(&why)),
    };
    let begun = if waits {
        broker.controller().add_voter(turn.disk, turn.wall_ms, request, voter).map(|effects| (effects, None))
    } else {
        broker.controller().begin_adding(turn.disk, turn.wall_ms, request, voter)
    };
    match begun {
        Ok((effects, answered)) => {
            if let Some(request) = answered {
                finish_with(broker, turn, &request, ErrorCode::None, None);
            }
            broker.carry_out(turn, effects);
        }
        Err(refused) => {
            let (request, refusal) = *refused;
            let why = refusal.to_string();
            finish_with(broker, turn, &request, refusal_code(&refusal), Some(&why));
        }
    }
}

/// The voter that is asked for.
fn plan(asked: &AddRaftVoterRequest<'_>) -> Result<Voter, (ErrorCode, String)> {
    if asked.voter_id < 0 {
        return Err((ErrorCode::InvalidRequest, "a voter's number is not negative".to_owned()));
    }
    let endpoints = asked.listeners.iter().map(|listener| Endpoint {
        name: listener.name.to_owned(),
        host: listener.host.to_owned(),
        port: listener.port,
    });
    let endpoints: Vec<Endpoint> = endpoints.collect();
    let can_be_reached = !endpoints.is_empty()
        && endpoints.iter().all(|endpoint| !endpoint.host.is_empty() && endpoint.port > 0);
    if !can_be_reached {
        let why = "a voter has a listener at least, with a host and a port".to_owned();
        return Err((ErrorCode::InvalidRequest, why));
    }
    Ok(Voter { id: NodeId(asked.voter_id), directory_id: asked.voter_directory_id, endpoints })
}
