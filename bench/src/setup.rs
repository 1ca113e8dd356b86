//! What a run needs before it begins: a topic with leaders, producer ids, and records to read.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig, CreateTopicsRequest};
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::delete_topics_request::DeleteTopicsRequest;
use protocol::messages::delete_topics_response::DeleteTopicsResponse;
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use protocol::messages::list_offsets_response::ListOffsetsResponse;
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::metadata_response::MetadataResponse;
use protocol::messages::produce_response::ProduceResponse;
use protocol::{ApiKey, Decoder, ErrorCode, Message, decode_response_header};
use storage::{ProducerEpoch, ProducerId};

use crate::Fault;
use crate::load::Batches;
use crate::scenario::{Durability, Scenario};

/// Versions that Kafka 2.4 and everything later speaks.
const CREATE_TOPICS: i16 = 5;
const DELETE_TOPICS: i16 = 4;
const METADATA: i16 = 9;
const INIT_PRODUCER_ID: i16 = 2;
const LIST_OFFSETS: i16 = 5;
const PRODUCE: i16 = 9;

/// How long a broker may take for any of these.
const WAIT: Duration = Duration::from_secs(120);

/// Requests under way while a topic is filled.
const FILL_IN_FLIGHT: usize = 5;

/// The first address that a HOST:PORT stands for.
pub fn resolve(address: &str) -> Result<SocketAddr, Fault> {
    let mut found = address.to_socket_addrs().map_err(|error| Fault::of(address, error))?;
    found.next().ok_or_else(|| Fault::of(address, "no such host"))
}

/// A blocking connection that sends and receives whole frames.
pub struct Line {
    out: TcpStream,
    back: BufReader<TcpStream>,
}

impl Line {
    /// Connects, or says why not.
    pub fn open(address: SocketAddr) -> Result<Line, Fault> {
        let open = || {
            let out = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
            out.set_nodelay(true)?;
            out.set_read_timeout(Some(WAIT))?;
            let back = BufReader::new(out.try_clone()?);
            Ok(Line { out, back })
        };
        open().map_err(|error: std::io::Error| Fault::of(format!("no broker at {address}"), error))
    }

    fn send(&mut self, frame: &[u8]) -> Result<(), Fault> {
        self.out.write_all(frame).map_err(|error| Fault::of("the broker takes no request", error))
    }

    fn receive(&mut self) -> Result<Vec<u8>, Fault> {
        let mut receive = || {
            let mut size = [0; 4];
            self.back.read_exact(&mut size)?;
            let mut frame = Vec::new();
            let size = u64::from(u32::from_be_bytes(size));
            (&mut self.back).take(size).read_to_end(&mut frame)?;
            if (frame.len() as u64) < size {
                Err(std::io::ErrorKind::UnexpectedEof.into())
            } else {
                Ok(frame)
            }
        };
        receive().map_err(|error: std::io::Error| Fault::of("the broker does not answer", error))
    }

    /// Asks, and gives the whole answer's frame.
    pub fn ask<'a>(
        &mut self,
        key: ApiKey,
        version: i16,
        request: &impl Message<'a>,
    ) -> Result<Vec<u8>, Fault> {
        self.send(&crate::load::request_frame(key, version, request))?;
        self.receive()
    }
}

fn decode<'a, M: Message<'a>>(frame: &'a [u8], key: ApiKey, version: i16) -> Result<M, Fault> {
    let mut d = Decoder::new(frame);
    let message = decode_response_header(&mut d, key, version).and_then(|_| M::decode(&mut d, version));
    message.map_err(|error| Fault::of(M::NAME, error))
}

fn check(what: &str, code: i16) -> Result<(), Fault> {
    match ErrorCode::from_code(code) {
        Some(ErrorCode::None) => Ok(()),
        Some(error) => Err(Fault::of(what, format!("{error:?}"))),
        None => Err(Fault::of(what, format!("error {code}"))),
    }
}

/// Makes the scenario's topic, and waits for its leaders.
pub fn create_topic(line: &mut Line, scenario: &Scenario, topic: &str) -> Result<(), Fault> {
    let ours = match scenario.durability {
        Durability::Default => None,
        Durability::Disk => Some(("ringlog.durability", "disk")),
        Durability::PageCache => Some(("ringlog.durability", "os")),
    };
    let theirs = (scenario.durability == Durability::Disk).then_some(("flush.messages", "1"));
    let mut code = create(line, scenario, topic, ours)?;
    if code == ErrorCode::InvalidConfig.code() && ours.is_some() {
        // Kafka's way to have records on stable storage before they are acknowledged.
        code = create(line, scenario, topic, theirs)?;
    }
    check("the topic was not made", code)?;
    wait_for_leaders(line, scenario, topic)?;
    wait_until_led(line, scenario, topic)
}

/// Metadata names a leader a little before it leads: waits until all partitions say where they end.
fn wait_until_led(line: &mut Line, scenario: &Scenario, topic: &str) -> Result<(), Fault> {
    let deadline = Instant::now() + WAIT;
    loop {
        match ends(line, scenario, topic) {
            Err(_) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(20)),
            found => return found.map(|_| ()),
        }
    }
}

