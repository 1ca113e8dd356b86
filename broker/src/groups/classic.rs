//! The classic protocol: members join, one of them assigns, all sync, and any change begins again.
//!
//! ```text
//!            join                 all are back, or time is up             leader's assignment
//!   Empty ─────────► Preparing ──────────────────────────────► Completing ─────────────────────► Stable
//!     ▲                 │  ▲                                       │                                │
//!     └── nobody left ──┘  └──────── a member comes, goes or changes, or never syncs ───────────────┘
//! ```
//! A group is saved when its assignment is known and when it becomes empty; what lies between is known to memory alone, as in
//! Kafka: after a restart the members find out by their next request and join again.

use std::collections::{BTreeMap, BTreeSet};

use protocol::ErrorCode;

use super::ask::{Described, DescribedMember, GroupAnswer, Join, Joined, Leaving, Membership, Sync, Synced};
use super::embedded::subscription;
use super::history::{Awaited, Cause, CauseKind, Why};
use super::record::{Bytes, Record, SavedGroup, SavedMember};
use super::step::Context;
use crate::homes::ReplyTo;

#[path = "classic/join.rs"]
mod join;
#[path = "classic/migrate.rs"]
mod migrate;
#[path = "classic/rebalance.rs"]
mod rebalance;

pub use join::java_uuid;

/// The protocol type of consumers, whose metadata can be read.
pub const CONSUMER: &str = "consumer";

/// How many ids are given out to members that have not come back with them.
const PENDING_MAX: usize = 4096;

/// A member whose first JoinGroup is not answered yet is given up after this time, in ms.
const NEW_MEMBER_MS_MAX: i64 = 300_000;

/// Where a group is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nobody is in it.
    Empty,
    /// It waits for its members to join.
    Preparing,
    /// It waits for the leader's assignment.
    Completing,
    /// Everyone has an assignment.
    Stable,
}

impl State {
    /// Kafka's word.
    pub fn name(self) -> &'static str {
        match self {
            State::Empty => "Empty",
            State::Preparing => "PreparingRebalance",
            State::Completing => "CompletingRebalance",
            State::Stable => "Stable",
        }
    }
}

/// A group.
#[derive(Debug)]
pub struct Classic {
    pub(super) state: State,
    /// Since when, calendar ms.
    pub(super) state_ms: i64,
    pub(super) generation: i32,
    pub(super) protocol_type: Option<String>,
    pub(super) protocol: Option<String>,
    pub(super) leader: Option<String>,
    pub(super) members: BTreeMap<String, Member>,
    /// Instance ids and whose they are.
    pub(super) instances: BTreeMap<String, String>,
    /// Ids that were given out to members that have not come back, and until when they may, monotonic ms.
    pub(super) pending: BTreeMap<String, i64>,
    /// How often a member has joined: the order of members is the order of joining.
    joined_count: u64,
    /// While it prepares.
    join_wait: Option<JoinWait>,
    /// While members have not synced: until when they may, monotonic ms.
    sync_deadline: Option<i64>,
    /// While the leader has not assigned: since when, monotonic ms.
    joined_ms: Option<i64>,
    /// Who has not synced in this generation.
    pending_sync: BTreeSet<String>,
    /// The topics that its members read, if all of that can be read.
    pub(super) subscribed: Option<BTreeSet<String>>,
}

/// How long a group waits for its members to join.
#[derive(Debug, Clone, Copy)]
struct JoinWait {
    /// Until when, monotonic ms.
    deadline: i64,
    /// In a group that was empty: how much longer it may wait if members keep coming, ms.
    initial_left: Option<i64>,
    /// Whether a member has come since the wait began or was prolonged.
    has_new: bool,
}

/// A member.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub id: String,
    pub instance: Option<String>,
    pub client_id: String,
    pub client_host: String,
    pub rebalance_timeout_ms: i32,
    pub session_timeout_ms: i32,
    pub protocols: Vec<(String, Bytes)>,
    pub assignment: Bytes,
    /// Its place among the members.
    order: u64,
    /// When it is given up unless it says something, monotonic ms.
    deadline: i64,
    /// Whether it has never seen an answer to JoinGroup.
    is_new: bool,
    waiting: Waiting,
}

/// What a member waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Nothing,
    Join(ReplyTo),
    Sync(ReplyTo),
}

