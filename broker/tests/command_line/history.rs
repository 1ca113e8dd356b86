//! What `ringlog group describe` tells of a group's past: whose doing a rebalance was, in groups of both protocols.

use std::time::{Duration, Instant};

use net::client::{Address, Client, CoordinatorKind, Target};
use protocol::messages::consumer_group_heartbeat_request::ConsumerGroupHeartbeatRequest;
use protocol::messages::consumer_group_heartbeat_response::ConsumerGroupHeartbeatResponse;
use protocol::messages::join_group_request::{JoinGroupRequest, JoinGroupRequestProtocol};
use protocol::messages::join_group_response::JoinGroupResponse;
use protocol::messages::sync_group_request::{SyncGroupRequest, SyncGroupRequestAssignment};
use protocol::messages::sync_group_response::SyncGroupResponse;
use serde_json::Value;

use crate::place::Place;

const GROUP: Target<'static> = Target::Coordinator(CoordinatorKind::Group, "g");
const SESSION_TIMEOUT_MS: i32 = 300;
/// The last version in which a new member need not ask for an id first.
const JOIN_AT_ONCE: i16 = 3;

#[test]
fn a_silent_member_of_a_classic_group_is_named_as_the_cause() {
    let place = Place::start_with("history-classic", &["group.min.session.timeout.ms=100"]);
    place.ok("topic create a -p 1");
    place.ok_with("produce a", b"1\n2\n");
    place.ok("consume a -e --group g --max 1");
    let member = join_and_fall_silent(&place);
    let group = until(&place, |group| group["history"]["rebalances"][0]["cause"] == "session_expired");
    let history = &group["history"];
    let last = &history["rebalances"][0];
    assert_eq!(
        (&last["member"], &last["after_ms"]),
        (&Value::from(member.as_str()), &SESSION_TIMEOUT_MS.into())
    );
    assert_eq!((&last["members_before"], &last["members_after"]), (&1.into(), &0.into()));
    let joined = &history["rebalances"][1];
    assert_eq!((&joined["cause"], &joined["member"]), (&"member_joined".into(), &member.as_str().into()));
    assert_eq!((&joined["members_before"], &joined["members_after"]), (&0.into(), &1.into()));
    assert!(joined["generation"].as_i64() > Some(1) && joined["took_ms"].is_i64(), "{joined}");
    assert!(history["last_commit_member"].as_str().unwrap().starts_with("ringlog-cli-"), "{history}");
    assert_eq!(group["partitions"][0]["lag"], 1);
    assert!(group["partitions"][0]["waiting_ms"].as_i64() >= Some(0), "{group}");
    assert_eq!(group["partitions"][0]["waiting_ms"].is_i64(), history["waiting_ms"].is_i64());
    let text = place.ok("group describe g");
    let row = text.lines().find(|line| line.contains("session expired after 300 ms"));
    assert!(row.is_some_and(|row| row.contains(&member) && row.contains("  1 to 0")), "{text}");
    assert!(text.contains("\n  last commit  20") && text.contains("ago, by member ringlog-cli-"), "{text}");
}

#[test]
fn a_member_that_leaves_a_consumer_group_is_named_as_the_cause() {
    let place = Place::start("history-consumer");
    place.ok("topic create a -p 1");
    let mut client = client_of(&place);
    let epoch = client.until_done(|client| beat(client, "early", 0)).unwrap();
    beat(&mut client, "late", 0).unwrap();
    // A rebalance ends when the one that stays hears of the new epoch.
    let second = beat(&mut client, "early", epoch).unwrap();
    beat(&mut client, "late", -1).unwrap();
    beat(&mut client, "early", second).unwrap();
    let group = until(&place, |group| group["history"]["rebalances"][0]["cause"] == "member_left");
    let rebalances = &group["history"]["rebalances"];
    assert_eq!((&group["protocol"], &rebalances[0]["member"]), (&"consumer".into(), &"late".into()));
    assert_eq!((&rebalances[0]["members_before"], &rebalances[0]["members_after"]), (&2.into(), &1.into()));
    assert_eq!(
        (&rebalances[1]["cause"], &rebalances[1]["member"]),
        (&"member_joined".into(), &"late".into())
    );
    assert_eq!((&rebalances[2]["member"], &rebalances[2]["generation"]), (&"early".into(), &epoch.into()));
    let text = place.ok("group describe g");
    assert!(text.contains("\n  last commit  none since the coordinator loaded the group\n"), "{text}");
    assert!(text.contains("member left") && text.contains("2 to 1"), "{text}");
}

fn client_of(place: &Place) -> Client {
    let addresses = Address::parse_list(&place.bootstrap).unwrap();
    Client::connect(addresses, "test", Duration::from_secs(30)).unwrap()
}

/// Joins a classic group as its only member, and is heard of no more. Its id.
fn join_and_fall_silent(place: &Place) -> String {
    let mut client = client_of(place);
    let request = JoinGroupRequest {
        group_id: "g",
        session_timeout_ms: SESSION_TIMEOUT_MS,
        rebalance_timeout_ms: 10_000,
        protocol_type: "consumer",
        protocols: vec![JoinGroupRequestProtocol {
            name: "range",
            metadata: b"\0\0\0\0\0\0",
            ..Default::default()
        }],
        ..Default::default()
    };
    let answer = client.until_done(|client| client.ask_below(GROUP, &request, JOIN_AT_ONCE)).unwrap();
    let joined: JoinGroupResponse<'_> = client.read(&answer).unwrap();
    answer.check("", joined.error_code, None).unwrap();
    let request = SyncGroupRequest {
        group_id: "g",
        generation_id: joined.generation_id,
        member_id: joined.member_id,
        protocol_type: Some("consumer"),
        protocol_name: Some("range"),
        assignments: vec![SyncGroupRequestAssignment {
            member_id: joined.member_id,
            assignment: b"",
            ..Default::default()
        }],
        ..Default::default()
    };
    let synced = client.ask(GROUP, &request).unwrap();
    let response: SyncGroupResponse<'_> = client.read(&synced).unwrap();
    synced.check("", response.error_code, None).unwrap();
    joined.member_id.to_owned()
}

/// A heartbeat of a consumer group's member, which joins with epoch 0 and leaves with -1. Its epoch.
fn beat(client: &mut Client, member: &str, epoch: i32) -> Result<i32, net::client::ClientError> {
    let is_new = epoch == 0;
    let request = ConsumerGroupHeartbeatRequest {
        group_id: "g",
        member_id: member,
        member_epoch: epoch,
        rebalance_timeout_ms: if is_new { 30_000 } else { -1 },
        subscribed_topic_names: is_new.then(|| vec!["a"]),
        topic_partitions: is_new.then(Vec::new),
        ..Default::default()
    };
    let answer = client.ask(GROUP, &request)?;
    let response: ConsumerGroupHeartbeatResponse<'_> = client.read(&answer)?;
    answer.check("group g", response.error_code, response.error_message)?;
    Ok(response.member_epoch)
}

/// Asks for the group until it looks as it should.
fn until(place: &Place, is_there: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let json: Value = serde_json::from_str(&place.ok("group describe g --json")).unwrap();
        let group = &json["groups"][0];
        if is_there(group) {
            return group.clone();
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{group:#}");
    }
}
