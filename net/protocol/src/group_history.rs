//! Ringlog's extension of DescribeGroups (key 15, from version 5): why a group rebalanced, and how far behind it is.
//!
//! A client asks with a tagged field at the end of the request; the answer is a tagged field at the end of the response. Whoever
//! does not know the tag skips it, as Kafka's protocol demands: real Kafka answers as ever, and so does the client see that
//! there is no history. `docs/protocol-extensions.md` describes the bytes.
//!
//! ```text
//!   request   … groups, include_authorized_operations, tags { 21065: version int8 }
//!   response  … throttle_time_ms, groups,              tags { 21065: version int8, [group id, state, …] }
//! ```

use std::ops::RangeInclusive;

use crate::messages::describe_groups_request::DescribeGroupsRequest;
use crate::messages::describe_groups_response::{DescribeGroupsResponse, DescribedGroup};
use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// The tag, in requests and responses: "RI" as a number, far from those that Kafka counts from 0.
pub const TAG: u32 = 0x5249;

/// The only version of the content so far. A later one may add to the end of what is here.
const VERSION: i8 = 0;

/// The first version of DescribeGroups that has tagged fields.
pub const FIRST_VERSION: i16 = DescribeGroupsRequest::FLEXIBLE_FROM;

/// What began a rebalance: each has a number on the wire that it keeps for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i8)]
pub enum CauseKind {
    /// One that this version does not know.
    Unknown = -1,
    /// A member has joined.
    MemberJoined = 0,
    /// A member has left, by itself or by an administrator's hand.
    MemberLeft = 1,
    /// A member was silent for its whole session.
    SessionExpired = 2,
    /// A member kept partitions that it had to give up for its whole rebalance timeout.
    RebalanceTimeout = 3,
    /// A member did not fetch its assignment, or the leader did not make one, for the whole rebalance timeout.
    SyncTimeout = 4,
    /// A member has joined again with the same topics and protocols: mostly it has given up partitions, as cooperative
    /// consumers do, and another one shall have them now.
    MemberRejoined = 5,
    /// A static member is back under a new member id, and what it can do has changed.
    StaticMemberReplaced = 6,
    /// A member reads other topics now, or can do other protocols.
    SubscriptionChanged = 7,
    /// The leader has joined again, which asks for a new assignment: it has seen that topics have changed, mostly.
    LeaderRejoined = 8,
    /// The topics that the group reads have changed.
    MetadataChanged = 9,
    /// The coordinator has read the group from its log: no rebalance, but where memory begins.
    CoordinatorLoaded = 10,
}

impl CauseKind {
    /// All that are known, in the order of their numbers.
    pub const ALL: [CauseKind; 11] = [
        CauseKind::MemberJoined,
        CauseKind::MemberLeft,
        CauseKind::SessionExpired,
        CauseKind::RebalanceTimeout,
        CauseKind::SyncTimeout,
        CauseKind::MemberRejoined,
        CauseKind::StaticMemberReplaced,
        CauseKind::SubscriptionChanged,
        CauseKind::LeaderRejoined,
        CauseKind::MetadataChanged,
        CauseKind::CoordinatorLoaded,
    ];

    /// One word, for labels and scripts.
    pub const fn name(self) -> &'static str {
        match self {
            CauseKind::Unknown => "unknown",
            CauseKind::MemberJoined => "member_joined",
            CauseKind::MemberLeft => "member_left",
            CauseKind::SessionExpired => "session_expired",
            CauseKind::RebalanceTimeout => "rebalance_timeout",
            CauseKind::SyncTimeout => "sync_timeout",
            CauseKind::MemberRejoined => "member_rejoined",
            CauseKind::StaticMemberReplaced => "static_member_replaced",
            CauseKind::SubscriptionChanged => "subscription_changed",
            CauseKind::LeaderRejoined => "leader_rejoined",
            CauseKind::MetadataChanged => "metadata_changed",
            CauseKind::CoordinatorLoaded => "coordinator_loaded",
        }
    }

    /// The cause that is no time that ran out.
    pub const fn now(self) -> Cause {
        Cause { kind: self, after_ms: -1 }
    }

    /// The cause that is a time that ran out.
    pub const fn after(self, after_ms: i64) -> Cause {
        Cause { kind: self, after_ms }
    }

    fn from_number(number: i8) -> CauseKind {
        CauseKind::ALL.into_iter().find(|kind| *kind as i8 == number).unwrap_or(CauseKind::Unknown)
    }
}

