//! Changes of the voters, one at a time (KIP-853): a new voter learns first, and votes when it has caught up.
//!
//! ```text
//! add    │ members + learner ─► committed ─► caught up? ─► members + voter ─► committed ─► ended
//! remove │ members − voter ──────────────────────────────────────────────────► committed ─► ended
//! ```
//! Each arrow from members to committed is a batch in the log. A majority of the old members and one of the new have a node in
//! common when they differ by one, so no joint phase is needed. A leader that removes itself steps down when that is committed.

use raft::StateRole;
use raft::eraftpb::{ConfChangeSingle, ConfChangeType, ConfChangeV2};
use shard::{Disk, WallMs};

use super::Quorum;
use crate::batch;
use crate::config::CATCH_UP_TICKS_MAX;
use crate::error::Refusal;
use crate::members::{Members, NodeId, Voter};
use crate::output::Output;

/// The change under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// It has been proposed as a learner, or is one and has to catch up until this tick.
    Learns(Voter, u64),
    /// It has been proposed as a voter.
    Votes(NodeId),
    /// Its entry has been proposed anew: no more than its addresses change.
    Corrected(Voter),
    /// It has been proposed to be no member any more; why, if that is the end of a vain attempt.
    Leaves(NodeId, Option<String>),
}

impl Quorum {
    /// Begins to make a node a voter; [`Output::ChangeEnded`] says how it ended. It has to be reachable by then: it is sent the
    /// log.
    pub fn add_voter(&mut self, disk: &mut dyn Disk, now: WallMs, voter: Voter) -> Result<(), Refusal> {
        self.check_changeable()?;
        if self.members.voter(voter.id).is_some() {
            return Err(Refusal::AlreadyVoter);
        }
        if self.members.learner(voter.id) != Some(&voter) {
            self.propose_members(self.members.with_learner(voter.clone()), now)?;
        }
        self.change = Some(Change::Learns(voter, self.tick + CATCH_UP_TICKS_MAX));
        self.drive(disk, now);
        self.advance_change(disk, now);
        Ok(())
    }

    /// Begins to take a voter, or a learner, out; [`Output::ChangeEnded`] says how it ended.
    pub fn remove_voter(&mut self, disk: &mut dyn Disk, now: WallMs, id: NodeId) -> Result<(), Refusal> {
        self.check_changeable()?;
        if !self.members.has(id) {
            return Err(Refusal::UnknownVoter);
        }
        if self.members.is_only_voter(id) {
            return Err(Refusal::LastVoter);
        }
        self.propose_members(self.members.without(id), now)?;
        self.change = Some(Change::Leaves(id, None));
        self.drive(disk, now);
        Ok(())
    }

    /// One change at a time, and none before this leader's term has something committed: otherwise a change that an earlier
    /// leader left behind might be decided by other members than this one's.
    fn check_changeable(&self) -> Result<(), Refusal> {
        self.check_leads()?;
        let is_settled = self.raft.raft.commit_to_current_term() && !self.raft.raft.has_pending_conf();
        if self.change.is_none() && is_settled { Ok(()) } else { Err(Refusal::ChangePending) }
    }

    /// Tells the others where this node is reached, and which directory it has, if that is not what they know: the list of
    /// founders knows no directories, and addresses change. A leader can do so for itself.
    pub(super) fn correct_own_entry(&mut self, disk: &mut dyn Disk, now: WallMs) {
        let me = &self.config.me;
        let Some(known) = self.members.voter(me.id) else { return };
        // A node that does not know where it is reached is so where it was.
        let endpoints = if me.endpoints.is_empty() { known.endpoints.clone() } else { me.endpoints.clone() };
        let entry = Voter { endpoints, ..me.clone() };
        if *known == entry || self.is_offline || self.check_changeable().is_err() {
            return;
        }
        let batch = self.placed(batch::of_members(&self.members.with_voter(entry.clone()), now));
        // To Raft nothing changes, so that it is a batch like any other; a refusal is one for the moment.
        if self.raft.propose(Vec::new(), batch).is_ok() {
            self.change = Some(Change::Corrected(entry));
            self.drive(disk, now);
        }
    }

    fn propose_members(&mut self, members: Members, now: WallMs) -> Result<(), Refusal> {
        let change = change_between(&self.members, &members);
        assert_eq!(change.changes.len(), 1, "members change one at a time");
        let batch = self.placed(batch::of_members(&members, now));
        self.raft.propose_conf_change(batch, change).map_err(|_| Refusal::Busy)
    }

