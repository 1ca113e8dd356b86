//! The decoder: walks one frame, lends slices of it, and trusts nothing that the frame claims.
//!
//! - Every length and count is compared with the bytes that remain before it is used; a count of `n` needs at least `n`
//!   bytes, since no element of the protocol takes less than one.
//! - Memory follows what was parsed, never what was claimed: a `Vec` starts small and doubles while elements arrive, and
//!   each growth is paid from a budget proportional to the frame (see [`Decoder::new`]).
//! - No panic, no `unwrap`, no indexing: a short slice is an error with its offset.
//! - Unknown tagged fields are skipped (Q13); the content of a known one must fill its claimed size exactly.

use crate::{DecodeError, Uuid};

/// What a frame may allocate beyond its own bytes, however short it is.
const BUDGET_BASE: usize = 64 * 1024;
/// What each byte of a frame may allocate: the largest element is far below 64 times its smallest encoding.
const BUDGET_PER_BYTE: usize = 64;
/// What no frame may exceed.
const BUDGET_MAX: usize = 64 * 1024 * 1024;

/// Elements a list reserves at first, if that many are claimed at all.
const FIRST_RESERVE: usize = 8;

/// A cursor over one frame that lends what it reads for as long as the frame lives.
#[derive(Debug, Clone)]
pub struct Decoder<'a> {
    frame: &'a [u8],
    /// What may still be read: up to the frame's end, or inside a tagged field up to that field's end.
    rest: &'a [u8],
    /// Where `rest` ends in the frame.
    end: usize,
    /// Bytes of memory that lists may still take.
    budget: usize,
}

impl<'a> Decoder<'a> {
    /// Starts at the first byte of `frame`. Lists may take 64 KiB plus 64 bytes a byte of the frame, at most 64 MiB.
    pub fn new(frame: &'a [u8]) -> Decoder<'a> {
        let budget = BUDGET_BASE.saturating_add(frame.len().saturating_mul(BUDGET_PER_BYTE)).min(BUDGET_MAX);
        Decoder { frame, rest: frame, end: frame.len(), budget }
    }

    /// Bytes read so far, counted from the start of the frame.
    pub fn position(&self) -> usize {
        self.end - self.rest.len()
    }

    /// Bytes that are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The whole frame, from its first byte.
    pub fn frame(&self) -> &'a [u8] {
        self.frame
    }

    /// Ends the reading; an error if bytes are left over.
    pub fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError::TrailingBytes { at: self.at() }) }
    }

    /// The offset for an error. Frames are at most 2 GiB, so nothing is lost.
    pub(crate) fn at(&self) -> u32 {
        self.position() as u32
    }

    /// The next `count` bytes, lent.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(DecodeError::Truncated { at: self.at() }),
        }
    }

    #[inline]
    fn array_of<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(DecodeError::Truncated { at: self.at() }),
        }
    }
}

/// Fixed-width values, big endian.
impl<'a> Decoder<'a> {
    /// One byte; anything but 0 is true.
    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        Ok(self.i8()? != 0)
    }

    /// An int8.
    pub fn i8(&mut self) -> Result<i8, DecodeError> {
        Ok(i8::from_be_bytes(self.array_of()?))
    }

    /// An int16.
    pub fn i16(&mut self) -> Result<i16, DecodeError> {
        Ok(i16::from_be_bytes(self.array_of()?))
    }

    /// A uint16.
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes(self.array_of()?))
    }

    /// An int32.
    pub fn i32(&mut self) -> Result<i32, DecodeError> {
        Ok(i32::from_be_bytes(self.array_of()?))
    }

    /// A uint32.
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.array_of()?))
    }

    /// An int64.
    pub fn i64(&mut self) -> Result<i64, DecodeError> {
        Ok(i64::from_be_bytes(self.array_of()?))
    }

    /// A float64.
    pub fn f64(&mut self) -> Result<f64, DecodeError> {
        Ok(f64::from_be_bytes(self.array_of()?))
    }

    /// A uuid.
    pub fn uuid(&mut self) -> Result<Uuid, DecodeError> {
        Ok(Uuid(self.array_of()?))
    }
}

/// Variable-width integers, seven bits a byte, least significant first.
impl<'a> Decoder<'a> {
    /// An unsigned varint of at most five bytes and 32 bits.
    #[inline]
    pub fn unsigned_varint(&mut self) -> Result<u32, DecodeError> {
        // Nearly all lengths, counts and tags are below 128.
        match self.rest.split_first() {
            Some((&byte, rest)) if byte < 0x80 => {
                self.rest = rest;
                Ok(u32::from(byte))
            }
            _ => self.long_unsigned_varint(),
        }
    }

