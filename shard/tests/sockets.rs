//! Connections on both back ends of real machines, one operation at a time: what comes late, in part, or never.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shard::io::Wait;
use shard::mail::Bell;
use shard::{Buf, Completion, HostChoices, Io, IoError, Kind, Native, Op, Outcome, Pool, SocketId, Token};

const ACCEPT: Token = Token(1);
const RECEIVE: Token = Token(2);
const SEND: Token = Token(3);
const CLOSE: Token = Token(4);

struct Bench {
    native: Native,
    address: SocketAddr,
    done: Vec<Completion>,
}

impl Bench {
    fn new(kind: Kind, stuck_max: Option<Duration>) -> Bench {
        let bell = Arc::new(Bell::new().unwrap());
        let mut native = Native::new(&HostChoices::of(kind), Pool::new(1 << 20), bell).unwrap();
        let (listener, address) = native.listen((Ipv4Addr::LOCALHOST, 0).into(), stuck_max).unwrap();
        native.push(ACCEPT, Op::Accept { listener });
        Bench { native, address, done: Vec::new() }
    }

    /// The next completion with this token; what comes for others stays.
    fn next(&mut self, token: Token) -> Completion {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(at) = self.done.iter().position(|completion| completion.token == token) {
                return self.done.remove(at);
            }
            assert!(Instant::now() < deadline, "nothing came for {token:?}; {:?}", self.done);
            let wait = Wait::Until(self.native.now().plus_ms(1000));
            self.native.reap(wait, &mut self.done);
        }
    }

    /// Takes whatever the kernel has to tell by now.
    fn take_news(&mut self) {
        for _ in 0..5 {
            self.native.reap(Wait::No, &mut self.done);
        }
    }

    /// Takes the news when all that the client has sent, its end included, is in this machine's socket.
    fn take_what_came(&mut self, client: &TcpStream) {
        until("what was sent arrives", || unacknowledged(client) == 0 || is_closed(client));
        self.take_news();
    }

    /// Lets a send begin: some of it waits at the client, and more than fits is on its way.
    fn begin_sending(&mut self, client: &TcpStream) {
        until("something is sent", || {
            self.native.reap(Wait::No, &mut self.done);
            readable(client) > 0
        });
        self.take_news();
    }

    fn connect(&mut self) -> (TcpStream, SocketId) {
        let client = TcpStream::connect(self.address).unwrap();
        let Outcome::Accepted { socket, .. } = self.next(ACCEPT).outcome else { panic!("not accepted") };
        (client, socket)
    }

    fn receive_all(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            match self.next(RECEIVE).outcome {
                Outcome::Received(bytes) if bytes.is_empty() => return all,
                Outcome::Received(bytes) => all.extend_from_slice(&bytes),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Comes to rest: sleeps for all of the 100 ms that it may. What is still to be told may wake it before that, but not for
    /// ever.
    fn rest(&mut self) {
        until("it sleeps", || {
            let began = Instant::now();
            self.native.reap(Wait::Until(self.native.now().plus_ms(100)), &mut self.done);
            began.elapsed() >= Duration::from_millis(99)
        });
    }
}

/// Waits for what another thread or the kernel does.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "not within 20 s: {what}");
        std::thread::yield_now();
    }
}

/// Bytes that the peer's kernel has not acknowledged; an end counts as one.
fn unacknowledged(stream: &TcpStream) -> i32 {
    count_of(stream, libc::TIOCOUTQ)
}

/// Bytes that wait to be read.
fn readable(stream: &TcpStream) -> i32 {
    count_of(stream, libc::FIONREAD)
}

fn count_of(stream: &TcpStream, request: libc::Ioctl) -> i32 {
    let mut count = 0_i32;
    // SAFETY: both requests write one int to where they are told, which lives on.
    let result = unsafe { libc::ioctl(stream.as_raw_fd(), request, &mut count) };
    assert_eq!(result, 0);
    count
}

