//! Offsets by time, leader epochs, and where an epoch ends.

use protocol::ErrorCode;
use protocol::messages::fetch_request::FetchRequest;
use protocol::messages::fetch_response::FetchResponse;
use protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use protocol::messages::list_offsets_response::ListOffsetsResponse;
use protocol::messages::offset_for_leader_epoch_request::{
    OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use protocol::messages::offset_for_leader_epoch_response::OffsetForLeaderEpochResponse;
use shard::memory::Crash;

use crate::calls::{FETCH, FETCH_BY_ID, batch, dated, error, fetch_request, fetched};
use crate::harness::{Client, Rig, WALL_MS};

fn with_topic() -> (Rig, Client) {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    (rig, client)
}

fn list_offsets<'a>(topic: &'a str, partitions: &[(i32, i64)]) -> ListOffsetsRequest<'a> {
    let partitions = partitions.iter().map(|&(partition_index, timestamp)| ListOffsetsPartition {
        partition_index,
        timestamp,
        ..Default::default()
    });
    let topics = vec![ListOffsetsTopic { name: topic, partitions: partitions.collect() }];
    ListOffsetsRequest { replica_id: -1, topics, ..Default::default() }
}

/// Looks up the offsets of times; `None` where there is none.
fn check(client: &mut Client, topic: &str, expected: &[(i64, Option<(i64, i64)>)]) {
    for &(timestamp, expected) in expected {
        let (code, offset, found, epoch) = client.offset_for(topic, 0, timestamp);
        assert_eq!(code, ErrorCode::None);
        let got = (offset >= 0).then_some((offset, found));
        assert_eq!(got, expected, "at {timestamp} in {topic}");
        assert_eq!((offset, found, epoch) == (-1, -1, -1), expected.is_none());
    }
}

#[test]
fn c79_q76_the_first_record_at_or_after_a_time() {
    let mut client = Rig::new().connect();
    let expected = [
        (0, Some((0, 2))),
        (1, Some((0, 2))),
        (2, Some((0, 2))),
        (3, Some((1, 4))),
        (4, Some((1, 4))),
        (5, Some((2, 6))),
        (7, Some((3, 8))),
        (8, Some((3, 8))),
        (9, None),
    ];
    client.create("apart", 1);
    for at in [2, 4, 6, 8] {
        client.append("apart", 0, &dated(&[at]));
    }
    client.create("together", 1);
    client.append("together", 0, &dated(&[2, 4, 6, 8]));
    check(&mut client, "apart", &expected);
    check(&mut client, "together", &expected);
}

#[test]
fn c79_times_need_not_be_in_order() {
    let mut client = Rig::new().connect();
    let expected = [(1, Some((0, 8))), (3, Some((0, 8))), (8, Some((0, 8))), (9, None)];
    client.create("apart", 1);
    for at in [8, 2, 6, 4] {
        client.append("apart", 0, &dated(&[at]));
    }
    client.create("together", 1);
    client.append("together", 0, &dated(&[8, 2, 6, 4]));
    check(&mut client, "apart", &expected);
    check(&mut client, "together", &expected);
    client.create("late", 1);
    client.append("late", 0, &dated(&[2, 8, 4, 6]));
    check(&mut client, "late", &[(3, Some((1, 8))), (5, Some((1, 8))), (9, None)]);
}

#[test]
fn c79_an_empty_log_has_no_record_at_any_time() {
    let (_rig, mut client) = with_topic();
    check(&mut client, "t", &[(0, None), (5, None), (i64::MAX, None)]);
    assert_eq!(client.offset_for("t", 0, -1), (ErrorCode::None, 0, -1, 0));
    assert_eq!(client.offset_for("t", 0, -2), (ErrorCode::None, 0, -1, 0));
    assert_eq!(client.offset_for("t", 0, -3), (ErrorCode::None, -1, -1, -1));
}

#[test]
fn c85_dates_of_any_kind_keep_their_order_over_a_restart() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    client.append("t", 0, &dated(&[WALL_MS]));
    client.append("t", 0, &dated(&[WALL_MS - 3_600_000]));
    client.append("t", 0, &dated(&[-1, 0, 1]));
    let newest = (ErrorCode::None, 0, WALL_MS, 0);
    assert_eq!(client.offset_for("t", 0, -3), newest);
    check(&mut client, "t", &[(0, Some((0, WALL_MS))), (WALL_MS, Some((0, WALL_MS))), (WALL_MS + 1, None)]);
    for crash in [Crash::Process, Crash::Process] {
        rig.crash_and_restart(crash);
        let mut client = rig.connect();
        assert_eq!(client.offset_for("t", 0, -3), newest);
        check(&mut client, "t", &[(WALL_MS + 1, None), (WALL_MS - 1, Some((0, WALL_MS)))]);
    }
}

