//! JoinGroup (11), versions 0–9: a member joins, or joins again; answered when the group has come together.
//!
//! Order of checks: the group's name → session timeout (Q85) → then see `groups::classic`.
//! - Version 0 has no rebalance timeout: the session timeout counts for both (Q84).
//! - From 4 a new member without instance id gets an id first, MEMBER_ID_REQUIRED (KIP-394, Q81).
//! - From 5 static members (KIP-345, Q82), from 8 a reason (KIP-800), from 9 a leader that need not assign (KIP-814).
//! - Metadata is opaque: "consumer", "connect" and others are all the same (Q83).

use protocol::messages::join_group_request::JoinGroupRequest;
use protocol::messages::join_group_response::{JoinGroupResponse, JoinGroupResponseMember};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_many, check_name, client_host, take_one};
use crate::broker::Broker;
use crate::groups::ask::{GroupAnswer, GroupAsk, Join, Joined};
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::JoinGroup, 0..=9, on_join_group, finish);

fn on_join_group(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: JoinGroupRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let rebalance_timeout_ms =
        if request.version == 0 { asked.session_timeout_ms } else { asked.rebalance_timeout_ms };
    let protocols = asked.protocols.iter().map(|one| (one.name.to_owned(), one.metadata.into()));
    let join = Join {
        member: asked.member_id.to_owned(),
        instance: asked.group_instance_id.map(str::to_owned),
        session_timeout_ms: asked.session_timeout_ms,
        rebalance_timeout_ms,
        protocol_type: asked.protocol_type.to_owned(),
        protocols: protocols.collect(),
        reason: asked.reason.map(str::to_owned),
        client_id: request.client_id().to_owned(),
        client_host: client_host(&request),
        needs_id: request.version >= 4,
        can_skip: request.version >= 9,
    };
    let (group, ask) = (asked.group_id.into(), check_name(asked.group_id).map(|()| GroupAsk::Join(join)));
    ask_many(broker, turn, request, vec![(group, ask)]);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let asked: JoinGroupRequest<'_> = request.decode().expect("the request was decoded before");
    match reply {
        Ok(GroupAnswer::Joined(joined)) => {
            broker.reply(turn, &request, &response_of(&joined, request.version))
        }
        Ok(GroupAnswer::MemberId(member)) => {
            broker.reply(turn, &request, &refusal(ErrorCode::MemberIdRequired, &member, request.version));
        }
        Ok(other) => unreachable!("JoinGroup is not answered by {other:?}"),
        Err(error) => broker.reply(turn, &request, &refusal(error, asked.member_id, request.version)),
    }
}

fn response_of(joined: &Joined, version: i16) -> JoinGroupResponse<'_> {
    let members = joined.members.iter().map(|(id, instance, metadata)| JoinGroupResponseMember {
        member_id: id,
        group_instance_id: instance.as_deref(),
        metadata,
        ..Default::default()
    });
    JoinGroupResponse {
        generation_id: joined.generation,
        protocol_type: joined.protocol_type.as_deref(),
        protocol_name: joined.protocol.as_deref().or(no_protocol(version)),
        leader: &joined.leader,
        skip_assignment: joined.skip_assignment,
        member_id: &joined.member,
        members: members.collect(),
        ..Default::default()
    }
}

fn refusal(error: ErrorCode, member_id: &str, version: i16) -> JoinGroupResponse<'_> {
    JoinGroupResponse {
        error_code: error.code(),
        generation_id: -1,
        protocol_name: no_protocol(version),
        member_id,
        ..Default::default()
    }
}

/// Before version 7 the name cannot be null.
fn no_protocol(version: i16) -> Option<&'static str> {
    if version < 7 { Some("") } else { None }
}
