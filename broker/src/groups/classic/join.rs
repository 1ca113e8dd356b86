//! JoinGroup: who comes in, who comes back, and who is told to wait.
//!
//! Order of checks: the group's size → a protocol that all can do → a new member, static or dynamic → a known one.

use super::*;

impl Classic {
    /// JoinGroup.
    pub fn on_join(&mut self, cx: &mut Context<'_>, to: ReplyTo, asked: Join) {
        if !self.can_take(cx, &asked) {
            return cx.refuse(to, ErrorCode::GroupMaxSizeReached);
        }
        if !self.supports(&asked) {
            return cx.refuse(to, ErrorCode::InconsistentGroupProtocol);
        }
        match (asked.member.is_empty(), &asked.instance) {
            (true, Some(instance)) => {
                let id = format!("{instance}-{}", java_uuid(cx.env.fresh_id));
                match self.instances.get(instance).cloned() {
                    Some(known) => self.replace_static(cx, to, &known, id, asked),
                    None => self.add(cx, to, id, asked),
                }
            }
            (true, None) => {
                let id = format!("{}-{}", asked.client_id, java_uuid(cx.env.fresh_id));
                if !asked.needs_id {
                    return self.add(cx, to, id, asked);
                }
                let deadline = cx.env.now_ms + i64::from(asked.session_timeout_ms);
                self.make_room_for_pending();
                self.pending.insert(id.clone(), deadline);
                cx.wake_at(deadline);
                cx.reply(to, GroupAnswer::MemberId(id));
            }
            (false, _) => self.join_known(cx, to, asked),
        }
    }

    /// Ids cost a client nothing, so there is an end to them: the one whose time is up first goes. Its client is told that it is
    /// unknown, and asks for another.
    fn make_room_for_pending(&mut self) {
        if self.pending.len() < PENDING_MAX {
            return;
        }
        let first = self.pending.iter().min_by_key(|(_, until_ms)| **until_ms).map(|(id, _)| id.clone());
        if let Some(first) = first {
            self.pending.remove(&first);
        }
    }

    fn can_take(&self, cx: &Context<'_>, asked: &Join) -> bool {
        let is_known = self.members.contains_key(&asked.member) || self.pending.contains_key(&asked.member);
        let is_known = is_known || asked.instance.as_ref().is_some_and(|i| self.instances.contains_key(i));
        is_known || (self.members.len() as u64) < u64::from(cx.env.settings().group_max_size())
    }

    /// Whether there is a protocol that all members can do with this one (Q83).
    fn supports(&self, asked: &Join) -> bool {
        if asked.protocol_type.is_empty() || asked.protocols.is_empty() {
            return false;
        }
        if self.members.is_empty() {
            return true;
        }
        let others = || self.members.values().filter(|member| member.id != asked.member);
        self.protocol_type.as_deref() == Some(&*asked.protocol_type)
            && asked.protocols.iter().any(|(name, _)| others().all(|member| member.can_do(name)))
    }

    fn join_known(&mut self, cx: &mut Context<'_>, to: ReplyTo, asked: Join) {
        if asked.instance.is_none() && self.pending.remove(&asked.member).is_some() {
            let id = asked.member.clone();
            return self.add(cx, to, id, asked);
        }
        if let Err(error) = self.check_member(&asked.member, asked.instance.as_deref()) {
            return cx.refuse(to, error);
        }
        let is_leader = self.leader.as_deref() == Some(&asked.member);
        let is_same = self.members[&asked.member].protocols == asked.protocols;
        let kind = rejoin_cause(&self.members[&asked.member].protocols, &asked.protocols);
        let why = Why::of(kind.now(), &asked.member).because(asked.reason.as_deref());
        match self.state {
            State::Empty => cx.refuse(to, ErrorCode::UnknownMemberId),
            State::Preparing => {
                if !matches!(self.members[&asked.member].waiting, Waiting::Join(_)) {
                    cx.history.arrived(cx.env, &asked.member, Awaited::Join);
                }
                self.update(cx, to, asked, None);
            }
            // The first answer was lost: the same again.
            State::Completing if is_same => self.answer_again(cx, to, &asked.member),
            // A follower that joins for no reason has lost its answer; a leader wants a rebalance.
            State::Stable if is_same && !is_leader => self.answer_again(cx, to, &asked.member),
            State::Completing | State::Stable => self.update(cx, to, asked, Some(why)),
        }
    }

