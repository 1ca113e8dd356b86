//! Topic settings against the facts of Kafka 4.3, and what alterations make of them.

use super::*;
use crate::config::alter::{Operation, differences};
use crate::config::given::{Given, Origin};
use crate::config::setting::{Effect, Kind, Valid};

#[test]
fn the_table_agrees_with_kafka() {
    let golden = include_str!("../golden/topic_settings.tsv");
    let rows: Vec<Vec<&str>> =
        golden.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    let kafkas: Vec<_> =
        TOPIC_SETTINGS.iter().filter(|setting| !setting.name.starts_with("ringlog.")).collect();
    assert_eq!(rows.len(), kafkas.len());
    for (row, setting) in rows.iter().zip(kafkas) {
        assert_eq!(row[0], setting.name);
        assert_eq!(row[1], format!("{:?}", setting.kind).to_uppercase(), "{}", setting.name);
        assert_eq!(row[2], setting.default.unwrap_or("null"), "{}", setting.name);
        let least = match setting.valid {
            Valid::AtLeast(least) | Valid::Between(least, _) | Valid::BetweenOrMinusOne(least, _) => {
                least.to_string()
            }
            Valid::Fraction => "0".to_string(),
            _ => "-".to_string(),
        };
        // A segment of no bytes would roll for ever; Kafka leaves that to its tests.
        if setting.name != "internal.segment.bytes" {
            assert_eq!(row[3], least, "{}", setting.name);
        }
        let behind: Vec<&str> = row.get(4).map_or(Vec::new(), |names| names.split(' ').collect());
        // A second name for the flush interval, which Ringlog does not have.
        let behind: Vec<&str> =
            behind.into_iter().filter(|&name| name != "log.flush.scheduler.interval.ms").collect();
        assert_eq!(behind, setting.server_names, "{}", setting.name);
    }
}

#[test]
fn every_setting_has_documentation_a_good_default_and_a_getter() {
    const BY_HAND: &[&str] = &[
        "follower.replication.throttled.replicas",
        "internal.segment.bytes",
        "leader.replication.throttled.replicas",
        "segment.bytes",
    ];
    for setting in TOPIC_SETTINGS {
        assert!(setting.documentation().len() > 20, "{}", setting.name);
        assert_eq!(setting.default_value().map(|value| value.to_string()).as_deref(), setting.default);
        let getters = TopicValues::NAMES.iter().chain(BY_HAND).filter(|name| **name == setting.name).count();
        assert_eq!(getters, 1, "{}", setting.name);
    }
    assert!(TOPIC_SETTINGS.is_sorted_by_key(|setting| setting.name));
}

#[test]
fn a_plain_topic_has_the_defaults() {
    let topic = TopicConfig::new([], &server("")).unwrap();
    let values = topic.values();
    assert_eq!(values.cleanup_policy(), CleanupPolicy { delete: true, compact: false });
    assert_eq!(values.compression_type(), CompressionType::Producer);
    assert_eq!(values.message_timestamp_type(), TimestampType::CreateTime);
    assert_eq!(values.message_timestamp_before_max_ms(), i64::MAX);
    assert_eq!(values.retention_ms(), Some(604_800_000));
    assert_eq!(values.retention_bytes(), None);
    assert_eq!(values.max_message_bytes(), 1_048_588);
    assert_eq!(values.min_cleanable_dirty_ratio(), 0.5);
    assert_eq!(topic.segment_bytes(), 1 << 30);
    assert_eq!(topic.leader_throttled_replicas(), ThrottledReplicas::Some(vec![]));
}

#[test]
fn the_servers_settings_stand_behind_the_topics() {
    let retention_ms = |file| TopicConfig::new([], &server(file)).unwrap().values().retention_ms();
    assert_eq!(retention_ms("log.retention.hours=2"), Some(7_200_000));
    assert_eq!(retention_ms("log.retention.hours=2\nlog.retention.minutes=3"), Some(180_000));
    assert_eq!(retention_ms("log.retention.hours=2\nlog.retention.minutes=3\nlog.retention.ms=4"), Some(4));
    assert_eq!(retention_ms("log.retention.minutes=-1"), None);
    let topic = TopicConfig::new([("retention.ms", Some("5"))], &server("log.retention.ms=4")).unwrap();
    assert_eq!(topic.values().retention_ms(), Some(5));
    let topic =
        TopicConfig::new([], &server("log.roll.hours=1\nlog.roll.jitter.hours=2\nmessage.max.bytes=9"))
            .unwrap();
    assert_eq!(topic.values().segment_ms(), 3_600_000);
    assert_eq!(topic.values().segment_jitter_ms(), 7_200_000);
    assert_eq!(topic.values().max_message_bytes(), 9);
}