    /// The members that a committed batch names are those in force.
    pub(super) fn apply_members(&mut self, members: Members) -> Result<(), String> {
        // One by one: a node that joins learns of all of them at once.
        for single in change_between(&self.members, &members).changes.iter() {
            let mut change = ConfChangeV2::default();
            change.set_changes(vec![single.clone()].into());
            self.raft.apply_conf_change(&change).map_err(|error| error.to_string())?;
        }
        self.members = members.clone();
        self.outputs.push(Output::Members(members));
        self.end_change_if_done();
        let is_member = self.members.voter(self.config.id()).is_some();
        if self.raft.raft.state == StateRole::Leader && !is_member {
            let term = self.raft.raft.term;
            self.raft.raft.become_follower(term, raft::INVALID_ID);
        }
        Ok(())
    }

    fn end_change_if_done(&mut self) {
        let (voter, failure) = match &self.change {
            Some(Change::Votes(id)) if self.members.voter(*id).is_some() => (*id, None),
            Some(Change::Leaves(id, failure)) if !self.members.has(*id) => (*id, failure.clone()),
            Some(Change::Corrected(entry)) if self.members.voter(entry.id) == Some(entry) => {
                return self.change = None;
            }
            Some(Change::Learns(..) | Change::Votes(_) | Change::Corrected(_) | Change::Leaves(..))
            | None => {
                return;
            }
        };
        self.change = None;
        self.outputs.push(Output::ChangeEnded { voter, failure });
    }

    /// Makes a learner that has caught up a voter, and gives up on one that does not.
    pub(super) fn advance_change(&mut self, disk: &mut dyn Disk, now: WallMs) {
        let Some(Change::Learns(voter, until)) = self.change.clone() else { return };
        if self.is_offline || self.raft.raft.has_pending_conf() || self.members.learner(voter.id).is_none() {
            return;
        }
        let progress = self.raft.raft.prs().get(voter.id.to_raft());
        let has_caught_up =
            progress.is_some_and(|progress| progress.matched >= self.raft.raft.raft_log.committed);
        let next = if has_caught_up {
            let members = self.members.with_voter(voter.clone());
            self.propose_members(members, now).map(|()| Change::Votes(voter.id))
        } else if self.tick >= until {
            let why = format!(
                "node {} did not catch up within a minute: is it started, and reachable?",
                voter.id.0
            );
            let members = self.members.without(voter.id);
            self.propose_members(members, now).map(|()| Change::Leaves(voter.id, Some(why)))
        } else {
            return;
        };
        // A refusal is one for the moment: the next tick tries again.
        if let Ok(next) = next {
            self.change = Some(next);
            self.drive(disk, now);
        }
    }

    /// This node leads no more: what becomes of the change is for the next leader to know.
    pub(super) fn lose_change(&mut self) {
        let voter = match self.change.take() {
            Some(Change::Learns(voter, _)) => voter.id,
            Some(Change::Votes(id) | Change::Leaves(id, _)) => id,
            Some(Change::Corrected(_)) | None => return,
        };
        let failure = Some("the node that led the quorum leads it no more: try again".to_owned());
        self.outputs.push(Output::ChangeEnded { voter, failure });
    }
}

/// What makes one of the other, as Raft says it.
fn change_between(old: &Members, new: &Members) -> ConfChangeV2 {
    let single = |id: NodeId, kind| {
        let mut change = ConfChangeSingle { node_id: id.to_raft(), ..ConfChangeSingle::default() };
        change.set_change_type(kind);
        change
    };
    let votes = new.voters().filter(|voter| old.voter(voter.id).is_none());
    let learns = new.learners().filter(|learner| !old.has(learner.id));
    let leaves = old.voters().chain(old.learners()).filter(|member| !new.has(member.id));
    let changes: Vec<ConfChangeSingle> = votes
        .map(|voter| single(voter.id, ConfChangeType::AddNode))
        .chain(learns.map(|learner| single(learner.id, ConfChangeType::AddLearnerNode)))
        .chain(leaves.map(|member| single(member.id, ConfChangeType::RemoveNode)))
        .collect();
    let mut change = ConfChangeV2::default();
    change.set_changes(changes.into());
    change
}
