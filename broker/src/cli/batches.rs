//! The batches in what a Fetch answered: cut, checked against their checksums, unpacked, and without what was aborted.

use std::collections::HashSet;

use protocol::messages::fetch_response::AbortedTransaction;
use storage::batch::{HEADER_LEN, MAGIC, Marker, RecordStream};
use storage::{BatchHeader, Codec};

/// A batch may unpack to so many bytes; producers keep to a tenth of it.
const UNPACKED_BYTES_MAX: usize = 256 << 20;

/// Cuts `bytes` into whole batches. What is cut off at the end by the size of the answer is left out: a fetch may end
/// within a batch.
pub struct Batches<'a> {
    rest: &'a [u8],
}

/// A whole batch.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    pub header: BatchHeader,
    bytes: &'a [u8],
}

impl<'a> Batches<'a> {
    /// The batches in `bytes`.
    pub fn of(bytes: &'a [u8]) -> Batches<'a> {
        Batches { rest: bytes }
    }
}

impl<'a> Iterator for Batches<'a> {
    type Item = Result<Batch<'a>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = std::mem::take(&mut self.rest);
        let header = BatchHeader::parse(rest)?;
        if header.magic != MAGIC {
            return Some(Err(format!(
                "at offset {} lies a message of the old format v{}, which only its own clients read",
                header.base_offset.0, header.magic
            )));
        }
        let Some(size) = header.size() else {
            return Some(Err(format!(
                "the batch at offset {} claims an impossible length",
                header.base_offset.0
            )));
        };
        let (bytes, after) = rest.split_at_checked(size)?;
        self.rest = after;
        Some(Ok(Batch { header, bytes }))
    }
}

impl<'a> Batch<'a> {
    /// The records, having checked that they are what was written.
    pub fn records(&self) -> Result<RecordStream<'a>, String> {
        let wrong = |why: &str| format!("the batch at offset {} {why}", self.header.base_offset.0);
        if !self.header.is_sum_of(self.bytes) {
            return Err(wrong("fails its checksum: it was damaged on disk or on the way"));
        }
        let codec = self.header.attributes.codec().ok_or_else(|| wrong("is packed with an unknown codec"))?;
        self.unpacked(codec).map_err(|fault| wrong(&format!("cannot be read: {fault}")))
    }

    fn unpacked(&self, codec: Codec) -> Result<RecordStream<'a>, storage::batch::RecordFault> {
        RecordStream::new(codec, &self.bytes[HEADER_LEN..], UNPACKED_BYTES_MAX)
    }
}

/// Knows which batches of an answer belong to aborted transactions.
pub struct AbortFilter {
    /// By first offset, the next one last.
    to_come: Vec<(i64, i64)>,
    open: HashSet<i64>,
}

impl AbortFilter {
    /// What a broker said beside the records, if the reader asked for committed ones.
    pub fn of(aborted: Option<&[AbortedTransaction]>) -> AbortFilter {
        let aborted = aborted.unwrap_or_default().iter();
        let mut to_come: Vec<(i64, i64)> = aborted.map(|it| (it.first_offset, it.producer_id)).collect();
        to_come.sort_unstable_by(|a, b| b.cmp(a));
        AbortFilter { to_come, open: HashSet::new() }
    }

    /// Whether a reader sees this batch: no marker, and nothing aborted. To be asked for each, in order.
    pub fn shows(&mut self, batch: &Batch<'_>) -> bool {
        let header = &batch.header;
        while let Some((_, producer)) = self.to_come.pop_if(|(first, _)| *first <= header.last_offset().0) {
            self.open.insert(producer);
        }
        if header.attributes.is_control() {
            let is_abort = Marker::parse(header, batch.bytes).is_some_and(|marker| !marker.is_commit);
            if is_abort {
                self.open.remove(&header.producer_id.0);
            }
            return false;
        }
        !(header.attributes.is_transactional() && self.open.contains(&header.producer_id.0))
    }
}

#[cfg(test)]
mod tests {
    use shard::WallMs;
    use storage::batch::BatchBuilder;
    use storage::{ProducerEpoch, ProducerId, Sequence};

    use super::*;

    #[test]
    fn a_batch_cut_by_the_size_of_the_answer_is_left_out() {
        let batch = BatchBuilder::new().record(5, None, Some(b"value")).build();
        for len in 0..batch.len() {
            assert!(Batches::of(&batch[..len]).next().is_none(), "{len}");
        }
        let two = [&batch[..], &batch[..70]].concat();
        assert_eq!(Batches::of(&two).count(), 1);
    }

    #[test]
    fn a_damaged_batch_is_an_error_and_no_records() {
        let batch = BatchBuilder::new().record(5, None, Some(b"value")).build();
        for at in 21..batch.len() {
            let mut damaged = batch.clone();
            damaged[at] ^= 4;
            let whole = Batches::of(&damaged).next().unwrap().unwrap();
            assert!(whole.records().is_err(), "byte {at}");
        }
    }

    #[test]
    fn the_old_format_and_impossible_lengths_are_told() {
        let mut batch = BatchBuilder::new().record(5, None, Some(b"value")).build();
        batch[16] = 1;
        assert!(Batches::of(&batch).next().unwrap().unwrap_err().contains("old format v1"));
        batch[16] = 2;
        batch[8..12].copy_from_slice(&(-1i32).to_be_bytes());
        assert!(Batches::of(&batch).next().unwrap().is_err());
        assert_eq!(Batches::of(&batch).count(), 1, "what follows a fault is not looked at");
    }

    #[test]
    fn aborted_batches_and_markers_are_not_shown() {
        let aborted = [AbortedTransaction { producer_id: 7, first_offset: 1, ..Default::default() }];
        let marker = |is_commit| Marker {
            producer_id: ProducerId(7),
            producer_epoch: ProducerEpoch(0),
            coordinator_epoch: 0,
            is_commit,
        };
        let log = [
            at(0, 7),
            at(1, 7),
            at(2, 8),
            placed(3, marker(false).build(WallMs(0))),
            at(4, 7),
            placed(5, marker(true).build(WallMs(0))),
        ];
        check(&log, Some(&aborted), &[0, 2, 4]);
        check(&log, None, &[0, 1, 2, 4]);
    }

    fn check(log: &[Vec<u8>], aborted: Option<&[AbortedTransaction]>, shown: &[i64]) {
        let bytes = log.concat();
        let mut filter = AbortFilter::of(aborted);
        let batches = Batches::of(&bytes).map(|batch| batch.unwrap());
        let offsets: Vec<i64> =
            batches.filter(|batch| filter.shows(batch)).map(|batch| batch.header.base_offset.0).collect();
        assert_eq!(offsets, shown);
    }

    fn at(offset: i64, producer: i64) -> Vec<u8> {
        let batch = BatchBuilder::new()
            .producer(ProducerId(producer), ProducerEpoch(0), Sequence(0))
            .attributes(1 << 4);
        placed(offset, batch.record(1, None, Some(b"v")).build())
    }

    fn placed(offset: i64, mut batch: Vec<u8>) -> Vec<u8> {
        batch[..8].copy_from_slice(&offset.to_be_bytes());
        batch
    }
}
