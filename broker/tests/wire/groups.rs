//! Groups on the wire: finding the coordinator, members of both protocols, offsets, and what a restart keeps.

// Messages are filled with `..Default::default()` even when complete, so that a field more in a schema breaks no test.
#![allow(clippy::needless_update)]

use protocol::messages::consumer_group_describe_request::ConsumerGroupDescribeRequest;
use protocol::messages::consumer_group_describe_response::ConsumerGroupDescribeResponse;
use protocol::messages::consumer_group_heartbeat_request::ConsumerGroupHeartbeatRequest;
use protocol::messages::consumer_group_heartbeat_response::ConsumerGroupHeartbeatResponse;
use protocol::messages::create_partitions_request::{CreatePartitionsRequest, CreatePartitionsTopic};
use protocol::messages::create_partitions_response::CreatePartitionsResponse;
use protocol::messages::delete_groups_request::DeleteGroupsRequest;
use protocol::messages::delete_groups_response::DeleteGroupsResponse;
use protocol::messages::describe_groups_request::DescribeGroupsRequest;
use protocol::messages::describe_groups_response::DescribeGroupsResponse;
use protocol::messages::find_coordinator_request::FindCoordinatorRequest;
use protocol::messages::find_coordinator_response::FindCoordinatorResponse;
use protocol::messages::heartbeat_request::HeartbeatRequest;
use protocol::messages::heartbeat_response::HeartbeatResponse;
use protocol::messages::join_group_request::{JoinGroupRequest, JoinGroupRequestProtocol};
use protocol::messages::join_group_response::JoinGroupResponse;
use protocol::messages::leave_group_request::{LeaveGroupRequest, MemberIdentity};
use protocol::messages::leave_group_response::LeaveGroupResponse;
use protocol::messages::list_groups_request::ListGroupsRequest;
use protocol::messages::list_groups_response::ListGroupsResponse;
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::metadata_response::MetadataResponse;
use protocol::messages::offset_commit_request::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use protocol::messages::offset_commit_response::OffsetCommitResponse;
use protocol::messages::offset_fetch_request::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};
use protocol::messages::offset_fetch_response::OffsetFetchResponse;
use protocol::messages::sync_group_request::{SyncGroupRequest, SyncGroupRequestAssignment};
use protocol::messages::sync_group_response::SyncGroupResponse;
use protocol::{ErrorCode, Uuid};
use shard::memory::{Crash, Faults};

use crate::calls::error;
use crate::harness::{Client, Rig};

const OK: ErrorCode = ErrorCode::None;

/// A node with a topic of four partitions, whose groups have a coordinator.
pub fn with_topic() -> (Rig, Client) {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 4);
    find(&mut client, "g");
    (rig, client)
}

/// Finds the coordinator of a group: error, node, port.
pub fn find(client: &mut Client, group: &str) -> (ErrorCode, i32, i32) {
    let reply = client.ask(3, &FindCoordinatorRequest { key: group, ..Default::default() });
    let response: FindCoordinatorResponse<'_> = reply.read();
    (error(response.error_code), response.node_id, response.port)
}

