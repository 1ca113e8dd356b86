//! DeleteGroups (42), versions 0–2: groups go with all of their offsets, if nobody is in them (Q92).

use protocol::messages::delete_groups_request::DeleteGroupsRequest;
use protocol::messages::delete_groups_response::{DeletableGroupResult, DeleteGroupsResponse};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_many, check_name, take};
use crate::broker::Broker;
use crate::groups::ask::GroupAsk;
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::DeleteGroups, 0..=2, on_delete_groups, finish);

fn on_delete_groups(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: DeleteGroupsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let names = asked.groups_names.iter();
    let asks = names.map(|&group| (group.into(), check_name(group).map(|()| GroupAsk::Delete))).collect();
    ask_many(broker, turn, request, asks);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let asked: DeleteGroupsRequest<'_> = request.decode().expect("the request was decoded before");
    let has_topic = broker.image.topic(crate::groups::TOPIC).is_some();
    let results = asked.groups_names.iter().zip(replies).map(|(group_id, reply)| {
        let error = match reply.err() {
            // Before the first group there is none.
            Some(ErrorCode::CoordinatorNotAvailable) if !has_topic => ErrorCode::GroupIdNotFound,
            error => error.unwrap_or(ErrorCode::None),
        };
        DeletableGroupResult { group_id, error_code: error.code(), ..Default::default() }
    });
    let response = DeleteGroupsResponse { results: results.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
