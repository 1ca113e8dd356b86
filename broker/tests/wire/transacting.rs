//! A transactional producer in a line: what tests of transactions ask again and again.

use protocol::ErrorCode;
use protocol::messages::add_offsets_to_txn_request::AddOffsetsToTxnRequest;
use protocol::messages::add_offsets_to_txn_response::AddOffsetsToTxnResponse;
use protocol::messages::add_partitions_to_txn_request::{AddPartitionsToTxnRequest, AddPartitionsToTxnTopic};
use protocol::messages::add_partitions_to_txn_response::AddPartitionsToTxnResponse;
use protocol::messages::delete_records_request::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic,
};
use protocol::messages::delete_records_response::DeleteRecordsResponse;
use protocol::messages::describe_producers_request::{DescribeProducersRequest, TopicRequest};
use protocol::messages::describe_producers_response::DescribeProducersResponse;
use protocol::messages::describe_transactions_request::DescribeTransactionsRequest;
use protocol::messages::describe_transactions_response::DescribeTransactionsResponse;
use protocol::messages::end_txn_request::EndTxnRequest;
use protocol::messages::end_txn_response::EndTxnResponse;
use protocol::messages::fetch_response::FetchResponse;
use protocol::messages::find_coordinator_request::FindCoordinatorRequest;
use protocol::messages::find_coordinator_response::FindCoordinatorResponse;
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use protocol::messages::list_offsets_response::ListOffsetsResponse;
use protocol::messages::offset_commit_request::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use protocol::messages::offset_commit_response::OffsetCommitResponse;
use protocol::messages::offset_fetch_request::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics,
};
use protocol::messages::offset_fetch_response::OffsetFetchResponse;
use protocol::messages::txn_offset_commit_request::{
    TxnOffsetCommitRequest, TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic,
};
use protocol::messages::txn_offset_commit_response::TxnOffsetCommitResponse;
use protocol::messages::write_txn_markers_request::{
    WritableTxnMarker, WritableTxnMarkerTopic, WriteTxnMarkersRequest,
};
use protocol::messages::write_txn_markers_response::WriteTxnMarkersResponse;
use storage::batch::BatchBuilder;
use storage::{ProducerEpoch, ProducerId, Sequence};

use crate::calls::{FETCH, Produced, batches, error, fetch_request, produce_request, produced};
use crate::harness::{Client, Rig, WALL_MS};

/// The versions that clients of transactions version 2 and of version 1 use.
pub const V2: Versions = Versions { produce: 12, end: 5, offsets: 5 };
pub const V1: Versions = Versions { produce: 11, end: 4, offsets: 4 };

pub const OK: ErrorCode = ErrorCode::None;
/// How a transaction ends.
pub const ABORTED: bool = false;
pub const COMMITTED: bool = true;

pub fn in_both(test: impl Fn(Versions)) {
    [V1, V2].into_iter().for_each(test);
}

/// A topic "t" on a node, and a coordinator for group "g".
pub fn with_topic(rig: Rig, partitions: i32) -> (Rig, Client) {
    let mut client = rig.connect();
    client.create("t", partitions);
    client.find_group("g");
    (rig, client)
}

/// What a client of a version of transactions sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    pub produce: i16,
    pub end: i16,
    pub offsets: i16,
}

/// A transactional producer as its client library keeps it.
#[derive(Debug, Clone)]
pub struct Producer {
    pub txn: &'static str,
    pub id: i64,
    pub epoch: i16,
    pub versions: Versions,
    pub timeout_ms: i32,
}

/// A batch of a transaction.
pub fn in_transaction(id: i64, epoch: i16, first: i32, values: &[&str]) -> Vec<u8> {
    let builder = BatchBuilder::new()
        .producer(ProducerId(id), ProducerEpoch(epoch), Sequence(first))
        .attributes(1 << 4);
    values.iter().fold(builder, |b, value| b.record(WALL_MS, Some(b"k"), Some(value.as_bytes()))).build()
}

/// What a reader of committed records sees of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stable {
    /// The values of records that belong to no aborted transaction.
    pub values: Vec<String>,
    pub last_stable_offset: i64,
    pub high_watermark: i64,
    /// Producer ids and first offsets.
    pub aborted: Vec<(i64, i64)>,
    /// Where the reader goes on.
    pub next: i64,
}

impl Producer {
    pub fn new(client: &mut Client, txn: &'static str, versions: Versions) -> Producer {
        let mut producer = Producer { txn, id: -1, epoch: -1, versions, timeout_ms: 60_000 };
        client.find_transaction(txn);
        producer.init(client);
        producer
    }

