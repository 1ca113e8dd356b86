//! What can be asked of a group, and what it answers: owned values, in Kafka's terms but not yet in its bytes.

use std::sync::Arc;

use protocol::group_history::GroupHistory;
use protocol::{ErrorCode, Uuid};

use super::facts::CommittedFacts;
use super::record::{Assignment, Bytes};
use storage::{Marker, Offset};

/// A question about one group, sent to the core that coordinates it.
#[derive(Debug)]
pub struct GroupQuestion {
    /// Its number within the request.
    pub number: u32,
    /// The partition of `__consumer_offsets` that has the group.
    pub partition: i32,
    /// The group; empty where all groups of the partition are meant.
    pub group: Arc<str>,
    /// What is asked.
    pub ask: GroupAsk,
}

/// What can be asked.
#[derive(Debug, Clone)]
pub enum GroupAsk {
    /// JoinGroup.
    Join(Join),
    /// SyncGroup.
    Sync(Sync),
    /// Heartbeat.
    Heartbeat(Membership),
    /// LeaveGroup.
    Leave(Vec<Leaving>),
    /// OffsetCommit.
    Commit(Commit),
    /// TxnOffsetCommit.
    CommitInTransaction(TxnCommit),
    /// A transaction has ended, for all groups of the partition; in one of version 2 the marker brings a new epoch.
    Mark(Marker, bool),
    /// OffsetFetch.
    FetchOffsets(FetchOffsets),
    /// OffsetDelete: partitions, and what was found wrong with them before.
    DeleteOffsets(Vec<(Arc<str>, i32, ErrorCode)>),
    /// DeleteGroups.
    Delete,
    /// ListGroups, with a filter of states and one of types; both in lower case.
    List(Vec<String>, Vec<String>),
    /// DescribeGroups.
    Describe,
    /// ConsumerGroupHeartbeat.
    ConsumerHeartbeat(Box<ConsumerHeartbeat>),
    /// ConsumerGroupDescribe.
    ConsumerDescribe,
    /// What Ringlog tells besides: why it rebalanced, and what is committed.
    History,
}

/// What a group answers, or Kafka's error.
pub type GroupReply = Result<GroupAnswer, ErrorCode>;

/// What a group answers.
#[derive(Debug, Clone)]
pub enum GroupAnswer {
    /// Nothing but success.
    Done,
    /// To JoinGroup.
    Joined(Joined),
    /// A member id to join with (KIP-394).
    MemberId(String),
    /// To SyncGroup.
    Synced(Synced),
    /// To LeaveGroup: one error a member, in the order of the request.
    Left(Vec<ErrorCode>),
    /// To OffsetCommit and OffsetDelete: one error a partition, in the order of the request.
    PerPartition(Vec<ErrorCode>),
    /// To OffsetFetch.
    Offsets(Vec<FoundCommit>),
    /// To ListGroups.
    Listed(Vec<Listed>),
    /// To DescribeGroups.
    Described(Described),
    /// To ConsumerGroupHeartbeat.
    Beaten(Beaten),
    /// To ConsumerGroupDescribe.
    ConsumerDescribed(Box<ConsumerDescribed>),
    /// To TxnOffsetCommit: the partition has to be verified first (KIP-890), and what that is held against.
    Unverified(Offset),
    /// To a question for the history: it, and the committed offsets.
    History(Box<GroupHistory>, Vec<CommittedFacts>),
    /// An error with a reason in words.
    Refused(ErrorCode, String),
}

/// Who asks: a member by its id, its generation and its instance id.
#[derive(Debug, Clone, Default)]
pub struct Membership {
    /// The member's id.
    pub member: String,
    /// The generation it belongs to.
    pub generation: i32,
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
}

