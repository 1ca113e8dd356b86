//! Fetch: what is read, how much of it, in which order.

use protocol::messages::fetch_request::{FetchPartition, FetchRequest, FetchTopic, ReplicaState};
use protocol::messages::fetch_response::FetchResponse;
use protocol::{ErrorCode, Uuid};
use storage::batch::BatchBuilder;
use storage::{BatchHeader, Codec};

use crate::calls::{
    FETCH, FETCH_BY_ID, batch, batch_of_size, batches, fetch_by_id, fetch_request, fetched, values,
};
use crate::harness::{Client, Rig, WALL_MS};

/// A node with a topic of so many partitions, and a client.
fn with_topic(partitions: i32) -> (Rig, Client) {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", partitions);
    (rig, client)
}

/// The sizes of what each partition gave.
fn sizes(client: &mut Client, request: &FetchRequest<'_>) -> Vec<usize> {
    fetched(&client.ask(FETCH, request)).iter().map(|part| part.records.len()).collect()
}

#[test]
fn c13_every_version_is_answered_with_and_without_data_by_max_wait() {
    let (rig, mut client) = with_topic(2);
    let id = client.describe("t").1;
    client.append("t", 0, &batch(&["v"]));
    for version in 4..=FETCH_BY_ID {
        for (partition, min_bytes, waited) in [(0, 1, 0), (0, 1 << 20, 700), (1, 1, 700), (1, 0, 0)] {
            let mut request = fetch_request(&[("t", partition, 0)]);
            request.topics[0].topic_id = id;
            (request.max_wait_ms, request.min_bytes) = (700, min_bytes);
            let began = rig.now_ms();
            let part = fetched(&client.ask(version, &request)).remove(0);
            assert_eq!(rig.now_ms() - began, waited, "version {version}, {min_bytes} bytes of {partition}");
            assert_eq!(part.values().len(), usize::from(partition == 0));
        }
    }
}

#[test]
fn c15_what_can_grow_no_further_is_answered_at_once() {
    let (rig, mut client) = with_topic(2);
    for _ in 0..4 {
        client.append("t", 0, &batch_of_size(1000));
    }
    let mut request = fetch_request(&[("t", 0, 0)]);
    request.topics[0].partitions[0].partition_max_bytes = 2500;
    (request.max_wait_ms, request.min_bytes) = (15_000, 10_000_000);
    let began = rig.now_ms();
    let part = fetched(&client.ask(FETCH, &request)).remove(0);
    assert_eq!(batches(&part.records).len(), 2);
    assert_eq!(rig.now_ms(), began, "the partition's limit is reached: waiting adds nothing");
    // An empty partition beside it can still grow.
    request.topics[0].partitions.push(FetchPartition {
        partition: 1,
        partition_max_bytes: 2500,
        ..Default::default()
    });
    client.ask(FETCH, &request);
    assert_eq!(rig.now_ms(), began + 15_000);
}

#[test]
fn c17_a_fetch_of_thousands_of_partitions_is_bounded_and_gets_everywhere() {
    let rig = Rig::with(2, &[("fetch.max.bytes", "100000")]);
    let mut client = rig.connect();
    let count = 2000;
    client.create("t", count);
    for partition in 0..count {
        client.append("t", partition, &batch_of_size(1000));
    }
    let parts: Vec<_> = (0..count).map(|partition| ("t", partition, 0)).collect();
    let mut request = fetch_request(&parts);
    request.max_bytes = i32::MAX;
    let (mut offsets, mut rounds) = (vec![0_i64; count as usize], 0);
    while offsets.contains(&0) {
        // A client without a session turns its partitions itself; what was served goes behind.
        request.topics.sort_by_key(|topic| topic.partitions[0].fetch_offset);
        let parts = fetched(&client.ask(FETCH, &request));
        let bytes: usize = parts.iter().map(|part| part.records.len()).sum();
        assert!((1..=100_000).contains(&bytes), "{bytes} bytes in one response");
        for (topic, part) in request.topics.iter_mut().zip(&parts) {
            if !part.records.is_empty() {
                offsets[part.partition as usize] = 1;
                topic.partitions[0].fetch_offset = 1;
            }
        }
        rounds += 1;
    }
    assert!(rounds <= 25, "{rounds} rounds for 2 MB in steps of 100 KB");
}

