//! The records of a batch one after another, unpacked on the way if they are compressed.
//!
//! Compressed records pass through a window that holds one record at a time, so memory is bounded by the
//! largest record really there, and all of it by the caller's limit: no length is believed before its bytes
//! have come.

use std::io::Read;

use super::codec::{Codec, Unpacker};
use super::record::{Record, RecordFault};
use super::varint::take_varint;

/// How much is unpacked at a time.
const WINDOW_LEN: usize = 16 << 10;
/// A record's length takes at most so many bytes.
const LENGTH_LEN_MAX: usize = 5;

/// Gives one record at a time, in order. Ends with the bytes, not with a count: comparing them is the
/// caller's.
pub struct RecordStream<'a> {
    source: Source<'a>,
}

enum Source<'a> {
    Plain(&'a [u8]),
    Packed(Box<Window<'a>>),
}

impl<'a> RecordStream<'a> {
    /// The records in `bytes`, all after a batch's header. Compressed ones may unpack to `unpacked_len_max`
    /// bytes.
    pub fn new(
        codec: Codec,
        bytes: &'a [u8],
        unpacked_len_max: usize,
    ) -> Result<RecordStream<'a>, RecordFault> {
        let source = match codec {
            Codec::None => Source::Plain(bytes),
            _ => Source::Packed(Box::new(Window::new(codec, bytes, unpacked_len_max)?)),
        };
        Ok(RecordStream { source })
    }

    /// The next record, or `None` after the last. After a fault there is no going on.
    #[inline]
    #[expect(
        clippy::should_implement_trait,
        reason = "a record borrows the window, which Iterator cannot say"
    )]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, RecordFault> {
        match &mut self.source {
            Source::Plain([]) => Ok(None),
            Source::Plain(rest) => {
                let len = take_length(rest)?;
                let (body, after) = rest.split_at_checked(len).ok_or(RecordFault::Truncated)?;
                *rest = after;
                Record::parse(body).map(Some)
            }
            Source::Packed(window) => match window.take_record()? {
                None => Ok(None),
                Some(body) => Record::parse(body).map(Some),
            },
        }
    }
}

fn take_length(rest: &mut &[u8]) -> Result<usize, RecordFault> {
    let len = take_varint(rest).ok_or(RecordFault::BadInteger)?;
    usize::try_from(len).map_err(|_| RecordFault::BadLength)
}

/// What has been unpacked and not yet been given out.
struct Window<'a> {
    unpacker: Unpacker<'a>,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// How many more bytes may be unpacked.
    budget: usize,
}

impl<'a> Window<'a> {
    fn new(codec: Codec, packed: &'a [u8], budget: usize) -> Result<Window<'a>, RecordFault> {
        let unpacker = Unpacker::new(codec, packed)?;
        Ok(Window { unpacker, bytes: vec![0; WINDOW_LEN], start: 0, end: 0, budget })
    }

    fn take_record(&mut self) -> Result<Option<&[u8]>, RecordFault> {
        self.fill(LENGTH_LEN_MAX)?;
        let mut rest = &self.bytes[self.start..self.end];
        if rest.is_empty() {
            return Ok(None);
        }
        let before = rest.len();
        let len = take_length(&mut rest)?;
        self.start += before - rest.len();
        if len > self.end - self.start + self.budget {
            return Err(RecordFault::UnpacksTooLarge);
        }
        if self.fill(len)? < len {
            return Err(RecordFault::Truncated);
        }
        let body = &self.bytes[self.start..self.start + len];
        self.start += len;
        Ok(Some(body))
    }

    /// Unpacks until `wanted` bytes are there or the input ends; says how many are there.
    fn fill(&mut self, wanted: usize) -> Result<usize, RecordFault> {
        while self.end - self.start < wanted {
            if self.start > 0 {
                self.bytes.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.end == self.bytes.len() {
                // Doubled only when full of bytes that came, whatever length a record claims.
                self.bytes.resize(2 * self.bytes.len(), 0);
            }
            let count =
                self.unpacker.read(&mut self.bytes[self.end..]).map_err(|_| RecordFault::BadPacking)?;
            if count == 0 {
                break;
            }
            self.budget = self.budget.checked_sub(count).ok_or(RecordFault::UnpacksTooLarge)?;
            self.end += count;
        }
        Ok(self.end - self.start)
    }
}