#[test]
fn q75_special_timestamps_are_known_from_their_versions_on() {
    let (_rig, mut client) = with_topic();
    client.append("t", 0, &dated(&[5, 9, 7]));
    for version in 1..=11 {
        let mut ask = |timestamp: i64| {
            let reply = client.ask(version, &list_offsets("t", &[(0, timestamp)]));
            let response: ListOffsetsResponse<'_> = reply.read();
            let part = &response.topics[0].partitions[0];
            assert_eq!(part.leader_epoch >= 0, version >= 4 && part.offset >= 0, "version {version}");
            (error(part.error_code), part.offset, part.timestamp)
        };
        let ok = ErrorCode::None;
        let too_early = (ErrorCode::UnsupportedVersion, -1, -1);
        assert_eq!(ask(-1), (ok, 3, -1));
        assert_eq!(ask(-2), (ok, 0, -1));
        assert_eq!(ask(-3), if version >= 7 { (ok, 1, 9) } else { too_early });
        assert_eq!(ask(-4), if version >= 8 { (ok, 0, -1) } else { too_early });
        assert_eq!(ask(-5), if version >= 9 { (ok, -1, -1) } else { too_early });
        assert_eq!(ask(-6), if version >= 11 { (ok, -1, -1) } else { too_early });
        assert_eq!(ask(-7), too_early);
    }
}

#[test]
fn q75_read_committed_ends_at_the_last_stable_offset() {
    let (_rig, mut client) = with_topic();
    client.append("t", 0, &batch(&["v"]));
    let request = ListOffsetsRequest { isolation_level: 1, ..list_offsets("t", &[(0, -1)]) };
    let reply = client.ask(11, &request);
    let response: ListOffsetsResponse<'_> = reply.read();
    assert_eq!(response.topics[0].partitions[0].offset, 1);
}

#[test]
fn q77_a_partition_named_twice_is_an_invalid_request() {
    let mut client = Rig::new().connect();
    client.create("t", 3);
    let reply = client.ask(11, &list_offsets("t", &[(0, -1), (1, -1), (0, -2), (7, -1)]));
    let response: ListOffsetsResponse<'_> = reply.read();
    let got: Vec<_> =
        response.topics[0].partitions.iter().map(|p| (p.partition_index, error(p.error_code))).collect();
    let (ok, twice) = (ErrorCode::None, ErrorCode::InvalidRequest);
    assert_eq!(got, [(0, twice), (1, ok), (0, twice), (7, ErrorCode::UnknownTopicOrPartition)]);
}

#[test]
fn q65_an_older_leader_epoch_is_fenced_and_a_newer_one_unknown() {
    let (_rig, mut client) = with_topic();
    client.append("t", 0, &batch(&["v"]));
    // A partition's epoch grows with each of its leaders; here it is the metadata's, whatever it is.
    let epoch = client.describe("t").2[0].1;
    let cases = [
        (-1, ErrorCode::None),
        (epoch, ErrorCode::None),
        (epoch + 1, ErrorCode::UnknownLeaderEpoch),
        (i32::MAX, ErrorCode::UnknownLeaderEpoch),
    ];
    for (current_leader_epoch, expected) in cases {
        let mut request = list_offsets("t", &[(0, -1)]);
        request.topics[0].partitions[0].current_leader_epoch = current_leader_epoch;
        let reply = client.ask(4, &request);
        let response: ListOffsetsResponse<'_> = reply.read();
        assert_eq!(error(response.topics[0].partitions[0].error_code), expected);
        let mut request = fetch_request(&[("t", 0, 0)]);
        request.topics[0].partitions[0].current_leader_epoch = current_leader_epoch;
        assert_eq!(fetched(&client.ask(FETCH, &request))[0].error, expected);
        let (code, ..) = epoch_end(&mut client, current_leader_epoch, epoch);
        assert_eq!(code, expected);
    }
}

#[test]
fn q25_q65_a_reader_with_a_stale_epoch_is_told_the_leader() {
    let (_rig, mut client) = with_topic();
    let (_, id, partitions) = client.describe("t");
    let mut request = fetch_request(&[("", 0, 0)]);
    request.topics[0].topic_id = id;
    request.topics[0].partitions[0].current_leader_epoch = partitions[0].1 - 1;
    if partitions[0].1 == 0 {
        // Epoch -1 means "no check", so a topic's first epoch has no older one: nothing to be fenced by.
        assert_eq!(fetched(&client.ask(FETCH_BY_ID, &request))[0].error, ErrorCode::None);
    }
    request.topics[0].partitions[0].current_leader_epoch = partitions[0].1 + 5;
    let reply = client.ask(FETCH_BY_ID, &request);
    let response: FetchResponse<'_> = reply.read();
    let part = &response.responses[0].partitions[0];
    assert_eq!(error(part.error_code), ErrorCode::UnknownLeaderEpoch, "the client knows more than this node");
    assert_eq!((part.high_watermark, part.records), (-1, Some(&[][..])));
}