    /// InitProducerId as clients do it: again and again while the transaction before is being ended.
    pub fn init(&mut self, client: &mut Client) {
        for _ in 0..100 {
            match self.try_init(client) {
                ErrorCode::None => return,
                ErrorCode::ConcurrentTransactions | ErrorCode::CoordinatorLoadInProgress => {
                    client.rig.pass_ms(50);
                }
                other => panic!("init: {other:?}"),
            }
        }
        panic!("the transactional id never becomes usable");
    }

    /// InitProducerId once, as a new producer.
    pub fn try_init(&mut self, client: &mut Client) -> ErrorCode {
        let (code, id, epoch) = client.init_producer(self.txn, self.timeout_ms, None);
        if code == ErrorCode::None {
            (self.id, self.epoch) = (id, epoch);
        }
        code
    }

    /// Produces values with the sequence `first`; adds the partition before if that is the client's to do.
    pub fn send(
        &self,
        client: &mut Client,
        topic: &str,
        partition: i32,
        first: i32,
        values: &[&str],
    ) -> Produced {
        if self.versions == V1 {
            assert_eq!(self.add(client, topic, partition), ErrorCode::None);
        }
        self.produce(client, topic, partition, first, values)
    }

    /// Produces values, without adding the partition.
    pub fn produce(
        &self,
        client: &mut Client,
        topic: &str,
        partition: i32,
        first: i32,
        values: &[&str],
    ) -> Produced {
        let batch = in_transaction(self.id, self.epoch, first, values);
        let mut request = produce_request(&[(topic, partition, &batch)]);
        request.transactional_id = Some(self.txn);
        produced(&client.ask(self.versions.produce, &request)).remove(0)
    }

    pub fn add(&self, client: &mut Client, topic: &str, partition: i32) -> ErrorCode {
        client.add_partitions(self, &[(topic, partition)])[0]
    }

    /// EndTxn once, as this client; in version 2 it takes over what it is told.
    pub fn end(&mut self, client: &mut Client, committed: bool) -> ErrorCode {
        let (code, id, epoch) = client.end_transaction(self, committed);
        if code == ErrorCode::None && self.versions == V2 {
            (self.id, self.epoch) = (id, epoch);
        }
        code
    }

    /// Ends a transaction, which must succeed, and lets its markers be written.
    pub fn end_well(&mut self, client: &mut Client, committed: bool) {
        assert_eq!(self.end(client, committed), ErrorCode::None);
        client.rig.settle();
    }

    /// TxnOffsetCommit, with AddOffsetsToTxn before if that is the client's to do.
    pub fn commit_offset(&self, client: &mut Client, group: &str, topic: &str, offset: i64) -> ErrorCode {
        if self.versions == V1 {
            let asked = AddOffsetsToTxnRequest {
                transactional_id: self.txn,
                producer_id: self.id,
                producer_epoch: self.epoch,
                group_id: group,
            };
            let reply = client.ask(4, &asked);
            assert_eq!(error(reply.read::<AddOffsetsToTxnResponse>().error_code), ErrorCode::None);
        }
        self.commit_offset_only(client, group, topic, offset)
    }

    pub fn commit_offset_only(
        &self,
        client: &mut Client,
        group: &str,
        topic: &str,
        offset: i64,
    ) -> ErrorCode {
        let asked = TxnOffsetCommitRequest {
            transactional_id: self.txn,
            group_id: group,
            producer_id: self.id,
            producer_epoch: self.epoch,
            generation_id: -1,
            member_id: "",
            group_instance_id: None,
            topics: vec![TxnOffsetCommitRequestTopic {
                name: topic,
                partitions: vec![TxnOffsetCommitRequestPartition {
                    partition_index: 0,
                    committed_offset: offset,
                    committed_leader_epoch: -1,
                    committed_metadata: Some(""),
                }],
            }],
        };
        let reply = client.ask(self.versions.offsets, &asked);
        error(reply.read::<TxnOffsetCommitResponse<'_>>().topics[0].partitions[0].error_code)
    }
}

impl Client {
    /// FindCoordinator for a transactional id, which makes the topic.
    pub fn find_transaction(&mut self, txn: &str) {
        let asked = FindCoordinatorRequest { key_type: 1, coordinator_keys: vec![txn], ..Default::default() };
        let reply = self.ask(6, &asked);
        let response: FindCoordinatorResponse<'_> = reply.read();
        assert_eq!(error(response.coordinators[0].error_code), ErrorCode::None);
    }

    /// FindCoordinator for a group, which makes the topic.
    pub fn find_group(&mut self, group: &str) {
        let asked =
            FindCoordinatorRequest { key_type: 0, coordinator_keys: vec![group], ..Default::default() };
        let reply = self.ask(6, &asked);
        let response: FindCoordinatorResponse<'_> = reply.read();
        assert_eq!(error(response.coordinators[0].error_code), ErrorCode::None);
    }

