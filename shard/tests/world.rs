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

/// Two machines, and a connection between their cores.
struct Pair {
    world: World,
    machines: [World; 2],
    cores: [Option<MemoryIo>; 2],
    sockets: [SocketId; 2],
    done: [Vec<Completion>; 2],
}

const CONNECT: Token = Token(4);
const ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2))];

impl Pair {
    fn connected() -> Pair {
        let world = World::new(7);
        let machines = [world.machine(0), world.machine(1)];
        let (cores, done) = ([None, None], [Vec::new(), Vec::new()]);
        let mut pair = Pair { world, machines, cores, sockets: [SocketId(0); 2], done };
        pair.start(0);
        pair.start(1);
        pair.push(0, CONNECT, Op::Connect { address: SocketAddr::new(ADDRESSES[1], 9092), stuck_max: None });
        pair.pass_ms(1);
        for Completion { token, outcome, .. } in std::mem::take(&mut pair.done[0]) {
            match outcome {
                Outcome::Connecting { socket } => pair.sockets[0] = socket,
                other => assert!(matches!(other, Outcome::Connected) && token == CONNECT, "{other:?}"),
            }
        }
        let accepted = pair.done[1].pop().expect("a connection comes in");
        let Outcome::Accepted { socket, peer } = accepted.outcome else { panic!("{accepted:?}") };
        assert_eq!(peer.ip(), ADDRESSES[0], "a machine connects from its own address");
        pair.sockets[1] = socket;
        for side in [0, 1] {
            pair.push(side, RECEIVE, Op::Receive { socket: pair.sockets[side] });
        }
        pair
    }

    fn start(&mut self, side: usize) {
        let mut io = self.machines[side].io();
        let listener = io.listen(SocketAddr::new(ADDRESSES[side], 9092));
        io.push(ACCEPT, Op::Accept { listener });
        self.cores[side] = Some(io);
        self.turn();
    }

    fn push(&mut self, side: usize, token: Token, op: Op) {
        self.cores[side].as_mut().expect("the core runs").push(token, op);
        self.turn();
    }

    fn say(&mut self, side: usize, bytes: &'static [u8]) {
        let parts = vec![shard::Buf::from_static(bytes)];
        self.push(side, SEND, Op::Send { socket: self.sockets[side], parts });
    }

    fn crash(&mut self, side: usize, how: Crash) {
        self.cores[side] = None;
        self.machines[side].crash(how);
    }

    fn turn(&mut self) {
        for (core, done) in self.cores.iter_mut().zip(&mut self.done) {
            if let Some(core) = core {
                core.reap(Wait::No, done);
            }
        }
    }

    fn pass_ms(&mut self, ms: u64) {
        self.turn();
        self.world.pass_ms(ms);
        self.turn();
        self.turn();
    }

    /// What a core has received, and how its receive ended if it did.
    fn heard(&mut self, side: usize) -> (Vec<u8>, Option<Result<(), IoError>>) {
        let (mut bytes, mut end) = (Vec::new(), None);
        for completion in std::mem::take(&mut self.done[side]) {
            match completion.outcome {
                Outcome::Received(piece) if piece.is_empty() => end = Some(Ok(())),
                Outcome::Received(piece) => bytes.extend_from_slice(&piece),
                Outcome::Failed(error) if completion.token == RECEIVE => end = Some(Err(error)),
                _ => {}
            }
        }
        (bytes, end)
    }

    fn cut(&self, from: usize, is_cut: bool) {
        self.world.set_link(ADDRESSES[from], ADDRESSES[1 - from], Link { is_cut, ..Link::default() });
    }
}

#[test]
fn two_machines_hear_each_other_but_over_a_link_that_is_cut() {
    let mut pair = Pair::connected();
    pair.cut(0, true);
    pair.say(0, b"hold");
    pair.say(1, b"pass");
    pair.pass_ms(10_000);
    assert_eq!((pair.heard(0), pair.heard(1)), ((b"pass".to_vec(), None), (vec![], None)));
    pair.cut(0, false);
    pair.pass_ms(1);
    assert_eq!(pair.heard(1), (b"hold".to_vec(), None));
    assert!(pair.world.next_at_peers().is_none(), "no test holds an end");
}

#[test]
fn a_link_that_resets_is_heard_of_at_both_ends() {
    let mut pair = Pair::connected();
    pair.world.set_link(ADDRESSES[0], ADDRESSES[1], Link { reset_percent: 100, ..Link::default() });
    pair.say(0, b"x");
    pair.pass_ms(1);
    assert_eq!(pair.heard(0).1, Some(Err(IoError::RESET)));
    assert_eq!(pair.heard(1).1, Some(Err(IoError::RESET)));
}

#[test]
fn the_kernel_of_a_killed_process_ends_its_connections() {
    for side in [0, 1] {
        let mut pair = Pair::connected();
        pair.say(side, b"last words");
        pair.crash(side, Crash::Process);
        pair.pass_ms(1);
        assert_eq!(pair.heard(1 - side), (b"last words".to_vec(), Some(Ok(()))));
    }
}

#[test]
fn a_machine_without_power_is_silent_and_resets_what_still_comes_when_it_runs_again() {
    for side in [0, 1] {
        let mut pair = Pair::connected();
        pair.crash(side, Crash::Power);
        pair.say(1 - side, b"anybody there?");
        pair.pass_ms(60_000);
        assert_eq!(pair.heard(1 - side), (vec![], None));
        pair.start(side);
        pair.say(1 - side, b"and now?");
        pair.pass_ms(1);
        assert_eq!(pair.heard(1 - side).1, Some(Err(IoError::RESET)));
    }
}

#[test]
fn an_attempt_is_refused_by_a_machine_that_runs_and_not_by_one_without_power() {
    for (how, expected) in [(Crash::Process, Some(IoError::REFUSED)), (Crash::Power, None)] {
        let mut pair = Pair::connected();
        pair.crash(1, how);
        pair.pass_ms(1);
        pair.done[0].clear();
        let address = SocketAddr::new(ADDRESSES[1], 9092);
        pair.push(0, CONNECT, Op::Connect { address, stuck_max: None });
        pair.pass_ms(60_000);
        let ends = pair.done[0].iter().filter(|done| done.token == CONNECT && !done.more);
        let errors: Vec<IoError> = ends
            .map(|done| match done.outcome {
                Outcome::Failed(error) => error,
                ref other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(errors, Vec::from_iter(expected), "{how:?}");
    }
}
