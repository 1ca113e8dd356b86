//! Producer state on disk, in Kafka's own format (`%020d.snapshot`, version 1), so that Kafka's tools can
//! dump it.
//!
//! Kafka keeps one batch a producer there. We write one row a batch, the newest last: Kafka's reader lets a
//! later row replace an earlier one and so sees what it expects, and ours gets all five back without reading
//! the log (C25).

use shard::WallMs;

use super::{Producer, Producers, Recent};
use crate::offset::{Offset, ProducerEpoch, ProducerId, Sequence};

const VERSION: i16 = 1;
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

    /// Reads a file's content; `None` if it is not whole. All producers count as used `now`: a broker that
    /// was down must not forget those that could not reach it (C29).
    pub fn decode_snapshot(bytes: &[u8], now: WallMs) -> Option<Producers> {
        let (head, body) = bytes.split_at_checked(HEAD_LEN)?;
        let (count, rows) = body.split_first_chunk()?;
        let whole = head[..2] == VERSION.to_be_bytes() && head[2..] == crc32c::crc32c(body).to_be_bytes();
        let count = usize::try_from(i32::from_be_bytes(*count)).ok()?;
        if !whole || count.checked_mul(ROW_LEN) != Some(rows.len()) {
            return None;
        }
        let mut producers = Producers::default();
        for row in rows.chunks_exact(ROW_LEN) {
            let (id, epoch, batch) = take_row(row)?;
            producers.remember(id, epoch, batch, now);
        }
        Some(producers)
    }
}

fn put_row(bytes: &mut Vec<u8>, producer: &Producer, batch: &Recent) {
    bytes.extend_from_slice(&producer.id.0.to_be_bytes());
    bytes.extend_from_slice(&producer.epoch.0.to_be_bytes());
    bytes.extend_from_slice(&batch.last_sequence.0.to_be_bytes());
    bytes.extend_from_slice(&batch.last_offset.0.to_be_bytes());
    bytes.extend_from_slice(&batch.offset_delta.to_be_bytes());
    bytes.extend_from_slice(&batch.timestamp.to_be_bytes());
    // No transaction: coordinator epoch and first offset are unknown.
    bytes.extend_from_slice(&(-1i32).to_be_bytes());
    bytes.extend_from_slice(&(-1i64).to_be_bytes());
}

fn take_row(row: &[u8]) -> Option<(ProducerId, ProducerEpoch, Recent)> {
    let (id, row) = row.split_first_chunk()?;
    let (epoch, row) = row.split_first_chunk()?;
    let (last_sequence, row) = row.split_first_chunk()?;
    let (last_offset, row) = row.split_first_chunk()?;
    let (offset_delta, row) = row.split_first_chunk()?;
    let (timestamp, _) = row.split_first_chunk()?;
    let batch = Recent {
        last_offset: Offset(i64::from_be_bytes(*last_offset)),
        timestamp: i64::from_be_bytes(*timestamp),
        last_sequence: Sequence(i32::from_be_bytes(*last_sequence)),
        offset_delta: i32::from_be_bytes(*offset_delta),
    };
    Some((ProducerId(i64::from_be_bytes(*id)), ProducerEpoch(i16::from_be_bytes(*epoch)), batch))
}
