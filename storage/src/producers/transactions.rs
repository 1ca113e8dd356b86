//! Producers' transactions in one log: opened by their first batch, ended by a marker.

use shard::WallMs;

use super::{NOBODY, Producer, Producers, Recent, Txn};
use crate::aborted::AbortedTxn;
use crate::batch::Marker;
use crate::offset::{Offset, ProducerEpoch, ProducerId, Sequence};

/// Why a marker may not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerRefusal {
    /// INVALID_PRODUCER_EPOCH (47): a newer incarnation of the producer has written here.
    StaleEpoch {
        /// The newer one.
        current: ProducerEpoch,
    },
    /// TRANSACTION_COORDINATOR_FENCED (52): a newer coordinator has decided here (Q52).
    StaleCoordinator {
        /// The newer one.
        current: i32,
    },
}

/// A transaction that a marker has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Where it began.
    pub first_offset: Offset,
    /// Its entry in the index, if it was aborted.
    pub aborted: Option<AbortedTxn>,
}

/// A producer, for administrators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProducerRow {
    /// Its id.
    pub id: ProducerId,
    /// Its epoch.
    pub epoch: ProducerEpoch,
    /// The last sequence number; -1 if only a marker is known.
    pub last_sequence: Sequence,
    /// The last batch's largest timestamp, ms; -1 if only a marker is known.
    pub last_timestamp: i64,
    /// The epoch of the coordinator that wrote the last marker; -1 if none has.
    pub coordinator_epoch: i32,
    /// Where its open transaction begins, if there is one.
    pub txn_first_offset: Option<Offset>,
}

impl Producers {
    /// Where the oldest open transaction begins.
    pub fn first_open(&self) -> Option<Offset> {
        self.open.keys().next().copied()
    }

    /// How many transactions are open.
    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// Whether this incarnation of a producer has a transaction open.
    pub fn has_open(&self, id: ProducerId, epoch: ProducerEpoch) -> bool {
        self.get(id).is_some_and(|producer| producer.epoch == epoch && producer.open_since().is_some())
    }

    /// The epoch of a producer's open transaction.
    pub fn open_epoch(&self, id: ProducerId) -> Option<ProducerEpoch> {
        self.get(id).filter(|producer| producer.open_since().is_some()).map(|producer| producer.epoch)
    }

    /// Whether anything is known of a producer.
    pub fn knows(&self, id: ProducerId) -> bool {
        self.by_id.contains_key(&id)
    }

    /// The epoch of a producer that is known.
    pub fn epoch_of(&self, id: ProducerId) -> Option<ProducerEpoch> {
        self.get(id).map(|producer| producer.epoch)
    }

    /// The newest coordinator that has ended a transaction of a producer's, 0 if none has.
    pub fn coordinator_epoch_of(&self, id: ProducerId) -> i32 {
        self.get(id).and_then(|producer| producer.txn.as_ref()).map_or(0, |txn| txn.coordinator_epoch.max(0))
    }

    /// Where a producer's last marker lies, if it was written since the log was opened.
    pub fn last_marker(&self, id: ProducerId) -> Option<Offset> {
        self.get(id)?.txn.as_ref()?.last_marker
    }

    /// All of them, those with open transactions first.
    pub fn rows(&self) -> impl Iterator<Item = ProducerRow> + '_ {
        self.oldest_first().map(|producer| ProducerRow {
            id: producer.id,
            epoch: producer.epoch,
            last_sequence: producer.last.last_sequence,
            last_timestamp: producer.last.timestamp,
            coordinator_epoch: producer.txn.as_ref().map_or(-1, |txn| txn.coordinator_epoch),
            txn_first_offset: producer.open_since(),
        })
    }

    /// Whether a marker may be written; `false` if there is nothing left for it to end. With `bumps_epoch` (transactions
    /// of version 2, KIP-890 and KIP-1228) every transaction has an epoch of its own, so a marker of the epoch that is
    /// already here is a repetition, unless a transaction of that very epoch is open: then it is one from the past.
    pub fn check_marker(&self, marker: &Marker, bumps_epoch: bool) -> Result<bool, MarkerRefusal> {
        let Some(producer) = self.get(marker.producer_id) else { return Ok(true) };
        let current = producer.epoch;
        let coordinator = producer.txn.as_ref().map_or(-1, |txn| txn.coordinator_epoch);
        if marker.producer_epoch < current {
            return Err(MarkerRefusal::StaleEpoch { current });
        }
        if marker.coordinator_epoch < coordinator {
            return Err(MarkerRefusal::StaleCoordinator { current: coordinator });
        }
        if bumps_epoch && marker.producer_epoch == current {
            return match producer.open_since() {
                Some(_) => Err(MarkerRefusal::StaleEpoch { current }),
                None => Ok(false),
            };
        }
        Ok(true)
    }

    /// Takes a marker in that lies at `offset`; says which transaction it ended, if one was open.
    pub fn apply_marker(
        &mut self,
        marker: &Marker,
        offset: Offset,
        now: WallMs,
        count_max: u32,
    ) -> Option<Ended> {
        if !marker.producer_id.is_some() {
            return None;
        }
        let slot = self.remember(marker.producer_id, marker.producer_epoch, Recent::NONE, now);
        let producer = &mut self.slots[slot as usize];
        let first_offset = producer.open_since();
        let coordinator_epoch = marker.coordinator_epoch;
        producer.txn =
            Some(Box::new(Txn { first_offset: None, coordinator_epoch, last_marker: Some(offset) }));
        let ended = first_offset.map(|first_offset| {
            self.open.remove(&first_offset);
            // It was in no order while it was open.
            self.link_newest(slot);
            let last_stable_offset = self.first_open().unwrap_or(offset.plus(1));
            let aborted = AbortedTxn {
                producer_id: marker.producer_id,
                first_offset,
                last_offset: offset,
                last_stable_offset,
            };
            Ended { first_offset, aborted: (!marker.is_commit).then_some(aborted) }
        });
        self.make_room(count_max);
        ended
    }

    /// The producer's first transactional batch since the last marker opens a transaction.
    pub(super) fn open_transaction(&mut self, slot: u32, offset: Offset) {
        if self.slots[slot as usize].open_since().is_some() {
            return;
        }
        self.unlink(slot);
        let producer: &mut Producer = &mut self.slots[slot as usize];
        (producer.older_neighbour, producer.newer_neighbour) = (NOBODY, NOBODY);
        let none = Txn { first_offset: None, coordinator_epoch: -1, last_marker: None };
        producer.txn.get_or_insert_with(|| Box::new(none)).first_offset = Some(offset);
        self.open.insert(offset, producer.id);
    }

    /// What a snapshot says of a producer's transactions. Each of its rows says the same.
    pub(super) fn restore_transaction(&mut self, slot: u32, txn: Txn) {
        if txn.coordinator_epoch >= 0 {
            let known = self.slots[slot as usize]
                .txn
                .get_or_insert_with(|| Box::new(Txn { first_offset: None, ..txn }));
            known.coordinator_epoch = txn.coordinator_epoch;
        }
        if let Some(first_offset) = txn.first_offset {
            self.open_transaction(slot, first_offset);
        }
    }
}
