//! Markers: the control batches that end a transaction in a log (Q51).
//!
//! ```text
//! key    │ version int16 │ type int16: 0 abort, 1 commit │
//! value  │ version int16 │ coordinator epoch int32       │
//! ```

use shard::WallMs;

use super::{BatchBuilder, BatchHeader, Codec, HEADER_LEN, RecordStream};
use crate::offset::{ProducerEpoch, ProducerId, Sequence};

const ABORT: i16 = 0;
const COMMIT: i16 = 1;
/// Attribute bits: transactional and control.
const ATTRIBUTES: i16 = 1 << 4 | 1 << 5;
/// A marker is a small batch, whoever wrote it.
pub const LEN_MAX: usize = 1024;

/// How a producer's transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// Whose.
    pub producer_id: ProducerId,
    /// The epoch that the producer has from then on; older ones are fenced by it.
    pub producer_epoch: ProducerEpoch,
    /// The epoch of the coordinator that decided; an older one may decide no more.
    pub coordinator_epoch: i32,
    /// Whether it was committed.
    pub is_commit: bool,
}

impl Marker {
    /// In place of a coordinator's epoch: the coordinator is of this node, and so never an older one.
    pub const OWN_COORDINATOR: i32 = -1;

    /// The marker's batch.
    pub fn build(&self, now: WallMs) -> Vec<u8> {
        let kind = if self.is_commit { COMMIT } else { ABORT };
        let key = [0, kind].map(i16::to_be_bytes).concat();
        let value = [&0i16.to_be_bytes()[..], &self.coordinator_epoch.to_be_bytes()].concat();
        BatchBuilder::new()
            .producer(self.producer_id, self.producer_epoch, Sequence::NONE)
            .attributes(ATTRIBUTES)
            .record(now.0, Some(&key), Some(&value))
            .build()
    }

    /// Reads a whole batch; `None` if it is no marker, or an empty one that compaction left.
    pub fn parse(header: &BatchHeader, batch: &[u8]) -> Option<Marker> {
        if !header.attributes.is_control() || header.record_count != 1 {
            return None;
        }
        let mut records = RecordStream::new(Codec::None, batch.get(HEADER_LEN..)?, LEN_MAX).ok()?;
        let record = records.next().ok()??;
        let (key, value) = (record.key?, record.value?);
        let kind = i16::from_be_bytes(*key.get(2..)?.first_chunk()?);
        let coordinator_epoch = i32::from_be_bytes(*value.get(2..)?.first_chunk()?);
        let is_known = kind == ABORT || kind == COMMIT;
        is_known.then_some(Marker {
            producer_id: header.producer_id,
            producer_epoch: header.producer_epoch,
            coordinator_epoch,
            is_commit: kind == COMMIT,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q51_a_marker_reads_back_as_written() {
        for is_commit in [false, true] {
            let marker = Marker {
                producer_id: ProducerId(7),
                producer_epoch: ProducerEpoch(3),
                coordinator_epoch: 5,
                is_commit,
            };
            let batch = marker.build(WallMs(99));
            let header = BatchHeader::parse(&batch).unwrap();
            assert!(header.attributes.is_control() && header.attributes.is_transactional());
            assert_eq!((header.base_sequence, header.max_timestamp), (Sequence::NONE, 99));
            assert_eq!(Marker::parse(&header, &batch), Some(marker));
            for len in 0..batch.len() {
                assert_eq!(Marker::parse(&header, &batch[..len]), None, "cut at {len}");
            }
        }
    }
}
