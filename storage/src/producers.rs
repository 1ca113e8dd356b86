//! What a log remembers of idempotent producers: the last five batches of each (Q41), so that a retry is not
//! stored twice; and of transactional ones, where the transaction begins that each has open.
//!
//! A producer that is not remembered may start at any sequence (Q42, C29), so forgetting is safe, just less
//! strict. At most a set number is remembered; the one idle longest makes room (C31), unless its transaction is open:
//! that one is kept out of the order of use until it has ended. A producer of one batch costs 88 bytes and its place
//! in the map; one of many batches 96 more, one with transactions 40.

pub(crate) mod snapshot;
mod transactions;

pub use snapshot::{SnapshotRow, snapshot_rows};
pub use transactions::{Ended, MarkerRefusal, ProducerRow};

use std::collections::{BTreeMap, HashMap};

use shard::WallMs;

use crate::batch::BatchHeader;
use crate::mutation::{Mutation, is_on};
use crate::offset::{Offset, ProducerEpoch, ProducerId, Sequence};

/// Batches that a retry is recognised among: the last one and so many before it.
const OLDER_COUNT_MAX: usize = 4;
const NOBODY: u32 = u32::MAX;

/// Where a batch stands in its producer's sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// New, and in order.
    Fresh,
    /// Appended before.
    Duplicate(Duplicate),
}

/// What the first attempt was answered (Q41).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// Its first offset.
    pub base_offset: Offset,
    /// Its last offset. It may still be on its way to the disk: the answer waits for it as for a fresh one.
    pub last_offset: Offset,
    /// Its largest timestamp in ms.
    pub timestamp: i64,
}

/// Why a producer's batch is not in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceRefusal {
    /// OUT_OF_ORDER_SEQUENCE_NUMBER (45): a gap, a new epoch that does not start at 0, or a retry that is too
    /// old to tell.
    OutOfOrder {
        /// What would have been right.
        expected: Sequence,
        /// What came.
        found: Sequence,
    },
    /// INVALID_PRODUCER_EPOCH (47): a newer incarnation has written here (Q43).
    StaleEpoch {
        /// The newer one.
        current: ProducerEpoch,
    },
    /// INVALID_TXN_STATE (48): the producer has a transaction open here, and the batch is not of it (Q52).
    OutsideTransaction,
}

/// A batch that was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Recent {
    last_offset: Offset,
    timestamp: i64,
    last_sequence: Sequence,
    offset_delta: i32,
}

impl Recent {
    /// In place of a batch where there was only a marker.
    const NONE: Recent =
        Recent { last_offset: Offset(-1), timestamp: -1, last_sequence: Sequence::NONE, offset_delta: 0 };

    fn of(header: &BatchHeader) -> Recent {
        let has_sequence = header.base_sequence != Sequence::NONE;
        Recent {
            last_offset: header.last_offset(),
            timestamp: header.max_timestamp,
            last_sequence: if has_sequence { header.last_sequence() } else { Sequence::NONE },
            offset_delta: header.last_offset_delta,
        }
    }

    fn is_none(&self) -> bool {
        self.last_offset.0 < 0
    }

    fn is_retried_by(&self, header: &BatchHeader) -> bool {
        !self.is_none()
            && self.offset_delta == header.last_offset_delta
            && self.last_sequence == header.last_sequence()
    }

    fn duplicate(&self) -> Duplicate {
        let base_offset = Offset(self.last_offset.0.saturating_sub(i64::from(self.offset_delta)));
        Duplicate { base_offset, last_offset: self.last_offset, timestamp: self.timestamp }
    }
}

/// One producer, linked to those used just before and just after it.
#[derive(Debug)]
struct Producer {
    id: ProducerId,
    used_at: WallMs,
    last: Recent,
    /// Oldest first; takes no memory until a second batch comes.
    older: Vec<Recent>,
    older_neighbour: u32,
    newer_neighbour: u32,
    epoch: ProducerEpoch,
    /// What there is to know of its transactions, if it ever had one.
    txn: Option<Box<Txn>>,
}

/// What is known of a producer's transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Txn {
    /// Where the open one begins.
    first_offset: Option<Offset>,
    /// The epoch of the coordinator that wrote the last marker; -1 if none has.
    coordinator_epoch: i32,
    /// The last marker; not known any more after a restart.
    last_marker: Option<Offset>,
}

