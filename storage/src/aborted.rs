//! The index of aborted transactions: Kafka's `<base>.txnindex`, beside the segment that has the transactions' markers.
//!
//! ```text
//! version i16 (0) │ producer id i64 │ first offset i64 │ last offset i64, the marker's │ last stable offset i64
//! ```
//! Big-endian, 34 bytes an entry, in the order of the markers. A segment without aborted transactions has no such file.

use std::path::Path;

use shard::{Disk, OpenMode};

use crate::error::{Cause, StorageError};
use crate::offset::{Offset, ProducerId};

/// Bytes an entry.
pub const ENTRY_LEN: usize = 34;
const VERSION: i16 = 0;
/// A file is read so many entries at a time.
const WINDOW: usize = 128;

/// A transaction whose records nobody is to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbortedTxn {
    /// Whose.
    pub producer_id: ProducerId,
    /// Where its records begin.
    pub first_offset: Offset,
    /// Its marker.
    pub last_offset: Offset,
    /// The last stable offset when it had ended: no transaction that is open then begins before.
    pub last_stable_offset: Offset,
}

impl AbortedTxn {
    /// Whether a reader of `from..to` meets it.
    fn overlaps(&self, from: Offset, to: Offset) -> bool {
        self.last_offset >= from && self.first_offset < to
    }

    fn decode(entry: &[u8]) -> Option<AbortedTxn> {
        let (version, entry) = entry.split_first_chunk()?;
        let (id, entry) = entry.split_first_chunk()?;
        let (first, entry) = entry.split_first_chunk()?;
        let (last, entry) = entry.split_first_chunk()?;
        let (stable, _) = entry.split_first_chunk()?;
        (i16::from_be_bytes(*version) == VERSION).then_some(AbortedTxn {
            producer_id: ProducerId(i64::from_be_bytes(*id)),
            first_offset: Offset(i64::from_be_bytes(*first)),
            last_offset: Offset(i64::from_be_bytes(*last)),
            last_stable_offset: Offset(i64::from_be_bytes(*stable)),
        })
    }
}

/// A file's content.
pub fn encode(aborted: &[AbortedTxn]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(aborted.len() * ENTRY_LEN);
    for txn in aborted {
        bytes.extend_from_slice(&VERSION.to_be_bytes());
        let fields = [txn.producer_id.0, txn.first_offset.0, txn.last_offset.0, txn.last_stable_offset.0];
        fields.iter().for_each(|field| bytes.extend_from_slice(&field.to_be_bytes()));
    }
    bytes
}

/// Reads a file's content; `None` if it is not whole.
pub fn decode(bytes: &[u8]) -> Option<Vec<AbortedTxn>> {
    let entries = bytes.chunks_exact(ENTRY_LEN);
    if !entries.remainder().is_empty() {
        return None;
    }
    entries.map(AbortedTxn::decode).collect()
}

/// Adds those that a reader of `from..to` meets; `true` if none of a later segment can be among them.
pub(crate) fn collect(aborted: &[AbortedTxn], from: Offset, to: Offset, found: &mut Vec<AbortedTxn>) -> bool {
    for txn in &aborted[aborted.partition_point(|txn| txn.last_offset < from)..] {
        if txn.overlaps(from, to) {
            found.push(*txn);
        }
        if txn.last_stable_offset >= to {
            return true;
        }
    }
    false
}

/// The same of a file, which is looked through from where `from` is on.
pub(crate) fn collect_file(
    disk: &mut dyn Disk,
    path: &Path,
    (from, to): (Offset, Offset),
    found: &mut Vec<AbortedTxn>,
) -> Result<bool, StorageError> {
    let file = disk.open(path, OpenMode::Read).map_err(StorageError::io(path))?;
    let mut read = |first: u64, count: usize| {
        let mut bytes = vec![0; count * ENTRY_LEN];
        let len = disk.read_at(file, first * ENTRY_LEN as u64, &mut bytes).map_err(StorageError::io(path))?;
        bytes.truncate(len - len % ENTRY_LEN);
        decode(&bytes).ok_or_else(|| StorageError::new(path, first * ENTRY_LEN as u64, Cause::Corrupt))
    };
    let outcome = (|| {
        // The first entry that ends at or behind `from`, by halves: a few entries a step.
        let (mut low, mut high) = (0_u64, 1_u64);
        while read(high, 1)?.first().is_some_and(|txn| txn.last_offset < from) {
            (low, high) = (high, high * 2);
        }
        while high - low > WINDOW as u64 {
            let middle = low + (high - low) / 2;
            match read(middle, 1)?.first() {
                Some(txn) if txn.last_offset < from => low = middle,
                _ => high = middle,
            }
        }
        loop {
            let entries = read(low, WINDOW)?;
            if collect(&entries, from, to, found) {
                return Ok(true);
            }
            if entries.len() < WINDOW {
                return Ok(false);
            }
            low += WINDOW as u64;
        }
    })();
    disk.close(file);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn txn(id: i64, first: i64, last: i64, stable: i64) -> AbortedTxn {
        AbortedTxn {
            producer_id: ProducerId(id),
            first_offset: Offset(first),
            last_offset: Offset(last),
            last_stable_offset: Offset(stable),
        }
    }

    #[test]
    fn an_index_reads_back_as_written() {
        let all = [txn(1, 2, 3, 4), txn(5, 6, 7, i64::MAX)];
        let bytes = encode(&all);
        assert_eq!(bytes.len(), 2 * ENTRY_LEN);
        assert_eq!(decode(&bytes).unwrap(), all);
        assert_eq!(decode(&bytes[..40]), None, "cut");
        assert_eq!(decode(&[&[0, 1], &bytes[2..]].concat()), None, "another version");
    }

    #[test]
    fn q55_all_that_overlap_are_found_those_that_began_before_included() {
        let all = [txn(1, 0, 10, 5), txn(2, 5, 20, 21), txn(3, 30, 40, 41)];
        let of = |from, to| {
            let mut found = Vec::new();
            let is_all = collect(&all, Offset(from), Offset(to), &mut found);
            (found.iter().map(|txn| txn.producer_id.0).collect::<Vec<_>>(), is_all)
        };
        assert_eq!(of(0, 5), (vec![1], true));
        assert_eq!(of(0, 6), (vec![1, 2], true));
        assert_eq!(of(11, 25), (vec![2], true));
        assert_eq!(of(21, 30), (vec![], true));
        assert_eq!(of(35, 50), (vec![3], false));
        assert_eq!(of(41, 50), (vec![], false));
    }
}
