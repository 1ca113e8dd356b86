//! Creating topics with everything that can be wrong, settings, log directories.

use protocol::ErrorCode;
use protocol::messages::alter_configs_request as alter;
use protocol::messages::alter_configs_response::AlterConfigsResponse;
use protocol::messages::create_topics_request::{
    CreatableReplicaAssignment, CreatableTopic, CreateTopicsRequest,
};
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::describe_configs_request::{DescribeConfigsRequest, DescribeConfigsResource};
use protocol::messages::describe_configs_response::DescribeConfigsResponse;
use protocol::messages::describe_log_dirs_request::{DescribableLogDirTopic, DescribeLogDirsRequest};
use protocol::messages::describe_log_dirs_response::DescribeLogDirsResponse;
use protocol::messages::incremental_alter_configs_request as incremental;
use protocol::messages::incremental_alter_configs_response::IncrementalAlterConfigsResponse;
use shard::memory::Crash;

use crate::calls::{batch_of_size, create_request, error};
use crate::harness::{Client, DATA_DIR, Rig};

const OK: ErrorCode = ErrorCode::None;
const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const GROUP: i8 = 32;

/// Creates topics; gives each answer's name and error, and asks for a reason with every error.
fn create(client: &mut Client, request: &CreateTopicsRequest<'_>) -> Vec<(String, ErrorCode)> {
    let reply = client.ask(7, request);
    let response: CreateTopicsResponse<'_> = reply.read();
    for topic in &response.topics {
        assert_eq!(topic.error_code == 0, topic.error_message.is_none(), "{}", topic.name);
    }
    response.topics.iter().map(|topic| (topic.name.to_owned(), error(topic.error_code))).collect()
}

fn topic(name: &str, num_partitions: i32, replication_factor: i16) -> CreatableTopic<'_> {
    CreatableTopic { name, num_partitions, replication_factor, ..Default::default() }
}

fn one(topic: CreatableTopic<'_>) -> CreateTopicsRequest<'_> {
    CreateTopicsRequest { topics: vec![topic], timeout_ms: 1000, ..Default::default() }
}

#[test]
fn q99_each_topic_has_its_error() {
    let mut client = Rig::new().connect();
    client.create("there", 1);
    client.create("col.lides", 1);
    for (topic, expected) in [
        (topic("there", 1, 1), ErrorCode::TopicAlreadyExists),
        (topic("a b", 1, 1), ErrorCode::InvalidTopicException),
        (topic("", 1, 1), ErrorCode::InvalidTopicException),
        (topic("..", 1, 1), ErrorCode::InvalidTopicException),
        (topic("col_lides", 1, 1), ErrorCode::InvalidTopicException),
        (topic("t", 0, 1), ErrorCode::InvalidPartitions),
        (topic("t", -2, 1), ErrorCode::InvalidPartitions),
        (topic("t", 1, 0), ErrorCode::InvalidReplicationFactor),
        (topic("t", 1, 2), ErrorCode::InvalidReplicationFactor),
        (topic("t", 1, -2), ErrorCode::InvalidReplicationFactor),
    ] {
        let name = topic.name.to_owned();
        assert_eq!(create(&mut client, &one(topic)), [(name, expected)]);
    }
    for (setting, value) in [("retention.ms", "x"), ("no.such.setting", "1"), ("cleanup.policy", "melt")] {
        let bad = create_request("t", 1, &[(setting, value)]);
        assert_eq!(create(&mut client, &bad), [("t".to_owned(), ErrorCode::InvalidConfig)], "{setting}");
    }
    assert_eq!(client.describe("t").0, ErrorCode::UnknownTopicOrPartition, "none of them was made");
}

#[test]
fn q99_good_topics_are_made_beside_bad_ones_and_a_name_twice_is_not() {
    let mut client = Rig::new().connect();
    let topics =
        vec![topic("a", 2, 1), topic("b", 0, 1), topic("c", 1, 1), topic("c", 1, 1), topic("d", -1, -1)];
    let mut got = create(&mut client, &CreateTopicsRequest { topics, ..Default::default() });
    got.sort();
    let expected =
        [("a", OK), ("b", ErrorCode::InvalidPartitions), ("c", ErrorCode::InvalidRequest), ("d", OK)];
    assert_eq!(got, expected.map(|(name, error)| (name.to_owned(), error)));
    assert_eq!(client.describe("a").2.len(), 2);
    assert_eq!(client.describe("c").0, ErrorCode::UnknownTopicOrPartition);
}

#[test]
fn q99_an_assignment_by_hand_names_this_broker_for_each_partition_from_0_on() {
    let mut client = Rig::new().connect();
    let mut ask = |name: &'static str, partitions: i32, replicas: i16, assigned: &[(i32, &[i32])]| {
        let assignments = assigned.iter().map(|&(partition_index, broker_ids)| CreatableReplicaAssignment {
            partition_index,
            broker_ids: broker_ids.to_vec(),
        });
        let topic =
            CreatableTopic { assignments: assignments.collect(), ..topic(name, partitions, replicas) };
        create(&mut client, &one(topic))[0].1
    };
    let wrong = ErrorCode::InvalidReplicaAssignment;
    assert_eq!(ask("good", -1, -1, &[(1, &[3]), (0, &[3])]), OK);
    assert_eq!(ask("t", 2, -1, &[(0, &[3]), (1, &[3])]), ErrorCode::InvalidRequest);
    assert_eq!(ask("t", -1, 1, &[(0, &[3])]), ErrorCode::InvalidRequest);
    assert_eq!(ask("t", -1, -1, &[(1, &[3])]), wrong);
    assert_eq!(ask("t", -1, -1, &[(0, &[9])]), wrong);
    assert_eq!(ask("t", -1, -1, &[(0, &[3, 3])]), wrong);
    assert_eq!(ask("t", -1, -1, &[(0, &[])]), wrong);
    assert_eq!(ask("t", -1, -1, &[(0, &[3]), (0, &[3])]), wrong);
    assert_eq!(client.describe("good").2.len(), 2);
}