    fn long_unsigned_varint(&mut self) -> Result<u32, DecodeError> {
        let at = self.at();
        u32::try_from(self.varint_bits(5)?).map_err(|_| DecodeError::BadVarint { at })
    }

    /// A zigzag varint.
    pub fn varint(&mut self) -> Result<i32, DecodeError> {
        let raw = self.unsigned_varint()?;
        Ok((raw >> 1) as i32 ^ -((raw & 1) as i32))
    }

    /// A zigzag varlong.
    pub fn varlong(&mut self) -> Result<i64, DecodeError> {
        let raw = self.varint_bits(10)?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    fn varint_bits(&mut self, bytes_max: u32) -> Result<u64, DecodeError> {
        let at = self.at();
        let mut value = 0u64;
        for index in 0..bytes_max {
            let [byte] = self.array_of::<1>()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte of a varlong has room for one bit only.
            if index == 9 && bits > 1 {
                break;
            }
            value |= bits << (index * 7);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(DecodeError::BadVarint { at })
    }
}

/// Strings, bytes and lists. `flexible` chooses the compact form, whose length is a varint of length + 1 with 0 for null.
impl<'a> Decoder<'a> {
    /// A string that may be null.
    pub fn nullable_string(&mut self, flexible: bool) -> Result<Option<&'a str>, DecodeError> {
        let length = if flexible { self.compact_length()? } else { self.short_length()? };
        let Some(length) = length else { return Ok(None) };
        let at = self.at();
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map(Some).map_err(|_| DecodeError::BadUtf8 { at })
    }

    /// A string that may not be null.
    pub fn string(&mut self, flexible: bool) -> Result<&'a str, DecodeError> {
        let at = self.at();
        self.nullable_string(flexible)?.ok_or(DecodeError::UnexpectedNull { at })
    }

    /// Bytes (or records) that may be null.
    pub fn nullable_bytes(&mut self, flexible: bool) -> Result<Option<&'a [u8]>, DecodeError> {
        match self.length(flexible)? {
            Some(length) => self.take(length).map(Some),
            None => Ok(None),
        }
    }

    /// Bytes that may not be null.
    pub fn bytes(&mut self, flexible: bool) -> Result<&'a [u8], DecodeError> {
        let at = self.at();
        self.nullable_bytes(flexible)?.ok_or(DecodeError::UnexpectedNull { at })
    }

    /// The marker before a struct that may be null: true if the struct follows.
    pub fn present(&mut self) -> Result<bool, DecodeError> {
        Ok(self.i8()? >= 0)
    }

    /// The count before a list, checked against the bytes that remain; `None` for a null list.
    pub fn count(&mut self, flexible: bool) -> Result<Option<usize>, DecodeError> {
        let at = self.at();
        match self.length(flexible)? {
            Some(count) if count > self.remaining() => Err(DecodeError::Truncated { at }),
            count => Ok(count),
        }
    }

    /// The count before a list that may not be null.
    pub fn required_count(&mut self, flexible: bool) -> Result<usize, DecodeError> {
        let at = self.at();
        self.count(flexible)?.ok_or(DecodeError::UnexpectedNull { at })
    }

    /// A list that may be null.
    pub fn nullable_array<T>(
        &mut self,
        flexible: bool,
        mut element: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<Vec<T>>, DecodeError> {
        let Some(count) = self.count(flexible)? else { return Ok(None) };
        let mut items = Vec::new();
        for _ in 0..count {
            let item = element(self)?;
            if items.len() == items.capacity() {
                let more = items.capacity().max(FIRST_RESERVE).min(count - items.len());
                self.charge(more, size_of::<T>())?;
                items.reserve_exact(more);
            }
            items.push(item);
        }
        Ok(Some(items))
    }

    /// A list that may not be null.
    pub fn array<T>(
        &mut self,
        flexible: bool,
        element: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let at = self.at();
        self.nullable_array(flexible, element)?.ok_or(DecodeError::UnexpectedNull { at })
    }

    fn length(&mut self, flexible: bool) -> Result<Option<usize>, DecodeError> {
        if flexible { self.compact_length() } else { self.long_length() }
    }

    fn compact_length(&mut self) -> Result<Option<usize>, DecodeError> {
        Ok((self.unsigned_varint()? as usize).checked_sub(1))
    }

    fn short_length(&mut self) -> Result<Option<usize>, DecodeError> {
        let at = self.at();
        match self.i16()? {
            -1 => Ok(None),
            length => usize::try_from(length).map(Some).map_err(|_| DecodeError::NegativeLength { at }),
        }
    }

    fn long_length(&mut self) -> Result<Option<usize>, DecodeError> {
        let at = self.at();
        match self.i32()? {
            -1 => Ok(None),
            length => usize::try_from(length).map(Some).map_err(|_| DecodeError::NegativeLength { at }),
        }
    }

    fn charge(&mut self, count: usize, size: usize) -> Result<(), DecodeError> {
        let cost = count.saturating_mul(size);
        self.budget = self.budget.checked_sub(cost).ok_or(DecodeError::TooLarge { at: self.at() })?;
        Ok(())
    }
}

