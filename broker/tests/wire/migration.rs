//! Members of both protocols in one group, frame by frame (KIP-848).

use protocol::ErrorCode;
use protocol::messages::consumer_group_describe_request::ConsumerGroupDescribeRequest;
use protocol::messages::consumer_group_describe_response::ConsumerGroupDescribeResponse;
use protocol::messages::describe_groups_request::DescribeGroupsRequest;
use protocol::messages::describe_groups_response::DescribeGroupsResponse;
use protocol::messages::join_group_request::{JoinGroupRequest, JoinGroupRequestProtocol};
use protocol::messages::join_group_response::JoinGroupResponse;
use protocol::messages::offset_fetch_request::{OffsetFetchRequest, OffsetFetchRequestGroup};
use protocol::messages::offset_fetch_response::OffsetFetchResponse;
use shard::memory::Crash;

use crate::calls::error;
use crate::groups::{beat, beat_as, commit, heartbeat, join_request, sync, with_topic};
use crate::harness::Client;

const OK: ErrorCode = ErrorCode::None;

/// "t" as consumers write it, behind version 0; then `more`.
fn of_topic(more: &[u8]) -> Vec<u8> {
    let head: &[u8] = &[0, 0, 0, 0, 0, 1, 0, 1, b't'];
    [head, more, &[255; 4]].concat()
}

/// An assignment of these partitions of "t".
fn assignment(partitions: &[u8]) -> Vec<u8> {
    let numbers = partitions.iter().flat_map(|&number| [0, 0, 0, number]);
    let more: Vec<u8> = [0, 0, 0, partitions.len() as u8].into_iter().chain(numbers).collect();
    of_topic(&more)
}

/// JoinGroup of a member that reads "t": its id, the generation, and whether it leads.
fn join(client: &mut Client, member: &str) -> (String, i32, bool) {
    let metadata = of_topic(&[]);
    let protocol = JoinGroupRequestProtocol { name: "range", metadata: &metadata };
    let asked = JoinGroupRequest { protocols: vec![protocol], ..join_request("g", member, None) };
    // From version 4 on a member would have to ask for an id first.
    let reply = client.ask(3, &asked);
    let response: JoinGroupResponse<'_> = reply.read();
    assert_eq!(error(response.error_code), OK);
    (response.member_id.to_owned(), response.generation_id, response.leader == response.member_id)
}

/// ConsumerGroupDescribe: the state, and of each member its id, its type and what it has, classic ones first.
fn described(client: &mut Client) -> (String, Vec<(String, i8, Vec<i32>)>) {
    let reply =
        client.ask(1, &ConsumerGroupDescribeRequest { group_ids: vec!["g", "g"], ..Default::default() });
    let response: ConsumerGroupDescribeResponse<'_> = reply.read();
    assert_eq!(response.groups.len(), 1, "what is named again is answered once");
    let members = response.groups[0].members.iter().map(|member| {
        assert_eq!(member.subscribed_topic_regex, Some(""), "Kafka's word for none");
        let topics = &member.assignment.topic_partitions;
        let has = topics.iter().flat_map(|topic| topic.partitions.iter().copied()).collect();
        (member.member_id.to_owned(), member.member_type, has)
    });
    let mut members: Vec<_> = members.collect();
    members.sort_by_key(|(_, kind, _)| *kind);
    (response.groups[0].group_state.to_owned(), members)
}

/// Commits an offset of each of these partitions of "t": the error of the first.
fn commit_of(client: &mut Client, who: (&str, i32), partitions: &[i32]) -> ErrorCode {
    let offsets: Vec<(i32, i64)> = partitions.iter().map(|&partition| (partition, 5)).collect();
    commit(client, "g", who, &[("t", &offsets)])[0].2
}

