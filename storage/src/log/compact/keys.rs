//! The last offset of each key, by 128-bit digests of the keys: 24 bytes a key, whatever its length, in a table
//! that never grows beyond its limit.
//!
//! Two keys with one digest would lose a record; with a secret seed that takes 2^64 keys.

use std::hash::{DefaultHasher, Hasher};

use super::records_of;
use crate::batch::{BatchHeader, RecordFault};

const SLOT_LEN: usize = size_of::<Slot>();

#[derive(Debug, Clone, Copy)]
struct Slot {
    digest: [u64; 2],
    /// -1 in a free slot.
    offset: i64,
}

const FREE: Slot = Slot { digest: [0; 2], offset: -1 };

/// The map.
#[derive(Debug)]
pub(super) struct KeyMap {
    slots: Vec<Slot>,
    count: usize,
    seed: u64,
}

impl KeyMap {
    /// A map for `record_count` records, of at most `bytes_max` bytes.
    pub(super) fn new(bytes_max: usize, record_count: usize, seed: u64) -> KeyMap {
        let wanted = record_count.saturating_mul(4) / 3 + 16;
        let slots = wanted.min(bytes_max / SLOT_LEN).max(16);
        KeyMap { slots: vec![FREE; slots], count: 0, seed }
    }

    /// Whether so many keys can be added.
    pub(super) fn has_room_for(&self, count: usize) -> bool {
        // A batch larger than the whole map goes in alone, as far as it fits: its later keys only stay longer.
        self.count + count <= self.slots.len() / 4 * 3 || self.count == 0
    }

    /// Notes the keys of a batch.
    pub(super) fn read(
        &mut self,
        header: &BatchHeader,
        bytes: &[u8],
        unpacked_max: usize,
    ) -> Result<(), RecordFault> {
        let mut records = records_of(header, bytes, unpacked_max)?;
        while let Some(record) = records.next()? {
            if let Some(key) = record.key {
                self.insert(key, header.base_offset.0.saturating_add(record.offset_delta.into()));
            }
        }
        Ok(())
    }

    fn insert(&mut self, key: &[u8], offset: i64) {
        let digest = self.digest(key);
        let (slot, count_max) = (self.find(digest), self.slots.len() * 9 / 10);
        let found = &mut self.slots[slot];
        if found.offset >= 0 {
            found.offset = found.offset.max(offset);
        } else if self.count < count_max {
            *found = Slot { digest, offset };
            self.count += 1;
        }
    }

    /// The last offset of a key.
    pub(super) fn last_offset(&self, key: &[u8]) -> Option<i64> {
        let slot = &self.slots[self.find(self.digest(key))];
        (slot.offset >= 0).then_some(slot.offset)
    }

    /// The slot that has a digest, or would.
    fn find(&self, digest: [u64; 2]) -> usize {
        let len = self.slots.len();
        let mut at = ((u128::from(digest[0]) * len as u128) >> 64) as usize;
        loop {
            let slot = &self.slots[at];
            if slot.offset < 0 || slot.digest == digest {
                return at;
            }
            at = if at + 1 == len { 0 } else { at + 1 };
        }
    }

    fn digest(&self, key: &[u8]) -> [u64; 2] {
        [0, 1].map(|half| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u64(self.seed ^ half);
            hasher.write(key);
            hasher.finish()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_offset_of_each_key_is_found_and_memory_is_bounded() {
        let mut map = KeyMap::new(3000 * SLOT_LEN, 1 << 40, 7);
        for offset in 0..4000_i64 {
            map.insert(&(offset % 2000).to_be_bytes(), offset);
        }
        for key in 0..2000_i64 {
            assert_eq!(map.last_offset(&key.to_be_bytes()), Some(key + 2000));
        }
        assert_eq!(map.last_offset(b"other"), None);
        assert!(map.has_room_for(250) && !map.has_room_for(251));
        assert_eq!(map.slots.len(), 3000);
    }
}