#[test]
fn q54_q55_read_committed_reads_to_the_last_stable_offset_with_a_list_of_aborted_transactions() {
    let (_rig, mut client) = with_topic(1);
    client.append("t", 0, &batch(&["v"]));
    for version in 4..=FETCH {
        for (isolation_level, aborted) in [(0, None), (1, Some(0))] {
            let mut request = fetch_request(&[("t", 0, 0)]);
            request.isolation_level = isolation_level;
            let reply = client.ask(version, &request);
            let response: FetchResponse<'_> = reply.read();
            let part = &response.responses[0].partitions[0];
            assert_eq!(part.last_stable_offset, 1);
            assert_eq!(part.aborted_transactions.as_ref().map(Vec::len), aborted, "version {version}");
            assert_eq!(values(part.records.unwrap()), ["v"]);
        }
    }
}

#[test]
fn q56_an_offset_within_a_batch_gives_the_whole_batch() {
    let (_rig, mut client) = with_topic(1);
    client.append("t", 0, &batch(&["a", "b", "c"]));
    client.append("t", 0, &batch(&["d"]));
    for offset in 0..3 {
        assert_eq!(client.fetch("t", 0, offset).values(), ["a", "b", "c", "d"], "offset {offset}");
    }
    assert_eq!(client.fetch("t", 0, 3).values(), ["d"]);
}

#[test]
fn q57_the_first_batch_is_given_whatever_the_limits_and_after_it_they_hold() {
    let (_rig, mut client) = with_topic(3);
    for partition in [1, 2] {
        for _ in 0..3 {
            client.append("t", partition, &batch_of_size(1000));
        }
    }
    let one = client.fetch("t", 1, 2).records.len();
    let mut request = fetch_request(&[("t", 0, 0), ("t", 1, 0), ("t", 2, 0)]);
    let mut limits = |max_bytes: i32, partition_max_bytes: i32| {
        request.max_bytes = max_bytes;
        request.topics.iter_mut().for_each(|t| t.partitions[0].partition_max_bytes = partition_max_bytes);
        sizes(&mut client, &request)
    };
    assert_eq!(limits(1, 1), [0, one, 0]);
    assert_eq!(limits(0, 0), [0, one, 0]);
    assert_eq!(limits(1, 1 << 20), [0, one, 0]);
    assert_eq!(limits(i32::MAX, 1), [0, one, 0], "only the first may exceed its partition's limit");
    assert_eq!(limits(i32::MAX, one as i32), [0, one, one]);
    assert_eq!(limits(3 * one as i32, 2 * one as i32), [0, 2 * one, one]);
    assert_eq!(limits(i32::MAX, i32::MAX), [0, 3 * one, 3 * one]);
}

#[test]
fn q57_limits_hold_over_partitions_of_all_cores_together() {
    let rig = Rig::with(4, &[]);
    let mut client = rig.connect();
    client.create("t", 8);
    for partition in 0..8 {
        client.append("t", partition, &batch_of_size(1000));
    }
    let one = client.fetch("t", 0, 0).records.len();
    let parts: Vec<_> = (0..8).map(|partition| ("t", partition, 0)).collect();
    let mut request = fetch_request(&parts);
    request.max_bytes = 3 * one as i32 + 10;
    assert_eq!(sizes(&mut client, &request), [one, one, one, 0, 0, 0, 0, 0], "in the order of the request");
    request.topics.reverse();
    assert_eq!(sizes(&mut client, &request), [one, one, one, 0, 0, 0, 0, 0], "whatever it is (Q58)");
}