fn create(
    line: &mut Line,
    scenario: &Scenario,
    name: &str,
    setting: Option<(&str, &str)>,
) -> Result<i16, Fault> {
    let configs = setting.into_iter().map(|(name, value)| CreatableTopicConfig { name, value: Some(value) });
    let topic = CreatableTopic {
        name,
        num_partitions: scenario.partitions,
        replication_factor: 1,
        configs: configs.collect(),
        ..Default::default()
    };
    let request = CreateTopicsRequest { topics: vec![topic], timeout_ms: 60_000, ..Default::default() };
    let frame = line.ask(ApiKey::CreateTopics, CREATE_TOPICS, &request)?;
    let answer: CreateTopicsResponse<'_> = decode(&frame, ApiKey::CreateTopics, CREATE_TOPICS)?;
    let topic = answer.topics.first().ok_or_else(|| Fault("an answer about no topic".into()))?;
    Ok(topic.error_code)
}

fn wait_for_leaders(line: &mut Line, scenario: &Scenario, topic: &str) -> Result<(), Fault> {
    let name = MetadataRequestTopic { name: Some(topic), ..Default::default() };
    let request = MetadataRequest { topics: Some(vec![name]), ..Default::default() };
    let deadline = Instant::now() + WAIT;
    loop {
        let frame = line.ask(ApiKey::Metadata, METADATA, &request)?;
        let answer: MetadataResponse<'_> = decode(&frame, ApiKey::Metadata, METADATA)?;
        let partitions = answer.topics.iter().flat_map(|topic| &topic.partitions);
        let led = partitions.filter(|p| p.error_code == 0 && p.leader_id >= 0).count();
        if led == scenario.partitions as usize {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(Fault(format!("{led} of {} partitions have a leader", scenario.partitions)));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Deletes the scenario's topic, so that runs do not fill the disk.
pub fn delete_topic(line: &mut Line, topic: &str) -> Result<(), Fault> {
    let request = DeleteTopicsRequest { topic_names: vec![topic], timeout_ms: 60_000, ..Default::default() };
    let frame = line.ask(ApiKey::DeleteTopics, DELETE_TOPICS, &request)?;
    let answer: DeleteTopicsResponse<'_> = decode(&frame, ApiKey::DeleteTopics, DELETE_TOPICS)?;
    let code = answer.responses.first().map_or(0, |topic| topic.error_code);
    check("the topic was not deleted", code)
}

/// An id for each idempotent producer.
pub fn producer_ids(line: &mut Line, count: usize) -> Result<Vec<(ProducerId, ProducerEpoch)>, Fault> {
    let request = InitProducerIdRequest {
        transactional_id: None,
        transaction_timeout_ms: 60_000,
        ..Default::default()
    };
    let one = |_| {
        let frame = line.ask(ApiKey::InitProducerId, INIT_PRODUCER_ID, &request)?;
        let answer: InitProducerIdResponse = decode(&frame, ApiKey::InitProducerId, INIT_PRODUCER_ID)?;
        check("no producer id", answer.error_code)?;
        Ok((ProducerId(answer.producer_id), ProducerEpoch(answer.producer_epoch)))
    };
    (0..count).map(one).collect()
}

/// Where each partition ends.
pub fn ends(line: &mut Line, scenario: &Scenario, topic: &str) -> Result<Vec<i64>, Fault> {
    let partitions = (0..scenario.partitions).map(|partition_index| ListOffsetsPartition {
        partition_index,
        timestamp: -1,
        ..Default::default()
    });
    let topic = ListOffsetsTopic { name: topic, partitions: partitions.collect() };
    let request = ListOffsetsRequest { topics: vec![topic], ..Default::default() };
    let frame = line.ask(ApiKey::ListOffsets, LIST_OFFSETS, &request)?;
    let answer: ListOffsetsResponse<'_> = decode(&frame, ApiKey::ListOffsets, LIST_OFFSETS)?;
    let mut ends = vec![0; scenario.partitions as usize];
    for partition in answer.topics.iter().flat_map(|topic| &topic.partitions) {
        check("where a partition ends", partition.error_code)?;
        if let Some(end) = ends.get_mut(partition.partition_index as usize) {
            *end = partition.offset;
        }
    }
    Ok(ends)
}

/// Writes the records that are to be there before the run, with acks=1; `progress` is told of MiB written.
pub fn fill(
    line: &mut Line,
    scenario: &Scenario,
    topic: &str,
    wall_ms: i64,
    mut progress: impl FnMut(u64),
) -> Result<(), Fault> {
    let filling = Scenario { acks: 1, ..scenario.clone() };
    let mut batches = Batches::new(&filling, topic, wall_ms, None);
    let batch_bytes = (scenario.batch_records * scenario.record_bytes).max(1) as u64;
    let count = (scenario.preload_mib << 20).div_ceil(batch_bytes);
    let mut under_way = 0;
    for number in 0..count {
        let partition = (number % scenario.partitions as u64) as i32;
        line.send(&batches.frame(partition, scenario.batch_records, 0))?;
        under_way += 1;
        if under_way == FILL_IN_FLIGHT {
            accept(line)?;
            under_way -= 1;
        }
        progress((number * batch_bytes) >> 20);
    }
    (0..under_way).try_for_each(|_| accept(line))
}

fn accept(line: &mut Line) -> Result<(), Fault> {
    let frame = line.receive()?;
    let answer: ProduceResponse<'_> = decode(&frame, ApiKey::Produce, PRODUCE)?;
    let mut partitions = answer.responses.iter().flat_map(|topic| &topic.partition_responses);
    partitions.try_for_each(|partition| check("a batch of the preload", partition.error_code))
}