#[test]
fn q99_the_answer_has_counts_settings_and_the_id() {
    let rig = Rig::with(2, &[("num.partitions", "4")]);
    let mut client = rig.connect();
    for version in 2..=7 {
        let name = format!("t{version}");
        let reply = client.ask(version, &create_request(&name, -1, &[("retention.ms", "5000")]));
        let response: CreateTopicsResponse<'_> = reply.read();
        let topic = &response.topics[0];
        assert_eq!(error(topic.error_code), OK);
        if version >= 5 {
            assert_eq!((topic.num_partitions, topic.replication_factor), (4, 1));
            let configs = topic.configs.as_ref().unwrap();
            let retention = configs.iter().find(|config| config.name == "retention.ms").unwrap();
            assert_eq!((retention.value, retention.config_source), (Some("5000"), 1));
            assert!(configs.len() > 20 && configs.iter().any(|config| config.config_source == 5));
        }
        assert_eq!(!topic.topic_id.is_zero(), version >= 7);
        assert_eq!(client.describe(&name).2.len(), 4);
    }
}

#[test]
fn q99_validation_answers_the_same_and_makes_nothing() {
    let mut client = Rig::new().connect();
    let mut request = create_request("t", 3, &[]);
    request.validate_only = true;
    assert_eq!(create(&mut client, &request), [("t".to_owned(), OK)]);
    assert_eq!(client.describe("t").0, ErrorCode::UnknownTopicOrPartition);
    request.topics[0].num_partitions = 0;
    assert_eq!(create(&mut client, &request), [("t".to_owned(), ErrorCode::InvalidPartitions)]);
}

/// A setting: its name, its value, its source, and the sources of what else would give it.
type Setting = (String, Option<String>, i8, Vec<i8>);

