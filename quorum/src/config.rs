//! What a node brings to its quorum, and the measures of time and size that all of them share.

use crate::members::{NodeId, Voter};

/// How often the host ticks, in ms.
pub const TICK_MS: i64 = 50;

/// A leader is heard of at least so often, in ticks.
pub const HEARTBEAT_TICKS: usize = 2;

/// A voter that hears of no leader for so long asks to become one, in ticks: at least this, and less than twice as much. A
/// leader that hears of no majority for so long steps down.
pub(crate) const ELECTION_TICKS: usize = 8;

/// A batch may have this many bytes; also one that a message brings.
pub(crate) const BATCH_BYTES_MAX: usize = 64 << 20;

/// An append carries so many bytes, or one batch.
pub(crate) const APPEND_BYTES_MAX: u64 = 1 << 20;

/// Appends that may be under way to one follower.
pub(crate) const APPENDS_IN_FLIGHT_MAX: usize = 16;

/// Batches that are not committed yet may have so many bytes, or there is one.
pub(crate) const UNCOMMITTED_BYTES_MAX: u64 = 64 << 20;

/// Reads that may wait to be known as fresh.
pub(crate) const READS_MAX: usize = 10_000;

/// A read that is not answered for so long is given up, in ticks.
pub(crate) const READ_TICKS_MAX: u64 = 100;

/// A new voter has so long to catch up, in ticks: a minute.
pub(crate) const CATCH_UP_TICKS_MAX: u64 = 1200;

/// Terms are leader epochs, which have 31 bits.
pub(crate) const TERM_MAX: u64 = i32::MAX as u64 - 1;

/// How much of the log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measures {
    /// Of the log's committed end so many bytes stay in memory, for followers that lag a little.
    pub cache_bytes: usize,
    /// A log shorter than this is never worth cutting, bytes.
    pub cut_bytes_min: u64,
}

impl Default for Measures {
    fn default() -> Measures {
        Measures { cache_bytes: 4 << 20, cut_bytes_min: 1 << 20 }
    }
}

/// Who a quorum begins with; looked at when a directory is opened for the first time, and compared later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Founding {
    /// This node alone.
    Alone,
    /// These nodes, of which this is one.
    Together(Vec<Voter>),
    /// Others have a quorum already: this node votes when they have made it a voter.
    Join,
}

/// Who this node is.
#[derive(Debug, Clone)]
pub struct Config {
    /// The node, and where its peers reach it.
    pub me: Voter,
    /// The cluster's id: what comes from another cluster is refused.
    pub cluster_id: String,
    /// Who the quorum begins with.
    pub founding: Founding,
    /// What election timeouts are drawn from.
    pub seed: u64,
    /// How much of the log is kept.
    pub measures: Measures,
}

impl Config {
    /// This node's number.
    pub fn id(&self) -> NodeId {
        self.me.id
    }
}
