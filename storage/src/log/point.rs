//! The recovery point of an active segment: up to where it is synced, with what reading it would have taught.
//! After a crash only what lies behind is read.
//!
//! ```text
//! "RLPT"  version u32  CRC-32C u32 of what follows
//! base i64  end i64  first timestamp i64  newest timestamp i64  its offset u32
//! position u32  four lengths u32: offset index, time index, producer snapshot, aborted transactions; then these
//! ```
//! All numbers are little-endian but those of the four parts, which are Kafka's. The file `ringlog.point`
//! is written over in place and without a sync, so a crash may leave it torn; then the segment is read from its start.
//! What stands behind the snapshot is left of a longer point before. (Replacing the file would free the blocks of the old
//! one, which file systems that discard freed blocks at once make the caller wait for.)

use std::path::Path;

use shard::{Disk, OpenMode, WallMs};

use crate::aborted;
use crate::error::{Cause, StorageError};
use crate::index::{SegmentIndex, TimeEntry};
use crate::offset::Offset;
use crate::producers::Producers;
use crate::segment::{Indexes, Segment};

/// The file's name.
pub(super) const FILE_NAME: &str = "ringlog.point";
const MAGIC: &[u8; 4] = b"RLPT";
const VERSION: u32 = 1;
const FIELDS_LEN: usize = 56;
/// Two full indexes and the largest snapshot stay below.
const LEN_MAX: u64 = 256 << 20;

/// What a recovery point says.
#[derive(Debug)]
pub(super) struct Point {
    /// The segment as it was, up to the point.
    pub segment: Segment,
    /// The offset at the point.
    pub end: Offset,
    /// Producers at the point.
    pub producers: Producers,
}

/// The file's content for a segment that holds everything up to `end`.
pub(super) fn encode(segment: &Segment, end: Offset, producers: &Producers) -> Vec<u8> {
    let Indexes::Growing(index) = &segment.indexes else { return Vec::new() };
    let ((offsets, times), snapshot) = (index.encode(), producers.encode_snapshot());
    let txns = aborted::encode(&segment.aborted);
    let mut bytes = vec![0; 12];
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4..8].copy_from_slice(&VERSION.to_le_bytes());
    for field in [segment.base.0, end.0, segment.first_timestamp, segment.newest.timestamp] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    let lengths = [offsets.len(), times.len(), snapshot.len(), txns.len()].map(|len| len as u32);
    for field in [segment.newest.relative, segment.size].iter().chain(&lengths) {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    for part in [offsets, times, snapshot, txns] {
        bytes.extend(part);
    }
    let crc = crc32c::crc32c(&bytes[12..]);
    bytes[8..12].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// Writes over the file. What is not there after a crash was not promised.
pub(super) fn write(disk: &mut dyn Disk, dir: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let path = dir.join(FILE_NAME);
    let file = disk.open(&path, OpenMode::Create).map_err(StorageError::io(&path))?;
    let written = disk.write_at(file, 0, bytes);
    disk.close(file);
    written.map_err(StorageError::io(&path))
}

/// The point of a log, if there is a whole one.
pub(super) fn read(disk: &mut dyn Disk, dir: &Path, now: WallMs) -> Result<Option<Point>, StorageError> {
    let path = dir.join(FILE_NAME);
    let bytes = disk.read_file(&path, LEN_MAX).map_err(StorageError::io(&path))?;
    let Some(bytes) = bytes else { return Ok(None) };
    check_version(&bytes).map_err(|cause| StorageError::new(&path, 0, cause))?;
    Ok(decode(&bytes, now))
}

/// Refuses a version that is not known; a file that is no point at all is for the reader to leave out.
pub(super) fn check_version(bytes: &[u8]) -> Result<(), Cause> {
    let is_point = bytes.len() >= 8 && bytes[..4] == *MAGIC;
    if is_point && bytes[4..8] != VERSION.to_le_bytes() { Err(Cause::UnknownVersion) } else { Ok(()) }
}

pub(super) fn decode(bytes: &[u8], now: WallMs) -> Option<Point> {
    let (head, rest) = bytes.split_at_checked(12)?;
    let fields = rest.get(..FIELDS_LEN)?;
    let long = |at: usize| fields[at..].first_chunk().map(|bytes| i64::from_le_bytes(*bytes));
    let int = |at: usize| fields[at..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let parts_len = int(40)?.checked_add(int(44)?)?.checked_add(int(48)?)?.checked_add(int(52)?)?;
    let whole = rest.get(..FIELDS_LEN.checked_add(parts_len as usize)?)?;
    let is_whole = head[..4] == *MAGIC && head[8..] == crc32c::crc32c(whole).to_le_bytes();
    let rest = &whole[FIELDS_LEN..];
    let (base, end) = (Offset(long(0)?), Offset(long(8)?));
    let size = int(36)?;
    let (offsets, rest) = rest.split_at_checked(int(40)? as usize)?;
    let (times, rest) = rest.split_at_checked(int(44)? as usize)?;
    let (snapshot, txns) = rest.split_at_checked(int(48)? as usize)?;
    let index = SegmentIndex::decode(offsets, times, size)?;
    let producers = Producers::decode_snapshot(snapshot, now).ok()?;
    let mut segment = Segment::new(base);
    segment.size = size;
    segment.aborted = aborted::decode(txns)?;
    segment.first_timestamp = long(16)?;
    segment.newest = TimeEntry { timestamp: long(24)?, relative: int(32)? };
    segment.indexes = Indexes::Growing(index);
    (is_whole && end >= base).then_some(Point { segment, end, producers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_reads_back_as_written_and_only_so() {
        let mut segment = Segment::new(Offset(7));
        (segment.size, segment.first_timestamp) = (300, 5);
        segment.newest = TimeEntry { timestamp: 9, relative: 3 };
        let bytes = encode(&segment, Offset(11), &Producers::default());
        let point = decode(&bytes, WallMs(0)).unwrap();
        assert_eq!((point.segment.base, point.end, point.segment.size), (Offset(7), Offset(11), 300));
        assert_eq!((point.segment.newest, point.segment.first_timestamp), (segment.newest, 5));
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert!(decode(&broken, WallMs(0)).is_none() || (4..8).contains(&at), "byte {at}");
            assert!(decode(&bytes[..at], WallMs(0)).is_none());
        }
        let behind = [&bytes[..], &[9; 100]].concat();
        assert!(decode(&behind, WallMs(0)).is_some(), "what a longer point left behind does not count");
    }
}
