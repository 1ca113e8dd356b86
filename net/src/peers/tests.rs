//! Two nodes in memory: one asks, one answers, and what goes wrong between them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use protocol::controller_message::{self, ControllerMessage, ControllerMessageAnswer};
use protocol::messages::api_versions_response::{ApiVersion, ApiVersionsResponse};
use protocol::messages::metadata_request::MetadataRequest;
use protocol::{ApiKey, Decoder, RequestHeader, encode_response};
use shard::io::Wait;
use shard::memory::{Crash, Link, MemoryIo, World};
use shard::{Buf, Io, IoError};

use super::*;
use crate::{Admission, Event, Limits, ListenerIndex, NetTurn, Reply, Server};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const PEER: PeerId = PeerId { node: 2, lane: 0 };

/// How the node that is asked behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Answers,
    /// It greets, and says nothing more.
    IsSilent,
    /// It answers with these bytes.
    Says(&'static [u8]),
}

struct Bench {
    world: World,
    io: MemoryIo,
    peers: Peers,
    there: Option<Answering>,
    manner: Manner,
    events: Vec<PeerEvent>,
}

struct Answering {
    io: MemoryIo,
    server: Server,
}

impl Bench {
    fn new(limits: PeerLimits) -> Bench {
        let world = World::new(3);
        let mut io = world.io();
        io.listen(SocketAddr::new(HERE, 1));
        let mut peers = Peers::new(limits);
        peers.set_address(PEER, address(9093));
        let mut bench = Bench { world, io, peers, there: None, manner: Manner::Answers, events: Vec::new() };
        bench.start();
        bench
    }

    /// The node that is asked begins to run.
    fn start(&mut self) {
        let mut io = self.world.machine(1).io();
        let limits = Limits {
            request_bytes_max: 1 << 20,
            requests_max: 16,
            idle_ms_max: i64::MAX,
            admission: Admission::new(100, 100),
            peers: None,
        };
        let mut server = Server::new(limits);
        let mut ops = Ops::default();
        for (index, port) in [9093, 9094].into_iter().enumerate() {
            let listener = io.listen(SocketAddr::new(THERE, port));
            server.accept(listener, ListenerIndex(index), &mut ops);
        }
        ops.drain().for_each(|(token, op)| io.push(token, op));
        self.there = Some(Answering { io, server });
    }

    fn stop(&mut self, how: Crash) {
        self.there = None;
        self.world.machine(1).crash(how);
    }

    fn ask(&mut self, peer: PeerId, ms: i64) -> QuestionId {
        let message = ControllerMessage { cluster_id: "c", from: 1, to: 2, content: b"hello" };
        let question = Question::of_controllers(&message, self.world.now().plus_ms(ms));
        self.peers.ask(peer, question).expect("it is taken")
    }

    fn pass_ms(&mut self, ms: u64) {
        for _ in 0..ms {
            self.turn();
            self.world.pass_ms(1);
        }
        self.turn();
    }

    fn turn(&mut self) {
        let (mut ops, mut done, pool) = (Ops::default(), Vec::new(), Pool::new(1 << 20));
        self.io.reap(Wait::No, &mut done);
        let (now, random_u64) = (self.io.now(), self.io.random_u64());
        let mut turn = PeerTurn { ops: &mut ops, pool: &pool, now, random_u64 };
        for completion in done {
            assert!(Peers::owns(completion.token));
            self.peers.on_completion(&mut turn, completion);
        }
        self.peers.flush(&mut turn);
        assert!(self.peers.next_deadline().is_none_or(|due| due > now), "it would turn for ever");
        ops.drain().for_each(|(token, op)| self.io.push(token, op));
        let mut events = Vec::new();
        self.peers.take_events(&mut events);
        self.events.append(&mut events);
        if let Some(there) = &mut self.there {
            there.turn(self.manner);
        }
    }

    /// What has happened, in words; and no more of it.
    fn told(&mut self) -> Vec<String> {
        let events = std::mem::take(&mut self.events).into_iter();
        let text = events.map(|event| match event {
            PeerEvent::Connected { peer } => format!("connected to {}", peer.lane),
            PeerEvent::Disconnected { fault, .. } => format!("disconnected: {fault:?}"),
            PeerEvent::Answered { question: QuestionId(id), answer, .. } => {
                let mut d = answer.body().unwrap();
                let code = ControllerMessageAnswer::decode(&mut d).unwrap().error_code;
                format!("answered {id}: {code}")
            }
            PeerEvent::Failed { question: QuestionId(id), fault, .. } => format!("failed {id}: {fault:?}"),
        });
        text.collect()
    }
}

