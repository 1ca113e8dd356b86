//! Topics in the metadata: names, ids, automatic creation, growth and deletion.

use protocol::messages::create_partitions_request::{
    CreatePartitionsAssignment, CreatePartitionsRequest, CreatePartitionsTopic,
};
use protocol::messages::create_partitions_response::CreatePartitionsResponse;
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::delete_topics_response::DeleteTopicsResponse;
use protocol::messages::describe_cluster_request::DescribeClusterRequest;
use protocol::messages::describe_cluster_response::DescribeClusterResponse;
use protocol::messages::describe_topic_partitions_request::{
    Cursor, DescribeTopicPartitionsRequest, TopicRequest,
};
use protocol::messages::describe_topic_partitions_response::DescribeTopicPartitionsResponse;
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::metadata_response::MetadataResponse;
use protocol::{ErrorCode, Uuid};
use shard::memory::Crash;

use crate::calls::{PRODUCE, batch, create_request, error, produce_request, produced};
use crate::harness::{Client, Rig};

fn by_name<'a>(names: &[&'a str], allow_auto_topic_creation: bool) -> MetadataRequest<'a> {
    let topics =
        names.iter().map(|&name| MetadataRequestTopic { name: Some(name), ..Default::default() }).collect();
    MetadataRequest { topics: Some(topics), allow_auto_topic_creation, ..Default::default() }
}

fn all() -> MetadataRequest<'static> {
    MetadataRequest { topics: None, ..Default::default() }
}

/// The topics that metadata tells: error, name, partition count.
fn told(client: &mut Client, version: i16, request: &MetadataRequest<'_>) -> Vec<(ErrorCode, String, usize)> {
    let reply = client.ask(version, request);
    let response: MetadataResponse<'_> = reply.read();
    let topics = response.topics.iter();
    topics.map(|t| (error(t.error_code), t.name.unwrap_or("(null)").to_owned(), t.partitions.len())).collect()
}

fn entry(error: ErrorCode, name: &str, partitions: usize) -> (ErrorCode, String, usize) {
    (error, name.to_owned(), partitions)
}

const OK: ErrorCode = ErrorCode::None;
const UNKNOWN: ErrorCode = ErrorCode::UnknownTopicOrPartition;

#[test]
fn q18_metadata_creates_what_it_is_asked_for_if_both_sides_allow_it() {
    let rig = Rig::with(2, &[("num.partitions", "4")]);
    let mut client = rig.connect();
    assert_eq!(told(&mut client, 12, &by_name(&["a"], false)), [entry(UNKNOWN, "a", 0)]);
    assert_eq!(told(&mut client, 12, &by_name(&["a"], true)), [entry(OK, "a", 4)], "ready with the answer");
    assert_eq!(
        told(&mut client, 1, &by_name(&["b"], false)),
        [entry(OK, "b", 4)],
        "implied before version 4"
    );
    assert_eq!(told(&mut client, 12, &all()).len(), 2, "all topics creates none");
    let never = Rig::with(1, &[("auto.create.topics.enable", "false")]);
    assert_eq!(told(&mut never.connect(), 12, &by_name(&["a"], true)), [entry(UNKNOWN, "a", 0)]);
}

#[test]
fn q19_illegal_names_are_told_from_unknown_ones() {
    let mut client = Rig::new().connect();
    let long = "a".repeat(250);
    let invalid = ErrorCode::InvalidTopicException;
    for name in ["", ".", "..", "a b", "a/b", "ä", &long] {
        assert_eq!(told(&mut client, 12, &by_name(&[name], true)), [entry(invalid, name, 0)]);
    }
    assert_eq!(told(&mut client, 12, &by_name(&[&long[1..]], true)), [entry(OK, &long[1..], 1)]);
    client.create("a_b", 1);
    assert_eq!(told(&mut client, 12, &by_name(&["a.b"], true)), [entry(UNKNOWN, "a.b", 0)], "it collides");
}

#[test]
fn a_topic_that_is_asked_for_twice_is_told_once() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    for version in [1, 12] {
        assert_eq!(told(&mut client, version, &by_name(&["t", "t"], false)), [entry(OK, "t", 1)]);
    }
}

