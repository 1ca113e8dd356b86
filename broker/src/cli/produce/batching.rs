//! Puts records into batches, one under way for each partition.

use std::borrow::Cow;
use std::collections::BTreeMap;

use storage::Codec;
use storage::batch::BatchBuilder;

use super::murmur::partition_of;
use crate::cli::when::now_ms;

/// A batch is full at this size, bytes before packing: half of what brokers take by default.
const BATCH_BYTES: usize = 512 << 10;
/// What a record takes at most beside its own bytes, and a header beside its own.
const RECORD_OVERHEAD: usize = 36;
const HEADER_OVERHEAD: usize = 10;

/// A header: its key, and its value or null.
pub type HeaderIn<'a> = (Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

/// A record as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordIn<'a> {
    pub key: Option<Cow<'a, [u8]>>,
    pub value: Option<Cow<'a, [u8]>>,
    pub headers: Vec<HeaderIn<'a>>,
    pub partition: Option<i32>,
    /// ms since 1970; now, if there is none.
    pub timestamp: Option<i64>,
}

impl RecordIn<'_> {
    fn size_bytes(&self) -> usize {
        let len = |bytes: &Option<Cow<'_, [u8]>>| bytes.as_ref().map_or(0, |bytes| bytes.len());
        let headers = self.headers.iter().map(|(key, value)| key.len() + len(value) + HEADER_OVERHEAD);
        len(&self.key) + len(&self.value) + headers.sum::<usize>() + RECORD_OVERHEAD
    }
}

/// Records of one partition, to be sent together.
#[derive(Debug)]
pub struct OpenBatch {
    pub partition: i32,
    pub builder: BatchBuilder,
    /// The lines of the input that its records were, in order.
    pub lines: Vec<u64>,
    pub size_bytes: usize,
}

/// The batches that are being filled.
pub struct Batching {
    partitions: i32,
    codec: Codec,
    open: BTreeMap<i32, OpenBatch>,
    /// Where records without a key go until that batch is full: fewer, larger batches.
    sticky: i32,
}

impl Batching {
    /// Nothing yet, for a topic of so many partitions.
    pub fn new(partitions: i32, codec: Codec) -> Batching {
        assert!(partitions > 0);
        // Where the first keyless records go is left to chance, so that small inputs do not all end in one partition.
        let sticky = (now_ms() % i64::from(partitions)) as i32;
        Batching { partitions, codec, open: BTreeMap::new(), sticky }
    }

    /// How many partitions there are.
    pub fn partitions(&self) -> i32 {
        self.partitions
    }

    /// Adds the record of a line; gives the batch that must go first to make room for it.
    pub fn put(&mut self, line: u64, record: &RecordIn<'_>) -> Option<OpenBatch> {
        let partition = match (record.partition, &record.key) {
            (Some(partition), _) => partition,
            (None, Some(key)) => partition_of(key, self.partitions),
            (None, None) => self.sticky,
        };
        let size = record.size_bytes();
        let is_full = self.open.get(&partition).is_some_and(|batch| batch.size_bytes + size > BATCH_BYTES);
        let full = if is_full { self.open.remove(&partition) } else { None };
        let mut target = partition;
        if full.is_some() && partition == self.sticky && record.partition.is_none() && record.key.is_none() {
            self.sticky = (self.sticky + 1) % self.partitions;
            target = self.sticky;
        }
        let batch = self.open.entry(target).or_insert_with(|| OpenBatch {
            partition: target,
            builder: BatchBuilder::new().codec(self.codec, None),
            lines: Vec::new(),
            size_bytes: 0,
        });
        let headers: Vec<(&[u8], Option<&[u8]>)> =
            record.headers.iter().map(|(key, value)| (&**key, value.as_deref())).collect();
        let timestamp = record.timestamp.unwrap_or_else(now_ms);
        let builder = std::mem::take(&mut batch.builder);
        batch.builder =
            builder.record_with(timestamp, record.key.as_deref(), record.value.as_deref(), &headers);
        batch.lines.push(line);
        batch.size_bytes += size;
        full
    }

    /// Takes all that is there; keyless records go elsewhere next.
    pub fn take_all(&mut self) -> Vec<OpenBatch> {
        if !self.open.is_empty() {
            self.sticky = (self.sticky + 1) % self.partitions;
        }
        std::mem::take(&mut self.open).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_partition_and_the_rest_share() {
        let mut batching = Batching::new(4, Codec::None);
        for line in 0..100 {
            assert!(batching.put(line, &record(Some(b"key"), 10)).is_none());
        }
        let batches = batching.take_all();
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].partition, partition_of(b"key", 4));
        assert_eq!(batches[0].lines, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn keyless_records_move_on_when_a_batch_is_full() {
        let mut batching = Batching::new(3, Codec::None);
        let full: Vec<OpenBatch> =
            (0..3000).filter_map(|line| batching.put(line, &record(None, 1000))).collect();
        assert_eq!(full.len(), 5);
        assert!(full.iter().all(|batch| batch.size_bytes <= BATCH_BYTES));
        assert!(full.windows(2).all(|pair| pair[0].partition != pair[1].partition));
        let records: usize = full.iter().chain(&batching.take_all()).map(|batch| batch.lines.len()).sum();
        assert_eq!(records, 3000);
    }

    #[test]
    fn a_record_larger_than_a_batch_goes_alone() {
        let mut batching = Batching::new(1, Codec::None);
        assert!(batching.put(1, &record(None, 2 * BATCH_BYTES)).is_none());
        let first = batching.put(2, &record(None, 1)).unwrap();
        assert_eq!(first.lines, [1]);
    }

    fn record(key: Option<&'static [u8]>, size: usize) -> RecordIn<'static> {
        RecordIn {
            key: key.map(Cow::Borrowed),
            value: Some(Cow::Owned(vec![b'x'; size])),
            headers: Vec::new(),
            partition: None,
            timestamp: Some(1),
        }
    }
}
