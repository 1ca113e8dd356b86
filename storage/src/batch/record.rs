//! One record within a batch: its parts as views, nothing copied.

use std::fmt;

use super::varint::{take_varint, take_varlong};

/// A record as it lies in its (unpacked) batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Milliseconds after the batch's base timestamp; may be negative.
    pub timestamp_delta: i64,
    /// Offset after the batch's base offset.
    pub offset_delta: i32,
    /// `None` is null, which differs from empty.
    pub key: Option<&'a [u8]>,
    /// `None` is null: a tombstone in a compacted topic.
    pub value: Option<&'a [u8]>,
    /// In order, duplicates kept (C23).
    pub headers: Headers<'a>,
}

/// Why bytes are no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFault {
    /// The batch ends within the record.
    Truncated,
    /// A variable-length integer is too long, or cut by the end of its record.
    BadInteger,
    /// A length is below what it may be, or reaches beyond its record.
    BadLength,
    /// The header count is negative or cannot fit.
    BadHeaderCount,
    /// A header has no key.
    NullHeaderKey,
    /// The record's parts end before the record does.
    BytesLeft,
    /// Its codec refuses the packed records.
    BadPacking,
    /// The records unpack to more than the stated limit.
    UnpacksTooLarge,
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RecordFault::Truncated => "the batch ends within the record",
            RecordFault::BadInteger => "a variable-length integer is malformed",
            RecordFault::BadLength => "a length does not fit the record",
            RecordFault::BadHeaderCount => "the header count does not fit the record",
            RecordFault::NullHeaderKey => "a header has no key",
            RecordFault::BytesLeft => "the record is longer than its parts",
            RecordFault::BadPacking => "the compressed records cannot be read",
            RecordFault::UnpacksTooLarge => "the compressed records are too large when unpacked",
        })
    }
}

impl<'a> Record<'a> {
    /// Reads a record's body: all of `body`, which begins after the record's length.
    pub(super) fn parse(body: &'a [u8]) -> Result<Record<'a>, RecordFault> {
        // The first byte holds attributes, of which none exists yet.
        let Some((_, mut rest)) = body.split_first() else { return Err(RecordFault::BadLength) };
        let timestamp_delta = take_varlong(&mut rest).ok_or(RecordFault::BadInteger)?;
        let offset_delta = take_varint(&mut rest).ok_or(RecordFault::BadInteger)?;
        let key = take_nullable(&mut rest)?;
        let value = take_nullable(&mut rest)?;
        let headers = Headers::parse(rest)?;
        Ok(Record { timestamp_delta, offset_delta, key, value, headers })
    }
}

/// A record's headers, checked; [`Headers::iter`] gives them one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers<'a> {
    count: i32,
    bytes: &'a [u8],
}

/// One header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// Never null, may be empty.
    pub key: &'a [u8],
    /// `None` is null, which differs from empty.
    pub value: Option<&'a [u8]>,
}

impl<'a> Headers<'a> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The headers, in the producer's order.
    pub fn iter(&self) -> impl Iterator<Item = Header<'a>> + use<'a> {
        let mut rest = self.bytes;
        (0..self.count).map_while(move |_| take_header(&mut rest).ok())
    }

    fn parse(bytes: &'a [u8]) -> Result<Headers<'a>, RecordFault> {
        let mut rest = bytes;
        let count = take_varint(&mut rest).ok_or(RecordFault::BadInteger)?;
        // A header takes two bytes at least, so a huge count is refused before it is believed.
        let fits = usize::try_from(count).is_ok_and(|count| count <= rest.len() / 2);
        if !fits {
            return Err(RecordFault::BadHeaderCount);
        }
        let headers = Headers { count, bytes: rest };
        for _ in 0..count {
            take_header(&mut rest)?;
        }
        if rest.is_empty() { Ok(headers) } else { Err(RecordFault::BytesLeft) }
    }
}

fn take_header<'a>(rest: &mut &'a [u8]) -> Result<Header<'a>, RecordFault> {
    let key = take_nullable(rest)?.ok_or(RecordFault::NullHeaderKey)?;
    let value = take_nullable(rest)?;
    Ok(Header { key, value })
}

/// Takes a length and that many bytes; -1 is null.
#[inline]
fn take_nullable<'a>(rest: &mut &'a [u8]) -> Result<Option<&'a [u8]>, RecordFault> {
    let len = take_varint(rest).ok_or(RecordFault::BadInteger)?;
    if len == -1 {
        return Ok(None);
    }
    let len = usize::try_from(len).map_err(|_| RecordFault::BadLength)?;
    let (taken, after) = rest.split_at_checked(len).ok_or(RecordFault::BadLength)?;
    *rest = after;
    Ok(Some(taken))
}
