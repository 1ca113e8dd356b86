//! Metrics and health of a real `ringlog start --http`: a process of its own, real sockets, real files.
//!
//! Nothing sleeps: what takes time is asked for again and again until it is there, or the deadline is.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use protocol::messages::create_topics_request::{CreatableTopic, CreateTopicsRequest};
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::fetch_response::FetchResponse;
use protocol::messages::produce_request::ProduceRequest;
use protocol::messages::produce_response::ProduceResponse;
use protocol::{ApiKey, Decoder, Message, RequestHeader, decode_response_header, encode_request};

use crate::calls::{FETCH, PRODUCE, batch, fetch_request, produce_request};

/// Whatever has not come after this time never will.
const PATIENCE: Duration = Duration::from_secs(20);

/// A broker in a directory of its own, which goes with it.
struct Process {
    child: Child,
    dir: PathBuf,
    kafka: SocketAddr,
    http: SocketAddr,
}

impl Process {
    fn start(name: &str, settings: &[&str]) -> Process {
        let dir = std::env::temp_dir().join(format!("ringlog-http-{}-{name}", std::process::id()));
        Process::start_in(dir, settings)
    }

    fn start_in(dir: PathBuf, settings: &[&str]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringlog"));
        command.args(["start", "--cores", "1", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]);
        command.arg("--data-dir").arg(&dir).args(["--set", "ringlog.journal.bytes=262144"]);
        for setting in settings {
            command.args(["--set", setting]);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut kafka, mut http) = (None, None);
        while let (true, Some(Ok(line))) = (kafka.is_none() || http.is_none(), lines.next()) {
            let address = |prefix: &str| {
                let rest = line.trim_start().strip_prefix(prefix)?.trim_start();
                rest.split([' ', ',']).next()?.trim_start_matches("http://").parse().ok()
            };
            kafka = kafka.or_else(|| address("listens on"));
            http = http.or_else(|| address("metrics"));
        }
        Process { child, dir, kafka: kafka.unwrap(), http: http.unwrap() }
    }

    /// Ends it, and gives its directory.
    fn end(mut self) -> PathBuf {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::take(&mut self.dir)
    }

    /// A request as it stands; the status, the head and the body of the answer.
    fn send(&self, request: &str) -> (u16, String, String) {
        let mut socket = self.connect();
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, head.to_owned(), body_of(head, body))
    }

    fn get(&self, path: &str) -> (u16, String) {
        let (status, _, body) = self.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"));
        (status, body)
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.http).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket
    }

    /// Asks until `is_so` of the answer, or patience ends; the answer.
    fn get_until(&self, path: &str, is_so: impl Fn(u16, &str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let (status, body) = self.get(path);
            if is_so(status, &body) {
                return body;
            }
            assert!(Instant::now() < deadline, "{path} stays {status}: {body}");
        }
    }

    /// The value of a series; 0 if it is not there.
    fn value(&self, series: &str) -> f64 {
        let text = self.get("/metrics").1;
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map_or(0.0, |value| value.parse().unwrap())
    }

    fn wait_ready(&self) {
        self.get_until("/health/ready", |status, _| status == 200);
    }

    /// A Kafka request's answer.
    fn ask<'a, M: Message<'a>>(&self, version: i16, message: &M) -> Vec<u8> {
        let api_key = M::API_KEY.unwrap();
        let mut socket = TcpStream::connect(self.kafka).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let header = RequestHeader { api_key, api_version: version, correlation_id: 1, client_id: None };
        socket.write_all(&encode_request(&header, message)).unwrap();
        let mut size = [0; 4];
        socket.read_exact(&mut size).unwrap();
        let mut frame = vec![0; i32::from_be_bytes(size) as usize];
        socket.read_exact(&mut frame).unwrap();
        let mut d = Decoder::new(&frame);
        decode_response_header(&mut d, ApiKey::from_code(api_key).unwrap(), version).unwrap();
        let head = d.position();
        frame.split_off(head)
    }

    fn create(&self, name: &str) {
        let topic = CreatableTopic { name, num_partitions: 1, replication_factor: 1, ..Default::default() };
        let request = CreateTopicsRequest { topics: vec![topic], timeout_ms: 10_000, ..Default::default() };
        let body = self.ask(5, &request);
        let response = CreateTopicsResponse::decode(&mut Decoder::new(&body), 5).unwrap();
        assert_eq!(response.topics[0].error_code, 0);
    }

    /// The error that an append is answered with.
    fn append(&self, topic: &str, values: &[&str]) -> i16 {
        let batch = batch(values);
        // The page cache is enough, so that no journal has it.
        let request = ProduceRequest { acks: 1, ..produce_request(&[(topic, 0, &batch)]) };
        let body = self.ask(PRODUCE, &request);
        let response = ProduceResponse::decode(&mut Decoder::new(&body), PRODUCE).unwrap();
        response.responses[0].partition_responses[0].error_code
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        if !self.dir.as_os_str().is_empty() {
            _ = std::fs::remove_dir_all(&self.dir);
        }
    }
}

