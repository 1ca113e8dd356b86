//! A checkpoint on its way from a leader to a follower that is too far behind: in pieces, one under way at a time, so that no
//! frame is large and a slow follower costs its leader an open file.

use std::collections::BTreeMap;
use std::path::Path;

use shard::{Disk, FileId, IoError, OpenMode};

use crate::checkpoint::{CHECKPOINT_BYTES_MAX, arriving_path, path_of};
use crate::error::MessageRefusal;
use crate::members::{Members, NodeId};
use crate::message::{CheckpointId, Piece};

/// Bytes in one piece.
const PIECE_BYTES: u64 = 256 << 10;
/// A piece that is not acknowledged for so long is sent again, in ticks.
const RESEND_TICKS: u64 = 10;
/// After so many vain attempts the transfer has failed; Raft begins another when the follower shows up again.
const ATTEMPTS_MAX: u32 = 20;

/// The checkpoints that a leader is sending.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    transfers: BTreeMap<NodeId, Transfer>,
}

#[derive(Debug)]
struct Transfer {
    id: CheckpointId,
    members: Members,
    file: FileId,
    len: u64,
    position: u64,
    sent_at: u64,
    attempts: u32,
}

/// What became of a piece.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// This goes to the follower next.
    Send(Piece),
    /// The follower has all of it.
    Done,
    /// It is given up.
    Failed,
    /// Nothing is to be done now.
    Wait,
}

impl Outgoing {
    /// Begins to send a checkpoint, in the place of any other that this follower was being sent.
    pub fn begin(
        &mut self,
        disk: &mut dyn Disk,
        dir: &Path,
        to: NodeId,
        (id, members): (CheckpointId, Members),
        tick: u64,
    ) -> Result<Step, IoError> {
        self.end(disk, to);
        let file = disk.open(&path_of(dir, id.offset, id.term), OpenMode::Read)?;
        let len = disk.len(file)?;
        self.transfers
            .insert(to, Transfer { id, members, file, len, position: 0, sent_at: tick, attempts: 0 });
        Ok(self.piece(disk, to))
    }

    /// The follower has so much of it.
    pub fn on_taken(
        &mut self,
        disk: &mut dyn Disk,
        from: NodeId,
        (id, position): (CheckpointId, u64),
        tick: u64,
    ) -> Step {
        let Some(transfer) = self.transfers.get_mut(&from).filter(|transfer| transfer.id == id) else {
            return Step::Wait;
        };
        if position == transfer.position || position > transfer.len {
            return Step::Wait;
        }
        (transfer.position, transfer.sent_at, transfer.attempts) = (position, tick, 0);
        if position == transfer.len {
            self.end(disk, from);
            return Step::Done;
        }
        self.piece(disk, from)
    }

    /// Sends again what was not acknowledged, and gives up what never is.
    pub fn on_tick(&mut self, disk: &mut dyn Disk, tick: u64) -> Vec<(NodeId, Step)> {
        let late = |transfer: &Transfer| tick >= transfer.sent_at + RESEND_TICKS;
        let late: Vec<NodeId> =
            self.transfers.iter().filter(|(_, transfer)| late(transfer)).map(|(id, _)| *id).collect();
        let again = late.into_iter().map(|to| {
            let transfer = self.transfers.get_mut(&to).expect("it was listed just now");
            (transfer.sent_at, transfer.attempts) = (tick, transfer.attempts + 1);
            let is_given_up = transfer.attempts > ATTEMPTS_MAX;
            let step = if is_given_up { Step::Failed } else { self.piece(disk, to) };
            if step == Step::Failed {
                self.end(disk, to);
            }
            (to, step)
        });
        again.collect()
    }

    fn piece(&mut self, disk: &mut dyn Disk, to: NodeId) -> Step {
        let Some(transfer) = self.transfers.get(&to) else { return Step::Failed };
        let mut bytes = vec![0; (transfer.len - transfer.position).min(PIECE_BYTES) as usize];
        match disk.read_at(transfer.file, transfer.position, &mut bytes) {
            Ok(count) if count == bytes.len() => Step::Send(Piece {
                id: transfer.id,
                members: transfer.members.clone(),
                len: transfer.len,
                position: transfer.position,
                bytes,
            }),
            Ok(_) | Err(_) => Step::Failed,
        }
    }

    /// Sends a follower nothing more.
    pub fn end(&mut self, disk: &mut dyn Disk, to: NodeId) {
        if let Some(transfer) = self.transfers.remove(&to) {
            disk.close(transfer.file);
        }
    }

    /// Sends nobody anything more.
    pub fn end_all(&mut self, disk: &mut dyn Disk) {
        for (_, transfer) in std::mem::take(&mut self.transfers) {
            disk.close(transfer.file);
        }
    }
}

