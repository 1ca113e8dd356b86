//! The hand-written views see in a frame what the generated decoder sees.

use protocol::messages::fetch_request::{FetchRequest, FetchTopic};
use protocol::messages::produce_request::ProduceRequest;
use protocol::{Decoder, FetchView, Message, ProduceView};

use crate::arbitrary::{Random, body};
use crate::every::decode_whole;
use crate::schema;

/// Random bodies a version.
const BODIES: u64 = 500;

#[test]
fn the_produce_view_equals_the_generated_decoder() {
    for version in ProduceRequest::VERSIONS {
        for seed in 0..BODIES {
            let bytes = body(schema("ProduceRequest"), version, &mut Random(seed));
            check_produce(&bytes, version);
        }
    }
}

fn check_produce(bytes: &[u8], version: i16) {
    let request: ProduceRequest<'_> = decode_whole(bytes, version).expect("a valid body");
    // A few bytes ahead stand for the header: ranges count from the start of the frame.
    let frame = [b"header", bytes].concat();
    let mut d = Decoder::new(&frame);
    d.take(6).expect("the header");
    let view = ProduceView::decode(&mut d, version).expect("a valid body");
    assert_eq!(d.finish(), Ok(()));
    assert_eq!(view.transactional_id, request.transactional_id);
    assert_eq!((view.acks, view.timeout_ms), (request.acks, request.timeout_ms));
    assert_eq!(view.topics().count(), request.topic_data.len());
    let counts = request.topic_data.iter().map(|topic| topic.partition_data.len());
    assert_eq!(view.partition_count(), counts.sum());
    for (seen, topic) in view.topics().zip(&request.topic_data) {
        assert_eq!((seen.name, seen.topic_id), (topic.name, topic.topic_id));
        assert_eq!(seen.partitions().count(), topic.partition_data.len());
        for (seen, partition) in seen.partitions().zip(&topic.partition_data) {
            assert_eq!((seen.index, seen.records), (partition.index, partition.records));
            assert_eq!(frame.get(seen.range), Some(partition.records.unwrap_or_default()));
        }
    }
}

#[test]
fn the_fetch_view_equals_the_generated_decoder() {
    for version in FetchRequest::VERSIONS {
        for seed in 0..BODIES {
            let bytes = body(schema("FetchRequest"), version, &mut Random(seed));
            check_fetch(&bytes, version);
        }
    }
}

fn check_fetch(bytes: &[u8], version: i16) {
    let request: FetchRequest<'_> = decode_whole(bytes, version).expect("a valid body");
    let mut d = Decoder::new(bytes);
    let view = FetchView::decode(&mut d, version).expect("a valid body");
    assert_eq!(d.finish(), Ok(()));
    assert_eq!(view.cluster_id, request.cluster_id);
    // The id is plain before version 15 and tagged since.
    let state = &request.replica_state;
    let replica_id = if version <= 14 { request.replica_id } else { state.replica_id };
    assert_eq!((view.replica_id, view.replica_epoch), (replica_id, state.replica_epoch));
    assert_eq!((view.max_wait_ms, view.min_bytes), (request.max_wait_ms, request.min_bytes));
    assert_eq!((view.max_bytes, view.isolation_level), (request.max_bytes, request.isolation_level));
    assert_eq!((view.session_id, view.session_epoch), (request.session_id, request.session_epoch));
    assert_eq!(view.rack_id, request.rack_id);
    assert_eq!(view.topics().count(), request.topics.len());
    assert_eq!(view.partition_count(), request.topics.iter().map(|topic| topic.partitions.len()).sum());
    for (seen, topic) in view.topics().zip(&request.topics) {
        check_fetch_topic(&seen, topic);
    }
    assert_eq!(view.forgotten_topics().count(), request.forgotten_topics_data.len());
    for (seen, topic) in view.forgotten_topics().zip(&request.forgotten_topics_data) {
        assert_eq!((seen.name, seen.topic_id), (topic.topic, topic.topic_id));
        assert_eq!(seen.partitions().collect::<Vec<_>>(), topic.partitions);
    }
}

fn check_fetch_topic(seen: &protocol::FetchTopic<'_>, topic: &FetchTopic<'_>) {
    assert_eq!((seen.name, seen.topic_id), (topic.topic, topic.topic_id));
    assert_eq!(seen.partitions().count(), topic.partitions.len());
    for (seen, partition) in seen.partitions().zip(&topic.partitions) {
        assert_eq!(seen.index, partition.partition);
        assert_eq!(seen.current_leader_epoch, partition.current_leader_epoch);
        assert_eq!(seen.fetch_offset, partition.fetch_offset);
        assert_eq!(seen.last_fetched_epoch, partition.last_fetched_epoch);
        assert_eq!(seen.log_start_offset, partition.log_start_offset);
        assert_eq!(seen.max_bytes, partition.partition_max_bytes);
        assert_eq!(seen.replica_directory_id, partition.replica_directory_id);
        assert_eq!(seen.high_watermark, partition.high_watermark);
    }
}

/// A view refuses what the generated decoder refuses, wherever the frame is cut.
#[test]
fn the_views_refuse_every_cut_frame() {
    for version in 4..=13 {
        let bytes = body(schema("FetchRequest"), version, &mut Random(3));
        for end in 0..bytes.len() {
            assert!(FetchView::decode(&mut Decoder::new(&bytes[..end]), version).is_err());
        }
        let bytes = body(schema("ProduceRequest"), version, &mut Random(3));
        for end in 0..bytes.len() {
            assert!(ProduceView::decode(&mut Decoder::new(&bytes[..end]), version).is_err());
        }
    }
}

#[test]
fn versions_outside_the_range_are_refused() {
    for version in [2, 14] {
        assert!(ProduceView::decode(&mut Decoder::new(&[0; 64]), version).is_err());
    }
    for version in [3, 19] {
        assert!(FetchView::decode(&mut Decoder::new(&[0; 64]), version).is_err());
    }
}
