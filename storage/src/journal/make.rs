//! Getting a journal ready for appending, by writes like all others, so that nobody waits for it: one that is new is
//! written to its full length; one that a killed process left is taken over with the frames that it holds.
//!
//! Where the next frame of a journal that is taken over goes, there may be the beginning of one that was torn. It is
//! wiped: the next frame has the same number, and might go elsewhere.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use shard::buffer::ALIGNMENT;
use shard::{AlignedBuf, Disk, Op, Ops, Token};

use super::replay::{Kept, kept};
use super::{FIRST_FRAME, Flight, Journal, LEN_MIN, LogId};
use crate::error::StorageError;

/// A journal is made by writes of this length.
const PREWRITE_LEN: usize = 1 << 20;

/// What is left to write.
#[derive(Debug)]
pub(super) struct Making {
    /// Zeros, from here to there.
    at: u64,
    until: u64,
    /// Then headers: both, so that none of an earlier use is left.
    headers_left: u32,
}

impl Journal {
    /// Opens a core's journal. What it held before must have been replayed; the logs whose frames are still in it
    /// are given as well, and nothing of it is written over before [`Journal::free_to`] says so. It takes nothing
    /// before [`Journal::is_ready`], which [`Journal::push`] brings about. `run` is a number that no earlier use
    /// has had.
    pub fn open(
        disk: &mut dyn Disk,
        path: &Path,
        len: u64,
        run: u64,
    ) -> Result<(Journal, BTreeSet<LogId>), StorageError> {
        assert!(len >= LEN_MIN, "a journal of {len} bytes is too short");
        let len = len.next_multiple_of(ALIGNMENT as u64);
        if let Some(dir) = path.parent() {
            disk.create_dir(dir).map_err(StorageError::io(dir))?;
        }
        let (file, writes) = disk.open_durable(path).map_err(StorageError::io(path))?;
        let mut journal = Journal {
            path: path.to_path_buf(),
            file,
            writes,
            run,
            len,
            making: None,
            head: FIRST_FRAME,
            frames: VecDeque::new(),
            next_sequence: 1,
            headers_written: 0,
            building: AlignedBuf::new(64 << 10),
            entry_count: 0,
            commits: Vec::new(),
            flight: None,
            free_to: 0,
            spare: None,
            failed: None,
            counts: super::JournalCounts::default(),
        };
        let old_len = disk.len(file).map_err(StorageError::io(path))?;
        if old_len == len
            && let Some(kept) = kept(disk, path)?
        {
            let logs = journal.take_over(kept);
            return Ok((journal, logs));
        }
        if old_len > len {
            disk.truncate(file, 0).and_then(|()| disk.sync(file)).map_err(StorageError::io(path))?;
        }
        let at = if old_len == len { len } else { 0 };
        journal.making = Some(Making { at, until: len, headers_left: 2 });
        Ok((journal, BTreeSet::new()))
    }

    fn take_over(&mut self, kept: Kept) -> BTreeSet<LogId> {
        self.run = kept.header.run;
        self.headers_written = kept.header.number;
        self.frames = kept.frames;
        if let Some(last) = self.frames.back() {
            (self.head, self.next_sequence) = (last.end, last.sequence + 1);
        }
        if self.place_for(ALIGNMENT as u64) == Some(self.head) {
            let until = self.head + ALIGNMENT as u64;
            self.making = Some(Making { at: self.head, until, headers_left: 0 });
        }
        kept.logs
    }

    /// Whether it can be appended to.
    pub fn is_ready(&self) -> bool {
        self.making.is_none()
    }

    /// Pushes the next write that makes it ready.
    pub(super) fn push_making(&mut self, ops: &mut Ops, token: Token) {
        let Some(making) = &mut self.making else { return };
        let (offset, buffer) = if making.at < making.until {
            let len = (making.until - making.at).min(PREWRITE_LEN as u64);
            let mut zeros = self.spare.take().unwrap_or_else(|| AlignedBuf::new(len as usize));
            zeros.put(&vec![0; len as usize]);
            let at = making.at;
            making.at += len;
            (at, zeros)
        } else {
            making.headers_left = making.headers_left.saturating_sub(1);
            self.next_header(0)
        };
        self.flight = Some(Flight::Making);
        ops.push(token, Op::WriteDurable { file: self.file, offset, buffer });
    }

    /// A write that makes it ready is done.
    pub(super) fn on_made(&mut self, mut buffer: AlignedBuf) {
        let has_more = |making: &Making| making.at < making.until || making.headers_left > 0;
        buffer.clear();
        self.spare = self.making.as_ref().filter(|making| making.at < making.until).map(|_| buffer);
        if !self.making.as_ref().is_some_and(has_more) {
            self.making = None;
        }
    }
}
