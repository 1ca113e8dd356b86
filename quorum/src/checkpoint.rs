//! Checkpoints: all records that make the state at some offset from nothing, in a file of Kafka's format (KIP-630).
//!
//! ```text
//! <offset>-<epoch>.checkpoint │ SnapshotHeader │ Voters │ records … │ SnapshotFooter │      offsets count from 0
//! ```
//! The name says the offset behind the last record that went into it, and that record's epoch.

use std::path::{Path, PathBuf};

use shard::{Disk, IoError, WallMs};

use crate::batch::{self, Content};
use crate::error::OpenError;
use crate::members::Members;

/// Records in one batch.
const BATCH_RECORDS_MAX: usize = 1000;

/// A checkpoint may have so many bytes.
pub(crate) const CHECKPOINT_BYTES_MAX: u64 = 1 << 30;

/// What a checkpoint holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    pub members: Members,
    pub records: Vec<Vec<u8>>,
}

impl Checkpoint {
    /// The file's bytes.
    pub fn encode(&self, term: u64, now: WallMs) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut offset = 0;
        let mut put = |mut batch: Vec<u8>, count: usize| {
            batch::place(&mut batch, offset, term);
            offset += count as i64;
            bytes.extend_from_slice(&batch);
        };
        put(batch::of_snapshot_header(now), 1);
        put(batch::of_members(&self.members, now), 1);
        for records in self.records.chunks(BATCH_RECORDS_MAX) {
            put(batch::of_records(records, now), records.len());
        }
        put(batch::of_snapshot_footer(now), 1);
        bytes
    }

    /// Reads the file's bytes; the text says what is wrong with them.
    pub fn decode(mut bytes: &[u8]) -> Result<Checkpoint, String> {
        let mut checkpoint = Checkpoint { members: Members::default(), records: Vec::new() };
        let (mut offset, mut is_begun, mut is_ended) = (0, false, false);
        while !bytes.is_empty() {
            let size = storage::batch::BatchHeader::parse(bytes).and_then(|header| header.size());
            let (batch, rest) =
                size.and_then(|size| bytes.split_at_checked(size)).ok_or("it ends in a batch")?;
            let facts = batch::facts_of(batch).ok_or("a batch is not whole")?;
            if facts.base_offset != offset || is_ended {
                return Err(format!("offset {} follows {offset}", facts.base_offset));
            }
            match batch::content_of(batch)? {
                Content::SnapshotHeader if !is_begun => is_begun = true,
                Content::Members(members) if is_begun => checkpoint.members = members,
                Content::Records(mut records) if is_begun => checkpoint.records.append(&mut records),
                Content::SnapshotFooter if is_begun => is_ended = true,
                other => return Err(format!("{other:?} stands where it does not belong")),
            }
            (offset, bytes) = (facts.next_offset, rest);
        }
        if is_ended { Ok(checkpoint) } else { Err("it has no end".to_owned()) }
    }

    /// Reads a file whole.
    pub fn read(disk: &mut dyn Disk, path: &Path) -> Result<Checkpoint, OpenError> {
        let damaged = |why: String| OpenError::Damaged { path: path.to_path_buf(), position: 0, why };
        let bytes = disk
            .read_file(path, CHECKPOINT_BYTES_MAX)
            .map_err(|error| OpenError::Io(path.to_path_buf(), error))?
            .ok_or_else(|| {
                damaged("the checkpoint that the log begins with is missing: restore it".to_owned())
            })?;
        Checkpoint::decode(&bytes).map_err(damaged)
    }
}

/// Where a checkpoint is kept.
pub(crate) fn path_of(dir: &Path, offset: i64, term: u64) -> PathBuf {
    dir.join(format!("{offset:020}-{term:010}.checkpoint"))
}

/// Where one is written that comes from a peer, until it is whole.
pub(crate) fn arriving_path(dir: &Path) -> PathBuf {
    dir.join("arriving.checkpoint.part")
}

/// Removes all checkpoints but this one: no log needs them any more.
pub(crate) fn remove_others(disk: &mut dyn Disk, dir: &Path, kept: &Path) -> Result<(), IoError> {
    for entry in disk.list(dir)? {
        let path = dir.join(&entry.name);
        if entry.name.ends_with(".checkpoint") && path != kept {
            disk.remove(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(count: usize) -> Checkpoint {
        let records = (0..count).map(|number| number.to_be_bytes().to_vec()).collect();
        Checkpoint { members: Members::default(), records }
    }

    #[test]
    fn a_checkpoint_comes_back_whole_or_not_at_all() {
        for count in [0, 1, 1000, 2500] {
            let bytes = checkpoint(count).encode(3, WallMs(9));
            assert_eq!(Checkpoint::decode(&bytes), Ok(checkpoint(count)));
        }
        let bytes = checkpoint(3).encode(3, WallMs(9));
        for len in 0..bytes.len() {
            assert!(Checkpoint::decode(&bytes[..len]).is_err(), "cut at {len}");
        }
        assert!(Checkpoint::decode(&[&bytes[..], &bytes[..]].concat()).is_err());
    }

    #[test]
    fn the_name_is_kafkas() {
        let path = path_of(Path::new("/d"), 1234, 7);
        assert_eq!(path.to_str(), Some("/d/00000000000000001234-0000000007.checkpoint"));
    }
}