/// DescribeGroups: the state, and what each member has been given. What they tell of themselves is told when it is stable.
fn seen_as_classic(client: &mut Client) -> (String, Vec<Vec<u8>>) {
    let reply = client.ask(5, &DescribeGroupsRequest { groups: vec!["g"], ..Default::default() });
    let response: DescribeGroupsResponse<'_> = reply.read();
    let group = &response.groups[0];
    let members = group.members.iter().map(|member| {
        assert_eq!(member.member_metadata.is_empty(), group.group_state != "Stable");
        member.member_assignment.to_vec()
    });
    (group.group_state.to_owned(), members.collect())
}

/// A group of one classic member that has all, which a member "m" has joined. The classic member's id.
fn with_both(client: &mut Client) -> String {
    let (id, ..) = join(client, "");
    assert_eq!(sync(client, "g", &id, 1, &assignment(&[0, 1, 2, 3])).0, OK);
    assert_eq!(beat(client, "g", "m", 0).1, 2);
    assert_eq!(join(client, &id), (id.clone(), 2, false));
    assert_eq!(sync(client, "g", &id, 2, b""), (OK, assignment(&[0, 1])));
    assert_eq!(beat(client, "g", "m", 2).0, OK);
    id
}

#[test]
fn q97_a_classic_member_goes_on_in_a_consumer_group_and_over_a_crash() {
    let (rig, mut client) = with_topic();
    let (id, generation, leads) = join(&mut client, "");
    assert_eq!((generation, leads), (1, true));
    assert_eq!(sync(&mut client, "g", &id, 1, &assignment(&[0, 1, 2, 3])).0, OK);
    let (code, epoch, given) = beat(&mut client, "g", "m", 0);
    assert_eq!((code, epoch, given), (OK, 2, Some(Vec::new())), "the classic member still has all");
    assert_eq!(heartbeat(&mut client, "g", &id, 1), ErrorCode::RebalanceInProgress);
    assert_eq!(commit(&mut client, "g", (&id, 1), &[("t", &[(0, 5)])])[0].2, OK);
    assert_eq!(join(&mut client, &id), (id.clone(), 2, false), "the broker assigns");
    assert_eq!(sync(&mut client, "g", &id, 2, b""), (OK, assignment(&[0, 1])));
    assert_eq!(described(&mut client).1, [(id.clone(), 0, vec![0, 1]), ("m".to_owned(), 1, vec![])]);
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    assert_eq!(heartbeat(&mut client, "g", &id, 2), OK);
    let (code, _, given) = beat(&mut client, "g", "m", 2);
    assert_eq!((code, given.map(|topics| topics[0].1.clone())), (OK, Some(vec![2, 3])));
    // The last member of the new protocol goes, and the other one leads again.
    assert_eq!(beat(&mut client, "g", "m", -1).0, OK);
    assert_eq!(heartbeat(&mut client, "g", &id, 2), ErrorCode::RebalanceInProgress);
    assert_eq!(join(&mut client, &id), (id.clone(), 3, true));
}

#[test]
fn kip_1251_a_commit_of_an_epoch_before_is_taken_for_what_the_member_has_had_since() {
    let (rig, mut client) = with_topic();
    let id = with_both(&mut client);
    assert_eq!(commit_of(&mut client, (&id, 1), &[0, 1]), OK, "it has not heard yet of epoch 2");
    assert_eq!(commit_of(&mut client, (&id, 1), &[2]), ErrorCode::IllegalGeneration, "another one's");
    assert_eq!(commit_of(&mut client, (&id, 1), &[0, 2]), ErrorCode::IllegalGeneration, "all or none");
    assert_eq!(commit_of(&mut client, (&id, 3), &[0]), ErrorCode::IllegalGeneration, "no epoch yet");
    assert_eq!(commit_of(&mut client, ("m", 2), &[2, 3]), OK);
    assert_eq!(commit_of(&mut client, ("m", 1), &[2]), ErrorCode::StaleMemberEpoch, "given at epoch 2");
    // A third member moves the epoch on.
    assert_eq!(beat(&mut client, "g", "n", 0).1, 3);
    let (_, epoch, given) = beat(&mut client, "g", "m", 2);
    let kept = given.map_or(vec![2, 3], |topics| topics[0].1.clone());
    let epoch = if epoch == 3 { epoch } else { beat(&mut client, "g", "m", epoch).1 };
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    assert_eq!(epoch, 3);
    assert_eq!(commit_of(&mut client, ("m", 2), &kept), OK, "the log has it, too");
    assert_eq!(commit_of(&mut client, ("m", 1), &kept), ErrorCode::StaleMemberEpoch);
}

