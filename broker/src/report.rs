//! What a core tells of itself when the control thread asks: plain copies of numbers, in slices of a bounded size. Text is made
//! of them on the control thread.
//!
//! ```text
//!   Inspect::Metrics ─► Partitions, Partitions, … ─► Groups, … ─► Transactions, … ─► Core      one slice a turn
//!   Inspect::Health  ─► Health                                                              at once
//!   Inspect::Lags    ─► Lags                                                                at once, a slice of readers
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use net::NetCounts;
use shard::LoopCounts;
use storage::Offset;

use crate::groups::facts::{GroupCounts, GroupFacts};
use crate::homes::facts::CoordinatorPhases;
use crate::mail::PartitionId;
use crate::metadata::{Image, Topic};
use crate::partition::facts::{Lag, PartitionFacts};
use crate::partition::{DiskFacts, JournalFacts};
use crate::transactions::facts::TxnCounts;

/// Readers whose lag one letter asks for, at most.
pub const SLICE_READERS: usize = 256;

/// What the control thread asks of a core. The number names the round of questions that it belongs to.
#[derive(Debug)]
pub enum Inspect {
    /// How it is.
    Health(u64),
    /// Everything that it counts; so many groups one by one at most, and so many of their committed offsets.
    Metrics(u64, usize, usize),
    /// The lag of readers who stand at these offsets of its partitions; a few.
    Lags(u64, Vec<(PartitionId, Offset)>),
}

/// What a core answers, with the number of the round.
#[derive(Debug)]
pub enum Report {
    /// How it is.
    Health(u64, Box<Health>),
    /// Some partitions, and the metadata that names them.
    Partitions(u64, Arc<Image>, Vec<PartitionFacts>),
    /// Some groups.
    Groups(u64, GroupSlice),
    /// The last part: all that there is one of.
    Core(u64, Box<CoreFacts>),
    /// The lag of the readers that were asked for, in their order.
    Lags(u64, Vec<Option<Lag>>),
}

/// Whether a core does its work.
#[derive(Debug, Clone)]
pub struct Health {
    /// Whether it serves clients; before that it starts, after that it stops.
    pub is_serving: bool,
    /// Whether it stops.
    pub is_stopping: bool,
    /// Its coordinators of groups.
    pub groups: CoordinatorPhases,
    /// Its coordinators of transactions.
    pub transactions: CoordinatorPhases,
    /// The disk.
    pub disk: DiskFacts,
    /// Partitions that are out of reach: some by topic, number and reason, and how many there are.
    pub offline: (Vec<(Arc<Topic>, i32, String)>, usize),
}

/// Some groups, as a report tells of them.
#[derive(Debug, Default)]
pub struct GroupSlice {
    /// Those that are told one by one.
    pub groups: Vec<GroupFacts>,
    /// All groups of the slice, by type and state.
    pub states: BTreeMap<(&'static str, &'static str), u64>,
    /// Groups that are not among these, because there are too many.
    pub groups_left_out: u64,
    /// Groups among these whose offsets are left out, because they are too many.
    pub offsets_left_out: u64,
}

/// What a core has of what there is one of.
#[derive(Debug)]
pub struct CoreFacts {
    /// Its loop.
    pub turns: LoopCounts,
    /// CPU time that its thread has used.
    pub cpu: Duration,
    /// Its connections.
    pub net: NetCounts,
    /// How many are open.
    pub connection_count: usize,
    /// Errors that requests were answered with, by API key and code.
    pub errors: BTreeMap<(i16, i16), u64>,
    /// Requests that wait for answers of partitions or coordinators, parked fetches left out.
    pub waiting_requests: usize,
    /// Fetches that wait for more to read.
    pub parked_fetches: usize,
    /// Fetch sessions.
    pub fetch_sessions: usize,
    /// Bytes that are being read from files.
    pub reading_bytes: usize,
    /// Bytes of replies that are not with the kernel yet.
    pub reply_bytes: usize,
    /// Bytes of free buffers, of all cores together.
    pub pool_bytes: usize,
    /// Files that are open for partitions, and how many may be.
    pub open_files: (usize, usize),
    /// Its journal.
    pub journal: JournalFacts,
    /// The disk.
    pub disk: DiskFacts,
    /// Its coordinators of groups.
    pub groups: (CoordinatorPhases, GroupCounts),
    /// Its coordinators of transactions.
    pub transactions: (CoordinatorPhases, TxnCounts),
    /// The metadata that it goes by.
    pub image: Arc<Image>,
}
