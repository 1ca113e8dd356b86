//! A light producer for measuring: pre-built batches over blocking sockets, so that a broker on another core is what is measured.
//!
//!     cargo run --release -p ringlog --example produce_load -- --bootstrap 127.0.0.1:9092 --mib 2048
//!
//! With `--keys N` the records have keys of 16 bytes that count up to N and begin again, and each batch is built when it is sent.
//!
//! Closed loop: each connection keeps `--in-flight` requests under way, one batch of one partition each. An amount is sent and
//! no time is waited for, so that two brokers that are compared do the same work, and neither meets the kernel's limit of dirty
//! pages just because it is faster.

use std::collections::VecDeque;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use protocol::messages::create_topics_request::{CreatableTopic, CreateTopicsRequest};
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::metadata_response::MetadataResponse;
use protocol::messages::produce_request::{PartitionProduceData, ProduceRequest, TopicProduceData};
use protocol::messages::produce_response::ProduceResponse;
use protocol::{ApiKey, Decoder, Message, RequestHeader, decode_response_header, encode_request};
use storage::batch::BatchBuilder;

/// Versions that Kafka 2.4 and everything later speaks.
const CREATE_TOPICS: i16 = 5;
const METADATA: i16 = 9;
const PRODUCE: i16 = 9;

const TOPIC_ALREADY_EXISTS: i16 = 36;

struct Settings {
    bootstrap: String,
    topic: String,
    partitions: i32,
    connections: i32,
    in_flight: usize,
    batch_records: usize,
    record_bytes: usize,
    /// How many different keys the records have; none if 0.
    keys: u64,
    acks: i16,
    warmup_mib: usize,
    mib: usize,
    /// Touch so much memory, and do nothing else.
    touch_mib: usize,
}

impl Settings {
    /// How many requests carry so much payload.
    fn requests_in(&self, mib: usize) -> usize {
        (mib << 20) / (self.batch_records * self.record_bytes)
    }
}

/// A request that was answered after the warm-up.
struct Seen {
    sent: Instant,
    acknowledged: Instant,
}

fn main() -> ExitCode {
    let settings = match settings(std::env::args().skip(1)) {
        Ok(settings) => settings,
        Err(fault) => {
            eprintln!("produce_load: {fault}");
            return ExitCode::from(2);
        }
    };
    if settings.touch_mib > 0 {
        touch(settings.touch_mib);
        return ExitCode::SUCCESS;
    }
    make_topic(&settings);
    let claimed = AtomicUsize::new(0);
    let seen: Vec<Vec<Seen>> = std::thread::scope(|scope| {
        let (settings, claimed) = (&settings, &claimed);
        let spawn = |number| scope.spawn(move || load(settings, number, claimed));
        let running: Vec<_> = (0..settings.connections).map(spawn).collect();
        running.into_iter().map(|one| one.join().expect("a connection that ran to its end")).collect()
    });
    report(&settings, seen.into_iter().flatten().collect());
    ExitCode::SUCCESS
}

/// Makes the machine hand over memory before anything is measured: the first touch of a page can cost more than its use.
fn touch(mib: usize) {
    let mut memory = vec![0_u8; mib << 20];
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    std::hint::black_box(&memory);
}

fn make_topic(settings: &Settings) {
    let mut line = Line::open(&settings.bootstrap);
    let topic = CreatableTopic {
        name: &settings.topic,
        num_partitions: settings.partitions,
        replication_factor: 1,
        ..CreatableTopic::default()
    };
    let request = CreateTopicsRequest { topics: vec![topic], timeout_ms: 30_000, ..Default::default() };
    let frame = line.ask(&request_frame(ApiKey::CreateTopics, CREATE_TOPICS, &request));
    let answer: CreateTopicsResponse = decode(&frame, ApiKey::CreateTopics, CREATE_TOPICS);
    let code = answer.topics[0].error_code;
    assert!(code == 0 || code == TOPIC_ALREADY_EXISTS, "the topic was not made: error {code}");
    wait_for_leaders(settings, &mut line);
}

