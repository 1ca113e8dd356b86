//! Reading batches: what is wanted, where it lies, and what of the bytes that came is given out.
//!
//! A reader gets whole batches, from the one that holds its offset (Q56: never cut at the front; Q69: found
//! by last offset, since offsets have gaps), up to a limit in bytes and an offset. The first batch may exceed
//! the limit (Q57).

use shard::{Buf, FileId};

use crate::batch::{BatchHeader, HEADER_LEN, MAGIC};
use crate::offset::Offset;

/// What a reader asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadWant {
    /// Where to begin.
    pub offset: Offset,
    /// How many bytes at most.
    pub bytes_max: u32,
    /// Batches from here on are not for this reader: its high watermark or last stable offset.
    pub up_to: Offset,
    /// Whether the first batch is given even if it is larger than `bytes_max`.
    pub at_least_one: bool,
}

/// What there is for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadPlan {
    /// Read these bytes, then give them to [`crate::Log::on_read`].
    Range(ReadRange),
    /// Nothing yet.
    Empty,
    /// OFFSET_OUT_OF_RANGE (1): below the log's start or beyond its end (Q63).
    OutOfRange,
}

/// Bytes of a segment in which the wanted batches lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadRange {
    /// The segment's file.
    pub file: FileId,
    /// Where to read.
    pub position: u64,
    /// How many bytes.
    pub len: usize,
    pub(crate) segment: Offset,
    pub(crate) revision: u32,
    /// The last offset of the batch that an index on disk promised there, if one did; it may be wrong.
    pub(crate) promised: Option<Offset>,
    /// Whether it begins where that index said, and not at a later batch.
    pub(crate) is_start: bool,
    pub(crate) want: ReadWant,
}

/// What came of a read.
#[derive(Debug, Clone)]
pub enum ReadDone {
    /// Whole batches, never empty.
    Batches(Buf),
    /// They lie elsewhere, or the first one is longer: read this as well.
    More(ReadRange),
    /// Nothing for this reader.
    Empty,
}

/// What of some bytes a reader gets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trim {
    /// These.
    Batches(std::ops::Range<usize>),
    /// None: what is wanted begins at `skip` or later, and takes `len` bytes at least.
    Beyond { skip: usize, len: usize },
    /// None, and none will come.
    Nothing,
    /// There is no batch at `at`.
    Corrupt { at: usize },
}

/// Looks through the batch headers in `bytes`, which begin with a batch.
pub(crate) fn trim(bytes: &[u8], want: &ReadWant) -> Trim {
    let mut start = None;
    let mut at = 0;
    loop {
        let begun = start.unwrap_or(at);
        let Some(header) = bytes.get(at..).and_then(BatchHeader::parse) else {
            return if begun < at {
                Trim::Batches(begun..at)
            } else {
                Trim::Beyond { skip: at, len: HEADER_LEN }
            };
        };
        let size = match header.size() {
            Some(size) if header.magic == MAGIC => size,
            _ => return Trim::Corrupt { at },
        };
        if header.last_offset() < want.offset {
            at += size;
            continue;
        }
        let is_first = start.is_none();
        let is_too_large = at + size - begun > want.bytes_max as usize && !(is_first && want.at_least_one);
        if header.base_offset >= want.up_to || is_too_large {
            return if is_first { Trim::Nothing } else { Trim::Batches(begun..at) };
        }
        if at + size > bytes.len() {
            return if is_first { Trim::Beyond { skip: at, len: size } } else { Trim::Batches(begun..at) };
        }
        start = Some(begun);
        at += size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::BatchBuilder;

    /// Three batches of two records each, at offsets 10, 12 and 20: a gap before the last.
    fn bytes() -> (Vec<u8>, usize) {
        let batch = BatchBuilder::new().record(0, None, Some(&[0; 50])).record(0, None, None).build();
        let mut bytes = Vec::new();
        for base in [10i64, 12, 20] {
            bytes.extend_from_slice(&base.to_be_bytes());
            bytes.extend_from_slice(&batch[8..]);
        }
        (bytes, batch.len())
    }

    fn want(offset: i64, bytes_max: usize, up_to: i64, at_least_one: bool) -> ReadWant {
        ReadWant { offset: Offset(offset), bytes_max: bytes_max as u32, up_to: Offset(up_to), at_least_one }
    }

    #[test]
    fn q56_an_offset_within_a_batch_gives_the_whole_batch() {
        let (bytes, size) = bytes();
        for (offset, start) in [(10, 0), (11, 0), (12, 1), (13, 1), (14, 2), (20, 2), (21, 2)] {
            let trimmed = trim(&bytes, &want(offset, 1000, 99, true));
            assert_eq!(trimmed, Trim::Batches(start * size..3 * size), "offset {offset}");
        }
        assert_eq!(trim(&bytes, &want(22, 1000, 99, true)), Trim::Beyond { skip: 3 * size, len: HEADER_LEN });
    }

    #[test]
    fn q57_the_first_batch_is_given_whatever_the_limit() {
        let (bytes, size) = bytes();
        for (bytes_max, one, count) in
            [(0, true, 1), (0, false, 0), (size, false, 1), (2 * size - 1, true, 1), (2 * size, true, 2)]
        {
            let expected = if count == 0 { Trim::Nothing } else { Trim::Batches(0..count * size) };
            assert_eq!(trim(&bytes, &want(10, bytes_max, 99, one)), expected);
        }
        // The first batch is longer than what was read: the bytes it takes are told.
        assert_eq!(
            trim(&bytes[..size + 70], &want(13, 10, 99, true)),
            Trim::Beyond { skip: size, len: size }
        );
        assert_eq!(trim(&bytes[..size + 7], &want(11, 1000, 99, true)), Trim::Batches(0..size));
    }

    #[test]
    fn batches_beyond_the_readers_limit_are_held_back() {
        let (bytes, size) = bytes();
        assert_eq!(trim(&bytes, &want(10, 1000, 12, true)), Trim::Batches(0..size));
        assert_eq!(trim(&bytes, &want(14, 1000, 20, true)), Trim::Nothing);
        assert_eq!(trim(&[0; 100], &want(14, 1000, 20, true)), Trim::Corrupt { at: 0 });
    }
}