fn no_bytes() -> Bytes {
    Bytes::from([].as_slice())
}

impl Classic {
    /// A group that nobody is in.
    pub fn new(wall_ms: i64) -> Classic {
        Classic {
            state: State::Empty,
            state_ms: wall_ms,
            generation: 0,
            protocol_type: None,
            protocol: None,
            leader: None,
            members: BTreeMap::new(),
            instances: BTreeMap::new(),
            pending: BTreeMap::new(),
            joined_count: 0,
            join_wait: None,
            sync_deadline: None,
            joined_ms: None,
            pending_sync: BTreeSet::new(),
            subscribed: None,
        }
    }

    /// What the log says.
    pub fn replay(saved: SavedGroup) -> Classic {
        let mut group = Classic::new(saved.state_ms);
        group.state = if saved.members.is_empty() { State::Empty } else { State::Stable };
        group.generation = saved.generation;
        group.protocol_type = Some(saved.protocol_type).filter(|name| !name.is_empty());
        group.leader = saved.leader;
        for member in saved.members {
            if let Some(instance) = &member.instance {
                group.instances.insert(instance.clone(), member.id.clone());
            }
            group.joined_count += 1;
            let protocol = saved.protocol.clone().unwrap_or_default();
            let member = Member {
                id: member.id,
                instance: member.instance,
                client_id: member.client_id,
                client_host: member.client_host,
                rebalance_timeout_ms: member.rebalance_timeout_ms,
                session_timeout_ms: member.session_timeout_ms,
                protocols: vec![(protocol, member.subscription)],
                assignment: member.assignment,
                order: group.joined_count,
                deadline: i64::MAX,
                is_new: false,
                waiting: Waiting::Nothing,
            };
            group.members.insert(member.id.clone(), member);
        }
        group.protocol = saved.protocol;
        group.find_subscribed();
        group
    }

    /// After a replay: from now on members may be silent for their session timeouts.
    pub fn start_sessions(&mut self, now_ms: i64) {
        for member in self.members.values_mut() {
            member.deadline = now_ms + i64::from(member.session_timeout_ms);
        }
    }