/// The checkpoint that a follower is being sent.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub from: NodeId,
    pub id: CheckpointId,
    pub members: Members,
    pub file: FileId,
    len: u64,
    received: u64,
}

impl Incoming {
    /// Begins to take a checkpoint in.
    pub fn begin(disk: &mut dyn Disk, dir: &Path, from: NodeId, piece: &Piece) -> Result<Incoming, IoError> {
        let file = disk.open(&arriving_path(dir), OpenMode::Truncate)?;
        let (id, members) = (piece.id, piece.members.clone());
        Ok(Incoming { from, id, members, file, len: piece.len, received: 0 })
    }

    /// Whether a piece belongs to this checkpoint.
    pub fn fits(&self, from: NodeId, piece: &Piece) -> bool {
        (self.from, self.id, self.len) == (from, piece.id, piece.len) && self.members == piece.members
    }

    /// Takes a piece in, if it is the next; says how much is there.
    pub fn take(&mut self, disk: &mut dyn Disk, piece: &Piece) -> Result<u64, IoError> {
        if piece.position == self.received {
            disk.write_at(self.file, self.received, &piece.bytes)?;
            self.received += piece.bytes.len() as u64;
        }
        Ok(self.received)
    }

    /// Whether all of it is there.
    pub fn is_whole(&self) -> bool {
        self.received == self.len
    }
}

/// Whether a piece can be one.
pub(crate) fn check(piece: &Piece) -> Result<(), MessageRefusal> {
    let end = piece.position.checked_add(piece.bytes.len() as u64);
    let lies_within = end.is_some_and(|end| end <= piece.len);
    let is_small = piece.bytes.len() as u64 <= PIECE_BYTES && piece.len <= CHECKPOINT_BYTES_MAX;
    if !lies_within || !is_small || piece.bytes.is_empty() {
        return Err(MessageRefusal::Absurd("a piece of a checkpoint lies outside of it"));
    }
    if piece.members.voters().len() == 0 {
        return Err(MessageRefusal::Absurd("a checkpoint has no voters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shard::Io;
    use shard::memory::World;

    use super::*;

    const ID: CheckpointId = CheckpointId { index: 5, term: 2, offset: 80 };

    #[test]
    fn a_large_checkpoint_goes_in_pieces_and_lost_ones_go_again() {
        let world = World::new(1);
        let mut io = world.io();
        let (dir, peer) = (Path::new("/data"), NodeId(2));
        io.disk().create_dir(dir).unwrap();
        let content: Vec<u8> = (0..700_000u32).map(|number| number as u8).collect();
        io.disk().replace_file(&path_of(dir, ID.offset, ID.term), &content).unwrap();
        let mut outgoing = Outgoing::default();
        let mut step = outgoing.begin(io.disk(), dir, peer, (ID, Members::default()), 0).unwrap();
        let mut incoming: Option<Incoming> = None;
        let mut tick = 0;
        while step != Step::Done {
            let Step::Send(piece) = step else { panic!("the transfer ended: {step:?}") };
            assert!(piece.bytes.len() as u64 <= PIECE_BYTES);
            let incoming =
                incoming.get_or_insert_with(|| Incoming::begin(io.disk(), dir, peer, &piece).unwrap());
            let received = incoming.take(io.disk(), &piece).unwrap();
            // Every other piece's acknowledgement is lost.
            tick += RESEND_TICKS;
            let again = outgoing.on_tick(io.disk(), tick).pop().unwrap().1;
            assert_eq!(again, Step::Send(piece));
            step = outgoing.on_taken(io.disk(), peer, (ID, received), tick);
        }
        assert!(incoming.unwrap().is_whole());
        let arrived = io.disk().read_file(&arriving_path(dir), 1 << 20).unwrap().unwrap();
        assert_eq!(arrived, content);
    }

    #[test]
    fn a_follower_that_never_answers_is_given_up() {
        let world = World::new(1);
        let mut io = world.io();
        let (dir, peer) = (Path::new("/data"), NodeId(2));
        io.disk().create_dir(dir).unwrap();
        io.disk().replace_file(&path_of(dir, ID.offset, ID.term), &[1; 10]).unwrap();
        let mut outgoing = Outgoing::default();
        outgoing.begin(io.disk(), dir, peer, (ID, Members::default()), 0).unwrap();
        let steps: Vec<Step> = (1..=u64::from(ATTEMPTS_MAX) + 2)
            .flat_map(|round| outgoing.on_tick(io.disk(), round * RESEND_TICKS))
            .map(|(_, step)| step)
            .collect();
        assert_eq!(steps.len(), ATTEMPTS_MAX as usize + 1);
        assert_eq!(steps.last(), Some(&Step::Failed));
    }
}