/// Commits offsets of partitions: topic, partition, offset. One error for each, by the order of the answer.
pub fn commit<'a>(
    client: &mut Client,
    group: &'a str,
    (member, epoch): (&'a str, i32),
    topics: &[(&'a str, &[(i32, i64)])],
) -> Vec<(String, i32, ErrorCode)> {
    let topics = topics.iter().map(|(name, partitions)| OffsetCommitRequestTopic {
        name,
        partitions: partitions
            .iter()
            .map(|&(index, offset)| commit_partition(index, offset, 3, "m"))
            .collect(),
        ..Default::default()
    });
    let asked = OffsetCommitRequest {
        group_id: group,
        member_id: member,
        generation_id_or_member_epoch: epoch,
        topics: topics.collect(),
        ..Default::default()
    };
    let reply = client.ask(9, &asked);
    let response: OffsetCommitResponse<'_> = reply.read();
    let partitions = response.topics.iter().flat_map(|topic| {
        let name = topic.name.to_owned();
        topic.partitions.iter().map(move |p| (name.clone(), p.partition_index, error(p.error_code)))
    });
    partitions.collect()
}

pub fn commit_partition(
    partition_index: i32,
    committed_offset: i64,
    committed_leader_epoch: i32,
    metadata: &str,
) -> OffsetCommitRequestPartition<'_> {
    OffsetCommitRequestPartition {
        partition_index,
        committed_offset,
        committed_leader_epoch,
        committed_metadata: Some(metadata),
        ..Default::default()
    }
}

/// The committed offset of a partition, with its leader epoch and metadata.
fn committed(client: &mut Client, group: &str, topic: &str, partition: i32) -> (i64, i32, String) {
    let topics = vec![OffsetFetchRequestTopic {
        name: topic,
        partition_indexes: vec![partition],
        ..Default::default()
    }];
    let asked = OffsetFetchRequest { group_id: group, topics: Some(topics), ..Default::default() };
    let reply = client.ask(7, &asked);
    let response: OffsetFetchResponse<'_> = reply.read();
    assert_eq!(error(response.error_code), OK);
    let found = &response.topics[0].partitions[0];
    assert_eq!(error(found.error_code), OK);
    (found.committed_offset, found.committed_leader_epoch, found.metadata.unwrap().to_owned())
}

pub fn join_request<'a>(group: &'a str, member: &'a str, instance: Option<&'a str>) -> JoinGroupRequest<'a> {
    JoinGroupRequest {
        group_id: group,
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 30_000,
        member_id: member,
        group_instance_id: instance,
        protocol_type: "consumer",
        protocols: vec![JoinGroupRequestProtocol {
            name: "range",
            metadata: b"opaque",
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// Makes a stable group of one member of the classic protocol; gives the member's id and the generation.
pub fn join(client: &mut Client, group: &str, instance: Option<&str>) -> (String, i32) {
    let mut id = String::new();
    if instance.is_none() {
        let reply = client.ask(9, &join_request(group, "", None));
        let response: JoinGroupResponse<'_> = reply.read();
        assert_eq!(error(response.error_code), ErrorCode::MemberIdRequired);
        id = response.member_id.to_owned();
    }
    let reply = client.ask(9, &join_request(group, &id, instance));
    let response: JoinGroupResponse<'_> = reply.read();
    assert_eq!(error(response.error_code), OK);
    assert_eq!(response.leader, response.member_id);
    let (id, generation) = (response.member_id.to_owned(), response.generation_id);
    assert_eq!(sync(client, group, &id, generation, b"all"), (OK, b"all".to_vec()));
    (id, generation)
}

pub fn sync(
    client: &mut Client,
    group: &str,
    id: &str,
    generation_id: i32,
    all: &[u8],
) -> (ErrorCode, Vec<u8>) {
    let assignments =
        vec![SyncGroupRequestAssignment { member_id: id, assignment: all, ..Default::default() }];
    let asked =
        SyncGroupRequest { group_id: group, generation_id, member_id: id, assignments, ..Default::default() };
    let reply = client.ask(4, &asked);
    let response: SyncGroupResponse<'_> = reply.read();
    (error(response.error_code), response.assignment.to_vec())
}

pub fn heartbeat(client: &mut Client, group: &str, member_id: &str, generation_id: i32) -> ErrorCode {
    let asked = HeartbeatRequest { group_id: group, member_id, generation_id, ..Default::default() };
    let reply = client.ask(4, &asked);
    let response: HeartbeatResponse = reply.read();
    error(response.error_code)
}

/// All groups with their states and types.
fn list(client: &mut Client) -> Vec<(String, String, String)> {
    let reply = client.ask(5, &ListGroupsRequest::default());
    let response: ListGroupsResponse<'_> = reply.read();
    assert_eq!(error(response.error_code), OK);
    let told = response.groups.iter();
    told.map(|g| (g.group_id.to_owned(), g.group_state.to_owned(), g.group_type.to_owned())).collect()
}

/// Topics and their partitions, as a consumer group gives them out.
pub type Assigned = Vec<(Uuid, Vec<i32>)>;

/// A heartbeat of a consumer group that joins, or goes on.
pub fn beat(
    client: &mut Client,
    group: &str,
    member: &str,
    epoch: i32,
) -> (ErrorCode, i32, Option<Assigned>) {
    beat_as(client, group, (member, None), epoch)
}

/// The same of a member with an instance id.
pub fn beat_as(
    client: &mut Client,
    group: &str,
    (member, instance): (&str, Option<&str>),
    epoch: i32,
) -> (ErrorCode, i32, Option<Assigned>) {
    let mut asked = ConsumerGroupHeartbeatRequest {
        group_id: group,
        member_id: member,
        instance_id: instance,
        member_epoch: epoch,
        rebalance_timeout_ms: -1,
        ..Default::default()
    };
    if epoch == 0 {
        asked.rebalance_timeout_ms = 30_000;
        asked.subscribed_topic_names = Some(vec!["t"]);
        asked.topic_partitions = Some(Vec::new());
    }
    let reply = client.ask(1, &asked);
    let response: ConsumerGroupHeartbeatResponse<'_> = reply.read();
    let topics = |a: &protocol::messages::consumer_group_heartbeat_response::Assignment| {
        a.topic_partitions.iter().map(|topic| (topic.topic_id, topic.partitions.clone())).collect()
    };
    (error(response.error_code), response.member_epoch, response.assignment.as_ref().map(topics))
}

#[test]
fn q80_the_first_look_makes_the_topic_and_finds_it_ready() {
    let rig = Rig::new();
    let mut client = rig.connect();
    assert_eq!(client.describe("__consumer_offsets").0, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(
        commit(&mut client, "g", ("", -1), &[("t", &[(0, 1)])])[0].2,
        ErrorCode::CoordinatorNotAvailable
    );
    assert_eq!(find(&mut client, "g"), (OK, 3, 9092));
    assert_eq!(client.describe("__consumer_offsets").2.len(), 50);
    join(&mut client, "g", None);
}

#[test]
fn q79_the_topic_has_its_own_number_of_partitions_for_ever() {
    let rig = Rig::with(2, &[("offsets.topic.num.partitions", "7"), ("num.partitions", "2")]);
    let mut client = rig.connect();
    let topics = Some(vec![MetadataRequestTopic { name: Some("__consumer_offsets"), ..Default::default() }]);
    let asked = MetadataRequest { topics, allow_auto_topic_creation: true, ..Default::default() };
    let reply = client.ask(12, &asked);
    assert_eq!(reply.read::<MetadataResponse<'_>>().topics[0].partitions.len(), 7);
    let grown = CreatePartitionsTopic {
        name: "__consumer_offsets",
        count: 9,
        assignments: None,
        ..Default::default()
    };
    let asked = CreatePartitionsRequest { topics: vec![grown], timeout_ms: 1000, ..Default::default() };
    let reply = client.ask(3, &asked);
    let response: CreatePartitionsResponse<'_> = reply.read();
    assert_eq!(error(response.results[0].error_code), ErrorCode::InvalidPartitions);
}

#[test]
fn c11_one_key_and_many_keys_of_both_kinds() {
    let (_rig, mut client) = with_topic();
    for (key_type, key, expected) in
        [(0, "g", OK), (1, "x", OK), (1, "", ErrorCode::InvalidRequest), (2, "s", ErrorCode::InvalidRequest)]
    {
        let one = client.ask(3, &FindCoordinatorRequest { key, key_type, ..Default::default() });
        let one: FindCoordinatorResponse<'_> = one.read();
        let many = FindCoordinatorRequest {
            key_type,
            coordinator_keys: vec![key, "other", key],
            ..Default::default()
        };
        let many = client.ask(6, &many);
        let many: FindCoordinatorResponse<'_> = many.read();
        assert_eq!(many.coordinators.iter().map(|c| c.key).collect::<Vec<_>>(), [key, "other", key]);
        let first = &many.coordinators[0];
        assert_eq!((error(one.error_code), error(first.error_code)), (expected, expected));
        let address = if expected == OK { (3, "broker.test", 9092) } else { (-1, "", -1) };
        assert_eq!((one.node_id, one.host, one.port), address);
        assert_eq!((first.node_id, first.host, first.port), address);
    }
}

#[test]
fn c9_every_partition_is_answered_in_the_order_of_the_request() {
    let (_rig, mut client) = with_topic();
    client.create("u", 5);
    let parts: &[(i32, i64)] = &[(4, 1), (0, 2), (9, 3), (1, 4), (2, 5)];
    let told = commit(&mut client, "g", ("", -1), &[("u", parts), ("nope", parts), ("t", parts)]);
    let unknown = ErrorCode::UnknownTopicOrPartition;
    let expected: Vec<(String, i32, ErrorCode)> = ["u", "nope", "t"]
        .iter()
        .flat_map(|topic| parts.iter().map(move |(partition, _)| (*topic, *partition)))
        .map(|(topic, partition)| {
            let count = match topic {
                "u" => 5,
                "t" => 4,
                _ => 0,
            };
            (topic.to_owned(), partition, if partition < count { OK } else { unknown })
        })
        .collect();
    assert_eq!(told, expected);
    assert_eq!(committed(&mut client, "g", "u", 4), (1, 3, "m".to_owned()));
    assert_eq!(committed(&mut client, "g", "u", 3), (-1, -1, String::new()));
    assert_eq!(committed(&mut client, "unknown", "u", 3), (-1, -1, String::new()));
}

#[test]
fn offsets_by_topic_ids_and_of_many_groups() {
    let (_rig, mut client) = with_topic();
    let id = client.create("u", 1);
    let topic = |topic_id| OffsetCommitRequestTopic {
        topic_id,
        partitions: vec![commit_partition(0, 7, -1, "")],
        ..Default::default()
    };
    let unknown = Uuid::from_u128(1 << 80);
    let asked = OffsetCommitRequest {
        group_id: "g",
        generation_id_or_member_epoch: -1,
        topics: vec![topic(id), topic(unknown)],
        ..Default::default()
    };
    let reply = client.ask(10, &asked);
    let response: OffsetCommitResponse<'_> = reply.read();
    let told = response.topics.iter().map(|t| (t.topic_id, error(t.partitions[0].error_code)));
    assert_eq!(told.collect::<Vec<_>>(), [(id, OK), (unknown, ErrorCode::UnknownTopicId)]);
    let topic =
        |topic_id| OffsetFetchRequestTopics { topic_id, partition_indexes: vec![0], ..Default::default() };
    let group = |group_id, topics| OffsetFetchRequestGroup {
        group_id,
        member_epoch: -1,
        topics,
        ..Default::default()
    };
    let groups = vec![group("g", Some(vec![topic(unknown), topic(id)])), group("h", None), group("g", None)];
    let reply = client.ask(10, &OffsetFetchRequest { groups, require_stable: true, ..Default::default() });
    let response: OffsetFetchResponse<'_> = reply.read();
    let told: Vec<Vec<(Uuid, i64, ErrorCode)>> = response
        .groups
        .iter()
        .map(|group| {
            let topics = group.topics.iter();
            topics
                .map(|t| (t.topic_id, t.partitions[0].committed_offset, error(t.partitions[0].error_code)))
                .collect()
        })
        .collect();
    assert_eq!(
        told,
        [vec![(unknown, -1, ErrorCode::UnknownTopicId), (id, 7, OK)], vec![], vec![(id, 7, OK)]]
    );
}

#[test]
fn a_group_can_be_seen_left_and_deleted() {
    let (_rig, mut client) = with_topic();
    let (id, generation) = join(&mut client, "g", Some("i"));
    assert_eq!(list(&mut client), [("g".into(), "Stable".into(), "classic".into())]);
    let reply = client.ask(6, &DescribeGroupsRequest { groups: vec!["g", "nope"], ..Default::default() });
    let response: DescribeGroupsResponse<'_> = reply.read();
    let (known, unknown) = (&response.groups[0], &response.groups[1]);
    assert_eq!((known.group_state, known.protocol_data, known.members.len()), ("Stable", "range", 1));
    let member = &known.members[0];
    assert_eq!((member.member_id, member.client_id, member.client_host), (&*id, "wire", "/127.0.0.1"));
    assert_eq!((member.member_metadata, member.member_assignment), (&b"opaque"[..], &b"all"[..]));
    assert_eq!((error(unknown.error_code), unknown.group_state), (ErrorCode::GroupIdNotFound, "Dead"));
    let reply = client.ask(5, &DescribeGroupsRequest { groups: vec!["nope"], ..Default::default() });
    let response: DescribeGroupsResponse<'_> = reply.read();
    assert_eq!((response.groups[0].error_code, response.groups[0].group_state), (0, "Dead"));
    let delete = |client: &mut Client| {
        let reply =
            client.ask(2, &DeleteGroupsRequest { groups_names: vec!["g", "nope"], ..Default::default() });
        let response: DeleteGroupsResponse<'_> = reply.read();
        response.results.iter().map(|result| error(result.error_code)).collect::<Vec<_>>()
    };
    assert_eq!(delete(&mut client), [ErrorCode::NonEmptyGroup, ErrorCode::GroupIdNotFound]);
    assert_eq!(heartbeat(&mut client, "g", &id, generation), OK);
    let members = [("", Some("i")), ("", Some("no")), ("no", None)].map(|(member_id, group_instance_id)| {
        MemberIdentity { member_id, group_instance_id, ..Default::default() }
    });
    let reply =
        client.ask(5, &LeaveGroupRequest { group_id: "g", members: members.to_vec(), ..Default::default() });
    let response: LeaveGroupResponse<'_> = reply.read();
    let told: Vec<ErrorCode> = response.members.iter().map(|member| error(member.error_code)).collect();
    assert_eq!(told, [OK, ErrorCode::UnknownMemberId, ErrorCode::UnknownMemberId]);
    assert_eq!(delete(&mut client), [OK, ErrorCode::GroupIdNotFound]);
    assert_eq!(list(&mut client), []);
}

#[test]
fn c45_members_that_vanish_mid_join_hold_nobody_up() {
    let (rig, mut client) = with_topic();
    // These get an id and never come back; that one joins and dies.
    for _ in 0..5 {
        rig.connect().ask(9, &join_request("g", "", None));
    }
    rig.connect().send(3, &join_request("g", "", None));
    let reply = client.ask(3, &join_request("g", "", None));
    let response: JoinGroupResponse<'_> = reply.read();
    assert_eq!((error(response.error_code), response.generation_id), (OK, 1));
    let (id, generation) = (response.member_id.to_owned(), response.generation_id);
    let leader = response.leader.to_owned();
    if leader == id {
        assert_eq!(sync(&mut client, "g", &id, generation, b"x").0, OK);
    }
    for _ in 0..20 {
        rig.pass_ms(2_000);
        if heartbeat(&mut client, "g", &id, generation) == ErrorCode::RebalanceInProgress {
            break;
        }
    }
    let reply = client.ask(3, &join_request("g", &id, None));
    let response: JoinGroupResponse<'_> = reply.read();
    assert_eq!((error(response.error_code), response.members.len()), (OK, 1));
}

#[test]
fn c57_c59_a_crash_and_another_number_of_cores_keep_groups_and_offsets() {
    let (rig, mut client) = with_topic();
    let groups: Vec<String> = (0..20).map(|number| format!("group-{number}")).collect();
    let mut members = Vec::new();
    for (group, offset) in groups.iter().zip(100..) {
        members.push(join(&mut client, group, None));
        let (id, generation) = members.last().unwrap();
        let told = commit(&mut client, group, (id, *generation), &[("t", &[(1, 1), (2, offset)])]);
        assert!(told.iter().all(|(.., error)| *error == OK));
    }
    beat(&mut client, "new", "m", 0);
    for core_count in [2, 1, 3] {
        rig.crash(Crash::Process);
        rig.start(core_count);
        let mut client = rig.connect();
        for ((group, (id, generation)), offset) in groups.iter().zip(&members).zip(100..) {
            assert_eq!(committed(&mut client, group, "t", 2), (offset, 3, "m".to_owned()));
            assert_eq!(heartbeat(&mut client, group, id, *generation), OK, "{group} on {core_count} cores");
        }
        assert_eq!(beat(&mut client, "new", "m", 1).0, OK);
    }
    rig.stop();
    rig.start(2);
    rig.pass_ms(60_000);
    let states = list(&mut rig.connect());
    assert!(states.iter().all(|(_, state, _)| state == "Empty"), "sessions begin anew and end: {states:?}");
}

#[test]
fn q90_a_deleted_topic_takes_its_offsets_along() {
    let (rig, mut client) = with_topic();
    client.create("u", 1);
    commit(&mut client, "g", ("", -1), &[("t", &[(0, 5)]), ("u", &[(0, 6)])]);
    client.delete("t");
    assert_eq!(committed(&mut client, "g", "t", 0).0, -1);
    client.create("t", 4);
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    assert_eq!(committed(&mut client, "g", "t", 0).0, -1, "a new topic of this name has none");
    assert_eq!(committed(&mut client, "g", "u", 0).0, 6);
}

#[test]
fn c55_short_lived_groups_expire() {
    let settings = [("offsets.retention.minutes", "1"), ("offsets.retention.check.interval.ms", "10000")];
    let rig = Rig::with(2, &settings);
    let mut client = rig.connect();
    client.create("t", 4);
    find(&mut client, "g");
    for number in 0..300 {
        commit(&mut client, &format!("group-{number}"), ("", -1), &[("t", &[(0, 5)])]);
    }
    assert_eq!(list(&mut client).len(), 300);
    rig.pass_ms(90_000);
    let mut client = rig.connect();
    assert_eq!(list(&mut client), []);
    assert_eq!(rig.sum(|broker| broker.groups.group_count()), 0);
    rig.crash_and_restart(Crash::Process);
    assert_eq!(list(&mut rig.connect()), []);
}

#[test]
fn c69_a_consumer_group_gets_new_partitions_by_itself() {
    let (_rig, mut client) = with_topic();
    let (error_code, epoch, assignment) = beat(&mut client, "g", "m", 0);
    assert_eq!((error_code, epoch, assignment.unwrap()[0].1.len()), (OK, 1, 4));
    assert_eq!(beat(&mut client, "g", "m", 1), (OK, 1, None));
    let topics = vec![CreatePartitionsTopic { name: "t", count: 6, assignments: None, ..Default::default() }];
    let reply = client.ask(3, &CreatePartitionsRequest { topics, timeout_ms: 1000, ..Default::default() });
    let response: CreatePartitionsResponse<'_> = reply.read();
    assert_eq!(error(response.results[0].error_code), OK);
    let (error_code, epoch, assignment) = beat(&mut client, "g", "m", 1);
    assert_eq!((error_code, epoch, assignment.unwrap()[0].1.len()), (OK, 2, 6));
}

#[test]
fn q98_a_consumer_group_is_described_in_its_own_words() {
    let (_rig, mut client) = with_topic();
    beat(&mut client, "g", "m", 0);
    join(&mut client, "h", None);
    let asked = ConsumerGroupDescribeRequest { group_ids: vec!["g", "h", "nope"], ..Default::default() };
    let reply = client.ask(1, &asked);
    let response: ConsumerGroupDescribeResponse<'_> = reply.read();
    let group = &response.groups[0];
    assert_eq!((group.group_state, group.group_epoch, group.assignor_name), ("Stable", 1, "uniform"));
    let member = &group.members[0];
    assert_eq!((member.member_id, member.member_epoch, member.member_type), ("m", 1, 1));
    let assigned = &member.assignment.topic_partitions[0];
    assert_eq!((assigned.topic_name, assigned.partitions.len()), ("t", 4));
    for other in &response.groups[1..] {
        assert_eq!(error(other.error_code), ErrorCode::GroupIdNotFound);
    }
    assert!(list(&mut client).contains(&("g".into(), "Stable".into(), "consumer".into())));
    let told = commit(&mut client, "g", ("m", 0), &[("t", &[(0, 5)])]);
    assert_eq!(told[0].2, ErrorCode::StaleMemberEpoch);
    assert_eq!(commit(&mut client, "g", ("m", 1), &[("t", &[(0, 5)])])[0].2, OK);
}

#[test]
fn every_version_of_every_request_is_answered() {
    let (_rig, mut client) = with_topic();
    let (id, generation) = join(&mut client, "g", None);
    for version in 0..=4 {
        let asked = HeartbeatRequest {
            group_id: "g",
            member_id: &id,
            generation_id: generation,
            ..Default::default()
        };
        let reply = client.ask(version, &asked);
        assert_eq!(reply.read::<HeartbeatResponse>().error_code, 0);
    }
    for version in 0..=5 {
        let asked = SyncGroupRequest {
            group_id: "g",
            member_id: &id,
            generation_id: generation,
            ..Default::default()
        };
        let reply = client.ask(version, &asked);
        let response: SyncGroupResponse<'_> = reply.read();
        assert_eq!((response.error_code, response.assignment), (0, &b"all"[..]));
        let reply = client.ask(version, &ListGroupsRequest::default());
        assert_eq!(reply.read::<ListGroupsResponse<'_>>().groups.len(), 1);
        let asked = LeaveGroupRequest { group_id: "nope", member_id: "m", ..Default::default() };
        let reply = client.ask(version, &asked);
        let expected = if version < 3 { ErrorCode::UnknownMemberId } else { OK };
        assert_eq!(error(reply.read::<LeaveGroupResponse<'_>>().error_code), expected);
    }
    for version in 0..=9 {
        let name = format!("v{version}");
        let reply = client.ask(version, &join_request(&name, "", None));
        let response: JoinGroupResponse<'_> = reply.read();
        let expected = if version < 4 { OK } else { ErrorCode::MemberIdRequired };
        assert_eq!(error(response.error_code), expected);
        let reply = client.ask(version, &join_request("", "", None));
        assert_eq!(error(reply.read::<JoinGroupResponse<'_>>().error_code), ErrorCode::InvalidGroupId);
    }
    // Compact strings may be longer than a record can say: such a name would come back cut after a restart.
    for (len, expected) in [(32_767, ErrorCode::MemberIdRequired), (32_768, ErrorCode::InvalidGroupId)] {
        let reply = client.ask(9, &join_request(&"g".repeat(len), "", None));
        assert_eq!(error(reply.read::<JoinGroupResponse<'_>>().error_code), expected, "{len}");
    }
    for version in 2..=9 {
        let topics = vec![OffsetCommitRequestTopic {
            name: "t",
            partitions: vec![commit_partition(0, i64::from(version), -1, "m")],
            ..Default::default()
        }];
        let asked = OffsetCommitRequest {
            group_id: "simple",
            generation_id_or_member_epoch: -1,
            retention_time_ms: -1,
            topics,
            ..Default::default()
        };
        let reply = client.ask(version, &asked);
        assert_eq!(reply.read::<OffsetCommitResponse<'_>>().topics[0].partitions[0].error_code, 0);
    }
    for version in 1..=7 {
        let topics =
            vec![OffsetFetchRequestTopic { name: "t", partition_indexes: vec![0], ..Default::default() }];
        let asked = OffsetFetchRequest { group_id: "simple", topics: Some(topics), ..Default::default() };
        let reply = client.ask(version, &asked);
        assert_eq!(reply.read::<OffsetFetchResponse<'_>>().topics[0].partitions[0].committed_offset, 9);
    }
}

#[test]
fn a_commit_that_cannot_be_written_is_not_confirmed_and_nothing_is_made_up() {
    let (rig, mut client) = with_topic();
    assert_eq!(commit(&mut client, "g", ("", -1), &[("t", &[(0, 5)])])[0].2, OK);
    rig.faults(Faults { failed_write_percent: 100, ..Faults::default() });
    assert_eq!(
        commit(&mut client, "g", ("", -1), &[("t", &[(0, 6)])])[0].2,
        ErrorCode::CoordinatorNotAvailable
    );
    assert_eq!(
        commit(&mut client, "g", ("", -1), &[("t", &[(0, 7)])])[0].2,
        ErrorCode::CoordinatorNotAvailable
    );
    rig.faults(Faults::default());
    rig.crash_and_restart(Crash::Process);
    // What failed may have reached the journal all the same; what came after it was never tried.
    let kept = committed(&mut rig.connect(), "g", "t", 0).0;
    assert!(kept == 5 || kept == 6, "{kept}");
}

#[test]
fn a_member_that_waits_may_hang_up() {
    let (rig, mut client) = with_topic();
    let (id, generation) = join(&mut client, "g", None);
    let mut other = rig.connect();
    other.send(3, &join_request("g", "", None));
    rig.settle();
    other.peer.close();
    rig.settle();
    assert_eq!(heartbeat(&mut client, "g", &id, generation), ErrorCode::RebalanceInProgress);
    let reply = client.ask(3, &join_request("g", &id, None));
    assert_eq!(reply.read::<JoinGroupResponse<'_>>().generation_id, generation + 1);
}

#[test]
fn a_group_that_nobody_uses_for_a_while_takes_commits_all_the_same() {
    let (rig, mut client) = with_topic();
    for offset in [7, 8] {
        assert_eq!(commit(&mut client, "g", ("", -1), &[("t", &[(0, offset)])])[0].2, OK);
        rig.pass_ms(300_000);
        client = rig.connect();
    }
    assert_eq!(committed(&mut client, "g", "t", 0).0, 8);
    // A coordinator that has only been loaded, too.
    rig.stop();
    rig.start(2);
    rig.pass_ms(300_000);
    client = rig.connect();
    assert_eq!(commit(&mut client, "g", ("", -1), &[("t", &[(0, 9)])])[0].2, OK);
    assert_eq!(committed(&mut client, "g", "t", 0).0, 9);
}
