//! What only real sockets show: the addresses that a name stands for, and that each listener tells its own.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Instant;

use broker::config::{Given, Origin, ServerConfig};
use broker::start::{RunningNode, StartError, start};
use protocol::messages::metadata_request::MetadataRequest;
use protocol::messages::metadata_response::MetadataResponse;
use protocol::{ApiKey, Decoder, Message, RequestHeader, decode_response_header, encode_request};

/// A node of one core in a directory of its own, which goes with it.
struct Process {
    node: Option<RunningNode>,
    dir: PathBuf,
}

impl Process {
    fn start(name: &str, settings: &[(&str, &str)]) -> Process {
        let dir = std::env::temp_dir().join(format!("ringlog-wire-{}-{name}", std::process::id()));
        let node = Some(start(config(&dir, settings), Instant::now()).unwrap());
        Process { node, dir }
    }

    fn addresses(&self, listener: usize) -> &[SocketAddr] {
        &self.node.as_ref().unwrap().addresses[listener]
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let node = self.node.take().unwrap();
        node.running.stopper().stop();
        node.running.join();
        _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn config(dir: &std::path::Path, settings: &[(&str, &str)]) -> ServerConfig {
    let dir = dir.to_str().unwrap();
    let base = [("log.dirs", dir), ("ringlog.cores", "1")];
    let given = settings.iter().chain(&base).map(|(name, value)| Given {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
        origin: Origin::Set,
    });
    ServerConfig::new(given.collect(), "machine.test").unwrap()
}

/// The address that a broker tells to whoever connects to it here.
fn told(address: SocketAddr) -> (String, i32) {
    let mut socket = TcpStream::connect(address).unwrap();
    let header = RequestHeader { api_key: 3, api_version: 12, correlation_id: 1, client_id: None };
    socket.write_all(&encode_request(&header, &MetadataRequest::default())).unwrap();
    let mut size = [0; 4];
    socket.read_exact(&mut size).unwrap();
    let mut frame = vec![0; i32::from_be_bytes(size) as usize];
    socket.read_exact(&mut frame).unwrap();
    let mut d = Decoder::new(&frame);
    decode_response_header(&mut d, ApiKey::Metadata, 12).unwrap();
    let response = MetadataResponse::decode(&mut d, 12).unwrap();
    (response.brokers[0].host.to_owned(), response.brokers[0].port)
}

fn has_ipv6() -> bool {
    TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok()
}

#[test]
fn c107_localhost_is_every_address_that_it_stands_for_and_is_told_as_a_name() {
    let process = Process::start("localhost", &[("listeners", "PLAINTEXT://localhost:0")]);
    let bound = process.addresses(0);
    let port = bound[0].port();
    for address in ("localhost", port).to_socket_addrs().unwrap() {
        assert!(bound.contains(&address), "{address} is not listened on: {bound:?}");
    }
    if has_ipv6() {
        assert!(bound.iter().any(SocketAddr::is_ipv6), "{bound:?}");
    }
    for &address in bound {
        assert_eq!(address.port(), port, "one port for all");
        assert_eq!(told(address), ("localhost".to_owned(), i32::from(port)));
    }
}

#[test]
fn c107_an_ipv6_address_stands_in_brackets() {
    if !has_ipv6() {
        return;
    }
    let process = Process::start("brackets", &[("listeners", "PLAINTEXT://[::1]:0")]);
    let bound = process.addresses(0);
    assert_eq!(bound.iter().map(SocketAddr::ip).collect::<Vec<_>>(), [IpAddr::V6(Ipv6Addr::LOCALHOST)]);
    assert_eq!(told(bound[0]), ("::1".to_owned(), i32::from(bound[0].port())));
}

#[test]
fn c109_two_listeners_each_tell_their_own_address() {
    let process = Process::start(
        "two",
        &[
            ("listeners", "IN://127.0.0.1:0,OUT://127.0.0.1:0"),
            ("listener.security.protocol.map", "IN:PLAINTEXT,OUT:PLAINTEXT"),
            ("advertised.listeners", "IN://inside.test:9092,OUT://outside.test:19092"),
        ],
    );
    assert_eq!(told(process.addresses(0)[0]), ("inside.test".to_owned(), 9092));
    assert_eq!(told(process.addresses(1)[0]), ("outside.test".to_owned(), 19_092));
}

#[test]
fn a_directory_has_one_broker_at_a_time() {
    let settings = [("listeners", "PLAINTEXT://127.0.0.1:0")];
    let process = Process::start("lock", &settings);
    match start(config(&process.dir, &settings), Instant::now()) {
        Err(error @ StartError::Locked(_)) => assert!(error.to_string().contains("another broker")),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("two brokers share a directory"),
    }
    assert_eq!(told(process.addresses(0)[0]).0, "127.0.0.1");
}

#[test]
fn an_address_in_use_is_told_by_name() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let listener = format!("PLAINTEXT://{}", taken.local_addr().unwrap());
    let dir = std::env::temp_dir().join(format!("ringlog-wire-{}-in-use", std::process::id()));
    let failed = start(config(&dir, &[("listeners", &listener)]), Instant::now());
    let Err(error @ StartError::Listen { .. }) = failed else { panic!("the address was taken") };
    assert!(error.to_string().contains(&taken.local_addr().unwrap().to_string()), "{error}");
    _ = std::fs::remove_dir_all(&dir);
}