#[test]
fn c5_q20_topics_are_asked_for_by_id_from_version_12() {
    let rig = Rig::new();
    let mut client = rig.connect();
    let id = client.create("t", 2);
    assert!(!id.is_zero());
    let by_id = |topic_id: Uuid| MetadataRequest {
        topics: Some(vec![MetadataRequestTopic { topic_id, name: None }]),
        ..Default::default()
    };
    for version in [12, 13] {
        assert_eq!(told(&mut client, version, &by_id(id)), [entry(OK, "t", 2)]);
        let unknown = told(&mut client, version, &by_id(Uuid::from_u128(5)));
        assert_eq!(unknown, [entry(ErrorCode::UnknownTopicId, "(null)", 0)]);
    }
    for version in [10, 11] {
        assert_eq!(told(&mut client, version, &by_id(id))[0].0, ErrorCode::InvalidRequest);
    }
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    assert_eq!(client.describe("t").1, id, "the same after a restart");
    assert_eq!(client.delete("t"), OK);
    assert_ne!(client.create("t", 2), id, "another for another topic");
}

#[test]
fn q21_the_leader_epoch_never_falls() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let mut last = client.describe("t").2[0].1;
    assert!(last >= 0);
    for crash in [Crash::Process, Crash::Power, Crash::Process] {
        rig.crash_and_restart(crash);
        let epoch = rig.connect().describe("t").2[0].1;
        assert!(epoch >= last, "{epoch} after {last}");
        last = epoch;
    }
}

#[test]
fn q22_q24_leaders_are_there_and_operations_unknown_unless_asked_for() {
    let mut client = Rig::new().connect();
    client.create("t", 3);
    for version in 0..=13 {
        let reply = client.ask(version, &by_name(&["t"], false));
        let response: MetadataResponse<'_> = reply.read();
        assert_eq!(response.error_code, 0);
        let topic = &response.topics[0];
        for (partition, index) in topic.partitions.iter().zip(0..) {
            assert_eq!((partition.partition_index, partition.error_code, partition.leader_id), (index, 0, 3));
            assert_eq!((&partition.replica_nodes[..], &partition.isr_nodes[..]), (&[3][..], &[3][..]));
            assert!(partition.offline_replicas.is_empty());
        }
        assert_eq!(topic.topic_authorized_operations, i32::MIN);
        assert_eq!(response.cluster_authorized_operations, i32::MIN);
        assert!(!topic.is_internal);
    }
}

#[test]
fn c77_q16_the_controller_is_a_live_broker_that_takes_changes() {
    let rig = Rig::new();
    let mut client = rig.connect();
    for version in 1..=13 {
        let reply = client.ask(version, &by_name(&[], false));
        let response: MetadataResponse<'_> = reply.read();
        assert_eq!(response.controller_id, 3);
        assert!(response.brokers.iter().any(|broker| broker.node_id == 3));
        assert!(version < 2 || response.cluster_id.is_some_and(|id| !id.is_empty()));
    }
    for version in 0..=2 {
        let reply = client.ask(version, &DescribeClusterRequest { endpoint_type: 1, ..Default::default() });
        let response: DescribeClusterResponse<'_> = reply.read();
        assert_eq!((response.error_code, response.controller_id), (0, 3));
        let broker = &response.brokers[0];
        assert_eq!((broker.broker_id, broker.host, broker.port), (3, "broker.test", 9092));
    }
    // Whichever core the client came to.
    for core in 0..2 {
        rig.connect_core(shard::ShardId(core)).create(&format!("by-{core}"), 1);
    }
}

#[test]
fn an_endpoint_of_another_type_is_refused() {
    let mut client = Rig::new().connect();
    for (endpoint_type, expected) in
        [(2, ErrorCode::MismatchedEndpointType), (9, ErrorCode::UnsupportedEndpointType)]
    {
        let reply = client.ask(1, &DescribeClusterRequest { endpoint_type, ..Default::default() });
        let response: DescribeClusterResponse<'_> = reply.read();
        assert_eq!((error(response.error_code), response.brokers.len()), (expected, 0));
    }
}

