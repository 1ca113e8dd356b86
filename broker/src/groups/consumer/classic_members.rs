//! Members of a consumer group that speak the classic protocol (KIP-848, Q97): JoinGroup, SyncGroup, Heartbeat and LeaveGroup
//! are another way to say what ConsumerGroupHeartbeat says.
//!
//! ```text
//!   Heartbeat ─► REBALANCE_IN_PROGRESS ─► JoinGroup, with what it reads and still has ─► SyncGroup: what it may have now
//! ```
//! None of them leads, for the broker assigns; the generation is the member's epoch. What a member must do next, join or
//! sync, it must do within its rebalance timeout.

use super::*;
use crate::config::MigrationPolicy;
use crate::groups::ask::{GroupAnswer, Join, Joined, Leaving, Membership, Sync, Synced};
use crate::groups::classic::{CONSUMER, java_uuid};
use crate::groups::embedded;
use crate::groups::record::{Bytes, ClassicData};
use crate::groups::step::Downgrade;

/// What comes of JoinGroup.
#[derive(Debug)]
pub enum Admission {
    /// An answer.
    Answered(GroupAnswer),
    /// The group becomes a classic one, and there the member joins so.
    ToClassic(Join),
}

impl Consumer {
    /// JoinGroup. Order: size → protocols → a new member, static or dynamic → a known one → targets → what it may have now.
    pub fn on_join(&mut self, cx: &mut Context<'_>, mut asked: Join) -> Result<Admission, ErrorCode> {
        self.check_room(cx, &asked)?;
        self.check_protocols(&asked)?;
        let (_, metadata) = asked.protocols.first().ok_or(ErrorCode::InconsistentGroupProtocol)?;
        let metadata = metadata.clone();
        // Whoever says that it is a consumer must speak as one.
        let told = embedded::subscription(&metadata).ok_or(ErrorCode::InconsistentGroupProtocol)?;
        if asked.member.is_empty() && asked.instance.is_none() && asked.needs_id {
            let id = format!("{}-{}", asked.client_id, java_uuid(cx.env.fresh_id));
            return Ok(Admission::Answered(GroupAnswer::MemberId(id)));
        }
        let replaced = self.find_seat(cx, &mut asked)?;
        let id: Arc<str> = asked.member.as_str().into();
        if let Some(known) = &replaced {
            self.replace(cx, known, &id);
        }
        let why = self.tell_classic(cx, &id, &asked, &told);
        let why = why.map(|kind| Why::of(kind.now(), &id).because(asked.reason.as_deref()));
        if replaced.is_some() && self.becomes_classic(cx) {
            // Those on their way to other partitions have to come together first.
            let is_moving = |(other, one): (&Arc<str>, &Member)| {
                *other != id && (one.current.state, one.current.epoch) != (MemberState::Stable, self.epoch)
            };
            let moving = self.members.iter().any(is_moving);
            let moving = moving.then(|| Why::of(CauseKind::StaticMemberReplaced.now(), &id));
            cx.effects.downgrade = Some(Downgrade::Replaced(why.or(moving)));
            return Ok(Admission::ToClassic(asked));
        }
        self.bump(cx, why);
        if self.epoch > self.target_epoch {
            self.assign(cx);
        }
        let before = self.members[&id].current.clone();
        self.reconcile(cx, &id, Some(&embedded::owned_partitions(&told, cx.env.image)));
        self.hear(cx, &id);
        self.set_errand(cx, &id, Some(Errand::Sync));
        if self.members[&id].current != before {
            self.note_progress(cx, Some(&id));
        }
        Ok(Admission::Answered(GroupAnswer::Joined(Joined {
            generation: self.members[&id].current.epoch,
            protocol_type: Some(CONSUMER.to_owned()),
            protocol: asked.protocols.into_iter().next().map(|(name, _)| name),
            leader: String::new(),
            skip_assignment: false,
            members: Vec::new(),
            member: asked.member,
        })))
    }

    /// Whether one more member of the other protocol may come.
    fn check_room(&self, cx: &Context<'_>, asked: &Join) -> Result<(), ErrorCode> {
        let is_known = self.members.contains_key(&*asked.member)
            || asked.instance.as_ref().is_some_and(|instance| self.instances.contains_key(instance));
        let settings = cx.env.settings();
        if is_known {
            Ok(())
        } else if settings.group_consumer_migration_policy() == MigrationPolicy::Disabled {
            Err(ErrorCode::InconsistentGroupProtocol)
        } else if self.members.len() as u64 >= u64::from(settings.group_consumer_max_size()) {
            Err(ErrorCode::GroupMaxSizeReached)
        } else {
            Ok(())
        }
    }