/// Settings of a resource: error, then name, value, source and synonyms' sources.
fn describe(client: &mut Client, kind: i8, name: &str, keys: Option<Vec<&str>>) -> (ErrorCode, Vec<Setting>) {
    let resource =
        DescribeConfigsResource { resource_type: kind, resource_name: name, configuration_keys: keys };
    let request =
        DescribeConfigsRequest { resources: vec![resource], include_synonyms: true, ..Default::default() };
    let reply = client.ask(4, &request);
    let response: DescribeConfigsResponse<'_> = reply.read();
    let result = &response.results[0];
    let configs = result.configs.iter().map(|config| {
        let synonyms = config.synonyms.iter().map(|synonym| synonym.source).collect();
        (config.name.to_owned(), config.value.map(str::to_owned), config.config_source, synonyms)
    });
    (error(result.error_code), configs.collect())
}

fn setting(client: &mut Client, topic: &str, name: &str) -> (Option<String>, i8, Vec<i8>) {
    let (code, mut found) = describe(client, TOPIC, topic, Some(vec![name]));
    assert_eq!((code, found.len()), (OK, 1));
    let (_, value, source, synonyms) = found.remove(0);
    (value, source, synonyms)
}

#[test]
fn q100_every_setting_has_its_value_its_source_and_what_else_would_give_it() {
    let rig = Rig::with(1, &[("log.retention.ms", "7000")]);
    let mut client = rig.connect();
    client.create_with("t", 1, &[("segment.ms", "5000")]);
    let text = |value: &str| Some(value.to_owned());
    assert_eq!(setting(&mut client, "t", "segment.ms").0, text("5000"));
    assert_eq!(setting(&mut client, "t", "segment.ms").1, 1, "the topic's own");
    assert_eq!(setting(&mut client, "t", "retention.ms"), (text("7000"), 4, vec![4, 5]));
    assert_eq!(setting(&mut client, "t", "max.message.bytes"), (text("1048588"), 5, vec![5]));
    let (_, all) = describe(&mut client, TOPIC, "t", None);
    let (_, also_all) = describe(&mut client, TOPIC, "t", Some(Vec::new()));
    assert!(all.len() > 25);
    assert_eq!(all, also_all, "null and empty both mean all (Q14)");
    assert_eq!(describe(&mut client, TOPIC, "t", Some(vec!["no.such"])), (OK, vec![]));
    assert_eq!(describe(&mut client, TOPIC, "none", None).0, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(describe(&mut client, TOPIC, "a b", None).0, ErrorCode::InvalidTopicException);
}

#[test]
fn q100_a_broker_describes_itself_alone() {
    let mut client = Rig::new().connect();
    let (code, all) = describe(&mut client, BROKER, "3", None);
    assert_eq!(code, OK);
    assert!(all.iter().any(|(name, value, ..)| name == "node.id" && value.as_deref() == Some("3")));
    assert_eq!(describe(&mut client, BROKER, "", None), (OK, vec![]), "nothing is set for all brokers");
    for (kind, name) in [(BROKER, "4"), (BROKER, "x"), (99, "x")] {
        assert_eq!(describe(&mut client, kind, name, None).0, ErrorCode::InvalidRequest, "{kind} {name}");
    }
}

/// What to do to a setting: its name, the operation, the value.
pub type Change<'a> = (&'a str, i8, Option<&'a str>);

/// Changes settings of topics one by one; gives each answer's error.
pub fn change(
    client: &mut Client,
    validate_only: bool,
    resources: &[(&str, &[Change<'_>])],
) -> Vec<ErrorCode> {
    change_of(client, TOPIC, validate_only, resources)
}

/// The same for another kind of resource.
fn change_of(
    client: &mut Client,
    resource_type: i8,
    validate_only: bool,
    resources: &[(&str, &[Change<'_>])],
) -> Vec<ErrorCode> {
    let resources = resources.iter().map(|&(resource_name, configs)| incremental::AlterConfigsResource {
        resource_type,
        resource_name,
        configs: configs
            .iter()
            .map(|&(name, config_operation, value)| incremental::AlterableConfig {
                name,
                config_operation,
                value,
            })
            .collect(),
    });
    let request =
        incremental::IncrementalAlterConfigsRequest { resources: resources.collect(), validate_only };
    let reply = client.ask(1, &request);
    let response: IncrementalAlterConfigsResponse<'_> = reply.read();
    response.responses.iter().map(|response| error(response.error_code)).collect()
}

/// The operation that gives a setting a value.
pub const SET: i8 = 0;
const DELETE: i8 = 1;
const APPEND: i8 = 2;
const SUBTRACT: i8 = 3;

#[test]
fn q101_single_settings_are_set_deleted_appended_to_and_subtracted_from() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let mut now = |name: &str, operation: i8, value: Option<&str>| {
        assert_eq!(change(&mut client, false, &[("t", &[(name, operation, value)])]), [OK]);
        setting(&mut client, "t", name).0.unwrap()
    };
    assert_eq!(now("retention.ms", SET, Some("1000")), "1000");
    assert_eq!(now("segment.ms", SET, Some("2000")), "2000");
    assert_eq!(now("cleanup.policy", APPEND, Some("compact")), "delete,compact");
    assert_eq!(now("cleanup.policy", APPEND, Some("compact")), "delete,compact", "once is enough");
    assert_eq!(now("cleanup.policy", SUBTRACT, Some("delete")), "compact");
    assert_eq!(now("segment.ms", DELETE, None), "604800000");
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    assert_eq!(
        setting(&mut client, "t", "retention.ms").0.unwrap(),
        "1000",
        "the others stay, restarts included"
    );
    assert_eq!(setting(&mut client, "t", "cleanup.policy").0.unwrap(), "compact");
}

#[test]
fn q101_a_group_has_settings_of_its_own_that_survive() {
    let (session, interval) = ("consumer.session.timeout.ms", "consumer.heartbeat.interval.ms");
    let rig = Rig::new();
    let mut client = rig.connect();
    let mut set = |group: &str, name: &str, value: &str| {
        change_of(&mut client, GROUP, false, &[(group, &[(name, SET, Some(value))])])[0]
    };
    assert_eq!(set("g", session, "60000"), OK);
    assert_eq!(set("g", session, "44999"), ErrorCode::InvalidConfig, "below the broker's bound");
    assert_eq!(set("g", interval, "15001"), ErrorCode::InvalidConfig, "above it");
    for name in ["share.session.timeout.ms", "streams.num.standby.replicas", "retention.ms"] {
        assert_eq!(set("g", name, "45000"), ErrorCode::InvalidConfig, "{name}");
    }
    assert_eq!(set("", session, "50000"), ErrorCode::InvalidRequest);
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    let told = |name: &str, value: &str, source: i8, synonyms: Vec<i8>| {
        (name.to_owned(), Some(value.to_owned()), source, synonyms)
    };
    let expected = vec![told(interval, "5000", 5, vec![]), told(session, "60000", 8, vec![8])];
    assert_eq!(describe(&mut client, GROUP, "g", None), (OK, expected));
    assert_eq!(describe(&mut client, GROUP, "", None).0, ErrorCode::InvalidRequest);
    assert_eq!(change_of(&mut client, GROUP, false, &[("g", &[(session, DELETE, None)])]), [OK]);
    let (_, settings) = describe(&mut client, GROUP, "g", Some(vec![session]));
    assert_eq!(settings, [told(session, "45000", 5, vec![])]);
}

#[test]
fn q101_mistakes_change_nothing() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    client.create("u", 1);
    let (config, request) = (ErrorCode::InvalidConfig, ErrorCode::InvalidRequest);
    for (changes, expected) in [
        (&[("no.such", SET, Some("1"))][..], config),
        (&[("retention.ms", SET, Some("x"))], config),
        (&[("retention.ms", APPEND, Some("1"))], config),
        (&[("retention.ms", SET, None)], request),
        (&[("retention.ms", SET, Some("1")), ("retention.ms", SET, Some("2"))], request),
        (&[("retention.ms", SET, Some("1")), ("segment.ms", SET, Some("x"))], config),
        (&[("retention.ms", 9, Some("1"))], request),
    ] {
        assert_eq!(change(&mut client, false, &[("t", changes)]), [expected], "{changes:?}");
    }
    let good: &[_] = &[("retention.ms", SET, Some("1"))];
    assert_eq!(change(&mut client, false, &[("none", good)]), [ErrorCode::UnknownTopicOrPartition]);
    assert_eq!(change(&mut client, false, &[("a b", good)]), [ErrorCode::InvalidTopicException]);
    let twice = change(&mut client, false, &[("t", good), ("u", good), ("t", &[])]);
    assert_eq!(twice, [request, OK, request], "a resource that is named twice is not changed at all");
    assert_eq!(change(&mut client, true, &[("t", good)]), [OK], "only looked at");
    assert_eq!(setting(&mut client, "t", "retention.ms"), (Some("604800000".to_owned()), 5, vec![]));
    assert_eq!(setting(&mut client, "u", "retention.ms").0.unwrap(), "1");
}

#[test]
fn q101_the_old_way_replaces_all_settings() {
    let mut client = Rig::new().connect();
    client.create_with("t", 1, &[("retention.ms", "1000"), ("segment.ms", "2000")]);
    let resource = |name, configs: &[(&'static str, &'static str)]| alter::AlterConfigsResource {
        resource_type: TOPIC,
        resource_name: name,
        configs: configs
            .iter()
            .map(|&(name, value)| alter::AlterableConfig { name, value: Some(value) })
            .collect(),
    };
    for version in 0..=2 {
        let resources = vec![resource("t", &[("max.message.bytes", "5000")]), resource("none", &[])];
        let reply = client.ask(version, &alter::AlterConfigsRequest { resources, ..Default::default() });
        let response: AlterConfigsResponse<'_> = reply.read();
        let codes: Vec<_> = response.responses.iter().map(|response| error(response.error_code)).collect();
        assert_eq!(codes, [OK, ErrorCode::UnknownTopicOrPartition]);
    }
    assert_eq!(setting(&mut client, "t", "max.message.bytes").0.unwrap(), "5000");
    assert_eq!(setting(&mut client, "t", "retention.ms").1, 5, "its default again");
    assert_eq!(client.produce("t", 0, &batch_of_size(6000)).error, ErrorCode::MessageTooLarge, "in force");
}

#[test]
fn q107_one_directory_with_its_partitions_sizes_and_the_space_around() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("a", 2);
    client.create("b", 1);
    client.append("a", 1, &batch_of_size(1000));
    client.append("a", 1, &batch_of_size(1000));
    let size = 2 * client.fetch("a", 1, 1).records.len() as i64;
    let mut ask = |version: i16, topics: Option<&[(&'static str, &[i32])]>| {
        let topics = topics.map(|topics| {
            let topics = topics.iter().map(|&(topic, partitions)| DescribableLogDirTopic {
                topic,
                partitions: partitions.to_vec(),
            });
            topics.collect()
        });
        let reply = client.ask(version, &DescribeLogDirsRequest { topics });
        let response: DescribeLogDirsResponse<'_> = reply.read();
        assert_eq!((response.error_code, response.results.len()), (0, 1));
        let dir = &response.results[0];
        assert_eq!((dir.error_code, dir.log_dir), (0, DATA_DIR));
        assert_eq!(dir.total_bytes > 0 && dir.usable_bytes > 0, version >= 4);
        let mut found = Vec::new();
        for topic in &dir.topics {
            for partition in &topic.partitions {
                assert_eq!((partition.offset_lag, partition.is_future_key), (0, false));
                found.push((topic.name.to_owned(), partition.partition_index, partition.partition_size));
            }
        }
        found
    };
    let part = |name: &str, index: i32, size: i64| (name.to_owned(), index, size);
    for version in 1..=5 {
        assert_eq!(ask(version, None), [part("a", 0, 0), part("a", 1, size), part("b", 0, 0)]);
        assert_eq!(ask(version, Some(&[("a", &[1, 9]), ("none", &[0])])), [part("a", 1, size)]);
        assert_eq!(ask(version, Some(&[])), []);
    }
}
