//! Rebalances: how they begin, how long they wait for members, and how they end; and who is given up on the way.

use super::*;

impl Classic {
    /// Members have come, gone or changed: begins a rebalance, or goes on with the one under way.
    pub(in crate::groups) fn on_change(&mut self, cx: &mut Context<'_>, why: Why) {
        match self.state {
            State::Preparing => {
                cx.history.also();
                self.complete_join_if_all_are_here(cx);
            }
            State::Empty if self.members.is_empty() => {}
            State::Empty | State::Completing | State::Stable => {
                cx.begin_rebalance(why);
                self.prepare(cx);
            }
        }
    }

    fn prepare(&mut self, cx: &mut Context<'_>) {
        for member in self.members.values_mut() {
            if let Waiting::Sync(to) = member.waiting {
                member.waiting = Waiting::Nothing;
                // It has to join again, for which it gets a whole session.
                member.deadline = cx.env.now_ms + i64::from(member.session_timeout_ms);
                cx.wake_at(member.deadline);
                cx.refuse(to, ErrorCode::RebalanceInProgress);
            }
        }
        (self.sync_deadline, self.joined_ms) = (None, None);
        self.pending_sync.clear();
        let is_first = self.state == State::Empty;
        let timeout_ms = self.rebalance_timeout_ms();
        let delay_ms = i64::from(cx.env.settings().group_initial_rebalance_delay_ms());
        self.move_to(cx, State::Preparing);
        let wait = if is_first && delay_ms > 0 {
            let delay_ms = delay_ms.min(timeout_ms);
            JoinWait {
                deadline: cx.env.now_ms + delay_ms,
                initial_left: Some(timeout_ms - delay_ms),
                has_new: false,
            }
        } else {
            JoinWait { deadline: cx.env.now_ms + timeout_ms, initial_left: None, has_new: false }
        };
        cx.wake_at(wait.deadline);
        self.join_wait = Some(wait);
        self.complete_join_if_all_are_here(cx);
    }

    fn rebalance_timeout_ms(&self) -> i64 {
        self.members.values().map(|member| i64::from(member.rebalance_timeout_ms)).max().unwrap_or(0)
    }

    /// Ids that were given out will not be used: a rebalance under way waits for them no more. A group that is stable loses
    /// nothing by it, and stays so.
    pub(super) fn on_fewer_pending(&mut self, cx: &mut Context<'_>) {
        if self.state == State::Preparing {
            cx.history.also();
            self.complete_join_if_all_are_here(cx);
        }
    }

    pub(super) fn complete_join_if_all_are_here(&mut self, cx: &mut Context<'_>) {
        let is_initial = self.join_wait.is_some_and(|wait| wait.initial_left.is_some());
        let all_wait = self.members.values().all(|member| matches!(member.waiting, Waiting::Join(_)));
        if all_wait && self.pending.is_empty() && !is_initial {
            self.complete_join(cx);
        }
    }

    /// The time to join is up, or all have.
    fn complete_join(&mut self, cx: &mut Context<'_>) {
        let absent: Vec<String> = self
            .members
            .values()
            .filter(|member| member.instance.is_none() && !matches!(member.waiting, Waiting::Join(_)))
            .map(|member| member.id.clone())
            .collect();
        for id in absent {
            cx.history.arrived(cx.env, &id, Awaited::Join);
            cx.history.also();
            self.remove(cx, &id, ErrorCode::UnknownMemberId);
        }
        if !self.members.is_empty() && !self.elect_leader() {
            // Only static members, and none of them is back: their sessions decide.
            let deadline = cx.env.now_ms + self.rebalance_timeout_ms();
            self.join_wait = Some(JoinWait { deadline, initial_left: None, has_new: false });
            return cx.wake_at(deadline);
        }
        self.join_wait = None;
        self.generation += 1;
        self.protocol = self.choose_protocol();
        if self.members.is_empty() {
            self.leader = None;
            self.protocol = None;
            self.subscribed = None;
            self.move_to(cx, State::Empty);
            cx.history.end(cx.env, self.generation, 0);
            return self.save(cx);
        }
        self.find_subscribed();
        self.move_to(cx, State::Completing);
        let now_ms = cx.env.now_ms;
        for id in self.members.keys().cloned().collect::<Vec<_>>() {
            let joined = self.joined(&id);
            let member = self.members.get_mut(&id).expect("it is one of them");
            if let Waiting::Join(to) = member.waiting {
                member.waiting = Waiting::Nothing;
                member.is_new = false;
                member.deadline = now_ms + i64::from(member.session_timeout_ms);
                cx.wake_at(member.deadline);
                cx.reply(to, GroupAnswer::Joined(joined));
            }
        }
        self.joined_ms = Some(now_ms);
        self.pending_sync = self.members.keys().cloned().collect();
        let deadline = now_ms + self.rebalance_timeout_ms();
        self.sync_deadline = Some(deadline);
        cx.wake_at(deadline);
    }

