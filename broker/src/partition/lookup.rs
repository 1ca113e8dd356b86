//! Look-ups that need no reading of records: offsets by time, ends of leader epochs.

use std::cmp::Ordering;

use protocol::ErrorCode;
use storage::{LeaderEpoch, Log, Offset};

use super::Partitions;
use super::read::tell_reindexed;
use crate::answer::{EpochEnd, FoundOffset};
use crate::mail::Turn;

/// The special timestamps of ListOffsets (Q75).
pub const LATEST: i64 = -1;
/// The log's start.
pub const EARLIEST: i64 = -2;
/// The newest record.
pub const MAX_TIMESTAMP: i64 = -3;
/// The start of what lies on this node's own disk: all of it, here.
pub const EARLIEST_LOCAL: i64 = -4;
/// The end of what lies in remote storage: nothing, here.
pub const LATEST_TIERED: i64 = -5;
/// The first record that is not in remote storage yet: the log's start, here, or -1 where nothing is ever uploaded.
pub const EARLIEST_PENDING_UPLOAD: i64 = -6;

impl Partitions {
    pub(super) fn find_offset(
        &mut self,
        turn: &mut Turn<'_>,
        slot: usize,
        timestamp: i64,
        is_committed: bool,
    ) -> FoundOffset {
        let partition = &mut self.slots[slot];
        let leader_epoch = partition.leader_epoch();
        let Ok(log) = &mut partition.log else { return FoundOffset::refused(ErrorCode::KafkaStorageError) };
        let offsets = log.offsets();
        let up_to = if is_committed { offsets.last_stable } else { offsets.high_watermark };
        let none = FoundOffset { error: ErrorCode::None, offset: -1, timestamp: -1, leader_epoch: -1 };
        let at = |offset: Offset, leader_epoch: i32| FoundOffset { offset: offset.0, leader_epoch, ..none };
        let found = match timestamp {
            LATEST => return at(up_to, leader_epoch),
            EARLIEST | EARLIEST_LOCAL => {
                let epoch = log.epochs().epoch_at(offsets.log_start).map_or(leader_epoch, |epoch| epoch.0);
                return at(offsets.log_start, epoch);
            }
            LATEST_TIERED | EARLIEST_PENDING_UPLOAD => return none,
            MAX_TIMESTAMP => log.find_newest(turn.disk, &mut self.files, up_to),
            timestamp => log.find_by_time(turn.disk, &mut self.files, timestamp, up_to),
        };
        tell_reindexed(log);
        match found {
            Ok(Some(found)) => FoundOffset {
                error: ErrorCode::None,
                offset: found.offset.0,
                timestamp: found.timestamp,
                leader_epoch: found.leader_epoch.0,
            },
            Ok(None) => none,
            Err(error) => {
                tracing::error!(%error, "a log cannot be searched by time");
                FoundOffset::refused(ErrorCode::KafkaStorageError)
            }
        }
    }

    pub(super) fn epoch_end(&self, slot: usize, epoch: i32) -> EpochEnd {
        let Ok(log) = &self.slots[slot].log else {
            return EpochEnd { error: ErrorCode::KafkaStorageError, leader_epoch: -1, end_offset: -1 };
        };
        let found = end_of_epoch(log, self.slots[slot].leader_epoch(), epoch);
        let (leader_epoch, end_offset) = found.map_or((-1, -1), |(epoch, end)| (epoch.0, end.0));
        EpochEnd { error: ErrorCode::None, leader_epoch, end_offset }
    }
}

/// The largest epoch not above `asked`, and where it ends: the next one's start, or the log's end (Q78). `None` for epochs
/// above the current one and below the first, which never led here.
pub(super) fn end_of_epoch(log: &Log, current: i32, asked: i32) -> Option<(LeaderEpoch, Offset)> {
    let end = log.offsets().end;
    match asked.cmp(&current) {
        Ordering::Greater => None,
        // The current epoch counts from the moment it leads, whether it has written or not.
        Ordering::Equal => Some((LeaderEpoch(asked), end)),
        Ordering::Less => log.epochs().end_of(LeaderEpoch(asked), end),
    }
}
