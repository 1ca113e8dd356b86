//! Fetches that wait: what wakes them, on which core, and what they leave behind.

use protocol::ErrorCode;
use protocol::messages::fetch_request::FetchRequest;
use shard::ShardId;
use shard::memory::Faults;

use crate::calls::{FETCH, PRODUCE, batch, fetch_request, fetched, produce_request, produced};
use crate::harness::{Client, Rig};

/// A fetch of these partitions of "t" from their starts that waits as long as it takes.
fn long_poll(partitions: &[i32]) -> FetchRequest<'static> {
    let parts: Vec<_> = partitions.iter().map(|&partition| ("t", partition, 0)).collect();
    FetchRequest { max_wait_ms: 30_000, ..fetch_request(&parts) }
}

/// A node with a topic that has a partition on each core, and the partition of each core.
fn spread(cores: u16) -> (Rig, Vec<i32>) {
    let rig = Rig::with(cores, &[]);
    rig.connect().create("t", i32::from(cores) * 2);
    let find = |core| (0..).find(|&partition| rig.home("t", partition) == ShardId(core)).unwrap();
    let partitions = (0..cores).map(find).collect();
    (rig, partitions)
}

/// Nothing of a fetch is left on any core.
fn check_nothing_left(rig: &Rig) {
    rig.settle();
    assert_eq!(rig.sum(|broker| broker.pending.len()), 0, "requests that wait");
    assert_eq!(rig.sum(|broker| broker.parked.len()), 0, "parked fetches");
    assert_eq!(rig.sum(|broker| broker.watch_count()), 0, "watches");
}

#[test]
fn q59_an_append_on_any_core_wakes_a_fetch_on_any_core() {
    let (rig, partitions) = spread(3);
    for reader_core in 0..3 {
        for (home, &partition) in partitions.iter().enumerate() {
            let mut reader = rig.connect_core(ShardId(reader_core));
            let mut writer = rig.connect_core(ShardId((reader_core + 1) % 3));
            let mut fetch = long_poll(&partitions);
            let end = writer.fetch("t", partition, 0).high_watermark;
            for (topic, &partition) in fetch.topics.iter_mut().zip(&partitions) {
                topic.partitions[0].fetch_offset = writer.fetch("t", partition, 0).high_watermark;
            }
            reader.send(FETCH, &fetch);
            assert!(reader.receive_now().is_none());
            let began = rig.now_ms();
            writer.append("t", partition, &batch(&["news"]));
            let parts = fetched(&reader.receive_now().expect("woken"));
            assert_eq!(parts[home].values(), ["news"]);
            assert_eq!(parts[home].high_watermark, end + 1);
            assert_eq!(rig.now_ms(), began, "at once");
        }
    }
    check_nothing_left(&rig);
}

#[test]
fn q59_min_bytes_counts_over_all_partitions() {
    let (rig, partitions) = spread(2);
    let mut reader = rig.connect();
    let mut writer = rig.connect();
    let batch = batch(&["0123456789"]);
    let fetch = FetchRequest { min_bytes: 3 * batch.len() as i32, ..long_poll(&partitions) };
    reader.send(FETCH, &fetch);
    writer.append("t", partitions[0], &batch);
    assert!(reader.receive_now().is_none(), "one of three");
    writer.append("t", partitions[1], &batch);
    assert!(reader.receive_now().is_none(), "two of three");
    writer.append("t", partitions[0], &batch);
    let counts: Vec<_> =
        fetched(&reader.receive_now().unwrap()).iter().map(|part| part.values().len()).collect();
    assert_eq!(counts, [2, 1]);
    check_nothing_left(&rig);
}

#[test]
fn q59_what_needs_no_waiting_does_not_wait() {
    let (rig, partitions) = spread(2);
    let mut client = rig.connect();
    let began = rig.now_ms();
    client.ask(FETCH, &FetchRequest { max_wait_ms: 0, ..long_poll(&partitions) });
    client.ask(FETCH, &FetchRequest { max_wait_ms: -1, ..long_poll(&partitions) });
    client.ask(FETCH, &FetchRequest { min_bytes: 0, ..long_poll(&partitions) });
    client.ask(FETCH, &long_poll(&[partitions[0], 99]));
    let mut beyond = long_poll(&partitions);
    beyond.topics[0].partitions[0].fetch_offset = 5;
    client.ask(FETCH, &beyond);
    assert_eq!(rig.now_ms(), began, "no wait, no bytes, an unknown partition, an offset out of range");
    check_nothing_left(&rig);
}

#[test]
fn a_fetch_that_waited_long_enough_is_answered_with_what_there_is() {
    let (rig, partitions) = spread(2);
    let (mut reader, mut writer) = (rig.connect(), rig.connect());
    let began = rig.now_ms();
    reader.send(FETCH, &FetchRequest { max_wait_ms: 2500, min_bytes: 1 << 20, ..long_poll(&partitions) });
    writer.append("t", partitions[1], &batch(&["too little"]));
    let parts = fetched(&reader.receive());
    assert_eq!(parts[1].values(), ["too little"]);
    assert_eq!(rig.now_ms() - began, 2500);
    check_nothing_left(&rig);
}

