//! What an acknowledgement promises, and what a loss of power leaves.

use protocol::ErrorCode;
use shard::memory::{Crash, Faults};

use crate::calls::{PRODUCE, batch, produce_request, produced, sequenced};
use crate::harness::{Client, Rig};

fn acknowledged(client: &mut Client, topic: &str, acks: i16, value: &str) -> ErrorCode {
    let batch = batch(&[value]);
    let request = protocol::messages::produce_request::ProduceRequest {
        acks,
        ..produce_request(&[(topic, 0, &batch)])
    };
    produced(&client.ask(PRODUCE, &request))[0].error
}

#[test]
fn acks_all_survives_a_loss_of_power_wherever_its_partition_lives_then() {
    let rig = Rig::new();
    let mut client = rig.connect();
    let topics: Vec<String> = (0..6).map(|i| format!("t{i}")).collect();
    for topic in &topics {
        client.create(topic, 1);
    }
    for i in 0..30 {
        for topic in &topics {
            assert_eq!(acknowledged(&mut client, topic, -1, &format!("{topic} {i}")), ErrorCode::None);
        }
    }
    for core_count in [1, 3, 2] {
        rig.crash(Crash::Power);
        rig.start(core_count);
        client = rig.connect();
        for topic in &topics {
            let expected: Vec<String> = (0..30).map(|i| format!("{topic} {i}")).collect();
            assert_eq!(client.read_all(topic, 0)[..30], expected, "{topic} on {core_count} cores");
            assert_eq!(acknowledged(&mut client, topic, -1, "more"), ErrorCode::None);
        }
    }
}

#[test]
fn what_is_acknowledged_can_be_read_though_the_journal_was_faster_than_the_page_cache() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 1);
    rig.faults(Faults { short_write_percent: 60, latency_ns_max: 3_000_000, ..Faults::default() });
    for round in 0..60 {
        let value = format!("{round}{}", "x".repeat(round * 7));
        let offset = client.append("t", 0, &batch(&[&value]));
        let fetched = client.fetch("t", 0, offset);
        assert_eq!((fetched.high_watermark, fetched.values()), (offset + 1, vec![value]));
    }
}

#[test]
fn acks_1_and_a_topic_that_asks_for_the_page_cache_write_no_journal() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("disk", 1);
    client.create_with("os", 1, &[("ringlog.durability", "os")]);
    let journals = |rig: &Rig| -> Vec<Vec<u8>> {
        let paths = rig.world.paths();
        let journals = paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "journal"));
        journals.map(|path| rig.world.file(path).unwrap()).collect()
    };
    let before = journals(&rig);
    assert_eq!(before.len(), 2);
    assert_eq!(acknowledged(&mut client, "disk", 1, "a"), ErrorCode::None);
    assert_eq!(acknowledged(&mut client, "os", -1, "b"), ErrorCode::None);
    assert_eq!(journals(&rig), before);
    // The first one syncs what acks=1 left; the second goes through the journal.
    assert_eq!(acknowledged(&mut client, "disk", -1, "c"), ErrorCode::None);
    assert_eq!(acknowledged(&mut client, "disk", -1, "d"), ErrorCode::None);
    assert_ne!(journals(&rig), before);
    rig.crash_and_restart(Crash::Power);
    assert_eq!(rig.connect().read_all("disk", 0), ["a", "c", "d"]);
}

#[test]
fn a_deleted_topics_records_do_not_come_back_in_one_of_the_same_name() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    (0..5).for_each(|_| assert_eq!(acknowledged(&mut client, "t", -1, "old"), ErrorCode::None));
    client.delete("t");
    client.create("t", 1);
    assert_eq!(acknowledged(&mut client, "t", -1, "new"), ErrorCode::None);
    for crash in [Crash::Process, Crash::Power] {
        rig.crash_and_restart(crash);
        assert_eq!(rig.connect().read_all("t", 0), ["new"], "{crash:?}");
    }
}

#[test]
fn a_failed_journal_takes_the_core_offline_and_acknowledges_nothing() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    client.create("t", 1);
    client.create("u", 1);
    assert_eq!(acknowledged(&mut client, "t", -1, "a"), ErrorCode::None);
    rig.faults(Faults { failed_write_percent: 100, ..Faults::default() });
    assert_eq!(acknowledged(&mut client, "t", -1, "b"), ErrorCode::KafkaStorageError);
    rig.faults(Faults::default());
    assert_eq!(acknowledged(&mut client, "u", 1, "c"), ErrorCode::KafkaStorageError);
    assert_eq!(client.read_all("t", 0), ["a"]);
    rig.crash_and_restart(Crash::Power);
    client = rig.connect();
    assert_eq!(client.read_all("t", 0)[0], "a");
    assert_eq!(acknowledged(&mut client, "u", -1, "d"), ErrorCode::None);
}

#[test]
fn a_journal_smaller_than_the_load_is_freed_by_checkpoints() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    for topic in ["t", "u"] {
        client.create(topic, 1);
    }
    let value = "x".repeat(900);
    for _ in 0..1000 {
        for topic in ["t", "u"] {
            assert_eq!(acknowledged(&mut client, topic, -1, &value), ErrorCode::None);
        }
    }
    rig.crash_and_restart(Crash::Power);
    client = rig.connect();
    assert_eq!(client.read_all("t", 0).len() + client.read_all("u", 0).len(), 2000);
}

#[test]
fn c25_a_retry_after_a_loss_of_power_is_still_a_retry() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let id = client.producer_id();
    let offsets: Vec<i64> = (0..4).map(|i| client.append("t", 0, &sequenced(id, 0, 2 * i, 2))).collect();
    assert_eq!(acknowledged(&mut client, "t", -1, "all before is synced"), ErrorCode::None);
    rig.crash_and_restart(Crash::Power);
    client = rig.connect();
    assert_eq!(client.append("t", 0, &sequenced(id, 0, 6, 2)), offsets[3]);
}

#[test]
fn c97_a_full_disk_is_told_in_words_and_recovers_by_itself() {
    let rig = Rig::with(1, &[("ringlog.disk.reserve.bytes", "100000")]);
    let mut client = rig.connect();
    client.create_with("t", 1, &[("retention.ms", "10000")]);
    assert_eq!(acknowledged(&mut client, "t", -1, "a"), ErrorCode::None);
    let used: u64 = rig.world.paths().iter().map(|path| rig.world.file(path).unwrap().len() as u64).sum();
    let full = Faults { disk_bytes_max: Some(used + 101_500), ..Faults::default() };
    rig.faults(full.clone());
    rig.pass_ms(1000);
    let value = "x".repeat(1000);
    assert_eq!(acknowledged(&mut client, "t", -1, &value), ErrorCode::None);
    let refused = client.produce("t", 0, &batch(&[&value]));
    assert_eq!(refused.error, ErrorCode::KafkaStorageError);
    assert!(refused.message.is_some_and(|why| why.starts_with("disk full: ") && why.contains(" free of ")));
    // All else works: reading, making topics, deleting records and topics.
    assert_eq!(client.read_all("t", 0).len(), 2);
    client.create("u", 1);
    assert_eq!(client.delete("u"), ErrorCode::None);
    // Retention makes room, and nobody has to start anything again.
    rig.pass_ms(20_000);
    assert_eq!(acknowledged(&mut client, "t", -1, &value), ErrorCode::None);
}
