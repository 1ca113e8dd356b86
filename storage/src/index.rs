//! Kafka's sparse indexes of a segment: offset → position (`.index`) and time → offset (`.timeindex`).
//!
//! An offset entry names the last offset of a batch and where the batch begins; an entry is made when more
//! than the interval was appended since the last one. A time entry names the largest time so far and the last
//! offset of the batch that has it: everything up to that offset is no newer. All numbers on disk are
//! big-endian; offsets are relative to the segment's base, so a segment spans 2^31-1 offsets at most.

use shard::{Disk, FileId, IoError};

/// Bytes of an offset entry: relative offset u32, position u32.
pub const OFFSET_ENTRY_LEN: usize = 8;
/// Bytes of a time entry: timestamp i64, relative offset u32.
pub const TIME_ENTRY_LEN: usize = 12;
/// Searching a sealed index, this much is read at once in the end.
const LAST_STEP_LEN: u64 = 4096;

/// Where a batch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetEntry {
    /// Its last offset, relative to the segment's base.
    pub relative: u32,
    /// Its first byte in the segment.
    pub position: u32,
}

/// How new the records up to an offset are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeEntry {
    /// The largest timestamp up to there, in ms.
    pub timestamp: i64,
    /// The last offset of the batch that has it, relative to the segment's base.
    pub relative: u32,
}

/// The indexes of a segment that still grows, or that is not yet written out. Bounded by
/// `segment.index.bytes` each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentIndex {
    offsets: Vec<OffsetEntry>,
    times: Vec<TimeEntry>,
    bytes_since_entry: u32,
}

impl SegmentIndex {
    /// Notes a batch of `size` bytes at `position`; `newest` is the newest time so far, this batch included.
    pub fn apply(
        &mut self,
        relative_last: u32,
        position: u32,
        size: u32,
        newest: TimeEntry,
        interval_bytes: u32,
    ) {
        if self.bytes_since_entry > interval_bytes {
            self.offsets.push(OffsetEntry { relative: relative_last, position });
            self.apply_time(newest);
            self.bytes_since_entry = 0;
        }
        self.bytes_since_entry = self.bytes_since_entry.saturating_add(size);
    }

    /// Notes the newest time, if it is news. Also done when the segment is sealed, so that the last entry
    /// tells the newest.
    pub fn apply_time(&mut self, newest: TimeEntry) {
        let is_news = self.times.last().is_none_or(|last| newest.timestamp > last.timestamp);
        if is_news && newest.timestamp >= 0 {
            self.times.push(newest);
        }
    }

    /// Whether one of them has no room for another entry.
    pub fn is_full(&self, bytes_max: u32) -> bool {
        let bytes_max = bytes_max as usize;
        // One time entry is kept free for sealing.
        (self.offsets.len() + 1) * OFFSET_ENTRY_LEN > bytes_max
            || (self.times.len() + 2) * TIME_ENTRY_LEN > bytes_max
    }

    /// A batch at or before the one that contains `relative`; without one, the segment's first.
    pub fn entry_before(&self, relative: u32) -> Option<OffsetEntry> {
        let after = self.offsets.partition_point(|entry| entry.relative <= relative);
        self.offsets[..after].last().copied()
    }

    /// The newest time before `timestamp`, if any is known: everything up to its offset is older.
    pub fn older_than(&self, timestamp: i64) -> Option<TimeEntry> {
        let after = self.times.partition_point(|entry| entry.timestamp < timestamp);
        self.times[..after].last().copied()
    }

    /// Contents of the two files.
    pub fn encode(&self) -> (Vec<u8>, Vec<u8>) {
        let mut offsets = Vec::with_capacity(self.offsets.len() * OFFSET_ENTRY_LEN);
        for entry in &self.offsets {
            offsets.extend_from_slice(&entry.relative.to_be_bytes());
            offsets.extend_from_slice(&entry.position.to_be_bytes());
        }
        let mut times = Vec::with_capacity(self.times.len() * TIME_ENTRY_LEN);
        for entry in &self.times {
            times.extend_from_slice(&entry.timestamp.to_be_bytes());
            times.extend_from_slice(&entry.relative.to_be_bytes());
        }
        (offsets, times)
    }

    /// Reads two files' contents for a segment of `size` bytes; `None` if they cannot belong to it.
    pub fn decode(offsets: &[u8], times: &[u8], size: u32) -> Option<SegmentIndex> {
        if !offsets.len().is_multiple_of(OFFSET_ENTRY_LEN) || !times.len().is_multiple_of(TIME_ENTRY_LEN) {
            return None;
        }
        let offsets: Vec<_> = offsets.chunks_exact(OFFSET_ENTRY_LEN).filter_map(offset_entry).collect();
        let times: Vec<_> = times.chunks_exact(TIME_ENTRY_LEN).filter_map(time_entry).collect();
        let rises = offsets.is_sorted_by(|a, b| a.relative < b.relative && a.position < b.position)
            && times.is_sorted_by(|a, b| a.timestamp < b.timestamp && a.relative <= b.relative);
        let last = offsets.last().map_or(0, |entry| entry.position);
        let bytes_since_entry = size.checked_sub(last)?;
        (rises && (last < size || last == 0)).then_some(SegmentIndex { offsets, times, bytes_since_entry })
    }
}

