//! Checkpoints: taking one, cutting the log behind it, and sending it to a follower that needs what was cut off.
//!
//! ```text
//! take    │ checkpoint written ─► anchor names it ─► log begins behind it ─► older checkpoints go
//! install │ pieces ─► whole and checked ─► Raft wants it ─► renamed ─► anchor names it ─► log is empty ─► told
//! ```
//! A crash between any two steps leaves a directory that opens: the anchor says what counts.

use raft::SnapshotStatus;
use raft::eraftpb::{Message as RaftMessage, MessageType};
use shard::{Disk, IoError, WallMs};

use super::Quorum;
use crate::anchor::Anchor;
use crate::checkpoint::{self, Checkpoint};
use crate::error::MessageRefusal;
use crate::members::NodeId;
use crate::message::{Body, CheckpointId, Piece};
use crate::mutation::{Mutation, is_on};
use crate::output::{Output, Restored};
use crate::store::Mark;
use crate::transfer::{self, Incoming, Step};

impl Quorum {
    /// Whether the host should take a checkpoint: most of the log is history, or a follower needs what is not in memory.
    pub fn wants_checkpoint(&self) -> bool {
        let is_long = self.log.len() > self.config.measures.cut_bytes_min
            && self.log.len() > 2 * self.anchor.checkpoint_len;
        let is_wanted = is_long || self.raft.store().wants_checkpoint();
        is_wanted && !self.is_offline && self.applied > self.anchor.index
    }

    /// Keeps `records`, which make the state after all that was told from nothing, and cuts the log behind them. A failure costs
    /// space and nothing else, unless the log itself cannot be replaced.
    pub fn take_checkpoint(&mut self, disk: &mut dyn Disk, now: WallMs, records: Vec<Vec<u8>>) {
        let is_told = !self.outputs.iter().any(|output| matches!(output, Output::Committed(_)));
        assert!(is_told, "a checkpoint is of what was told");
        if self.is_offline || self.applied <= self.anchor.index {
            return;
        }
        let mark = self.raft.store().mark(self.applied).expect("what was applied last is in memory");
        let checkpoint = Checkpoint { members: self.members.clone(), records };
        let bytes = checkpoint.encode(mark.term, now);
        let path = checkpoint::path_of(&self.dir, mark.next_offset, mark.term);
        let anchor = self.anchor_at(mark, bytes.len() as u64);
        let written = if is_on(Mutation::AnchorFirst) {
            anchor.write(disk, &self.dir).and_then(|()| disk.replace_file(&path, &bytes))
        } else {
            disk.replace_file(&path, &bytes).and_then(|()| anchor.write(disk, &self.dir))
        };
        if let Err(error) = written {
            tracing::warn!(%error, file = %path.display(), "no checkpoint can be written: the metadata log stays as long as it is");
            return;
        }
        self.anchor = anchor;
        let tail = self.raft.store().bytes_from(mark.index + 1);
        if let Err(error) = self.log.replace(disk, mark.next_offset, &tail) {
            return self.go_offline(disk, &error.to_string());
        }
        let members = self.members.to_raft();
        self.raft.mut_store().rebase(mark);
        self.raft.mut_store().set_checkpoint(Mark { end: 0, ..mark }, members);
        self.remove_older_checkpoints(disk);
    }

    fn anchor_at(&self, mark: Mark, checkpoint_len: u64) -> Anchor {
        Anchor {
            offset: mark.next_offset,
            index: mark.index,
            term: mark.term,
            members: self.members.clone(),
            checkpoint_len,
            ..self.anchor.clone()
        }
    }

    fn remove_older_checkpoints(&self, disk: &mut dyn Disk) {
        let kept = checkpoint::path_of(&self.dir, self.anchor.offset, self.anchor.term);
        if let Err(error) = checkpoint::remove_others(disk, &self.dir, &kept) {
            tracing::warn!(%error, dir = %self.dir.display(), "an older checkpoint stays behind, without harm");
        }
    }

    /// The first batch of all begins at another offset than this empty log: the leader's was cut before there were quorums.
    pub(super) fn begin_log_at(&mut self, disk: &mut dyn Disk, offset: i64) -> Result<(), IoError> {
        self.anchor.offset = offset;
        self.anchor.write(disk, &self.dir)?;
        self.log.replace(disk, offset, &[])?;
        self.raft.mut_store().begin_at_offset(offset);
        Ok(())
    }

    // --- sending ------------------------------------------------------------------------------------------------------

    /// Raft wants a follower to have the newest checkpoint.
    pub(super) fn begin_transfer(&mut self, disk: &mut dyn Disk, to: NodeId) {
        let mark = self.raft.store().checkpoint().expect("Raft sends none that there is not");
        let id = CheckpointId { index: mark.index, term: mark.term, offset: mark.next_offset };
        let what = (id, self.anchor.members.clone());
        let step = self.outgoing.begin(disk, &self.dir, to, what, self.tick).unwrap_or(Step::Failed);
        self.carry_out(to, step);
    }

    pub(super) fn on_piece_taken(
        &mut self,
        disk: &mut dyn Disk,
        from: NodeId,
        id: CheckpointId,
        position: u64,
    ) {
        let step = self.outgoing.on_taken(disk, from, (id, position), self.tick);
        self.carry_out(from, step);
    }