#[test]
fn q60_the_brokers_limit_comes_before_the_requests() {
    let rig = Rig::with(1, &[("fetch.max.bytes", "5000")]);
    let mut client = rig.connect();
    client.create("t", 1);
    for _ in 0..20 {
        client.append("t", 0, &batch_of_size(1000));
    }
    let mut request = fetch_request(&[("t", 0, 0)]);
    request.max_bytes = i32::MAX;
    let sizes = sizes(&mut client, &request);
    assert!((4000..=5000).contains(&sizes[0]), "{sizes:?}");
}

#[test]
fn q63_offsets_out_of_range_and_the_end_of_the_log_are_told_apart() {
    let (_rig, mut client) = with_topic(1);
    client.append("t", 0, &batch(&["a", "b"]));
    for (offset, expected) in [
        (-1, ErrorCode::OffsetOutOfRange),
        (2, ErrorCode::None),
        (3, ErrorCode::OffsetOutOfRange),
        (i64::MAX, ErrorCode::OffsetOutOfRange),
        (i64::MIN, ErrorCode::OffsetOutOfRange),
    ] {
        let part = client.fetch("t", 0, offset);
        assert_eq!((part.error, part.records.len()), (expected, 0), "offset {offset}");
    }
}

#[test]
fn q64_offsets_are_told_without_data_and_are_minus_1_with_an_error() {
    let (_rig, mut client) = with_topic(1);
    client.append("t", 0, &batch(&["a", "b"]));
    let offsets = |part: crate::calls::Fetched| {
        assert!(part.records.is_empty());
        (part.high_watermark, part.last_stable_offset, part.log_start_offset)
    };
    assert_eq!(offsets(client.fetch("t", 0, 2)), (2, 2, 0));
    assert_eq!(offsets(client.fetch("t", 0, 9)), (-1, -1, -1));
    assert_eq!(offsets(client.fetch("none", 0, 0)), (-1, -1, -1));
    let reply = client.ask(FETCH, &fetch_request(&[("none", 0, 0), ("t", 0, 2)]));
    let response: FetchResponse<'_> = reply.read();
    let all = response.responses.iter().flat_map(|topic| &topic.partitions);
    assert!(all.into_iter().all(|part| part.records == Some(&[])), "empty records, not null ones");
}

#[test]
fn q66_topics_by_id_are_known_unknown_or_someone_elses() {
    let (_rig, mut client) = with_topic(1);
    let id = client.describe("t").1;
    client.append("t", 0, &batch(&["v"]));
    let mut ask = |version: i16, id: Uuid, partition: i32| {
        let reply = client.ask(version, &fetch_by_id(&[(id, partition, 0)]));
        let response: FetchResponse<'_> = reply.read();
        assert_eq!(response.responses[0].topic_id, id);
        fetched(&reply).remove(0).error
    };
    for version in 13..=FETCH_BY_ID {
        assert_eq!(ask(version, id, 0), ErrorCode::None);
        assert_eq!(ask(version, Uuid::from_u128(9), 0), ErrorCode::UnknownTopicId);
        assert_eq!(ask(version, Uuid::ZERO, 0), ErrorCode::UnknownTopicId);
        assert_eq!(ask(version, id, 7), ErrorCode::UnknownTopicOrPartition);
    }
    assert_eq!(client.delete("t"), ErrorCode::None);
    let again = client.create("t", 1);
    assert_ne!(again, id);
    let part = fetched(&client.ask(FETCH_BY_ID, &fetch_by_id(&[(id, 0, 0)]))).remove(0);
    assert_eq!(part.error, ErrorCode::UnknownTopicId, "the old id is not the new topic's");
}

#[test]
fn q66_the_replica_state_of_version_15_is_read() {
    let (_rig, mut client) = with_topic(1);
    let id = client.describe("t").1;
    client.append("t", 0, &batch(&["v"]));
    let mut request = fetch_by_id(&[(id, 0, 0)]);
    request.cluster_id = Some("any");
    request.replica_state = ReplicaState { replica_id: -1, replica_epoch: 7 };
    request.rack_id = "rack";
    for version in 15..=FETCH_BY_ID {
        assert_eq!(fetched(&client.ask(version, &request))[0].values(), ["v"]);
    }
}

