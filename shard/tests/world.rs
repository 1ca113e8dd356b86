//! Worlds in memory of more than one machine: links, calendars and faults of their own, and disks that end in a change.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use shard::io::Wait;
use shard::memory::{Crash, Faults, Link, MemoryIo, Peer, World};
use shard::{Completion, Io, IoError, Op, OpenMode, Outcome, Pool, SocketId, Token, WallMs};

const NODE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 1, 0, 1));
const ACCEPT: Token = Token(1);
const RECEIVE: Token = Token(2);
const SEND: Token = Token(3);

/// A core that accepts, and what has come to it.
struct Listening {
    world: World,
    io: MemoryIo,
    sockets: Vec<SocketId>,
    received: Vec<u8>,
    is_reset: bool,
}

impl Listening {
    fn new(world: &World) -> Listening {
        let mut io = world.io();
        let listener = io.listen(SocketAddr::new(NODE, 9092));
        io.push(ACCEPT, Op::Accept { listener });
        let (sockets, received) = (Vec::new(), Vec::new());
        let mut listening = Listening { world: world.clone(), io, sockets, received, is_reset: false };
        listening.turn();
        listening
    }

    fn turn(&mut self) {
        let mut done: Vec<Completion> = Vec::new();
        self.io.reap(Wait::No, &mut done);
        for Completion { token, outcome, .. } in done {
            match outcome {
                Outcome::Accepted { socket, peer } => {
                    assert_eq!(peer.ip(), CLIENT);
                    self.sockets.push(socket);
                    self.io.push(RECEIVE, Op::Receive { socket });
                }
                Outcome::Received(bytes) => self.received.extend_from_slice(&bytes),
                Outcome::Failed(IoError::RESET) if token == RECEIVE => self.is_reset = true,
                _ => {}
            }
        }
    }

    fn pass_ms(&mut self, ms: u64) {
        self.turn();
        self.world.pass_ms(ms);
        self.turn();
        self.turn();
    }

    fn connect(&mut self) -> Peer {
        let peer = self.world.connect_from(CLIENT, SocketAddr::new(NODE, 9092)).expect("a core listens");
        self.turn();
        self.turn();
        peer
    }

    fn send(&mut self, bytes: &[u8]) {
        let parts = vec![Pool::new(1 << 16).copy(bytes)];
        self.io.push(SEND, Op::Send { socket: self.sockets[0], parts });
        self.turn();
    }
}

#[test]
fn a_link_that_is_cut_one_way_lets_the_other_way_through_and_heals_without_a_loss() {
    let world = World::new(1);
    let mut node = Listening::new(&world);
    let peer = node.connect();
    world.set_link(CLIENT, NODE, Link { is_cut: true, ..Link::default() });
    peer.send(b"question");
    node.send(b"answer");
    node.pass_ms(60_000);
    assert_eq!(node.received, b"");
    assert_eq!(peer.receive(100), b"answer");
    world.set_link(CLIENT, NODE, Link::default());
    node.pass_ms(1);
    assert_eq!(node.received, b"question");
    // The other way round.
    world.set_link(NODE, CLIENT, Link { is_cut: true, ..Link::default() });
    node.send(b"more");
    node.pass_ms(1000);
    assert_eq!(peer.receive(100), b"");
    peer.reset();
    node.pass_ms(1);
    assert!(node.is_reset, "what the client says still gets through");
}

#[test]
fn bytes_of_one_connection_stay_in_order_and_those_of_two_need_not() {
    let mut is_overtaken = false;
    for seed in 0..20 {
        let world = World::new(seed);
        let mut node = Listening::new(&world);
        let (first, second) = (node.connect(), node.connect());
        world.set_link(CLIENT, NODE, Link { delay_ns_max: 50_000_000, ..Link::default() });
        first.send(b"a");
        first.send(b"b");
        second.send(b"2");
        for _ in 0..60 {
            node.pass_ms(1);
        }
        let got = String::from_utf8(node.received).unwrap();
        assert_eq!(got.replace('2', ""), "ab");
        is_overtaken |= !got.ends_with('2');
    }
    assert!(is_overtaken, "the later connection is never the faster one");
}

#[test]
fn a_link_may_reset_its_connections() {
    let world = World::new(1);
    let mut node = Listening::new(&world);
    let peer = node.connect();
    world.set_link(CLIENT, NODE, Link { reset_percent: 100, ..Link::default() });
    peer.send(b"x");
    node.pass_ms(1);
    assert!(node.is_reset);
}

#[test]
fn machines_have_their_own_disks_calendars_and_faults_and_share_time() {
    let one = World::new(1);
    let other = one.machine(1);
    let (mut io, mut other_io) = (one.io(), other.io());
    one.set_faults(Faults { failed_sync_percent: 100, ..Faults::default() });
    other.set_wall_ms(WallMs(5));
    one.pass(Duration::from_secs(1));
    assert_eq!((other.wall_ms(), one.now()), (WallMs(1005), other.now()));
    for (io, synced) in [(&mut io, false), (&mut other_io, true)] {
        io.disk().create_dir(Path::new("/d")).unwrap();
        let file = io.disk().open(Path::new("/d/a"), OpenMode::Create).unwrap();
        io.disk().write_at(file, 0, b"x").unwrap();
        assert_eq!(io.disk().sync(file).is_ok(), synced);
    }
    one.crash(Crash::Process);
    let file = other_io.disk().open(Path::new("/d/a"), OpenMode::Read).unwrap();
    assert_eq!(other_io.disk().len(file), Ok(1), "the other machine runs on");
}

#[test]
fn a_disk_may_end_in_the_middle_of_a_change() {
    for changes in 0..6 {
        let world = World::new(1);
        let mut io = world.io();
        io.disk().create_dir(Path::new("/d")).unwrap();
        world.doom(changes);
        // Four changes: a file, a write, a sync, a name.
        let file = io.disk().open(Path::new("/d/new"), OpenMode::Create).unwrap();
        io.disk().write_at(file, 0, b"all").unwrap();
        io.disk().sync(file).unwrap();
        io.disk().rename(Path::new("/d/new"), Path::new("/d/name")).unwrap();
        assert_eq!(world.is_doomed(), changes < 4, "{changes}");
        world.crash(Crash::Process);
        let found = (world.file(Path::new("/d/new")), world.file(Path::new("/d/name")));
        let expected = match changes {
            0 => (None, None),
            1 => (Some(b"".to_vec()), None),
            2 | 3 => (Some(b"all".to_vec()), None),
            _ => (None, Some(b"all".to_vec())),
        };
        assert_eq!(found, expected, "{changes}");
    }
}

#[test]
fn a_misdirected_write_is_told_as_done_and_lands_elsewhere() {
    let world = World::new(1);
    let mut io = world.io();
    io.disk().create_dir(Path::new("/d")).unwrap();
    let file = io.disk().open(Path::new("/d/a"), OpenMode::Create).unwrap();
    io.disk().write_at(file, 0, &[0; 8192]).unwrap();
    world.misdirect_next_write(Path::new("/d/a"));
    io.disk().write_at(file, 4096, &[7; 512]).unwrap();
    let bytes = world.file(Path::new("/d/a")).unwrap();
    assert_eq!(bytes.iter().filter(|byte| **byte == 7).count(), 512);
    assert_ne!(bytes[4096], 7);
}
