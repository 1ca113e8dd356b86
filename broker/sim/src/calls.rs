//! What clients ask, in the versions that they ask it in; and what they make of records.

use protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig, CreateTopicsRequest};
use protocol::messages::fetch_request::{FetchPartition, FetchRequest, FetchTopic};
use protocol::messages::find_coordinator_request::FindCoordinatorRequest;
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::offset_commit_request::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use protocol::messages::offset_fetch_request::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics,
};
use protocol::messages::produce_request::{PartitionProduceData, ProduceRequest, TopicProduceData};
use storage::batch::{BatchBuilder, HEADER_LEN, RecordStream};
use storage::{BatchHeader, Codec, Marker, ProducerEpoch, ProducerId, Sequence};

use crate::event::{Isolation, RecordId};
use crate::topics::Place;

/// The versions in use: the last ones that name topics by name.
pub const PRODUCE: i16 = 12;
pub const FETCH: i16 = 12;
pub const OFFSET_COMMIT: i16 = 9;
pub const OFFSET_FETCH: i16 = 9;
pub const CREATE_TOPICS: i16 = 7;
pub const DELETE_TOPICS: i16 = 6;
pub const METADATA: i16 = 12;
pub const INIT_PRODUCER_ID: i16 = 5;
pub const END_TXN: i16 = 5;
pub const FIND_COORDINATOR: i16 = 6;
pub const HEARTBEAT: i16 = 1;
pub const ALTER_CONFIGS: i16 = 1;
pub const DESCRIBE_CONFIGS: i16 = 4;

/// When all records are dated, whatever the clocks of nodes do.
const RECORD_MS: i64 = 1_700_000_000_000;
/// Readers take a few batches at a time.
const FETCH_BYTES_MAX: i32 = 8_000;
/// How long a reader waits for more.
const FETCH_WAIT_MS: i32 = 400;

/// A producer as a batch names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProducerAt {
    /// Its id.
    pub id: i64,
    /// Its epoch.
    pub epoch: i16,
    /// The sequence number of the batch's first record.
    pub sequence: i32,
}

/// A batch of records that name themselves; `padding` makes them longer.
pub fn batch(
    first: RecordId,
    count: u32,
    padding: usize,
    producer: Option<ProducerAt>,
    in_txn: bool,
) -> Vec<u8> {
    let mut builder = BatchBuilder::new();
    if let Some(ProducerAt { id, epoch, sequence }) = producer {
        builder = builder.producer(ProducerId(id), ProducerEpoch(epoch), Sequence(sequence));
    }
    if in_txn {
        builder = builder.attributes(1 << 4);
    }
    for index in 0..count {
        let value = format!("{} {}", first.plus(index), "x".repeat(padding));
        builder = builder.record(RECORD_MS, None, Some(value.as_bytes()));
    }
    builder.build()
}

/// A produce request of one batch.
pub fn produce<'a>(place: Place, acks: i16, txn: Option<&'a str>, records: &'a [u8]) -> ProduceRequest<'a> {
    let data = PartitionProduceData { index: place.partition, records: Some(records) };
    let topic = TopicProduceData { name: place.topic.name, partition_data: vec![data], ..Default::default() };
    ProduceRequest { acks, timeout_ms: 10_000, transactional_id: txn, topic_data: vec![topic] }
}

/// A fetch of some partitions, each from an offset on.
pub fn fetch(wanted: &[(Place, i64)], isolation: Isolation) -> FetchRequest<'static> {
    let topics = wanted.iter().map(|&(place, fetch_offset)| FetchTopic {
        topic: place.topic.name,
        partitions: vec![FetchPartition {
            partition: place.partition,
            fetch_offset,
            partition_max_bytes: FETCH_BYTES_MAX,
            ..Default::default()
        }],
        ..Default::default()
    });
    FetchRequest {
        max_wait_ms: FETCH_WAIT_MS,
        min_bytes: 1,
        max_bytes: FETCH_BYTES_MAX,
        isolation_level: i8::from(isolation == Isolation::Committed),
        topics: topics.collect(),
        ..Default::default()
    }
}

/// A request for an id: of a new idempotent producer, or of the newest producer of a transactional id.
pub fn init_producer(txn: Option<&str>, timeout_ms: i32) -> InitProducerIdRequest<'_> {
    InitProducerIdRequest {
        transactional_id: txn,
        transaction_timeout_ms: timeout_ms,
        producer_id: -1,
        producer_epoch: -1,
        ..Default::default()
    }
}

