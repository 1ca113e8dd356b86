//! The groups of one partition of `__consumer_offsets`: a pure state machine, `(now, input) → records + replies`.
//!
//! No clock, no I/O, no chance of its own: see [`Env`]. What is in the log is what a replay of it makes again
//! ([`Coordinator::apply`]), after every step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use protocol::{ErrorCode, Uuid};

use super::ask::{ConsumerHeartbeat, Described, GroupAnswer, GroupAsk, GroupReply, Join, Listed};
use super::classic::{CONSUMER, Classic};
use super::consumer::{ASSIGNORS, Consumer, JOINING, Refusal};
use super::facts::GroupCounts;
use super::history::History;
use super::record::{Committed, Record};
use super::step::{Context, Effects, Env};
use crate::homes::{ID_BYTES_MAX, ReplyTo};
use migration::ask_consumer;
use pending::Pending;

#[path = "coordinator/facts.rs"]
mod facts;
#[path = "migration.rs"]
mod migration;
#[path = "offsets.rs"]
mod offsets;
#[path = "pending.rs"]
mod pending;

/// What the broker adds to a name to make a member id of it: a dash and a UUID.
const MADE_ID_BYTES: usize = 37;

/// How many groups one look for what has expired goes through.
const EXPIRY_SLICE: usize = 256;

/// The groups of one partition.
#[derive(Debug, Default)]
pub struct Coordinator {
    groups: BTreeMap<Arc<str>, Group>,
    /// Groups by the times at which they want to be called: one entry a group, never later than its next deadline.
    wakes: BTreeSet<(i64, Arc<str>)>,
    /// Where the look for what has expired goes on; `None` between two of them.
    expiry_at: Option<Arc<str>>,
    /// Open transactions that have committed offsets, by producer id: the groups.
    open: BTreeMap<i64, BTreeSet<Arc<str>>>,
    /// How many records of offsets there were: their order.
    order: u64,
    counts: GroupCounts,
}

/// A group: its offsets, and the protocol that its members speak.
#[derive(Debug)]
struct Group {
    offsets: BTreeMap<(Arc<str>, i32), Committed>,
    /// Offsets of transactions that have not ended.
    pending: Pending,
    kind: Kind,
    /// Why it rebalanced. Not in the log.
    history: History,
    /// Its entry among the wakes.
    wake_ms: Option<i64>,
}

/// The protocol that a group's members speak.
#[derive(Debug)]
enum Kind {
    Classic(Box<Classic>),
    Consumer(Box<Consumer>),
}

impl Group {
    fn classic(wall_ms: i64) -> Group {
        Group {
            offsets: BTreeMap::new(),
            pending: Pending::default(),
            kind: Kind::Classic(Box::new(Classic::new(wall_ms))),
            history: History::default(),
            wake_ms: None,
        }
    }

    /// The group, and what a step within it may know and do.
    fn begin_step<'a>(
        &'a mut self,
        env: &'a Env<'_>,
        id: &Arc<str>,
        effects: &'a mut Effects,
    ) -> (&'a mut Kind, Context<'a>) {
        self.history.on_step(self.standing().1);
        self.go_on(env, id, effects)
    }

    /// The same within a step that has begun.
    fn go_on<'a>(
        &'a mut self,
        env: &'a Env<'_>,
        id: &Arc<str>,
        effects: &'a mut Effects,
    ) -> (&'a mut Kind, Context<'a>) {
        let cx = Context { env, group: id.clone(), effects, history: &mut self.history };
        (&mut self.kind, cx)
    }

    fn has_members(&self) -> bool {
        match &self.kind {
            Kind::Classic(group) => !group.is_empty(),
            Kind::Consumer(group) => !group.is_empty(),
        }
    }

    fn is_subscribed(&self, topic: &str) -> bool {
        match &self.kind {
            Kind::Classic(group) => group.is_subscribed(topic),
            Kind::Consumer(group) => group.is_subscribed(topic),
        }
    }

    /// Whether nothing would be lost if it were forgotten.
    fn is_vacant(&self) -> bool {
        let is_vacant = match &self.kind {
            Kind::Classic(group) => group.is_vacant(),
            Kind::Consumer(_) => false,
        };
        is_vacant && self.offsets.is_empty() && self.pending.is_empty()
    }

    fn next_deadline(&self) -> Option<i64> {
        match &self.kind {
            Kind::Classic(group) => group.next_deadline(),
            Kind::Consumer(group) => group.next_deadline(),
        }
    }

    /// The tombstones of all that is in the log of the group, offsets aside.
    fn tombstones(&self, id: &Arc<str>) -> Vec<Record> {
        match &self.kind {
            Kind::Classic(_) => vec![Record::Classic(id.clone(), None)],
            Kind::Consumer(group) => group.tombstones(id),
        }
    }
}

