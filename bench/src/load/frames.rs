//! Produce requests, made before they are needed and sent without copying: the same bytes again and again, or, for an
//! idempotent producer, copies with another sequence number.

use std::collections::HashMap;

use protocol::messages::fetch_request::{FetchPartition, FetchRequest, FetchTopic};
use protocol::messages::produce_request::{PartitionProduceData, ProduceRequest, TopicProduceData};
use protocol::{ApiKey, Message, RequestHeader, encode_request};
use shard::Buf;
use storage::batch::{BatchBuilder, HEADER_LEN, seal};
use storage::{ProducerEpoch, ProducerId, Sequence};

use crate::scenario::Scenario;

/// Versions that Kafka 2.4 and everything later speaks, with topics by name.
pub const PRODUCE: i16 = 9;
pub const FETCH: i16 = 12;

/// Where a batch has its base sequence.
const SEQUENCE_AT: usize = 53;

/// Different values and keys that records are made of.
const VARIETY: usize = 64;

/// A whole request frame. Replies come in the order of requests, so that all may have one correlation id.
pub fn request_frame<'a>(key: ApiKey, version: i16, body: &impl Message<'a>) -> Vec<u8> {
    let header = RequestHeader {
        api_key: key.code(),
        api_version: version,
        correlation_id: 0,
        client_id: Some("ringlog-bench"),
    };
    encode_request(&header, body)
}

/// Batches of one scenario, by their number of records.
pub struct Batches {
    scenario: Scenario,
    topic: String,
    wall_ms: i64,
    producer: Option<(ProducerId, ProducerEpoch)>,
    frames: HashMap<(i32, usize), Made>,
}

struct Made {
    frame: Buf,
    /// Where the batch begins in it.
    batch_at: usize,
    batch_len: usize,
}

impl Batches {
    /// For one producer; `wall_ms` dates the records.
    pub fn new(
        scenario: &Scenario,
        topic: &str,
        wall_ms: i64,
        producer: Option<(ProducerId, ProducerEpoch)>,
    ) -> Batches {
        Batches {
            scenario: scenario.clone(),
            topic: topic.to_owned(),
            wall_ms,
            producer,
            frames: HashMap::new(),
        }
    }

    /// A request with one batch of `count` records.
    pub fn frame(&mut self, partition: i32, count: usize, sequence: i32) -> Buf {
        let (scenario, topic, wall_ms, producer) = (&self.scenario, &self.topic, self.wall_ms, self.producer);
        let made = self.frames.entry((partition, count)).or_insert_with(|| {
            let batch = batch(scenario, wall_ms, producer, count);
            let frame = produce_frame(scenario.acks, topic, partition, &batch);
            let batch_at = find(&frame, &batch[..HEADER_LEN]);
            Made { frame: Buf::from(frame), batch_at, batch_len: batch.len() }
        });
        if self.producer.is_none() {
            return made.frame.clone();
        }
        let mut frame = made.frame.to_vec();
        let batch = &mut frame[made.batch_at..made.batch_at + made.batch_len];
        batch[SEQUENCE_AT..SEQUENCE_AT + 4].copy_from_slice(&sequence.to_be_bytes());
        seal(batch);
        Buf::from(frame)
    }
}

fn batch(
    scenario: &Scenario,
    wall_ms: i64,
    producer: Option<(ProducerId, ProducerEpoch)>,
    count: usize,
) -> Vec<u8> {
    let values: Vec<Vec<u8>> = (0..VARIETY).map(|seed| value(seed, scenario.record_bytes)).collect();
    let mut builder = BatchBuilder::new().codec(scenario.codec, None);
    if let Some((id, epoch)) = producer {
        builder = builder.producer(id, epoch, Sequence(0));
    }
    for i in 0..count {
        let key = scenario.has_keys.then(|| format!("{:016x}", i % VARIETY));
        builder = builder.record(wall_ms, key.as_deref().map(str::as_bytes), Some(&values[i % VARIETY]));
    }
    builder.build()
}

/// Bytes that a codec can shrink about by half, as it can those of real events.
fn value(seed: usize, len: usize) -> Vec<u8> {
    let mut state = seed as u64 + 1;
    let step = |i: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if i % 16 < 8 { b"\"field\":"[i % 8] } else { (state >> 33) as u8 }
    };
    (0..len).map(step).collect()
}

fn produce_frame(acks: i16, topic: &str, partition: i32, batch: &[u8]) -> Vec<u8> {
    let data = PartitionProduceData { index: partition, records: Some(batch) };
    let topic = TopicProduceData { name: topic, partition_data: vec![data], ..Default::default() };
    let request = ProduceRequest { acks, timeout_ms: 30_000, topic_data: vec![topic], ..Default::default() };
    request_frame(ApiKey::Produce, PRODUCE, &request)
}

fn find(frame: &[u8], part: &[u8]) -> usize {
    frame.windows(part.len()).position(|window| window == part).expect("the frame carries the batch")
}

/// A fetch of the partitions at these offsets; those of a session that have not changed need not be said again.
pub fn fetch_frame(
    scenario: &Scenario,
    topic: &str,
    session: (i32, i32),
    partitions: impl Iterator<Item = (i32, i64)>,
) -> Buf {
    let bytes = i32::try_from(scenario.fetch_bytes).unwrap_or(i32::MAX);
    let partitions = partitions.map(|(partition, offset)| FetchPartition {
        partition,
        fetch_offset: offset,
        partition_max_bytes: bytes,
        ..Default::default()
    });
    let partitions: Vec<_> = partitions.collect();
    let topics = if partitions.is_empty() {
        Vec::new()
    } else {
        vec![FetchTopic { topic, partitions, ..Default::default() }]
    };
    let request = FetchRequest {
        max_wait_ms: i32::try_from(scenario.fetch_wait.as_millis()).unwrap_or(i32::MAX),
        min_bytes: 1,
        max_bytes: bytes,
        session_id: session.0,
        session_epoch: session.1,
        topics,
        ..Default::default()
    };
    Buf::from(request_frame(ApiKey::Fetch, FETCH, &request))
}

#[cfg(test)]
mod tests {
    use storage::BatchHeader;

    use super::*;

    #[test]
    fn a_sequence_number_is_written_into_a_whole_batch() {
        let scenario = Scenario::parse("x", "producers=1\nidempotent=true\nbatch.records=3").unwrap();
        let producer = Some((ProducerId(7), ProducerEpoch(0)));
        let mut batches = Batches::new(&scenario, "t", 1_700_000_000_000, producer);
        let frame = batches.frame(0, 3, 42);
        let made = &batches.frames[&(0, 3)];
        let batch = &frame[made.batch_at..made.batch_at + made.batch_len];
        let header = BatchHeader::parse(batch).unwrap();
        assert_eq!((header.base_sequence, header.record_count), (Sequence(42), 3));
        let mut again = batch.to_vec();
        seal(&mut again);
        assert_eq!(again, batch, "the checksum was made for the new number");
    }

    #[test]
    fn batches_without_a_producer_are_sent_as_they_were_made() {
        let scenario = Scenario::parse("x", "producers=1\ncodec=zstd\nkeys=true").unwrap();
        let mut batches = Batches::new(&scenario, "t", 0, None);
        assert_eq!(batches.frame(1, 5, 0).as_ptr(), batches.frame(1, 5, 99).as_ptr());
    }
}
