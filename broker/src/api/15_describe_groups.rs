//! DescribeGroups (15), versions 0–6: classic groups in full.
//!
//! - A group that is not there, or is none of this protocol, is "Dead" without error; GROUP_ID_NOT_FOUND with a reason from
//!   version 6 (Q91, KIP-1043).
//! - What members told is filled in a stable group alone (Q91), what they got always: during a rebalance it is what they had before.
//! - A group that is named more than once is answered once, where Kafka repeats itself.
//! - Asked with our tag, it tells history and lag besides: see `group_history`.
//! - Authorized operations are unknown: there is no authorizer.

use protocol::group_history::ToldHistory;
use protocol::messages::describe_groups_request::DescribeGroupsRequest;
use protocol::messages::describe_groups_response::{
    DescribeGroupsResponse, DescribedGroup, DescribedGroupMember,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::group_history;
use super::groups::{ask_many, drop_repeated};
use crate::answer::Answer;
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
    let mut asked: DescribeGroupsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    drop_repeated(&mut asked.groups);
    let mut asks: Vec<_> = asked.groups.iter().map(|&group| (group.into(), Ok(GroupAsk::Describe))).collect();
    if group_history::is_asked(&request) {
        asks.extend(group_history::asks(&asked.groups));
    }
    ask_many(broker, turn, request, asks);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    if group_history::begin_round(broker, turn, id) {
        return;
    }
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let mut answers: Vec<Answer> = pending.take_answers().collect();
    let request = pending.request;
    let mut asked: DescribeGroupsRequest<'_> = request.decode().expect("the request was decoded before");
    drop_repeated(&mut asked.groups);
    let mut told = answers.split_off(asked.groups.len());
    let has_topic = broker.image.topic(crate::groups::TOPIC).is_some();
    let described: Vec<(ErrorCode, Described)> = answers
        .into_iter()
        .map(|answer| match answer.group() {
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
    let Some(image) = pending.image else { return broker.reply(turn, &request, &response) };
    let lags = told.split_off(asked.groups.len());
    let histories = group_history::collect(&image, asked.groups.iter().copied(), told, lags);
    broker.reply(turn, &request, &ToldHistory { response, histories: Some(histories) });
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
