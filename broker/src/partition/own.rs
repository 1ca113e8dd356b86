//! The broker's own partitions: what coordinators keep is appended and read here, without a client.

use shard::Buf;
use storage::{Appended, LeaderEpoch, Offset, Promise, ReadDone, ReadPlan, ReadWant, ValidBatch};

use super::Partitions;
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

impl Partitions {
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