/// A body without its chunks' sizes.
fn body_of(head: &str, body: &str) -> String {
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&after[..size]);
        rest = after[size..].strip_prefix("\r\n").unwrap();
        if size == 0 {
            break;
        }
    }
    whole
}

/// Holds a page to the format: every line is a head or a sample of the family above it, and each family is there once.
fn check_format(text: &str) {
    let (mut family, mut seen) = (String::new(), std::collections::BTreeSet::new());
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("# HELP ") {
            family = head.split(' ').next().unwrap().to_owned();
            assert!(seen.insert(family.clone()), "{family} is there twice");
        } else if let Some(head) = line.strip_prefix("# TYPE ") {
            assert!(head.starts_with(&format!("{family} ")), "{line}");
        } else {
            let name = line.split(['{', ' ']).next().unwrap();
            let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            assert!(name == family || base == Some(&family), "{line} stands below {family}");
            let (_, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
        }
    }
}

#[test]
fn each_scrape_tells_the_same_time_of_the_start() {
    let process = Process::start("started", &[]);
    let told = |_| {
        let (_, text) = process.get("/metrics");
        text.lines().find(|line| line.starts_with("process_start_time_seconds ")).unwrap().to_owned()
    };
    let all: std::collections::BTreeSet<String> = (0..30).map(told).collect();
    assert_eq!(all.len(), 1, "a restart would be seen where there is none: {all:?}");
}