/// JoinGroup.
#[derive(Debug, Clone, Default)]
pub struct Join {
    /// The member's id; empty if it has none yet.
    pub member: String,
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
    /// How long it may be silent.
    pub session_timeout_ms: i32,
    /// How long it may take to join again.
    pub rebalance_timeout_ms: i32,
    /// "consumer", "connect", ….
    pub protocol_type: String,
    /// The protocols that it can do, best first, with what it tells of itself for each.
    pub protocols: Vec<(String, Bytes)>,
    /// Why it joins, in its own words (KIP-800).
    pub reason: Option<String>,
    /// What its client calls itself.
    pub client_id: String,
    /// Where its client is.
    pub client_host: String,
    /// Whether a new member must come back with an id that it is given (from version 4).
    pub needs_id: bool,
    /// Whether the client understands that a leader need not assign (from version 9).
    pub can_skip: bool,
}

/// The answer to JoinGroup.
#[derive(Debug, Clone)]
pub struct Joined {
    /// The member's id.
    pub member: String,
    /// The generation that begins.
    pub generation: i32,
    /// "consumer", "connect", ….
    pub protocol_type: Option<String>,
    /// What the members agreed on.
    pub protocol: Option<String>,
    /// The member that assigns.
    pub leader: String,
    /// Whether the leader is not to assign (KIP-814).
    pub skip_assignment: bool,
    /// For the leader: id, instance id and metadata of all.
    pub members: Vec<(String, Option<String>, Bytes)>,
}

/// SyncGroup.
#[derive(Debug, Clone, Default)]
pub struct Sync {
    /// Who asks.
    pub who: Membership,
    /// From version 5: what the member believes the group to be.
    pub protocol_type: Option<String>,
    /// From version 5: what the member believes the group to have agreed on.
    pub protocol: Option<String>,
    /// From the leader: what each member gets.
    pub assignments: Vec<(String, Bytes)>,
}

/// The answer to SyncGroup.
#[derive(Debug, Clone)]
pub struct Synced {
    /// "consumer", "connect", ….
    pub protocol_type: Option<String>,
    /// What the members agreed on.
    pub protocol: Option<String>,
    /// What the member gets.
    pub assignment: Bytes,
}

/// A member that leaves, or is made to.
#[derive(Debug, Clone, Default)]
pub struct Leaving {
    /// Its id; empty if it is meant by its instance id alone.
    pub member: String,
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
    /// Why it leaves, in its own words (KIP-800).
    pub reason: Option<String>,
}

/// OffsetCommit.
#[derive(Debug, Clone, Default)]
pub struct Commit {
    /// Who asks; a negative generation and no member is an administrator.
    pub who: Membership,
    /// The request's version: errors differ.
    pub version: i16,
    /// When the offsets expire whatever the settings say, calendar ms; -1 if the client does not say.
    pub expire_ms: i64,
    /// What is committed, in the request's order.
    pub offsets: Vec<CommitOffset>,
}

/// TxnOffsetCommit.
#[derive(Debug, Clone)]
pub struct TxnCommit {
    /// The producer whose transaction it belongs to.
    pub producer_id: i64,
    /// Its epoch.
    pub producer_epoch: i16,
    /// What the partition gave when it asked for a verification; `None` if it has not asked yet.
    pub guard: Option<Offset>,
    /// Whether each of the producer's transactions has an epoch of its own (version 2).
    pub has_own_epoch: bool,
    /// What is committed, and by whom.
    pub commit: Commit,
}

/// One offset to commit.
#[derive(Debug, Clone)]
pub struct CommitOffset {
    /// The topic.
    pub topic: Arc<str>,
    /// Its id.
    pub topic_id: Uuid,
    /// The partition.
    pub partition: i32,
    /// The next record to read.
    pub offset: i64,
    /// The leader epoch of the last record that was read, or -1.
    pub leader_epoch: i32,
    /// The client's own words.
    pub metadata: String,
    /// What was found wrong with the partition before.
    pub error: ErrorCode,
}