    /// What is saved of the group.
    pub fn to_saved(&self) -> SavedGroup {
        let protocol = self.protocol.as_deref();
        let members = self.in_order().into_iter().map(|member| SavedMember {
            id: member.id.clone(),
            instance: member.instance.clone(),
            client_id: member.client_id.clone(),
            client_host: member.client_host.clone(),
            rebalance_timeout_ms: member.rebalance_timeout_ms,
            session_timeout_ms: member.session_timeout_ms,
            subscription: protocol.map_or_else(no_bytes, |protocol| member.metadata(protocol)),
            assignment: member.assignment.clone(),
        });
        SavedGroup {
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            generation: self.generation,
            protocol: self.protocol.clone(),
            leader: self.leader.clone(),
            state_ms: self.state_ms,
            members: members.collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.state == State::Empty
    }

    /// Whether nothing would be lost if the group were forgotten.
    pub fn is_vacant(&self) -> bool {
        self.is_empty() && self.generation == 0 && self.pending.is_empty()
    }

    fn in_order(&self) -> Vec<&Member> {
        let mut members: Vec<&Member> = self.members.values().collect();
        members.sort_unstable_by_key(|member| member.order);
        members
    }

    fn move_to(&mut self, cx: &Context<'_>, state: State) {
        self.state = state;
        self.state_ms = cx.env.wall_ms;
    }

    fn save(&self, cx: &mut Context<'_>) {
        cx.write(Record::Classic(cx.group.clone(), Some(self.to_saved())));
    }

    // --- checks -------------------------------------------------------------------------------------------------------

    /// Whether a member is who it says: known, and by its instance id the newest of that name (Q82).
    fn check_member(&self, member: &str, instance: Option<&str>) -> Result<(), ErrorCode> {
        if let Some(instance) = instance {
            match self.instances.get(instance) {
                None => return Err(ErrorCode::UnknownMemberId),
                Some(known) if known != member => return Err(ErrorCode::FencedInstanceId),
                Some(_) => {}
            }
        }
        if self.members.contains_key(member) { Ok(()) } else { Err(ErrorCode::UnknownMemberId) }
    }

    fn check_generation(&self, who: &Membership) -> Result<(), ErrorCode> {
        self.check_member(&who.member, who.instance.as_deref())?;
        if who.generation == self.generation { Ok(()) } else { Err(ErrorCode::IllegalGeneration) }
    }

    /// Whether offsets may be committed (Q88). A member that commits lives.
    pub fn check_commit(&mut self, now_ms: i64, who: &Membership) -> Result<(), ErrorCode> {
        if who.generation < 0 && self.is_empty() {
            return Ok(());
        }
        if who.generation < 0 && who.member.is_empty() && who.instance.is_none() {
            return Err(ErrorCode::UnknownMemberId);
        }
        self.check_generation(who)?;
        match self.state {
            State::Empty => Err(ErrorCode::UnknownMemberId),
            State::Completing => Err(ErrorCode::RebalanceInProgress),
            State::Preparing | State::Stable => {
                self.hear(now_ms, &who.member);
                Ok(())
            }
        }
    }

    /// A member has said something.
    fn hear(&mut self, now_ms: i64, member: &str) {
        if let Some(member) = self.members.get_mut(member) {
            member.deadline = now_ms + i64::from(member.session_timeout_ms);
        }
    }

    // --- requests besides joining -------------------------------------------------------------------------------------

    /// SyncGroup (Q86).
    pub fn on_sync(&mut self, cx: &mut Context<'_>, to: ReplyTo, asked: Sync) {
        let differs = |asked: &Option<String>, own: &Option<String>| asked.is_some() && asked != own;
        let checked = self.check_generation(&asked.who).and_then(|()| {
            if differs(&asked.protocol_type, &self.protocol_type) || differs(&asked.protocol, &self.protocol)
            {
                return Err(ErrorCode::InconsistentGroupProtocol);
            }
            match self.state {
                State::Empty => Err(ErrorCode::UnknownMemberId),
                State::Preparing => Err(ErrorCode::RebalanceInProgress),
                State::Completing | State::Stable => Ok(()),
            }
        });
        if let Err(error) = checked {
            return cx.refuse(to, error);
        }
        let id = asked.who.member;
        self.pending_sync.remove(&id);
        if self.pending_sync.is_empty() {
            self.sync_deadline = None;
        }
        self.hear(cx.env.now_ms, &id);
        if self.state == State::Stable {
            let synced = self.synced(&id);
            return cx.reply(to, synced);
        }
        let member = self.members.get_mut(&id).expect("the member was checked");
        // A member that asks again has given its first question up.
        if let Waiting::Sync(earlier) = std::mem::replace(&mut member.waiting, Waiting::Sync(to)) {
            cx.refuse(earlier, ErrorCode::RebalanceInProgress);
        }
        if self.leader.as_deref() == Some(&id) {
            self.assign(cx, asked.assignments);
        }
    }

    /// The leader has assigned: save, and answer all that wait. A member that was left out gets nothing to do.
    fn assign(&mut self, cx: &mut Context<'_>, assignments: Vec<(String, Bytes)>) {
        let mut assignments: BTreeMap<String, Bytes> = assignments.into_iter().collect();
        for (id, member) in &mut self.members {
            member.assignment = assignments.remove(id).unwrap_or_else(no_bytes);
        }
        self.move_to(cx, State::Stable);
        if let (Some(leader), Some(since_ms)) = (&self.leader, self.joined_ms.take()) {
            cx.history.awaited(leader, cx.env.now_ms - since_ms, Awaited::Assignment);
        }
        cx.history.end(cx.env, self.generation, self.members.len());
        self.save(cx);
        let now_ms = cx.env.now_ms;
        for id in self.members.keys().cloned().collect::<Vec<_>>() {
            let member = self.members.get_mut(&id).expect("it is one of them");
            if let Waiting::Sync(to) = member.waiting {
                member.waiting = Waiting::Nothing;
                member.deadline = now_ms + i64::from(member.session_timeout_ms);
                cx.wake_at(member.deadline);
                let synced = self.synced(&id);
                cx.reply(to, synced);
            }
        }
    }

    fn synced(&self, member: &str) -> GroupAnswer {
        GroupAnswer::Synced(Synced {
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            assignment: self.members[member].assignment.clone(),
        })
    }

    /// Heartbeat (Q87). One during a rebalance counts as well (C53).
    pub fn on_heartbeat(&mut self, cx: &mut Context<'_>, to: ReplyTo, who: &Membership) {
        if let Err(error) = self.check_generation(who) {
            return cx.refuse(to, error);
        }
        self.hear(cx.env.now_ms, &who.member);
        match self.state {
            State::Empty => cx.refuse(to, ErrorCode::UnknownMemberId),
            State::Preparing => cx.refuse(to, ErrorCode::RebalanceInProgress),
            State::Completing | State::Stable => cx.reply(to, GroupAnswer::Done),
        }
    }

    /// LeaveGroup (Q93): all members of one request cost one rebalance.
    pub fn on_leave(&mut self, cx: &mut Context<'_>, to: ReplyTo, leaving: &[Leaving]) {
        let pending_count = self.pending.len();
        let (mut why, mut errors) = (None, Vec::new());
        for one in leaving {
            errors.push(match self.find_leaving(one) {
                Ok(id) if self.pending.remove(&id).is_some() => ErrorCode::None,
                Ok(id) => {
                    why.get_or_insert_with(|| {
                        Why::of(CauseKind::MemberLeft.now(), &id).because(one.reason.as_deref())
                    });
                    self.remove(cx, &id, ErrorCode::UnknownMemberId);
                    ErrorCode::None
                }
                Err(error) => error,
            });
        }
        cx.reply(to, GroupAnswer::Left(errors));
        if let Some(why) = why {
            self.on_change(cx, why);
        } else if self.pending.len() < pending_count {
            self.on_fewer_pending(cx);
        }
    }

    fn find_leaving(&self, leaving: &Leaving) -> Result<String, ErrorCode> {
        if let Some(instance) = &leaving.instance {
            let known = self.instances.get(instance).ok_or(ErrorCode::UnknownMemberId)?;
            let is_same = leaving.member.is_empty() || *known == leaving.member;
            return if is_same { Ok(known.clone()) } else { Err(ErrorCode::FencedInstanceId) };
        }
        let is_known =
            self.members.contains_key(&leaving.member) || self.pending.contains_key(&leaving.member);
        if is_known { Ok(leaving.member.clone()) } else { Err(ErrorCode::UnknownMemberId) }
    }

    /// DescribeGroups (Q91).
    pub fn describe(&self) -> Described {
        let protocol = self.protocol.as_deref().filter(|_| self.state == State::Stable);
        let members = self.in_order().into_iter().map(|member| DescribedMember {
            id: member.id.clone(),
            instance: member.instance.clone(),
            client_id: member.client_id.clone(),
            client_host: member.client_host.clone(),
            metadata: protocol.map_or_else(no_bytes, |protocol| member.metadata(protocol)),
            assignment: member.assignment.clone(),
        });
        Described {
            state: self.state.name(),
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            protocol: protocol.unwrap_or_default().to_owned(),
            members: members.collect(),
        }
    }

    /// Whether the group reads a topic, so that its offsets there are in use.
    pub fn is_subscribed(&self, topic: &str) -> bool {
        self.subscribed.as_ref().is_some_and(|topics| topics.contains(topic))
    }

    /// Finds out which topics the members read; nothing is known of what is no consumer or cannot be read.
    fn find_subscribed(&mut self) {
        self.subscribed = None;
        let Some(protocol) = &self.protocol else { return };
        if self.protocol_type.as_deref() != Some(CONSUMER) || self.members.is_empty() {
            return;
        }
        let mut topics = BTreeSet::new();
        for member in self.members.values() {
            let metadata = member.metadata(protocol);
            match subscription(&metadata) {
                Some(subscription) => topics.extend(subscription.topics.into_iter().map(str::to_owned)),
                None => return,
            }
        }
        self.subscribed = Some(topics);
    }
}

impl Member {
    fn metadata(&self, protocol: &str) -> Bytes {
        self.protocols
            .iter()
            .find(|(name, _)| name == protocol)
            .map_or_else(no_bytes, |(_, bytes)| bytes.clone())
    }

    /// What takes it out when its deadline has passed.
    fn expired(&self) -> Cause {
        let after_ms = if self.is_new { NEW_MEMBER_MS_MAX } else { i64::from(self.session_timeout_ms) };
        CauseKind::SessionExpired.after(after_ms)
    }

    /// Whether silence is no sign of death at the moment: its question waits for us.
    fn is_excused(&self) -> bool {
        !self.is_new && self.waiting != Waiting::Nothing
    }
}
