//! The broker's settings: how they are merged, what is refused and with which advice.

use super::*;
use std::path::Path;

use crate::config::alter::Operation;
use crate::config::given::Origin;
use crate::config::server_table::names_in_order;
use crate::config::setting::Effect;

#[test]
fn every_setting_has_documentation_a_good_default_and_a_getter() {
    for setting in SERVER_SETTINGS.iter() {
        assert!(setting.documentation().len() > 20, "{}", setting.name);
        assert_eq!(setting.default_value().map(|value| value.to_string()).as_deref(), setting.default);
        let getters = ServerValues::NAMES.iter().chain(READ_BY_HAND).filter(|name| **name == setting.name);
        // What stands behind a topic setting is read through the topic's getter.
        assert_eq!(getters.count(), usize::from(setting.topic_name.is_none()), "{}", setting.name);
    }
    assert!(SERVER_SETTINGS.is_sorted_by_key(|setting| setting.name));
}

#[test]
fn the_table_agrees_with_kafka() {
    /// Where Ringlog differs on purpose: it starts without a file, on the loopback interface, as one node; and a group is
    /// not kept waiting for three seconds.
    const OTHER_DEFAULTS: &[&str] = &[
        "broker.id",
        "group.initial.rebalance.delay.ms",
        "listeners",
        "log.dir",
        "node.id",
        "offsets.topic.replication.factor",
        "transaction.state.log.min.isr",
        "transaction.state.log.replication.factor",
    ];
    let mut known = 0;
    for row in include_str!("../golden/server_settings.tsv").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let name = fields[0];
        match find_server_setting(name) {
            Ok(setting) => {
                known += 1;
                assert_eq!(fields[1], format!("{:?}", setting.kind).to_uppercase(), "{name}");
                let agrees = fields[2] == setting.default.unwrap_or("null");
                assert_eq!(agrees, !OTHER_DEFAULTS.contains(&name), "{name}");
            }
            Err(fault) => assert!(matches!(fault, InvalidSetting::Absent { .. }), "no reason given: {fault}"),
        }
    }
    let own = SERVER_SETTINGS.iter().filter(|setting| setting.name.starts_with("ringlog.")).count();
    assert_eq!(known, SERVER_SETTINGS.len() - own);
}

#[test]
fn what_was_found_to_suit_the_machine_reaches_the_cores() {
    let choices = |given: &str| config(given).unwrap().host_choices(Kind::Ring);
    assert_eq!(choices(""), HostChoices::of(Kind::Ring), "the defaults are the cores' own");
    let tuned =
        choices("set ringlog.io.writes=ring;set ringlog.io.lend.min.bytes=8192;set ringlog.io.spin.us=1000");
    let expected = HostChoices {
        kind: Kind::Ring,
        writes: Writes::Ring,
        lent_bytes_min: 8192,
        spin: Duration::from_millis(1),
    };
    assert_eq!(tuned, expected);
}

#[test]
fn without_settings_it_listens_on_localhost() {
    let config = ServerConfig::new(vec![], "box").unwrap();
    assert_eq!(config.listeners().len(), 1);
    assert_eq!(config.listeners()[0].name, "PLAINTEXT");
    assert_eq!(config.listeners()[0].binds[0].to_string(), "localhost:9092");
    assert_eq!(config.listeners()[0].advertised.to_string(), "localhost:9092");
    assert_eq!(config.log_dir(), Path::new("./ringlog-data"));
    assert_eq!(config.cores(), &Cores::All);
    assert_eq!(config.log_level(), "info");
    assert_eq!(config.broker_rack(), None);
    assert_eq!(config.values().node_id(), 0);
    assert_eq!(config.values().num_partitions(), 1);
    assert_eq!(config.values().socket_request_max_bytes(), 100 << 20);
    assert_eq!(config.values().fetch_max_bytes(), 55 << 20);
    assert_eq!(config.values().connections_max_idle_ms(), Some(600_000));
    assert!(config.values().auto_create_topics_enable());
}

