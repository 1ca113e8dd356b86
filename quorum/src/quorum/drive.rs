//! What Raft wants done, in the only order that is safe: disk, then messages, then what is committed.

use raft::eraftpb::{Entry, Message as RaftMessage, MessageType};
use raft::{Ready, StateRole};
use shard::{Disk, IoError, WallMs};

use super::{Quorum, Role};
use crate::batch::{self, Content};
use crate::config::ELECTION_TICKS;
use crate::members::NodeId;
use crate::message::{Body, Message};
use crate::mutation::{Mutation, is_on};
use crate::output::{Committed, Output, ReadId};
use crate::vote_file::Vote;

impl Quorum {
    /// Carries out what has become due, until nothing is.
    pub(super) fn drive(&mut self, disk: &mut dyn Disk, now: WallMs) {
        self.note_role(disk);
        while !self.is_offline && self.raft.has_ready() {
            let mut ready = self.raft.ready();
            let mut messages = ready.take_messages();
            if let Err(error) = self.persist(disk, now, &mut ready) {
                return self.go_offline(disk, &error.to_string());
            }
            if is_on(Mutation::CommitAlone) && self.raft.raft.state == StateRole::Leader {
                self.raft.raft.raft_log.committed = self.raft.store().end().index;
            }
            messages.append(&mut ready.take_persisted_messages());
            self.push_messages(disk, messages);
            self.apply(disk, ready.take_committed_entries());
            self.note_reads(&ready);
            let mut light = self.raft.advance_append(ready);
            self.push_messages(disk, light.take_messages());
            self.apply(disk, light.take_committed_entries());
            if self.is_offline {
                return;
            }
            self.raft.advance_apply();
            self.note_role(disk);
        }
        self.answer_reads();
        self.keep_hint(disk);
        self.shrink();
    }

    /// Takes no part any more, because the host cannot go on with what is committed.
    pub fn leave(&mut self, disk: &mut dyn Disk, why: &str) {
        self.go_offline(disk, why);
    }

    /// Takes no part any more: what is on the disk is unknown.
    pub(super) fn go_offline(&mut self, disk: &mut dyn Disk, why: &str) {
        tracing::error!(
            "{}: the metadata log cannot be written or followed: {why}: this node takes no part in its quorum until it is started again",
            self.log.path().display()
        );
        self.is_offline = true;
        self.outgoing.end_all(disk);
        self.role = Role::Offline;
        self.outputs.push(Output::Role(Role::Offline));
    }

    fn note_role(&mut self, disk: &mut dyn Disk) {
        let raft = &self.raft.raft;
        let role = match raft.state {
            StateRole::Leader => Role::Leader { term: raft.term },
            _ => Role::Follower { term: raft.term, leader: NodeId::from_raft(raft.leader_id) },
        };
        if role == self.role || self.is_offline {
            return;
        }
        if matches!(self.role, Role::Leader { .. }) {
            self.outgoing.end_all(disk);
            self.lose_change();
        }
        self.role = role;
        self.election_ticks = ELECTION_TICKS + self.random.below(ELECTION_TICKS as u64) as usize;
        self.outputs.push(Output::Role(role));
    }

    // --- disk ---------------------------------------------------------------------------------------------------------

    /// Makes durable what is about to be promised. The vote comes first: a batch of a term says that the term is known.
    fn persist(&mut self, disk: &mut dyn Disk, now: WallMs, ready: &mut Ready) -> Result<(), IoError> {
        if !ready.snapshot().is_empty() {
            let metadata = ready.snapshot().get_metadata();
            self.install_checkpoint(disk, metadata.index, metadata.term)?;
        }
        if let Some(hard_state) = ready.hs() {
            let (term, vote) = (hard_state.term, hard_state.vote);
            let newest = self.vote.newest();
            if (term, vote) != (newest.term, newest.vote) {
                self.vote.write(disk, Vote { term, vote, commit: newest.commit })?;
            }
        }
        let entries = ready.take_entries();
        if entries.is_empty() { Ok(()) } else { self.append(disk, now, entries) }
    }

    fn append(&mut self, disk: &mut dyn Disk, now: WallMs, entries: Vec<Entry>) -> Result<(), IoError> {
        let first = entries[0].index;
        if first <= self.raft.store().end().index {
            let kept = self.raft.store().mark(first - 1).expect("what is replaced is not committed");
            self.log.truncate(disk, kept.end)?;
            self.raft.mut_store().truncate(first);
        }
        let mut bytes = Vec::new();
        for entry in entries {
            let (index, term) = (entry.index, entry.term);
            let batch = self.batch_of(entry, now);
            let facts = batch::facts_of(&batch).expect("batches are checked when they are made or come in");
            if index == 1 && facts.base_offset != self.raft.store().end().next_offset {
                self.begin_log_at(disk, facts.base_offset)?;
            }
            assert_eq!(facts.base_offset, self.raft.store().end().next_offset, "offsets have no gaps");
            bytes.extend_from_slice(&batch);
            self.raft.mut_store().push(term, facts.next_offset, batch);
        }
        let appended = self.log.append(disk, &bytes);
        if appended.is_err() {
            self.log.take_back(disk);
        }
        appended
    }