/// What began a rebalance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Of which kind.
    pub kind: CauseKind,
    /// For a cause that is a time that ran out: how long it was, ms; else -1.
    pub after_ms: i64,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let after_ms = self.after_ms;
        match self.kind {
            CauseKind::Unknown => f.write_str("for a reason that this version does not know"),
            CauseKind::MemberJoined => f.write_str("member joined"),
            CauseKind::MemberLeft => f.write_str("member left"),
            CauseKind::SessionExpired => write!(f, "session expired after {after_ms} ms"),
            CauseKind::RebalanceTimeout => write!(f, "rebalance timeout after {after_ms} ms"),
            CauseKind::SyncTimeout => write!(f, "assignment not fetched within {after_ms} ms"),
            CauseKind::MemberRejoined => f.write_str("member joined again with other partitions"),
            CauseKind::StaticMemberReplaced => f.write_str("static member replaced"),
            CauseKind::SubscriptionChanged => f.write_str("subscription or assignor changed"),
            CauseKind::LeaderRejoined => f.write_str("leader joined again"),
            CauseKind::MetadataChanged => f.write_str("topics changed"),
            CauseKind::CoordinatorLoaded => f.write_str("coordinator loaded"),
        }
    }
}

/// What a member was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum Awaited {
    /// To join again.
    Join = 0,
    /// To assign, as the leader.
    Assignment = 1,
    /// To give partitions up and take up what it should have.
    Reconciliation = 2,
    /// Something that this version does not know.
    Unknown = -1,
}

impl Awaited {
    /// One word, for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Awaited::Join => "join",
            Awaited::Assignment => "assignment",
            Awaited::Reconciliation => "reconciliation",
            Awaited::Unknown => "unknown",
        }
    }

    /// In words.
    pub const fn text(self) -> &'static str {
        match self {
            Awaited::Join => "to join",
            Awaited::Assignment => "to assign",
            Awaited::Reconciliation => "to take up its partitions",
            Awaited::Unknown => "for something else",
        }
    }

    fn from_number(number: i8) -> Awaited {
        match number {
            0 => Awaited::Join,
            1 => Awaited::Assignment,
            2 => Awaited::Reconciliation,
            _ => Awaited::Unknown,
        }
    }
}

/// One rebalance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebalance {
    /// What began it.
    pub cause: Cause,
    /// Whose doing it was; empty if no member's.
    pub member: String,
    /// What the member said about it (KIP-800); empty if nothing.
    pub reason: String,
    /// Causes that came while it was under way.
    pub further: u32,
    /// When it began, calendar ms.
    pub began_ms: i64,
    /// How long it took, ms; -1 while it is under way.
    pub took_ms: i64,
    /// Whether another one began before it had ended.
    pub is_superseded: bool,
    /// The generation or group epoch that came of it; -1 as long as there is none.
    pub generation: i32,
    /// Members before it.
    pub members_before: u32,
    /// Members after it.
    pub members_after: u32,
    /// The member that was waited for longest: which, how long in ms, and for what.
    pub slowest: Option<(String, i64, Awaited)>,
}

/// How far behind a group is in one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionLag {
    /// The topic.
    pub topic: String,
    /// Its id.
    pub topic_id: Uuid,
    /// The partition.
    pub partition: i32,
    /// What is committed.
    pub offset: i64,
    /// The first offset that can be read; -1 if it is not known.
    pub log_start: i64,
    /// Where readers of committed records end; -1 if it is not known.
    pub last_stable: i64,
    /// Records between; -1 if it is not known.
    pub records: i64,
    /// How long ago the oldest of them was appended, ms; 0 if there is none, -1 if it is not known.
    pub age_ms: i64,
}