#[test]
fn q67_a_topic_of_zstd_needs_version_10() {
    let (_rig, mut client) = with_topic(1);
    client.append("t", 0, &batch(&["plain"]));
    client.create_with("z", 1, &[("compression.type", "zstd")]);
    client.append("z", 0, &batch(&["packed"]));
    let too_early = ErrorCode::UnsupportedCompressionType;
    for (version, expected) in [(4, too_early), (9, too_early), (10, ErrorCode::None)] {
        let parts = fetched(&client.ask(version, &fetch_request(&[("t", 0, 0), ("z", 0, 0)])));
        assert_eq!(parts[0].values(), ["plain"]);
        assert_eq!(parts[1].error, expected, "version {version}");
    }
    // As in Kafka the topic's setting decides, not what its producers sent.
    client.append(
        "t",
        0,
        &BatchBuilder::new().codec(Codec::Zstd, None).record(WALL_MS, None, Some(b"v")).build(),
    );
    assert_eq!(fetched(&client.ask(4, &fetch_request(&[("t", 0, 0)])))[0].values(), ["plain", "v"]);
}

#[test]
fn q69_a_reader_goes_from_last_offset_to_last_offset_over_segments() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create_with("t", 1, &[("internal.segment.bytes", "500"), ("max.message.bytes", "400")]);
    let mut expected = Vec::new();
    for round in 0..60 {
        let values = [format!("{round}a"), format!("{round}b")];
        client.append("t", 0, &batch(&[&values[0], &values[1]]));
        expected.extend(values);
    }
    let dir = rig.dir("t", 0);
    let logs = rig
        .world
        .paths()
        .iter()
        .filter(|p| p.starts_with(&dir) && p.extension().is_some_and(|e| e == "log"))
        .count();
    assert!(logs > 5, "{logs} segments");
    assert_eq!(client.read_all("t", 0), expected);
}

#[test]
fn one_topic_may_stand_in_a_request_more_than_once() {
    let (_rig, mut client) = with_topic(2);
    client.append("t", 0, &batch(&["a"]));
    client.append("t", 1, &batch(&["b"]));
    let parts = fetched(&client.ask(FETCH, &fetch_request(&[("t", 1, 0), ("t", 0, 0), ("t", 1, 0)])));
    let got: Vec<_> = parts.iter().map(|part| (part.partition, part.values())).collect();
    assert_eq!(got, [(1, vec!["b".to_owned()]), (0, vec!["a".to_owned()]), (1, vec!["b".to_owned()])]);
}

#[test]
fn a_fetch_of_nothing_is_answered_at_once() {
    let (rig, mut client) = with_topic(1);
    let began = rig.now_ms();
    let empty = FetchRequest { max_wait_ms: 500, min_bytes: 1, ..Default::default() };
    assert!(fetched(&client.ask(FETCH, &empty)).is_empty());
    let topic = FetchTopic { topic: "t", ..Default::default() };
    client.ask(FETCH, &FetchRequest { topics: vec![topic], ..empty });
    assert_eq!(rig.now_ms(), began);
}

#[test]
fn a_log_larger_than_a_response_is_read_whole_in_order() {
    let rig = Rig::with(2, &[("fetch.max.bytes", "70000")]);
    let mut client = rig.connect();
    client.create("t", 1);
    for _ in 0..200 {
        client.append("t", 0, &batch_of_size(3000));
    }
    let (mut offset, mut bytes) = (0, 0);
    while offset < 200 {
        let part = client.fetch("t", 0, offset);
        for (header, batch) in batches(&part.records) {
            assert_eq!(header.base_offset.0, offset);
            offset += 1;
            bytes += batch.len();
        }
    }
    assert_eq!(bytes, 200 * BatchHeader::parse(&batch_of_size(3000)).unwrap().size().unwrap());
}
