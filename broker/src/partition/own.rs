//! The broker's own partitions: what coordinators keep is appended and read here, without a client.

use protocol::ErrorCode;
use shard::Buf;
use storage::log::MarkerFault;
use storage::{
    Appended, LeaderEpoch, Marker, Offset, ProducerEpoch, ProducerId, Promise, ReadDone, ReadPlan, ReadWant,
    ValidBatch,
};

use super::Partitions;
use super::transactions::error_of;
use crate::mail::{PartitionId, Turn};

/// What reading the broker's own records gave.
#[derive(Debug)]
pub enum OwnRead {
    /// Whole batches.
    Batches(Buf),
    /// Nothing more: the log ends here.
    End(Offset),
    /// The log is still being opened.
    NotYet,
}

/// Where a producer stands in one of the broker's own partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnTransaction {
    /// Its transaction is open there, or was confirmed and has not ended since.
    Open,
    /// That it is in the transaction has to be confirmed first (KIP-890): what that is held against.
    Unverified(Offset),
    /// What was confirmed has ended meanwhile.
    Ended,
    /// A newer incarnation has written there.
    Fenced,
}

impl Partitions {
    /// Whether a producer may write in a transaction. With a `guard`, it was confirmed; the marker of an earlier transaction
    /// may have come since then, if each has an epoch of its own.
    pub fn own_transaction(
        &self,
        id: PartitionId,
        producer: ProducerId,
        epoch: ProducerEpoch,
        guard: Option<Offset>,
        has_own_epoch: bool,
    ) -> Result<OwnTransaction, ()> {
        let slot = *self.by_id.get(&id).ok_or(())?;
        let log = self.slots[slot].log.as_ref().map_err(|_| ())?;
        let producers = log.producers();
        if producers.epoch_of(producer).is_some_and(|known| known > epoch) {
            return Ok(OwnTransaction::Fenced);
        }
        if producers.has_open(producer, epoch) {
            return Ok(OwnTransaction::Open);
        }
        Ok(match guard {
            None => OwnTransaction::Unverified(log.verification_guard()),
            Some(guard)
                if has_own_epoch || producers.last_marker(producer).is_none_or(|marker| marker < guard) =>
            {
                OwnTransaction::Open
            }
            Some(_) => OwnTransaction::Ended,
        })
    }

    /// Ends a producer's transaction in one of the broker's own partitions; gives the offset after the marker, or why there
    /// is none.
    pub fn mark_own(
        &mut self,
        turn: &Turn<'_>,
        id: PartitionId,
        marker: &Marker,
        bumps_epoch: bool,
    ) -> Result<Result<Offset, ErrorCode>, ()> {
        let slot = *self.by_id.get(&id).ok_or(())?;
        let partition = &mut self.slots[slot];
        let leader_epoch = LeaderEpoch(partition.leader_epoch());
        let log = partition.log.as_mut().map_err(|_| ())?;
        let appended = log.append_marker(marker, bumps_epoch, leader_epoch, turn.wall_ms, Promise::Disk);
        partition.is_own = true;
        self.list_if_dirty(slot);
        match appended {
            Ok(Appended::Fresh { last_offset, .. }) => Ok(Ok(last_offset.plus(1))),
            Ok(Appended::Duplicate(before, _)) => Ok(Ok(before.last_offset.plus(1))),
            Err(MarkerFault::Append(_)) => Err(()),
            Err(fault) => Ok(Err(error_of(&fault))),
        }
    }

    /// Appends a batch of the broker's own; gives the offset after it. When the log has it, the end is told with
    /// [`super::Outbound::logs`].
    pub fn append_own(&mut self, turn: &Turn<'_>, id: PartitionId, batch: Vec<u8>) -> Result<Offset, ()> {
        let slot = *self.by_id.get(&id).ok_or(())?;
        let partition = &mut self.slots[slot];
        let leader_epoch = LeaderEpoch(partition.leader_epoch());
        let log = partition.log.as_mut().map_err(|_| ())?;
        let batch = ValidBatch::trusted(Buf::from(batch)).map_err(|_| ())?;
        let appended = log.append(&batch, leader_epoch, turn.wall_ms, Promise::Disk).map_err(|_| ())?;
        partition.is_own = true;
        if let Appended::Fresh { base_offset, .. } = appended {
            partition.facts.on_appended(&batch, base_offset, turn.wall_ms);
        }
        self.list_if_dirty(slot);
        match appended {
            Appended::Fresh { last_offset, .. } => Ok(last_offset.plus(1)),
            Appended::Duplicate(..) => unreachable!("the broker's own batches name no producer"),
        }
    }

    /// Reads whole batches from `from` on, at once: for loading, in slices.
    pub fn read_own(
        &mut self,
        turn: &mut Turn<'_>,
        id: PartitionId,
        from: Offset,
        bytes_max: u32,
    ) -> Result<OwnRead, String> {
        let slot = *self.by_id.get(&id).ok_or("the partition is not here")?;
        if !self.is_at_hand(turn, slot) {
            return Ok(OwnRead::NotYet);
        }
        // From now on it stays open, so that it can be appended to at any time.
        self.slots[slot].is_own = true;
        let log = self.slots[slot].log.as_mut().map_err(|no_log| no_log.why())?;
        let offsets = log.offsets();
        let offset = from.max(offsets.log_start);
        let want = ReadWant { offset, bytes_max, up_to: offsets.end, at_least_one: true };
        let mut range = match log.plan_read(turn.disk, &mut self.files, want) {
            Ok(ReadPlan::Range(range)) => range,
            Ok(ReadPlan::Empty) => return Ok(OwnRead::End(offsets.end)),
            Ok(ReadPlan::OutOfRange) => return Err("the log has lost what is being read".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        loop {
            let mut bytes = vec![0; range.len];
            let count =
                turn.disk.read_at(range.file, range.position, &mut bytes).map_err(|e| e.to_string())?;
            bytes.truncate(count);
            match log.on_read(turn.disk, &mut self.files, &range, Buf::from(bytes)) {
                Ok(ReadDone::Batches(batches)) => return Ok(OwnRead::Batches(batches)),
                Ok(ReadDone::More(more)) => range = more,
                Ok(ReadDone::Empty) => return Ok(OwnRead::End(offsets.end)),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}
