//! One small application on every back end: it echoes what comes, through the small and the large way of receiving.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use shard::memory::{Faults, World};
use shard::{
    App, BufMut, Completion, HostChoices, IoError, Kind, ListenerId, Native, Op, Outcome, Pool, Shard,
    ShardId, SocketId, Token, Turn,
};
use shard::{boot, mail};

/// From this many received bytes on, a connection receives into buffers of its own.
const LARGE: usize = 64 << 10;

struct Echo {
    listener: ListenerId,
    received: Vec<usize>,
    stopped: bool,
}

impl Echo {
    fn new(listener: ListenerId) -> Echo {
        Echo { listener, received: Vec::new(), stopped: false }
    }
}

const ACCEPT: u64 = 0;
const RECEIVE: u64 = 1 << 32;
const SEND: u64 = 2 << 32;
const CLOSE: u64 = 3 << 32;

fn token(kind: u64, socket: SocketId) -> Token {
    Token(kind | u64::from(socket.0))
}

impl App for Echo {
    type Mail = ();

    fn on_start(&mut self, turn: &mut Turn<'_, ()>) {
        turn.ops.push(Token(ACCEPT), Op::Accept { listener: self.listener });
    }

    fn on_turn_start(&mut self, _: &mut Turn<'_, ()>) {}

    fn on_completion(&mut self, turn: &mut Turn<'_, ()>, completion: Completion) {
        let socket = SocketId(completion.token.0 as u32);
        match completion.outcome {
            Outcome::Accepted { socket, .. } => {
                self.received.resize(self.received.len().max(socket.0 as usize + 1), 0);
                self.received[socket.0 as usize] = 0;
                turn.ops.push(token(RECEIVE, socket), Op::Receive { socket });
            }
            Outcome::Received(bytes) if bytes.is_empty() => {
                turn.ops.push(token(CLOSE, socket), Op::Close { socket });
            }
            Outcome::Received(bytes) => {
                let before = self.received[socket.0 as usize];
                self.received[socket.0 as usize] += bytes.len();
                if before < LARGE && before + bytes.len() >= LARGE {
                    turn.ops.push(token(RECEIVE, socket), Op::CancelReceive { socket });
                }
                // One send at a time would need a queue; the tests' clients read before they write again, or send
                // in pieces that are echoed in order because each completes at once.
                turn.ops.push(token(SEND, socket), Op::Send { socket, parts: vec![bytes] });
            }
            Outcome::Failed(IoError::CANCELLED) if completion.token.0 & RECEIVE != 0 => {
                receive_large(turn, socket, turn.pool.take(1 << 20));
            }
            Outcome::ReceivedInto(buffer) if buffer.is_empty() => {
                turn.ops.push(token(CLOSE, socket), Op::Close { socket });
            }
            Outcome::ReceivedInto(buffer) => {
                let parts = vec![buffer.freeze()];
                turn.ops.push(token(SEND, socket), Op::Send { socket, parts });
                receive_large(turn, socket, turn.pool.take(1 << 20));
            }
            Outcome::Failed(_) => turn.ops.push(token(CLOSE, socket), Op::Close { socket }),
            _ => {}
        }
    }

    fn on_mail(&mut self, _: &mut Turn<'_, ()>, _: ShardId, (): ()) {}
    fn on_timer(&mut self, _: &mut Turn<'_, ()>, _: Token) {}
    fn on_background(&mut self, _: &mut Turn<'_, ()>) -> bool {
        false
    }
    fn on_turn_end(&mut self, _: &mut Turn<'_, ()>) -> bool {
        false
    }
    fn on_stop(&mut self, _: &mut Turn<'_, ()>) {
        self.stopped = true;
    }
    fn is_stopped(&self) -> bool {
        self.stopped
    }
}

fn receive_large(turn: &mut Turn<'_, ()>, socket: SocketId, buffer: BufMut) {
    turn.ops.push(token(RECEIVE, socket), Op::ReceiveInto { socket, buffer });
}

/// Runs the test on each back end of real machines, with cores that sleep at once and with such that look for work first.
fn with_each(cores: usize, test: impl Fn(SocketAddr)) {
    for kind in [Kind::Ring, Kind::Poll] {
        for spin in [Duration::ZERO, Duration::from_micros(200)] {
            with(HostChoices { spin, ..HostChoices::of(kind) }, cores, &test);
        }
    }
}

fn with(host: HostChoices, cores: usize, test: impl FnOnce(SocketAddr)) {
    let (found, addresses) = mpsc::channel::<SocketAddr>();
    let probe = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = probe.local_addr().unwrap();
    drop(probe);
    let pool = Pool::new(8 << 20);
    let build = move |_, native: &mut Native| {
        let (listener, bound) = native.listen(address, None)?;
        found.send(bound).unwrap();
        Ok::<_, std::io::Error>(Echo::new(listener))
    };
    let running = match boot::run(host, &vec![None; cores], &pool, build) {
        Ok(running) => running,
        Err(error) => panic!("{error:?}"),
    };
    test(addresses.recv().unwrap());
    running.stopper().stop();
    running.join();
}

#[test]
fn cores_echo_small_and_large_messages() {
    with_each(1, |address| {
        let mut client = TcpStream::connect(address).unwrap();
        for len in [1, 100, 4096, 10_000, 200_000, 3_000_000, 5] {
            let sent: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
            let mut writer = client.try_clone().unwrap();
            let copy = sent.clone();
            let writing = std::thread::spawn(move || {
                for chunk in copy.chunks(50_000) {
                    writer.write_all(chunk).unwrap();
                }
            });
            let mut got = vec![0; len];
            client.read_exact(&mut got).unwrap();
            writing.join().unwrap();
            assert!(got == sent, "{len} bytes came back changed");
        }
    });
}

#[test]
fn connections_spread_over_the_cores_that_share_an_address() {
    with_each(2, |address| {
        let clients: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(address).unwrap()).collect();
        for (number, mut client) in clients.into_iter().enumerate() {
            client.write_all(&[number as u8; 10]).unwrap();
            let mut got = [0; 10];
            client.read_exact(&mut got).unwrap();
            assert_eq!(got, [number as u8; 10]);
        }
    });
}

#[test]
fn cores_see_peers_go() {
    with_each(1, |address| {
        for _ in 0..200 {
            let client = TcpStream::connect(address).unwrap();
            drop(client);
        }
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(b"still here").unwrap();
        let mut got = [0; 10];
        client.read_exact(&mut got).unwrap();
    });
}

fn memory_echo(seed: u64, faults: Faults, len: usize) -> Option<Vec<u8>> {
    let world = World::new(seed);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 9092));
    let mut io = world.io();
    let listener = io.listen(address);
    let mailbox = mail::connect(1).unwrap().remove(0);
    let mut shard = Shard::new(io, Echo::new(listener), mailbox, Pool::new(1 << 20));
    shard.start();
    shard.turn();
    world.set_faults(faults);
    let peer = world.connect(address).unwrap();
    let sent: Vec<u8> = (0..len).map(|i| (i * 13) as u8).collect();
    peer.send(&sent);
    let mut got = Vec::new();
    for _ in 0..1000 {
        shard.turn();
        world.advance();
        got.extend(peer.receive(usize::MAX));
        if got.len() == len || peer.is_closed() {
            break;
        }
    }
    (got == sent).then_some(got)
}

#[test]
fn memory_echoes_and_is_deterministic() {
    let slow = Faults { latency_ns_max: 1_000_000, ..Faults::default() };
    for seed in 0..20 {
        assert!(memory_echo(seed, slow.clone(), 300_000).is_some());
    }
}

#[test]
fn memory_resets_connections_when_asked() {
    let rude = Faults { reset_percent: 100, ..Faults::default() };
    assert_eq!(memory_echo(1, rude, 1000), None);
}
