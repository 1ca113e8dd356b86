//! ListGroups (16), versions 0–5: all groups, of this node as of any (Q91).
//!
//! From version 4 filtered by states (KIP-518), from 5 by types (KIP-848); words count in any case. If one coordinator is
//! still loading the answer is its error: a list with gaps would pass for the whole.

use protocol::messages::list_groups_request::ListGroupsRequest;
use protocol::messages::list_groups_response::{ListGroupsResponse, ListedGroup};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_all, take};
use crate::broker::Broker;
use crate::groups::ask::{GroupAnswer, GroupAsk, Listed};
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::ListGroups, 0..=5, on_list_groups, finish);

fn on_list_groups(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: ListGroupsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let ask = GroupAsk::List(words(&asked.states_filter), words(&asked.types_filter));
    ask_all(broker, turn, request, &ask);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let mut listed: Vec<Listed> = Vec::new();
    let mut error = ErrorCode::None;
    for reply in replies {
        match reply {
            Ok(GroupAnswer::Listed(more)) => listed.extend(more),
            Ok(other) => unreachable!("ListGroups is not answered by {other:?}"),
            Err(refused) => error = refused,
        }
    }
    if !error.is_none() {
        listed.clear();
    }
    listed.sort_unstable_by(|one, other| one.group.cmp(&other.group));
    let groups = listed.iter().map(|group| ListedGroup {
        group_id: &group.group,
        protocol_type: &group.protocol_type,
        group_state: group.state,
        group_type: group.kind,
        ..Default::default()
    });
    let response =
        ListGroupsResponse { error_code: error.code(), groups: groups.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
