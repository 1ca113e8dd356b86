//! Framing, headers, versions: what every connection rests on.

use protocol::messages::api_versions_request::ApiVersionsRequest;
use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::messages::fetch_response::FetchResponse;
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::metadata_response::MetadataResponse;
use protocol::{ApiKey, ErrorCode};
use shard::ShardId;

use crate::calls::{FETCH, PRODUCE, batch, error, fetch_request, fetched, produce_request, produced};
use crate::harness::{Client, Rig};

/// A frame of a header v1 without a client id, and these bytes.
fn raw(key: i16, version: i16, correlation_id: i32, body: &[u8]) -> Vec<u8> {
    let mut frame = (10 + body.len() as i32).to_be_bytes().to_vec();
    frame.extend(key.to_be_bytes());
    frame.extend(version.to_be_bytes());
    frame.extend(correlation_id.to_be_bytes());
    frame.extend((-1_i16).to_be_bytes());
    frame.extend(body);
    frame
}

fn software<'a>(name: &'a str, version: &'a str) -> ApiVersionsRequest<'a> {
    ApiVersionsRequest { client_software_name: name, client_software_version: version }
}

fn api_versions(client: &mut Client, version: i16) -> Vec<(i16, i16, i16)> {
    let reply = client.ask(version, &software("wire", "1"));
    let response: ApiVersionsResponse<'_> = reply.read();
    assert_eq!(response.error_code, 0);
    response.api_keys.iter().map(|api| (api.api_key, api.min_version, api.max_version)).collect()
}

#[test]
fn c1_q2_an_unknown_version_of_api_versions_is_answered_in_v0_and_the_connection_lives() {
    let mut client = Rig::new().connect();
    // Any version that is not known yet has a flexible header: its tags, then a body that nobody here understands.
    client.send_raw(&raw(18, 99, 7, b"\0junk"), Some((7, ApiKey::ApiVersions, 0)));
    let reply = client.receive();
    let response: ApiVersionsResponse<'_> = reply.read();
    assert_eq!(error(response.error_code), ErrorCode::UnsupportedVersion);
    let keys: Vec<_> =
        response.api_keys.iter().map(|api| (api.api_key, api.min_version, api.max_version)).collect();
    assert_eq!(keys, [(18, 0, 4)]);
    assert!(api_versions(&mut client, 0).len() > 10);
}

#[test]
fn c3_q4_a_client_without_an_id_is_served() {
    let mut client = Rig::new().connect();
    client.client_id = None;
    let all = MetadataRequest { topics: None, ..Default::default() };
    client.ask(1, &all).read::<MetadataResponse<'_>>();
    client.ask(12, &all).read::<MetadataResponse<'_>>();
    api_versions(&mut client, 3);
}

#[test]
fn c3_q7_software_without_a_proper_name_is_an_invalid_request_and_no_close() {
    let mut client = Rig::new().connect();
    for (name, version) in [("", "1"), ("wire", ""), ("a b", "1"), ("-a", "1"), ("wire", "1_0")] {
        let reply = client.ask(3, &software(name, version));
        let response: ApiVersionsResponse<'_> = reply.read();
        assert_eq!(error(response.error_code), ErrorCode::InvalidRequest, "{name:?} {version:?}");
        assert!(response.api_keys.is_empty());
    }
    api_versions(&mut client, 4);
}

#[test]
fn q1_the_api_versions_response_header_has_no_tags() {
    let mut client = Rig::new().connect();
    for version in 0..=4 {
        let reply = client.ask(version, &software("wire", "1"));
        let error_code = i16::from_be_bytes([reply.frame[4], reply.frame[5]]);
        assert_eq!(error_code, 0, "the error follows the correlation id at once, version {version}");
    }
    let metadata = client.ask(9, &MetadataRequest::default());
    assert_eq!(metadata.frame[4], 0, "any other flexible response has a tag section in its header");
}

#[test]
fn q3_what_is_not_served_closes_the_connection() {
    let rig = Rig::new();
    let mut other = rig.connect();
    for (key, version) in
        [(3, 14), (3, -1), (0, 2), (0, 14), (1, 3), (1, 19), (11, 5), (71, 0), (999, 0), (-1, 0)]
    {
        let mut client = rig.connect();
        client.send_raw(&raw(key, version, 1, &[0; 8]), None);
        assert!(client.is_closed(), "key {key} version {version}");
    }
    api_versions(&mut other, 3);
}

#[test]
fn q3_a_body_that_cannot_be_read_closes_the_connection() {
    let rig = Rig::new();
    for body in [&b""[..], b"\0\0\0\x01", b"\0\0\0\x01\0\x05abc", b"\x7f\xff\xff\xff"] {
        let mut client = rig.connect();
        client.send_raw(&raw(3, 1, 1, body), None);
        assert!(client.is_closed(), "{body:?}");
    }
}