    /// There must be a protocol that all classic members can do, so that they can be a classic group (Q83).
    fn check_protocols(&self, asked: &Join) -> Result<(), ErrorCode> {
        let is_same = |id: &Arc<str>, member: &Member| {
            **id == *asked.member || asked.instance.is_some() && member.data.instance == asked.instance
        };
        let others = self.members.iter().filter(|(id, member)| !is_same(id, member));
        let others: Vec<&ClassicData> = others.filter_map(|(_, one)| one.data.classic.as_ref()).collect();
        let can_all =
            |name: &str| others.iter().all(|other| other.protocols.iter().any(|(known, _)| known == name));
        if asked.protocol_type == CONSUMER && asked.protocols.iter().any(|(name, _)| can_all(name)) {
            Ok(())
        } else {
            Err(ErrorCode::InconsistentGroupProtocol)
        }
    }

    /// Gives a member without an id one, and finds the member whose place it takes, if it is another one's.
    fn find_seat(&self, cx: &Context<'_>, asked: &mut Join) -> Result<Option<Arc<str>>, ErrorCode> {
        let Some(instance) = &asked.instance else {
            if asked.member.is_empty() {
                asked.member = format!("{}-{}", asked.client_id, java_uuid(cx.env.fresh_id));
            }
            return Ok(None);
        };
        let holder = self.instances.get(instance);
        if asked.member.is_empty() {
            asked.member = format!("{instance}-{}", java_uuid(cx.env.fresh_id));
            return Ok(holder.cloned());
        }
        match holder {
            Some(holder) if **holder == *asked.member => Ok(None),
            Some(_) => Err(ErrorCode::FencedInstanceId),
            None => Err(ErrorCode::UnknownMemberId),
        }
    }

    /// Takes in what a classic member tells of itself; whether that calls for a rebalance.
    fn tell_classic(
        &mut self,
        cx: &mut Context<'_>,
        id: &Arc<str>,
        asked: &Join,
        told: &embedded::Subscription<'_>,
    ) -> Option<CauseKind> {
        let data = MemberData {
            instance: asked.instance.clone(),
            rack: told.rack_id.map(str::to_owned),
            client_id: asked.client_id.clone(),
            client_host: asked.client_host.clone(),
            topics: embedded::topics(told),
            regex: None,
            rebalance_timeout_ms: asked.rebalance_timeout_ms,
            assignor: None,
            classic: Some(ClassicData {
                session_timeout_ms: asked.session_timeout_ms,
                protocols: asked.protocols.clone(),
            }),
        };
        self.take_in(cx, id, data)
    }

