//! Descriptions against what a real Kafka 4.3.1 answered in the same situation (`golden/described.tsv`).
//!
//! The captures leave out addresses, directories and `min.insync.replicas`, which Kafka sets by itself at
//! run time.

use super::*;
use crate::config::alter::{Alteration, Operation};
use crate::config::given::{Given, Origin};
use crate::config::server::{Reach, ServerConfig};
use crate::config::topic::TopicConfig;

/// What the captured brokers had in their file in any case.
const ALWAYS: &[(&str, &str)] =
    &[("auto.create.topics.enable", "true"), ("default.replication.factor", "1"), ("num.partitions", "1")];

const FILE: &[(&str, &str)] = &[
    ("log.retention.hours", "24"),
    ("log.retention.minutes", "100"),
    ("log.segment.bytes", "2097152"),
    ("compression.type", "lz4"),
    ("log.roll.hours", "5"),
    ("log.roll.jitter.hours", "1"),
    ("log.flush.interval.ms", "5000"),
    ("log.cleanup.policy", "compact"),
    ("log.cleaner.min.cleanable.ratio", "0.25"),
];

const OWN: &[(&str, &str)] = &[
    ("retention.ms", "1000"),
    ("cleanup.policy", "compact,delete"),
    ("segment.ms", "7200000"),
    ("leader.replication.throttled.replicas", "0:0"),
    ("min.cleanable.dirty.ratio", "1"),
    ("segment.bytes", "1048576"),
];

#[test]
fn c71_only_what_the_user_set_is_the_topics_own() {
    check_topic("topic-defaults", &[], &at_start(&[]));
    check_topic("topic-overrides", OWN, &at_start(&[]));
}

#[test]
fn what_the_file_sets_is_static() {
    check_topic("topic-file", &[], &at_start(FILE));
    check_topic("topic-overrides-file", OWN, &at_start(FILE));
}

#[test]
fn what_was_set_at_run_time_comes_first() {
    check_topic("topic-dynamic", &[], &at_run_time());
    check_topic("topic-overrides-dynamic", OWN, &at_run_time());
}

#[test]
fn the_broker_itself_is_described_alike() {
    check_broker("broker-defaults", at_start(&[]).describe(None));
    check_broker("broker-file", at_start(FILE).describe(None));
    check_broker("broker-dynamic", at_run_time().describe(None));
    check_broker("all-brokers-dynamic", at_run_time().describe_all_brokers(None));
}

fn at_start(file: &[(&str, &str)]) -> ServerConfig {
    let given = ALWAYS.iter().chain(file).map(|(name, value)| Given {
        name: name.to_string(),
        value: value.to_string(),
        origin: Origin::Set,
    });
    ServerConfig::new(given.collect(), "box").unwrap()
}

fn at_run_time() -> ServerConfig {
    let set = |pairs: &[(&'static str, &'static str)]| -> Vec<Alteration<'static>> {
        let to_alteration =
            |&(name, value)| Alteration { name, operation: Operation::Set, value: Some(value) };
        pairs.iter().map(to_alteration).collect()
    };
    let all =
        set(&[("log.retention.ms", "6666"), ("log.segment.bytes", "3145728"), ("compression.type", "zstd")]);
    let this = set(&[("log.retention.ms", "5555"), ("log.roll.ms", "9999")]);
    let server = at_start(FILE).altered(Reach::AllBrokers, &all).unwrap();
    server.altered(Reach::ThisBroker, &this).unwrap()
}

fn check_topic(scenario: &str, overrides: &[(&str, &str)], server: &ServerConfig) {
    let overrides = overrides.iter().map(|&(name, value)| (name, Some(value)));
    let mut entries = TopicConfig::new(overrides, server).unwrap().describe(server, None);
    entries.retain(|entry| entry.name != "min.insync.replicas" && !entry.name.starts_with("ringlog."));
    let shown: Vec<String> = entries.iter().map(|entry| show(scenario, entry)).collect();
    assert_eq!(shown, captured(scenario, |_| true));
}

fn check_broker(scenario: &str, entries: Vec<Entry>) {
    /// Kafka lets these change at run time.
    const AT_START_HERE: &[&str] =
        &["max.connections", "max.connections.per.ip", "producer.id.expiration.ms"];
    /// After a change at run time Kafka shows the defaults of these instead of what its file says.
    const FORGOTTEN_BY_KAFKA: &[&str] = &["log.retention.hours", "log.retention.minutes", "log.roll.hours"];
    let left_out = |name: &str| match scenario {
        "broker-dynamic" => AT_START_HERE.contains(&name) || FORGOTTEN_BY_KAFKA.contains(&name),
        _ => AT_START_HERE.contains(&name),
    };
    let expected = captured(scenario, |name| !left_out(name));
    let names: Vec<&str> = expected.iter().filter_map(|line| line.split('\t').nth(1)).collect();
    let shown: Vec<String> = entries
        .iter()
        .filter(|entry| names.contains(&entry.name))
        .map(|entry| show(scenario, entry))
        .collect();
    assert_eq!(shown, expected);
}

fn captured(scenario: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let is_wanted = |line: &&str| {
        let mut fields = line.split('\t');
        fields.next() == Some(scenario) && fields.next().is_some_and(&wanted)
    };
    let lines: Vec<String> = include_str!("../golden/described.tsv")
        .lines()
        .filter(is_wanted)
        // Ringlog has no second name for the flush interval.
        .map(|line| line.replace(" log.flush.scheduler.interval.ms=9223372036854775807@5", ""))
        .collect();
    assert!(!lines.is_empty(), "{scenario}");
    lines
}

fn show(scenario: &str, entry: &Entry) -> String {
    let or_null = |text: &Option<String>| text.clone().unwrap_or_else(|| "null".to_string());
    let synonyms: Vec<String> = entry
        .synonyms
        .iter()
        .map(|synonym| format!("{}={}@{}", synonym.name, or_null(&synonym.value), synonym.source.code()))
        .collect();
    let kind = format!("{:?}", entry.kind).to_uppercase();
    let read_only = if entry.read_only { "read-only" } else { "changeable" };
    let (value, source) = (or_null(&entry.value), entry.source.code());
    format!("{scenario}\t{}\t{value}\t{source}\t{kind}\t{read_only}\t{}", entry.name, synonyms.join(" "))
        .trim_end()
        .to_string()
}
