//! SyncGroup (14), versions 0–5: the leader tells who gets what; everybody hears its own part (Q86).
//!
//! From version 5 a member says which protocol it believes in; a wrong one is INCONSISTENT_GROUP_PROTOCOL (KIP-559).

use protocol::ApiKey;
use protocol::messages::sync_group_request::SyncGroupRequest;
use protocol::messages::sync_group_response::SyncGroupResponse;

use super::Api;
use super::groups::{ask_many, check_name, take_one};
use crate::broker::Broker;
use crate::groups::ask::{GroupAnswer, GroupAsk, Membership, Sync};
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::SyncGroup, 0..=5, on_sync_group, finish);

fn on_sync_group(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: SyncGroupRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let assignments = asked.assignments.iter().map(|one| (one.member_id.to_owned(), one.assignment.into()));
    let sync = Sync {
        who: Membership {
            member: asked.member_id.to_owned(),
            generation: asked.generation_id,
            instance: asked.group_instance_id.map(str::to_owned),
        },
        protocol_type: asked.protocol_type.map(str::to_owned),
        protocol: asked.protocol_name.map(str::to_owned),
        assignments: assignments.collect(),
    };
    let (group, ask) = (asked.group_id.into(), check_name(asked.group_id).map(|()| GroupAsk::Sync(sync)));
    ask_many(broker, turn, request, vec![(group, ask)]);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    match reply {
        Ok(GroupAnswer::Synced(synced)) => {
            let response = SyncGroupResponse {
                protocol_type: synced.protocol_type.as_deref(),
                protocol_name: synced.protocol.as_deref(),
                assignment: &synced.assignment,
                ..Default::default()
            };
            broker.reply(turn, &request, &response);
        }
        Ok(other) => unreachable!("SyncGroup is not answered by {other:?}"),
        Err(error) => {
            let error_code = error.code();
            broker.reply(turn, &request, &SyncGroupResponse { error_code, ..Default::default() });
        }
    }
}
