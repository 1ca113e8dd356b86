//! Logs are open while they are used: a start opens none, a first question its own, quiet moments the rest, and what is idle
//! is closed again. Thousands of partitions in one request take a bounded number of files.

use protocol::ErrorCode;
use protocol::messages::produce_request::ProduceRequest;
use shard::memory::{Crash, Faults};
use shard::{Io, ShardId};

use crate::admin::{SET, change};
use crate::calls::{
    FETCH, PRODUCE, batch, batch_of_size, create_request, error, fetch_request, fetched, produce_request,
    produced,
};
use crate::harness::{Client, OPEN_FILES_MAX, Rig};

const OK: ErrorCode = ErrorCode::None;
/// Longer than an idle log stays open, the sync before it included.
const IDLE_MS: u64 = 200_000;

fn open_count(rig: &Rig) -> usize {
    rig.sum(|broker| broker.open_log_count())
}

/// Appends a record to each of the first partitions, in one request.
fn append_each(client: &mut Client, topic: &str, count: i32, value: &str) {
    let batch = batch(&[value]);
    let parts: Vec<(&str, i32, &[u8])> = (0..count).map(|partition| (topic, partition, &batch[..])).collect();
    let answers = produced(&client.ask(PRODUCE, &produce_request(&parts)));
    assert_eq!(answers.len(), count as usize);
    assert!(answers.iter().all(|answer| answer.error == OK));
}

fn acks_all(client: &mut Client, topic: &str, value: &str) -> ErrorCode {
    let batch = batch(&[value]);
    let request = ProduceRequest { acks: -1, ..produce_request(&[(topic, 0, &batch)]) };
    produced(&client.ask(PRODUCE, &request))[0].error
}

#[test]
fn a_start_waits_for_no_log_and_a_first_question_opens_its_own() {
    let rig = Rig::new();
    rig.connect().create("t", 800);
    append_each(&mut rig.connect(), "t", 800, "v");
    for crash in [true, false] {
        if crash {
            rig.crash(Crash::Process);
        } else {
            rig.stop();
        }
        rig.start(2);
        assert!(open_count(&rig) < 400, "{} logs were opened by a start", open_count(&rig));
        let mut client = rig.connect();
        client.send(FETCH, &fetch_request(&[("t", 799, 0)]));
        let reply = client.receive_now().expect("the answer needs no time to pass");
        assert_eq!(fetched(&reply)[0].values(), ["v"]);
        // Nobody asks for the others, and they are opened too.
        rig.turns(200);
        assert_eq!(open_count(&rig), 800);
    }
}

#[test]
fn a_log_that_nobody_uses_is_closed_and_its_next_use_finds_all() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 40);
    append_each(&mut client, "t", 40, "a");
    assert_eq!(open_count(&rig), 40);
    rig.pass_ms(IDLE_MS);
    assert_eq!(open_count(&rig), 0);
    let is_marked = |partition| rig.world.file(&rig.dir("t", partition).join("ringlog.clean")).is_some();
    assert!((0..40).all(is_marked), "a crash finds it as a clean stop leaves it");
    append_each(&mut client, "t", 20, "b");
    assert_eq!(open_count(&rig), 20);
    assert!((0..20).all(|partition| !is_marked(partition)));
    rig.crash_and_restart(Crash::Power);
    client = rig.connect();
    for partition in 0..40 {
        let values = client.read_all("t", partition);
        assert_eq!(values[0], "a", "what was synced before it was closed survives a loss of power");
    }
}

#[test]
fn a_log_that_a_fetch_waits_at_stays_open() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    client.append("t", 0, &batch(&["a"]));
    let waiting = protocol::messages::fetch_request::FetchRequest {
        max_wait_ms: 2 * IDLE_MS as i32,
        min_bytes: 1,
        ..fetch_request(&[("t", 0, 1)])
    };
    client.send(FETCH, &waiting);
    rig.pass_ms(IDLE_MS);
    assert_eq!(open_count(&rig), 1);
    assert_eq!(rig.connect().append("t", 0, &batch(&["b"])), 1);
    assert_eq!(fetched(&client.receive())[0].values(), ["b"]);
}

#[test]
fn old_records_leave_logs_that_nobody_uses() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create_with("t", 4, &[("retention.ms", "600000")]);
    append_each(&mut client, "t", 4, "old");
    rig.pass_ms(IDLE_MS);
    assert_eq!(open_count(&rig), 0);
    rig.pass_ms(500_000);
    client = rig.connect();
    for partition in 0..4 {
        let first = rig.dir("t", partition).join("00000000000000000000.log");
        assert!(rig.world.file(&first).is_none(), "the records of partition {partition} are still there");
        assert_eq!(client.offset_for("t", partition, -2).1, 1);
    }
    // After a start as well, in which nobody asks for anything.
    append_each(&mut client, "t", 4, "old too");
    rig.stop();
    rig.start(2);
    rig.pass_ms(700_000);
    let second = rig.dir("t", 0).join("00000000000000000001.log");
    assert!(rig.world.file(&second).is_none());
}