    fn answer_again(&mut self, cx: &mut Context<'_>, to: ReplyTo, id: &str) {
        self.hear(cx.env.now_ms, id);
        let joined = self.joined(id);
        cx.reply(to, GroupAnswer::Joined(joined));
    }

    fn add(&mut self, cx: &mut Context<'_>, to: ReplyTo, id: String, asked: Join) {
        self.joined_count += 1;
        let member = Member {
            id: id.clone(),
            instance: asked.instance.clone(),
            client_id: asked.client_id,
            client_host: asked.client_host,
            rebalance_timeout_ms: asked.rebalance_timeout_ms,
            session_timeout_ms: asked.session_timeout_ms,
            protocols: asked.protocols,
            assignment: no_bytes(),
            order: self.joined_count,
            deadline: cx.env.now_ms + NEW_MEMBER_MS_MAX,
            is_new: true,
            waiting: Waiting::Join(to),
        };
        cx.wake_at(member.deadline);
        if self.members.is_empty() {
            self.protocol_type = Some(asked.protocol_type);
        }
        if self.leader.is_none() {
            self.leader = Some(id.clone());
        }
        if let Some(instance) = asked.instance {
            self.instances.insert(instance, id.clone());
        }
        let why = Why::of(CauseKind::MemberJoined.now(), &id).because(asked.reason.as_deref());
        self.members.insert(id, member);
        if let Some(wait) = &mut self.join_wait {
            wait.has_new = true;
        }
        self.on_change(cx, why);
    }

    /// A member asks to be in the next generation; with `why` where that is what calls for one.
    fn update(&mut self, cx: &mut Context<'_>, to: ReplyTo, asked: Join, why: Option<Why>) {
        let member = self.members.get_mut(&asked.member).expect("the member was checked");
        member.client_id = asked.client_id;
        member.client_host = asked.client_host;
        member.rebalance_timeout_ms = asked.rebalance_timeout_ms;
        member.session_timeout_ms = asked.session_timeout_ms;
        member.protocols = asked.protocols;
        // Whatever it asked before is answered here.
        if let Waiting::Join(earlier) | Waiting::Sync(earlier) =
            std::mem::replace(&mut member.waiting, Waiting::Join(to))
        {
            cx.refuse(earlier, ErrorCode::RebalanceInProgress);
        }
        match why {
            Some(why) => self.on_change(cx, why),
            None => self.complete_join_if_all_are_here(cx),
        }
    }