impl Producer {
    fn open_since(&self) -> Option<Offset> {
        self.txn.as_ref()?.first_offset
    }
}

/// All producers of one log, in the order of their last use.
#[derive(Debug)]
pub struct Producers {
    slots: Vec<Producer>,
    by_id: HashMap<ProducerId, u32>,
    /// Open transactions by their first offsets.
    open: BTreeMap<Offset, ProducerId>,
    oldest: u32,
    newest: u32,
    evicted_count: u64,
}

impl Default for Producers {
    fn default() -> Producers {
        Producers {
            slots: Vec::new(),
            by_id: HashMap::new(),
            open: BTreeMap::new(),
            oldest: NOBODY,
            newest: NOBODY,
            evicted_count: 0,
        }
    }
}

impl Producers {
    /// How many are remembered.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// The largest id among them.
    pub fn largest_id(&self) -> Option<ProducerId> {
        self.by_id.keys().max().copied()
    }

    /// How many were forgotten to make room, ever.
    pub fn evicted_count(&self) -> u64 {
        self.evicted_count
    }

    /// Says where a batch stands. Batches without a producer, and markers, which have no sequence, are always
    /// fresh.
    pub fn check(&self, header: &BatchHeader) -> Result<Standing, SequenceRefusal> {
        if header.attributes.is_control() {
            return Ok(Standing::Fresh);
        }
        let Some(producer) = self.get(header.producer_id) else { return Ok(Standing::Fresh) };
        let standing = check_sequence(producer, header)?;
        let is_outside = producer.open_since().is_some() && !header.attributes.is_transactional();
        if standing == Standing::Fresh && is_outside {
            return Err(SequenceRefusal::OutsideTransaction);
        }
        Ok(standing)
    }

    fn get(&self, id: ProducerId) -> Option<&Producer> {
        self.slots.get(*self.by_id.get(&id)? as usize)
    }

    /// Remembers a batch that gets the offsets in `header`; the one idle longest is forgotten above
    /// `count_max`.
    pub fn apply(&mut self, header: &BatchHeader, now: WallMs, count_max: u32) {
        if !header.producer_id.is_some() || header.attributes.is_control() {
            return;
        }
        let slot = self.remember(header.producer_id, header.producer_epoch, Recent::of(header), now);
        if header.attributes.is_transactional() {
            self.open_transaction(slot, header.base_offset);
        }
        self.make_room(count_max);
    }

    fn make_room(&mut self, count_max: u32) {
        while self.slots.len() > count_max.max(1) as usize && self.oldest != NOBODY {
            self.forget(self.oldest);
            self.evicted_count += 1;
        }
    }

    /// The last offset that a producer has written.
    pub fn last_offset_of(&self, id: ProducerId) -> Option<Offset> {
        let slot = *self.by_id.get(&id)?;
        Some(self.slots.get(slot as usize)?.last.last_offset)
    }

    /// When the one idle longest will have been idle for `expiry_ms`.
    pub fn next_expiry(&self, expiry_ms: i64) -> Option<WallMs> {
        let oldest = self.slots.get(self.oldest as usize)?;
        Some(WallMs(oldest.used_at.0.saturating_add(expiry_ms)))
    }

    /// Forgets those that were idle for `expiry_ms`.
    pub fn expire(&mut self, now: WallMs, expiry_ms: i64) {
        while let Some(oldest) = self.slots.get(self.oldest as usize)
            && now.0.saturating_sub(oldest.used_at.0) >= expiry_ms
        {
            self.forget(self.oldest);
        }
    }

    fn remember(&mut self, id: ProducerId, epoch: ProducerEpoch, batch: Recent, now: WallMs) -> u32 {
        let slot = match self.by_id.get(&id) {
            Some(&slot) => {
                self.unlink(slot);
                let producer = &mut self.slots[slot as usize];
                if producer.epoch == epoch && (producer.last.is_none() || batch.is_none()) {
                    // A marker alone is no batch to recognise a retry of.
                } else if producer.epoch == epoch {
                    if producer.older.is_empty() {
                        producer.older.reserve_exact(OLDER_COUNT_MAX);
                    } else if producer.older.len() == OLDER_COUNT_MAX {
                        producer.older.remove(0);
                    }
                    producer.older.push(producer.last);
                } else {
                    producer.epoch = epoch;
                    producer.older = Vec::new();
                    producer.last = Recent::NONE;
                }
                if !batch.is_none() {
                    producer.last = batch;
                }
                producer.used_at = now;
                slot
            }
            None => {
                let slot = u32::try_from(self.slots.len()).expect("producers are bounded");
                self.slots.push(Producer {
                    id,
                    used_at: now,
                    last: batch,
                    older: Vec::new(),
                    older_neighbour: NOBODY,
                    newer_neighbour: NOBODY,
                    epoch,
                    txn: None,
                });
                self.by_id.insert(id, slot);
                slot
            }
        };
        self.link_newest(slot);
        slot
    }

