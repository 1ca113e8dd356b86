//! What compaction knows of transactions: which batches belong to aborted ones, and which markers are still needed.
//!
//! All transactions in the range have ended, for it ends at the last stable offset at the latest. Records of aborted ones go.
//! A marker stays as long as a batch of its transaction is there, even an empty one: without it, reading the log again would
//! find the transaction open. Then it stays for `delete.retention.ms` more (Q71).

use std::collections::{HashMap, HashSet};

use shard::Disk;

use super::super::Log;
use crate::batch::BatchHeader;
use crate::error::StorageError;
use crate::offset::{Offset, ProducerId};

/// So many aborted transactions are remembered, 16 bytes each; what lies behind them waits for the next round.
const ABORTED_MAX: usize = 1 << 20;

/// What becomes of a batch because of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It counts by its keys.
    Data,
    /// Its transaction was aborted: nothing of it stays.
    Aborted,
    /// A marker whose transaction still has batches.
    Marker,
    /// A marker that nobody needs any more.
    LoneMarker,
}

/// The transactions of the range that is compacted.
#[derive(Debug, Default)]
pub(super) struct Transactions {
    /// First offset and marker of each aborted one, by producer, in order.
    aborted: HashMap<ProducerId, Vec<(Offset, Offset)>>,
    /// Producers with a batch since their last marker.
    seen: HashSet<ProducerId>,
}

impl Transactions {
    /// The aborted ones of `from..to`; and before which offset all are known.
    pub(super) fn read(
        log: &Log,
        disk: &mut dyn Disk,
        from: Offset,
        to: Offset,
    ) -> Result<(Transactions, Offset), StorageError> {
        let mut found = Transactions::default();
        let all = log.aborted_in(disk, from, to)?;
        let known_to = all[all.len().min(ABORTED_MAX)..].iter().map(|txn| txn.first_offset).min();
        for txn in all.into_iter().take(ABORTED_MAX) {
            let of_producer = found.aborted.entry(txn.producer_id).or_default();
            of_producer.push((txn.first_offset, txn.last_offset));
        }
        Ok((found, known_to.unwrap_or(to)))
    }

    /// Whether the records of a batch belong to an aborted transaction.
    pub(super) fn is_aborted(&self, header: &BatchHeader) -> bool {
        if !header.attributes.is_transactional() || header.attributes.is_control() {
            return false;
        }
        let Some(all) = self.aborted.get(&header.producer_id) else { return false };
        // One producer's transactions follow each other.
        let next = all.partition_point(|(_, marker)| *marker < header.base_offset);
        all.get(next).is_some_and(|(first, _)| *first <= header.base_offset)
    }

    /// What a batch is; batches are to come in the order of the log.
    pub(super) fn on_batch(&mut self, header: &BatchHeader) -> Kind {
        let id = header.producer_id;
        if header.attributes.is_control() {
            return if self.seen.remove(&id) { Kind::Marker } else { Kind::LoneMarker };
        }
        if header.attributes.is_transactional() {
            self.seen.insert(id);
        }
        if self.is_aborted(header) { Kind::Aborted } else { Kind::Data }
    }
}