/// What a broker of Kafka 4.3 advertises on an ordinary listener: key, lowest and highest version.
const KAFKA: &[(i16, i16, i16)] = &[
    (0, 0, 13),
    (1, 4, 18),
    (2, 1, 11),
    (3, 0, 13),
    (8, 2, 10),
    (9, 1, 10),
    (10, 0, 6),
    (11, 0, 9),
    (12, 0, 4),
    (13, 0, 5),
    (14, 0, 5),
    (15, 0, 6),
    (16, 0, 5),
    (17, 0, 1),
    (18, 0, 4),
    (19, 2, 7),
    (20, 1, 6),
    (21, 0, 2),
    (22, 0, 5),
    (23, 2, 4),
    (24, 0, 5),
    (25, 0, 4),
    (26, 0, 5),
    (27, 1, 2),
    (28, 0, 5),
    (29, 1, 3),
    (30, 1, 3),
    (31, 1, 3),
    (32, 1, 4),
    (33, 0, 2),
    (34, 1, 2),
    (35, 1, 5),
    (36, 0, 2),
    (37, 0, 3),
    (38, 1, 3),
    (39, 1, 2),
    (40, 1, 2),
    (41, 1, 3),
    (42, 0, 2),
    (43, 0, 2),
    (44, 0, 1),
    (45, 0, 1),
    (46, 0, 0),
    (47, 0, 0),
    (48, 0, 1),
    (49, 0, 1),
    (50, 0, 0),
    (51, 0, 0),
    (55, 0, 2),
    (57, 0, 2),
    (60, 0, 2),
    (61, 0, 0),
    (64, 0, 0),
    (65, 0, 0),
    (66, 0, 2),
    (68, 0, 1),
    (69, 0, 1),
    (74, 0, 1),
    (75, 0, 0),
    (76, 1, 1),
    (77, 1, 1),
    (78, 1, 2),
    (79, 1, 2),
    (80, 0, 1),
    (81, 0, 0),
    (83, 0, 0),
    (84, 0, 0),
    (85, 0, 1),
    (86, 0, 0),
    (87, 0, 1),
    (88, 0, 0),
    (89, 0, 0),
    (90, 0, 1),
    (91, 0, 0),
    (92, 0, 0),
];

#[test]
fn q5_q6_q8_the_advertised_ranges_are_kafkas_without_a_hole() {
    let mut client = Rig::new().connect();
    let all = api_versions(&mut client, 4);
    for version in 0..4 {
        assert_eq!(api_versions(&mut client, version), all);
    }
    assert!(all.is_sorted());
    for range in &all {
        assert!(KAFKA.contains(range), "{range:?} is not what Kafka says of this key");
    }
    let keys: Vec<i16> = all.iter().map(|(key, ..)| *key).collect();
    for key in [0, 1, 2, 3, 18, 19, 20, 22, 23, 32, 33, 35, 37, 44, 60, 75] {
        assert!(keys.contains(&key), "key {key} is missing");
    }
    assert!(!keys.contains(&71) && !keys.contains(&72), "no telemetry without a receiver");
}

#[test]
fn q9_features_are_told_from_version_3_on() {
    let mut client = Rig::new().connect();
    for version in 3..=4 {
        let reply = client.ask(version, &software("wire", "1"));
        let response: ApiVersionsResponse<'_> = reply.read();
        let names: Vec<_> = response.finalized_features.iter().map(|feature| feature.name).collect();
        assert_eq!(names, ["group.version", "metadata.version", "transaction.version"], "all that are on");
        assert!(response.finalized_features_epoch >= 0);
        assert!(version >= 4 || response.supported_features.iter().all(|feature| feature.min_version > 0));
    }
}

#[test]
fn c7_q10_a_reply_waits_for_the_reply_before_it() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let began = rig.now_ms();
    let mut wait = fetch_request(&[("t", 0, 0)]);
    wait.max_wait_ms = 3000;
    client.send(FETCH, &wait);
    client.send(12, &MetadataRequest::default());
    assert!(client.receive_now().is_none(), "the fetch waits, and the metadata with it");
    let first = client.receive();
    assert_eq!((first.key, rig.now_ms() - began), (ApiKey::Fetch, 3000));
    assert_eq!(client.receive_now().unwrap().key, ApiKey::Metadata);
}

#[test]
fn c7_pipelined_batches_are_appended_in_order() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let batches: Vec<_> = ["a", "b", "c", "d", "e"].map(|value| batch(&[value])).into();
    for batch in &batches {
        client.send(PRODUCE, &produce_request(&[("t", 0, batch)]));
    }
    let offsets: Vec<i64> = (0..5).map(|_| produced(&client.receive())[0].base_offset).collect();
    assert_eq!(offsets, [0, 1, 2, 3, 4]);
    assert_eq!(client.read_all("t", 0), ["a", "b", "c", "d", "e"]);
}

