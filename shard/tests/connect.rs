//! Connections that a core makes, on every back end alike: they come about, are refused, are given up, and end.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use shard::io::Wait;
use shard::mail::Bell;
use shard::memory::{Link, World};
use shard::{Buf, Completion, HostChoices, Io, IoError, Kind, Native, Op, Outcome, Pool, SocketId, Token};

const ACCEPT: Token = Token(1);
const CONNECT: Token = Token(2);
const CLOSE: Token = Token(3);
const SEND: Token = Token(10);
const RECEIVE: Token = Token(20);

/// A core that listens, and may connect to itself.
struct Bench {
    io: Box<dyn Io>,
    world: Option<World>,
    address: SocketAddr,
    done: Vec<Completion>,
}

impl Bench {
    fn native(kind: Kind) -> Bench {
        let bell = Arc::new(Bell::new().unwrap());
        let mut native = Native::new(&HostChoices::of(kind), Pool::new(1 << 20), bell).unwrap();
        let (listener, address) = native.listen((Ipv4Addr::LOCALHOST, 0).into(), None).unwrap();
        native.push(ACCEPT, Op::Accept { listener });
        Bench { io: Box::new(native), world: None, address, done: Vec::new() }
    }

    fn memory(seed: u64) -> Bench {
        let world = World::new(seed);
        let (mut io, address) = (world.io(), SocketAddr::from((Ipv4Addr::LOCALHOST, 9092)));
        let listener = io.listen(address);
        let link = Link { delay_ns_max: 2_000_000, ..Link::default() };
        world.set_link(address.ip(), address.ip(), link);
        io.push(ACCEPT, Op::Accept { listener });
        let mut bench = Bench { io: Box::new(io), world: Some(world), address, done: Vec::new() };
        bench.turn();
        bench
    }

    fn turn(&mut self) {
        let wait = if self.world.is_some() { Wait::No } else { Wait::Until(self.io.now().plus_ms(10)) };
        self.io.reap(wait, &mut self.done);
        if let Some(world) = &self.world {
            world.pass_ms(1);
        }
    }

    /// The next completion with this token; what comes for others stays.
    fn next(&mut self, token: Token) -> Completion {
        for _ in 0..2_000 {
            if let Some(at) = self.done.iter().position(|completion| completion.token == token) {
                return self.done.remove(at);
            }
            self.turn();
        }
        panic!("nothing came for {token:?}; {:?}", self.done);
    }

    fn begin(&mut self, address: SocketAddr) -> SocketId {
        self.io.push(CONNECT, Op::Connect { address, stuck_max: Some(Duration::from_secs(60)) });
        let begun = self.next(CONNECT);
        assert!(begun.more);
        let Outcome::Connecting { socket } = begun.outcome else { panic!("{begun:?}") };
        socket
    }

    /// A connection of the core with itself: the end that asked, and the end that was asked.
    fn connect(&mut self) -> (SocketId, SocketId) {
        let here = self.begin(self.address);
        let made = self.next(CONNECT);
        assert!(matches!(made.outcome, Outcome::Connected), "{made:?}");
        assert!(!made.more);
        let Outcome::Accepted { socket, peer } = self.next(ACCEPT).outcome else { panic!("not accepted") };
        assert_eq!(peer.ip(), self.address.ip());
        (here, socket)
    }

    fn close(&mut self, socket: SocketId) {
        self.io.push(CLOSE, Op::Close { socket });
        let closed = self.next(CLOSE);
        assert!(matches!(closed.outcome, Outcome::Closed), "{closed:?}");
    }

    /// Receives so many bytes, or to the end.
    fn receive(&mut self, count: usize) -> Vec<u8> {
        let mut got = Vec::new();
        while got.len() < count {
            match self.next(RECEIVE).outcome {
                Outcome::Received(bytes) if bytes.is_empty() => break,
                Outcome::Received(bytes) => got.extend_from_slice(&bytes),
                other => panic!("{other:?}"),
            }
        }
        got
    }
}

fn on_each(test: impl Fn(&mut Bench)) {
    for kind in [Kind::Ring, Kind::Poll] {
        test(&mut Bench::native(kind));
    }
    for seed in 0..5 {
        test(&mut Bench::memory(seed));
    }
}