#[test]
fn c109_q23_each_listener_tells_its_own_address() {
    let rig = Rig::with(
        2,
        &[
            ("listeners", "IN://inside.test:9092,OUT://outside.test:9093"),
            ("listener.security.protocol.map", "IN:PLAINTEXT,OUT:PLAINTEXT"),
            ("advertised.listeners", "IN://10.0.0.1:9092,OUT://public.test:19093"),
        ],
    );
    for (listener, host, port) in [(0, "10.0.0.1", 9092), (1, "public.test", 19_093)] {
        for _ in 0..3 {
            let mut client = rig.connect_listener(listener);
            let reply = client.ask(12, &by_name(&[], false));
            let response: MetadataResponse<'_> = reply.read();
            assert_eq!((response.brokers[0].host, response.brokers[0].port), (host, port));
            let reply = client.ask(1, &DescribeClusterRequest { endpoint_type: 1, ..Default::default() });
            let response: DescribeClusterResponse<'_> = reply.read();
            assert_eq!((response.brokers[0].host, response.brokers[0].port), (host, port));
        }
    }
}

#[test]
fn c65_a_topic_is_ready_on_every_core_when_its_creation_is_answered() {
    let rig = Rig::with(3, &[]);
    let mut creator = rig.connect();
    let mut producers: Vec<_> = (0..3).map(|core| rig.connect_core(shard::ShardId(core))).collect();
    let batch = batch(&["v"]);
    for round in 0..100 {
        let name = format!("t{round}");
        creator.create(&name, 10);
        for producer in &mut producers {
            let produced = producer.produce(&name, 9, &batch);
            assert_eq!(produced.error, OK, "{name}");
        }
        let (_, _, leaders) = producers[round % 3].describe(&name);
        assert!(leaders.len() == 10 && leaders.iter().all(|(leader, _)| *leader == 3));
    }
}

#[test]
fn c65_pipelined_creation_and_first_produce() {
    let rig = Rig::with(2, &[("num.partitions", "6")]);
    let mut client = rig.connect();
    let batch = batch(&["v"]);
    for round in 0..50 {
        let name = format!("t{round}");
        assert_eq!(told(&mut client, 12, &by_name(&[&name], true)), [entry(OK, &name, 6)]);
        client.send(PRODUCE, &produce_request(&[(&name, 5, &batch)]));
        assert_eq!(produced(&client.receive())[0].error, OK);
    }
}

#[test]
fn two_clients_that_create_the_same_topic_get_one() {
    let rig = Rig::new();
    let (mut one, mut other) = (rig.connect_core(shard::ShardId(0)), rig.connect_core(shard::ShardId(1)));
    one.send(12, &by_name(&["t"], true));
    other.send(12, &by_name(&["t"], true));
    let ids: Vec<Uuid> = [&mut one, &mut other]
        .map(|client| {
            let reply = client.receive();
            let response: MetadataResponse<'_> = reply.read();
            assert_eq!(error(response.topics[0].error_code), OK);
            response.topics[0].topic_id
        })
        .into();
    assert_eq!(ids[0], ids[1]);
}

/// Grows topics; gives each answer's name and error.
fn grow(
    client: &mut Client,
    version: i16,
    topics: &[(&str, i32, Option<&[i32]>)],
    validate_only: bool,
) -> Vec<(String, ErrorCode)> {
    let topics = topics.iter().map(|&(name, count, assigned)| CreatePartitionsTopic {
        name,
        count,
        assignments: assigned.map(|brokers| {
            brokers.iter().map(|&id| CreatePartitionsAssignment { broker_ids: vec![id] }).collect()
        }),
    });
    let request = CreatePartitionsRequest { topics: topics.collect(), timeout_ms: 1000, validate_only };
    let reply = client.ask(version, &request);
    let response: CreatePartitionsResponse<'_> = reply.read();
    response.results.iter().map(|result| (result.name.to_owned(), error(result.error_code))).collect()
}

