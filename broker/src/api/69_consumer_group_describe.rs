//! ConsumerGroupDescribe (69), versions 0–1: consumer groups (KIP-848) in full.
//!
//! A group that is not there, or is a classic one, is GROUP_ID_NOT_FOUND: Java's admin client then asks DescribeGroups (Q98).
//! A group that is named more than once is answered once. Members of the classic protocol in such a group are told as such:
//! version 1 tells the kind of each member (KIP-1099). Authorized operations are unknown: there is no authorizer.

use protocol::messages::consumer_group_describe_request::ConsumerGroupDescribeRequest;
use protocol::messages::consumer_group_describe_response::{
    Assignment as ResponseAssignment, ConsumerGroupDescribeResponse, DescribedGroup, Member, TopicPartitions,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_many, check_name, drop_repeated, take};
use crate::broker::Broker;
use crate::groups::ask::{ConsumerDescribed, ConsumerMemberDescribed, GroupAnswer, GroupAsk};
use crate::groups::record::Assignment;
use crate::mail::{PendingId, Turn};
use crate::metadata::Image;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::ConsumerGroupDescribe, 0..=1, on_describe, finish);

/// The kind of a member that speaks the classic protocol, and of one that speaks this one.
const CLASSIC_MEMBER: i8 = 0;
const CONSUMER_MEMBER: i8 = 1;

fn on_describe(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let mut asked: ConsumerGroupDescribeRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    drop_repeated(&mut asked.group_ids);
    let groups = asked.group_ids.iter();
    let asks =
        groups.map(|&group| (group.into(), check_name(group).map(|()| GroupAsk::ConsumerDescribe))).collect();
    ask_many(broker, turn, request, asks);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let mut asked: ConsumerGroupDescribeRequest<'_> =
        request.decode().expect("the request was decoded before");
    drop_repeated(&mut asked.group_ids);
    let image = broker.image.clone();
    let has_topic = image.topic(crate::groups::TOPIC).is_some();
    let described: Vec<Result<Box<ConsumerDescribed>, ErrorCode>> = replies
        .into_iter()
        .map(|reply| match reply {
            Ok(GroupAnswer::ConsumerDescribed(described)) => Ok(described),
            Ok(other) => unreachable!("ConsumerGroupDescribe is not answered by {other:?}"),
            // Before the first group there is none.
            Err(ErrorCode::CoordinatorNotAvailable) if !has_topic => Err(ErrorCode::GroupIdNotFound),
            Err(error) => Err(error),
        })
        .collect();
    let groups = asked.group_ids.iter().zip(&described);
    let groups = groups.map(|(&group_id, described)| match described {
        Ok(described) => group_response(&image, group_id, described),
        Err(error) => DescribedGroup {
            error_code: error.code(),
            error_message: Some(error.text()),
            group_id,
            ..Default::default()
        },
    });
    let response = ConsumerGroupDescribeResponse { groups: groups.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn group_response<'a>(
    image: &'a Image,
    group_id: &'a str,
    group: &'a ConsumerDescribed,
) -> DescribedGroup<'a> {
    DescribedGroup {
        group_id,
        group_state: group.state,
        group_epoch: group.epoch,
        assignment_epoch: group.target_epoch,
        assignor_name: &group.assignor,
        members: group.members.iter().map(|member| member_response(image, member)).collect(),
        ..Default::default()
    }
}

fn member_response<'a>(image: &'a Image, member: &'a ConsumerMemberDescribed) -> Member<'a> {
    Member {
        member_id: &member.id,
        instance_id: member.data.instance.as_deref(),
        rack_id: member.data.rack.as_deref(),
        member_epoch: member.epoch,
        client_id: &member.data.client_id,
        client_host: &member.data.client_host,
        subscribed_topic_names: member.data.topics.iter().map(String::as_str).collect(),
        subscribed_topic_regex: Some(member.data.regex.as_deref().unwrap_or_default()),
        assignment: assignment_response(image, &member.assigned),
        target_assignment: assignment_response(image, &member.target),
        member_type: if member.data.classic.is_some() { CLASSIC_MEMBER } else { CONSUMER_MEMBER },
        ..Default::default()
    }
}

/// Topics that are gone have no names and are left out.
fn assignment_response<'a>(image: &'a Image, assignment: &Assignment) -> ResponseAssignment<'a> {
    let topics = assignment.iter().filter_map(|(topic_id, partitions)| {
        let topic = image.topic_by_id(*topic_id)?;
        Some(TopicPartitions {
            topic_id: *topic_id,
            topic_name: &topic.name,
            partitions: partitions.iter().copied().collect(),
            ..Default::default()
        })
    });
    ResponseAssignment { topic_partitions: topics.collect(), ..Default::default() }
}
