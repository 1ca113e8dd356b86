//! The life of a node and of its data: restarts, crashes, other numbers of cores, disks that fail.

use protocol::ErrorCode;
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::metadata_request::MetadataRequest;
use protocol::messages::metadata_response::MetadataResponse;
use shard::memory::{Crash, Faults};

use crate::calls::{
    PRODUCE, batch, batches, create_request, error, fetch_by_id, fetched, produce_request, produced,
    sequenced,
};
use crate::harness::{Client, Rig};

const OK: ErrorCode = ErrorCode::None;

/// Every operation on a file fails from now on.
fn failing() -> Faults {
    Faults { failed_write_percent: 100, failed_sync_percent: 100, ..Faults::default() }
}

#[test]
fn acknowledged_records_survive_a_killed_process_at_any_moment() {
    let rig = Rig::with(2, &[]);
    rig.connect().create("t", 4);
    let mut acknowledged = vec![Vec::new(); 4];
    for round in 0..40 {
        let mut client = rig.connect();
        let batches: Vec<_> = (0..4).map(|partition| batch(&[&format!("{round}-{partition}")])).collect();
        for (partition, batch) in batches.iter().enumerate() {
            client.send(PRODUCE, &produce_request(&[("t", partition as i32, batch)]));
        }
        for _ in 0..round % 9 {
            rig.turn();
        }
        client.receive_bytes();
        // Replies come in order, so their number says which partitions were acknowledged.
        let mut partition = 0;
        while client.take_frame().is_some() {
            acknowledged[partition].push(format!("{round}-{partition}"));
            partition += 1;
        }
        rig.crash_and_restart(Crash::Process);
    }
    let mut client = rig.connect();
    for (partition, expected) in acknowledged.iter().enumerate() {
        let got = client.read_all("t", partition as i32);
        assert!(!expected.is_empty());
        let mut rest = got.iter();
        for value in expected {
            assert!(rest.any(|found| found == value), "{value} is missing or out of order in {got:?}");
        }
    }
}

#[test]
fn power_cuts_leave_whole_batches_from_the_front_and_a_node_that_goes_on() {
    for seed in 0..12 {
        let rig = Rig::with(2, &[]);
        for _ in 0..seed {
            rig.world.random_u64();
        }
        rig.connect().create_with(
            "t",
            2,
            &[("internal.segment.bytes", "1500"), ("max.message.bytes", "1000")],
        );
        let mut logs = [Vec::new(), Vec::new()];
        for round in 0..6 {
            let mut client = rig.connect();
            for (partition, log) in logs.iter_mut().enumerate() {
                let values = client.read_all("t", partition as i32);
                assert_eq!(values[..], log[..values.len()], "seed {seed}, round {round}");
                assert_eq!(values.len() % 2, 0, "whole batches");
                *log = values;
                for number in 0..4 + seed {
                    let values = [format!("{round}.{number}a"), format!("{round}.{number}b{:200}", "")];
                    let offset = client.append("t", partition as i32, &batch(&[&values[0], &values[1]]));
                    assert_eq!(offset, log.len() as i64);
                    log.extend(values);
                }
            }
            rig.crash_and_restart(Crash::Power);
        }
    }
}

#[test]
fn topics_and_settings_survive_a_power_cut() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    let id = client.create_with("t", 3, &[("max.message.bytes", "500")]);
    client.create("gone", 2);
    assert_eq!(client.delete("gone"), OK);
    rig.crash_and_restart(Crash::Power);
    let mut client = rig.connect();
    let (code, again, partitions) = client.describe("t");
    assert_eq!((code, again, partitions.len()), (OK, id, 3));
    assert_eq!(client.describe("gone").0, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(client.produce("t", 0, &crate::calls::batch_of_size(600)).error, ErrorCode::MessageTooLarge);
}

#[test]
fn idempotent_retries_are_recognised_after_a_crash_of_either_kind_or_their_first_try_is_lost() {
    for crash in [Crash::Process, Crash::Power] {
        let rig = Rig::new();
        let mut client = rig.connect();
        client.create("t", 1);
        let id = client.producer_id();
        for sequence in 0..4 {
            client.append("t", 0, &sequenced(id, 0, sequence, 1));
        }
        rig.crash_and_restart(crash);
        let mut client = rig.connect();
        let end = client.fetch("t", 0, 0).high_watermark;
        assert!(crash == Crash::Power || end == 4);
        for sequence in 0..4 {
            let answer = client.produce("t", 0, &sequenced(id, 0, sequence, 1));
            if i64::from(sequence) < end {
                assert_eq!((answer.error, answer.base_offset), (OK, i64::from(sequence)), "a retry");
            } else {
                assert_eq!((answer.error, answer.base_offset), (OK, i64::from(sequence)), "written anew");
            }
        }
        assert_eq!(client.fetch("t", 0, 0).high_watermark, 4, "each once");
    }
}