impl Answering {
    fn turn(&mut self, manner: Manner) {
        let (mut ops, mut done, mut events, pool) =
            (Ops::default(), Vec::new(), Vec::new(), Pool::new(1 << 20));
        self.io.reap(Wait::No, &mut done);
        let mut turn = NetTurn { ops: &mut ops, pool: &pool, now: self.io.now() };
        done.into_iter().for_each(|completion| self.server.on_completion(&mut turn, completion));
        self.server.take_events(&mut events);
        for event in events {
            let Event::Request { slot, frame } = event else { continue };
            let header = RequestHeader::decode(&mut Decoder::new(&frame)).unwrap();
            let reply = match manner {
                _ if header.key() == Some(ApiKey::ApiVersions) => versions(header.correlation_id),
                Manner::Answers => ControllerMessageAnswer { error_code: 0, message: None }
                    .encode_response(header.correlation_id),
                Manner::IsSilent => continue,
                Manner::Says(bytes) => bytes.to_vec(),
            };
            self.server.complete(slot, Reply::Send(vec![Buf::from(reply)]));
        }
        self.server.flush(&mut turn);
        ops.drain().for_each(|(token, op)| self.io.push(token, op));
    }
}

fn versions(correlation_id: i32) -> Vec<u8> {
    let own = ApiVersion { api_key: controller_message::KEY, min_version: 0, max_version: 0 };
    let hello = ApiVersion { api_key: ApiKey::ApiVersions.code(), min_version: 0, max_version: 4 };
    let response = ApiVersionsResponse { api_keys: vec![hello, own], ..Default::default() };
    encode_response(ApiKey::ApiVersions, 4, correlation_id, &response)
}

fn address(port: u16) -> Address {
    Address { host: THERE.to_string(), port }
}

#[test]
fn questions_are_answered_on_a_connection_that_is_made_for_them() {
    let mut bench = Bench::new(PeerLimits::default());
    bench.pass_ms(100);
    assert!(!bench.peers.is_connected(PEER), "nobody needs it yet");
    bench.ask(PEER, 1_000);
    bench.ask(PEER, 1_000);
    bench.pass_ms(10);
    assert_eq!(bench.told(), ["connected to 0", "answered 1: 0", "answered 2: 0"]);
    bench.ask(PEER, 1_000);
    bench.pass_ms(10);
    assert_eq!(bench.told(), ["answered 3: 0"]);
}

#[test]
fn what_was_asked_fails_with_its_connection_and_what_waits_is_asked_on_the_next() {
    for (how, fault) in [(Crash::Process, "PeerClosed"), (Crash::Power, "NoAnswer")] {
        let mut bench = Bench::new(PeerLimits::default());
        bench.manner = Manner::IsSilent;
        bench.ask(PEER, 700);
        bench.pass_ms(10);
        bench.stop(how);
        bench.pass_ms(700);
        assert_eq!(
            bench.told()[..3],
            ["connected to 0".to_owned(), format!("failed 1: {fault}"), format!("disconnected: {fault}")]
        );
        bench.ask(PEER, 10_000);
        bench.pass_ms(3_000);
        bench.told();
        bench.manner = Manner::Answers;
        bench.start();
        bench.pass_ms(2_100);
        let told = bench.told();
        assert_eq!(told[told.len() - 2..], ["connected to 0", "answered 2: 0"]);
    }
}

#[test]
fn a_peer_that_answers_nothing_loses_its_connection() {
    let mut bench = Bench::new(PeerLimits::default());
    bench.manner = Manner::IsSilent;
    bench.ask(PEER, 500);
    bench.ask(PEER, 5_000);
    bench.pass_ms(600);
    let expected = ["connected to 0", "failed 1: NoAnswer", "failed 2: NoAnswer", "disconnected: NoAnswer"];
    assert_eq!(bench.told(), expected);
}

#[test]
fn a_peer_that_is_not_there_is_tried_again_in_pauses_that_grow_and_differ() {
    let mut bench = Bench::new(PeerLimits::default());
    bench.stop(Crash::Process);
    bench.ask(PEER, 10_000);
    bench.pass_ms(10_001);
    let told = bench.told();
    let attempts = told.iter().filter(|text| text.starts_with("disconnected")).count();
    assert!((20..=45).contains(&attempts), "{attempts} attempts in 10 s");
    let last = told.last().unwrap();
    assert_eq!(*last, format!("failed 1: Unreachable({:?})", IoError::REFUSED));
    // Nobody needs it any more.
    bench.pass_ms(5_000);
    assert!(bench.told().len() <= 1);
}

#[test]
fn an_attempt_that_nobody_answers_is_given_up_and_its_socket_closed() {
    let mut bench = Bench::new(PeerLimits::default());
    bench.world.set_link(HERE, THERE, Link { is_cut: true, ..Link::default() });
    bench.ask(PEER, 2_500);
    bench.pass_ms(2_600);
    let told = bench.told();
    assert!(told.iter().all(|text| text.contains("TooSlow")), "{told:?}");
    bench.world.set_link(HERE, THERE, Link::default());
    bench.ask(PEER, 2_500);
    bench.pass_ms(2_500);
    assert!(bench.told().contains(&"answered 2: 0".to_owned()));
    let there = bench.there.as_ref().unwrap();
    assert_eq!(there.server.connection_count(), 1, "what was given up is closed");
}