#[test]
fn a_connection_carries_bytes_both_ways_and_then_its_end() {
    on_each(|bench| {
        let (here, there) = bench.connect();
        let sent: Vec<u8> = (0..3_000_000_usize).map(|at| (at % 251) as u8).collect();
        for (from, to) in [(here, there), (there, here)] {
            bench.io.push(RECEIVE, Op::Receive { socket: to });
            bench.io.push(SEND, Op::Send { socket: from, parts: vec![Buf::from(sent.clone())] });
            assert!(bench.receive(sent.len()) == sent);
            assert!(matches!(bench.next(SEND).outcome, Outcome::Sent));
            bench.io.push(RECEIVE, Op::CancelReceive { socket: to });
            assert!(matches!(bench.next(RECEIVE).outcome, Outcome::Failed(IoError::CANCELLED)));
        }
        bench.io.push(RECEIVE, Op::Receive { socket: there });
        bench.close(here);
        assert_eq!(bench.receive(1), []);
        bench.close(there);
    });
}

#[test]
fn an_address_where_nobody_listens_refuses_and_leaves_a_socket_to_be_closed() {
    on_each(|bench| {
        let gone = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        for _ in 0..3 {
            let socket = bench.begin(gone);
            let refused = bench.next(CONNECT);
            assert!(matches!(refused.outcome, Outcome::Failed(IoError::REFUSED)), "{refused:?}");
            bench.close(socket);
        }
        let (here, there) = bench.connect();
        bench.close(here);
        bench.close(there);
    });
}

#[test]
fn a_close_right_after_the_attempt_began_ends_it() {
    on_each(|bench| {
        for _ in 0..20 {
            let socket = bench.begin(bench.address);
            bench.io.push(CLOSE, Op::Close { socket });
            assert!(matches!(bench.next(CLOSE).outcome, Outcome::Closed));
            let ended = bench.next(CONNECT);
            assert!(!ended.more);
            let is_an_end = matches!(ended.outcome, Outcome::Connected | Outcome::Failed(IoError::CANCELLED));
            assert!(is_an_end, "{ended:?}");
            bench.done.clear();
        }
    });
}

/// A listener that takes no more connections: the kernel drops what asks for one.
fn full_listener() -> (TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    // SAFETY: a plain system call on a descriptor that lives on: it makes the queue shorter.
    assert_eq!(unsafe { libc::listen(listener.as_raw_fd(), 0) }, 0);
    let address = listener.local_addr().unwrap();
    let waiting = TcpStream::connect(address).unwrap();
    (listener, vec![waiting])
}

#[test]
fn an_attempt_that_nobody_answers_is_given_up_by_closing_it() {
    for kind in [Kind::Ring, Kind::Poll] {
        let (listener, waiting) = full_listener();
        let bench = &mut Bench::native(kind);
        check_given_up(bench, listener.local_addr().unwrap());
        // What was given up is not tried again behind our back.
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_ok());
        bench.io.reap(Wait::Until(bench.io.now().plus_ms(1200)), &mut bench.done);
        assert!(listener.accept().is_err());
        drop(waiting);
    }
    let bench = &mut Bench::memory(1);
    let ip: IpAddr = bench.address.ip();
    bench.world.as_ref().unwrap().set_link(ip, ip, Link { is_cut: true, ..Link::default() });
    check_given_up(bench, bench.address);
}

fn check_given_up(bench: &mut Bench, address: SocketAddr) {
    let socket = bench.begin(address);
    for _ in 0..20 {
        bench.turn();
    }
    assert!(bench.done.is_empty(), "{:?}", bench.done);
    bench.io.push(CLOSE, Op::Close { socket });
    assert!(matches!(bench.next(CONNECT).outcome, Outcome::Failed(IoError::CANCELLED)));
    assert!(matches!(bench.next(CLOSE).outcome, Outcome::Closed));
}

#[test]
fn a_host_is_resolved_away_from_the_core_and_an_address_at_once() {
    on_each(|bench| {
        bench.io.push(CONNECT, Op::Resolve { host: "::1".to_owned(), port: 9 });
        let Outcome::Resolved(found) = bench.next(CONNECT).outcome else { panic!("an address is one") };
        assert_eq!(found, ["[::1]:9".parse().unwrap()]);
        bench.io.push(CONNECT, Op::Resolve { host: "no such host".to_owned(), port: 9 });
        assert!(matches!(bench.next(CONNECT).outcome, Outcome::Failed(_)));
    });
    for kind in [Kind::Ring, Kind::Poll] {
        let bench = &mut Bench::native(kind);
        bench.io.push(CONNECT, Op::Resolve { host: "localhost".to_owned(), port: 9 });
        let Outcome::Resolved(found) = bench.next(CONNECT).outcome else { panic!("it stands for itself") };
        assert!(found.contains(&SocketAddr::from((Ipv4Addr::LOCALHOST, 9))), "{found:?}");
    }
}
