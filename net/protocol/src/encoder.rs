//! The encoder: appends values to a `Vec<u8>`. It cannot fail, so that an answer once decided is always an answer sent.
//!
//! What the wire cannot carry is bent, not refused: a string beyond 32,767 bytes in the non-compact form is cut at a
//! character; null in a version that has no null is written as empty (for Metadata v0 the two mean the same, Q14).

use crate::Uuid;

/// An appending writer over a byte vector.
#[derive(Debug, Default, Clone)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// Starts with an empty vector.
    pub fn new() -> Encoder {
        Encoder { bytes: Vec::new() }
    }

    /// Appends to `bytes`, keeping what is in there (a pooled buffer, or a frame half written).
    pub fn append_to(bytes: Vec<u8>) -> Encoder {
        Encoder { bytes }
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True if nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What has been written.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the vector back.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes
    }

    /// Overwrites an int32 that was reserved at `position` earlier.
    pub fn patch_i32(&mut self, position: usize, value: i32) {
        if let Some(place) = self.bytes.get_mut(position..).and_then(|rest| rest.first_chunk_mut::<4>()) {
            *place = value.to_be_bytes();
        }
    }
}

/// Fixed-width values, big endian.
impl Encoder {
    /// One byte, 1 or 0.
    pub fn bool(&mut self, value: bool) {
        self.bytes.push(u8::from(value));
    }

    /// An int8.
    pub fn i8(&mut self, value: i8) {
        self.bytes.push(value as u8);
    }

    /// An int16.
    pub fn i16(&mut self, value: i16) {
        self.raw(&value.to_be_bytes());
    }

    /// A uint16.
    pub fn u16(&mut self, value: u16) {
        self.raw(&value.to_be_bytes());
    }

    /// An int32.
    pub fn i32(&mut self, value: i32) {
        self.raw(&value.to_be_bytes());
    }

    /// A uint32.
    pub fn u32(&mut self, value: u32) {
        self.raw(&value.to_be_bytes());
    }

    /// An int64.
    pub fn i64(&mut self, value: i64) {
        self.raw(&value.to_be_bytes());
    }

    /// A float64.
    pub fn f64(&mut self, value: f64) {
        self.raw(&value.to_be_bytes());
    }

    /// A uuid.
    pub fn uuid(&mut self, value: Uuid) {
        self.raw(&value.0);
    }

    /// Bytes as they are, without a length.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// Variable-width integers.
impl Encoder {
    /// An unsigned varint.
    pub fn unsigned_varint(&mut self, value: u32) {
        self.varint_bits(u64::from(value));
    }

    /// A zigzag varint.
    pub fn varint(&mut self, value: i32) {
        self.unsigned_varint(((value << 1) ^ (value >> 31)) as u32);
    }

    /// A zigzag varlong.
    pub fn varlong(&mut self, value: i64) {
        self.varint_bits(((value << 1) ^ (value >> 63)) as u64);
    }

