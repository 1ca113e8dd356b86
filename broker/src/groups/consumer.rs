//! The consumer protocol (KIP-848): members send heartbeats, the broker assigns, and nobody has to stop for others.
//!
//! ```text
//!   members or topics change ─► group epoch + 1 ─► targets anew ─► each member, by its own heartbeats:
//!       gives up what it should not have (Unrevoked) ─► gets what others have given up (Unreleased) ─► Stable
//! ```
//! All of it but deadlines is in the log: state changes by [`Consumer::apply`] alone, live as in a replay. A partition has one
//! owner at most: it counts as owned until its member has said that it has let go (Q97).

#[path = "consumer/assign.rs"]
mod assign;
#[path = "consumer/classic_members.rs"]
mod classic_members;
#[path = "consumer/heartbeat.rs"]
mod heartbeat;
#[path = "consumer/reconcile.rs"]
mod reconcile;
#[path = "consumer/subscription.rs"]
mod subscription;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use protocol::{ErrorCode, Uuid};

use super::ask::{Commit, ConsumerDescribed, ConsumerMemberDescribed};
use super::history::{Awaited, Cause, CauseKind, Why};
use super::record::{Assignment, Current, MemberData, MemberState, Migrant, Record, partitions_of};
use super::step::{Context, Downgrade, Env};

pub use assign::ASSIGNORS;
pub use classic_members::Admission;

/// The epoch of a heartbeat that joins.
pub const JOINING: i32 = 0;
/// The epoch of a heartbeat that leaves.
pub const LEAVING: i32 = -1;
/// The epoch of a static member's heartbeat that leaves for a while.
pub const LEAVING_FOR_A_WHILE: i32 = -2;

/// A group.
#[derive(Debug, Default)]
pub struct Consumer {
    /// How often its members or topics have changed.
    epoch: i32,
    /// A hash of the topics that it reads and their partitions.
    metadata_hash: i64,
    /// The epoch that the targets belong to.
    target_epoch: i32,
    members: BTreeMap<Arc<str>, Member>,
    targets: BTreeMap<Arc<str>, Assignment>,
    /// The topics that expressions match.
    regexes: BTreeMap<Arc<str>, Vec<String>>,
    /// Instance ids and whose they are; follows from the members.
    instances: BTreeMap<String, Arc<str>>,
    /// Who has a partition, or has still to let it go; follows from the members.
    owners: BTreeMap<(Uuid, i32), Arc<str>>,
    /// Not in the log: until when members may be silent, monotonic ms.
    deadlines: BTreeMap<Arc<str>, Deadlines>,
    /// Not in the log: until when nobody is taken out for a session that has run out, monotonic ms; see
    /// [`Consumer::hold_expired`].
    expired_until: Option<i64>,
    /// Not in the log: the image that the group has been held against last.
    seen_image: Option<i64>,
}

/// A member: what it told of itself, and what it has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Member {
    data: MemberData,
    current: Current,
}

#[derive(Debug, Clone, Copy)]
struct Deadlines {
    session: i64,
    /// What it has been told to do, and until when it must have done so.
    errand: Option<(Errand, i64)>,
}

/// What a member has to do within its rebalance timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Errand {
    /// Let go of partitions.
    LetGo,
    /// A classic member: join again.
    Join,
    /// A classic member: sync.
    Sync,
}

/// An error with its reason in words.
pub type Refusal = (ErrorCode, String);

impl Consumer {
    // --- replay -------------------------------------------------------------------------------------------------------