#[test]
fn q10_pipelined_requests_to_partitions_of_several_cores_are_answered_in_order() {
    let rig = Rig::with(3, &[]);
    let mut client = rig.connect();
    client.create("t", 6);
    let homes: std::collections::BTreeSet<ShardId> = (0..6).map(|p| rig.home("t", p)).collect();
    assert_eq!(homes.len(), 3, "the partitions are on all cores");
    let batch = batch(&["v"]);
    for round in 0..30 {
        client.send(PRODUCE, &produce_request(&[("t", round % 6, &batch), ("t", (round + 3) % 6, &batch)]));
        client.send(FETCH, &fetch_request(&[("t", (round + 1) % 6, 0), ("t", round % 6, 0)]));
    }
    // The harness checks the order of the correlation ids.
    for _ in 0..30 {
        assert!(produced(&client.receive()).iter().all(|p| p.error == ErrorCode::None));
        assert!(fetched(&client.receive()).iter().all(|f| f.error == ErrorCode::None));
    }
}

#[test]
fn q11_a_frame_size_that_no_request_has_closes_the_connection_at_once() {
    let rig = Rig::with(1, &[("socket.request.max.bytes", "1000")]);
    for size in [-1, i32::MIN, 0, 1001, i32::MAX] {
        let mut client = rig.connect();
        client.send_raw(&size.to_be_bytes(), None);
        assert!(client.is_closed(), "size {size}");
    }
    api_versions(&mut rig.connect(), 0);
}

#[test]
fn q12_acks_0_has_no_answer_and_an_error_closes_the_connection() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let batch = batch(&["v"]);
    let mut silent = produce_request(&[("t", 0, &batch)]);
    silent.acks = 0;
    client.send_silent(PRODUCE, &silent);
    // The next reply is the next request's: nothing came for the one before.
    client.ask(12, &MetadataRequest { topics: None, ..Default::default() });
    assert_eq!(client.read_all("t", 0), ["v"]);
    let mut failing = produce_request(&[("no-such-topic", 0, &batch)]);
    failing.acks = 0;
    client.send_silent(PRODUCE, &failing);
    assert!(client.is_closed());
}

#[test]
fn q13_unknown_tagged_fields_are_ignored_wherever_they_stand() {
    let mut client = Rig::new().connect();
    // Metadata v9 about no topics, a tag 77 of two bytes in the header and one in the body.
    let body = b"\x01\x4d\x02hi\x01\0\0\0\x01\x4d\x02yo";
    client.send_raw(&raw(3, 9, 5, body), Some((5, ApiKey::Metadata, 9)));
    assert!(client.receive().read::<MetadataResponse<'_>>().topics.is_empty());
}

#[test]
fn q14_null_and_empty_lists_of_topics_differ() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let mut count = |version: i16, topics: Option<Vec<MetadataRequestTopic<'_>>>| {
        let reply = client.ask(version, &MetadataRequest { topics, ..Default::default() });
        reply.read::<MetadataResponse<'_>>().topics.len()
    };
    assert_eq!(count(0, Some(Vec::new())), 1, "version 0: empty is all");
    for version in [1, 8, 9, 13] {
        assert_eq!(count(version, None), 1, "version {version}: null is all");
        assert_eq!(count(version, Some(Vec::new())), 0, "version {version}: empty is none");
    }
}

#[test]
fn q15_nothing_is_throttled() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let reply = client.ask(FETCH, &fetch_request(&[("t", 0, 0)]));
    assert_eq!(reply.read::<FetchResponse<'_>>().throttle_time_ms, 0);
    let reply = client.ask(12, &MetadataRequest { topics: None, ..Default::default() });
    assert_eq!(reply.read::<MetadataResponse<'_>>().throttle_time_ms, 0);
}

#[test]
fn q17_an_idle_connection_is_closed() {
    let rig = Rig::with(1, &[("connections.max.idle.ms", "5000")]);
    let (mut idle, mut busy, mut waiting) = (rig.connect(), rig.connect(), rig.connect());
    busy.create("t", 1);
    let mut fetch = fetch_request(&[("t", 0, 0)]);
    fetch.max_wait_ms = 8000;
    waiting.send(FETCH, &fetch);
    for _ in 0..2 {
        rig.pass_ms(3500);
        api_versions(&mut busy, 0);
    }
    assert!(idle.is_closed());
    assert!(!busy.peer.is_closed());
    assert!(fetched(&waiting.receive())[0].records.is_empty(), "who waits for an answer is not idle");
}

#[test]
fn half_a_frame_waits_for_its_other_half() {
    let rig = Rig::new();
    let mut client = rig.connect();
    let frame = client.frame(12, &MetadataRequest::default());
    for byte in &frame {
        client.send_raw(&[*byte], None);
        rig.turn();
    }
    rig.settle();
    assert!(client.take_frame().is_some_and(|reply| reply.len() > 20), "the whole frame is answered");
}