#[test]
fn a_member_has_what_it_has_not_given_up_yet() {
    let (_rig, mut client) = with_topic();
    assert_eq!(beat(&mut client, "g", "m", 0).1, 1);
    let (id, generation, _) = join(&mut client, "");
    assert_eq!(generation, 2);
    let (_, _, keeps) = beat(&mut client, "g", "m", 1);
    assert_eq!(keeps.map(|topics| topics[0].1.clone()), Some(vec![0, 1]));
    let (state, members) = described(&mut client);
    assert_eq!(members, [(id, 0, vec![]), ("m".to_owned(), 1, vec![0, 1, 2, 3])]);
    assert_eq!(state, "Reconciling");
}

#[test]
fn what_members_have_is_seen_during_a_rebalance_as_well() {
    let (_rig, mut client) = with_topic();
    let id = with_both(&mut client);
    assert_eq!(beat(&mut client, "g", "m", -1).0, OK);
    let told = |state: &str| (state.to_owned(), vec![assignment(&[0, 1])]);
    assert_eq!(seen_as_classic(&mut client), told("PreparingRebalance"));
    assert_eq!(join(&mut client, &id), (id.clone(), 3, true));
    assert_eq!(seen_as_classic(&mut client), told("CompletingRebalance"));
}

#[test]
fn a_static_member_that_is_away_is_waited_for_and_comes_back_as_a_classic_one_without_a_rebalance() {
    let (_rig, mut client) = with_topic();
    assert_eq!(beat_as(&mut client, "g", ("m", Some("i")), 0).1, 1);
    assert_eq!(beat_as(&mut client, "g", ("m", Some("i")), -2).0, OK);
    assert_eq!(described(&mut client).0, "Reconciling", "as in Kafka, where nobody else can be meant");
    let metadata = of_topic(&[]);
    let protocol = JoinGroupRequestProtocol { name: "range", metadata: &metadata };
    let asked = JoinGroupRequest { protocols: vec![protocol], ..join_request("g", "", Some("i")) };
    let reply = client.ask(5, &asked);
    let response: JoinGroupResponse<'_> = reply.read();
    assert_eq!((error(response.error_code), response.leader), (OK, ""), "nobody has to assign");
    let (id, generation) = (response.member_id.to_owned(), response.generation_id);
    assert_eq!(seen_as_classic(&mut client).0, "Stable");
    assert_eq!(sync(&mut client, "g", &id, generation, b""), (OK, assignment(&[0, 1, 2, 3])));
}

#[test]
fn offsets_are_told_to_members_by_their_names_and_to_others_without() {
    let (_rig, mut client) = with_topic();
    assert_eq!(beat(&mut client, "g", "m", 0).1, 1);
    let mut ask = |member_id: Option<&str>, member_epoch: i32| {
        let group = OffsetFetchRequestGroup { group_id: "g", member_id, member_epoch, ..Default::default() };
        let reply = client.ask(9, &OffsetFetchRequest { groups: vec![group], ..Default::default() });
        error(reply.read::<OffsetFetchResponse<'_>>().groups[0].error_code)
    };
    assert_eq!(ask(None, -1), OK);
    assert_eq!(ask(Some("m"), 1), OK);
    assert_eq!(ask(Some("m"), -1), ErrorCode::StaleMemberEpoch);
    assert_eq!(ask(Some(""), -1), ErrorCode::UnknownMemberId, "a member with an empty name");
}