fn wait_for_leaders(settings: &Settings, line: &mut Line) {
    let name = MetadataRequestTopic { name: Some(&settings.topic), ..Default::default() };
    let request = MetadataRequest { topics: Some(vec![name]), ..Default::default() };
    let request = request_frame(ApiKey::Metadata, METADATA, &request);
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let frame = line.ask(&request);
        let answer: MetadataResponse = decode(&frame, ApiKey::Metadata, METADATA);
        let partitions = &answer.topics[0].partitions;
        let led = partitions.iter().filter(|p| p.error_code == 0 && p.leader_id >= 0).count();
        if led == settings.partitions as usize {
            return;
        }
        assert!(Instant::now() < deadline, "{led} of {} partitions have a leader", settings.partitions);
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// One connection: requests go round its partitions until all connections together have sent enough.
fn load(settings: &Settings, number: i32, claimed: &AtomicUsize) -> Vec<Seen> {
    let own: Vec<i32> = (number..settings.partitions).step_by(settings.connections as usize).collect();
    let frames: Vec<Vec<u8>> = own.iter().map(|partition| produce_frame(settings, *partition, 0)).collect();
    let mut line = Line::open(&settings.bootstrap);
    let mut under_way = VecDeque::new();
    let mut seen = Vec::new();
    let mut next = frames.iter().cycle();
    let warmup = settings.requests_in(settings.warmup_mib);
    let end = warmup + settings.requests_in(settings.mib);
    loop {
        while under_way.len() < settings.in_flight {
            let claim = claimed.fetch_add(1, Ordering::Relaxed);
            if claim >= end {
                break;
            }
            let frame = next.next().expect("a connection has a partition");
            if settings.keys == 0 {
                line.send(frame);
            } else {
                let partition = own[claim / settings.connections as usize % own.len()];
                let first_key = (claim * settings.batch_records) as u64;
                line.send(&produce_frame(settings, partition, first_key));
            }
            under_way.push_back((claim, Instant::now()));
        }
        let Some((claim, sent)) = under_way.pop_front() else { return seen };
        let accepted = is_accepted(&line.receive());
        // A broker may still be finding its feet while the warm-up lasts.
        assert!(accepted || claim < warmup, "a produce was refused");
        if claim >= warmup {
            seen.push(Seen { sent, acknowledged: Instant::now() });
        }
    }
}

fn produce_frame(settings: &Settings, partition: i32, first_key: u64) -> Vec<u8> {
    let key = |i| {
        let number = (first_key + i as u64).checked_rem(settings.keys)?;
        Some(format!("{number:016x}"))
    };
    let value: Vec<u8> = (0..settings.record_bytes).map(|i| (i * 31 + 7) as u8).collect();
    let batch = (0..settings.batch_records)
        .fold(BatchBuilder::new(), |batch, i| {
            batch.record(1_700_000_000_000 + i as i64, key(i).as_deref().map(str::as_bytes), Some(&value))
        })
        .build();
    let data = PartitionProduceData { index: partition, records: Some(&batch) };
    let topic = TopicProduceData { name: &settings.topic, partition_data: vec![data], ..Default::default() };
    let request = ProduceRequest {
        acks: settings.acks,
        timeout_ms: 30_000,
        topic_data: vec![topic],
        ..Default::default()
    };
    request_frame(ApiKey::Produce, PRODUCE, &request)
}

fn is_accepted(frame: &[u8]) -> bool {
    let answer: ProduceResponse = decode(frame, ApiKey::Produce, PRODUCE);
    let partitions = answer.responses.iter().flat_map(|topic| &topic.partition_responses);
    partitions.map(|partition| partition.error_code).eq([0])
}

fn report(settings: &Settings, seen: Vec<Seen>) {
    let begin = seen.iter().map(|seen| seen.sent).min().expect("something was measured");
    let end = seen.iter().map(|seen| seen.acknowledged).max().expect("something was measured");
    let mut latencies: Vec<f64> =
        seen.iter().map(|seen| (seen.acknowledged - seen.sent).as_secs_f64() * 1e3).collect();
    latencies.sort_unstable_by(f64::total_cmp);
    let at = |part: f64| latencies[(latencies.len() as f64 * part) as usize];
    println!(
        "{:.1} MiB/s  p50 {:.2} ms  p99 {:.2} ms  {} MiB in {:.2} s",
        settings.mib as f64 / (end - begin).as_secs_f64(),
        at(0.50),
        at(0.99),
        settings.mib,
        (end - begin).as_secs_f64(),
    );
}

fn request_frame<'a>(key: ApiKey, version: i16, body: &impl Message<'a>) -> Vec<u8> {
    let header = RequestHeader {
        api_key: key.code(),
        api_version: version,
        correlation_id: 0,
        client_id: Some("produce_load"),
    };
    encode_request(&header, body)
}