#[test]
fn a_parked_fetch_whose_connection_closes_leaves_nothing_behind() {
    let (rig, partitions) = spread(3);
    for ending in 0..3 {
        for core in 0..3 {
            let mut client = rig.connect_core(ShardId(core));
            client.send(FETCH, &FetchRequest { max_wait_ms: 77_777, ..long_poll(&partitions) });
            rig.settle();
            assert_eq!(rig.sum(|broker| broker.parked.len()), 1);
            assert_eq!(rig.sum(|broker| broker.watch_count()), 3);
            match ending {
                0 => client.peer.close(),
                1 => client.peer.reset(),
                _ => client.send_raw(&(-1_i32).to_be_bytes(), None),
            }
            check_nothing_left(&rig);
        }
    }
    // Its timer is gone too: nothing happens at the moment when it would have been answered.
    let until = rig.now_ms() + 80_000;
    while rig.now_ms() < until {
        let now = rig.step();
        assert!(now % 1000 != 777, "something woke at {now} ms");
    }
    rig.connect().append("t", partitions[0], &batch(&["v"]));
    check_nothing_left(&rig);
}

#[test]
fn a_connection_that_closes_in_the_middle_of_any_request_leaves_nothing_behind() {
    let (rig, partitions) = spread(3);
    let batch = batch(&["v"]);
    for turns in 0..12 {
        for core in 0..3 {
            let mut client = rig.connect_core(ShardId(core));
            let parts: Vec<_> = partitions.iter().map(|&p| ("t", p, &batch[..])).collect();
            client.send(PRODUCE, &produce_request(&parts));
            client.send(FETCH, &FetchRequest { min_bytes: 1 << 20, ..long_poll(&partitions) });
            (0..turns).for_each(|_| rig.turn());
            client.peer.reset();
            check_nothing_left(&rig);
        }
    }
}

#[test]
fn reads_that_fail_are_told_and_forgotten() {
    let (rig, partitions) = spread(2);
    let mut client = rig.connect();
    client.append("t", partitions[0], &batch(&["v"]));
    rig.faults(Faults { failed_read_percent: 100, ..Faults::default() });
    let parts = fetched(&client.ask(FETCH, &long_poll(&partitions)));
    assert_eq!(parts[0].error, ErrorCode::KafkaStorageError);
    check_nothing_left(&rig);
    rig.faults(Faults::default());
    assert_eq!(client.fetch("t", partitions[0], 0).values(), ["v"], "the partition is not offline for it");
}

#[test]
fn many_waiting_readers_of_one_partition_are_all_woken_by_one_append() {
    let (rig, partitions) = spread(2);
    let mut readers: Vec<Client> = (0..200).map(|_| rig.connect()).collect();
    for reader in &mut readers {
        reader.send(FETCH, &long_poll(&partitions[..1]));
    }
    rig.settle();
    assert_eq!(rig.sum(|broker| broker.watch_count()), 200);
    rig.connect().append("t", partitions[0], &batch(&["v"]));
    for reader in &mut readers {
        assert_eq!(fetched(&reader.receive_now().unwrap())[0].values(), ["v"]);
    }
    check_nothing_left(&rig);
}

#[test]
fn a_topic_deleted_under_a_parked_fetch_ends_it() {
    let (rig, partitions) = spread(3);
    for core in 0..3 {
        let mut reader = rig.connect_core(ShardId(core));
        let mut admin = rig.connect();
        if core > 0 {
            admin.create("t", 6);
        }
        reader.send(FETCH, &long_poll(&partitions));
        assert!(reader.receive_now().is_none());
        assert_eq!(admin.delete("t"), ErrorCode::None);
        let parts = fetched(&reader.receive_now().expect("it does not wait for what will never come"));
        assert!(parts.iter().any(|part| part.error == ErrorCode::UnknownTopicOrPartition), "{parts:?}");
        check_nothing_left(&rig);
    }
}

#[test]
fn a_topic_deleted_while_appends_are_under_way_answers_them_all() {
    for turns in 0..10 {
        let (rig, partitions) = spread(3);
        let batch = batch(&["v"]);
        let mut writers: Vec<Client> = (0..3).map(|core| rig.connect_core(ShardId(core))).collect();
        let mut admin = rig.connect_core(ShardId(2));
        admin.send(
            6,
            &protocol::messages::delete_topics_request::DeleteTopicsRequest {
                topics: vec![protocol::messages::delete_topics_request::DeleteTopicState {
                    name: Some("t"),
                    ..Default::default()
                }],
                ..Default::default()
            },
        );
        (0..turns).for_each(|_| rig.turn());
        for writer in &mut writers {
            for &partition in &partitions {
                writer.send(PRODUCE, &produce_request(&[("t", partition, &batch)]));
            }
        }
        for writer in &mut writers {
            for _ in &partitions {
                let answer = produced(&writer.receive_now().expect("an answer")).remove(0);
                let is_told = matches!(
                    answer.error,
                    ErrorCode::None | ErrorCode::UnknownTopicOrPartition | ErrorCode::KafkaStorageError
                );
                assert!(is_told, "{answer:?}");
            }
        }
        admin.receive();
        check_nothing_left(&rig);
    }
}
