//! A group as its coordinator describes it, whichever protocol it speaks.

use std::collections::BTreeMap;

use net::client::{Client, ClientError, CoordinatorKind, Target};
use protocol::messages::consumer_group_describe_request::ConsumerGroupDescribeRequest;
use protocol::messages::consumer_group_describe_response::{self, ConsumerGroupDescribeResponse};
use protocol::messages::describe_groups_request::DescribeGroupsRequest;
use protocol::messages::describe_groups_response::{self, DescribeGroupsResponse};
use protocol::{ErrorCode, Uuid};

use crate::cli::consume::assignment_of;

/// What a group is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupState {
    pub id: String,
    /// "classic" or "consumer" (KIP-848).
    pub protocol: &'static str,
    /// Kafka's word for it.
    pub state: String,
    /// Who gives out partitions; empty while nobody does.
    pub assignor: String,
    pub members: Vec<MemberState>,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberState {
    pub id: String,
    pub instance_id: Option<String>,
    pub client_id: String,
    pub host: String,
    pub partitions: BTreeMap<String, Vec<i32>>,
    /// The ids of its topics, where the protocol has them.
    pub topic_ids: BTreeMap<String, Uuid>,
}

/// Describes one group, which need not exist.
pub fn describe(client: &mut Client, group: &str) -> Result<Option<GroupState>, ClientError> {
    let target = Target::Coordinator(CoordinatorKind::Group, group);
    Ok(describe_at(client, target, &[group])?.pop().filter(|state| state.state != DEAD))
}

/// What Kafka calls a group that does not exist.
const DEAD: &str = "Dead";

/// Describes groups at the broker that coordinates all of them; those that do not exist are left out.
pub fn describe_at(
    client: &mut Client,
    target: Target<'_>,
    groups: &[&str],
) -> Result<Vec<GroupState>, ClientError> {
    let (mut states, rest) = match of_consumer_protocol(client, target, groups) {
        // A broker from before KIP-848.
        Err(ClientError::Session { .. }) => (Vec::new(), groups.to_vec()),
        found => found?,
    };
    if !rest.is_empty() {
        states.extend(of_classic_protocol(client, target, &rest)?);
    }
    states.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(states)
}

/// The groups that speak the consumer protocol, and the names of the others.
fn of_consumer_protocol<'a>(
    client: &mut Client,
    target: Target<'_>,
    groups: &[&'a str],
) -> Result<(Vec<GroupState>, Vec<&'a str>), ClientError> {
    let request = ConsumerGroupDescribeRequest { group_ids: groups.to_vec(), ..Default::default() };
    let answer = client.ask(target, &request)?;
    let response: ConsumerGroupDescribeResponse<'_> = client.read(&answer)?;
    let mut states = Vec::new();
    let mut rest = Vec::new();
    for found in &response.groups {
        if found.error_code == ErrorCode::GroupIdNotFound.code() {
            rest.extend(groups.iter().filter(|group| **group == found.group_id));
            continue;
        }
        answer.check(&format!("group {}", found.group_id), found.error_code, found.error_message)?;
        states.push(GroupState {
            id: found.group_id.to_owned(),
            protocol: "consumer",
            state: found.group_state.to_owned(),
            assignor: found.assignor_name.to_owned(),
            members: found.members.iter().map(consumer_member).collect(),
        });
    }
    Ok((states, rest))
}

fn consumer_member(member: &consumer_group_describe_response::Member<'_>) -> MemberState {
    let assigned = &member.assignment.topic_partitions;
    MemberState {
        id: member.member_id.to_owned(),
        instance_id: member.instance_id.map(str::to_owned),
        client_id: member.client_id.to_owned(),
        host: member.client_host.to_owned(),
        partitions: assigned.iter().map(|it| (it.topic_name.to_owned(), it.partitions.clone())).collect(),
        topic_ids: assigned.iter().map(|it| (it.topic_name.to_owned(), it.topic_id)).collect(),
    }
}

fn of_classic_protocol(
    client: &mut Client,
    target: Target<'_>,
    groups: &[&str],
) -> Result<Vec<GroupState>, ClientError> {
    let request = DescribeGroupsRequest { groups: groups.to_vec(), ..Default::default() };
    let answer = client.ask(target, &request)?;
    let response: DescribeGroupsResponse<'_> = client.read(&answer)?;
    let mut states = Vec::new();
    for found in &response.groups {
        if found.error_code == ErrorCode::GroupIdNotFound.code() {
            continue;
        }
        answer.check(&format!("group {}", found.group_id), found.error_code, found.error_message)?;
        states.push(GroupState {
            id: found.group_id.to_owned(),
            protocol: "classic",
            state: found.group_state.to_owned(),
            assignor: found.protocol_data.to_owned(),
            members: found.members.iter().map(classic_member).collect(),
        });
    }
    Ok(states)
}

fn classic_member(member: &describe_groups_response::DescribedGroupMember<'_>) -> MemberState {
    MemberState {
        id: member.member_id.to_owned(),
        instance_id: member.group_instance_id.map(str::to_owned),
        client_id: member.client_id.to_owned(),
        host: member.client_host.to_owned(),
        // Groups of other kinds, such as Connect's, write something else here.
        partitions: assignment_of(member.member_assignment).unwrap_or_default(),
        topic_ids: BTreeMap::new(),
    }
}