#[test]
fn the_stronger_origin_wins_whatever_the_order() {
    let id = |given: &str| config(given).unwrap().values().node_id();
    assert_eq!(id("file node.id=1"), 1);
    assert_eq!(id("set node.id=2;file node.id=1"), 2);
    assert_eq!(id("flag node.id=3;set node.id=2;file node.id=1"), 3);
    assert_eq!(id("set node.id=1;set node.id=2"), 2);
    assert_eq!(id("file broker.id=4"), 4);
    assert_eq!(id("file broker.id=4;file node.id=4"), 4);
    assert_eq!(id("file broker.id=4;flag node.id=5"), 5);
    assert_eq!(id("file node.id=4;set broker.id=5"), 5);
    let directory = |given: &str| config(given).unwrap().log_dir().display().to_string();
    assert_eq!(directory("file log.dir=a"), "a");
    assert_eq!(directory("file log.dir=a;file log.dirs=b"), "b");
    assert_eq!(directory("file log.dirs=a;set log.dir=b"), "b");
    assert_eq!(directory("file log.dir=a;flag log.dirs=b"), "b");
}

#[test]
fn both_names_of_the_node_are_shown() {
    let entries = config("file node.id=7").unwrap().describe(Some(&["broker.id", "node.id"]));
    let shown: Vec<_> =
        entries.iter().map(|entry| (entry.name, entry.value.as_deref(), entry.read_only)).collect();
    assert_eq!(shown, [("broker.id", Some("7"), true), ("node.id", Some("7"), true)]);
}

#[test]
fn an_unknown_name_gets_advice() {
    check("num.partition=1", "unknown setting num.partition: did you mean num.partitions?");
    check("listners=a", "unknown setting listners: did you mean listeners?");
    check("retention.ms=1", "unknown setting retention.ms: did you mean log.retention.ms?");
    check("segment.bytes=1", "unknown setting segment.bytes: did you mean log.segment.bytes?");
    check("ringlog.core=1", "unknown setting ringlog.core: did you mean ringlog.cores?");
    check("no.such.thing=1", "unknown setting no.such.thing");
    check(
        "num.io.threads=8",
        "num.io.threads does not apply here: one thread a core does all the work; set ringlog.cores instead",
    );
    check(
        "process.roles=broker,controller",
        "process.roles does not apply here: this version runs as one node that is broker and controller; remove the line",
    );
    check(
        "log.cleaner.min.cleanable.ration=1",
        "unknown setting log.cleaner.min.cleanable.ration: did you mean log.cleaner.min.cleanable.ratio?",
    );
    check(
        "zookeeper.connect=localhost:2181",
        "zookeeper.connect does not apply here: there is no ZooKeeper; remove the line",
    );
}

#[test]
fn a_wrong_value_says_what_is_allowed() {
    check("broker.id=x", "invalid value \"x\" for broker.id: a whole number of 32 bits is needed");
    check("num.partitions=0", "invalid value \"0\" for num.partitions: it must be at least 1");
    check(
        "ringlog.log.level=loud",
        "invalid value \"loud\" for ringlog.log.level: it must be one of error, warn, info, debug, trace",
    );
    check(
        "ringlog.cores=0",
        "invalid value \"0\" for ringlog.cores: it must be all, a number of cores such as 2, or a list such as 0,2-3",
    );
    check(
        "listeners=localhost:9092",
        "invalid value \"localhost:9092\" for listeners: it must be NAME://host:port, where an IPv6 address stands in brackets",
    );
    check(
        "default.replication.factor=3",
        "default.replication.factor=3 is not supported: one broker keeps one replica",
    );
    check(
        "log.dirs=a,b",
        "log.dirs=a,b is not supported: this version keeps its data in one directory; use a file system that spans the disks",
    );
    check("log.retention.hours=0", "log.retention must be -1 or more than 0");
    check(
        "listeners=SASL_SSL://:9092",
        "listeners=SASL_SSL://:9092 is not supported: PLAINTEXT is the only protocol that works here",
    );
    let lags = "log.cleaner.min.compaction.lag.ms=9;file log.cleaner.max.compaction.lag.ms=8";
    check(lags, "min.compaction.lag.ms (9) is more than max.compaction.lag.ms (8)");
}

#[test]
fn all_faults_are_found_at_once_with_their_places() {
    let faults =
        config("file node.id=x;set foo=1;flag node.id=1;file num.partitions=0;file fetch.max.bytes=1");
    let shown: Vec<String> = faults.unwrap_err().iter().map(StartFault::to_string).collect();
    assert_eq!(
        shown,
        [
            "server.properties:4: invalid value \"0\" for num.partitions: it must be at least 1",
            "server.properties:5: invalid value \"1\" for fetch.max.bytes: it must be at least 1024",
            "--set: unknown setting foo",
        ]
    );
}

#[test]
fn twice_in_a_file_is_a_slip() {
    check("node.id=1;file node.id=1", "server.properties:2: node.id is set more than once");
    check("node.id=1;file broker.id=2", "server.properties:2: node.id and broker.id differ");
}

