//! The quorum as its host sees it: what can be told to it, and what it tells.
//!
//! Inputs come one at a time, each with the disk; when one returns, all that it promises to others is on the disk, and what is
//! to be done is in [`Quorum::take_outputs`]. A failed write or sync ends this node's part in the quorum until it is started
//! again: what the file holds is unknown then.

use std::collections::VecDeque;
use std::path::PathBuf;

use raft::{RawNode, StateRole};
use shard::random::Random;
use shard::{Disk, WallMs};

use crate::admission;
use crate::anchor::Anchor;
use crate::batch;
use crate::config::{BATCH_BYTES_MAX, Config, READ_TICKS_MAX, READS_MAX, TERM_MAX};
use crate::error::{MessageRefusal, Refusal};
use crate::log_file::LogFile;
use crate::members::{Members, NodeId};
use crate::message::{Body, Message};
use crate::output::{Output, Proposal, ReadId, Role};
use crate::store::Store;
use crate::transfer::{Incoming, Outgoing};
use crate::vote_file::VoteFile;

mod open;

mod drive;

mod membership;

mod checkpoints;

use membership::Change;

/// One node's part in its quorum.
pub struct Quorum {
    config: Config,
    dir: PathBuf,
    raft: RawNode<Store>,
    log: LogFile,
    vote: VoteFile,
    anchor: Anchor,
    /// The members as far as this node has applied them.
    members: Members,
    /// The last batch whose content was told.
    applied: u64,
    outputs: Vec<Output>,
    role: Role,
    /// What election timeouts are drawn from, and the one in force: Raft's own come from nowhere.
    random: Random,
    election_ticks: usize,
    /// Ticks since the start.
    tick: u64,
    reads: VecDeque<Read>,
    read_count: u64,
    change: Option<Change>,
    outgoing: Outgoing,
    incoming: Option<Incoming>,
    is_offline: bool,
}

/// A read that waits to be known as fresh.
#[derive(Debug)]
struct Read {
    id: ReadId,
    asked_at: u64,
    /// What has to be applied first, once the leader has said so.
    index: Option<u64>,
}

/// How a quorum stands, as its leader knows it; others know less of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Who leads.
    pub leader: Option<NodeId>,
    /// The newest term.
    pub term: u64,
    /// The offset behind what is committed.
    pub high_watermark: i64,
    /// The offset behind all that this node has.
    pub log_end_offset: i64,
    /// How far voters and learners are, by id.
    pub progress: Vec<Progress>,
}

/// How far a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Which.
    pub id: NodeId,
    /// Whether it votes.
    pub is_voter: bool,
    /// The offset behind what it is known to have; `None` if this node does not know.
    pub log_end_offset: Option<i64>,
}

impl std::fmt::Debug for Quorum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Quorum({:?}, {:?})", self.config.me.id, self.role)
    }
}

impl Quorum {
    // --- inputs -------------------------------------------------------------------------------------------------------

    /// [`crate::TICK_MS`] have passed.
    pub fn on_tick(&mut self, disk: &mut dyn Disk, now: WallMs) {
        if self.is_offline {
            return;
        }
        self.tick += 1;
        self.raft.raft.set_randomized_election_timeout(self.election_ticks);
        if self.raft.raft.term < TERM_MAX {
            self.raft.tick();
        }
        self.resend_pieces(disk);
        self.expire_reads();
        self.drive(disk, now);
        self.advance_change(disk, now);
        self.correct_own_entry(disk, now);
    }

    /// A peer says something. What it is, and whom it is from and for, is checked here.
    pub fn on_message(
        &mut self,
        disk: &mut dyn Disk,
        now: WallMs,
        from: NodeId,
        bytes: &[u8],
    ) -> Result<(), MessageRefusal> {
        if self.is_offline {
            return Err(MessageRefusal::Offline);
        }
        let message = Message::decode(bytes, &self.config.cluster_id, self.config.id())?;
        if message.from != from {
            return Err(MessageRefusal::OtherSender(message.from));
        }
        match message.body {
            Body::Raft(message) => {
                admission::check(&self.raft.raft, from, &message)?;
                // What Raft does not take it may ignore: an answer that came too late, or a read without a leader.
                _ = self.raft.step(message);
            }
            Body::Piece(piece) => self.on_piece(disk, from, message.term, piece)?,
            Body::PieceTaken { id, position } => self.on_piece_taken(disk, from, id, position),
        }
        self.drive(disk, now);
        self.advance_change(disk, now);
        Ok(())
    }