/// Tagged sections: a count, then tag, size and content each.
impl<'a> Decoder<'a> {
    /// Reads a section, handing each tag to `field`, which reads the content and says true, or says false to skip it.
    pub fn tags(
        &mut self,
        mut field: impl FnMut(&mut Self, u32) -> Result<bool, DecodeError>,
    ) -> Result<(), DecodeError> {
        for _ in 0..self.tag_count()? {
            let tag = self.unsigned_varint()?;
            let behind = self.enter_tag()?;
            if field(self, tag)? && !self.rest.is_empty() {
                return Err(DecodeError::BadTagSize { at: self.at() });
            }
            self.rest = behind;
            self.end += behind.len();
        }
        Ok(())
    }

    /// Reads a section of which no tag is known.
    pub fn skip_tags(&mut self) -> Result<(), DecodeError> {
        for _ in 0..self.tag_count()? {
            self.unsigned_varint()?;
            let size = self.unsigned_varint()?;
            self.take(size as usize)?;
        }
        Ok(())
    }

    /// A tag takes two bytes at least: its number and its size.
    fn tag_count(&mut self) -> Result<u32, DecodeError> {
        let at = self.at();
        let count = self.unsigned_varint()?;
        if count as usize > self.remaining() / 2 { Err(DecodeError::Truncated { at }) } else { Ok(count) }
    }

    /// Narrows the reading to the tag's content; returns what lies behind it.
    fn enter_tag(&mut self) -> Result<&'a [u8], DecodeError> {
        let at = self.at();
        let size = self.unsigned_varint()? as usize;
        let (content, behind) = self.rest.split_at_checked(size).ok_or(DecodeError::Truncated { at })?;
        self.rest = content;
        self.end -= behind.len();
        Ok(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_at_their_limits() {
        check_varint(b"\0", Ok(0));
        check_varint(b"\x7f", Ok(127));
        check_varint(b"\x80\x01", Ok(128));
        check_varint(b"\xff\xff\xff\xff\x0f", Ok(u32::MAX));
        check_varint(b"\xff\xff\xff\xff\x10", Err(DecodeError::BadVarint { at: 0 }));
        check_varint(b"\x80\x80\x80\x80\x80\0", Err(DecodeError::BadVarint { at: 0 }));
        check_varint(b"\x80", Err(DecodeError::Truncated { at: 1 }));
    }

    #[test]
    fn varints_and_varlongs_come_back() {
        for value in [0, -1, 1, 63, -64, 64, i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN] {
            let mut e = crate::Encoder::new();
            e.varlong(value);
            e.varint(value as i32);
            let mut d = Decoder::new(e.as_slice());
            assert_eq!((d.varlong(), d.varint()), (Ok(value), Ok(value as i32)));
            assert_eq!(d.finish(), Ok(()));
        }
    }

    #[test]
    fn a_list_cannot_outgrow_its_budget() {
        let frame = [&b"\0\x01\0\0"[..], &[1; 0x10000]].concat();
        let mut d = Decoder::new(&frame);
        let list = d.array(false, |d| Ok([u64::from(d.bool()?); 64]));
        assert!(matches!(list, Err(DecodeError::TooLarge { .. })));
        let mut d = Decoder::new(&frame);
        assert_eq!(d.array(false, |d| Ok([d.i8()?; 16])).map(|list| list.len()), Ok(0x10000));
    }

    /// Else a tag that repeats could make the decoder build list after list.
    #[test]
    fn a_list_that_was_dropped_stays_paid_for() {
        let list = [&b"\0\0\x01\0"[..], &[1; 256]].concat();
        let frame = list.repeat(2);
        let mut d = Decoder::new(&frame);
        let mut decode = || d.array(false, |d| Ok([u64::from(d.bool()?); 32])).map(|list| list.len());
        assert_eq!(decode(), Ok(256));
        assert!(matches!(decode(), Err(DecodeError::TooLarge { .. })));
    }

    #[test]
    fn errors_name_the_offset() {
        let mut d = Decoder::new(b"\0\x01a\0\x05b");
        assert_eq!(d.string(false), Ok("a"));
        let error = d.string(false);
        assert_eq!(error, Err(DecodeError::Truncated { at: 5 }));
        assert_eq!(error.unwrap_err().to_string(), "the frame is too short for the value at byte 5");
    }

    fn check_varint(bytes: &[u8], expected: Result<u32, DecodeError>) {
        assert_eq!(Decoder::new(bytes).unsigned_varint(), expected);
    }
}
