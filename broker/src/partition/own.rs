//! The broker's own partitions: what coordinators keep is appended and read here, without a client.

use shard::Buf;
use storage::{Appended, LeaderEpoch, Offset, Promise, ReadDone, ReadPlan, ReadWant, ValidBatch};

use super::Partitions;
use crate::mail::{PartitionId, Turn};

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

    /// Reads whole batches from `from` on, at once: for loading, in slices. `None` at the end, and where that is.
    pub fn read_own(
        &mut self,
        turn: &mut Turn<'_>,
        id: PartitionId,
        from: Offset,
        bytes_max: u32,
    ) -> Result<(Option<Buf>, Offset), String> {
        let slot = *self.by_id.get(&id).ok_or("the partition is not here")?;
        let log = self.slots[slot].log.as_mut().map_err(|why| why.clone())?;
        let offsets = log.offsets();
        let offset = from.max(offsets.log_start);
        let want = ReadWant { offset, bytes_max, up_to: offsets.end, at_least_one: true };
        let mut range = match log.plan_read(turn.disk, &mut self.files, want) {
            Ok(ReadPlan::Range(range)) => range,
            Ok(ReadPlan::Empty) => return Ok((None, offsets.end)),
            Ok(ReadPlan::OutOfRange) => return Err("the log has lost what is being read".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        loop {
            let mut bytes = vec![0; range.len];
            let count =
                turn.disk.read_at(range.file, range.position, &mut bytes).map_err(|e| e.to_string())?;
            bytes.truncate(count);
            match log.on_read(turn.disk, &mut self.files, &range, Buf::from(bytes)) {
                Ok(ReadDone::Batches(batches)) => return Ok((Some(batches), offsets.end)),
                Ok(ReadDone::More(more)) => range = more,
                Ok(ReadDone::Empty) => return Ok((None, offsets.end)),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}