/// Where a leader epoch ends: error, epoch, offset.
fn epoch_end(client: &mut Client, current_leader_epoch: i32, leader_epoch: i32) -> (ErrorCode, i32, i64) {
    let partition = OffsetForLeaderPartition { partition: 0, current_leader_epoch, leader_epoch };
    let topic = OffsetForLeaderTopic { topic: "t", partitions: vec![partition] };
    let request = OffsetForLeaderEpochRequest { replica_id: -1, topics: vec![topic] };
    let reply = client.ask(4, &request);
    let response: OffsetForLeaderEpochResponse<'_> = reply.read();
    let part = &response.topics[0].partitions[0];
    (error(part.error_code), part.leader_epoch, part.end_offset)
}

#[test]
fn q78_the_end_of_a_leader_epoch() {
    let (_rig, mut client) = with_topic();
    let ok = ErrorCode::None;
    assert_eq!(epoch_end(&mut client, -1, 0), (ok, 0, 0), "an empty log");
    client.append("t", 0, &batch(&["a", "b"]));
    assert_eq!(epoch_end(&mut client, -1, 0), (ok, 0, 2));
    assert_eq!(epoch_end(&mut client, -1, 7), (ok, -1, -1), "it never led");
    assert_eq!(epoch_end(&mut client, -1, -1), (ok, -1, -1));
}

#[test]
fn q77_q78_unknown_partitions_are_told_by_every_look_up() {
    let (_rig, mut client) = with_topic();
    let unknown = ErrorCode::UnknownTopicOrPartition;
    assert_eq!(client.offset_for("none", 0, -1), (unknown, -1, -1, -1));
    assert_eq!(client.offset_for("t", 9, -1), (unknown, -1, -1, -1));
    let partition = OffsetForLeaderPartition { partition: 9, ..Default::default() };
    let topic = OffsetForLeaderTopic { topic: "t", partitions: vec![partition] };
    let request = OffsetForLeaderEpochRequest { replica_id: -1, topics: vec![topic] };
    for version in 2..=4 {
        let reply = client.ask(version, &request);
        let response: OffsetForLeaderEpochResponse<'_> = reply.read();
        let part = &response.topics[0].partitions[0];
        assert_eq!((error(part.error_code), part.leader_epoch, part.end_offset), (unknown, -1, -1));
    }
}

#[test]
fn a_reader_whose_log_diverges_is_told_where() {
    let (_rig, mut client) = with_topic();
    client.append("t", 0, &batch(&["a", "b"]));
    let mut request: FetchRequest<'_> = fetch_request(&[("t", 0, 2)]);
    request.max_wait_ms = 5000;
    request.topics[0].partitions[0].last_fetched_epoch = 0;
    request.topics[0].partitions[0].fetch_offset = 5;
    let reply = client.ask(FETCH, &request);
    let response: FetchResponse<'_> = reply.read();
    let part = &response.responses[0].partitions[0];
    assert_eq!(error(part.error_code), ErrorCode::None);
    assert_eq!((part.diverging_epoch.epoch, part.diverging_epoch.end_offset), (0, 2));
    request.topics[0].partitions[0].fetch_offset = 2;
    for (last_fetched_epoch, expected) in
        [(-1, ErrorCode::None), (0, ErrorCode::None), (7, ErrorCode::OffsetOutOfRange)]
    {
        request.max_wait_ms = 0;
        request.topics[0].partitions[0].last_fetched_epoch = last_fetched_epoch;
        assert_eq!(fetched(&client.ask(FETCH, &request))[0].error, expected, "epoch {last_fetched_epoch}");
    }
}

#[test]
fn a_reader_that_begins_an_empty_log_does_not_diverge() {
    let (_rig, mut client) = with_topic();
    let mut request = fetch_request(&[("t", 0, 0)]);
    request.topics[0].partitions[0].last_fetched_epoch = 0;
    let reply = client.ask(FETCH, &request);
    let response: FetchResponse<'_> = reply.read();
    let part = &response.responses[0].partitions[0];
    assert_eq!((error(part.error_code), part.diverging_epoch.epoch), (ErrorCode::None, -1));
}