/// Whether the connection is no more, as after a reset.
fn is_closed(stream: &TcpStream) -> bool {
    const CLOSE: u8 = 7;
    let mut info = std::mem::MaybeUninit::<libc::tcp_info>::zeroed();
    let mut len = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: at most `len` bytes are written to `info`, all of whose bit patterns are values.
    let (result, info) = unsafe {
        let to = info.as_mut_ptr().cast();
        let result = libc::getsockopt(stream.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, to, &mut len);
        (result, info.assume_init())
    };
    assert_eq!(result, 0);
    info.tcpi_state == CLOSE
}

fn on_each(test: impl Fn(&mut Bench)) {
    for kind in [Kind::Ring, Kind::Poll] {
        test(&mut Bench::new(kind, None));
    }
}

#[test]
fn what_came_before_the_receive_is_received_to_its_end() {
    on_each(|bench| {
        for len in [0, 1, 4096, 8192, 100_000] {
            let (mut client, socket) = bench.connect();
            let sent: Vec<u8> = (0..len).map(|at| at as u8).collect();
            client.write_all(&sent).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            bench.take_what_came(&client);
            bench.native.push(RECEIVE, Op::Receive { socket });
            assert_eq!(bench.receive_all(), sent);
            bench.native.push(CLOSE, Op::Close { socket });
            assert!(matches!(bench.next(CLOSE).outcome, Outcome::Closed));
        }
    });
}

#[test]
fn a_cancelled_receive_takes_nothing_from_the_next() {
    on_each(|bench| {
        let (mut client, socket) = bench.connect();
        for round in 0..50_u8 {
            bench.native.push(RECEIVE, Op::Receive { socket });
            if round % 2 == 0 {
                bench.native.reap(Wait::No, &mut bench.done);
            }
            client.write_all(&[round; 3]).unwrap();
            bench.native.push(RECEIVE, Op::CancelReceive { socket });
            let mut got = Vec::new();
            loop {
                match bench.next(RECEIVE).outcome {
                    Outcome::Received(bytes) => got.extend_from_slice(&bytes),
                    Outcome::Failed(IoError::CANCELLED) => break,
                    other => panic!("{other:?}"),
                }
            }
            while got.len() < 3 {
                let buffer = Pool::new(0).take(2);
                bench.native.push(RECEIVE, Op::ReceiveInto { socket, buffer });
                let Outcome::ReceivedInto(buffer) = bench.next(RECEIVE).outcome else { panic!() };
                got.extend_from_slice(buffer.filled());
            }
            assert_eq!(got, [round; 3]);
        }
    });
}

#[test]
fn large_sends_are_whole_however_slowly_they_are_read() {
    on_each(|bench| {
        let (mut client, socket) = bench.connect();
        let sent: Vec<u8> = (0..30_000_000_usize).map(|at| (at % 251) as u8).collect();
        let parts: Vec<Buf> = sent.chunks(9_973).map(|chunk| Buf::from(chunk.to_vec())).collect();
        bench.native.push(SEND, Op::Send { socket, parts });
        bench.native.push(RECEIVE, Op::Receive { socket });
        bench.begin_sending(&client);
        let len = sent.len();
        let reading = std::thread::spawn(move || {
            let mut got = vec![0; len];
            // In so small pieces that the sender is always ahead, and has to wait.
            got.chunks_mut(1_009).for_each(|piece| client.read_exact(piece).unwrap());
            (client, got)
        });
        assert!(matches!(bench.next(SEND).outcome, Outcome::Sent));
        let (client, got) = reading.join().unwrap();
        assert!(got == sent);
        drop(client);
        assert_eq!(bench.receive_all(), []);
    });
}

#[test]
fn a_close_ends_what_is_under_way_first() {
    on_each(|bench| {
        for _ in 0..3 {
            let (client, socket) = bench.connect();
            bench.native.push(SEND, Op::Send { socket, parts: vec![Buf::from(vec![7; 30_000_000])] });
            bench.native.push(RECEIVE, Op::Receive { socket });
            bench.begin_sending(&client);
            bench.native.push(CLOSE, Op::Close { socket });
            let closed = bench.next(CLOSE);
            assert!(matches!(closed.outcome, Outcome::Closed));
            assert!(bench.done.iter().any(|done| done.token == RECEIVE && !done.more));
            assert!(matches!(bench.next(SEND).outcome, Outcome::Failed(_)));
            bench.done.clear();
        }
    });
}