    /// A static member is back under a new id: the one before is fenced (C49). In a stable group that loses nothing by it
    /// there is no rebalance (Q82).
    fn replace_static(&mut self, cx: &mut Context<'_>, to: ReplyTo, known: &str, id: String, asked: Join) {
        let mut member = self.members.remove(known).expect("an instance id belongs to a member");
        let waited = std::mem::replace(&mut member.waiting, Waiting::Nothing);
        if let Waiting::Join(earlier) | Waiting::Sync(earlier) = waited {
            cx.refuse(earlier, ErrorCode::FencedInstanceId);
        }
        let before = (member.protocols.clone(), self.protocol.clone());
        member.id = id.clone();
        member.client_id = asked.client_id;
        member.client_host = asked.client_host;
        member.rebalance_timeout_ms = asked.rebalance_timeout_ms;
        member.session_timeout_ms = asked.session_timeout_ms;
        member.protocols = asked.protocols;
        member.deadline = cx.env.now_ms + i64::from(asked.session_timeout_ms);
        cx.wake_at(member.deadline);
        let is_same = self.protocol.as_ref().is_some_and(|protocol| {
            let metadata = |protocols: &[(String, Bytes)]| {
                protocols.iter().find(|(name, _)| name == protocol).map(|(_, bytes)| bytes.clone())
            };
            metadata(&before.0) == metadata(&member.protocols)
        });
        self.members.insert(id.clone(), member);
        if self.pending_sync.remove(known) {
            self.pending_sync.insert(id.clone());
        }
        if let Some(instance) = asked.instance {
            self.instances.insert(instance, id.clone());
        }
        let leader_before = self.leader.clone();
        let was_leader = self.leader.as_deref() == Some(known);
        if was_leader {
            self.leader = Some(id.clone());
        }
        let keeps_protocol = self.choose_protocol() == before.1;
        if self.state == State::Stable && is_same && keeps_protocol {
            self.save(cx);
            let mut joined = self.joined(&id);
            if asked.can_skip {
                joined.skip_assignment = was_leader;
            } else {
                // An older client would assign if it were told that it leads.
                joined.leader = leader_before.unwrap_or_default();
                joined.members.clear();
            }
            return cx.reply(to, GroupAnswer::Joined(joined));
        }
        self.members.get_mut(&id).expect("it was put there").waiting = Waiting::Join(to);
        let why = Why::of(CauseKind::StaticMemberReplaced.now(), &id).because(asked.reason.as_deref());
        self.on_change(cx, why);
    }

    /// The answer to a member's JoinGroup in this generation: only the leader sees all members.
    pub(super) fn joined(&self, id: &str) -> Joined {
        let leader = self.leader.clone().unwrap_or_default();
        let protocol = self.protocol.clone().unwrap_or_default();
        let members = if leader == id {
            let member =
                |member: &Member| (member.id.clone(), member.instance.clone(), member.metadata(&protocol));
            self.in_order().into_iter().map(member).collect()
        } else {
            Vec::new()
        };
        Joined {
            member: id.to_owned(),
            generation: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            leader,
            skip_assignment: false,
            members,
        }
    }

    /// Among the protocols that all can do, the one that most members like best of these; in doubt the first by name.
    pub(super) fn choose_protocol(&self) -> Option<String> {
        let first = self.members.values().next()?;
        let names = first.protocols.iter().map(|(name, _)| name.as_str());
        let common: BTreeSet<&str> =
            names.filter(|name| self.members.values().all(|member| member.can_do(name))).collect();
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        for member in self.members.values() {
            if let Some((name, _)) = member.protocols.iter().find(|(name, _)| common.contains(name.as_str()))
            {
                *votes.entry(name).or_default() += 1;
            }
        }
        let most = votes.values().copied().max()?;
        votes.into_iter().find(|(_, count)| *count == most).map(|(name, _)| name.to_owned())
    }
}

impl Member {
    pub(super) fn can_do(&self, protocol: &str) -> bool {
        self.protocols.iter().any(|(name, _)| name == protocol)
    }
}

/// An id as Java writes UUIDs: member ids look as they do on Kafka.
pub fn java_uuid(id: protocol::Uuid) -> String {
    let hex = format!("{:032x}", id.as_u128());
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// What it is when a member joins again and that calls for a rebalance: by its protocols before and now.
fn rejoin_cause(before: &[(String, Bytes)], now: &[(String, Bytes)]) -> CauseKind {
    if before == now {
        CauseKind::LeaderRejoined
    } else if readings(before) == readings(now) {
        CauseKind::MemberRejoined
    } else {
        CauseKind::SubscriptionChanged
    }
}

/// The protocols, each with the topics that it reads, if that can be told: without the partitions that the member has.
fn readings(protocols: &[(String, Bytes)]) -> Vec<(&str, Option<BTreeSet<&str>>)> {
    let topics = |bytes| subscription(bytes).map(|told| told.topics.into_iter().collect());
    protocols.iter().map(|(name, bytes)| (&**name, topics(bytes))).collect()
}