/// What is told of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupHistory {
    /// The group.
    pub group: String,
    /// "Classic" or "Consumer"; empty if there is no such group.
    pub kind: String,
    /// The last rebalances, the newest first.
    pub rebalances: Vec<Rebalance>,
    /// When the last commit was, calendar ms, and which member made it; empty if the client was none.
    pub last_commit: Option<(i64, String)>,
    /// Partitions with a committed offset.
    pub lags: Vec<PartitionLag>,
}

/// A DescribeGroups request that asks for history as well. Before version [`FIRST_VERSION`] it is the plain request:
/// there are no words to ask with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskHistory<'a> {
    /// What Kafka knows of it.
    pub request: DescribeGroupsRequest<'a>,
}

impl<'a> Message<'a> for AskHistory<'a> {
    const NAME: &'static str = DescribeGroupsRequest::NAME;
    const API_KEY: Option<i16> = DescribeGroupsRequest::API_KEY;
    const VERSIONS: RangeInclusive<i16> = DescribeGroupsRequest::VERSIONS;
    const FLEXIBLE_FROM: i16 = DescribeGroupsRequest::FLEXIBLE_FROM;

    /// Reads the request, whether it asks for history or not.
    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<AskHistory<'a>, DecodeError> {
        Ok(AskHistory { request: DescribeGroupsRequest::decode(d, version)? })
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        if version < FIRST_VERSION {
            return self.request.encode(e, version);
        }
        encode_with_tag(e, &self.request, version, |e| e.i8(VERSION));
    }
}

/// Whether the body of a DescribeGroups request asks for history.
pub fn is_asked(d: &mut Decoder<'_>, version: i16) -> Result<bool, DecodeError> {
    if version < FIRST_VERSION {
        return Ok(false);
    }
    d.array(true, |d| d.string(true))?;
    d.bool()?;
    let mut is_asked = false;
    d.tags(|d, tag| {
        is_asked |= tag == TAG;
        d.take(d.remaining())?;
        Ok(true)
    })?;
    Ok(is_asked)
}

/// A DescribeGroups response with history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToldHistory<'a> {
    /// What Kafka knows of it.
    pub response: DescribeGroupsResponse<'a>,
    /// The history of each group that was asked for; `None` if the broker tells none, as real Kafka.
    pub histories: Option<Vec<GroupHistory>>,
}

impl<'a> Message<'a> for ToldHistory<'a> {
    const NAME: &'static str = DescribeGroupsResponse::NAME;
    const API_KEY: Option<i16> = DescribeGroupsResponse::API_KEY;
    const VERSIONS: RangeInclusive<i16> = DescribeGroupsResponse::VERSIONS;
    const FLEXIBLE_FROM: i16 = DescribeGroupsResponse::FLEXIBLE_FROM;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<ToldHistory<'a>, DecodeError> {
        if version < FIRST_VERSION {
            return Ok(ToldHistory {
                response: DescribeGroupsResponse::decode(d, version)?,
                histories: None,
            });
        }
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let throttle_time_ms = d.i32()?;
        let groups = d.array(true, |d| DescribedGroup::decode(d, version))?;
        let mut histories = None;
        d.tags(|d, tag| {
            if tag != TAG {
                return Ok(false);
            }
            d.i8()?;
            histories = Some(d.array(true, decode)?);
            // A later version may tell more.
            d.take(d.remaining())?;
            Ok(true)
        })?;
        let response = DescribeGroupsResponse { throttle_time_ms, groups };
        Ok(ToldHistory { response, histories })
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        match &self.histories {
            Some(histories) => encode_with_tag(e, &self.response, version, |e| {
                e.i8(VERSION);
                e.array(histories, true, encode);
            }),
            None => self.response.encode(e, version),
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        self.response.each_error(on);
    }
}

/// Writes a message whose empty tagged section, its last byte, gives way to one with our tag.
fn encode_with_tag<'a>(
    e: &mut Encoder,
    message: &impl Message<'a>,
    version: i16,
    content: impl FnOnce(&mut Encoder),
) {
    assert!(version >= FIRST_VERSION, "version {version} has no tagged fields");
    let mut known = Encoder::new();
    message.encode(&mut known, version);
    let (last, body) = known.as_slice().split_last().expect("a tagged section ends the message");
    assert_eq!(*last, 0, "the message has no tagged fields of its own");
    e.raw(body);
    let mut tags = e.tags();
    tags.put(e, TAG, content);
}