impl Coordinator {
    // --- replay -------------------------------------------------------------------------------------------------------

    /// Takes a record of the log in.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Offset(group, topic, partition, value) => {
                self.apply_offset(&group, topic, partition, value);
            }
            Record::Classic(group, Some(saved)) => {
                let known = self.groups.remove(&group).unwrap_or_else(|| Group::classic(-1));
                let kind = Kind::Classic(Box::new(Classic::replay(saved)));
                self.groups.insert(group, Group { kind, wake_ms: None, ..known });
            }
            Record::Classic(group, None) => {
                // A consumer group of this name is another matter.
                if let Some(known) = self.groups.get_mut(&group)
                    && matches!(known.kind, Kind::Classic(_))
                {
                    known.kind = Kind::Classic(Box::new(Classic::new(-1)));
                    self.forget_if_vacant(&group);
                }
            }
            Record::GroupEpoch(ref group, _)
            | Record::Member(ref group, ..)
            | Record::TargetEpoch(ref group, _)
            | Record::Target(ref group, ..)
            | Record::Current(ref group, ..)
            | Record::Regex(ref group, ..) => {
                let group = group.clone();
                self.apply_consumer(&group, record);
            }
        }
    }

    fn apply_consumer(&mut self, id: &Arc<str>, record: Record) {
        let is_tombstone = record.is_tombstone();
        if !self.groups.contains_key(id) && !is_tombstone {
            self.groups.insert(id.clone(), Group::classic(-1));
        }
        let Some(known) = self.groups.get_mut(id) else { return };
        match (&mut known.kind, record) {
            (Kind::Consumer(_), Record::GroupEpoch(_, None)) => {
                known.kind = Kind::Classic(Box::new(Classic::new(-1)));
                self.forget_if_vacant(id);
            }
            (Kind::Consumer(group), record) => group.apply(record),
            (Kind::Classic(_), _) if is_tombstone => {}
            (Kind::Classic(_), record) => {
                let mut group = Consumer::default();
                group.apply(record);
                known.kind = Kind::Consumer(Box::new(group));
            }
        }
    }

    fn apply_offset(&mut self, group: &Arc<str>, topic: Arc<str>, partition: i32, value: Option<Committed>) {
        match value {
            Some(committed) => {
                self.order += 1;
                let known = self.groups.entry(group.clone()).or_insert_with(|| Group::classic(-1));
                known.pending.supersede(&(topic.clone(), partition), self.order);
                known.offsets.insert((topic, partition), committed);
            }
            None => {
                if let Some(known) = self.groups.get_mut(group) {
                    known.pending.remove(&(topic.clone(), partition));
                    known.offsets.remove(&(topic, partition));
                    self.forget_if_vacant(group);
                }
            }
        }
    }

    fn forget_if_vacant(&mut self, group: &Arc<str>) {
        if self.groups.get(group).is_some_and(Group::is_vacant)
            && let Some(gone) = self.groups.remove(group)
            && let Some(wake_ms) = gone.wake_ms
        {
            self.wakes.remove(&(wake_ms, group.clone()));
        }
    }

    /// The whole log has been taken in: deadlines begin now, and offsets of topics that are gone go as well.
    pub fn on_loaded(&mut self, env: &Env<'_>) -> Effects {
        let mut effects = Effects::default();
        for (id, group) in &mut self.groups {
            match &mut group.kind {
                Kind::Classic(group) => group.start_sessions(env.now_ms),
                Kind::Consumer(group) => group.start_sessions(env, id),
            }
            if group.has_members() {
                let (generation, members) = group.standing();
                group.history.on_loaded(env, generation, members);
            }
        }
        for group in self.groups.keys().cloned().collect::<Vec<_>>() {
            self.wake(&group, i64::MAX);
        }
        let is_gone = |topic: &str, id: Uuid| match env.image.topic(topic) {
            None => true,
            Some(topic) => !id.is_zero() && topic.id != id,
        };
        self.delete_offsets_where(&mut effects, |topic, committed| is_gone(topic, committed.topic_id));
        effects
    }

    /// Topics were deleted: their offsets go.
    pub fn on_topics_deleted(&mut self, topics: &BTreeSet<Arc<str>>) -> Effects {
        let mut effects = Effects::default();
        self.delete_offsets_where(&mut effects, |topic, _| topics.contains(topic));
        effects
    }

    // --- requests -----------------------------------------------------------------------------------------------------

    /// Takes a question about a group.
    pub fn on_ask(&mut self, env: &Env<'_>, to: ReplyTo, group: &Arc<str>, ask: GroupAsk) -> Effects {
        let mut effects = Effects::default();
        let reply = match ask {
            GroupAsk::Commit(commit) => self.commit(env, group, commit, &mut effects),
            GroupAsk::CommitInTransaction(asked) => {
                self.commit_in_transaction(env, group, asked, &mut effects)
            }
            GroupAsk::FetchOffsets(asked) => self.fetch_offsets(group, &asked),
            GroupAsk::DeleteOffsets(partitions) => self.delete_offsets(group, partitions, &mut effects),
            GroupAsk::Delete => self.delete(group, &mut effects),
            GroupAsk::List(states, kinds) => Ok(GroupAnswer::Listed(self.list(&states, &kinds))),
            GroupAsk::Describe => self.describe(group),
            GroupAsk::ConsumerDescribe => self.describe_consumer(group),
            GroupAsk::History => self.tell_history(group),
            GroupAsk::ConsumerHeartbeat(asked) => self.consumer_heartbeat(env, group, *asked, &mut effects),
            ask => {
                let refused = self.ask_members(env, to, group, ask, &mut effects).err();
                self.downgrade(env, group, &mut effects);
                return self.finish(group, effects, refused.map(|error| (to, Err(error))));
            }
        };
        self.downgrade(env, group, &mut effects);
        self.finish(group, effects, Some((to, reply)))
    }

    fn finish(
        &mut self,
        group: &Arc<str>,
        mut effects: Effects,
        reply: Option<(ReplyTo, GroupReply)>,
    ) -> Effects {
        effects.replies.extend(reply);
        self.count(&effects);
        if let Some(at_ms) = effects.wake_ms {
            self.wake(group, at_ms);
        }
        self.forget_if_vacant(group);
        effects
    }

    /// What the members of a group say. An error is the answer.
    fn ask_members(
        &mut self,
        env: &Env<'_>,
        to: ReplyTo,
        id: &Arc<str>,
        ask: GroupAsk,
        effects: &mut Effects,
    ) -> Result<(), ErrorCode> {
        if let GroupAsk::Join(join) = &ask {
            check_join(env, join)?;
            if !self.groups.contains_key(id) {
                if !join.member.is_empty() {
                    return Err(ErrorCode::UnknownMemberId);
                }
                self.groups.insert(id.clone(), Group::classic(env.wall_ms));
            }
            self.make_classic(id, effects);
        }
        let group = self.groups.get_mut(id).ok_or(ErrorCode::UnknownMemberId)?;
        let (kind, mut cx) = group.begin_step(env, id, effects);
        match (kind, ask) {
            (Kind::Classic(group), GroupAsk::Join(join)) => group.on_join(&mut cx, to, join),
            (Kind::Classic(group), GroupAsk::Sync(sync)) => group.on_sync(&mut cx, to, sync),
            (Kind::Classic(group), GroupAsk::Heartbeat(who)) => group.on_heartbeat(&mut cx, to, &who),
            (Kind::Classic(group), GroupAsk::Leave(leaving)) => group.on_leave(&mut cx, to, &leaving),
            (Kind::Consumer(group), ask) => {
                if let Some(join) = ask_consumer(group, &mut cx, to, ask)? {
                    self.downgrade(env, id, effects);
                    return self.ask_members(env, to, id, GroupAsk::Join(join), effects);
                }
            }
            (Kind::Classic(_), ask) => unreachable!("not a question to members: {ask:?}"),
        }
        Ok(())
    }

    /// A consumer group that nobody is in becomes a classic one if a member of that kind comes.
    fn make_classic(&mut self, id: &Arc<str>, effects: &mut Effects) {
        let Some(Group { kind: Kind::Consumer(group), .. }) = self.groups.get(id) else { return };
        if !group.is_empty() {
            return;
        }
        for record in group.tombstones(id) {
            effects.records.push(record.clone());
            self.apply(record);
        }
        self.groups.entry(id.clone()).or_insert_with(|| Group::classic(-1));
    }

    /// ConsumerGroupHeartbeat. A classic group becomes a consumer group when a member joins so, if nobody is in it, or by
    /// `upgrade`.
    fn consumer_heartbeat(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        mut asked: ConsumerHeartbeat,
        effects: &mut Effects,
    ) -> GroupReply {
        if let Some(assignor) = asked.assignor.as_ref().filter(|name| !ASSIGNORS.contains(&name.as_str())) {
            let why = format!("the assignor {assignor} is not here: there are {}", ASSIGNORS.join(" and "));
            return Ok(GroupAnswer::Refused(ErrorCode::UnsupportedAssignor, why));
        }
        if let Err((error, why)) = check_names(&asked) {
            return Ok(GroupAnswer::Refused(error, why));
        }
        if asked.member.is_empty() {
            asked.member = env.fresh_id.to_string();
        }
        let not_found =
            |why: &str| Ok(GroupAnswer::Refused(ErrorCode::GroupIdNotFound, format!("group {id} {why}")));
        match self.groups.get(id).map(|group| &group.kind) {
            None if asked.epoch != JOINING => return not_found("is not there"),
            Some(Kind::Classic(_)) if asked.epoch != JOINING => return not_found("is not a consumer group"),
            Some(Kind::Classic(group)) if !group.is_empty() => {
                if let Err((error, why)) = self.upgrade(env, id, &asked, effects) {
                    return Ok(GroupAnswer::Refused(error, why));
                }
            }
            Some(Kind::Consumer(_)) => {}
            None | Some(Kind::Classic(_)) => return self.found_consumer(env, id, &asked, effects),
        }
        self.consumer_beat(env, id, &asked, effects)
    }

    /// The first member of a consumer group: the group is made with it, or not at all.
    fn found_consumer(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        asked: &ConsumerHeartbeat,
        effects: &mut Effects,
    ) -> GroupReply {
        let before = self.groups.remove(id);
        let was_saved =
            matches!(&before, Some(Group { kind: Kind::Classic(group), .. }) if group.generation > 0);
        if was_saved {
            effects.records.push(Record::Classic(id.clone(), None));
        }
        let before = before.unwrap_or_else(|| Group::classic(-1));
        let kind = Kind::Consumer(Box::default());
        self.groups.insert(id.clone(), Group { kind, ..before });
        let reply = self.consumer_beat(env, id, asked, effects);
        if matches!(reply, Ok(GroupAnswer::Refused(..))) {
            // Nothing was written: the name is free again, for either kind.
            effects.records.clear();
            let group = self.groups.get_mut(id).expect("it was put there");
            group.kind = Kind::Classic(Box::new(Classic::new(-1)));
            if was_saved {
                effects.records.push(Record::Classic(id.clone(), None));
            }
        }
        reply
    }

    fn consumer_beat(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        asked: &ConsumerHeartbeat,
        effects: &mut Effects,
    ) -> GroupReply {
        let group = self.groups.get_mut(id).expect("the group is there");
        let (Kind::Consumer(group), mut cx) = group.begin_step(env, id, effects) else {
            unreachable!("the group is a consumer group")
        };
        Ok(match group.on_heartbeat(&mut cx, asked) {
            Ok(beaten) => GroupAnswer::Beaten(beaten),
            Err((error, why)) => GroupAnswer::Refused(error, why),
        })
    }

    fn delete(&mut self, id: &Arc<str>, effects: &mut Effects) -> GroupReply {
        let group = self.groups.get(id).ok_or(ErrorCode::GroupIdNotFound)?;
        if group.has_members() {
            return Err(ErrorCode::NonEmptyGroup);
        }
        let offsets: BTreeSet<_> = group.offsets.keys().chain(group.pending.places()).collect();
        let gone = offsets.into_iter();
        let gone = gone.map(|(topic, partition)| Record::Offset(id.clone(), topic.clone(), *partition, None));
        effects.records.extend(gone);
        effects.records.extend(group.tombstones(id));
        for record in effects.records.clone() {
            self.apply(record);
        }
        Ok(GroupAnswer::Done)
    }

    fn list(&self, states: &[String], kinds: &[String]) -> Vec<Listed> {
        let listed = self.groups.iter().map(|(id, group)| {
            let (kind, state) = group.kind_and_state();
            let protocol_type = match &group.kind {
                Kind::Classic(group) => group.protocol_type.clone().unwrap_or_default(),
                Kind::Consumer(_) => CONSUMER.to_owned(),
            };
            Listed { group: id.clone(), protocol_type, state, kind }
        });
        let fits = |filter: &[String], word: &str| {
            filter.is_empty() || filter.iter().any(|wanted| wanted.eq_ignore_ascii_case(word))
        };
        listed.filter(|group| fits(states, group.state) && fits(kinds, group.kind)).collect()
    }

    fn describe(&self, id: &Arc<str>) -> GroupReply {
        match self.groups.get(id).map(|group| &group.kind) {
            Some(Kind::Classic(group)) => Ok(GroupAnswer::Described(group.describe())),
            Some(Kind::Consumer(_)) | None => Err(ErrorCode::GroupIdNotFound),
        }
    }

    fn describe_consumer(&self, id: &Arc<str>) -> GroupReply {
        match self.groups.get(id).map(|group| &group.kind) {
            Some(Kind::Consumer(group)) => Ok(GroupAnswer::ConsumerDescribed(Box::new(group.describe()))),
            Some(Kind::Classic(_)) | None => Err(ErrorCode::GroupIdNotFound),
        }
    }

    // --- time ---------------------------------------------------------------------------------------------------------

    /// When something has to be done though nobody asks, monotonic ms.
    pub fn next_deadline(&self) -> Option<i64> {
        self.wakes.first().map(|(at_ms, _)| *at_ms)
    }

    /// Makes sure that a group is called at `at_ms`, or sooner if it wants that.
    fn wake(&mut self, id: &Arc<str>, at_ms: i64) {
        let Some(group) = self.groups.get_mut(id) else { return };
        let wanted = if at_ms == i64::MAX { group.next_deadline() } else { Some(at_ms) };
        let Some(at_ms) = wanted.filter(|&at_ms| group.wake_ms.is_none_or(|known| at_ms < known)) else {
            return;
        };
        if let Some(known) = group.wake_ms.replace(at_ms) {
            self.wakes.remove(&(known, id.clone()));
        }
        self.wakes.insert((at_ms, id.clone()));
    }

    /// Does what is due in the group that is due first; `None` if none is.
    pub fn on_time(&mut self, env: &Env<'_>) -> Option<Effects> {
        let (at_ms, _) = self.wakes.first()?;
        if *at_ms > env.now_ms {
            return None;
        }
        let (_, id) = self.wakes.pop_first()?;
        let mut effects = Effects::default();
        let group = self.groups.get_mut(&id)?;
        group.wake_ms = None;
        match group.begin_step(env, &id, &mut effects) {
            (Kind::Classic(group), mut cx) => group.on_time(&mut cx),
            (Kind::Consumer(group), mut cx) => group.on_time(&mut cx),
        }
        self.downgrade(env, &id, &mut effects);
        self.wake(&id, i64::MAX);
        self.forget_if_vacant(&id);
        self.count(&effects);
        Some(effects)
    }

    /// Looks through some groups for what has expired (Q90); `true` when it has come to the end.
    pub fn expire(&mut self, env: &Env<'_>) -> (Effects, bool) {
        let mut effects = Effects::default();
        let from = self.expiry_at.take();
        let after = from.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        let ids: Vec<Arc<str>> = self
            .groups
            .range((after, std::ops::Bound::Unbounded))
            .take(EXPIRY_SLICE)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &ids {
            self.expire_group(env, id, &mut effects);
        }
        self.expiry_at = if ids.len() == EXPIRY_SLICE { ids.last().cloned() } else { None };
        let is_done = self.expiry_at.is_none();
        (effects, is_done)
    }

    fn expire_group(&mut self, env: &Env<'_>, id: &Arc<str>, effects: &mut Effects) {
        let group = &self.groups[id];
        let expired: Vec<Record> = group
            .offsets
            .iter()
            .filter(|(place, committed)| {
                !group.pending.holds(place) && group.is_expired(env, &place.0, committed)
            })
            .map(|((topic, partition), _)| Record::Offset(id.clone(), topic.clone(), *partition, None))
            .collect();
        let mut gone = expired;
        let is_left = gone.len() < group.offsets.len() || !group.pending.is_empty();
        if !is_left && !group.has_members() && group.next_deadline().is_none() {
            gone.extend(group.tombstones(id));
        }
        for record in gone {
            effects.records.push(record.clone());
            self.apply(record);
        }
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }
}

