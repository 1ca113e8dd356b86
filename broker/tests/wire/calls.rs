//! What tests ask again and again, in a line: batches, produce, fetch, look-ups, topics.

use protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig, CreateTopicsRequest};
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::delete_topics_response::DeleteTopicsResponse;
use protocol::messages::fetch_request::{FetchPartition, FetchRequest, FetchTopic};
use protocol::messages::fetch_response::FetchResponse;
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use protocol::messages::list_offsets_response::ListOffsetsResponse;
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::metadata_response::MetadataResponse;
use protocol::messages::produce_request::{PartitionProduceData, ProduceRequest, TopicProduceData};
use protocol::messages::produce_response::ProduceResponse;
use protocol::{ErrorCode, Uuid};
use storage::batch::{BatchBuilder, HEADER_LEN, RecordStream};
use storage::{BatchHeader, ProducerEpoch, ProducerId, Sequence};

use crate::harness::{Client, Reply, WALL_MS};

/// The last versions that name topics by name.
pub const PRODUCE: i16 = 12;
pub const FETCH: i16 = 12;

/// The newest versions.
pub const PRODUCE_BY_ID: i16 = 13;
pub const FETCH_BY_ID: i16 = 18;

/// An error by its number.
pub fn error(code: i16) -> ErrorCode {
    ErrorCode::from_code(code).expect("an error that Kafka has")
}

/// A batch with these values, without keys, all dated the world's first moment.
pub fn batch(values: &[&str]) -> Vec<u8> {
    values
        .iter()
        .fold(BatchBuilder::new(), |b, value| b.record(WALL_MS, None, Some(value.as_bytes())))
        .build()
}

/// A batch of one record of about this many bytes.
pub fn batch_of_size(bytes: usize) -> Vec<u8> {
    BatchBuilder::new().record(WALL_MS, None, Some(&vec![b'x'; bytes])).build()
}

/// A batch whose records have these dates.
pub fn dated(timestamps: &[i64]) -> Vec<u8> {
    timestamps.iter().fold(BatchBuilder::new(), |b, &at| b.record(at, None, Some(b"v"))).build()
}

/// A batch of an idempotent producer.
pub fn sequenced(producer: i64, epoch: i16, first: i32, count: usize) -> Vec<u8> {
    let builder = BatchBuilder::new().producer(ProducerId(producer), ProducerEpoch(epoch), Sequence(first));
    (0..count).fold(builder, |b, _| b.record(WALL_MS, None, Some(b"v"))).build()
}

/// The values of all records in some batches, with their offsets.
pub fn records(bytes: &[u8]) -> Vec<(i64, String)> {
    let mut found = Vec::new();
    for (header, batch) in batches(bytes) {
        let codec = header.attributes.codec().unwrap();
        let mut stream = RecordStream::new(codec, &batch[HEADER_LEN..], 64 << 20).unwrap();
        while let Some(record) = stream.next().unwrap() {
            let value = String::from_utf8(record.value.unwrap_or_default().to_vec()).unwrap();
            found.push((header.base_offset.0 + i64::from(record.offset_delta), value));
        }
    }
    found
}

/// The values of all records in some batches.
pub fn values(bytes: &[u8]) -> Vec<String> {
    records(bytes).into_iter().map(|(_, value)| value).collect()
}

/// Cuts bytes into batches; they must be whole.
pub fn batches(bytes: &[u8]) -> Vec<(BatchHeader, &[u8])> {
    let (mut rest, mut found) = (bytes, Vec::new());
    while !rest.is_empty() {
        let header = BatchHeader::parse(rest).unwrap();
        let (batch, after) = rest.split_at(header.size().unwrap());
        found.push((header, batch));
        rest = after;
    }
    found
}

/// What became of one partition of a produce request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Produced {
    pub error: ErrorCode,
    pub base_offset: i64,
    pub log_append_time_ms: i64,
    pub log_start_offset: i64,
    pub record_errors: Vec<i32>,
    pub message: Option<String>,
}

