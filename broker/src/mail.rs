//! What cores say to each other: a closed list.

use std::sync::Arc;

use net::Reply;
use shard::{Buf, ShardId};
use storage::{Marker, Offset, Promise};

use crate::answer::Answer;
use crate::broker::peers::ControllerLetter;
use crate::groups::ask::GroupQuestion;
use crate::metadata::Image;
use crate::report::{Inspect, Report};
use crate::request::{ReplyTo, Request};
use crate::transactions::ask::TxnQuestion;

/// A turn of this application.
pub type Turn<'a> = shard::Turn<'a, Mail>;

/// A request that waits for answers, named by the core that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PendingId {
    /// Which core.
    pub origin: ShardId,
    /// Its place there; never the same twice.
    pub number: u64,
}

/// The lower half of numbers that belong to no request but to the core's own coordinators of transactions.
const INTERNAL: u64 = u32::MAX as u64;

impl PendingId {
    /// A question of a core's own coordinators.
    pub fn internal(origin: ShardId, number: u32) -> PendingId {
        PendingId { origin, number: (u64::from(number) << 32) | INTERNAL }
    }

    /// Whether it is such a question.
    pub fn is_internal(self) -> bool {
        self.number & INTERNAL == INTERNAL
    }

    /// The number that such a question was given.
    pub fn internal_number(self) -> u32 {
        (self.number >> 32) as u32
    }
}

/// A partition by its topic's id and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionId {
    /// The topic.
    pub topic_id: protocol::Uuid,
    /// The number.
    pub partition: i32,
}

/// One letter.
#[derive(Debug)]
pub enum Mail {
    /// From the controller to all: the metadata has changed.
    Image(Arc<Image>),
    /// To the controller: the image of this version is in force here, its partitions are open.
    Applied(i64),
    /// To the controller: a request that only it can carry out.
    Forward(Box<Request>),
    /// To the controller: what the controller of another node says.
    ControllerMessage(Box<ControllerLetter>),
    /// Back to the core that took the request in: what to answer.
    Reply(ReplyTo, Reply),
    /// To a home: questions about its partitions.
    Ask(PendingId, Vec<Question>),
    /// To a home: questions about groups that it coordinates.
    AskGroups(PendingId, Vec<GroupQuestion>),
    /// To a home: questions about transactional ids that it coordinates.
    AskTxns(PendingId, Vec<TxnQuestion>),
    /// From a home: answers, by the questions' numbers.
    Answers(PendingId, Vec<(u32, Answer)>),
    /// From a home: a partition that a parked fetch watches has more to read.
    Woken(PendingId),
    /// To a home: a fetch has ended and watches these no longer.
    Unwatch(PendingId, Vec<PartitionId>),
    /// From the controller to all: every core has its partitions open, connections may come.
    Serve,
    /// From the control thread: tell of yourself.
    Inspect(Inspect),
    /// To the control thread: a part of what was asked.
    Report(Report),
}

/// A question about one partition.
#[derive(Debug)]
pub struct Question {
    /// Its number within the request.
    pub number: u32,
    /// About which partition.
    pub partition: PartitionId,
    /// The leader epoch that the client knows; -1 if it does not say (Q65).
    pub current_leader_epoch: i32,
    /// What is asked.
    pub ask: Ask,
}

/// What can be asked of a partition.
#[derive(Debug)]
pub enum Ask {
    /// Append these records, and answer when they are kept as promised. The first of a transaction need to be verified.
    Append(Buf, Promise, Option<Verified>),
    /// End a producer's transaction; in one of version 2 the marker brings a new epoch.
    Mark(Marker, bool),
    /// Tell the producers that are known.
    Producers,
    /// Read.
    Fetch(FetchAsk),
    /// Find an offset by time: a timestamp in ms or one of the special values (Q75).
    OffsetFor {
        /// What is looked for.
        timestamp: i64,
        /// Whether only what is stable counts.
        is_committed: bool,
    },
    /// Where a leader epoch ends (Q78).
    EpochEnd(i32),
    /// How large it is on disk.
    Size,
    /// How far behind a reader is who stands here.
    Lag {
        /// The next record that it reads.
        offset: Offset,
    },
    /// Delete the records before an offset; -1 stands for the high watermark (Q72).
    Trim {
        /// The first offset that stays.
        offset: i64,
    },
}

/// What the coordinator of transactions has confirmed: the partition is in the producer's transaction.
#[derive(Debug, Clone, Copy)]
pub struct Verified {
    /// What the partition gave when it asked for that.
    pub guard: Offset,
    /// Whether the transaction has an epoch of its own (version 2).
    pub has_own_epoch: bool,
}

/// What a fetch wants of a partition.
#[derive(Debug, Clone, Copy)]
pub struct FetchAsk {
    /// Where to begin.
    pub offset: Offset,
    /// How many bytes at most.
    pub bytes_max: u32,
    /// Whether only what is stable may be read.
    pub is_committed: bool,
    /// Whether the fetch wants to hear when there is more; heeded where nothing is read now.
    pub is_watched: bool,
    /// The epoch of the record before `offset`, to find a diverging log; -1 if the client does not say.
    pub last_fetched_epoch: i32,
    /// How many bytes the whole fetch may take; the same for all of its partitions.
    pub budget_bytes: u32,
    /// Whether only the amount is asked for, not the bytes.
    pub is_probe: bool,
}