fn decode<'a, M: Message<'a>>(frame: &'a [u8], key: ApiKey, version: i16) -> M {
    let mut d = Decoder::new(frame);
    decode_response_header(&mut d, key, version).expect("a response header");
    M::decode(&mut d, version).expect("a response")
}

/// A blocking connection that sends and receives whole frames.
struct Line {
    out: TcpStream,
    back: BufReader<TcpStream>,
}

impl Line {
    fn open(bootstrap: &str) -> Line {
        let out = TcpStream::connect(bootstrap).expect("a broker listens there");
        out.set_nodelay(true).expect("TCP_NODELAY");
        let back = BufReader::new(out.try_clone().expect("a second handle"));
        Line { out, back }
    }

    fn send(&mut self, frame: &[u8]) {
        self.out.write_all(frame).expect("the broker keeps the connection");
    }

    /// One frame without its size prefix.
    fn receive(&mut self) -> Vec<u8> {
        let mut size = [0; 4];
        self.back.read_exact(&mut size).expect("the broker answers");
        let mut frame = vec![0; u32::from_be_bytes(size) as usize];
        self.back.read_exact(&mut frame).expect("the broker answers");
        frame
    }

    fn ask(&mut self, frame: &[u8]) -> Vec<u8> {
        self.send(frame);
        self.receive()
    }
}

fn settings(mut words: impl Iterator<Item = String>) -> Result<Settings, String> {
    let mut settings = Settings {
        bootstrap: "127.0.0.1:9092".into(),
        topic: "produce-load".into(),
        partitions: 6,
        connections: 3,
        in_flight: 5,
        batch_records: 64,
        record_bytes: 1024,
        keys: 0,
        acks: 1,
        warmup_mib: 512,
        mib: 2048,
        touch_mib: 0,
    };
    while let Some(name) = words.next() {
        let value = words.next().ok_or_else(|| format!("{name} wants a value"))?;
        match name.as_str() {
            "--bootstrap" => settings.bootstrap = value,
            "--topic" => settings.topic = value,
            "--partitions" => settings.partitions = number(&name, &value)?,
            "--connections" => settings.connections = number(&name, &value)?,
            "--in-flight" => settings.in_flight = number(&name, &value)?,
            "--batch-records" => settings.batch_records = number(&name, &value)?,
            "--record-bytes" => settings.record_bytes = number(&name, &value)?,
            "--keys" => settings.keys = number(&name, &value)?,
            "--acks" => settings.acks = number(&name, &value)?,
            "--warmup-mib" => settings.warmup_mib = number(&name, &value)?,
            "--mib" => settings.mib = number(&name, &value)?,
            "--touch-only" => settings.touch_mib = number(&name, &value)?,
            _ => return Err(format!("unknown: {name}")),
        }
    }
    if settings.acks == 0
        || settings.mib == 0
        || settings.connections < 1
        || settings.partitions < settings.connections
    {
        return Err("wants acknowledgements, an amount, and a partition for each connection".into());
    }
    Ok(settings)
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{name}: not a number: {value}"))
}
