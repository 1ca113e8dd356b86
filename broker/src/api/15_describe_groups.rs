//! DescribeGroups (15), versions 0–6: classic groups in full.
//!
//! - A group that is not there, or is none of this protocol, is "Dead" without error; GROUP_ID_NOT_FOUND with a reason from
//!   version 6 (Q91, KIP-1043).
//! - What members told and got is filled in a stable group alone (Q91).
//! - Authorized operations are unknown: there is no authorizer.

use protocol::messages::describe_groups_request::DescribeGroupsRequest;
use protocol::messages::describe_groups_response::{
    DescribeGroupsResponse, DescribedGroup, DescribedGroupMember,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_many, take};
use crate::broker::Broker;
use crate::groups::ask::{Described, GroupAnswer, GroupAsk};
use crate::groups::coordinator::dead;
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::DescribeGroups, 0..=6, on_describe_groups, finish);

/// The first version that tells an unknown group apart.
const NOT_FOUND_FROM: i16 = 6;

fn on_describe_groups(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: DescribeGroupsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let asks = asked.groups.iter().map(|&group| (group.into(), Ok(GroupAsk::Describe))).collect();
    ask_many(broker, turn, request, asks);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let asked: DescribeGroupsRequest<'_> = request.decode().expect("the request was decoded before");
    let has_topic = broker.image.topic(crate::groups::TOPIC).is_some();
    let described: Vec<(ErrorCode, Described)> = replies
        .into_iter()
        .map(|reply| match reply {
            Ok(GroupAnswer::Described(described)) => (ErrorCode::None, described),
            Ok(other) => unreachable!("DescribeGroups is not answered by {other:?}"),
            Err(ErrorCode::GroupIdNotFound) => (ErrorCode::GroupIdNotFound, dead()),
            // Before the first group there is none.
            Err(ErrorCode::CoordinatorNotAvailable) if !has_topic => (ErrorCode::GroupIdNotFound, dead()),
            Err(error) => (error, Described { state: "", ..dead() }),
        })
        .collect();
    let groups = asked.groups.iter().zip(&described);
    let groups = groups
        .map(|(group_id, (error, described))| response_of(group_id, *error, described, request.version));
    let response = DescribeGroupsResponse { groups: groups.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn response_of<'a>(
    group_id: &'a str,
    error: ErrorCode,
    described: &'a Described,
    version: i16,
) -> DescribedGroup<'a> {
    let error =
        if error == ErrorCode::GroupIdNotFound && version < NOT_FOUND_FROM { ErrorCode::None } else { error };
    let members = described.members.iter().map(|member| DescribedGroupMember {
        member_id: &member.id,
        group_instance_id: member.instance.as_deref(),
        client_id: &member.client_id,
        client_host: &member.client_host,
        member_metadata: &member.metadata,
        member_assignment: &member.assignment,
        ..Default::default()
    });
    DescribedGroup {
        error_code: error.code(),
        error_message: Some(error.text()).filter(|_| !error.is_none()),
        group_id,
        group_state: described.state,
        protocol_type: &described.protocol_type,
        protocol_data: &described.protocol,
        members: members.collect(),
        ..Default::default()
    }
}
