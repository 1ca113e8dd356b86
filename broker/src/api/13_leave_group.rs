//! LeaveGroup (13), versions 0–5: members leave, or are made to.
//!
//! - From version 3 many members at once, each with its own error; by instance id alone it is an administrator (Q93).
//! - An unknown group is UNKNOWN_MEMBER_ID: of the request before version 3, of every member from then on.

use protocol::messages::leave_group_request::LeaveGroupRequest;
use protocol::messages::leave_group_response::{LeaveGroupResponse, MemberResponse};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_many, check_name, take_one};
use crate::broker::Broker;
use crate::groups::ask::{GroupAnswer, GroupAsk, Leaving};
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::LeaveGroup, 0..=5, on_leave_group, finish);

/// The first version with many members.
const BATCH_FROM: i16 = 3;

fn on_leave_group(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: LeaveGroupRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let leaving = if request.version < BATCH_FROM {
        vec![Leaving { member: asked.member_id.to_owned(), ..Default::default() }]
    } else {
        let members = asked.members.iter().map(|member| Leaving {
            member: member.member_id.to_owned(),
            instance: member.group_instance_id.map(str::to_owned),
            reason: member.reason.map(str::to_owned),
        });
        members.collect()
    };
    let (group, ask) = (asked.group_id.into(), check_name(asked.group_id).map(|()| GroupAsk::Leave(leaving)));
    ask_many(broker, turn, request, vec![(group, ask)]);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let asked: LeaveGroupRequest<'_> = request.decode().expect("the request was decoded before");
    let is_batch = request.version >= BATCH_FROM;
    let errors = match reply {
        Ok(GroupAnswer::Left(errors)) => errors,
        Ok(other) => unreachable!("LeaveGroup is not answered by {other:?}"),
        Err(ErrorCode::UnknownMemberId) if is_batch => vec![ErrorCode::UnknownMemberId; asked.members.len()],
        Err(error) => {
            let error_code = error.code();
            return broker.reply(turn, &request, &LeaveGroupResponse { error_code, ..Default::default() });
        }
    };
    let mut response = LeaveGroupResponse::default();
    if is_batch {
        let members = asked.members.iter().zip(&errors).map(|(member, error)| MemberResponse {
            member_id: member.member_id,
            group_instance_id: member.group_instance_id,
            error_code: error.code(),
            ..Default::default()
        });
        response.members = members.collect();
    } else {
        response.error_code = errors.first().map_or(0, |error| error.code());
    }
    broker.reply(turn, &request, &response);
}