#[test]
fn a_core_sleeps_whatever_its_peers_have_done() {
    on_each(|bench| {
        // Of the first three nobody receives: bytes, an end, a connection that is gone.
        let [(mut bytes, _), (end, _), (gone, _), (mut heard, socket), (_silent, other)] =
            std::array::from_fn(|_| bench.connect());
        bytes.write_all(&[1; 9000]).unwrap();
        end.shutdown(Shutdown::Write).unwrap();
        gone.shutdown(Shutdown::Both).unwrap();
        bench.native.push(RECEIVE, Op::Receive { socket });
        bench.native.push(RECEIVE, Op::Receive { socket: other });
        heard.write_all(&[1; 9000]).unwrap();
        for client in [&bytes, &end, &gone, &heard] {
            bench.take_what_came(client);
        }
        drop(gone);
        bench.done.clear();
        bench.rest();
    });
}

#[test]
fn a_receive_that_has_nothing_to_take_lets_its_core_sleep() {
    on_each(|bench| {
        let (_client, socket) = bench.connect();
        let buffer = Pool::new(0).take(100);
        bench.native.push(RECEIVE, Op::ReceiveInto { socket, buffer });
        bench.rest();
    });
}

#[test]
fn a_connection_that_somebody_else_still_holds_can_be_closed() {
    on_each(|bench| {
        let theirs = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut peer = TcpStream::connect(theirs.local_addr().unwrap()).unwrap();
        let (stream, _) = theirs.accept().unwrap();
        let held = stream.try_clone().unwrap();
        let socket = bench.native.adopt(stream).unwrap();
        bench.take_news();
        bench.native.push(CLOSE, Op::Close { socket });
        assert!(matches!(bench.next(CLOSE).outcome, Outcome::Closed));
        let _ = peer.write_all(b"is anybody there?");
        bench.take_what_came(&peer);
        drop(held);
    });
}

#[test]
fn urgent_bytes_stop_nothing() {
    on_each(|bench| {
        let (mut client, socket) = bench.connect();
        client.write_all(b"abc").unwrap();
        // SAFETY: a plain system call; one constant byte is read.
        let count = unsafe { libc::send(client.as_raw_fd(), b"!".as_ptr().cast(), 1, libc::MSG_OOB) };
        assert_eq!(count, 1);
        client.write_all(b"def").unwrap();
        bench.take_what_came(&client);
        bench.native.push(RECEIVE, Op::Receive { socket });
        let mut got = Vec::new();
        while got.len() < 6 {
            let Outcome::Received(bytes) = bench.next(RECEIVE).outcome else { panic!() };
            got.extend_from_slice(&bytes);
        }
        assert_eq!(got, b"abcdef");
    });
}

#[test]
fn a_reset_ends_a_send_that_waits() {
    on_each(|bench| {
        for is_receiving in [false, true] {
            let (mut client, socket) = bench.connect();
            client.write_all(b"never received").unwrap();
            bench.native.push(SEND, Op::Send { socket, parts: vec![Buf::from(vec![7; 30_000_000])] });
            if is_receiving {
                bench.native.push(RECEIVE, Op::Receive { socket });
            }
            bench.begin_sending(&client);
            // Bytes that it has not read make the kernel reset the connection.
            drop(client);
            assert!(matches!(bench.next(SEND).outcome, Outcome::Failed(_)));
            while is_receiving && bench.next(RECEIVE).more {}
            bench.rest();
            bench.native.push(CLOSE, Op::Close { socket });
            assert!(matches!(bench.next(CLOSE).outcome, Outcome::Closed));
        }
    });
}

#[test]
fn a_peer_that_takes_nothing_loses_its_connection() {
    for kind in [Kind::Ring, Kind::Poll] {
        let mut bench = Bench::new(kind, Some(Duration::from_millis(500)));
        let (client, socket) = bench.connect();
        bench.native.push(SEND, Op::Send { socket, parts: vec![Buf::from(vec![7; 30_000_000])] });
        assert!(matches!(bench.next(SEND).outcome, Outcome::Failed(_)), "{kind}");
        drop(client);
    }
}