#[test]
fn a_log_that_cannot_be_opened_is_offline_alone_and_says_why() {
    for is_asked in [true, false] {
        let rig = Rig::new();
        let mut client = rig.connect();
        client.create("t", 4);
        append_each(&mut client, "t", 4, "v");
        let broken = rig.dir("t", 1).join("ringlog.start");
        rig.look(ShardId(0), |core| core.io().disk().replace_file(&broken, b"2 17 0\n").unwrap());
        rig.crash_and_restart(Crash::Process);
        client = rig.connect();
        if !is_asked {
            rig.turns(100);
        }
        let refused = client.produce("t", 1, &batch(&["lost"]));
        assert_eq!(refused.error, ErrorCode::KafkaStorageError);
        let why = refused.message.unwrap_or_default();
        assert!(why.contains("ringlog.start") && why.contains("version"), "{why}");
        assert_eq!(client.fetch("t", 1, 0).error, ErrorCode::KafkaStorageError);
        for partition in [0, 2, 3] {
            assert_eq!(client.append("t", partition, &batch(&["after"])), 1);
        }
        assert_eq!(client.describe("t").2.len(), 4);
        assert_eq!(client.delete("t"), OK);
        assert!(!rig.world.paths().iter().any(|path| path.starts_with(rig.dir("t", 1))));
    }
}

#[test]
fn questions_wait_in_their_order_while_a_log_is_read() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    client.create("t", 1);
    let large = batch_of_size(900_000);
    for offset in 0..12 {
        assert_eq!(client.append("t", 0, &large), offset);
    }
    rig.crash(Crash::Process);
    rig.start_unsettled(1);
    rig.turns(2);
    client = rig.connect();
    let small = batch(&["small"]);
    for _ in 0..3 {
        client.send(PRODUCE, &produce_request(&[("t", 0, &small)]));
    }
    client.send(FETCH, &fetch_request(&[("t", 0, 12)]));
    let offsets: Vec<i64> = (0..3).map(|_| produced(&client.receive_now().unwrap())[0].base_offset).collect();
    assert_eq!(offsets, [12, 13, 14]);
    assert_eq!(fetched(&client.receive_now().unwrap())[0].error, OK);
}

#[test]
fn a_log_that_takes_long_to_open_does_not_hold_up_the_others() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    let large = batch_of_size(900_000);
    for (topic, count) in [("large", 60), ("medium", 3)] {
        client.create(topic, 1);
        for _ in 0..count {
            client.append(topic, 0, &large);
        }
    }
    rig.crash(Crash::Process);
    rig.start_unsettled(1);
    rig.turns(2);
    let (mut first, mut second) = (rig.connect(), rig.connect());
    first.send(FETCH, &fetch_request(&[("large", 0, 59)]));
    rig.turn();
    second.send(FETCH, &fetch_request(&[("medium", 0, 2)]));
    let reply = (0..10).find_map(|_| {
        rig.turn();
        second.poll()
    });
    assert!(first.poll().is_none(), "the large log is still being read");
    assert_eq!(fetched(&reply.expect("the other log was opened meanwhile"))[0].error, OK);
    assert_eq!(fetched(&first.receive_now().unwrap())[0].error, OK);
}

#[test]
fn a_topic_that_is_deleted_while_its_log_is_read_leaves_nobody_waiting() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    client.create("t", 1);
    let large = batch_of_size(900_000);
    for offset in 0..12 {
        assert_eq!(client.append("t", 0, &large), offset);
    }
    rig.crash(Crash::Process);
    rig.start_unsettled(1);
    rig.turns(2);
    let (mut asking, mut deleting) = (rig.connect(), rig.connect());
    let small = batch(&["small"]);
    asking.send(PRODUCE, &produce_request(&[("t", 0, &small)]));
    assert_eq!(deleting.delete("t"), OK);
    let answer = produced(&asking.receive_now().expect("nobody waits")).remove(0);
    // It came before the deletion, or while that was under way, or after.
    let expected = [OK, ErrorCode::KafkaStorageError, ErrorCode::UnknownTopicOrPartition];
    assert!(expected.contains(&answer.error), "{answer:?}");
    assert_eq!(rig.sum(|broker| broker.pending.len()), 0);
    assert!(!rig.world.paths().iter().any(|path| path.starts_with(rig.dir("t", 0))));
}

#[test]
fn acks_all_is_kept_while_the_journal_is_not_ready() {
    let rig = Rig::with(1, &[]);
    rig.connect().create("t", 1);
    rig.crash(Crash::Power);
    rig.start_unsettled(1);
    // From here on the writes that make the journal ready take seconds.
    rig.faults(Faults { latency_ns_max: 5_000_000_000, ..Faults::default() });
    rig.turns(2);
    assert_eq!(acks_all(&mut rig.connect(), "t", "early"), OK);
    rig.crash(Crash::Power);
    rig.faults(Faults::default());
    rig.start(1);
    assert_eq!(rig.connect().read_all("t", 0), ["early"]);
}

