//! ConsumerGroupHeartbeat: a member joins, lives, tells what it has, or leaves (Q95, Q96).
//!
//! Order: who it is (epochs, instance ids) → what it tells of itself → topics → targets → what it may have now.

use super::subscription::check_regex;
use super::*;
use crate::groups::ask::{Beaten, ConsumerHeartbeat};

impl Consumer {
    /// Takes a heartbeat.
    pub fn on_heartbeat(
        &mut self,
        cx: &mut Context<'_>,
        asked: &ConsumerHeartbeat,
    ) -> Result<Beaten, Refusal> {
        if asked.epoch < JOINING {
            return self.on_leave(cx, asked);
        }
        let id: Arc<str> = asked.member.as_str().into();
        let replaced = self.check(cx, asked)?;
        if let Some(known) = replaced {
            self.replace(cx, &known, &id);
        }
        let why = self.tell(cx, &id, asked).map(|kind| Why::of(kind.now(), &id));
        self.bump(cx, why);
        if self.epoch > self.target_epoch {
            self.assign(cx);
        }
        let before = self.members[&id].current.clone();
        self.reconcile(cx, &id, asked.owned.as_ref());
        self.set_deadlines(cx, &id, &before);
        if self.members[&id].current != before {
            self.note_progress(cx, Some(&id));
        }
        let current = &self.members[&id].current;
        let is_full = asked.epoch == JOINING
            || asked.rebalance_timeout_ms != -1
                && (asked.topics.is_some() || asked.regex.is_some())
                && asked.owned.is_some();
        let is_told = is_full || current.assigned != before.assigned;
        Ok(Beaten {
            member: asked.member.clone(),
            epoch: current.epoch,
            interval_ms: cx.env.consumer_heartbeat_interval_ms(&cx.group),
            assignment: is_told.then(|| current.assigned.clone()),
        })
    }

    /// What could be refused is looked at before anything is written; the member whose place this one takes, if there is one.
    pub fn check(&self, cx: &Context<'_>, asked: &ConsumerHeartbeat) -> Result<Option<Arc<str>>, Refusal> {
        if let Some(regex) = &asked.regex {
            check_regex(regex)?;
        }
        self.check_member(cx, asked)
    }

    /// Whether the member is who it says; the member whose instance id it takes over, if there is one.
    fn check_member(&self, cx: &Context<'_>, asked: &ConsumerHeartbeat) -> Result<Option<Arc<str>>, Refusal> {
        let id = asked.member.as_str();
        let holder = asked.instance.as_ref().and_then(|instance| self.instances.get(instance));
        if let Some(instance) = &asked.instance {
            match holder {
                Some(holder) if &**holder != id && asked.epoch == JOINING => {
                    // A classic client does not say that it leaves for a while: who comes back takes its place.
                    let Member { data, current } = &self.members[holder];
                    if data.classic.is_none() && current.epoch != LEAVING_FOR_A_WHILE {
                        let why = format!("the instance id {instance} is in use by another member");
                        return Err((ErrorCode::UnreleasedInstanceId, why));
                    }
                    return Ok(Some(holder.clone()));
                }
                Some(holder) if &**holder != id => {
                    let why = format!("the instance id {instance} belongs to another member now");
                    return Err((ErrorCode::FencedInstanceId, why));
                }
                None if asked.epoch != JOINING => {
                    let why = format!("no member has the instance id {instance}");
                    return Err((ErrorCode::UnknownMemberId, why));
                }
                Some(_) | None => {}
            }
        }
        let Some(member) = self.members.get(id) else {
            if asked.epoch != JOINING {
                return Err((ErrorCode::UnknownMemberId, format!("no member has the id {id}")));
            }
            if self.members.len() as u64 >= u64::from(cx.env.settings().group_consumer_max_size()) {
                return Err((
                    ErrorCode::GroupMaxSizeReached,
                    "the group has as many members as it may".to_owned(),
                ));
            }
            return Ok(None);
        };
        check_epoch(&member.current, asked).map(|()| None)
    }

    /// A static member is back under a new id: it takes over all that the one before it had.
    pub(super) fn replace(&mut self, cx: &mut Context<'_>, known: &Arc<str>, id: &Arc<str>) {
        let member = self.members[known].clone();
        let target = self.targets.get(known).cloned();
        let group = cx.group.clone();
        self.remove(cx, known);
        self.write(cx, Record::Member(group.clone(), id.clone(), Some(member.data)));
        if let Some(target) = target {
            self.write(cx, Record::Target(group.clone(), id.clone(), Some(target)));
        }
        // It has none of it until it says so, and nobody else has either.
        let current = Current {
            epoch: JOINING,
            previous_epoch: JOINING,
            state: MemberState::Stable,
            since: member.current.since_of(&member.current.assigned),
            assigned: member.current.assigned,
            revoking: Assignment::new(),
        };
        self.write(cx, Record::Current(group, id.clone(), Some(current)));
    }

