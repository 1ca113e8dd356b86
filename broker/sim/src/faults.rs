//! What goes wrong in a run, and when: a list that is drawn from the seed before the run begins, so that it can be shortened.

mod apply;
mod draw;

pub use apply::{Aftermath, Around, Doom, Healing, sound_link, sound_machine};
pub use draw::{FAULTY_MS, draw};

use std::fmt;

use crate::event::Down;

/// Something that goes wrong at a moment, in ms since the faults began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// When.
    pub at_ms: u64,
    /// Which node it strikes.
    pub node: usize,
    /// What.
    pub kind: Kind,
}

/// What stands at the far end of the links that something happens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Far {
    /// One client.
    Client(usize),
    /// All clients.
    Clients,
    /// One other node.
    Peer(usize),
    /// All other nodes.
    Peers,
}

/// Which way a link is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the node.
    Inward,
    /// From the node.
    Outward,
    /// Both.
    Both,
}

/// What goes wrong. What lasts, lasts `ms`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The node goes down, `after_changes` changes of its disk later if that is set, and comes up on `shards` shards; and does
    /// so once more so many changes after it began to come up, if `again_after_changes` is set.
    Crash {
        how: Down,
        after_changes: Option<u64>,
        again_after_changes: Option<u64>,
        down_ms: u64,
        shards: u16,
    },
    /// The node is stopped in order, and comes up on `shards` shards.
    Restart { down_ms: u64, shards: u16 },
    /// The node gets no turns.
    Pause { ms: u64 },
    /// Nothing gets through between the node and the far end.
    Cut { far: Far, direction: Direction, ms: u64 },
    /// Bytes take longer, in both directions; how long, each connection draws for itself.
    SlowLinks { far: Far, delay_ms_max: u64, ms: u64 },
    /// Connections are reset.
    Resets { percent: u64, ms: u64 },
    /// Operations on files take longer.
    SlowDisk { latency_ms_max: u64, ms: u64 },
    /// Writes are done in pieces.
    ShortWrites { percent: u64, ms: u64 },
    /// Operations on files fail; the node is started anew when that is over.
    FailingDisk { writes: u64, syncs: u64, reads: u64, ms: u64, shards: u16 },
    /// There is room for so many more bytes; the node is started anew when that is over.
    FullDisk { bytes_left: u64, ms: u64, shards: u16 },
    /// A bit of a file of the topic that may be damaged flips: of the file and the bit of these numbers, modulo what there is.
    FlipBit { file: u64, bit: u64 },
    /// The next write to a file of that topic lands elsewhere.
    Misdirect { file: u64 },
    /// The node's calendar jumps.
    ClockStep { by_ms: i64 },
}

impl fmt::Display for Far {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Far::Client(client) => write!(f, "client {client}"),
            Far::Clients => f.write_str("all clients"),
            Far::Peer(node) => write!(f, "node {node}"),
            Far::Peers => f.write_str("all other nodes"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} ms, node {}: ", self.at_ms, self.node)?;
        match &self.kind {
            Kind::Crash { how, after_changes, again_after_changes, down_ms, shards } => {
                let what = if *how == Down::PowerLost { "loses power" } else { "is killed" };
                write!(f, "{what}")?;
                if let Some(changes) = after_changes {
                    write!(f, " {changes} changes of its disk later, in the middle of a turn")?;
                }
                write!(f, ", is down for {down_ms} ms and comes up on {shards} shards")?;
                match again_after_changes {
                    Some(changes) => write!(f, ", and once more {changes} changes after that began"),
                    None => Ok(()),
                }
            }
            Kind::Restart { down_ms, shards } => {
                write!(f, "is stopped, is down for {down_ms} ms and comes up on {shards} shards")
            }
            Kind::Pause { ms } => write!(f, "is paused for {ms} ms"),
            Kind::Cut { far, direction, ms } => {
                let way = match direction {
                    Direction::Inward => "from",
                    Direction::Outward => "to",
                    Direction::Both => "from and to",
                };
                write!(f, "nothing comes through {way} {far} for {ms} ms")
            }
            Kind::SlowLinks { far, delay_ms_max, ms } => {
                write!(f, "bytes from and to {far} take up to {delay_ms_max} ms for {ms} ms")
            }
            Kind::Resets { percent, ms } => write!(f, "{percent} % of sends are reset for {ms} ms"),
            Kind::SlowDisk { latency_ms_max, ms } => {
                write!(f, "its disk takes up to {latency_ms_max} ms for {ms} ms")
            }
            Kind::ShortWrites { percent, ms } => write!(f, "{percent} % of writes are short for {ms} ms"),
            Kind::FailingDisk { writes, syncs, reads, ms, shards } => write!(
                f,
                "{writes} % of writes, {syncs} % of syncs and {reads} % of reads fail for {ms} ms, then it starts anew on {shards} shards"
            ),
            Kind::FullDisk { bytes_left, ms, shards } => write!(
                f,
                "its disk has room for {bytes_left} bytes for {ms} ms, then it starts anew on {shards} shards"
            ),
            Kind::FlipBit { file, bit } => write!(f, "bit {bit} flips in file {file} of the brittle topic"),
            Kind::Misdirect { file } => {
                write!(f, "the next write to file {file} of the brittle topic lands elsewhere")
            }
            Kind::ClockStep { by_ms } => write!(f, "its calendar jumps by {by_ms} ms"),
        }
    }
}