/// What one partition of a fetch answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub partition: i32,
    pub error: ErrorCode,
    pub high_watermark: i64,
    pub last_stable_offset: i64,
    pub log_start_offset: i64,
    pub records: Vec<u8>,
}

impl Fetched {
    pub fn values(&self) -> Vec<String> {
        values(&self.records)
    }
}

/// A produce request to partitions of topics that are named.
pub fn produce_request<'a>(parts: &[(&'a str, i32, &'a [u8])]) -> ProduceRequest<'a> {
    let topic_data = parts.iter().map(|&(name, index, records)| TopicProduceData {
        name,
        partition_data: vec![PartitionProduceData { index, records: Some(records) }],
        ..Default::default()
    });
    ProduceRequest { acks: -1, timeout_ms: 30_000, topic_data: topic_data.collect(), ..Default::default() }
}

/// All partitions' answers, in order.
pub fn produced(reply: &Reply) -> Vec<Produced> {
    let response: ProduceResponse<'_> = reply.read();
    let partitions = response.responses.iter().flat_map(|topic| &topic.partition_responses);
    partitions
        .map(|partition| Produced {
            error: error(partition.error_code),
            base_offset: partition.base_offset,
            log_append_time_ms: partition.log_append_time_ms,
            log_start_offset: partition.log_start_offset,
            record_errors: partition.record_errors.iter().map(|error| error.batch_index).collect(),
            message: partition.error_message.map(str::to_owned),
        })
        .collect()
}

/// A fetch that does not wait, without a session, of partitions of topics that are named.
pub fn fetch_request<'a>(parts: &[(&'a str, i32, i64)]) -> FetchRequest<'a> {
    let topics = parts.iter().map(|&(topic, partition, fetch_offset)| FetchTopic {
        topic,
        partitions: vec![FetchPartition {
            partition,
            fetch_offset,
            partition_max_bytes: 1 << 20,
            ..Default::default()
        }],
        ..Default::default()
    });
    FetchRequest {
        max_wait_ms: 0,
        min_bytes: 1,
        max_bytes: 50 << 20,
        topics: topics.collect(),
        ..Default::default()
    }
}

/// The same by topic ids, for version 13 and later.
pub fn fetch_by_id(parts: &[(Uuid, i32, i64)]) -> FetchRequest<'static> {
    let mut request = fetch_request(
        &parts.iter().map(|&(_, partition, offset)| ("", partition, offset)).collect::<Vec<_>>(),
    );
    for (topic, (id, _, _)) in request.topics.iter_mut().zip(parts) {
        topic.topic_id = *id;
    }
    request
}

/// All partitions' answers, in order. The fetch as a whole must have succeeded.
pub fn fetched(reply: &Reply) -> Vec<Fetched> {
    let response: FetchResponse<'_> = reply.read();
    assert_eq!(error(response.error_code), ErrorCode::None);
    let partitions = response.responses.iter().flat_map(|topic| &topic.partitions);
    partitions
        .map(|partition| Fetched {
            partition: partition.partition_index,
            error: error(partition.error_code),
            high_watermark: partition.high_watermark,
            last_stable_offset: partition.last_stable_offset,
            log_start_offset: partition.log_start_offset,
            records: partition.records.unwrap_or_default().to_vec(),
        })
        .collect()
}

/// A request that makes one topic.
pub fn create_request<'a>(
    name: &'a str,
    num_partitions: i32,
    configs: &[(&'a str, &'a str)],
) -> CreateTopicsRequest<'a> {
    let configs = configs.iter().map(|&(name, value)| CreatableTopicConfig { name, value: Some(value) });
    let topic = CreatableTopic {
        name,
        num_partitions,
        replication_factor: -1,
        configs: configs.collect(),
        ..Default::default()
    };
    CreateTopicsRequest { topics: vec![topic], timeout_ms: 30_000, ..Default::default() }
}

impl Client {
    /// Makes a topic, which must succeed; gives its id.
    pub fn create(&mut self, name: &str, partitions: i32) -> Uuid {
        self.create_with(name, partitions, &[])
    }

