//! The commands for daily work, as a user runs them: the program against a broker's process, with what it prints, its exit
//! status and its JSON.

// As in the broker: a field more in a schema breaks no test.
#![allow(clippy::needless_update)]

mod groups;
mod history;
mod manual;
mod place;
mod records;
mod transactions;

use place::{Place, steady};

#[test]
fn topics_are_made_shown_changed_and_deleted() {
    let place = Place::start("topics");
    assert_eq!(place.ok("topic list"), "there are no topics\n");
    let made = place.ok("topic create orders -p 3 --set retention.ms=1000");
    assert_eq!(made, "created topic orders: 3 partitions, replication factor 1\n");
    place.refused("topic create orders", 1, "topic orders: a topic of this name is there already");
    let made = place.ok("topic create orders other --if-not-exists");
    let expected = "there is already a topic orders: 3 partitions, replication factor 1\n\
                    created topic other: 1 partition, replication factor 1\n";
    assert_eq!(made, expected);
    let listed =
        "TOPIC   PARTITIONS  REPLICATION\norders           3            1\nother            1            1\n";
    assert_eq!(place.ok("topic list"), listed);
    place.ok_with("produce orders --partition 1", b"one\ntwo\n");
    assert_eq!(
        steady(&place.ok("topic describe orders"), &place),
        "topic orders\n  id            ID\n  records       2\n  size on disk  81 B\n  settings      retention.ms=1000\n\n  \
         PARTITION  LEADER  REPLICAS  ISR  START  END  RECORDS  SIZE\n          \
         0       0         0    0      0    0        0   0 B\n          \
         1       0         0    0      0    2        2  81 B\n          \
         2       0         0    0      0    0        0   0 B\n"
    );
    assert_eq!(
        place.ok("topic alter orders -p 4 --set cleanup.policy=compact --unset retention.ms"),
        "altered topic orders: 4 partitions, 2 settings changed\n"
    );
    place.refused("topic alter orders -p 2", 1, "INVALID_PARTITIONS");
    place.refused("topic alter orders", 2, "--partitions");
    place.refused("topic alter nobody -p 2", 1, "there is no such topic");
    place.refused("topic delete orders", 2, "there is no terminal to ask on: add --yes");
    assert_eq!(place.ok("topic delete orders nobody --yes --if-exists"), "deleted topic orders\n");
    place.refused("topic delete nobody --yes", 1, "UNKNOWN_TOPIC_OR_PARTITION");
}

#[test]
fn topics_are_json_if_asked() {
    let place = Place::start("topics-json");
    assert_eq!(
        steady(&place.ok("topic create a --json"), &place),
        "{\"topics\":[{\"name\":\"a\",\"id\":\"ID\",\"partitions\":1,\"replication_factor\":1,\"created\":true}]}\n"
    );
    assert_eq!(
        steady(&place.ok("topic list --json"), &place),
        "{\"topics\":[{\"name\":\"a\",\"id\":\"ID\",\"internal\":false,\"partitions\":1,\"replication_factor\":1}]}\n"
    );
    assert_eq!(
        steady(&place.ok("topic describe a --json"), &place),
        "{\"topics\":[{\"name\":\"a\",\"id\":\"ID\",\"internal\":false,\"records\":0,\"size_bytes\":0,\"settings\":{},\
         \"partitions\":[{\"partition\":0,\"leader\":0,\"leader_epoch\":0,\"replicas\":[0],\"isr\":[0],\
         \"start_offset\":0,\"end_offset\":0,\"records\":0,\"size_bytes\":0}]}]}\n"
    );
    assert_eq!(place.ok("topic delete a --yes --json"), "{\"deleted\":[\"a\"]}\n");
}

#[test]
fn records_are_deleted_up_to_an_offset() {
    let place = Place::start("delete-records");
    place.ok("topic create a -p 2");
    place.ok_with("produce a -p 0", b"1\n2\n3\n");
    place.refused("topic delete-records a --before offset:2", 2, "add --yes");
    let said = place.ok("topic delete-records a --before offset:2 --partition 0 --yes");
    assert_eq!(said, "TOPIC  PARTITION  START\na              0      2\n");
    assert_eq!(place.ok("consume a -e"), "3\n");
    place.refused("topic delete-records a --before offset:9 -p 0 --yes", 1, "OFFSET_OUT_OF_RANGE");
    let said = place.ok("topic delete-records a --before latest --yes --json");
    let partitions = "[{\"partition\":0,\"start_offset\":3},{\"partition\":1,\"start_offset\":0}]";
    assert_eq!(said, format!("{{\"topic\":\"a\",\"partitions\":{partitions}}}\n"));
}