#[test]
fn as_much_waits_for_a_peer_as_may() {
    let mut bench = Bench::new(PeerLimits { questions_max: 3, ..PeerLimits::default() });
    bench.stop(Crash::Power);
    let message = ControllerMessage { cluster_id: "c", from: 1, to: 2, content: &[7; 1000] };
    let until = bench.world.now().plus_ms(1_000);
    let ask = |peers: &mut Peers| peers.ask(PEER, Question::of_controllers(&message, until)).map(drop);
    for expected in [Ok(()), Ok(()), Ok(()), Err(AskRefusal::Full)] {
        assert_eq!(ask(&mut bench.peers), expected);
    }
    bench.pass_ms(1_001);
    assert_eq!(ask(&mut bench.peers), Ok(()), "what has failed waits no more");
    let mut narrow = Peers::new(PeerLimits { question_bytes_max: 1_500, ..PeerLimits::default() });
    assert_eq!(ask(&mut narrow), Err(AskRefusal::Unknown));
    narrow.set_address(PEER, address(9093));
    assert_eq!((ask(&mut narrow), ask(&mut narrow)), (Ok(()), Err(AskRefusal::Full)));
}

#[test]
fn an_answer_that_is_none_ends_the_connection_and_takes_no_memory() {
    for (bytes, fault) in [
        (&b"\x7f\xff\xff\xff"[..], "Frame(TooLarge"),
        (b"\0\0\0\0", "Frame(BadSize"),
        (b"\0\0\0\x01x", "Session(WrongCorrelation"),
        (b"\0\0\0\x04\0\0\0\x63", "Session(WrongCorrelation"),
        (b"\0\0\0\x0a\0\0\0\x01\0\0\0\0\0\0\0\0\0\x04\0\0\0\x02", "Session(NotAsked"),
    ] {
        let mut bench = Bench::new(PeerLimits::default());
        bench.manner = Manner::Says(bytes);
        bench.ask(PEER, 1_000);
        bench.pass_ms(10);
        let told = bench.told();
        let is_said = told.iter().any(|text| text.starts_with(&format!("disconnected: {fault}")));
        assert!(is_said, "{fault}: {told:?}");
    }
}

#[test]
fn a_request_that_the_peer_does_not_serve_is_not_sent() {
    let mut bench = Bench::new(PeerLimits::default());
    assert_eq!(bench.peers.version_for(PEER, ApiKey::Metadata, 0..=12), Some(12), "it has not said");
    let until = bench.world.now().plus_ms(1_000);
    let question = Question::of(&MetadataRequest::default(), 12, until);
    bench.peers.ask(PEER, question).unwrap();
    bench.pass_ms(10);
    assert_eq!(bench.told(), ["connected to 0", "failed 1: NotServed { key: 3, version: 12 }"]);
    assert_eq!(bench.peers.version_for(PEER, ApiKey::Metadata, 0..=12), None);
    assert_eq!(bench.peers.version_for(PEER, ApiKey::ApiVersions, 0..=9), Some(4));
}

#[test]
fn lanes_to_one_node_do_not_wait_for_each_other_and_addresses_may_change() {
    let mut bench = Bench::new(PeerLimits::default());
    let other = PeerId { lane: 1, ..PEER };
    bench.peers.set_address(other, address(9094));
    bench.manner = Manner::IsSilent;
    bench.ask(PEER, 5_000);
    bench.pass_ms(10);
    bench.manner = Manner::Answers;
    bench.ask(other, 1_000);
    bench.pass_ms(10);
    assert_eq!(bench.told(), ["connected to 0", "connected to 1", "answered 2: 0"]);
    bench.peers.set_address(PEER, address(9094));
    bench.pass_ms(1);
    assert_eq!(bench.told(), ["failed 1: Moved", "disconnected: Moved"]);
    bench.ask(PEER, 1_000);
    bench.pass_ms(100);
    assert_eq!(bench.told(), ["connected to 0", "answered 3: 0"]);
}

#[test]
fn a_peer_that_is_forgotten_answers_nothing_more() {
    let mut bench = Bench::new(PeerLimits::default());
    bench.manner = Manner::IsSilent;
    bench.ask(PEER, 5_000);
    bench.pass_ms(10);
    let (mut ops, pool) = (Ops::default(), Pool::new(0));
    let mut turn = PeerTurn { ops: &mut ops, pool: &pool, now: bench.world.now(), random_u64: 1 };
    bench.peers.forget(&mut turn, PEER);
    ops.drain().for_each(|(token, op)| bench.io.push(token, op));
    bench.pass_ms(10);
    assert_eq!(bench.told(), ["connected to 0", "failed 1: Forgotten", "disconnected: Forgotten"]);
    assert_eq!(bench.there.as_ref().unwrap().server.connection_count(), 0);
}
