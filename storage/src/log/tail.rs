//! Where the newest batches of the active segment lie, so that a reader at the tail needs no index and no
//! spare bytes.

use std::collections::VecDeque;

use crate::offset::Offset;
use crate::read::ReadWant;

/// 4 KiB a busy log; 16 MiB of data in 64 KiB batches.
const BATCH_COUNT_MAX: usize = 256;

#[derive(Debug, Clone, Copy)]
struct TailBatch {
    base: Offset,
    position: u32,
    last_offset_delta: i32,
}

/// The newest batches, oldest first.
#[derive(Debug, Default)]
pub struct Tail {
    batches: VecDeque<TailBatch>,
}

impl Tail {
    /// Notes a batch behind the others.
    pub fn push(&mut self, base: Offset, last: Offset, position: u32) {
        if self.batches.len() == BATCH_COUNT_MAX {
            self.batches.pop_front();
        }
        let last_offset_delta = i32::try_from(last.distance_from(base)).unwrap_or(i32::MAX);
        self.batches.push_back(TailBatch { base, position, last_offset_delta });
    }

    /// Forgets all: a new segment begins.
    pub fn clear(&mut self) {
        self.batches.clear();
    }

    /// The exact bytes for a reader: position and length. `None` if the batch that holds its offset is not
    /// known here. `size` is where the last batch ends.
    pub fn find(&self, want: &ReadWant, size: u32) -> Option<(u32, u32)> {
        let first = self
            .batches
            .partition_point(|batch| batch.base.0 + i64::from(batch.last_offset_delta) < want.offset.0);
        let start = self.batches.get(first)?;
        // The first one known may come after an older one that holds the offset, unless it holds the offset
        // itself.
        if first == 0 && start.base > want.offset {
            return None;
        }
        let mut end = start.position;
        for index in first..self.batches.len() {
            let batch = &self.batches[index];
            let batch_end = self.batches.get(index + 1).map_or(size, |next| next.position);
            let is_first = end == start.position;
            let fits = batch_end - start.position <= want.bytes_max || (is_first && want.at_least_one);
            if batch.base >= want.up_to || !fits {
                break;
            }
            end = batch_end;
        }
        Some((start.position, end - start.position))
    }
}
