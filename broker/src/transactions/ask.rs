//! What can be asked of a transactional id, and what it answers: owned values, in Kafka's terms but not yet in its bytes.

use std::sync::Arc;

use protocol::ErrorCode;

use super::record::{Partition, State};
use crate::homes::ReplyTo;

/// What a coordinator knows of a transaction that is open in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// No id here has such a producer.
    Unknown,
    /// It is open, or its marker is on its way.
    Alive,
    /// It was committed, with this in its marker.
    Committed(Producer),
    /// It was aborted, or how it ended is not kept.
    Over,
}

/// A question about one transactional id, sent to the core that coordinates it.
#[derive(Debug)]
pub struct TxnQuestion {
    /// Its number within the request.
    pub number: u32,
    /// The partition of `__transaction_state` that has the id.
    pub partition: i32,
    /// The id; empty where all ids of the partition are meant.
    pub id: Arc<str>,
    /// What is asked.
    pub ask: TxnAsk,
}

/// What can be asked.
#[derive(Debug, Clone)]
pub enum TxnAsk {
    /// InitProducerId.
    Init(Init),
    /// AddPartitionsToTxn and AddOffsetsToTxn, and what a write of a version-2 client adds.
    Add(Add),
    /// Whether partitions are in the open transaction (KIP-890).
    Verify(Producer, Vec<Partition>),
    /// EndTxn.
    End(End),
    /// What becomes of a transaction that is open in a partition's log, whoever's it is.
    Trace(Producer, Partition),
    /// DescribeTransactions.
    Describe,
    /// ListTransactions.
    List(Arc<Filter>),
}

/// A producer, as it names itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Producer {
    /// Its id.
    pub id: i64,
    /// Its epoch.
    pub epoch: i16,
}

/// InitProducerId.
#[derive(Debug, Clone, Copy)]
pub struct Init {
    /// How long its transactions may be open.
    pub timeout_ms: i32,
    /// What the producer was before, if it goes on (KIP-360).
    pub expected: Option<Producer>,
    /// A producer id that nobody has; none is brought before it is asked for.
    pub fresh_id: Option<i64>,
}

/// Partitions to add.
#[derive(Debug, Clone)]
pub struct Add {
    /// Who asks.
    pub producer: Producer,
    /// What is added.
    pub partitions: Vec<Partition>,
    /// The version of transactions that the client speaks.
    pub version: i16,
    /// Whether the answer may wait for the transaction before to be complete, for a short while.
    pub may_wait: bool,
}

/// EndTxn.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// Who asks.
    pub producer: Producer,
    /// Whether to commit.
    pub is_commit: bool,
    /// The version of transactions that the client speaks.
    pub version: i16,
    /// As in [`Init`].
    pub fresh_id: Option<i64>,
}

/// ListTransactions: what is listed. What is empty filters nothing.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// In one of these states.
    pub states: Vec<State>,
    /// Of one of these producers.
    pub producers: Vec<i64>,
    /// Begun longer ago than this, ms; negative for any.
    pub duration_ms: i64,
    /// Whose whole id matches.
    pub pattern: Option<regex::Regex>,
}

/// What a transactional id answers, or Kafka's error.
pub type TxnReply = Result<TxnAnswer, ErrorCode>;

/// A reply and where it goes.
pub type Addressed = (ReplyTo, TxnReply);

/// What a transactional id answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TxnAnswer {
    /// Nothing but success.
    Done,
    /// A producer id is needed: to be asked again with one.
    NeedsProducerId,
    /// To InitProducerId and EndTxn: what the producer is from now on.
    Producer(Producer),
    /// To a verification: one error a partition, in the order of the question.
    PerPartition(Vec<ErrorCode>),
    /// To a trace.
    Traced(Fate),
    /// To DescribeTransactions.
    Described(Described),
    /// To ListTransactions.
    Listed(Vec<Listed>),
}

/// A transactional id in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Where it stands.
    pub state: State,
    /// How long its transactions may be open.
    pub timeout_ms: i32,
    /// When the open one began, calendar ms; -1 if there was none.
    pub start_ms: i64,
    /// Its producer.
    pub producer: Producer,
    /// The partitions of the one that is open.
    pub partitions: Vec<Partition>,
}

/// A transactional id in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The id.
    pub id: Arc<str>,
    /// Its producer's id.
    pub producer_id: i64,
    /// Where it stands.
    pub state: State,
}