/// Reads an offset entry.
pub fn offset_entry(bytes: &[u8]) -> Option<OffsetEntry> {
    let (relative, rest) = bytes.split_first_chunk()?;
    let position = rest.first_chunk()?;
    Some(OffsetEntry { relative: u32::from_be_bytes(*relative), position: u32::from_be_bytes(*position) })
}

/// Reads a time entry.
pub fn time_entry(bytes: &[u8]) -> Option<TimeEntry> {
    let (timestamp, rest) = bytes.split_first_chunk()?;
    let relative = rest.first_chunk()?;
    Some(TimeEntry { timestamp: i64::from_be_bytes(*timestamp), relative: u32::from_be_bytes(*relative) })
}

/// [`SegmentIndex::entry_before`] in a sealed segment's file: some small reads instead of memory.
pub fn find_entry(disk: &mut dyn Disk, file: FileId, relative: u32) -> Result<Option<OffsetEntry>, IoError> {
    find_last(disk, file, OFFSET_ENTRY_LEN, |bytes| {
        offset_entry(bytes).filter(|entry| entry.relative <= relative)
    })
}

/// [`SegmentIndex::older_than`] in a sealed segment's file.
pub fn find_older(disk: &mut dyn Disk, file: FileId, timestamp: i64) -> Result<Option<TimeEntry>, IoError> {
    find_last(disk, file, TIME_ENTRY_LEN, |bytes| {
        time_entry(bytes).filter(|entry| entry.timestamp < timestamp)
    })
}

/// The last entry that `accepts`, of a file whose accepted entries all come first.
fn find_last<T>(
    disk: &mut dyn Disk,
    file: FileId,
    entry_len: usize,
    accepts: impl Fn(&[u8]) -> Option<T>,
) -> Result<Option<T>, IoError> {
    let len = entry_len as u64;
    // Entries before `low` are accepted, those from `high` on are not.
    let (mut low, mut high) = (0, disk.len(file)? / len);
    let mut entry = [0; TIME_ENTRY_LEN];
    while (high - low) * len > LAST_STEP_LEN {
        let middle = low + (high - low) / 2;
        disk.read_at(file, middle * len, &mut entry[..entry_len])?;
        if accepts(&entry[..entry_len]).is_some() {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut entries = vec![0; ((high - low) * len) as usize];
    let count = disk.read_at(file, low * len, &mut entries)?;
    Ok(entries[..count].chunks_exact(entry_len).map_while(accepts).last())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(batches: &[(u32, u32, i64)]) -> SegmentIndex {
        let mut index = SegmentIndex::default();
        let mut newest = TimeEntry { timestamp: -1, relative: 0 };
        let mut position = 0;
        for (relative, size, timestamp) in batches {
            if *timestamp > newest.timestamp {
                newest = TimeEntry { timestamp: *timestamp, relative: *relative };
            }
            index.apply(*relative, position, *size, newest, 100);
            position += size;
        }
        index
    }

    #[test]
    fn entries_lie_an_interval_apart() {
        let index = index(&[(0, 60, 1), (1, 60, 2), (2, 60, 3), (3, 60, 2), (4, 60, 9)]);
        for (relative, position) in [(0, 0), (1, 0), (2, 120), (3, 120), (4, 240), (9, 240)] {
            let found = index.entry_before(relative).map_or(0, |entry| entry.position);
            assert_eq!(found, position, "offset {relative}");
        }
        for (timestamp, relative) in [(3, None), (4, Some(2)), (9, Some(2)), (10, Some(4))] {
            let found = index.older_than(timestamp).map(|entry| entry.relative);
            assert_eq!(found, relative, "time {timestamp}");
        }
        let (offsets, times) = index.encode();
        assert_eq!(SegmentIndex::decode(&offsets, &times, 300).unwrap().encode(), (offsets, times));
    }

    #[test]
    fn c93_a_damaged_index_is_not_believed() {
        let (offsets, times) = index(&[(0, 60, 1), (1, 60, 2), (2, 60, 3)]).encode();
        assert!(SegmentIndex::decode(&offsets, &times, 180).is_some());
        assert!(SegmentIndex::decode(&offsets[..3], &times, 180).is_none());
        assert!(SegmentIndex::decode(&[0xff; 16], &times, 180).is_none());
        assert!(SegmentIndex::decode(&offsets, &[0xff; 24], 180).is_none());
        assert!(SegmentIndex::decode(&offsets, &times, 100).is_none());
    }
}