    /// Proposes metadata records, as one batch: committed whole or not at all. What became of it is told by the outputs;
    /// nothing is if this node stops leading first.
    pub fn propose(
        &mut self,
        disk: &mut dyn Disk,
        now: WallMs,
        values: &[Vec<u8>],
    ) -> Result<Proposal, Refusal> {
        assert!(!values.is_empty(), "a batch has a record at least");
        let batch = batch::of_records(values, now);
        if batch.len() > BATCH_BYTES_MAX {
            return Err(Refusal::TooLarge);
        }
        let proposal = self.next_proposal(values.len())?;
        let batch = self.placed(batch);
        self.raft.propose(Vec::new(), batch).map_err(|_| Refusal::Busy)?;
        self.drive(disk, now);
        if self.is_offline { Err(Refusal::Offline) } else { Ok(proposal) }
    }

    fn next_proposal(&self, record_count: usize) -> Result<Proposal, Refusal> {
        self.check_leads()?;
        let end = self.raft.store().end();
        let term = self.raft.raft.term;
        Ok(Proposal { index: end.index + 1, term, next_offset: end.next_offset + record_count as i64 })
    }

    /// Places a batch behind all others; the log is on the disk to its end whenever an input comes.
    fn placed(&self, mut batch: Vec<u8>) -> Vec<u8> {
        batch::place(&mut batch, self.raft.store().end().next_offset, self.raft.raft.term);
        batch
    }

    fn check_leads(&self) -> Result<(), Refusal> {
        match self.role {
            Role::Leader { .. } => Ok(()),
            Role::Follower { leader, .. } => Err(Refusal::NotLeader { leader }),
            Role::Offline => Err(Refusal::Offline),
        }
    }

    /// Asks to be told when all is applied here that is committed by now, by whomever: [`Output::ReadReady`] says so. `None` if
    /// too many ask.
    pub fn read(&mut self, disk: &mut dyn Disk, now: WallMs) -> Option<ReadId> {
        if self.reads.len() >= READS_MAX || self.is_offline {
            return None;
        }
        let id = ReadId(self.read_count);
        self.read_count += 1;
        self.reads.push_back(Read { id, asked_at: self.tick, index: None });
        self.raft.read_index(self.read_context(id));
        self.drive(disk, now);
        Some(id)
    }

    /// A read's name among nodes: no other node, and no other life of this one, has the same.
    fn read_context(&self, id: ReadId) -> Vec<u8> {
        [self.config.id().0 as u64, self.config.seed, id.0].map(u64::to_be_bytes).concat()
    }

    fn expire_reads(&mut self) {
        while let Some(read) = self.reads.front()
            && self.tick >= read.asked_at + READ_TICKS_MAX
        {
            self.outputs.push(Output::ReadLost(read.id));
            self.reads.pop_front();
        }
    }

    /// Gives leadership up to the voter that has most of the log, for a stop in order. Nothing happens if this node does not
    /// lead, or nobody else votes.
    pub fn transfer_leadership(&mut self, disk: &mut dyn Disk, now: WallMs) {
        let me = self.config.id();
        let matched =
            |id: NodeId| self.raft.raft.prs().get(id.to_raft()).map_or(0, |progress| progress.matched);
        let others = self.members.voters().map(|voter| voter.id).filter(|&id| id != me);
        let Some(next) = others.max_by_key(|&id| (matched(id), std::cmp::Reverse(id))) else { return };
        if matches!(self.role, Role::Leader { .. }) {
            self.raft.transfer_leader(next.to_raft());
            self.drive(disk, now);
        }
    }

    /// A peer cannot be reached at the moment.
    pub fn on_unreachable(&mut self, peer: NodeId) {
        self.raft.report_unreachable(peer.to_raft());
    }

    // --- what it knows ------------------------------------------------------------------------------------------------

    /// What is to be done, in order.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    /// This node's part.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether this node leads and has applied all that was committed before its term, so that it can plan changes.
    pub fn is_active(&self) -> bool {
        matches!(self.role, Role::Leader { .. }) && self.raft.raft.apply_to_current_term()
    }

    /// Whether this node takes no part because its disk has failed.
    pub fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// The members, as far as this node has applied them.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// How the quorum stands.
    pub fn standing(&self) -> Standing {
        let store = self.raft.store();
        let offset_of = |index| store.mark(index).map(|mark| mark.next_offset);
        let leads = self.raft.raft.state == StateRole::Leader;
        let log_end_offset = store.end().next_offset;
        let progress_of = |id: NodeId| {
            let matched = self.raft.raft.prs().get(id.to_raft()).map(|progress| progress.matched);
            let of_other = matched.filter(|_| leads).and_then(offset_of);
            if id == self.config.id() { Some(log_end_offset) } else { of_other }
        };
        let voters = self.members.voters().map(|voter| (voter.id, true));
        let all = voters.chain(self.members.learners().map(|learner| (learner.id, false)));
        let progress = all.map(|(id, is_voter)| Progress { id, is_voter, log_end_offset: progress_of(id) });
        Standing {
            leader: NodeId::from_raft(self.raft.raft.leader_id),
            term: self.raft.raft.term,
            high_watermark: offset_of(self.raft.raft.raft_log.committed).unwrap_or(log_end_offset),
            log_end_offset,
            progress: progress.collect(),
        }
    }
}
