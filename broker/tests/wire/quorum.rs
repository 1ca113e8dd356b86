//! The metadata quorum as clients see it: who is in it, and how it changes.

use protocol::messages::add_raft_voter_request::{AddRaftVoterRequest, Listener};
use protocol::messages::add_raft_voter_response::AddRaftVoterResponse;
use protocol::messages::describe_quorum_request::{DescribeQuorumRequest, PartitionData, TopicData};
use protocol::messages::describe_quorum_response::DescribeQuorumResponse;
use protocol::messages::remove_raft_voter_request::RemoveRaftVoterRequest;
use protocol::messages::remove_raft_voter_response::RemoveRaftVoterResponse;
use protocol::{ErrorCode, Uuid};
use shard::memory::Crash;

use crate::harness::{Client, Rig};

/// Nobody listens there.
const NOWHERE: u16 = 9;

/// Leader, epoch, and the numbers of voters and observers.
fn describe(client: &mut Client) -> (i32, i32, Vec<i32>, Vec<i32>) {
    let partitions = vec![PartitionData::default()];
    let topics = vec![TopicData { topic_name: "__cluster_metadata", partitions }];
    let reply = client.ask(2, &DescribeQuorumRequest { topics });
    let answer: DescribeQuorumResponse<'_> = reply.read();
    let partition = &answer.topics[0].partitions[0];
    assert_eq!(partition.error_code, 0);
    let ids = |replicas: &[protocol::messages::describe_quorum_response::ReplicaState]| {
        replicas.iter().map(|replica| replica.replica_id).collect()
    };
    (partition.leader_id, partition.leader_epoch, ids(&partition.current_voters), ids(&partition.observers))
}

fn addition<'a>(id: i32) -> AddRaftVoterRequest<'a> {
    let listener = Listener { name: "PEER", host: "10.9.9.9", port: NOWHERE };
    AddRaftVoterRequest {
        cluster_id: None,
        voter_id: id,
        voter_directory_id: Uuid::from_u128(77),
        listeners: vec![listener],
        ack_when_committed: false,
        ..Default::default()
    }
}

fn add(client: &mut Client, request: &AddRaftVoterRequest<'_>) -> i16 {
    client.ask(1, request).read::<AddRaftVoterResponse<'_>>().error_code
}

fn remove(client: &mut Client, id: i32, directory: u128) -> i16 {
    let voter_directory_id = Uuid::from_u128(directory);
    let request = RemoveRaftVoterRequest { voter_id: id, voter_directory_id, ..Default::default() };
    let request = RemoveRaftVoterRequest { cluster_id: None, ..request };
    client.ask(0, &request).read::<RemoveRaftVoterResponse<'_>>().error_code
}

#[test]
fn a_node_without_flags_is_a_quorum_of_one_whose_epoch_goes_up_with_each_start() {
    let rig = Rig::with(2, &[]);
    let (leader, epoch, voters, observers) = describe(&mut rig.connect());
    assert_eq!((voters, observers), (vec![leader], vec![]));
    rig.crash_and_restart(Crash::Power);
    let (_, later, voters, _) = describe(&mut rig.connect());
    assert_eq!((later, voters), (epoch + 1, vec![leader]));
}

#[test]
fn a_voter_that_never_comes_is_an_observer_for_a_minute_and_hinders_nobody() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    assert_eq!(add(&mut client, &addition(5)), 0);
    let (leader, _, voters, observers) = describe(&mut client);
    assert_eq!((voters, observers), (vec![leader], vec![5]));
    assert_eq!(add(&mut client, &addition(6)), ErrorCode::RequestTimedOut.code(), "one change at a time");
    client.create("t", 1);
    rig.pass_ms(70_000);
    let (_, _, voters, observers) = describe(&mut rig.connect());
    assert_eq!((voters, observers), (vec![leader], vec![]));
}

#[test]
fn voters_that_cannot_be_are_refused_with_kafkas_codes() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    let (leader, ..) = describe(&mut client);
    let other_cluster = AddRaftVoterRequest { cluster_id: Some("other"), ..addition(5) };
    let nowhere = AddRaftVoterRequest { listeners: Vec::new(), ..addition(5) };
    for (request, error) in [
        (other_cluster, ErrorCode::InconsistentClusterId),
        (nowhere, ErrorCode::InvalidRequest),
        (addition(-1), ErrorCode::InvalidRequest),
        (addition(leader), ErrorCode::DuplicateVoter),
    ] {
        assert_eq!(add(&mut client, &request), error.code());
    }
    assert_eq!(remove(&mut client, 9, 1), ErrorCode::VoterNotFound.code());
    assert_eq!(remove(&mut client, leader, 99), ErrorCode::VoterNotFound.code(), "another directory");
    assert_eq!(remove(&mut client, leader, 2), ErrorCode::InvalidRequest.code(), "the last voter");
}