#[test]
fn q102_partitions_only_grow_and_every_topic_is_answered() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 2);
    client.create("u", 1);
    client.append("t", 1, &batch(&["before"]));
    let result = |name: &str, error: ErrorCode| (name.to_owned(), error);
    let fewer = ErrorCode::InvalidPartitions;
    for (count, expected) in [(2, fewer), (1, fewer), (0, fewer), (-1, fewer), (i32::MAX, fewer)] {
        assert_eq!(grow(&mut client, 3, &[("t", count, None)], false), [result("t", expected)], "{count}");
    }
    let several = grow(&mut client, 0, &[("none", 5, None), ("t", 4, None), ("u", 1, None)], false);
    assert_eq!(several, [result("none", UNKNOWN), result("t", OK), result("u", fewer)]);
    assert_eq!(client.describe("t").2.len(), 4);
    client.append("t", 3, &batch(&["new"]));
    assert_eq!(client.read_all("t", 1), ["before"]);
    assert_eq!(grow(&mut client, 3, &[("t", 9, None)], true), [result("t", OK)], "only looked at");
    let twice = grow(&mut client, 3, &[("t", 5, None), ("t", 6, None)], false);
    assert_eq!(twice, [result("t", ErrorCode::InvalidRequest)], "one answer, and no growth");
    assert_eq!(client.describe("t").2.len(), 4);
    let wrong = ErrorCode::InvalidReplicaAssignment;
    assert_eq!(grow(&mut client, 3, &[("t", 6, Some(&[3]))], false), [result("t", wrong)]);
    assert_eq!(grow(&mut client, 3, &[("t", 5, Some(&[9]))], false), [result("t", wrong)]);
    assert_eq!(grow(&mut client, 3, &[("t", 6, Some(&[3, 3]))], false), [result("t", OK)]);
    assert_eq!(client.describe("t").2.len(), 6);
}

/// Deletes topics by name or id; gives each answer.
fn delete(client: &mut Client, topics: &[(Option<&str>, Uuid)]) -> Vec<(Option<String>, Uuid, ErrorCode)> {
    let topics = topics.iter().map(|&(name, topic_id)| DeleteTopicState { name, topic_id });
    let reply = client.ask(6, &DeleteTopicsRequest { topics: topics.collect(), ..Default::default() });
    let response: DeleteTopicsResponse<'_> = reply.read();
    let results = response.responses.iter();
    results.map(|r| (r.name.map(str::to_owned), r.topic_id, error(r.error_code))).collect()
}

#[test]
fn q103_topics_are_deleted_by_name_or_by_id() {
    let rig = Rig::new();
    let mut client = rig.connect();
    let (a, b) = (client.create("a", 2), client.create("b", 2));
    let strange = Uuid::from_u128(99);
    assert_eq!(delete(&mut client, &[(None, strange)]), [(None, strange, ErrorCode::UnknownTopicId)]);
    assert_eq!(delete(&mut client, &[(None, Uuid::ZERO)])[0].2, ErrorCode::InvalidRequest);
    assert_eq!(delete(&mut client, &[(Some("a"), a)])[0].2, ErrorCode::InvalidRequest, "not both");
    assert_eq!(delete(&mut client, &[(Some("none"), Uuid::ZERO)])[0].2, UNKNOWN);
    assert_eq!(delete(&mut client, &[(None, a)]), [(Some("a".to_owned()), a, OK)]);
    assert_eq!(delete(&mut client, &[(Some("b"), Uuid::ZERO)]), [(Some("b".to_owned()), b, OK)]);
    assert_eq!(told(&mut client, 12, &all()), []);
    assert_eq!(rig.sum(|broker| broker.partition_count()), 0);
    assert!(!rig.world.paths().iter().any(|path| path.starts_with(rig.dir("a", 0))), "its files are gone");
}

#[test]
fn q103_a_topic_that_is_named_twice_is_not_deleted() {
    let mut client = Rig::new().connect();
    let id = client.create("t", 1);
    for version in [1, 5] {
        let request = DeleteTopicsRequest { topic_names: vec!["t", "t"], ..Default::default() };
        let reply = client.ask(version, &request);
        let response: DeleteTopicsResponse<'_> = reply.read();
        let codes: Vec<_> = response.responses.iter().map(|r| (r.name, error(r.error_code))).collect();
        assert_eq!(codes, [(Some("t"), ErrorCode::InvalidRequest)]);
    }
    let twice = delete(&mut client, &[(None, id), (None, id)]);
    assert_eq!(twice, [(None, id, ErrorCode::InvalidRequest)]);
    assert_eq!(client.describe("t").0, OK);
}