    /// Takes in what a member tells of itself; see [`Consumer::take_in`].
    fn tell(&mut self, cx: &mut Context<'_>, id: &Arc<str>, asked: &ConsumerHeartbeat) -> Option<CauseKind> {
        let before = self.members.get(id).map(|member| member.data.clone());
        let mut data = MemberData { classic: None, ..before.unwrap_or_default() };
        if let Some(instance) = &asked.instance {
            data.instance = Some(instance.clone());
        }
        if let Some(rack) = &asked.rack {
            data.rack = Some(rack.clone()).filter(|rack| !rack.is_empty());
        }
        if asked.rebalance_timeout_ms != -1 {
            data.rebalance_timeout_ms = asked.rebalance_timeout_ms;
        }
        if let Some(topics) = &asked.topics {
            let sorted: BTreeSet<&String> = topics.iter().collect();
            data.topics = sorted.into_iter().cloned().collect();
        }
        if let Some(regex) = &asked.regex {
            data.regex = Some(regex.clone()).filter(|regex| !regex.is_empty());
        }
        if let Some(assignor) = &asked.assignor {
            data.assignor = Some(assignor.clone());
        }
        data.client_id.clone_from(&asked.client_id);
        data.client_host.clone_from(&asked.client_host);
        self.take_in(cx, id, data)
    }

    /// What a member is from now on; whether that calls for a rebalance, and what it is then.
    pub(super) fn take_in(
        &mut self,
        cx: &mut Context<'_>,
        id: &Arc<str>,
        data: MemberData,
    ) -> Option<CauseKind> {
        let before = self.members.get(id).map(|member| member.data.clone());
        let is_new = before.is_none();
        let reads = |data: &MemberData| (data.topics.clone(), data.regex.clone());
        let has_changed = before.as_ref().map(reads) != Some(reads(&data));
        if before.as_ref() != Some(&data) {
            self.write(cx, Record::Member(cx.group.clone(), id.clone(), Some(data)));
        }
        if is_new {
            // From its first moment on a member has a record of what it has: nothing.
            self.write(cx, Record::Current(cx.group.clone(), id.clone(), Some(Current::default())));
        }
        match (is_new, has_changed) {
            (true, _) => Some(CauseKind::MemberJoined),
            (false, true) => Some(CauseKind::SubscriptionChanged),
            (false, false) => None,
        }
    }

    fn set_deadlines(&mut self, cx: &mut Context<'_>, id: &Arc<str>, before: &Current) {
        let now_ms = cx.env.now_ms;
        let session = now_ms + self.session_ms(cx.env, &cx.group, id);
        let Member { data, current } = &self.members[id];
        let known = self.deadlines.get(id).and_then(|one| one.errand);
        let errand = match current.state {
            MemberState::Unrevoked if before.revoking == current.revoking && known.is_some() => known,
            MemberState::Unrevoked => Some((Errand::LetGo, now_ms + i64::from(data.rebalance_timeout_ms))),
            MemberState::Stable | MemberState::Unreleased => None,
        };
        cx.wake_at(errand.map_or(session, |(_, until)| until.min(session)));
        self.deadlines.insert(id.clone(), Deadlines { session, errand });
    }

    fn on_leave(&mut self, cx: &mut Context<'_>, asked: &ConsumerHeartbeat) -> Result<Beaten, Refusal> {
        let unknown = || (ErrorCode::UnknownMemberId, format!("no member has the id {}", asked.member));
        let id: Arc<str> = match &asked.instance {
            Some(instance) => {
                let holder = self.instances.get(instance).ok_or_else(unknown)?;
                if **holder != *asked.member {
                    let why = format!("the instance id {instance} belongs to another member now");
                    return Err((ErrorCode::FencedInstanceId, why));
                }
                holder.clone()
            }
            None => asked.member.as_str().into(),
        };
        let member = self.members.get(&id).ok_or_else(unknown)?;
        if asked.epoch == LEAVING_FOR_A_WHILE {
            let current = Current {
                epoch: LEAVING_FOR_A_WHILE,
                previous_epoch: member.current.epoch,
                state: MemberState::Stable,
                assigned: member.current.assigned.clone(),
                revoking: Assignment::new(),
                since: member.current.since_of(&member.current.assigned),
            };
            self.write(cx, Record::Current(cx.group.clone(), id.clone(), Some(current)));
            if let Some(deadlines) = self.deadlines.get_mut(&id) {
                deadlines.errand = None;
            }
        } else {
            self.remove(cx, &id);
            self.on_departure(cx, Why::of(CauseKind::MemberLeft.now(), &id));
        }
        Ok(Beaten { member: asked.member.clone(), epoch: asked.epoch, interval_ms: 0, assignment: None })
    }
}

/// Whether a known member may send a heartbeat of this epoch. The epoch before is that of an answer that was lost, if what
/// the member has is within what it was given (C51).
fn check_epoch(current: &Current, asked: &ConsumerHeartbeat) -> Result<(), Refusal> {
    if asked.epoch == JOINING || asked.epoch == current.epoch {
        return Ok(());
    }
    let has_no_more = asked.owned.as_ref().is_some_and(|owned| {
        partitions_of(owned).all(|(topic, partition)| {
            current.assigned.get(&topic).is_some_and(|assigned| assigned.contains(&partition))
        })
    });
    if asked.epoch < current.epoch && asked.epoch == current.previous_epoch && has_no_more {
        return Ok(());
    }
    let why = format!("the member's epoch is {}, not {}: join again", current.epoch, asked.epoch);
    Err((ErrorCode::FencedMemberEpoch, why))
}