    pub fn init_producer(
        &mut self,
        txn: &str,
        timeout_ms: i32,
        expected: Option<(i64, i16)>,
    ) -> (ErrorCode, i64, i16) {
        let (producer_id, producer_epoch) = expected.unwrap_or((-1, -1));
        let asked = InitProducerIdRequest {
            transactional_id: Some(txn),
            transaction_timeout_ms: timeout_ms,
            producer_id,
            producer_epoch,
            ..Default::default()
        };
        let reply = self.ask(5, &asked);
        let response: InitProducerIdResponse = reply.read();
        (error(response.error_code), response.producer_id, response.producer_epoch)
    }

    /// AddPartitionsToTxn, one error a partition.
    pub fn add_partitions(&mut self, producer: &Producer, partitions: &[(&str, i32)]) -> Vec<ErrorCode> {
        let topics = partitions
            .iter()
            .map(|&(name, partition)| AddPartitionsToTxnTopic { name, partitions: vec![partition] });
        let asked = AddPartitionsToTxnRequest {
            v3_and_below_transactional_id: producer.txn,
            v3_and_below_producer_id: producer.id,
            v3_and_below_producer_epoch: producer.epoch,
            v3_and_below_topics: topics.collect(),
            ..Default::default()
        };
        let reply = self.ask(3, &asked);
        let response: AddPartitionsToTxnResponse<'_> = reply.read();
        let results = response.results_by_topic_v3_and_below.iter().flat_map(|t| &t.results_by_partition);
        results.map(|result| error(result.partition_error_code)).collect()
    }

    pub fn end_transaction(&mut self, producer: &Producer, committed: bool) -> (ErrorCode, i64, i16) {
        let asked = EndTxnRequest {
            transactional_id: producer.txn,
            producer_id: producer.id,
            producer_epoch: producer.epoch,
            committed,
        };
        let reply = self.ask(producer.versions.end, &asked);
        let response: EndTxnResponse = reply.read();
        (error(response.error_code), response.producer_id, response.producer_epoch)
    }

    /// Sends an EndTxn and does not wait.
    pub fn send_end(&mut self, producer: &Producer, committed: bool) {
        let asked = EndTxnRequest {
            transactional_id: producer.txn,
            producer_id: producer.id,
            producer_epoch: producer.epoch,
            committed,
        };
        self.send(producer.versions.end, &asked);
    }

    /// OffsetCommit of a client without a group, for partition 0 of a topic.
    pub fn commit_plain(&mut self, group: &str, topic: &str, offset: i64) {
        let partition = OffsetCommitRequestPartition {
            committed_offset: offset,
            committed_leader_epoch: -1,
            ..Default::default()
        };
        let topics =
            vec![OffsetCommitRequestTopic { name: topic, partitions: vec![partition], ..Default::default() }];
        let asked = OffsetCommitRequest {
            group_id: group,
            generation_id_or_member_epoch: -1,
            topics,
            ..Default::default()
        };
        let reply = self.ask(8, &asked);
        let response: OffsetCommitResponse<'_> = reply.read();
        assert_eq!(error(response.topics[0].partitions[0].error_code), ErrorCode::None);
    }

    /// DeleteRecords before an offset.
    pub fn trim(&mut self, topic: &str, partition_index: i32, offset: i64) {
        let partitions = vec![DeleteRecordsPartition { partition_index, offset }];
        let topics = vec![DeleteRecordsTopic { name: topic, partitions }];
        let reply = self.ask(2, &DeleteRecordsRequest { topics, timeout_ms: 30_000 });
        let response: DeleteRecordsResponse<'_> = reply.read();
        assert_eq!(error(response.topics[0].partitions[0].error_code), ErrorCode::None);
    }

    /// WriteTxnMarkers: aborts what a producer has open in partition 0 of a topic.
    pub fn write_marker(
        &mut self,
        producer: &Producer,
        topic: &str,
        epoch: i16,
        coordinator: i32,
    ) -> ErrorCode {
        let topics = vec![WritableTxnMarkerTopic { name: topic, partition_indexes: vec![0] }];
        let marker = WritableTxnMarker {
            producer_id: producer.id,
            producer_epoch: epoch,
            transaction_result: false,
            topics,
            coordinator_epoch: coordinator,
            ..Default::default()
        };
        let reply = self.ask(1, &WriteTxnMarkersRequest { markers: vec![marker] });
        let response: WriteTxnMarkersResponse<'_> = reply.read();
        error(response.markers[0].topics[0].partitions[0].error_code)
    }