#[test]
fn settings_are_shown_set_and_taken_back() {
    let place = Place::start("config");
    place.ok("topic create a");
    assert_eq!(place.ok("config get topic a --changed"), "nothing is set here\n");
    assert_eq!(place.ok("config set topic a retention.ms=5"), "topic a: retention.ms is now 5\n");
    assert_eq!(
        place.ok("config get topic a --changed"),
        "SETTING       VALUE  SOURCE  TYPE  DEFAULT\nretention.ms      5  topic   long  -\n"
    );
    let explained = place.ok("config get topic a retention.ms --explain");
    assert!(
        explained.starts_with("retention.ms = 5\n  long from topic, default -\n  The age"),
        "{explained}"
    );
    assert_eq!(
        place.ok("config get topic a retention.ms --json"),
        "{\"kind\":\"topic\",\"name\":\"a\",\"settings\":[{\"name\":\"retention.ms\",\"value\":\"5\",\"source\":\"topic\",\
         \"type\":\"long\",\"default\":null,\"read_only\":false,\"sensitive\":false}]}\n"
    );
    assert_eq!(
        place.ok("config unset topic a retention.ms"),
        "topic a: retention.ms is back at its default\n"
    );
    place.ok("config set broker default log.retention.ms=1000");
    assert!(place.ok("config get broker default").contains("log.retention.ms   1000  all brokers"));
    assert!(place.ok("config get broker 0 log.retention.ms").contains("1000"));
    place.ok("config unset broker default log.retention.ms");
    place.refused("config set topic a nonsense=1", 1, "unknown setting nonsense");
    place.refused("config set topic a retention.ms", 2, "KEY=VALUE is needed");
    place.refused("config get topic a nonsense", 1, "topic a has no setting nonsense");
    place.refused("config get topic nobody", 1, "there is no such topic");
    place.refused("config get broker 7", 1, "there is no broker 7; the cluster has 0");
    place.refused("config get broker zero", 1, "a broker is called by its number");
}

#[test]
fn a_cluster_says_who_it_is() {
    let place = Place::start("cluster");
    let said = steady(&place.ok("cluster"), &place);
    assert!(said.starts_with("cluster ID\n\n  BROKER  ADDRESS  "), "{said}");
    assert!(said.contains("\n       0  HERE"), "{said}");
    for wanted in ["transaction.version          2  0 to 2\n", "METADATA  ROLE", "metadata epoch 1"] {
        assert!(said.contains(wanted), "{wanted} is missing in\n{said}");
    }
    let json = place.ok("cluster --json --api-versions");
    let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(parsed["brokers"][0]["controller"], true);
    assert_eq!(parsed["quorum"]["leader"], 0);
    assert_eq!(parsed["apis"][0]["name"], "Produce");
    assert_eq!(parsed["apis"][0]["served"]["max"], parsed["apis"][0]["spoken"]["max"]);
}

#[test]
fn what_cannot_be_reached_is_said_with_what_to_do() {
    let place = Place::start("unreachable");
    // Port 1 of a loopback address: nobody listens there.
    place.refused("topic list --bootstrap 127.0.0.1:1", 1, "no broker answers: 127.0.0.1:1");
    place.refused("topic list --bootstrap 127.0.0.1:x", 2, "a port is a number");
    let second = format!("topic list --bootstrap 127.0.0.1:1,{}", place.bootstrap);
    assert_eq!(place.ok(&second), "there are no topics\n");
    place.refused("topic", 2, "Usage: ringlog topic");
    place.refused("topic list --timeout 0", 2, "--timeout");
}

#[test]
fn an_ipv6_address_is_reached() {
    let place = Place::start("ipv6");
    place.refused("topic list --bootstrap ::1:9092", 2, "written in brackets");
    place.refused("topic list --bootstrap [::1]:1", 1, "[::1]:1");
}