    /// Keeps the leader if it is here, else takes the first member that is. `false` if none is.
    fn elect_leader(&mut self) -> bool {
        let is_here = |member: &Member| matches!(member.waiting, Waiting::Join(_));
        let leader = self.leader.as_ref().and_then(|leader| self.members.get(leader));
        if leader.is_some_and(is_here) {
            return true;
        }
        let first =
            self.in_order().into_iter().find(|member| is_here(member)).map(|member| member.id.clone());
        if first.is_none() {
            return false;
        }
        self.leader = first;
        true
    }

    /// Takes a member out; what it asked is answered with `error`.
    pub(super) fn remove(&mut self, cx: &mut Context<'_>, id: &str, error: ErrorCode) {
        let Some(member) = self.members.remove(id) else { return };
        if let Waiting::Join(to) | Waiting::Sync(to) = member.waiting {
            cx.refuse(to, error);
        }
        if let Some(instance) = &member.instance {
            self.instances.remove(instance);
        }
        self.pending_sync.remove(id);
        if self.leader.as_deref() == Some(id) {
            self.leader = self.in_order().first().map(|member| member.id.clone());
        }
    }

    /// When something has to be done though nobody asks, monotonic ms.
    pub fn next_deadline(&self) -> Option<i64> {
        let sessions =
            self.members.values().filter(|member| !member.is_excused()).map(|member| member.deadline);
        let waits = self.join_wait.map(|wait| wait.deadline).into_iter().chain(self.sync_deadline);
        sessions.chain(self.pending.values().copied()).chain(waits).min()
    }

    /// Takes out all who were silent for too long; why, if there were any.
    fn remove_overdue(&mut self, cx: &mut Context<'_>) -> Option<Why> {
        let now_ms = cx.env.now_ms;
        let is_silent = |member: &&Member| !member.is_excused() && member.deadline <= now_ms;
        let mut gone: BTreeMap<String, Cause> = self
            .members
            .values()
            .filter(is_silent)
            .map(|member| (member.id.clone(), member.expired()))
            .collect();
        if self.sync_deadline.is_some_and(|deadline| deadline <= now_ms) {
            self.sync_deadline = None;
            let cause = CauseKind::SyncTimeout.after(self.rebalance_timeout_ms());
            for id in std::mem::take(&mut self.pending_sync) {
                gone.entry(id).or_insert(cause);
            }
        }
        if let Some((first, cause)) = gone.first_key_value() {
            tracing::info!(group = %cx.group, member = %first, %cause, count = gone.len(), "members are gone: they were silent for too long");
        }
        for id in gone.keys() {
            self.remove(cx, id, ErrorCode::UnknownMemberId);
        }
        gone.pop_first().map(|(id, cause)| Why::of(cause, &id))
    }

    /// Does what is due. All that is found dead at once costs one rebalance (C47).
    pub fn on_time(&mut self, cx: &mut Context<'_>) {
        let now_ms = cx.env.now_ms;
        let pending_count = self.pending.len();
        self.pending.retain(|_, until_ms| *until_ms > now_ms);
        if let Some(why) = self.remove_overdue(cx) {
            self.on_change(cx, why);
        } else if self.pending.len() < pending_count {
            self.on_fewer_pending(cx);
        }
        let Some(wait) = self.join_wait.filter(|wait| wait.deadline <= now_ms) else { return };
        match wait.initial_left {
            Some(left_ms) if wait.has_new && left_ms > 0 => {
                let delay_ms = i64::from(cx.env.settings().group_initial_rebalance_delay_ms()).min(left_ms);
                let deadline = now_ms + delay_ms;
                let initial_left = Some(left_ms - delay_ms);
                self.join_wait = Some(JoinWait { deadline, initial_left, has_new: false });
                cx.wake_at(deadline);
            }
            _ => self.complete_join(cx),
        }
    }
}