    pub(super) fn resend_pieces(&mut self, disk: &mut dyn Disk) {
        for (to, step) in self.outgoing.on_tick(disk, self.tick) {
            self.carry_out(to, step);
        }
    }

    fn carry_out(&mut self, to: NodeId, step: Step) {
        match step {
            Step::Send(piece) => self.send(to, self.raft.raft.term, Body::Piece(piece)),
            Step::Done => self.raft.report_snapshot(to.to_raft(), SnapshotStatus::Finish),
            Step::Failed => self.raft.report_snapshot(to.to_raft(), SnapshotStatus::Failure),
            Step::Wait => {}
        }
    }

    // --- receiving ----------------------------------------------------------------------------------------------------

    /// A leader sends a part of a checkpoint. The last one is followed by what Raft would have been sent: where it ends.
    pub(super) fn on_piece(
        &mut self,
        disk: &mut dyn Disk,
        from: NodeId,
        term: u64,
        piece: Piece,
    ) -> Result<(), MessageRefusal> {
        transfer::check(&piece)?;
        if term < self.raft.raft.term {
            return Ok(());
        }
        let log = &self.raft.raft.raft_log;
        let is_had = piece.id.index <= log.committed || log.match_term(piece.id.index, piece.id.term);
        let taken = if is_had { Ok(piece.len) } else { self.take_piece(disk, from, &piece) };
        let position = match taken {
            Ok(position) => position,
            Err(error) => {
                tracing::warn!(%error, "a checkpoint from node {} cannot be written", from.0);
                self.incoming = None;
                return Ok(());
            }
        };
        self.send(from, self.raft.raft.term.max(term), Body::PieceTaken { id: piece.id, position });
        if is_had || self.incoming.as_ref().is_some_and(Incoming::is_whole) {
            self.tell_raft_of(from, term, &piece);
        }
        Ok(())
    }

    fn take_piece(&mut self, disk: &mut dyn Disk, from: NodeId, piece: &Piece) -> Result<u64, IoError> {
        if !self.incoming.as_ref().is_some_and(|incoming| incoming.fits(from, piece)) {
            if let Some(old) = self.incoming.take() {
                disk.close(old.file);
            }
            self.incoming = Some(Incoming::begin(disk, &self.dir, from, piece)?);
        }
        let incoming = self.incoming.as_mut().expect("it was begun just now");
        let position = incoming.take(disk, piece)?;
        if incoming.is_whole() && !self.is_sound(disk, piece) {
            self.incoming = None;
            return Err(IoError::DEVICE);
        }
        Ok(position)
    }

    /// Whether what has arrived is a checkpoint of these members.
    fn is_sound(&self, disk: &mut dyn Disk, piece: &Piece) -> bool {
        let arrived = Checkpoint::read(disk, &checkpoint::arriving_path(&self.dir));
        arrived.is_ok_and(|checkpoint| checkpoint.members == piece.members)
    }

    fn tell_raft_of(&mut self, from: NodeId, term: u64, piece: &Piece) {
        let mut message = RaftMessage {
            from: from.to_raft(),
            to: self.config.id().to_raft(),
            term,
            ..RaftMessage::default()
        };
        message.set_msg_type(MessageType::MsgSnapshot);
        let metadata = message.mut_snapshot().mut_metadata();
        (metadata.index, metadata.term) = (piece.id.index, piece.id.term);
        metadata.set_conf_state(piece.members.to_raft());
        // What Raft does not take, because it has all of it or is no member, it answers itself.
        _ = self.raft.step(message);
    }

    /// Raft has taken the checkpoint that has arrived: it is all that counts from now on.
    pub(super) fn install_checkpoint(
        &mut self,
        disk: &mut dyn Disk,
        index: u64,
        term: u64,
    ) -> Result<(), IoError> {
        let Some(Incoming { id, members, file, .. }) = self.incoming.take() else {
            return Err(IoError::NOT_FOUND);
        };
        assert_eq!((id.index, id.term), (index, term), "Raft takes the checkpoint that has arrived");
        let arrived = checkpoint::arriving_path(&self.dir);
        let path = checkpoint::path_of(&self.dir, id.offset, id.term);
        disk.sync(file)?;
        let checkpoint_len = disk.len(file)?;
        disk.close(file);
        let Checkpoint { records, .. } = Checkpoint::read(disk, &arrived).map_err(|_| IoError::DEVICE)?;
        disk.rename(&arrived, &path)?;
        disk.sync_dir(&self.dir)?;
        let mark = Mark { index: id.index, term: id.term, next_offset: id.offset, end: 0 };
        self.members = members.clone();
        self.anchor = self.anchor_at(mark, checkpoint_len);
        self.anchor.write(disk, &self.dir)?;
        self.log.replace(disk, id.offset, &[])?;
        self.raft.mut_store().restart(mark);
        self.raft.mut_store().set_checkpoint(mark, members.to_raft());
        self.applied = id.index;
        self.outputs.push(Output::Restored(Restored { next_offset: id.offset, records }));
        self.outputs.push(Output::Members(members));
        self.remove_older_checkpoints(disk);
        Ok(())
    }
}