    fn forget(&mut self, slot: u32) {
        self.unlink(slot);
        let gone = self.slots.swap_remove(slot as usize);
        self.by_id.remove(&gone.id);
        // The last producer moved into the hole; whoever knew its old place learns the new one.
        if let Some(moved) = self.slots.get(slot as usize) {
            let (id, older, newer) = (moved.id, moved.older_neighbour, moved.newer_neighbour);
            let is_linked = moved.open_since().is_none();
            self.by_id.insert(id, slot);
            if is_linked {
                *self.newer_link(older) = slot;
                *self.older_link(newer) = slot;
            }
        }
        assert_eq!(self.by_id.len(), self.slots.len());
    }

    /// Makes it the one used last. Whose transaction is open is in no order.
    fn link_newest(&mut self, slot: u32) {
        if self.slots[slot as usize].open_since().is_some() {
            return;
        }
        let before = self.newest;
        self.slots[slot as usize].older_neighbour = before;
        self.slots[slot as usize].newer_neighbour = NOBODY;
        *self.newer_link(before) = slot;
        self.newest = slot;
    }

    fn unlink(&mut self, slot: u32) {
        if self.slots[slot as usize].open_since().is_some() {
            return;
        }
        let (older, newer) = {
            let producer = &self.slots[slot as usize];
            (producer.older_neighbour, producer.newer_neighbour)
        };
        *self.newer_link(older) = newer;
        *self.older_link(newer) = older;
    }

    /// What `slot` calls its newer neighbour; nobody's newer neighbour is the oldest of all.
    fn newer_link(&mut self, slot: u32) -> &mut u32 {
        match self.slots.get_mut(slot as usize) {
            Some(producer) => &mut producer.newer_neighbour,
            None => &mut self.oldest,
        }
    }

    fn older_link(&mut self, slot: u32) -> &mut u32 {
        match self.slots.get_mut(slot as usize) {
            Some(producer) => &mut producer.older_neighbour,
            None => &mut self.newest,
        }
    }

    /// Those with an open transaction, then the others in the order of their last use.
    fn oldest_first(&self) -> impl Iterator<Item = &Producer> {
        let mut next = self.oldest;
        let in_order = std::iter::from_fn(move || {
            let producer = self.slots.get(next as usize)?;
            next = producer.newer_neighbour;
            Some(producer)
        });
        self.slots.iter().filter(|producer| producer.open_since().is_some()).chain(in_order)
    }
}

/// Where a producer's batch stands among those before it.
fn check_sequence(producer: &Producer, header: &BatchHeader) -> Result<Standing, SequenceRefusal> {
    let found = header.base_sequence;
    if header.producer_epoch < producer.epoch && !is_on(Mutation::SkipProducerEpoch) {
        return Err(SequenceRefusal::StaleEpoch { current: producer.epoch });
    }
    if header.producer_epoch > producer.epoch {
        let expected = Sequence::ZERO;
        return if found == expected || found == Sequence::NONE {
            Ok(Standing::Fresh)
        } else {
            Err(SequenceRefusal::OutOfOrder { expected, found })
        };
    }
    // What a coordinator writes for a producer has no sequence.
    if found == Sequence::NONE || is_on(Mutation::SkipSequence) {
        return Ok(Standing::Fresh);
    }
    let mut known = std::iter::once(&producer.last).chain(&producer.older);
    if let Some(first_try) = known.find(|recent| recent.is_retried_by(header)) {
        return Ok(Standing::Duplicate(first_try.duplicate()));
    }
    let expected = producer.last.last_sequence.next();
    if found == expected { Ok(Standing::Fresh) } else { Err(SequenceRefusal::OutOfOrder { expected, found }) }
}

#[cfg(test)]
mod tests;
