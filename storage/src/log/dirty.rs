//! What was appended during a turn and waits for its write.
//!
//! Large batches stay where they were received: a part of 16 patched bytes, then the rest of the frame. Small
//! ones are copied behind each other, so that many small appends become one part. Parts that follow each
//! other in a file become one write, up to the kernel's limit of parts.

use std::collections::VecDeque;

use shard::Buf;

use crate::batch::{BatchHeader, HEAD_LEN};
use crate::offset::Offset;

/// Up to this size a batch is copied: about where a copy costs less than two more parts.
const COPIED_LEN_MAX: usize = 4 << 10;
/// The kernel takes 1024 parts a write.
const PART_COUNT_MAX: usize = 1000;

/// Bytes for one place in one segment's file.
#[derive(Debug)]
pub struct DirtyWrite {
    /// Which segment.
    pub segment: Offset,
    /// Where in its file.
    pub position: u32,
    len: u32,
    copied: Vec<u8>,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    /// So many of the copied bytes.
    Copied(usize),
    Received(Buf),
}

impl DirtyWrite {
    /// Where the write ends in the file.
    pub fn end(&self) -> u32 {
        self.position + self.len
    }

    /// The parts, in order.
    pub fn into_parts(self) -> Vec<Buf> {
        let copied = Buf::from(self.copied);
        let mut start = 0;
        let slice = |part| match part {
            Part::Received(bytes) => bytes,
            Part::Copied(len) => {
                start += len;
                copied.slice(start - len..start)
            }
        };
        self.parts.into_iter().map(slice).collect()
    }

    fn put_copied(&mut self, bytes: &[u8]) {
        self.copied.extend_from_slice(bytes);
        match self.parts.last_mut() {
            Some(Part::Copied(len)) => *len += bytes.len(),
            _ => self.parts.push(Part::Copied(bytes.len())),
        }
    }
}

/// All that waits, oldest first.
#[derive(Debug, Default)]
pub struct Dirty {
    writes: VecDeque<DirtyWrite>,
}

impl Dirty {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// How many bytes wait.
    pub fn byte_count(&self) -> usize {
        self.writes.iter().map(|write| write.len as usize).sum()
    }

    /// How many writes they will be.
    pub fn write_count(&self) -> usize {
        self.writes.len()
    }

    /// Adds a batch, under the base offset and leader epoch of `header`, at `position` of `segment`.
    pub fn push(&mut self, segment: Offset, position: u32, header: &BatchHeader, batch: &Buf) {
        let follows = self.writes.back().is_some_and(|last| {
            last.segment == segment && last.end() == position && last.parts.len() + 2 <= PART_COUNT_MAX
        });
        if !follows {
            self.writes.push_back(DirtyWrite {
                segment,
                position,
                len: 0,
                copied: Vec::new(),
                parts: Vec::new(),
            });
        }
        let Some(write) = self.writes.back_mut() else { return };
        let mut head = [0; HEAD_LEN];
        head[..8].copy_from_slice(&header.base_offset.0.to_be_bytes());
        head[8..12].copy_from_slice(&batch[8..12]);
        head[12..].copy_from_slice(&header.leader_epoch.0.to_be_bytes());
        write.put_copied(&head);
        if batch.len() <= COPIED_LEN_MAX {
            write.put_copied(&batch[HEAD_LEN..]);
        } else {
            write.parts.push(Part::Received(batch.slice(HEAD_LEN..batch.len())));
        }
        write.len += batch.len() as u32;
    }

    /// Takes everything.
    pub fn drain(&mut self) -> impl Iterator<Item = DirtyWrite> {
        self.writes.drain(..)
    }

    /// Drops everything: the log is offline.
    pub fn clear(&mut self) {
        self.writes.clear();
    }
}