    /// The batch that an entry stands for. Raft's own first entry of a term is empty, and a change of the members has the
    /// batch in its context.
    fn batch_of(&self, entry: Entry, now: WallMs) -> Vec<u8> {
        if !entry.context.is_empty() {
            return entry.context.to_vec();
        }
        if !entry.data.is_empty() {
            return entry.data.to_vec();
        }
        assert_eq!(entry.term, self.raft.raft.term, "only a leader makes empty entries, of its own term");
        self.placed(batch::of_leader_change(self.config.id(), &self.members, now))
    }

    /// Remembers how much is committed, so that a restarted node knows it before it hears of a leader. Not synced: losing it
    /// costs a moment.
    fn keep_hint(&mut self, disk: &mut dyn Disk) {
        let newest = self.vote.newest();
        let is_alone = self.members.is_only_voter(self.config.id());
        if self.is_offline || is_alone || newest.commit >= self.applied {
            return;
        }
        if let Err(error) = self.vote.write(disk, Vote { commit: self.applied, ..newest }) {
            let why = format!("{}: {error}", self.vote.path().display());
            self.go_offline(disk, &why);
        }
    }

    pub(super) fn shrink(&mut self) {
        let (applied, bytes_max) = (self.applied, self.config.measures.cache_bytes);
        self.raft.mut_store().shrink(applied, bytes_max);
    }

    // --- messages -----------------------------------------------------------------------------------------------------

    fn push_messages(&mut self, disk: &mut dyn Disk, messages: Vec<RaftMessage>) {
        for mut message in messages {
            let Some(to) = NodeId::from_raft(message.to) else { continue };
            if message.get_msg_type() == MessageType::MsgSnapshot {
                self.begin_transfer(disk, to);
                continue;
            }
            if message.get_msg_type() == MessageType::MsgAppend {
                self.put_batches(&mut message);
            }
            self.send(to, message.term, Body::Raft(message));
        }
    }

    /// What Raft says in its own words has to stand in the message as the batch that it is.
    fn put_batches(&self, message: &mut RaftMessage) {
        let term = message.term;
        assert!(term <= self.raft.raft.term);
        for entry in message.mut_entries().iter_mut() {
            if entry.data.is_empty() || !entry.context.is_empty() {
                let batch = self.raft.store().batch(entry.index).expect("what is sent is in the log");
                entry.data = batch.to_vec().into();
            }
        }
    }

    pub(super) fn send(&mut self, to: NodeId, term: u64, body: Body) {
        let message = Message { from: self.config.id(), to, term, body };
        let bytes = message.encode(&self.config.cluster_id);
        self.outputs.push(Output::Send { to, bytes });
    }

    // --- what is committed --------------------------------------------------------------------------------------------

    fn apply(&mut self, disk: &mut dyn Disk, entries: Vec<Entry>) {
        for entry in entries {
            if self.is_offline {
                return;
            }
            if let Err(why) = self.apply_batch(&entry) {
                self.go_offline(disk, &why);
            }
        }
    }

    fn apply_batch(&mut self, entry: &Entry) -> Result<(), String> {
        assert_eq!(entry.index, self.applied + 1, "batches are applied one after another");
        let facts = batch::facts_of(&entry.data).ok_or("a committed batch is not whole")?;
        let mut records = Vec::new();
        let mut members = None;
        match batch::content_of(&entry.data)? {
            Content::Records(values) => records = values,
            Content::LeaderChange => {}
            Content::Members(new) => members = Some(new),
            Content::SnapshotHeader | Content::SnapshotFooter => {
                return Err("a batch of a checkpoint stands in the log".to_owned());
            }
        }
        self.applied = entry.index;
        self.outputs.push(Output::Committed(Committed {
            index: entry.index,
            term: facts.term,
            base_offset: facts.base_offset,
            next_offset: facts.next_offset,
            records,
        }));
        members.map_or(Ok(()), |members| self.apply_members(members))
    }

    // --- reads --------------------------------------------------------------------------------------------------------

    fn note_reads(&mut self, ready: &Ready) {
        for state in ready.read_states() {
            let id = state.request_ctx.get(16..24).and_then(|id| id.first_chunk());
            let id = id.map(|id| ReadId(u64::from_be_bytes(*id)));
            let is_ours = id.is_some_and(|id| self.read_context(id) == state.request_ctx);
            let read = self.reads.iter_mut().find(|read| is_ours && Some(read.id) == id);
            if let Some(read) = read {
                read.index = Some(state.index);
            }
        }
    }

    fn answer_reads(&mut self) {
        let applied = self.applied;
        let outputs = &mut self.outputs;
        self.reads.retain(|read| {
            let is_fresh = read.index.is_some_and(|index| index <= applied);
            if is_fresh {
                outputs.push(Output::ReadReady(read.id));
            }
            !is_fresh
        });
    }
}
