//! What the segmented writer sends is what the generated encoder would have sent, without a copy of the records.

use protocol::messages::fetch_response::{FetchResponse, PartitionData};
use protocol::{
    ApiKey, ErrorCode, FetchHead, FetchPartitionHead, FetchResponseWriter, Frame, Message, Part, Records,
    encode_response,
};

use crate::arbitrary::{Random, body};
use crate::every::decode_whole;
use crate::schema;

#[test]
fn the_writer_equals_the_generated_encoder() {
    let mut externals = 0;
    for version in FetchResponse::VERSIONS {
        for seed in 0..300 {
            let bytes = body(schema("FetchResponse"), version, &mut Random(seed));
            let mut response: FetchResponse<'_> = decode_whole(&bytes, version).expect("a valid body");
            make_errors_known(&mut response);
            let frame = write(&response, version);
            let expected = encode_response(ApiKey::Fetch, version, 77, &response);
            assert_eq!(frame.total_bytes, expected.len());
            externals += frame.parts.iter().filter(|part| matches!(part, Part::External(_))).count();
            assert_eq!(joined(&frame), expected, "v{version} seed {seed}");
        }
    }
    assert!(externals > 1000, "only {externals} external parts were tried");
}

#[test]
fn an_empty_response_is_one_part() {
    let writer = FetchResponseWriter::<&[u8]>::begin(Vec::new(), 13, 1, FetchHead::default());
    let frame = writer.finish(&[]);
    // size, correlation id, header tags, throttle, error, session, no topics, body tags
    assert_eq!(joined(&frame), b"\0\0\0\x11\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0");
    assert_eq!(frame.parts, [Part::Bytes(0..frame.total_bytes)]);
}

#[test]
fn parts_of_one_partition_stay_together() {
    let head = FetchHead { topic_count: 1, ..FetchHead::default() };
    let mut writer = FetchResponseWriter::begin(Vec::new(), 4, 1, head);
    writer.begin_topic("t", protocol::Uuid::ZERO, 1);
    let batches = vec![(&b"first"[..], 5), (&b"second"[..], 6)];
    writer.push_partition(&FetchPartitionHead::default(), Records::Many(batches));
    let frame = writer.finish(&[]);
    let kinds: Vec<bool> = frame.parts.iter().map(|part| matches!(part, Part::External(_))).collect();
    assert_eq!(kinds, [false, true, true]);
    assert!(joined(&frame).ends_with(b"\0\0\0\x0bfirstsecond"));
}

#[test]
#[should_panic(expected = "fewer partitions than announced")]
fn a_miscount_is_a_bug() {
    let head = FetchHead { topic_count: 1, ..FetchHead::default() };
    let mut writer = FetchResponseWriter::<&[u8]>::begin(Vec::new(), 4, 1, head);
    writer.begin_topic("t", protocol::Uuid::ZERO, 2);
    writer.push_partition(&FetchPartitionHead::default(), Records::Empty);
    writer.finish(&[]);
}

/// The writer takes an `ErrorCode`, and random numbers are none.
fn make_errors_known(response: &mut FetchResponse<'_>) {
    let known = |code: &mut i16| *code = code.rem_euclid(134);
    known(&mut response.error_code);
    let partitions = response.responses.iter_mut().flat_map(|topic| &mut topic.partitions);
    partitions.for_each(|partition| known(&mut partition.error_code));
}

/// Writes the same answer part by part.
fn write<'a>(response: &FetchResponse<'a>, version: i16) -> Frame<&'a [u8]> {
    let head = FetchHead {
        throttle_time_ms: response.throttle_time_ms,
        error: error(response.error_code),
        session_id: response.session_id,
        topic_count: response.responses.len(),
    };
    let mut writer = FetchResponseWriter::begin(vec![1, 2, 3], version, 77, head);
    for topic in &response.responses {
        writer.begin_topic(topic.topic, topic.topic_id, topic.partitions.len());
        for partition in &topic.partitions {
            let records = match partition.records {
                None => Records::Null,
                Some([]) => Records::Empty,
                Some(bytes) if bytes.len() < 4 => Records::One(bytes, bytes.len()),
                Some(bytes) => {
                    let (first, second) = bytes.split_at(bytes.len() / 2);
                    Records::Many(vec![(first, first.len()), (second, second.len())])
                }
            };
            writer.push_partition(&head_of(partition), records);
        }
    }
    writer.finish(&response.node_endpoints)
}

fn head_of<'p>(partition: &'p PartitionData<'_>) -> FetchPartitionHead<'p> {
    FetchPartitionHead {
        index: partition.partition_index,
        error: error(partition.error_code),
        high_watermark: partition.high_watermark,
        last_stable_offset: partition.last_stable_offset,
        log_start_offset: partition.log_start_offset,
        diverging_epoch: unless_default(&partition.diverging_epoch),
        current_leader: unless_default(&partition.current_leader),
        snapshot_id: unless_default(&partition.snapshot_id),
        aborted_transactions: partition.aborted_transactions.as_deref(),
        preferred_read_replica: partition.preferred_read_replica,
    }
}

fn error(code: i16) -> ErrorCode {
    ErrorCode::from_code(code).expect("a known code")
}

fn unless_default<T: Default + PartialEq + Clone>(value: &T) -> Option<T> {
    (*value != T::default()).then(|| value.clone())
}

/// All pieces in order, as the socket would see them.
fn joined(frame: &Frame<&[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for part in &frame.parts {
        match part {
            Part::Bytes(range) => out.extend_from_slice(&frame.bytes[range.clone()]),
            Part::External(bytes) => out.extend_from_slice(bytes),
        }
    }
    out
}