#[test]
fn tests_may_ask_for_small_segments() {
    let both = [("internal.segment.bytes", Some("1000")), ("segment.bytes", Some("2000000"))];
    assert_eq!(TopicConfig::new(both, &server("")).unwrap().segment_bytes(), 1000);
    assert!(TopicConfig::new([("segment.bytes", Some("1000"))], &server("")).is_err());
}

#[test]
fn a_new_topic_is_refused_with_the_reason() {
    check_new("retention.mss=1", "unknown setting retention.mss: did you mean retention.ms?");
    check_new("log.retention.hours=1", "unknown setting log.retention.hours: did you mean retention.ms?");
    check_new("foo=1", "unknown setting foo");
    check_new("retention.ms=x", "invalid value \"x\" for retention.ms: a whole number of 64 bits is needed");
    check_new("retention.ms=-2", "invalid value \"-2\" for retention.ms: it must be at least -1");
    check_new("retention.ms", "retention.ms needs a value");
    check_new("retention.ms=1 retention.ms=1", "retention.ms is set more than once");
    check_new(
        "remote.storage.enable=true",
        "remote.storage.enable=true is not supported: there is no tiered storage",
    );
    check_new(
        "min.compaction.lag.ms=50 max.compaction.lag.ms=10",
        "min.compaction.lag.ms (50) is more than max.compaction.lag.ms (10)",
    );
    check_new("remote.storage.enable=false cleanup.policy= local.retention.ms=-2", "");
}

#[test]
fn c73_incremental_alterations_keep_the_other_settings() {
    let before = "retention.ms=1000 cleanup.policy=compact,delete";
    check_altered(before, "SET segment.ms=7", "cleanup.policy=compact,delete retention.ms=1000 segment.ms=7");
    check_altered(before, "SET retention.ms=2", "cleanup.policy=compact,delete retention.ms=2");
    check_altered(before, "DELETE retention.ms=", "cleanup.policy=compact,delete");
    check_altered(before, "APPEND cleanup.policy=compact", before_sorted());
    check_altered(before, "SUBTRACT cleanup.policy=delete", "cleanup.policy=compact retention.ms=1000");
    check_altered(before, "SUBTRACT cleanup.policy=compact,delete", "cleanup.policy= retention.ms=1000");
    check_altered(before, "DELETE segment.bytes=", before_sorted());
    check_altered(before, "DELETE gone.in.this.version=", before_sorted());
    check_altered("", "APPEND cleanup.policy=compact", "cleanup.policy=delete,compact");
    check_altered("", "SUBTRACT cleanup.policy=compact", "cleanup.policy=delete");
    check_altered("", "SET unclean.leader.election.enable=TRUE", "unclean.leader.election.enable=true");
    check_altered(
        "",
        "SET leader.replication.throttled.replicas=0:0,1:0",
        "leader.replication.throttled.replicas=0:0,1:0",
    );
}

#[test]
fn an_alteration_is_refused_with_the_reason() {
    let refused = |alterations, reason: &str| {
        let fault = altered("max.compaction.lag.ms=10", alterations, &server("")).unwrap_err();
        assert_eq!(fault.to_string(), reason);
    };
    refused("SET retention.mss=1", "unknown setting retention.mss: did you mean retention.ms?");
    refused("APPEND retention.ms=1", "retention.ms is not a list, so nothing can be appended or subtracted");
    refused("SET retention.ms=1;SET retention.ms=2", "retention.ms is set more than once");
    refused("SET retention.ms=1;DELETE retention.ms=", "retention.ms is set more than once");
    refused("SET retention.ms", "retention.ms needs a value");
    refused(
        "SET min.compaction.lag.ms=11",
        "min.compaction.lag.ms (11) is more than max.compaction.lag.ms (10)",
    );
    refused(
        "APPEND leader.replication.throttled.replicas=*,0:1",
        "invalid value \",*,0:1\" for leader.replication.throttled.replicas: it must be * or a list of partition:broker",
    );
}

#[test]
fn an_appended_list_starts_from_the_servers_value() {
    let server = server("log.cleanup.policy=compact");
    assert_eq!(
        text(altered("", "APPEND cleanup.policy=delete", &server).unwrap().overrides()),
        "cleanup.policy=compact,delete"
    );
}

#[test]
fn what_an_older_broker_stored_does_not_stop_this_one() {
    let stored = texts("retention.ms=5 old.setting=x segment.ms=never");
    let topic = TopicConfig::from_stored(stored.clone(), &server(""));
    assert_eq!(topic.values().retention_ms(), Some(5));
    assert_eq!(topic.values().segment_ms(), 604_800_000);
    assert_eq!(topic.overrides(), &stored);
}