    fn varint_bits(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

/// Strings, bytes and lists; `flexible` chooses the compact form.
impl Encoder {
    /// A string.
    pub fn string(&mut self, value: &str, flexible: bool) {
        if flexible {
            self.length(value.len(), true);
            self.raw(value.as_bytes());
        } else {
            let value = cut_to_short(value);
            self.i16(value.len() as i16);
            self.raw(value.as_bytes());
        }
    }

    /// A string or null.
    pub fn nullable_string(&mut self, value: Option<&str>, flexible: bool) {
        match value {
            Some(value) => self.string(value, flexible),
            None if flexible => self.unsigned_varint(0),
            None => self.i16(-1),
        }
    }

    /// Bytes or records.
    pub fn bytes(&mut self, value: &[u8], flexible: bool) {
        self.length(value.len(), flexible);
        self.raw(value);
    }

    /// Bytes, records or null.
    pub fn nullable_bytes(&mut self, value: Option<&[u8]>, flexible: bool) {
        match value {
            Some(value) => self.bytes(value, flexible),
            None => self.null(flexible),
        }
    }

    /// The marker before a struct that may be null.
    pub fn present(&mut self, present: bool) {
        self.i8(if present { 1 } else { -1 });
    }

    /// A list.
    pub fn array<T>(&mut self, items: &[T], flexible: bool, mut element: impl FnMut(&mut Self, &T)) {
        self.length(items.len(), flexible);
        for item in items {
            element(self, item);
        }
    }

    /// A list or null.
    pub fn nullable_array<T>(
        &mut self,
        items: Option<&[T]>,
        flexible: bool,
        element: impl FnMut(&mut Self, &T),
    ) {
        match items {
            Some(items) => self.array(items, flexible, element),
            None => self.null(flexible),
        }
    }

    /// The length of bytes or the count of a list, ahead of its content.
    pub fn length(&mut self, length: usize, flexible: bool) {
        if flexible { self.unsigned_varint(length as u32 + 1) } else { self.i32(length as i32) }
    }

    /// Null bytes or a null list.
    pub fn null(&mut self, flexible: bool) {
        if flexible { self.unsigned_varint(0) } else { self.i32(-1) }
    }
}

/// The longest prefix of `value` that an int16 can measure.
fn cut_to_short(value: &str) -> &str {
    let mut end = value.len().min(i16::MAX as usize);
    loop {
        match value.get(..end) {
            Some(prefix) => return prefix,
            None => end -= 1,
        }
    }
}

/// A tagged section being written: tags must come in ascending order, fields at their default stay out (Q13).
#[derive(Debug)]
pub struct TagSection {
    /// Where the count stands. No message has 128 tags, so that one byte is enough.
    start: usize,
}

impl Encoder {
    /// A section without tags.
    pub fn no_tags(&mut self) {
        self.bytes.push(0);
    }

    /// Opens a section. It is complete at every moment: each [`TagSection::put`] raises its count.
    pub fn tags(&mut self) -> TagSection {
        self.bytes.push(0);
        TagSection { start: self.bytes.len() - 1 }
    }
}

impl TagSection {
    /// Adds a tag with the content that `content` writes.
    pub fn put(&mut self, e: &mut Encoder, tag: u32, content: impl FnOnce(&mut Encoder)) {
        if let Some(count) = e.bytes.get_mut(self.start) {
            *count += 1;
        }
        e.unsigned_varint(tag);
        let from = e.bytes.len();
        content(e);
        e.insert_size(from);
    }
}

impl Encoder {
    /// Puts the size of all that was written since `from` in front of it, as a varint.
    fn insert_size(&mut self, from: usize) {
        let size = self.bytes.len() - from;
        self.unsigned_varint(size as u32);
        let width = self.bytes.len() - from - size;
        self.bytes[from..].rotate_right(width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Decoder;

    #[test]
    fn a_tag_of_any_size_gets_its_size_in_front() {
        for len in [0, 1, 127, 128, 16_383, 16_384] {
            let content = vec![7; len];
            let mut e = Encoder::new();
            let mut tags = e.tags();
            tags.put(&mut e, 0, |e| e.raw(&content));
            tags.put(&mut e, 200, |e| e.i8(1));
            let mut seen = Vec::new();
            let mut d = Decoder::new(e.as_slice());
            let read = d.tags(|d, tag| {
                seen.push((tag, d.take(d.remaining())?.to_vec()));
                Ok(true)
            });
            assert_eq!(read, Ok(()));
            assert_eq!(seen, [(0, content), (200, vec![1])]);
        }
    }

    #[test]
    fn a_string_too_long_for_its_form_is_cut_at_a_character() {
        let text = "é".repeat(20_000);
        let mut e = Encoder::new();
        e.string(&text, false);
        let mut d = Decoder::new(e.as_slice());
        assert_eq!(d.string(false).map(str::len), Ok(32_766));
        assert_eq!(d.finish(), Ok(()));
    }
}
