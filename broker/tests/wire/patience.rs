//! Peers that stall, ask too much, wait long or name things badly: nothing is lost by it, and nothing held for it.

use protocol::ErrorCode;
use protocol::messages::produce_request::ProduceRequest;
use shard::memory::Crash;

use crate::calls::{
    FETCH, PRODUCE, batch, batch_of_size, create_request, fetch_request, fetched, produce_request, produced,
};
use crate::harness::{Client, Rig};

fn with_topic(partitions: i32) -> (Rig, Client) {
    let rig = Rig::with(1, &[]);
    let mut client = rig.connect();
    client.create("t", partitions);
    (rig, client)
}

#[test]
fn a_large_frame_that_stalls_goes_on_where_it_was() {
    let (rig, mut client) = with_topic(1);
    let records = batch_of_size(100_000);
    for pause_ms in [0, 7_000, 30_000] {
        let request: ProduceRequest<'_> = produce_request(&[("t", 0, &records)]);
        let frame = client.frame(PRODUCE, &request);
        let (begin, end) = frame.split_at(frame.len() / 2);
        client.send_raw(begin, None);
        rig.pass_ms(pause_ms);
        let correlation_id = i32::from_be_bytes(frame[8..12].try_into().unwrap());
        client.send_raw(end, Some((correlation_id, protocol::ApiKey::Produce, PRODUCE)));
        let reply = client.receive();
        assert_eq!(produced(&reply)[0].error, ErrorCode::None, "after {pause_ms} ms");
    }
}

#[test]
fn q57_a_fetch_without_room_gets_one_batch_and_no_more() {
    let (_rig, mut client) = with_topic(8);
    let records = batch_of_size(10_000);
    for partition in 0..8 {
        client.append("t", partition, &records);
    }
    let parts: Vec<_> = (0..8).map(|partition| ("t", partition, 0)).collect();
    for max_bytes in [0, -1, 1] {
        let mut request = fetch_request(&parts);
        request.max_bytes = max_bytes;
        let reply = client.ask(FETCH, &request);
        let count = fetched(&reply).iter().filter(|part| !part.records.is_empty()).count();
        assert_eq!(count, 1, "max_bytes {max_bytes}");
    }
}

#[test]
fn q59_a_fetch_that_wants_much_waits_without_reading_and_gets_all_in_the_end() {
    let (rig, mut client) = with_topic(1);
    let records = batch_of_size(1000);
    client.append("t", 0, &records);
    let mut reader = rig.connect();
    let mut request = fetch_request(&[("t", 0, 0)]);
    (request.min_bytes, request.max_wait_ms) = (3500, 60_000);
    reader.send(FETCH, &request);
    rig.settle();
    client.append("t", 0, &records);
    client.append("t", 0, &records);
    assert!(reader.receive_now().is_none(), "three batches are too few");
    client.append("t", 0, &records);
    let reply = reader.receive_now().expect("four batches are enough");
    assert_eq!(fetched(&reply)[0].values().len(), 4);
    request.max_wait_ms = 1000;
    request.min_bytes = 1 << 20;
    let begin = rig.now_ms();
    let reply = reader.ask(FETCH, &request);
    assert!(rig.now_ms() - begin >= 1000);
    assert_eq!(fetched(&reply)[0].values().len(), 4, "what is there at the deadline is given");
}

#[test]
fn the_metadata_log_is_no_topic() {
    let (rig, mut client) = with_topic(1);
    let reply = client.ask(5, &create_request("__cluster_metadata", 1, &[]));
    let response: protocol::messages::create_topics_response::CreateTopicsResponse<'_> = reply.read();
    assert_eq!(response.topics[0].error_code, ErrorCode::InvalidTopicException.code());
    rig.crash_and_restart(Crash::Process);
    assert_eq!(rig.connect().describe("t").0, ErrorCode::None);
}

#[test]
fn c67_a_topic_with_the_longest_name_can_go_and_come_again() {
    let (_rig, mut client) = with_topic(1);
    let name = "n".repeat(249);
    client.create(&name, 1);
    client.append(&name, 0, &batch(&["old"]));
    assert_eq!(client.delete(&name), ErrorCode::None);
    client.create(&name, 1);
    client.append(&name, 0, &batch(&["new"]));
    assert_eq!(client.read_all(&name, 0), ["new"]);
}

#[test]
fn a_reader_that_never_reads_is_closed_in_the_end() {
    let (rig, mut client) = with_topic(1);
    for _ in 0..8 {
        client.append("t", 0, &batch_of_size(900_000));
    }
    let mut reader = rig.connect();
    let mut request = fetch_request(&[("t", 0, 0)]);
    (request.max_bytes, request.topics[0].partitions[0].partition_max_bytes) = (i32::MAX, i32::MAX);
    reader.send_silent(FETCH, &request);
    // Longer than connections.max.idle.ms, while the other client stays busy.
    for _ in 0..12 {
        rig.pass_ms(60_000);
        client.append("t", 0, &batch(&["still here"]));
    }
    assert_eq!(rig.sum(|broker| broker.connection_count()), 1);
}

#[test]
fn q37_acks_all_wants_as_many_replicas_as_the_topic_does() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create_with("t", 1, &[("min.insync.replicas", "2")]);
    let records = batch(&["a"]);
    let mut request = produce_request(&[("t", 0, &records)]);
    for (acks, expected) in [(-1, ErrorCode::NotEnoughReplicas), (1, ErrorCode::None)] {
        request.acks = acks;
        assert_eq!(produced(&client.ask(PRODUCE, &request))[0].error, expected, "acks {acks}");
    }
}