/// A request that makes a topic.
pub fn create_topic<'a>(
    name: &'a str,
    partitions: i32,
    settings: &'a [(&'a str, &'a str)],
) -> CreateTopicsRequest<'a> {
    let configs = settings.iter().map(|&(name, value)| CreatableTopicConfig { name, value: Some(value) });
    let topic = CreatableTopic {
        name,
        num_partitions: partitions,
        replication_factor: -1,
        configs: configs.collect(),
        ..Default::default()
    };
    CreateTopicsRequest { topics: vec![topic], timeout_ms: 10_000, ..Default::default() }
}

/// A request for the coordinator of a group (key type 0) or of a transactional id (1), which makes the topic of its kind.
pub fn find_coordinator(key: &str, key_type: i8) -> FindCoordinatorRequest<'_> {
    FindCoordinatorRequest { key_type, coordinator_keys: vec![key], ..Default::default() }
}

/// A commit of one offset, by a member of a group or, with epoch -1, by a client without one.
pub fn commit<'a>(
    group: &'a str,
    (member, epoch): (&'a str, i32),
    place: Place,
    offset: i64,
) -> OffsetCommitRequest<'a> {
    let partition = OffsetCommitRequestPartition {
        partition_index: place.partition,
        committed_offset: offset,
        committed_leader_epoch: -1,
        ..Default::default()
    };
    let topic = OffsetCommitRequestTopic {
        name: place.topic.name,
        partitions: vec![partition],
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: group,
        member_id: member,
        generation_id_or_member_epoch: epoch,
        topics: vec![topic],
        ..Default::default()
    }
}

/// What a group has committed of one partition.
pub fn committed<'a>(group: &'a str, place: Place) -> OffsetFetchRequest<'a> {
    let topic = OffsetFetchRequestTopics {
        name: place.topic.name,
        partition_indexes: vec![place.partition],
        ..Default::default()
    };
    let group = OffsetFetchRequestGroup {
        group_id: group,
        member_epoch: -1,
        topics: Some(vec![topic]),
        ..Default::default()
    };
    OffsetFetchRequest { groups: vec![group], ..Default::default() }
}

/// A batch is not what was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadChecksum {
    /// Its first offset, if that can be believed.
    pub base_offset: i64,
}

/// What a client library makes of fetched bytes (Q55): offsets and records, and where it goes on. `aborted` has producer
/// ids and first offsets; it is empty for readers of everything. A batch whose checksum is wrong ends it.
pub fn consume(
    bytes: &[u8],
    aborted: &[(i64, i64)],
    from: i64,
) -> (Vec<(i64, RecordId)>, i64, Result<(), BadChecksum>) {
    let (mut found, mut next, mut rest) = (Vec::new(), from, bytes);
    let mut coming = aborted.to_vec();
    coming.sort_by_key(|(_, first)| std::cmp::Reverse(*first));
    let mut dropped: Vec<i64> = Vec::new();
    while let Some((header, size)) =
        BatchHeader::parse(rest).and_then(|header| Some((header, header.size()?)))
    {
        let Some(batch) = rest.get(..size) else { break };
        rest = &rest[size..];
        if !header.is_sum_of(batch) {
            return (found, next, Err(BadChecksum { base_offset: header.base_offset.0 }));
        }
        let producer = header.producer_id.0;
        while coming.last().is_some_and(|(_, first)| *first <= header.last_offset().0) {
            dropped.extend(coming.pop().map(|(id, _)| id));
        }
        next = header.last_offset().0 + 1;
        if header.attributes.is_control() {
            if Marker::parse(&header, batch).is_some_and(|marker| !marker.is_commit) {
                dropped.retain(|id| *id != producer);
            }
        } else if !(header.attributes.is_transactional() && dropped.contains(&producer)) {
            found.extend(records_of(&header, batch).into_iter().filter(|(offset, _)| *offset >= from));
        }
    }
    (found, next, Ok(()))
}

fn records_of(header: &BatchHeader, batch: &[u8]) -> Vec<(i64, RecordId)> {
    let stream = RecordStream::new(Codec::None, &batch[HEADER_LEN..], 1 << 20);
    let mut stream = stream.expect("a batch whose checksum is right has records");
    let mut found = Vec::new();
    while let Some(record) = stream.next().expect("a batch whose checksum is right has whole records") {
        let id = RecordId::parse(record.value.unwrap_or_default()).expect("only records of ours are there");
        found.push((header.base_offset.0 + i64::from(record.offset_delta), id));
    }
    found
}
