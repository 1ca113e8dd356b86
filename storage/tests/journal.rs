//! The journal with several frames on their way at once.

use std::ops::Range;
use std::path::Path;

use shard::io::Wait;
use shard::memory::{Crash, Faults, MemoryIo, World};
use shard::{Buf, Io, Op, Ops, Token};
use storage::Offset;
use storage::journal::{self, Journal, LogId, Place};

const TOKEN: Token = Token(5 << 8);
const LOG: LogId = LogId([3; 20]);
const ENTRY_LEN: usize = 3000;

fn data() -> &'static Path {
    Path::new("/data")
}

/// A journal in a world of memory, and what is on its way.
struct Rig {
    world: World,
    io: MemoryIo,
    journal: Journal,
    under_way: Vec<(Token, Range<u64>)>,
    frames: i64,
    durable: Offset,
}

impl Rig {
    fn new(seed: u64) -> Rig {
        let world = World::new(seed);
        world.set_faults(Faults { latency_ns_max: 1_000_000, ..Faults::default() });
        let mut io = world.io();
        let journal = Journal::open(io.disk(), &journal::path_of(data(), 0), journal::LEN_MIN, 1).unwrap();
        Rig { world, io, journal, under_way: Vec::new(), frames: 0, durable: Offset(0) }
    }

    /// Pushes a frame with one entry, which is the log's next.
    fn push_entry(&mut self) {
        assert!(self.journal.has_room_for(ENTRY_LEN, 1));
        let position = self.frames as usize % 50 * ENTRY_LEN;
        let place = Place { log: LOG, segment: Offset(0), position: position as u32 };
        self.journal.add(&place, &[Buf::from(vec![self.frames as u8; ENTRY_LEN])]);
        self.frames += 1;
        self.journal.commit(Token(1), Offset(self.frames));
        self.push();
    }

    fn push(&mut self) {
        let mut ops = Ops::default();
        self.journal.push(&mut ops, TOKEN);
        for (token, op) in ops.drain() {
            let Op::WriteDurable { offset, buffer, .. } = &op else { panic!("a journal pushed {op:?}") };
            let range = *offset..*offset + buffer.len() as u64;
            let is_apart = |other: &Range<u64>| range.end <= other.start || other.end <= range.start;
            assert!(self.under_way.iter().all(|(other, at)| *other != token && is_apart(at)));
            self.under_way.push((token, range));
            self.io.push(token, op);
        }
    }

    /// Lets time pass and takes what has completed; says how many writes that were.
    fn reap(&mut self) -> usize {
        let mut done = Vec::new();
        self.world.advance();
        self.io.reap(Wait::No, &mut done);
        let count = done.len();
        for completion in done {
            self.under_way.retain(|(token, _)| *token != completion.token);
            for commit in self.journal.on_outcome(completion.token, completion.outcome).unwrap() {
                assert_eq!(commit.end, Offset(self.durable.0 + 1), "commits come in their order");
                self.durable = commit.end;
            }
        }
        count
    }
}

#[test]
fn a_frame_is_durable_when_those_before_it_are_whatever_is_written_first() {
    let mut waited = 0;
    for seed in 0..200 {
        let mut rig = Rig::new(seed);
        for _ in 0..4 {
            rig.push_entry();
        }
        let written = (0..seed % 4).map(|_| rig.reap()).sum::<usize>();
        waited += i64::try_from(written).unwrap() - rig.durable.0;
        rig.world.crash(Crash::Power);
        let mut io = rig.world.io();
        journal::replay(io.disk(), data(), |_| Some(data().join("t-0"))).unwrap();
        let log = io.disk().read_file(&data().join("t-0/00000000000000000000.log"), 1 << 20).unwrap();
        let kept = log.unwrap_or_default();
        for number in 0..rig.durable.0 as usize {
            let entry = &kept[number * ENTRY_LEN..(number + 1) * ENTRY_LEN];
            assert!(entry.iter().all(|byte| *byte == number as u8), "seed {seed}, entry {number}");
        }
    }
    assert!(waited > 0, "no frame was ever written before one that came first");
}

#[test]
fn the_place_of_a_frame_on_its_way_is_not_used_again() {
    for seed in 0..50 {
        let mut rig = Rig::new(seed);
        // Several times around; each frame may be freed at once, which is before it is written.
        for number in 0..400 {
            while !rig.journal.has_room_for(ENTRY_LEN, 1) {
                rig.reap();
                rig.push();
            }
            rig.push_entry();
            rig.journal.free_to(rig.journal.newest());
            if number % 3 == 0 {
                rig.reap();
            }
        }
        while rig.journal.has_flight() || rig.journal.has_work() {
            rig.push();
            rig.reap();
        }
        assert_eq!(rig.durable, Offset(400));
    }
}