#[test]
fn q103_deletion_can_be_forbidden() {
    let rig = Rig::with(1, &[("delete.topic.enable", "false")]);
    let mut client = rig.connect();
    client.create("t", 1);
    for (version, expected) in [
        (1, ErrorCode::InvalidRequest),
        (2, ErrorCode::InvalidRequest),
        (3, ErrorCode::TopicDeletionDisabled),
        (5, ErrorCode::TopicDeletionDisabled),
    ] {
        let reply =
            client.ask(version, &DeleteTopicsRequest { topic_names: vec!["t"], ..Default::default() });
        let response: DeleteTopicsResponse<'_> = reply.read();
        assert_eq!(error(response.responses[0].error_code), expected, "version {version}");
    }
    assert_eq!(client.delete("t"), ErrorCode::TopicDeletionDisabled);
    assert_eq!(client.describe("t").0, OK);
}

#[test]
fn five_thousand_partitions_are_made_in_one_request() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 5000);
    assert_eq!(rig.sum(|broker| broker.partition_count()), 5000);
    assert_eq!(client.describe("t").2.len(), 5000);
    for partition in [0, 2500, 4999] {
        assert_eq!(client.append("t", partition, &batch(&["v"])), 0);
    }
    assert!(rig.world.open_files() < 20_000);
    rig.crash_and_restart(Crash::Process);
    assert_eq!(rig.connect().read_all("t", 4999), ["v"]);
}

#[test]
fn a_request_for_more_partitions_than_there_can_be_costs_nothing() {
    let mut client = Rig::new().connect();
    for count in [10_001, i32::MAX] {
        let reply = client.ask(7, &create_request("t", count, &[]));
        let response: CreateTopicsResponse<'_> = reply.read();
        assert_eq!(error(response.topics[0].error_code), ErrorCode::PolicyViolation, "{count}");
    }
    assert_eq!(client.describe("t").0, UNKNOWN);
}

/// A topic as described: its name, its error, its partitions.
type Described = (String, ErrorCode, Vec<i32>);

/// One page of descriptions: topics with their partitions, and where the next page begins.
fn page(
    client: &mut Client,
    names: &[&str],
    limit: i32,
    cursor: Option<(&str, i32)>,
) -> (Vec<Described>, Option<(String, i32)>) {
    let request = DescribeTopicPartitionsRequest {
        topics: names.iter().map(|&name| TopicRequest { name }).collect(),
        response_partition_limit: limit,
        cursor: cursor.map(|(topic_name, partition_index)| Cursor { topic_name, partition_index }),
    };
    let reply = client.ask(0, &request);
    let response: DescribeTopicPartitionsResponse<'_> = reply.read();
    let topics = response.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|partition| partition.partition_index).collect();
        (topic.name.unwrap().to_owned(), error(topic.error_code), partitions)
    });
    let next = response.next_cursor.as_ref().map(|next| (next.topic_name.to_owned(), next.partition_index));
    (topics.collect(), next)
}

#[test]
fn topics_are_described_page_by_page() {
    let mut client = Rig::new().connect();
    for (name, partitions) in [("b", 3), ("a", 2), ("c", 1)] {
        client.create(name, partitions);
    }
    let topic = |name: &str, partitions: &[i32]| (name.to_owned(), OK, partitions.to_vec());
    let (first, next) = page(&mut client, &[], 3, None);
    assert_eq!(first, [topic("a", &[0, 1]), topic("b", &[0])]);
    assert_eq!(next, Some(("b".to_owned(), 1)));
    let (second, next) = page(&mut client, &[], 3, Some(("b", 1)));
    assert_eq!((second, next), (vec![topic("b", &[1, 2]), topic("c", &[0])], None));
    let (all, next) = page(&mut client, &["c", "none", "a", "a b"], 2000, None);
    assert_eq!(next, None);
    let unknown = |name: &str, error: ErrorCode| (name.to_owned(), error, Vec::new());
    assert_eq!(
        all,
        [
            topic("a", &[0, 1]),
            unknown("a b", ErrorCode::InvalidTopicException),
            topic("c", &[0]),
            unknown("none", UNKNOWN)
        ]
    );
}