#[test]
fn a_journal_that_was_taken_over_half_full_is_freed_when_all_logs_are_open() {
    for (appends, is_kept) in [(1, true), (4, false)] {
        let rig = Rig::with(1, &[]);
        let mut client = rig.connect();
        client.create("t", 1);
        // Syncs that take seconds keep the journal as full as the appends make it.
        rig.faults(Faults { latency_ns_max: 5_000_000_000, ..Faults::default() });
        for _ in 0..appends {
            assert_eq!(acks_all(&mut client, "t", &"v".repeat(30_000)), OK);
        }
        rig.crash(Crash::Process);
        rig.faults(Faults::default());
        rig.start(1);
        rig.turns(200);
        assert_eq!(rig.sum(|broker| broker.inherited_count()) == 1, is_kept, "after {appends} appends");
    }
}

#[test]
fn acks_all_survives_losses_of_power_that_leave_no_time_to_sync_anything() {
    let rig = Rig::new();
    for topic in ["t", "u", "v"] {
        rig.connect().create(topic, 1);
    }
    let mut expected = Vec::new();
    for round in 0..12 {
        let mut client = rig.connect();
        for number in 0..3 {
            expected.push(format!("{round}.{number}"));
            for topic in ["t", "u", "v"] {
                assert_eq!(acks_all(&mut client, topic, expected.last().unwrap()), OK);
            }
        }
        match round % 4 {
            0 => rig.stop(),
            1 => rig.crash(Crash::Process),
            _ => rig.crash(Crash::Power),
        }
        rig.start(if round == 7 { 3 } else { 2 });
        let mut client = rig.connect();
        for topic in ["t", "u", "v"] {
            assert_eq!(client.read_all(topic, 0), expected, "round {round}");
        }
    }
}

#[test]
fn one_request_to_thousands_of_partitions_takes_a_bounded_number_of_files() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    let reply = client.ask(7, &create_request("t", 2000, &[]));
    let created: protocol::messages::create_topics_response::CreateTopicsResponse<'_> = reply.read();
    assert_eq!(error(created.topics[0].error_code), OK);
    append_each(&mut client, "t", 2000, "v");
    assert!(rig.world.open_files() <= 2 * OPEN_FILES_MAX + 10, "{} files", rig.world.open_files());
    let mut left: Vec<i32> = (0..2000).collect();
    while !left.is_empty() {
        let parts: Vec<(&str, i32, i64)> = left.iter().map(|&partition| ("t", partition, 0)).collect();
        let answers = fetched(&client.ask(FETCH, &fetch_request(&parts)));
        assert!(rig.world.open_files() <= 2 * OPEN_FILES_MAX + 10, "{} files", rig.world.open_files());
        let before = left.len();
        left = left
            .into_iter()
            .zip(&answers)
            .filter(|(_, answer)| {
                assert_eq!((answer.error, answer.high_watermark), (OK, 1));
                answer.records.is_empty()
            })
            .map(|(partition, _)| partition)
            .collect();
        assert!(left.len() < before, "each answer brings some");
    }
}

#[test]
fn a_fetch_whose_partitions_were_closed_takes_no_more_than_its_limit() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    client.create("t", 300);
    let large = batch_of_size(100_000);
    for partition in 0..300 {
        client.append("t", partition, &large);
    }
    rig.stop();
    rig.start_unsettled(1);
    rig.turns(2);
    client = rig.connect();
    let parts: Vec<(&str, i32, i64)> = (0..300).map(|partition| ("t", partition, 0)).collect();
    let request =
        protocol::messages::fetch_request::FetchRequest { max_bytes: 1_000_000, ..fetch_request(&parts) };
    client.send(FETCH, &request);
    let mut reading_max = 0;
    let reply = loop {
        if let Some(reply) = client.poll() {
            break reply;
        }
        rig.turn();
        reading_max = reading_max.max(rig.sum(|broker| broker.pending.record_bytes()));
    };
    let bytes: usize = fetched(&reply).iter().map(|answer| answer.records.len()).sum();
    assert!((100_000..1_100_000).contains(&bytes), "{bytes} bytes");
    assert!(reading_max < 1_200_000, "{reading_max} bytes were held for the answer");
}

#[test]
fn a_setting_reaches_logs_that_nobody_uses() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create_with("t", 2, &[("retention.ms", "-1")]);
    append_each(&mut client, "t", 2, "old");
    rig.pass_ms(IDLE_MS);
    assert_eq!(open_count(&rig), 0);
    let settings = &[("retention.ms", SET, Some("1000"))];
    assert_eq!(change(&mut client, false, &[("t", settings)]), [OK]);
    rig.pass_ms(30_000);
    assert_eq!(client.offset_for("t", 1, -2).1, 1);
}

#[test]
fn a_stop_marks_every_log_as_clean_however_many_are_synced_at_once() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    client.create("t", 300);
    append_each(&mut client, "t", 300, "a");
    rig.stop();
    let is_marked =
        |partition: &i32| rig.world.file(&rig.dir("t", *partition).join("ringlog.clean")).is_some();
    assert_eq!((0..300).filter(is_marked).count(), 300);
}