    /// SyncGroup: what the member may have now, which it was told it can fetch.
    pub fn on_sync(&mut self, cx: &mut Context<'_>, asked: &Sync) -> Result<Synced, ErrorCode> {
        let id = self.check_classic(&asked.who)?;
        let member = &self.members[&id];
        let (protocol, metadata) = first_protocol(member).ok_or(ErrorCode::UnknownMemberId)?;
        let differs = |asked: &Option<String>, own: &str| asked.as_ref().is_some_and(|asked| asked != own);
        if differs(&asked.protocol_type, CONSUMER) || differs(&asked.protocol, &protocol) {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        // One that has still to give partitions up learns first what it keeps.
        if self.epoch > member.current.epoch && member.current.state != MemberState::Unrevoked {
            self.set_errand(cx, &id, Some(Errand::Join));
            return Err(ErrorCode::RebalanceInProgress);
        }
        let assignment = embedded::write_assignment(&member.current.assigned, &metadata, cx.env.image);
        self.hear(cx, &id);
        self.set_errand(cx, &id, None);
        Ok(Synced { protocol_type: Some(CONSUMER.to_owned()), protocol: Some(protocol), assignment })
    }

    /// Heartbeat: a member must join again when the group has gone on, when it has partitions to give up, and when those that
    /// it waits for are free.
    pub fn on_classic_heartbeat(
        &mut self,
        cx: &mut Context<'_>,
        who: &Membership,
    ) -> Result<GroupAnswer, ErrorCode> {
        let id = self.check_classic(who)?;
        self.bump(cx, None);
        let current = &self.members[&id].current;
        let must_join = current.epoch < self.epoch
            || match current.state {
                MemberState::Stable => false,
                MemberState::Unrevoked => true,
                MemberState::Unreleased => !self.waits_for_others(&id),
            };
        self.hear(cx, &id);
        if must_join {
            self.set_errand(cx, &id, Some(Errand::Join));
            return Err(ErrorCode::RebalanceInProgress);
        }
        Ok(GroupAnswer::Done)
    }

    /// LeaveGroup (Q93): whoever is named goes, whatever protocol it speaks.
    pub fn on_classic_leave(&mut self, cx: &mut Context<'_>, leaving: &[Leaving]) -> GroupAnswer {
        let (mut why, mut errors) = (None, Vec::with_capacity(leaving.len()));
        for one in leaving {
            errors.push(match self.find_leaving(one) {
                Ok(id) => {
                    why.get_or_insert_with(|| {
                        Why::of(CauseKind::MemberLeft.now(), &id).because(one.reason.as_deref())
                    });
                    self.remove(cx, &id);
                    ErrorCode::None
                }
                Err(error) => error,
            });
        }
        if let Some(why) = why {
            self.on_departure(cx, why);
        }
        GroupAnswer::Left(errors)
    }

    fn find_leaving(&self, leaving: &Leaving) -> Result<Arc<str>, ErrorCode> {
        if let Some(instance) = &leaving.instance {
            let holder = self.instances.get(instance).ok_or(ErrorCode::UnknownMemberId)?;
            let is_same = leaving.member.is_empty() || **holder == *leaving.member;
            return if is_same { Ok(holder.clone()) } else { Err(ErrorCode::FencedInstanceId) };
        }
        let found = self.members.get_key_value(&*leaving.member);
        found.map(|(id, _)| id.clone()).ok_or(ErrorCode::UnknownMemberId)
    }

    /// Whether a member is who it says, speaks the classic protocol, and is of this generation.
    fn check_classic(&self, who: &Membership) -> Result<Arc<str>, ErrorCode> {
        if let Some(instance) = &who.instance {
            let holder = self.instances.get(instance).ok_or(ErrorCode::UnknownMemberId)?;
            if **holder != *who.member {
                return Err(ErrorCode::FencedInstanceId);
            }
        }
        let (id, member) = self.members.get_key_value(&*who.member).ok_or(ErrorCode::UnknownMemberId)?;
        match &member.data.classic {
            None => Err(ErrorCode::UnknownMemberId),
            Some(_) if member.current.epoch != who.generation => Err(ErrorCode::IllegalGeneration),
            Some(_) => Ok(id.clone()),
        }
    }

    /// Whether partitions that a member should have are still another one's.
    fn waits_for_others(&self, id: &Arc<str>) -> bool {
        let is_held = |partition| self.owners.get(&partition).is_some_and(|owner| owner != id);
        self.targets.get(id).is_some_and(|target| partitions_of(target).any(is_held))
    }

    /// A classic member lives.
    fn hear(&mut self, cx: &mut Context<'_>, id: &Arc<str>) {
        let session = cx.env.now_ms + self.session_ms(cx.env, &cx.group, id);
        cx.wake_at(session);
        let errand = self.deadlines.get(id).and_then(|one| one.errand);
        self.deadlines.insert(id.clone(), Deadlines { session, errand });
    }

    /// What a classic member has to do next. One that was told before to join gets no more time for it.
    fn set_errand(&mut self, cx: &mut Context<'_>, id: &Arc<str>, errand: Option<Errand>) {
        let until = cx.env.now_ms + i64::from(self.members[id].data.rebalance_timeout_ms);
        let Some(deadlines) = self.deadlines.get_mut(id) else { return };
        deadlines.errand = match (deadlines.errand, errand) {
            (Some((Errand::Join, known)), Some(Errand::Join)) => Some((Errand::Join, known)),
            (_, errand) => errand.map(|errand| (errand, until)),
        };
        if let Some((_, until)) = deadlines.errand {
            cx.wake_at(until);
        }
    }
}

fn first_protocol(member: &Member) -> Option<(String, Bytes)> {
    member.data.classic.as_ref()?.protocols.first().cloned()
}
