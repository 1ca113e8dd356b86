//! What a partition answers to a question, in Kafka's terms but not yet in its bytes.

use protocol::ErrorCode;
use shard::Buf;
use storage::{AbortedTxn, LeaderEpoch, Offset, ProducerRow};

use crate::groups::ask::GroupReply;
use crate::partition::facts::Lag;
use crate::transactions::ask::TxnReply;

/// An answer, of the kind that the question asked for.
#[derive(Debug, Clone)]
pub enum Answer {
    /// To an append.
    Appended(Appended),
    /// To a fetch.
    Fetched(Fetched),
    /// To an offset by time.
    Offset(FoundOffset),
    /// To an epoch's end.
    EpochEnd(EpochEnd),
    /// To the size, in bytes.
    Size(u64),
    /// To a question about a group.
    Group(GroupReply),
    /// To a deletion of records.
    Trimmed(Trimmed),
    /// To a reader's lag; `None` if it is not known.
    Lag(Option<Lag>),
    /// To an append that has to be verified first (KIP-890): what the verification is held against.
    Unverified(Offset),
    /// To a question about a transactional id.
    Txn(TxnReply),
    /// To the producers: all that are known, or why there are none.
    Producers(Result<Vec<ProducerRow>, ErrorCode>),
}

/// What became of an append.
#[derive(Debug, Clone)]
pub struct Appended {
    /// Why nothing was appended.
    pub error: ErrorCode,
    /// The first record's offset, -1 on an error (Q40).
    pub base_offset: i64,
    /// The broker's time in ms if it dates the records, else -1 (Q31).
    pub log_append_time_ms: i64,
    /// Where the log starts, -1 on an error.
    pub log_start_offset: i64,
    /// Records that were the reason, by index.
    pub record_errors: Vec<(i32, String)>,
    /// The reason in words.
    pub message: Option<String>,
}

impl Appended {
    /// Nothing was appended.
    pub fn refused(error: ErrorCode, message: impl Into<String>) -> Appended {
        Appended {
            error,
            base_offset: -1,
            log_append_time_ms: -1,
            log_start_offset: -1,
            record_errors: Vec::new(),
            message: Some(message.into()),
        }
    }
}

/// What a fetch found.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Why nothing is read.
    pub error: ErrorCode,
    /// -1 on an error (Q64).
    pub high_watermark: i64,
    /// -1 on an error.
    pub last_stable_offset: i64,
    /// -1 on an error.
    pub log_start_offset: i64,
    /// Whole batches; empty if there is nothing, or if only the amount was asked for.
    pub records: Buf,
    /// About how many bytes there are, within the limits that were asked for.
    pub available_bytes: u32,
    /// Whether the limit, not the log's end, ended the reading: waiting would bring no more.
    pub is_full: bool,
    /// Aborted transactions whose records are among them, for readers of what is stable (Q55).
    pub aborted: Vec<AbortedTxn>,
    /// Where the reader's log parts from this one: a leader epoch and its end (KIP-595).
    pub diverging: Option<(LeaderEpoch, Offset)>,
    /// The leader epoch here, for the client that has another (KIP-951).
    pub leader_epoch: i32,
}

impl Fetched {
    /// Nothing is read.
    pub fn refused(error: ErrorCode) -> Fetched {
        Fetched {
            error,
            high_watermark: -1,
            last_stable_offset: -1,
            log_start_offset: -1,
            records: Buf::from_static(&[]),
            available_bytes: 0,
            is_full: false,
            aborted: Vec::new(),
            diverging: None,
            leader_epoch: -1,
        }
    }
}

/// What a look-up by time found.
#[derive(Debug, Clone, Copy)]
pub struct FoundOffset {
    /// Why nothing is told.
    pub error: ErrorCode,
    /// The offset, -1 if there is none.
    pub offset: i64,
    /// The record's timestamp, -1 where none is told.
    pub timestamp: i64,
    /// The record's leader epoch, -1 if there is none.
    pub leader_epoch: i32,
}

impl FoundOffset {
    /// Nothing is told.
    pub fn refused(error: ErrorCode) -> FoundOffset {
        FoundOffset { error, offset: -1, timestamp: -1, leader_epoch: -1 }
    }
}

/// Where an epoch ends.
#[derive(Debug, Clone, Copy)]
pub struct EpochEnd {
    /// Why nothing is told.
    pub error: ErrorCode,
    /// The largest epoch that is not above the asked one, -1 if there is none.
    pub leader_epoch: i32,
    /// The offset after its last record, -1 if there is none.
    pub end_offset: i64,
}

/// What a deletion of records came to.
#[derive(Debug, Clone, Copy)]
pub struct Trimmed {
    /// Why nothing was deleted.
    pub error: ErrorCode,
    /// Where the log starts now, -1 on an error.
    pub low_watermark: i64,
}

impl Trimmed {
    /// Nothing was deleted.
    pub fn refused(error: ErrorCode) -> Trimmed {
        Trimmed { error, low_watermark: -1 }
    }
}

impl Answer {
    /// An append's answer; any other is a bug.
    pub fn appended(self) -> Appended {
        match self {
            Answer::Appended(answer) => answer,
            other => unreachable!("an append was asked for, and answered by {other:?}"),
        }
    }

    /// A fetch's answer; any other is a bug.
    pub fn fetched(self) -> Fetched {
        match self {
            Answer::Fetched(answer) => answer,
            other => unreachable!("a fetch was asked for, and answered by {other:?}"),
        }
    }

    /// A look-up's answer; any other is a bug.
    pub fn offset(self) -> FoundOffset {
        match self {
            Answer::Offset(answer) => answer,
            other => unreachable!("an offset was asked for, and answered by {other:?}"),
        }
    }

    /// An epoch's end; any other is a bug.
    pub fn epoch_end(self) -> EpochEnd {
        match self {
            Answer::EpochEnd(answer) => answer,
            other => unreachable!("an epoch was asked for, and answered by {other:?}"),
        }
    }

    /// A group's answer; any other is a bug.
    pub fn group(self) -> GroupReply {
        match self {
            Answer::Group(reply) => reply,
            other => unreachable!("a group was asked, and answered by {other:?}"),
        }
    }

    /// A transactional id's answer; any other is a bug.
    pub fn txn(self) -> TxnReply {
        match self {
            Answer::Txn(reply) => reply,
            other => unreachable!("a transactional id was asked, and answered by {other:?}"),
        }
    }

    /// Producers; any other is a bug.
    pub fn producers(self) -> Result<Vec<ProducerRow>, ErrorCode> {
        match self {
            Answer::Producers(producers) => producers,
            other => unreachable!("producers were asked for, and answered by {other:?}"),
        }
    }

    /// A size; any other is a bug.
    pub fn size(self) -> u64 {
        match self {
            Answer::Size(bytes) => bytes,
            other => unreachable!("a size was asked for, and answered by {other:?}"),
        }
    }

    /// A deletion of records; any other is a bug.
    pub fn trimmed(self) -> Trimmed {
        match self {
            Answer::Trimmed(answer) => answer,
            other => unreachable!("a deletion was asked for, and answered by {other:?}"),
        }
    }
}