fn encode(e: &mut Encoder, history: &GroupHistory) {
    e.string(&history.group, true);
    e.string(&history.kind, true);
    e.array(&history.rebalances, true, encode_rebalance);
    e.i64(history.last_commit.as_ref().map_or(-1, |(at_ms, _)| *at_ms));
    e.nullable_string(history.last_commit.as_ref().map(|(_, member)| member.as_str()), true);
    e.array(&history.lags, true, encode_lag);
    e.no_tags();
}

fn decode(d: &mut Decoder<'_>) -> Result<GroupHistory, DecodeError> {
    let (group, kind) = (d.string(true)?.to_owned(), d.string(true)?.to_owned());
    let rebalances = d.array(true, decode_rebalance)?;
    let (at_ms, member) = (d.i64()?, d.nullable_string(true)?);
    let last_commit = member.map(|member| (at_ms, member.to_owned()));
    let lags = d.array(true, decode_lag)?;
    d.skip_tags()?;
    Ok(GroupHistory { group, kind, rebalances, last_commit, lags })
}

fn encode_rebalance(e: &mut Encoder, one: &Rebalance) {
    e.i8(one.cause.kind as i8);
    e.i64(one.cause.after_ms);
    e.string(&one.member, true);
    e.string(&one.reason, true);
    e.u32(one.further);
    e.i64(one.began_ms);
    e.i64(one.took_ms);
    e.bool(one.is_superseded);
    e.i32(one.generation);
    e.u32(one.members_before);
    e.u32(one.members_after);
    let slowest = one.slowest.as_ref();
    e.nullable_string(slowest.map(|(member, ..)| member.as_str()), true);
    e.i64(slowest.map_or(-1, |(_, waited_ms, _)| *waited_ms));
    e.i8(slowest.map_or(-1, |(.., awaited)| *awaited as i8));
    e.no_tags();
}

fn decode_rebalance(d: &mut Decoder<'_>) -> Result<Rebalance, DecodeError> {
    let cause = Cause { kind: CauseKind::from_number(d.i8()?), after_ms: d.i64()? };
    let (member, reason) = (d.string(true)?.to_owned(), d.string(true)?.to_owned());
    let (further, began_ms, took_ms, is_superseded) = (d.u32()?, d.i64()?, d.i64()?, d.bool()?);
    let (generation, members_before, members_after) = (d.i32()?, d.u32()?, d.u32()?);
    let (slowest, waited_ms, awaited) = (d.nullable_string(true)?, d.i64()?, d.i8()?);
    let slowest = slowest.map(|member| (member.to_owned(), waited_ms, Awaited::from_number(awaited)));
    d.skip_tags()?;
    Ok(Rebalance {
        cause,
        member,
        reason,
        further,
        began_ms,
        took_ms,
        is_superseded,
        generation,
        members_before,
        members_after,
        slowest,
    })
}

fn encode_lag(e: &mut Encoder, lag: &PartitionLag) {
    e.string(&lag.topic, true);
    e.uuid(lag.topic_id);
    e.i32(lag.partition);
    for number in [lag.offset, lag.log_start, lag.last_stable, lag.records, lag.age_ms] {
        e.i64(number);
    }
    e.no_tags();
}

fn decode_lag(d: &mut Decoder<'_>) -> Result<PartitionLag, DecodeError> {
    let (topic, topic_id, partition) = (d.string(true)?.to_owned(), d.uuid()?, d.i32()?);
    let (offset, log_start, last_stable) = (d.i64()?, d.i64()?, d.i64()?);
    let (records, age_ms) = (d.i64()?, d.i64()?);
    d.skip_tags()?;
    Ok(PartitionLag { topic, topic_id, partition, offset, log_start, last_stable, records, age_ms })
}

#[cfg(test)]
#[path = "group_history/tests.rs"]
mod tests;
