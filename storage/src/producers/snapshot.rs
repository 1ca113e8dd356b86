//! Producer state on disk, in Kafka's own format (`%020d.snapshot`, version 1), so that Kafka's tools can
//! dump it.
//!
//! Kafka keeps one batch a producer there. We write one row a batch, the newest last: Kafka's reader lets a
//! later row replace an earlier one and so sees what it expects, and ours gets all five back without reading
//! the log (C25).

use shard::WallMs;

use super::{Producer, Producers, Recent, Txn};
use crate::error::Cause;
use crate::offset::{Offset, ProducerEpoch, ProducerId, Sequence};

const VERSION: i16 = 1;
/// What a newer version may call itself.
const VERSION_MAX: i16 = 99;
/// Version and CRC-32C; the CRC covers what follows.
const HEAD_LEN: usize = 6;
const ROW_LEN: usize = 46;

impl Producers {
    /// The whole state as a file's content.
    pub fn encode_snapshot(&self) -> Vec<u8> {
        let count: usize = self.slots.iter().map(|producer| 1 + producer.older.len()).sum();
        let mut bytes = Vec::with_capacity(HEAD_LEN + 4 + count * ROW_LEN);
        bytes.extend_from_slice(&VERSION.to_be_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&i32::try_from(count).expect("producers are bounded").to_be_bytes());
        for producer in self.oldest_first() {
            for batch in producer.older.iter().chain([&producer.last]) {
                put_row(&mut bytes, producer, batch);
            }
        }
        let crc = crc32c::crc32c(&bytes[HEAD_LEN..]);
        bytes[2..HEAD_LEN].copy_from_slice(&crc.to_be_bytes());
        bytes
    }

    /// Reads a file's content: [`Cause::Corrupt`] if it is not whole. All producers count as used `now`: a broker that
    /// was down must not forget those that could not reach it (C29).
    pub fn decode_snapshot(bytes: &[u8], now: WallMs) -> Result<Producers, Cause> {
        let mut producers = Producers::default();
        for row in rows(bytes)? {
            let (id, epoch, batch, txn) = take_row(row).ok_or(Cause::Corrupt)?;
            let slot = producers.remember(id, epoch, batch, now);
            producers.restore_transaction(slot, txn);
        }
        Ok(producers)
    }
}

/// One batch of a producer, as a snapshot file tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Whose.
    pub id: ProducerId,
    /// Its incarnation.
    pub epoch: ProducerEpoch,
    /// The batch's last sequence number.
    pub last_sequence: Sequence,
    /// The batch's last offset.
    pub last_offset: Offset,
    /// The batch's largest timestamp, ms.
    pub timestamp: i64,
    /// The epoch of the coordinator that wrote the last marker, or -1.
    pub coordinator_epoch: i32,
    /// Where the open transaction begins, if there is one.
    pub txn_first_offset: Option<Offset>,
}

/// The rows of a snapshot file, in its order.
pub fn snapshot_rows(bytes: &[u8]) -> Result<impl Iterator<Item = SnapshotRow>, Cause> {
    let row = |row| {
        let (id, epoch, batch, txn) = take_row(row)?;
        let Recent { last_sequence, last_offset, timestamp, .. } = batch;
        let Txn { coordinator_epoch, first_offset: txn_first_offset, .. } = txn;
        Some(SnapshotRow {
            id,
            epoch,
            last_sequence,
            last_offset,
            timestamp,
            coordinator_epoch,
            txn_first_offset,
        })
    };
    Ok(rows(bytes)?.filter_map(row))
}

/// Refuses a version that is not known. A number that no version will reach soon, or 0, is damage: a file that was never
/// synced may hold anything, most often empty pages.
pub(crate) fn check_version(bytes: &[u8]) -> Result<(), Cause> {
    match bytes.first_chunk().map(|version| i16::from_be_bytes(*version)) {
        Some(VERSION) => Ok(()),
        Some(version) if (VERSION..=VERSION_MAX).contains(&version) => Err(Cause::UnknownVersion),
        _ => Err(Cause::Corrupt),
    }
}

fn rows(bytes: &[u8]) -> Result<std::slice::ChunksExact<'_, u8>, Cause> {
    check_version(bytes)?;
    let (head, body) = bytes.split_at_checked(HEAD_LEN).ok_or(Cause::Corrupt)?;
    let (count, rows) = body.split_first_chunk().ok_or(Cause::Corrupt)?;
    let count = usize::try_from(i32::from_be_bytes(*count)).map_err(|_| Cause::Corrupt)?;
    let is_whole = head[2..] == crc32c::crc32c(body).to_be_bytes();
    if !is_whole || count.checked_mul(ROW_LEN) != Some(rows.len()) {
        return Err(Cause::Corrupt);
    }
    Ok(rows.chunks_exact(ROW_LEN))
}

fn put_row(bytes: &mut Vec<u8>, producer: &Producer, batch: &Recent) {
    bytes.extend_from_slice(&producer.id.0.to_be_bytes());
    bytes.extend_from_slice(&producer.epoch.0.to_be_bytes());
    bytes.extend_from_slice(&batch.last_sequence.0.to_be_bytes());
    bytes.extend_from_slice(&batch.last_offset.0.to_be_bytes());
    bytes.extend_from_slice(&batch.offset_delta.to_be_bytes());
    bytes.extend_from_slice(&batch.timestamp.to_be_bytes());
    let coordinator_epoch = producer.txn.as_ref().map_or(-1, |txn| txn.coordinator_epoch);
    let first_offset = producer.open_since().map_or(-1, |offset| offset.0);
    bytes.extend_from_slice(&coordinator_epoch.to_be_bytes());
    bytes.extend_from_slice(&first_offset.to_be_bytes());
}

fn take_row(row: &[u8]) -> Option<(ProducerId, ProducerEpoch, Recent, Txn)> {
    let (id, row) = row.split_first_chunk()?;
    let (epoch, row) = row.split_first_chunk()?;
    let (last_sequence, row) = row.split_first_chunk()?;
    let (last_offset, row) = row.split_first_chunk()?;
    let (offset_delta, row) = row.split_first_chunk()?;
    let (timestamp, row) = row.split_first_chunk()?;
    let (coordinator_epoch, row) = row.split_first_chunk()?;
    let (first_offset, _) = row.split_first_chunk()?;
    let first_offset = i64::from_be_bytes(*first_offset);
    let txn = Txn {
        first_offset: (first_offset >= 0).then_some(Offset(first_offset)),
        coordinator_epoch: i32::from_be_bytes(*coordinator_epoch),
        last_marker: None,
    };
    let batch = Recent {
        last_offset: Offset(i64::from_be_bytes(*last_offset)),
        timestamp: i64::from_be_bytes(*timestamp),
        last_sequence: Sequence(i32::from_be_bytes(*last_sequence)),
        offset_delta: i32::from_be_bytes(*offset_delta),
    };
    Some((ProducerId(i64::from_be_bytes(*id)), ProducerEpoch(i16::from_be_bytes(*epoch)), batch, txn))
}