    /// Kafka's word for where a transactional id stands.
    pub fn transaction_state(&mut self, txn: &str) -> Result<String, ErrorCode> {
        let reply = self.ask(0, &DescribeTransactionsRequest { transactional_ids: vec![txn] });
        let response: DescribeTransactionsResponse<'_> = reply.read();
        let state = &response.transaction_states[0];
        match error(state.error_code) {
            ErrorCode::None => Ok(state.transaction_state.to_owned()),
            code => Err(code),
        }
    }

    /// Reads a partition once, as a consumer of committed records does.
    pub fn read_stable(&mut self, topic: &str, partition: i32, offset: i64) -> Stable {
        let mut request = fetch_request(&[(topic, partition, offset)]);
        request.isolation_level = 1;
        let reply = self.ask(FETCH, &request);
        let response: FetchResponse<'_> = reply.read();
        let found = &response.responses[0].partitions[0];
        assert_eq!(error(found.error_code), ErrorCode::None);
        let aborted = found.aborted_transactions.as_ref().expect("a list for readers of committed records");
        let aborted: Vec<(i64, i64)> =
            aborted.iter().map(|txn| (txn.producer_id, txn.first_offset)).collect();
        let (values, next) = consume(found.records.unwrap_or_default(), &aborted, offset);
        Stable {
            values,
            last_stable_offset: found.last_stable_offset,
            high_watermark: found.high_watermark,
            aborted,
            next,
        }
    }

    /// Where a reader of committed records finds the end.
    pub fn stable_end(&mut self, topic: &str, partition: i32) -> i64 {
        let partitions =
            vec![ListOffsetsPartition { partition_index: partition, timestamp: -1, ..Default::default() }];
        let topics = vec![ListOffsetsTopic { name: topic, partitions }];
        let asked = ListOffsetsRequest { replica_id: -1, isolation_level: 1, topics, ..Default::default() };
        let reply = self.ask(11, &asked);
        let response: ListOffsetsResponse<'_> = reply.read();
        response.topics[0].partitions[0].offset
    }

    /// A group's offset in partition 0 of a topic.
    pub fn committed(&mut self, group: &str, topic: &str, require_stable: bool) -> Result<i64, ErrorCode> {
        let topics =
            vec![OffsetFetchRequestTopics { name: topic, partition_indexes: vec![0], ..Default::default() }];
        let groups =
            vec![OffsetFetchRequestGroup { group_id: group, topics: Some(topics), ..Default::default() }];
        let reply = self.ask(9, &OffsetFetchRequest { groups, require_stable, ..Default::default() });
        let response: OffsetFetchResponse<'_> = reply.read();
        assert_eq!(error(response.groups[0].error_code), ErrorCode::None);
        let found = &response.groups[0].topics[0].partitions[0];
        match error(found.error_code) {
            ErrorCode::None => Ok(found.committed_offset),
            code => Err(code),
        }
    }

    /// The producers of a partition: id, epoch, last sequence, where the open transaction begins.
    pub fn producers(&mut self, topic: &str, partition: i32) -> Vec<(i64, i32, i32, i64)> {
        let topics = vec![TopicRequest { name: topic, partition_indexes: vec![partition] }];
        let reply = self.ask(0, &DescribeProducersRequest { topics });
        let response: DescribeProducersResponse<'_> = reply.read();
        let found = &response.topics[0].partitions[0];
        assert_eq!(error(found.error_code), ErrorCode::None);
        let producers = found.active_producers.iter();
        producers
            .map(|p| (p.producer_id, p.producer_epoch, p.last_sequence, p.current_txn_start_offset))
            .collect()
    }
}

/// What a client library makes of a fetch of committed records (Q55): the values, and where it goes on.
fn consume(bytes: &[u8], aborted: &[(i64, i64)], offset: i64) -> (Vec<String>, i64) {
    let (mut values, mut next) = (Vec::new(), offset);
    let mut coming: Vec<(i64, i64)> = aborted.to_vec();
    coming.sort_by_key(|(_, first)| *first);
    let mut dropped: Vec<i64> = Vec::new();
    for (header, batch) in batches(bytes) {
        let producer = header.producer_id.0;
        while coming.first().is_some_and(|(_, first)| *first <= header.last_offset().0) {
            dropped.push(coming.remove(0).0);
        }
        next = header.last_offset().0 + 1;
        if header.attributes.is_control() {
            let marker = storage::Marker::parse(&header, batch);
            if marker.is_some_and(|marker| !marker.is_commit) {
                dropped.retain(|id| *id != producer);
            }
        } else if !(header.attributes.is_transactional() && dropped.contains(&producer)) {
            values.extend(crate::calls::values(batch));
        }
    }
    (values, next)
}
