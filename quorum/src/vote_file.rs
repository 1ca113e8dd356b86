//! The newest term and who was voted for in it: what a voter may never forget, in two slots of one small file.
//!
//! ```text
//! slot, at byte 0 and at 4096: magic u32 │ sequence u64 │ term u64 │ vote u64 │ commit u64 │ CRC-32C u32
//! ```
//! The newer slot counts. What must last is written over the slot that is not the last synced one, so that a torn write leaves
//! that one. `commit` is a hint, written without a sync: how much of the log was known as committed.

use std::path::{Path, PathBuf};

use shard::{Disk, FileId, IoError, OpenMode};

use crate::error::OpenError;
use crate::mutation::{Mutation, is_on};

const FILE: &str = "ringlog-vote";
/// "RLV1": another format has another number.
const MAGIC: u32 = 0x524c_5631;
const SLOT_LEN: usize = 40;
/// The slots lie on different pages.
const SLOT_STEP: usize = 4096;

/// What a voter remembers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Vote {
    pub term: u64,
    /// Whom, as Raft counts; 0 for nobody.
    pub vote: u64,
    /// The index up to which batches are known as committed.
    pub commit: u64,
}

/// The file, open.
#[derive(Debug)]
pub(crate) struct VoteFile {
    file: FileId,
    path: PathBuf,
    newest: Vote,
    sequence: u64,
    /// The slot that the last sync covered: 0 or 1.
    synced: usize,
}

impl VoteFile {
    /// Opens the file within `dir`, made if missing.
    pub fn open(disk: &mut dyn Disk, dir: &Path) -> Result<VoteFile, OpenError> {
        let path = dir.join(FILE);
        let io = |error| OpenError::Io(path.clone(), error);
        let slots = match disk.read_file(&path, 1 << 20).map_err(io)? {
            Some(bytes) => bytes,
            None => {
                let mut bytes = encode(0, Vote::default()).to_vec();
                bytes.resize(SLOT_STEP + SLOT_LEN, 0);
                disk.replace_file(&path, &bytes).map_err(io)?;
                bytes
            }
        };
        let slot =
            |number: usize| slots.get(number * SLOT_STEP..).and_then(decode).map(|slot| (slot, number));
        let newest = [slot(0), slot(1)].into_iter().flatten().max_by_key(|((sequence, _), _)| *sequence);
        let Some(((sequence, newest), synced)) = newest else {
            let why =
                "neither of its two slots is whole: restore the file, or begin anew with an empty directory"
                    .to_owned();
            return Err(OpenError::Damaged { path, position: 0, why });
        };
        let file = disk.open(&path, OpenMode::Write).map_err(io)?;
        // The newest slot may never have been synced: it counts as what the disk has from now on.
        disk.sync(file).map_err(io)?;
        Ok(VoteFile { file, path, newest, sequence, synced })
    }

    /// What is remembered.
    pub fn newest(&self) -> Vote {
        self.newest
    }

    /// Remembers something new; durable when it returns if term or vote have changed.
    pub fn write(&mut self, disk: &mut dyn Disk, vote: Vote) -> Result<(), IoError> {
        let must_last = (vote.term, vote.vote) != (self.newest.term, self.newest.vote);
        let slot = 1 - self.synced;
        self.sequence += 1;
        disk.write_at(self.file, (slot * SLOT_STEP) as u64, &encode(self.sequence, vote))?;
        if must_last && !is_on(Mutation::VoteUnsynced) {
            disk.sync(self.file)?;
            self.synced = slot;
        }
        self.newest = vote;
        Ok(())
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn encode(sequence: u64, vote: Vote) -> [u8; SLOT_LEN] {
    let mut slot = [0; SLOT_LEN];
    slot[..4].copy_from_slice(&MAGIC.to_be_bytes());
    slot[4..12].copy_from_slice(&sequence.to_be_bytes());
    slot[12..20].copy_from_slice(&vote.term.to_be_bytes());
    slot[20..28].copy_from_slice(&vote.vote.to_be_bytes());
    slot[28..36].copy_from_slice(&vote.commit.to_be_bytes());
    let sum = crc32c::crc32c(&slot[..36]);
    slot[36..].copy_from_slice(&sum.to_be_bytes());
    slot
}

fn decode(bytes: &[u8]) -> Option<(u64, Vote)> {
    let slot: &[u8; SLOT_LEN] = bytes.first_chunk()?;
    let number = |at: usize| slot[at..].first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    let word = |at: usize| slot[at..].first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
    let is_whole = word(0)? == MAGIC && word(36)? == crc32c::crc32c(&slot[..36]);
    let vote = Vote { term: number(12)?, vote: number(20)?, commit: number(28)? };
    is_whole.then_some((number(4)?, vote))
}

#[cfg(test)]
mod tests {
    use shard::Io;
    use shard::memory::{Crash, World};

    use super::*;

    fn open(world: &World) -> (VoteFile, shard::memory::MemoryIo) {
        let mut io = world.io();
        io.disk().create_dir(Path::new("/data")).unwrap();
        (VoteFile::open(io.disk(), Path::new("/data")).unwrap(), io)
    }

    #[test]
    fn a_vote_survives_any_loss_of_power_and_hints_do_no_harm() {
        for seed in 0..200 {
            let world = World::new(seed);
            let (mut file, mut io) = open(&world);
            for term in 1..=3 {
                file.write(io.disk(), Vote { term, vote: 7, commit: 0 }).unwrap();
                for commit in 1..=seed % 4 {
                    file.write(io.disk(), Vote { term, vote: 7, commit }).unwrap();
                }
                world.crash(Crash::Power);
                (file, io) = open(&world);
                let kept = file.newest();
                assert_eq!((kept.term, kept.vote), (term, 7));
                assert!(kept.commit <= seed % 4);
            }
        }
    }

    #[test]
    fn a_file_without_a_whole_slot_is_refused() {
        let world = World::new(1);
        let (file, mut io) = open(&world);
        io.disk().write_at(file.file, 0, &[0; SLOT_LEN]).unwrap();
        let opened = VoteFile::open(io.disk(), Path::new("/data"));
        assert!(matches!(opened, Err(OpenError::Damaged { .. })));
    }
}