/// Whether a member may ask for these timeouts (Q85).
fn check_join(env: &Env<'_>, join: &Join) -> Result<(), ErrorCode> {
    let settings = env.settings();
    let allowed = settings.group_min_session_timeout_ms()..=settings.group_max_session_timeout_ms();
    if !allowed.contains(&join.session_timeout_ms) {
        return Err(ErrorCode::InvalidSessionTimeout);
    }
    // What a record has no room for would come back from the log as something else.
    let made = join.instance.as_ref().unwrap_or(&join.client_id).len() + MADE_ID_BYTES;
    let names = join.protocols.iter().map(|(name, _)| name.len());
    let longest = names.chain([join.member.len(), join.protocol_type.len(), made]).max();
    if longest.is_some_and(|longest| longest > ID_BYTES_MAX) {
        return Err(ErrorCode::InvalidRequest);
    }
    Ok(())
}

/// The same for the names in a heartbeat.
fn check_names(asked: &ConsumerHeartbeat) -> Result<(), Refusal> {
    let regex = asked.regex.as_ref().map_or(0, String::len);
    let instance = asked.instance.as_ref().map_or(0, String::len);
    for (what, length) in
        [("member id", asked.member.len()), ("instance id", instance), ("expression", regex)]
    {
        if length > ID_BYTES_MAX {
            let why = format!("the {what} has {length} bytes; it may have {ID_BYTES_MAX}");
            return Err((ErrorCode::InvalidRequest, why));
        }
    }
    Ok(())
}

/// What DescribeGroups tells of a group that is not there, before version 6 (Q91).
pub fn dead() -> Described {
    Described { state: "Dead", protocol_type: String::new(), protocol: String::new(), members: Vec::new() }
}

#[cfg(test)]
#[path = "coordinator/tests.rs"]
mod tests;
