//! Members of both protocols in one group, frame by frame (KIP-848).

use protocol::ErrorCode;
use protocol::messages::consumer_group_describe_request::ConsumerGroupDescribeRequest;
use protocol::messages::consumer_group_describe_response::ConsumerGroupDescribeResponse;
use protocol::messages::join_group_request::{JoinGroupRequest, JoinGroupRequestProtocol};
use protocol::messages::join_group_response::JoinGroupResponse;
use shard::memory::Crash;

use crate::calls::error;
use crate::groups::{beat, commit, heartbeat, join_request, sync, with_topic};
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
    let asked = ConsumerGroupDescribeRequest { group_ids: vec!["g", "g"], ..Default::default() };
    let reply = client.ask(1, &asked);
    let response: ConsumerGroupDescribeResponse<'_> = reply.read();
    assert_eq!(response.groups.len(), 1, "what is named again is answered once");
    let kinds = response.groups[0].members.iter().map(|member| (member.member_id, member.member_type));
    let mut kinds: Vec<_> = kinds.collect();
    kinds.sort_by_key(|(_, kind)| *kind);
    assert_eq!(kinds, [(&*id, 0), ("m", 1)]);
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