#[test]
fn other_numbers_of_cores_serve_the_same_records() {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    client.create("t", 8);
    let mut expected = vec![Vec::new(); 8];
    for (round, cores) in [1, 2, 1, 4, 3, 2].into_iter().enumerate() {
        if round > 0 {
            if round % 2 == 0 {
                rig.stop()
            } else {
                rig.crash(Crash::Process)
            }
            rig.start(cores);
            client = rig.connect();
        }
        for partition in 0..8 {
            let value = format!("round {round}, partition {partition}");
            client.append("t", partition, &batch(&[&value]));
            expected[partition as usize].push(value);
        }
        for (partition, expected) in expected.iter().enumerate() {
            assert_eq!(&client.read_all("t", partition as i32), expected, "{cores} cores");
        }
        let homes: std::collections::BTreeSet<_> = (0..8).map(|p| rig.home("t", p)).collect();
        assert_eq!(homes.len(), usize::from(cores), "every core has its share");
    }
}

#[test]
fn a_clean_stop_answers_what_is_under_way_and_loses_nothing() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 2);
    let batch = batch(&["v"]);
    for _ in 0..5 {
        client.send(PRODUCE, &produce_request(&[("t", 0, &batch), ("t", 1, &batch)]));
    }
    rig.turn();
    rig.turn();
    rig.stop();
    rig.start(2);
    let mut client = rig.connect();
    assert_eq!(client.read_all("t", 0).len(), client.read_all("t", 1).len());
}

#[test]
fn a_recreated_topic_is_empty_at_once_and_has_another_id() {
    let rig = Rig::with(3, &[]);
    let mut client = rig.connect();
    let mut last = None;
    for round in 0..10 {
        let id = client.create("t", 4);
        for partition in 0..4 {
            let found = client.fetch("t", partition, 0);
            assert_eq!((found.error, found.high_watermark, found.records.len()), (OK, 0, 0));
            assert_eq!(client.append("t", partition, &batch(&["old"])), 0, "round {round}");
        }
        if let Some(last) = last.replace(id) {
            assert_ne!(id, last);
            let part = fetched(&client.ask(13, &fetch_by_id(&[(last, 0, 0)]))).remove(0);
            assert_eq!(part.error, ErrorCode::UnknownTopicId);
        }
        assert_eq!(client.delete("t"), OK);
    }
    rig.crash_and_restart(Crash::Power);
    assert_eq!(rig.connect().describe("t").0, ErrorCode::UnknownTopicOrPartition);
    assert!(!rig.world.paths().iter().any(|path| path.starts_with(rig.dir("t", 0))));
}

#[test]
fn a_failed_write_takes_its_partition_offline_and_no_other() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    // A failed write of the journal takes all of a core: these partitions have no part in one.
    client.create_with("t", 4, &[("ringlog.durability", "os")]);
    for partition in 0..4 {
        client.append("t", partition, &batch(&["before"]));
    }
    rig.faults(failing());
    let failed = client.produce("t", 1, &batch(&["lost"]));
    assert_eq!((failed.error, failed.base_offset), (ErrorCode::KafkaStorageError, -1));
    assert!(failed.message.is_some_and(|why| why.contains("offline")), "the client is told why");
    rig.faults(Faults::default());
    let again = client.produce("t", 1, &batch(&["still lost"]));
    assert_eq!(again.error, ErrorCode::KafkaStorageError, "until a restart");
    for partition in [0, 2, 3] {
        assert_eq!(client.append("t", partition, &batch(&["after"])), 1);
        assert_eq!(client.read_all("t", partition), ["before", "after"]);
    }
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    let values = client.read_all("t", 1);
    assert_eq!(values[0], "before");
    assert_eq!(client.append("t", 1, &batch(&["healed"])), values.len() as i64);
}

#[test]
fn an_offline_partition_still_answers_every_request() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 2);
    client.append("t", 0, &batch(&["before"]));
    rig.faults(failing());
    assert_eq!(client.produce("t", 0, &batch(&["lost"])).error, ErrorCode::KafkaStorageError);
    rig.faults(Faults::default());
    let read = client.fetch("t", 0, 0);
    assert!(read.error == ErrorCode::KafkaStorageError || read.values() == ["before"], "{read:?}");
    let (code, ..) = client.offset_for("t", 0, -1);
    assert!(code == ErrorCode::KafkaStorageError || code == OK);
    assert_eq!(client.delete("t"), OK);
    client.create("t", 2);
    assert_eq!(client.append("t", 0, &batch(&["new"])), 0);
}

#[test]
fn several_appends_of_one_write_that_fails_are_all_told() {
    let rig = Rig::with(2, &[]);
    let mut clients: Vec<Client> = (0..6).map(|_| rig.connect()).collect();
    clients[0].create("t", 1);
    rig.faults(failing());
    let batch = batch(&["v"]);
    for client in &mut clients {
        client.send(PRODUCE, &produce_request(&[("t", 0, &batch)]));
        client.send(PRODUCE, &produce_request(&[("t", 0, &batch)]));
    }
    for client in &mut clients {
        for _ in 0..2 {
            let answer = produced(&client.receive_now().unwrap()).remove(0);
            assert_eq!(answer.error, ErrorCode::KafkaStorageError);
        }
    }
}