#[test]
fn metrics_grow_with_what_is_produced_and_fetched() {
    let process = Process::start("grow", &[]);
    process.wait_ready();
    process.create("t");
    assert_eq!(process.append("t", &["a", "b", "c"]), 0);
    let body = process.ask(FETCH, &fetch_request(&[("t", 0, 0)]));
    let fetched = FetchResponse::decode(&mut Decoder::new(&body), FETCH).unwrap();
    assert_eq!(fetched.responses[0].partitions[0].high_watermark, 3);
    let (status, head, text) = process.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(status, 200);
    assert!(head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
    check_format(&text);
    for (series, expected) in [
        ("ringlog_topic_records_in_total{topic=\"t\"}", 3.0),
        ("ringlog_partition_records_out_total{topic=\"t\",partition=\"0\"}", 3.0),
        ("ringlog_partition_high_watermark{topic=\"t\",partition=\"0\"}", 3.0),
        ("ringlog_request_duration_seconds_count{api=\"Produce\"}", 1.0),
        ("ringlog_request_duration_seconds_count{api=\"Fetch\"}", 1.0),
        ("ringlog_core_answered{core=\"0\"}", 1.0),
        ("ringlog_partitions{log=\"open\"}", 1.0),
    ] {
        assert_eq!(process.value(series), expected, "{series}");
    }
    assert_eq!(process.append("t", &["d"]), 0);
    assert_eq!(process.value("ringlog_topic_records_in_total{topic=\"t\"}"), 4.0);
    assert_ne!(process.append("not-there-and-not-allowed!", &["x"]), 0);
    let error = "ringlog_request_errors_total{api=\"Produce\",error=\"UNKNOWN_TOPIC_OR_PARTITION\"}";
    assert_eq!(process.value(error), 1.0);
}

#[test]
fn the_page_of_metrics_lists_every_family_and_no_other() {
    let process = Process::start("families", &[]);
    process.wait_ready();
    let text = process.get("/metrics").1;
    let shown: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let described: Vec<&str> = broker::control::described().iter().map(|(name, ..)| *name).collect();
    assert_eq!(shown, described);
}

#[test]
fn paths_and_methods_that_are_not_there_are_told_so() {
    let process = Process::start("paths", &[]);
    for (request, expected) in [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        ("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        ("GET /metrics?x=y HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        ("GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        ("GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        ("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405),
        ("DELETE /health/live HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        ("nonsense\r\n\r\n", 400),
    ] {
        let (status, head, body) = process.send(request);
        assert_eq!(status, expected, "{request}: {body}");
        assert_eq!(head.contains("allow: GET, HEAD"), expected == 405, "{head}");
    }
    assert!(process.get("/").1.contains("/health/ready"));
    assert_eq!(process.get("/health/live"), (200, "alive\n".to_owned()));
}

#[test]
fn a_full_disk_is_no_readiness() {
    // More is kept free than any disk has.
    let process = Process::start("full", &["ringlog.disk.reserve.bytes=4611686018427387904"]);
    process.wait_ready();
    process.create("t");
    assert_ne!(process.append("t", &["a"]), 0);
    let (status, body) = process.get("/health/ready");
    assert_eq!(status, 503);
    assert!(body.contains("the disk is full"), "{body}");
    assert_eq!(process.get("/health/live").0, 200, "it lives");
    assert_eq!((process.value("ringlog_disk_full"), process.value("ringlog_disk_refused_total")), (1.0, 1.0));
}

#[test]
fn a_partition_that_is_offline_is_named_with_its_reason() {
    let process = Process::start("offline", &[]);
    process.wait_ready();
    process.create("t");
    assert_eq!(process.append("t", &["a"]), 0);
    let dir = process.end();
    // A folder in the place of the log's file: nobody can open that.
    let log = dir.join("t-0").join("00000000000000000000.log");
    std::fs::remove_file(&log).unwrap();
    std::fs::create_dir(&log).unwrap();
    let process = Process::start_in(dir, &[]);
    let body = process.get_until("/health/ready", |status, body| status == 503 && body.contains("t-0"));
    assert!(body.contains("partition t-0 is offline: "), "{body}");
    assert_eq!(process.value("ringlog_partition_offline{topic=\"t\",partition=\"0\"}"), 1.0);
    assert_eq!(process.value("ringlog_partitions{log=\"offline\"}"), 1.0);
}

#[test]
fn hostile_peers_leave_metrics_and_the_broker_undisturbed() {
    let process = Process::start("hostile", &[]);
    process.wait_ready();
    process.create("t");
    // A head without end is refused, not kept.
    let mut socket = process.connect();
    let line = format!("X-Filler: {}\r\n", "x".repeat(1000));
    _ = socket.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n");
    for _ in 0..200 {
        if socket.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    _ = socket.read_to_end(&mut answer);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{:?}", String::from_utf8_lossy(&answer));
    // More connections than there may be, each with half a head: the ones beyond are closed, and Kafka's clients are served.
    let idle: Vec<TcpStream> = (0..100).filter_map(|_| TcpStream::connect(process.http).ok()).collect();
    for mut socket in &idle {
        _ = socket.write_all(b"GET /met");
    }
    assert_eq!(process.append("t", &["a"]), 0);
    drop(idle);
    process.get_until("/health/ready", |status, _| status == 200);
    assert_eq!(process.append("t", &["b"]), 0);
}

#[test]
fn an_address_in_use_is_an_error_at_the_start() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let dir = std::env::temp_dir().join(format!("ringlog-http-{}-in-use", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_ringlog"))
        .args(["start", "--cores", "1", "--listen", "127.0.0.1:0", "--http", &address, "--data-dir"])
        .arg(&dir)
        .output()
        .unwrap();
    _ = std::fs::remove_dir_all(Path::new(&dir));
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains(&format!("cannot serve metrics on {address}")), "{told}");
}
