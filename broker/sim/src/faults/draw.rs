//! Draws the faults of a run.

use shard::random::Random;

use super::{Direction, Far, Fault, Kind};
use crate::event::Down;

/// How long faults go on, ms.
pub const FAULTY_MS: u64 = 8_000;
const FAULTS_MIN: u64 = 3;
const FAULTS_MORE: u64 = 8;
const SHARDS_MAX: u64 = 4;
/// Clients that may be cut off one by one.
const CLIENTS: u64 = 18;

/// The faults of a run on nodes below `nodes`, in their order.
pub fn draw(random: &mut Random, nodes: usize) -> Vec<Fault> {
    let count = FAULTS_MIN + random.below(FAULTS_MORE);
    let mut faults: Vec<Fault> = (0..count).map(|_| one(random, nodes)).collect();
    let eves: Vec<Fault> = faults.iter().filter_map(|fault| eve(random, fault)).collect();
    faults.extend(eves);
    faults.sort_by_key(|fault| fault.at_ms);
    faults
}

/// Most losses of power come while the disk is slow: much is under way then that can be lost.
fn eve(random: &mut Random, fault: &Fault) -> Option<Fault> {
    let is_loss = matches!(fault.kind, Kind::Crash { how: Down::PowerLost, .. });
    if !is_loss || random.chance(40) {
        return None;
    }
    let before_ms = 1 + random.below(400);
    let kind = Kind::SlowDisk { latency_ms_max: 20 + random.below(300), ms: before_ms + 1 };
    Some(Fault { at_ms: fault.at_ms.saturating_sub(before_ms), node: fault.node, kind })
}

fn one(random: &mut Random, nodes: usize) -> Fault {
    let (at_ms, node) = (random.below(FAULTY_MS), random.below(nodes as u64) as usize);
    let shards = 1 + random.below(SHARDS_MAX) as u16;
    let short_ms = 50 + random.below(1_500);
    let kind = match random.below(100) {
        0..20 => crash(random, Down::PowerLost, shards),
        20..35 => crash(random, Down::Killed, shards),
        35..43 => Kind::Restart { down_ms: random.below(500), shards },
        43..49 => Kind::Pause { ms: short_ms * if random.chance(20) { 5 } else { 1 } },
        49..59 => cut(random, (node, nodes), short_ms),
        59..66 => slow_links(random, (node, nodes), short_ms * 2),
        66..73 => Kind::Resets { percent: 1 + random.below(10), ms: short_ms },
        73..81 => Kind::SlowDisk { latency_ms_max: 1 + random.below(100), ms: short_ms * 2 },
        81..87 => Kind::ShortWrites { percent: 10 + random.below(60), ms: short_ms * 2 },
        87..92 => failing(random, short_ms, shards),
        92..93 => Kind::FlipBit { file: random.next_u64() >> 40, bit: random.next_u64() >> 40 },
        93..94 => Kind::Misdirect { file: random.next_u64() >> 40 },
        94..96 => Kind::FullDisk { bytes_left: random.below(30_000), ms: short_ms, shards },
        _ => Kind::ClockStep { by_ms: random.below(1_800_000) as i64 - 900_000 },
    };
    Fault { at_ms, node, kind }
}

fn crash(random: &mut Random, how: Down, shards: u16) -> Kind {
    let after_changes = random.chance(50).then(|| random.below(40));
    let again_after_changes = random.chance(25).then(|| random.below(30));
    Kind::Crash { how, after_changes, again_after_changes, down_ms: random.below(800), shards }
}

/// In a cluster most of what happens to links happens between nodes.
fn far_peers(random: &mut Random, (node, nodes): (usize, usize)) -> Option<Far> {
    if nodes < 2 || random.chance(25) {
        return None;
    }
    let other = (node + 1 + random.below(nodes as u64 - 1) as usize) % nodes;
    Some(if random.chance(50) { Far::Peer(other) } else { Far::Peers })
}

fn slow_links(random: &mut Random, place: (usize, usize), ms: u64) -> Kind {
    let far = far_peers(random, place).unwrap_or(Far::Clients);
    Kind::SlowLinks { far, delay_ms_max: 1 + random.below(200), ms }
}

fn cut(random: &mut Random, place: (usize, usize), ms: u64) -> Kind {
    let far = far_peers(random, place).unwrap_or_else(|| {
        let is_one = random.chance(60);
        if is_one { Far::Client(1 + random.below(CLIENTS) as usize) } else { Far::Clients }
    });
    let direction = match random.below(3) {
        0 => Direction::Inward,
        1 => Direction::Outward,
        _ => Direction::Both,
    };
    Kind::Cut { far, direction, ms: ms * if random.chance(20) { 5 } else { 1 } }
}

fn failing(random: &mut Random, ms: u64, shards: u16) -> Kind {
    let percent = 1 + random.below(20);
    let (writes, syncs, reads) = match random.below(4) {
        0 => (percent, 0, 0),
        1 => (0, percent, 0),
        2 => (0, 0, percent),
        _ => (percent, percent, percent),
    };
    Kind::FailingDisk { writes, syncs, reads, ms, shards }
}