    /// Makes a topic with settings of its own.
    pub fn create_with(&mut self, name: &str, partitions: i32, configs: &[(&str, &str)]) -> Uuid {
        let reply = self.ask(7, &create_request(name, partitions, configs));
        let response: CreateTopicsResponse<'_> = reply.read();
        let topic = &response.topics[0];
        assert_eq!(error(topic.error_code), ErrorCode::None, "{:?}", topic.error_message);
        topic.topic_id
    }

    /// Removes a topic.
    pub fn delete(&mut self, name: &str) -> ErrorCode {
        let topics = vec![DeleteTopicState { name: Some(name), ..Default::default() }];
        let reply = self.ask(6, &DeleteTopicsRequest { topics, timeout_ms: 30_000, ..Default::default() });
        let response: DeleteTopicsResponse<'_> = reply.read();
        error(response.responses[0].error_code)
    }

    /// Appends one batch.
    pub fn produce(&mut self, topic: &str, partition: i32, batch: &[u8]) -> Produced {
        let reply = self.ask(PRODUCE, &produce_request(&[(topic, partition, batch)]));
        produced(&reply).remove(0)
    }

    /// Appends one batch, which must succeed; gives its first offset.
    pub fn append(&mut self, topic: &str, partition: i32, batch: &[u8]) -> i64 {
        let produced = self.produce(topic, partition, batch);
        assert_eq!(produced.error, ErrorCode::None, "{:?}", produced.message);
        produced.base_offset
    }

    /// Reads one partition without waiting.
    pub fn fetch(&mut self, topic: &str, partition: i32, offset: i64) -> Fetched {
        let reply = self.ask(FETCH, &fetch_request(&[(topic, partition, offset)]));
        fetched(&reply).remove(0)
    }

    /// Reads a partition's values, all of them.
    pub fn read_all(&mut self, topic: &str, partition: i32) -> Vec<String> {
        let (mut values, mut offset) = (Vec::new(), 0);
        loop {
            let fetched = self.fetch(topic, partition, offset);
            assert_eq!(fetched.error, ErrorCode::None);
            let records = records(&fetched.records);
            match records.last() {
                Some((last, _)) => offset = last + 1,
                None => return values,
            }
            values.extend(records.into_iter().map(|(_, value)| value));
        }
    }

    /// Looks an offset up: error, offset, timestamp, leader epoch.
    pub fn offset_for(&mut self, topic: &str, partition: i32, timestamp: i64) -> (ErrorCode, i64, i64, i32) {
        let partitions =
            vec![ListOffsetsPartition { partition_index: partition, timestamp, ..Default::default() }];
        let topics = vec![ListOffsetsTopic { name: topic, partitions }];
        let reply = self.ask(11, &ListOffsetsRequest { replica_id: -1, topics, ..Default::default() });
        let response: ListOffsetsResponse<'_> = reply.read();
        let found = &response.topics[0].partitions[0];
        (error(found.error_code), found.offset, found.timestamp, found.leader_epoch)
    }

    /// A new idempotent producer's id.
    pub fn producer_id(&mut self) -> i64 {
        let asked = InitProducerIdRequest {
            transactional_id: None,
            transaction_timeout_ms: 60_000,
            producer_id: -1,
            producer_epoch: -1,
            ..Default::default()
        };
        let reply = self.ask(4, &asked);
        let response: InitProducerIdResponse = reply.read();
        assert_eq!((response.error_code, response.producer_epoch), (0, 0));
        response.producer_id
    }

    /// The metadata of one topic, which is not created: error, id, partitions' leaders and epochs.
    pub fn describe(&mut self, name: &str) -> (ErrorCode, Uuid, Vec<(i32, i32)>) {
        let topics = Some(vec![MetadataRequestTopic { name: Some(name), ..Default::default() }]);
        let reply =
            self.ask(12, &MetadataRequest { topics, allow_auto_topic_creation: false, ..Default::default() });
        let response: MetadataResponse<'_> = reply.read();
        let topic = &response.topics[0];
        let partitions = topic.partitions.iter().map(|p| (p.leader_id, p.leader_epoch)).collect();
        (error(topic.error_code), topic.topic_id, partitions)
    }
}
