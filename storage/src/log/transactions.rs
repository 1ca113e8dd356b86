//! Transactions of one log: markers, the last stable offset, and what was aborted.
//!
//! ```text
//!     log_start ≤ last_stable ≤ high_watermark
//!                 └ the first record of the oldest transaction that is open, or whose marker is not replicated yet
//! ```

use shard::{Buf, Disk, WallMs};

use super::{AppendRefusal, Appended, Log};
use crate::aborted::{self, AbortedTxn};
use crate::batch::{Marker, ValidBatch};
use crate::error::StorageError;
use crate::mutation::{Mutation, is_on};
use crate::offset::{LeaderEpoch, Offset};
use crate::producers::{Duplicate, MarkerRefusal, Standing};
use crate::segment::{Indexes, TXN_INDEX, path_of};
use crate::settings::Promise;

/// What became of a marker.
pub type MarkerAppend = Result<Appended, MarkerFault>;

/// Why a marker was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkerFault {
    /// It may not be.
    Refused(MarkerRefusal),
    /// The log takes nothing: KAFKA_STORAGE_ERROR (56).
    Append(AppendRefusal),
}

impl Log {
    /// Whether a batch may only be appended when the coordinator of transactions has said that the partition is in the
    /// producer's transaction (KIP-890): the first batch of each. Retries and batches of fenced producers are answered as
    /// they always are.
    pub fn needs_verification(&self, batch: &ValidBatch) -> bool {
        let header = &batch.header;
        header.attributes.is_transactional()
            && !self.producers.has_open(header.producer_id, header.producer_epoch)
            && !matches!(self.producers.check(header), Ok(Standing::Duplicate(_)))
            && self.producers.epoch_of(header.producer_id).is_none_or(|known| known <= header.producer_epoch)
    }

    /// What a verification is to be held against when it comes back: see [`Log::is_still_verified`].
    pub fn verification_guard(&self) -> Offset {
        self.offsets.assigned
    }

    /// Whether no marker of the producer was written since its verification began at `guard`. If one was, what was
    /// verified has ended, and a batch now would begin a transaction that nobody knows of.
    pub fn is_still_verified(&self, batch: &ValidBatch, guard: Offset) -> bool {
        self.producers.last_marker(batch.header.producer_id).is_none_or(|marker| marker < guard)
    }

    /// Ends a producer's transaction, whether one is open here or not: the marker also fences older epochs.
    ///
    /// In version 2 a transaction has the epoch before its marker's. What is open with an older one is another transaction,
    /// whose own marker was lost with the page cache: it is aborted first, for it must not be committed in the name of this.
    pub fn append_marker(
        &mut self,
        marker: &Marker,
        bumps_epoch: bool,
        leader_epoch: LeaderEpoch,
        now: WallMs,
        promise: Promise,
    ) -> MarkerAppend {
        if let Some(reason) = &self.offline {
            return Err(MarkerFault::Append(AppendRefusal::Offline(reason.clone())));
        }
        let coordinator_epoch = match marker.coordinator_epoch {
            Marker::OWN_COORDINATOR => self.producers.coordinator_epoch_of(marker.producer_id),
            given => given,
        };
        let marker = &Marker { coordinator_epoch, ..*marker };
        let open_epoch = self.producers.open_epoch(marker.producer_id);
        if bumps_epoch
            && marker.is_commit
            && let Some(epoch) =
                open_epoch.filter(|epoch| epoch.0.checked_add(1) < Some(marker.producer_epoch.0))
        {
            let abort = Marker { producer_epoch: epoch, is_commit: false, ..*marker };
            self.append_marker(&abort, false, leader_epoch, now, promise)?;
        }
        let is_needed = self.producers.check_marker(marker, bumps_epoch).map_err(MarkerFault::Refused)?;
        if !is_needed {
            // The one before may still be on its way.
            let end = self.offsets.assigned;
            let last_offset = Offset(end.0 - 1);
            let first_try = Duplicate { base_offset: last_offset, last_offset, timestamp: now.0 };
            return Ok(Appended::Duplicate(first_try, self.promise(promise, end)));
        }
        let batch =
            ValidBatch::trusted(Buf::from(marker.build(now))).expect("a batch of our own making is sound");
        let header = self.place(&batch, leader_epoch, now);
        let offset = header.base_offset;
        let ended = self.producers.apply_marker(marker, offset, now, self.settings.producer_count_max);
        if let Some(ended) = ended {
            // Not replicated yet: readers of what is stable wait for the marker too.
            self.ended.insert(ended.first_offset, offset);
            let active = self.segments.last_mut().expect("a batch was placed in it");
            active.aborted.extend(ended.aborted);
        }
        self.move_last_stable();
        let promise = self.promise_fresh(promise, now);
        Ok(Appended::Fresh { base_offset: offset, last_offset: offset, promise })
    }

    /// Takes the last stable offset to where it belongs now.
    pub(super) fn move_last_stable(&mut self) {
        let high_watermark = self.offsets.high_watermark;
        self.ended.retain(|_, marker| *marker >= high_watermark);
        let unstable = self.ended.keys().next().copied().into_iter().chain(self.producers.first_open());
        let stable = unstable.fold(high_watermark, Offset::min);
        // Records of an open transaction may be deleted on request.
        self.offsets.last_stable = stable.max(self.offsets.log_start);
        self.offsets.validate();
    }

    /// The aborted transactions that a reader of `from..to` meets, those included that began before (Q55).
    pub fn aborted_in(
        &self,
        disk: &mut dyn Disk,
        from: Offset,
        to: Offset,
    ) -> Result<Vec<AbortedTxn>, StorageError> {
        let mut found = Vec::new();
        if is_on(Mutation::ForgetAborted) {
            return Ok(found);
        }
        for segment in self.segments.iter().skip(self.segment_of(from)) {
            let is_all = match segment.indexes {
                Indexes::Growing(_) => aborted::collect(&segment.aborted, from, to, &mut found),
                Indexes::Sealed if segment.has_aborted_file => {
                    let path = path_of(&self.dir, segment.base, TXN_INDEX);
                    aborted::collect_file(disk, &path, (from, to), &mut found)?
                }
                Indexes::Sealed => false,
            };
            if is_all {
                break;
            }
        }
        Ok(found)
    }
}