    /// Takes a record of this group in.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::GroupEpoch(_, Some((epoch, hash))) => (self.epoch, self.metadata_hash) = (epoch, hash),
            Record::Member(_, id, Some(data)) => {
                if let Some(instance) = &data.instance {
                    self.instances.insert(instance.clone(), id.clone());
                }
                self.members.entry(id).or_default().data = data;
            }
            Record::Member(_, id, None) => self.apply_gone(&id),
            Record::TargetEpoch(_, epoch) => self.target_epoch = epoch.unwrap_or(0),
            Record::Target(_, id, Some(target)) => _ = self.targets.insert(id, target),
            Record::Target(_, id, None) => _ = self.targets.remove(&id),
            Record::Current(_, id, current) => self.apply_current(&id, current),
            Record::Regex(_, regex, Some((topics, ..))) => _ = self.regexes.insert(regex, topics),
            Record::Regex(_, regex, None) => _ = self.regexes.remove(&regex),
            Record::GroupEpoch(_, None) | Record::Offset(..) | Record::Classic(..) => {}
        }
    }

    fn apply_gone(&mut self, id: &Arc<str>) {
        self.apply_current(id, None);
        let Some(member) = self.members.remove(id) else { return };
        self.deadlines.remove(id);
        if let Some(instance) = &member.data.instance
            && self.instances.get(instance) == Some(id)
        {
            self.instances.remove(instance);
        }
    }

    fn apply_current(&mut self, id: &Arc<str>, current: Option<Current>) {
        let current = current.unwrap_or_default();
        let Some(member) = self.members.get_mut(id) else { return };
        let before = std::mem::replace(&mut member.current, current.clone());
        for partition in partitions_of(&before.held()) {
            if self.owners.get(&partition) == Some(id) {
                self.owners.remove(&partition);
            }
        }
        for partition in partitions_of(&current.held()) {
            self.owners.insert(partition, id.clone());
        }
    }

    /// Writes a record and takes it in.
    fn write(&mut self, cx: &mut Context<'_>, record: Record) {
        cx.write(record.clone());
        self.apply(record);
    }

    /// After a replay: from now on members may be silent for their session timeouts.
    pub fn start_sessions(&mut self, env: &Env<'_>, group: &str) {
        let deadlines = self.members.iter().map(|(id, member)| {
            let is_revoking = member.current.state == MemberState::Unrevoked && member.data.classic.is_none();
            let until = env.now_ms + i64::from(member.data.rebalance_timeout_ms);
            let errand = is_revoking.then_some((Errand::LetGo, until));
            (id.clone(), Deadlines { session: env.now_ms + self.session_ms(env, group, id), errand })
        });
        self.deadlines = deadlines.collect();
    }

    /// How long a member may be silent.
    fn session_ms(&self, env: &Env<'_>, group: &str, id: &str) -> i64 {
        let classic = self.members.get(id).and_then(|member| member.data.classic.as_ref());
        classic.map_or_else(|| env.consumer_session_ms(group), |told| i64::from(told.session_timeout_ms))
    }

    /// The tombstones of all that is in the log of the group.
    pub fn tombstones(&self, group: &Arc<str>) -> Vec<Record> {
        let mut records = Vec::new();
        for id in self.members.keys() {
            records.push(Record::Current(group.clone(), id.clone(), None));
        }
        for id in self.targets.keys() {
            records.push(Record::Target(group.clone(), id.clone(), None));
        }
        records.push(Record::TargetEpoch(group.clone(), None));
        for id in self.members.keys() {
            records.push(Record::Member(group.clone(), id.clone(), None));
        }
        for regex in self.regexes.keys() {
            records.push(Record::Regex(group.clone(), regex.clone(), None));
        }
        records.push(Record::GroupEpoch(group.clone(), None));
        records
    }

    // --- migration ----------------------------------------------------------------------------------------------------

    /// The records that make a group of this epoch in which everyone has what it is to have.
    pub fn founding(group: &Arc<str>, epoch: i32, migrants: Vec<Migrant>) -> Vec<Record> {
        let (mut members, mut targets, mut currents) = (Vec::new(), Vec::new(), Vec::new());
        for Migrant { id, data, assigned } in migrants {
            let current = Current {
                epoch,
                previous_epoch: epoch,
                state: MemberState::Stable,
                since: partitions_of(&assigned).map(|partition| (partition, epoch)).collect(),
                assigned: assigned.clone(),
                revoking: Assignment::new(),
            };
            members.push(Record::Member(group.clone(), id.clone(), Some(data)));
            targets.push(Record::Target(group.clone(), id.clone(), Some(assigned)));
            currents.push(Record::Current(group.clone(), id, Some(current)));
        }
        // No topics have this hash: what the group reads is looked at anew.
        members.push(Record::GroupEpoch(group.clone(), Some((epoch, 0))));
        targets.push(Record::TargetEpoch(group.clone(), Some(epoch)));
        members.into_iter().chain(targets).chain(currents).collect()
    }

    /// Its members: each with what it is to have if all of them have come to that, else with all that it may still have.
    pub fn migrants(&self, are_settled: bool) -> Vec<Migrant> {
        let members = self.members.iter().map(|(id, Member { data, current })| {
            let assigned =
                if are_settled { self.targets.get(id).cloned().unwrap_or_default() } else { current.held() };
            Migrant { id: id.clone(), data: data.clone(), assigned }
        });
        members.collect()
    }

    /// Whether only classic members are left, and the group may become a classic one.
    fn becomes_classic(&self, cx: &Context<'_>) -> bool {
        let settings = cx.env.settings();
        !self.members.is_empty()
            && self.members.values().all(|member| member.data.classic.is_some())
            && settings.group_consumer_migration_policy().can_downgrade()
            && self.members.len() as u64 <= u64::from(settings.group_max_size())
    }

    /// Members are gone: others get what they had, in this group or in a classic one.
    fn on_departure(&mut self, cx: &mut Context<'_>, why: Why) {
        if self.becomes_classic(cx) {
            cx.effects.downgrade = Some(Downgrade::Departed(why));
        } else {
            self.bump(cx, Some(why));
        }
    }

    // --- what others ask ----------------------------------------------------------------------------------------------

    /// Whether nobody is in it.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Its epoch, and how many members it has.
    pub fn standing(&self) -> (i32, usize) {
        (self.epoch, self.members.len())
    }

    /// Kafka's word for its state.
    pub fn state(&self) -> &'static str {
        if self.members.is_empty() {
            "Empty"
        } else if self.epoch > self.target_epoch {
            "Assigning"
        } else if self.members.values().all(|member| self.has_arrived(member)) {
            "Stable"
        } else {
            "Reconciling"
        }
    }

    /// Whether a member is where it should be. One that is away for a while is not.
    fn has_arrived(&self, member: &Member) -> bool {
        member.current.state == MemberState::Stable && member.current.epoch == self.target_epoch
    }

    /// Whether there is nobody left to wait for.
    fn is_settled(&self) -> bool {
        let is_away = |member: &Member| member.current.epoch == LEAVING_FOR_A_WHILE;
        let is_assigned = self.epoch == self.target_epoch || self.members.is_empty();
        is_assigned && self.members.values().all(|member| is_away(member) || self.has_arrived(member))
    }

    /// ConsumerGroupDescribe.
    pub fn describe(&self) -> ConsumerDescribed {
        let members = self.members.iter().map(|(id, member)| ConsumerMemberDescribed {
            id: id.clone(),
            data: member.data.clone(),
            epoch: member.current.epoch,
            assigned: member.current.held(),
            target: self.targets.get(id).cloned().unwrap_or_default(),
        });
        ConsumerDescribed {
            state: self.state(),
            epoch: self.epoch,
            target_epoch: self.target_epoch,
            assignor: self.assignor().to_owned(),
            members: members.collect(),
        }
    }

    /// Whether offsets may be committed: by a member of this very epoch, or by an administrator while nobody is in it.
    pub fn check_commit(&self, commit: &Commit) -> Result<(), ErrorCode> {
        if commit.who.generation < 0 && self.members.is_empty() {
            return Ok(());
        }
        // A client that speaks this protocol speaks version 9.
        let is_new_protocol = |member: &Member| member.data.classic.is_none();
        if self.members.get(&*commit.who.member).is_some_and(is_new_protocol) && commit.version < 9 {
            return Err(ErrorCode::UnsupportedVersion);
        }
        let checked = self.check_epoch(&commit.who.member, commit.who.generation);
        if checked.is_err() && self.has_had_all(commit) { Ok(()) } else { checked }
    }

    /// Whether a member that has not heard of its epoch yet commits what it had already at the epoch that it knows, and has
    /// had ever since (KIP-1251).
    fn has_had_all(&self, commit: &Commit) -> bool {
        let Some(Member { current, .. }) = self.members.get(&*commit.who.member) else { return false };
        let mut known = commit.offsets.iter().filter(|offset| offset.error.is_none());
        commit.who.generation < current.epoch
            && known.all(|offset| {
                let since = current.since.get(&(offset.topic_id, offset.partition));
                since.is_some_and(|&since| since <= commit.who.generation)
            })
    }

    /// Whether a member is of this epoch; a classic member calls it generation.
    pub fn check_epoch(&self, member: &str, epoch: i32) -> Result<(), ErrorCode> {
        let member = self.members.get(member).ok_or(ErrorCode::UnknownMemberId)?;
        match &member.data.classic {
            _ if member.current.epoch == epoch => Ok(()),
            Some(_) => Err(ErrorCode::IllegalGeneration),
            None => Err(ErrorCode::StaleMemberEpoch),
        }
    }

    /// Whether a member reads a topic.
    pub fn is_subscribed(&self, topic: &str) -> bool {
        self.members.values().any(|member| {
            let matched = member.data.regex.as_deref().and_then(|regex| self.regexes.get(regex));
            member.data.topics.iter().any(|name| name == topic)
                || matched.is_some_and(|topics| topics.iter().any(|name| name == topic))
        })
    }

    /// When something has to be done though nobody asks, monotonic ms.
    pub fn next_deadline(&self) -> Option<i64> {
        let held_until = self.expired_until.unwrap_or(i64::MIN);
        let all = self.deadlines.values();
        all.flat_map(|one| [Some(one.session.max(held_until)), one.errand.map(|(_, until)| until)])
            .flatten()
            .min()
    }

    /// Members that fell silent together, as with a host or a network, shall cost one rebalance (C47), though each sent its
    /// last heartbeat at another time. So when a session has run out, those who have missed a heartbeat as well and whose
    /// sessions run out within an interval are waited for; if all others are alive, there is nothing to wait for.
    fn hold_expired(&mut self, cx: &Context<'_>) {
        let now_ms = cx.env.now_ms;
        if self.expired_until.is_some() || self.deadlines.values().all(|one| one.session > now_ms) {
            return;
        }
        let interval_ms = i64::from(cx.env.consumer_heartbeat_interval_ms(&cx.group));
        let is_late = |id: &str, left_ms: i64| {
            left_ms <= interval_ms && left_ms < self.session_ms(cx.env, &cx.group, id) - interval_ms
        };
        let late = self.deadlines.iter().filter(|(id, one)| is_late(id, one.session - now_ms));
        self.expired_until = late.map(|(_, one)| one.session).max();
    }

    /// Takes members out that were silent, or have not done what they were told, for too long.
    pub fn on_time(&mut self, cx: &mut Context<'_>) {
        let now_ms = cx.env.now_ms;
        self.hold_expired(cx);
        let is_held = self.expired_until.is_some_and(|until| until > now_ms);
        let overdue = |(id, one): (&Arc<str>, &Deadlines)| {
            if one.session <= now_ms && !is_held {
                let cause = CauseKind::SessionExpired.after(self.session_ms(cx.env, &cx.group, id));
                return Some((id.clone(), cause));
            }
            let (errand, _) = one.errand.filter(|(_, until)| *until <= now_ms)?;
            let kind = match errand {
                Errand::LetGo | Errand::Join => CauseKind::RebalanceTimeout,
                Errand::Sync => CauseKind::SyncTimeout,
            };
            Some((id.clone(), kind.after(i64::from(self.members.get(id)?.data.rebalance_timeout_ms))))
        };
        let gone: Vec<(Arc<str>, Cause)> = self.deadlines.iter().filter_map(overdue).collect();
        if !is_held {
            self.expired_until = None;
        }
        let Some((first, cause)) = gone.first() else { return };
        tracing::info!(group = %cx.group, member = %first, %cause, count = gone.len(), "members are gone: they were silent, or did not do what they were told, for too long");
        for (id, _) in &gone {
            cx.history.arrived(cx.env, id, Awaited::Reconciliation);
            self.remove(cx, id);
        }
        self.on_departure(cx, Why::of(*cause, first));
    }

    /// Notes in the history that a member has come to where it should be, and whether all have.
    fn note_progress(&self, cx: &mut Context<'_>, member: Option<&Arc<str>>) {
        if !cx.history.is_open() {
            return;
        }
        if let Some(id) = member
            && self.members.get(id).is_some_and(|member| self.has_arrived(member))
        {
            cx.history.arrived(cx.env, id, Awaited::Reconciliation);
        }
        if self.is_settled() {
            cx.history.end(cx.env, self.epoch, self.members.len());
        }
    }

    /// Takes a member out; the group's epoch is the caller's to raise.
    fn remove(&mut self, cx: &mut Context<'_>, id: &Arc<str>) {
        let group = cx.group.clone();
        self.write(cx, Record::Current(group.clone(), id.clone(), None));
        self.write(cx, Record::Target(group.clone(), id.clone(), None));
        self.write(cx, Record::Member(group, id.clone(), None));
        self.deadlines.remove(id);
    }

    /// What must be the same after a replay.
    #[cfg(test)]
    pub fn durable(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let head = (self.epoch, self.metadata_hash, self.target_epoch);
        let members: BTreeMap<Arc<str>, (MemberData, Current)> =
            self.members.iter().map(|(id, m)| (id.clone(), (m.data.clone(), m.current.clone()))).collect();
        (
            head,
            members,
            self.targets.clone(),
            self.regexes.clone(),
            self.instances.clone(),
            self.owners.clone(),
        )
    }

    /// What a member was told that it may have.
    #[cfg(test)]
    pub fn assigned(&self, member: &str) -> Assignment {
        self.members[member].current.assigned.clone()
    }

    /// Its epoch and its members' epochs.
    #[cfg(test)]
    pub fn epochs(&self) -> (i32, BTreeMap<Arc<str>, i32>) {
        (self.epoch, self.members.iter().map(|(id, m)| (id.clone(), m.current.epoch)).collect())
    }
}

fn assignment_of(partitions: impl IntoIterator<Item = (Uuid, i32)>) -> Assignment {
    let mut assignment = Assignment::new();
    for (topic, partition) in partitions {
        assignment.entry(topic).or_default().insert(partition);
    }
    assignment
}