#[test]
fn differences_are_what_the_metadata_log_needs() {
    let found = differences(&texts("a=1 b=2 c=3"), &texts("b=2 c=4 d=5"));
    let shown: Vec<String> =
        found.iter().map(|(name, text)| format!("{name}={}", text.as_deref().unwrap_or("-"))).collect();
    assert_eq!(shown, ["a=-", "c=4", "d=5"]);
}

#[test]
fn numbers_on_the_wire_are_kafkas() {
    let operations = [0, 1, 2, 3, 4, -1].map(Operation::from_code);
    let [set, delete, append, subtract] =
        [Operation::Set, Operation::Delete, Operation::Append, Operation::Subtract].map(Some);
    assert_eq!(operations, [set, delete, append, subtract, None, None]);
    let kinds = [Kind::Boolean, Kind::String, Kind::Int, Kind::Short, Kind::Long, Kind::Double, Kind::List];
    assert_eq!(kinds.map(Kind::code), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!([Kind::Class, Kind::Password].map(Kind::code), [8, 9]);
}

#[test]
fn descriptions_say_what_has_no_effect() {
    let entries = TopicConfig::new([], &server("")).unwrap().describe(&server(""), None);
    let said = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap().documentation();
    assert!(said("unclean.leader.election.enable").ends_with("there is nothing for it to act on."));
    assert!(said("preallocate").contains("accepts the default only"));
    assert!(said("remote.storage.enable").ends_with("accepts the default only: there is no tiered storage."));
    assert!(!said("segment.bytes").contains("Ringlog"));
    let stored = TOPIC_SETTINGS.iter().filter(|setting| setting.effect == Effect::Stored);
    assert!(stored.map(|setting| setting.name).eq([
        "follower.replication.throttled.replicas",
        "leader.replication.throttled.replicas",
        "unclean.leader.election.enable",
    ]));
}

#[test]
fn only_what_is_wanted_is_described() {
    let topic = TopicConfig::new([], &server("")).unwrap();
    let names = |wanted: &[&str]| -> Vec<&str> {
        topic.describe(&server(""), Some(wanted)).iter().map(|entry| entry.name).collect()
    };
    assert_eq!(names(&["segment.ms", "no.such", "cleanup.policy"]), ["cleanup.policy", "segment.ms"]);
    assert!(names(&["internal.segment.bytes"]).is_empty());
}

fn before_sorted() -> &'static str {
    "cleanup.policy=compact,delete retention.ms=1000"
}

fn server(file: &str) -> ServerConfig {
    let given = file.lines().map(|line| {
        let (name, value) = line.split_once('=').unwrap();
        Given { name: name.to_string(), value: value.to_string(), origin: Origin::Set }
    });
    ServerConfig::new(given.collect(), "box").unwrap()
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    text.split_whitespace().map(|pair| match pair.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (pair, None),
    })
}

fn texts(text: &str) -> Texts {
    pairs(text).map(|(name, value)| (name.to_string(), value.unwrap().to_string())).collect()
}

fn text(texts: &Texts) -> String {
    texts.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>().join(" ")
}

fn check_new(settings: &str, fault: &str) {
    let made = TopicConfig::new(pairs(settings), &server(""));
    assert_eq!(made.err().map(|fault| fault.to_string()).unwrap_or_default(), fault, "{settings}");
}

/// `alterations` are like `SET a=b;DELETE c=`.
fn altered(before: &str, alterations: &str, server: &ServerConfig) -> Result<TopicConfig, InvalidSetting> {
    let alterations: Vec<Alteration<'_>> = alterations
        .split(';')
        .map(|alteration| {
            let (operation, pair) = alteration.split_once(' ').unwrap();
            let operation = match operation {
                "SET" => Operation::Set,
                "DELETE" => Operation::Delete,
                "APPEND" => Operation::Append,
                "SUBTRACT" => Operation::Subtract,
                other => panic!("{other}"),
            };
            let (name, value) = pairs(pair).next().unwrap();
            Alteration { name, operation, value }
        })
        .collect();
    TopicConfig::new(pairs(before), server).unwrap().altered(&alterations, server)
}

/// Applies twice: each operation repeats without harm.
fn check_altered(before: &str, alterations: &str, expected: &str) {
    let once = altered(before, alterations, &server("")).unwrap();
    assert_eq!(text(once.overrides()), expected, "{alterations}");
    let again = altered(&text(once.overrides()), alterations, &server("")).unwrap();
    assert_eq!(text(again.overrides()), expected, "{alterations} again");
}