#[test]
fn what_changes_at_run_time_reaches_topics() {
    let config = config("file log.retention.ms=5").unwrap();
    let altered = config.altered(Reach::AllBrokers, &[set("log.retention.ms", "6")]).unwrap();
    let retention_ms = |config: &ServerConfig| {
        super::super::topic::TopicConfig::new([], config).unwrap().values().retention_ms()
    };
    assert_eq!(retention_ms(&altered), Some(6));
    let stored = config.with_dynamic(&Texts::new(), &altered.layers().dynamic_default);
    assert_eq!(stored, altered);
    let unreadable =
        Texts::from([("gone".to_string(), "1".to_string()), ("node.id".to_string(), "9".to_string())]);
    assert_eq!(config.with_dynamic(&unreadable, &Texts::new()), config);
}

#[test]
fn what_is_read_at_start_does_not_change() {
    let config = config("").unwrap();
    let refused = |name, value| config.altered(Reach::ThisBroker, &[set(name, value)]).unwrap_err();
    assert_eq!(
        refused("num.partitions", "2"),
        InvalidSetting::ReadOnly { name: "num.partitions".to_string() }
    );
    assert!(matches!(refused("foo", "2"), InvalidSetting::Unknown { .. }));
    assert!(matches!(refused("log.retention.ms", "0"), InvalidSetting::Conflict { .. }));
    assert!(matches!(refused("log.segment.bytes", "5"), InvalidSetting::Value { .. }));
}

#[test]
fn tools_find_the_values_that_they_look_up() {
    let config = config("").unwrap();
    let check = |name: &str, value: Option<&str>| {
        let entries = config.describe(Some(&[name]));
        assert_eq!(entries.len(), 1, "{name}");
        assert_eq!(entries[0].value.as_deref(), value, "{name}");
    };
    check("num.partitions", Some("1"));
    check("default.replication.factor", Some("1"));
    check("auto.create.topics.enable", Some("true"));
    check("connections.max.reauth.ms", Some("0"));
    check("broker.id", Some("0"));
    check("log.retention.ms", None);
    check("log.retention.hours", Some("168"));
    check("min.insync.replicas", Some("1"));
    assert!(config.describe(Some(&["inter.broker.protocol.version"])).is_empty());
    assert!(config.describe_all_brokers(None).is_empty());
}

#[test]
fn names_of_one_value_stand_in_order() {
    assert_eq!(
        names_in_order("log.retention.minutes"),
        ["log.retention.ms", "log.retention.minutes", "log.retention.hours"]
    );
    assert_eq!(names_in_order("log.roll.ms"), ["log.roll.ms", "log.roll.hours"]);
    assert_eq!(names_in_order("node.id"), ["node.id"]);
    assert!(names_in_order("none").is_empty());
}

#[test]
fn what_is_refused_says_so_in_its_documentation() {
    let setting = find_server_setting("default.replication.factor").unwrap();
    assert!(matches!(setting.effect, Effect::Refused { .. }));
    assert!(setting.documentation().ends_with("one broker keeps one replica."));
    let behind = find_server_setting("log.segment.bytes").unwrap().documentation();
    assert!(behind.starts_with("Default of the topic setting `segment.bytes`."), "{behind}");
}

fn set<'a>(name: &'a str, value: &'a str) -> Alteration<'a> {
    Alteration { name, operation: Operation::Set, value: Some(value) }
}

/// `given` is like `file a=b;set c=d;flag e=f`; `file` may be left out. Its place in the text is its line.
fn config(given: &str) -> Result<ServerConfig, Vec<StartFault>> {
    let given = given.split(';').enumerate().filter(|(_, text)| !text.is_empty()).map(|(index, text)| {
        let (origin, pair) = text.split_once(' ').unwrap_or(("file", text));
        let origin = match origin {
            "file" => Origin::File { path: PathBuf::from("server.properties"), line: index + 1 },
            "set" => Origin::Set,
            "flag" => Origin::Flag("--flag"),
            other => panic!("{other}"),
        };
        let (name, value) = pair.split_once('=').unwrap();
        Given { name: name.to_string(), value: value.to_string(), origin }
    });
    ServerConfig::new(given.collect(), "box")
}

fn check(given: &str, reason: &str) {
    let faults = config(given).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    let shown = faults[0].to_string();
    assert_eq!(shown.strip_prefix("server.properties:1: ").unwrap_or(&shown), reason);
}