/// OffsetFetch.
#[derive(Debug, Clone)]
pub struct FetchOffsets {
    /// From version 9: who asks, by member id and epoch; none is an administrator.
    pub who: Option<(String, i32)>,
    /// Whether an offset that a transaction may still change is to be refused (Q89).
    pub is_stable: bool,
    /// The partitions, and what was found wrong with them before; `None` for all that have an offset.
    pub partitions: Option<Vec<(Arc<str>, i32, ErrorCode)>>,
}

/// An offset that was asked for.
#[derive(Debug, Clone)]
pub struct FoundCommit {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// -1 if none is committed (Q89).
    pub offset: i64,
    /// -1 if none is known.
    pub leader_epoch: i32,
    /// The client's own words.
    pub metadata: Arc<str>,
    /// Why nothing is told.
    pub error: ErrorCode,
}

/// A group in a list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The group.
    pub group: Arc<str>,
    /// "consumer", "connect", …; empty in a group that never had members.
    pub protocol_type: String,
    /// Kafka's word for its state.
    pub state: &'static str,
    /// "classic" or "consumer".
    pub kind: &'static str,
}

/// A classic group in full.
#[derive(Debug, Clone)]
pub struct Described {
    /// Kafka's word for its state.
    pub state: &'static str,
    /// "consumer", "connect", ….
    pub protocol_type: String,
    /// What its members agreed on; empty unless it is stable.
    pub protocol: String,
    /// Its members.
    pub members: Vec<DescribedMember>,
}

/// A member of a classic group in full.
#[derive(Debug, Clone)]
pub struct DescribedMember {
    /// Its id.
    pub id: String,
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
    /// What its client calls itself.
    pub client_id: String,
    /// Where its client is.
    pub client_host: String,
    /// What it told of itself; empty unless the group is stable (Q91).
    pub metadata: Bytes,
    /// What it has; empty unless the group is stable (Q91).
    pub assignment: Bytes,
}

/// ConsumerGroupHeartbeat. What is `None` is unchanged.
#[derive(Debug, Clone, Default)]
pub struct ConsumerHeartbeat {
    /// The member's id.
    pub member: String,
    /// Its epoch; 0 joins, -1 leaves, -2 leaves for a while (Q95).
    pub epoch: i32,
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
    /// Where it stands.
    pub rack: Option<String>,
    /// How long it may take to give partitions up; -1 if unchanged.
    pub rebalance_timeout_ms: i32,
    /// The topics that it names.
    pub topics: Option<Vec<String>>,
    /// The expression that its topics match as well; empty for none any more.
    pub regex: Option<String>,
    /// The assignor that it prefers.
    pub assignor: Option<String>,
    /// What it has.
    pub owned: Option<Assignment>,
    /// What its client calls itself.
    pub client_id: String,
    /// Where its client is.
    pub client_host: String,
}

/// The answer to ConsumerGroupHeartbeat.
#[derive(Debug, Clone)]
pub struct Beaten {
    /// The member's id.
    pub member: String,
    /// Its epoch from now on.
    pub epoch: i32,
    /// When it is expected again.
    pub interval_ms: i32,
    /// What it may read, if that has changed or it told all of itself.
    pub assignment: Option<Assignment>,
}

/// A consumer group in full.
#[derive(Debug, Clone)]
pub struct ConsumerDescribed {
    /// Kafka's word for its state.
    pub state: &'static str,
    /// How often its members or topics have changed.
    pub epoch: i32,
    /// The epoch that the targets belong to.
    pub target_epoch: i32,
    /// Who assigns.
    pub assignor: String,
    /// Its members.
    pub members: Vec<ConsumerMemberDescribed>,
}

/// A member of a consumer group in full.
#[derive(Debug, Clone)]
pub struct ConsumerMemberDescribed {
    /// Its id.
    pub id: Arc<str>,
    /// What it told of itself.
    pub data: super::record::MemberData,
    /// Its epoch.
    pub epoch: i32,
    /// What it has.
    pub assigned: Assignment,
    /// What it should have.
    pub target: Assignment,
}
