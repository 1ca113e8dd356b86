//! Old records leave: by age, by size, on request.

use protocol::ErrorCode;
use protocol::messages::delete_records_request::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic,
};
use protocol::messages::delete_records_response::DeleteRecordsResponse;
use shard::memory::Crash;

use crate::calls::{FETCH, batch, dated, error, fetch_request, fetched};
use crate::harness::{Client, Rig, WALL_MS};

const EARLIEST: i64 = -2;

/// Asks for a deletion: error and low watermark.
fn delete(client: &mut Client, topic: &str, offset: i64) -> (ErrorCode, i64) {
    let partitions = vec![DeleteRecordsPartition { partition_index: 0, offset }];
    let topics = vec![DeleteRecordsTopic { name: topic, partitions }];
    let reply = client.ask(2, &DeleteRecordsRequest { topics, timeout_ms: 1000 });
    let response: DeleteRecordsResponse<'_> = reply.read();
    let partition = &response.topics[0].partitions[0];
    (error(partition.error_code), partition.low_watermark)
}

fn start_of(client: &mut Client, topic: &str) -> i64 {
    client.offset_for(topic, 0, EARLIEST).1
}

#[test]
fn c75_q72_records_are_deleted_where_the_policy_allows_it() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("old", 1);
    client.create_with("both", 1, &[("cleanup.policy", "compact,delete")]);
    client.create_with("keyed", 1, &[("cleanup.policy", "compact")]);
    for _ in 0..5 {
        client.append("old", 0, &batch(&["a", "b"]));
    }
    assert_eq!(delete(&mut client, "old", 3), (ErrorCode::None, 3));
    assert_eq!(delete(&mut client, "old", 1), (ErrorCode::None, 3));
    assert_eq!(delete(&mut client, "old", 11), (ErrorCode::OffsetOutOfRange, -1));
    assert_eq!(delete(&mut client, "old", -2), (ErrorCode::OffsetOutOfRange, -1));
    assert_eq!(delete(&mut client, "keyed", 0), (ErrorCode::PolicyViolation, -1));
    assert_eq!(delete(&mut client, "both", -1), (ErrorCode::None, 0));
    assert_eq!(delete(&mut client, "none", 0), (ErrorCode::UnknownTopicOrPartition, -1));
    assert_eq!(delete(&mut client, "__consumer_offsets", 0), (ErrorCode::InvalidTopicException, -1));
    assert_eq!(start_of(&mut client, "old"), 3);
    assert_eq!(client.fetch("old", 0, 2).error, ErrorCode::OffsetOutOfRange);
    for crash in [Crash::Process, Crash::Power] {
        rig.crash_and_restart(crash);
        client = rig.connect();
        assert_eq!(start_of(&mut client, "old"), 3, "{crash:?}");
    }
    let end = client.append("old", 0, &batch(&["c"])) + 1;
    assert_eq!(delete(&mut client, "old", -1), (ErrorCode::None, end));
    assert_eq!(client.fetch("old", 0, end).error, ErrorCode::None);
}

#[test]
fn a_read_whose_segment_goes_meanwhile_is_no_fault_of_the_disk() {
    for (turns, offset) in (0..8).flat_map(|turns| [(turns, 0), (turns, 3)]) {
        let rig = Rig::with(1, &[]);
        let (mut client, mut reader) = (rig.connect(), rig.connect());
        client.create_with("t", 1, &[("internal.segment.bytes", "4000")]);
        let value = "x".repeat(900);
        (0..12).for_each(|_| _ = client.append("t", 0, &batch(&[&value])));
        reader.send(FETCH, &fetch_request(&[("t", 0, offset)]));
        rig.turns(turns);
        assert_eq!(delete(&mut client, "t", 10), (ErrorCode::None, 10));
        let read = fetched(&reader.receive()).remove(0);
        let is_right = match read.error {
            ErrorCode::None => read.values().iter().all(|found| *found == value),
            other => other == ErrorCode::OffsetOutOfRange,
        };
        assert!(is_right, "after {turns} turns, from {offset}: {:?}", read.error);
        assert_eq!(reader.fetch("t", 0, offset).error, ErrorCode::OffsetOutOfRange);
        assert_eq!(reader.fetch("t", 0, 10).values().len(), 2);
    }
}

#[test]
fn c87_a_group_that_starts_at_the_earliest_offset_reads_on() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create_with("t", 1, &[("segment.ms", "20000"), ("retention.ms", "10000")]);
    client.append("t", 0, &dated(&[WALL_MS]));
    rig.pass_ms(5000);
    assert_eq!(start_of(&mut client, "t"), 0);
    rig.pass_ms(20_000);
    assert_eq!(start_of(&mut client, "t"), 1);
    let fetched = client.fetch("t", 0, 1);
    assert_eq!((fetched.error, fetched.values()), (ErrorCode::None, vec![]));
    client.append("t", 0, &batch(&["next"]));
    assert_eq!(client.fetch("t", 0, 1).values(), ["next"]);
}

#[test]
fn c83_a_record_from_the_future_does_not_stop_retention() {
    let rig = Rig::new();
    let mut client = rig.connect();
    let endless = [("retention.ms", "60000"), ("message.timestamp.after.max.ms", "9223372036854775807")];
    client.create_with("t", 1, &endless);
    client.append("t", 0, &dated(&[WALL_MS + 2_000_000_000_000]));
    client.append("t", 0, &dated(&[WALL_MS]));
    rig.pass_ms(65_000);
    assert_eq!(start_of(&mut client, "t"), 2);
}