#[test]
fn short_writes_and_slow_disks_change_nothing() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 2);
    rig.faults(Faults { short_write_percent: 60, latency_ns_max: 3_000_000, ..Faults::default() });
    let mut expected = [Vec::new(), Vec::new()];
    for round in 0..60 {
        let values = [format!("{round}"), "x".repeat(round * 7)];
        client.append("t", round as i32 % 2, &batch(&[&values[0], &values[1]]));
        expected[round % 2].extend(values);
    }
    assert_eq!(client.read_all("t", 0), expected[0]);
    assert_eq!(client.read_all("t", 1), expected[1]);
}

#[test]
fn a_full_disk_is_told_and_reads_go_on() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 2);
    client.append("t", 0, &batch(&["before"]));
    client.append("t", 1, &batch(&["before"]));
    rig.faults(Faults { disk_bytes_max: Some(1), ..Faults::default() });
    assert_eq!(client.produce("t", 0, &batch(&["lost"])).error, ErrorCode::KafkaStorageError);
    assert_eq!(client.read_all("t", 1), ["before"]);
}

#[test]
fn metadata_that_cannot_be_written_refuses_changes_and_keeps_reads() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 2);
    client.append("t", 0, &batch(&["before"]));
    client.append("t", 1, &batch(&["before"]));
    rig.faults(Faults { failed_sync_percent: 100, ..Faults::default() });
    let reply = client.ask(7, &create_request("new", 1, &[]));
    let response: CreateTopicsResponse<'_> = reply.read();
    assert_eq!(error(response.topics[0].error_code), ErrorCode::KafkaStorageError);
    assert!(response.topics[0].error_message.is_some());
    assert_eq!(client.delete("t"), ErrorCode::KafkaStorageError);
    assert_eq!(client.describe("new").0, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(client.describe("t").2.len(), 2);
    assert_eq!(client.append("t", 1, &batch(&["v"])), 1, "records are taken all the same");
    assert_eq!(client.read_all("t", 0), ["before"]);
    rig.faults(Faults::default());
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    client.create("new", 1);
    let reply = client.ask(12, &MetadataRequest { topics: None, ..Default::default() });
    assert_eq!(reply.read::<MetadataResponse<'_>>().topics.len(), 2);
}

#[test]
fn resets_of_connections_at_random_harm_nobody_else() {
    let rig = Rig::with(2, &[]);
    rig.connect().create("t", 2);
    let batch = batch(&["v"]);
    for _ in 0..100 {
        let mut client = rig.connect();
        rig.faults(Faults { reset_percent: 20, ..Faults::default() });
        for _ in 0..3 {
            client.send(PRODUCE, &produce_request(&[("t", 0, &batch), ("t", 1, &batch)]));
        }
        rig.settle();
        rig.faults(Faults::default());
        client.peer.close();
        rig.settle();
    }
    assert_eq!(rig.sum(|broker| broker.pending.len()), 0);
    let mut client = rig.connect();
    let stored = client.fetch("t", 0, 0).records;
    assert!(batches(&stored).iter().zip(0..).all(|((header, _), offset)| header.base_offset.0 == offset));
}

#[test]
fn a_crash_in_the_middle_of_a_change_leaves_it_whole_or_undone() {
    for crash in [Crash::Process, Crash::Power] {
        for turns in 0..8 {
            let rig = Rig::with(3, &[]);
            let mut client = rig.connect();
            client.create("there", 5);
            (0..5).for_each(|partition| assert_eq!(client.append("there", partition, &batch(&["old"])), 0));
            client.send(7, &create_request("new", 7, &[("max.message.bytes", "777")]));
            rig.turns(turns);
            rig.crash_and_restart(crash);
            let mut client = rig.connect();
            let (code, _, partitions) = client.describe("new");
            let is_whole = code == OK && partitions.len() == 7;
            assert!(is_whole || code == ErrorCode::UnknownTopicOrPartition, "{partitions:?}");
            if is_whole {
                (0..7).for_each(|partition| assert_eq!(client.append("new", partition, &batch(&["v"])), 0));
            }
            let topics = vec![DeleteTopicState { name: Some("there"), ..Default::default() }];
            client.send(6, &DeleteTopicsRequest { topics, ..Default::default() });
            rig.turns(turns);
            rig.crash_and_restart(crash);
            let mut client = rig.connect();
            if client.describe("there").0 == OK {
                assert!((0..5).all(|partition| client.fetch("there", partition, 0).error == OK));
                assert_eq!(client.delete("there"), OK);
            }
            let left = (0..5).any(|number| {
                let dir = rig.dir("there", number);
                rig.world.paths().iter().any(|path| path.starts_with(&dir))
            });
            assert!(!left, "files of a deleted topic are left after {turns} turns and {crash:?}");
            client.create("there", 5);
            assert_eq!(client.append("there", 4, &batch(&["new"])), 0);
        }
    }
}
