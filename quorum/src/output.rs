//! What a quorum tells its host: data, to be carried out in order.

use crate::members::{Members, NodeId};

/// Something for the host to do, or to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Bytes for a peer. They may be lost, doubled or overtaken.
    Send {
        /// Whom to.
        to: NodeId,
        /// What.
        bytes: Vec<u8>,
    },
    /// The next batch is committed.
    Committed(Committed),
    /// All that was known before is replaced by this.
    Restored(Restored),
    /// This node's part has changed.
    Role(Role),
    /// The voters have changed, by a batch that was told before.
    Members(Members),
    /// All that had been committed when the read was asked for has been told.
    ReadReady(ReadId),
    /// The read was not answered in time.
    ReadLost(ReadId),
    /// What [`crate::Quorum::add_voter`] or [`crate::Quorum::remove_voter`] began has ended.
    ChangeEnded {
        /// The voter that it was about.
        voter: NodeId,
        /// Why it was given up, if it was.
        failure: Option<String>,
    },
}

/// A batch of the log that no fault can take back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Its number among batches, from 1 on: Raft's index.
    pub index: u64,
    /// The term of the leader that took it: its leader epoch.
    pub term: u64,
    /// The offset of its first record.
    pub base_offset: i64,
    /// The offset behind its last record.
    pub next_offset: i64,
    /// The values of its records, in order; none if it is one of the quorum's own.
    pub records: Vec<Vec<u8>>,
}

/// The state at some offset as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The offset behind the last record that went into it.
    pub next_offset: i64,
    /// The values of the records that make it from nothing.
    pub records: Vec<Vec<u8>>,
}

/// A node's part in its quorum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It leads, and may propose.
    Leader {
        /// Which term of leadership it is.
        term: u64,
    },
    /// Somebody else leads, or nobody that it knows.
    Follower {
        /// The newest term that it knows.
        term: u64,
        /// Who leads it.
        leader: Option<NodeId>,
    },
    /// Its disk has failed: it takes no part until it is started again.
    Offline,
}

/// A batch that was proposed: committed if a [`Committed`] has both numbers, lost if one has the index alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposal {
    /// Its number among batches.
    pub index: u64,
    /// The term in which it was proposed.
    pub term: u64,
    /// The offset behind its last record.
    pub next_offset: i64,
}

/// The caller's name for a read that is to be fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadId(pub u64);
