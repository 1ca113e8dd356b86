//! A segment's batches one after another, with the reason where they end too early.

use std::fmt;

use shard::{Disk, FileId, IoError};

use crate::batch::{BatchHeader, HEADER_LEN, MAGIC};
use crate::offset::Offset;
use crate::scan::Scanner;

/// The file is read so many bytes at a time.
const WINDOW_LEN: usize = 256 << 10;

/// Why there is no batch where one should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchFault {
    /// Fewer bytes are left than a header has.
    CutHeader {
        /// How many.
        left: u64,
    },
    /// Its length field cannot be true.
    Length(i32),
    /// It is longer than what is left of the file.
    CutBatch {
        /// Its size in bytes.
        size: u64,
        /// What is left.
        left: u64,
    },
    /// It is of another format.
    Magic(i8),
    /// Its last offset lies before its first, or beyond all offsets.
    LastOffset(i32),
    /// Its offsets do not follow those before.
    Offset {
        /// Its first offset.
        found: Offset,
        /// The least that would do.
        least: Offset,
    },
}

impl fmt::Display for BatchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchFault::CutHeader { left } => {
                write!(f, "{left} bytes are left, and a batch's header has {HEADER_LEN}")
            }
            BatchFault::Length(length) => write!(f, "a batch's length cannot be {length}"),
            BatchFault::CutBatch { size, left } => {
                write!(f, "a batch of {size} bytes begins here, and {left} are left")
            }
            BatchFault::Magic(magic @ (0 | 1)) => {
                write!(
                    f,
                    "a message of the old format v{magic} lies here; only record batches (v2) are stored"
                )
            }
            BatchFault::Magic(magic) => write!(f, "a batch of format {magic} lies here, and only 2 is known"),
            BatchFault::LastOffset(delta) => {
                write!(f, "a batch's last offset cannot be {delta} after its first")
            }
            BatchFault::Offset { found, least } => {
                write!(f, "a batch begins at offset {found}, and {least} is the least that may follow")
            }
        }
    }
}

/// What comes next in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A batch of the right shape.
    Batch {
        /// Its first byte.
        position: u64,
        /// Its header.
        header: BatchHeader,
        /// Its size in bytes.
        size: u64,
        /// Whether it is what its producer sent.
        has_right_crc: bool,
    },
    /// No batch; nothing after it is looked at.
    Broken {
        /// Where.
        position: u64,
        /// Why.
        fault: BatchFault,
    },
}

/// A walk through a segment's file.
pub struct BatchWalk<'a> {
    scanner: Scanner<'a>,
    position: u64,
    end: u64,
    next_offset: Offset,
    is_broken: bool,
    checks_crc: bool,
}

impl<'a> BatchWalk<'a> {
    /// Walks through the first `end` bytes of a segment that begins at offset `base`.
    pub fn new(disk: &'a mut dyn Disk, file: FileId, end: u64, base: Offset) -> BatchWalk<'a> {
        let scanner = Scanner::new(disk, file, WINDOW_LEN);
        BatchWalk { scanner, position: 0, end, next_offset: base, is_broken: false, checks_crc: true }
    }

    /// The same, reading the headers alone: every checksum counts as right.
    pub fn of_headers(disk: &'a mut dyn Disk, file: FileId, end: u64, base: Offset) -> BatchWalk<'a> {
        let scanner = Scanner::new(disk, file, HEADER_LEN);
        BatchWalk { scanner, position: 0, end, next_offset: base, is_broken: false, checks_crc: false }
    }

    /// The next batch, or why there is none; nothing at the end of the file, and after a fault.
    pub fn step(&mut self) -> Result<Option<Step>, IoError> {
        if self.is_broken || self.position >= self.end {
            return Ok(None);
        }
        let step = self.next_step();
        self.is_broken = !matches!(step, Ok(Some(Step::Batch { .. })));
        step
    }

    fn next_step(&mut self) -> Result<Option<Step>, IoError> {
        let position = self.position;
        let bytes = self.scanner.bytes_at(position, HEADER_LEN)?;
        let (header, size) = match judge(bytes, self.end - position, self.next_offset) {
            Ok(found) => found,
            Err(fault) => return Ok(Some(Step::Broken { position, fault })),
        };
        let has_right_crc = !self.checks_crc || self.scanner.has_right_crc(position, &header, size)?;
        // What a damaged header says of its end would make all that follows look wrong.
        let last = if has_right_crc { header.last_offset() } else { header.base_offset };
        self.next_offset = last.plus(1);
        self.position += size;
        Ok(Some(Step::Batch { position, header, size, has_right_crc }))
    }

    /// The offset after the last batch.
    pub fn next_offset(&self) -> Offset {
        self.next_offset
    }

    /// Where the walk stands: the end of the last batch.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The bytes of a batch that the walk has passed.
    pub fn copy_at(&mut self, position: u64, len: usize) -> Result<Vec<u8>, IoError> {
        self.scanner.copy_at(position, len)
    }
}

fn judge(bytes: &[u8], left: u64, least: Offset) -> Result<(BatchHeader, u64), BatchFault> {
    // The format says so at the same place in all of them, so an old one is named even when it is short.
    if let Some(&magic) = bytes.get(16)
        && magic as i8 != MAGIC
        && bytes[8..12] != [0; 4]
    {
        return Err(BatchFault::Magic(magic as i8));
    }
    let header = BatchHeader::parse(bytes).ok_or(BatchFault::CutHeader { left })?;
    let size = header.size().ok_or(BatchFault::Length(header.length))? as u64;
    if size > left {
        return Err(BatchFault::CutBatch { size, left });
    }
    let end = header.base_offset.0.checked_add(i64::from(header.last_offset_delta) + 1);
    if header.last_offset_delta < 0 || end.is_none() {
        return Err(BatchFault::LastOffset(header.last_offset_delta));
    }
    if header.base_offset < least {
        return Err(BatchFault::Offset { found: header.base_offset, least });
    }
    Ok((header, size))
}
