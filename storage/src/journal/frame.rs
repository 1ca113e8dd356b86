//! The bytes of a journal, version 1. All numbers are little-endian; a CRC-32C covers what follows it.
//!
//! ```text
//! header  "RLJOURNL"  version u32  CRC u32  number u64  run u64  tail u64  tail's sequence u64  length u64
//! frame   "RLJF"  CRC u32  run u64  sequence u64  entries' length u32  how many u32  entries …  zeros to 4 KiB
//! entry   kind u32  log [20]  segment i64  position u32  length u32  bytes …
//! ```

use shard::AlignedBuf;

use super::{LogId, Place};
use crate::offset::Offset;

/// The only version there is.
const VERSION: u32 = 1;
const HEADER_MAGIC: &[u8; 8] = b"RLJOURNL";
const FRAME_MAGIC: &[u8; 4] = b"RLJF";
const HEADER_LEN: usize = 56;
/// Bytes of a frame before its entries.
pub(super) const HEAD_LEN: usize = 32;
/// Bytes of an entry before its content.
pub(super) const ENTRY_LEN: usize = 40;

/// The kind of an entry that holds bytes of a segment.
pub(super) const WRITE: u32 = 1;

/// What a journal says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Rises with each header written.
    pub number: u64,
    pub run: u64,
    /// Where the first frame that is needed begins, and its sequence number.
    pub tail: u64,
    pub tail_sequence: u64,
    /// The file's length.
    pub len: u64,
}

/// What lies where a header should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoundHeader {
    Header(Header),
    /// None, or a torn one.
    Nothing,
    /// A header that this version does not know.
    UnknownVersion,
}

impl Header {
    pub(super) fn encode(&self) -> AlignedBuf {
        let mut fields = Vec::with_capacity(HEADER_LEN);
        for field in [self.number, self.run, self.tail, self.tail_sequence, self.len] {
            fields.extend_from_slice(&field.to_le_bytes());
        }
        let mut bytes = AlignedBuf::new(HEADER_LEN);
        bytes.put(HEADER_MAGIC);
        bytes.put(&VERSION.to_le_bytes());
        bytes.put(&crc32c::crc32c(&fields).to_le_bytes());
        bytes.put(&fields);
        bytes.pad();
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> FoundHeader {
        let Some((magic, rest)) = bytes.split_first_chunk::<8>() else { return FoundHeader::Nothing };
        let Some((version, rest)) = rest.split_first_chunk() else { return FoundHeader::Nothing };
        if magic != HEADER_MAGIC {
            return FoundHeader::Nothing;
        }
        if u32::from_le_bytes(*version) != VERSION {
            return FoundHeader::UnknownVersion;
        }
        let Some((crc, rest)) = rest.split_first_chunk() else { return FoundHeader::Nothing };
        let Some(fields) = rest.first_chunk::<40>() else { return FoundHeader::Nothing };
        if u32::from_le_bytes(*crc) != crc32c::crc32c(fields) {
            return FoundHeader::Nothing;
        }
        let field = |index: usize| {
            let mut field = [0; 8];
            field.copy_from_slice(&fields[8 * index..8 * index + 8]);
            u64::from_le_bytes(field)
        };
        FoundHeader::Header(Header {
            number: field(0),
            run: field(1),
            tail: field(2),
            tail_sequence: field(3),
            len: field(4),
        })
    }
}

/// The head of an entry.
pub(super) fn encode_entry(place: &Place, len: u32) -> [u8; ENTRY_LEN] {
    let mut bytes = [0; ENTRY_LEN];
    bytes[..4].copy_from_slice(&WRITE.to_le_bytes());
    bytes[4..24].copy_from_slice(&place.log.0);
    bytes[24..32].copy_from_slice(&place.segment.0.to_le_bytes());
    bytes[32..36].copy_from_slice(&place.position.to_le_bytes());
    bytes[36..].copy_from_slice(&len.to_le_bytes());
    bytes
}

/// Completes a frame that has its entries.
pub(super) fn seal(frame: &mut [u8], run: u64, sequence: u64, entry_count: u32) {
    let len = u32::try_from(frame.len() - HEAD_LEN).expect("a frame stays below 4 GiB");
    frame[..4].copy_from_slice(FRAME_MAGIC);
    frame[8..16].copy_from_slice(&run.to_le_bytes());
    frame[16..24].copy_from_slice(&sequence.to_le_bytes());
    frame[24..28].copy_from_slice(&len.to_le_bytes());
    frame[28..32].copy_from_slice(&entry_count.to_le_bytes());
    let crc = crc32c::crc32c(&frame[8..]);
    frame[4..8].copy_from_slice(&crc.to_le_bytes());
}

/// How long the frame is whose head is `head`, if it can be the one with this sequence number in this run.
pub(super) fn frame_len(head: &[u8], run: u64, sequence: u64) -> Option<usize> {
    let head: &[u8; HEAD_LEN] = head.first_chunk()?;
    let is_it = head[..4] == *FRAME_MAGIC
        && head[8..16] == run.to_le_bytes()
        && head[16..24] == sequence.to_le_bytes();
    let len = u32::from_le_bytes(*head[24..].first_chunk()?);
    is_it.then_some(HEAD_LEN + len as usize)
}

/// The entries of a whole frame; `None` if it is not what was written.
pub(super) fn entries(frame: &[u8]) -> Option<Vec<(u32, Place, &[u8])>> {
    let crc = u32::from_le_bytes(*frame.get(4..)?.first_chunk()?);
    if crc != crc32c::crc32c(&frame[8..]) {
        return None;
    }
    let count = u32::from_le_bytes(*frame.get(28..)?.first_chunk()?);
    let mut rest = frame.get(HEAD_LEN..)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let (head, after) = rest.split_first_chunk::<ENTRY_LEN>()?;
        let kind = u32::from_le_bytes(*head.first_chunk()?);
        let place = Place {
            log: LogId(*head[4..].first_chunk()?),
            segment: Offset(i64::from_le_bytes(*head[24..].first_chunk()?)),
            position: u32::from_le_bytes(*head[32..].first_chunk()?),
        };
        let len = u32::from_le_bytes(*head[36..].first_chunk()?);
        let (bytes, after) = after.split_at_checked(len as usize)?;
        entries.push((kind, place, bytes));
        rest = after;
    }
    Some(entries)
}
