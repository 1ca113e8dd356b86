//! Makes batches: for the broker's own records, for tests and for bench.

use super::codec::{self, Codec};
use super::varint::{put_varint, put_varlong};
use super::{Attributes, BatchHeader, HEADER_LEN, MAGIC, seal};
use crate::offset::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence};

/// Collects records, then gives one batch that starts at offset 0.
#[derive(Debug, Clone)]
pub struct BatchBuilder {
    header: BatchHeader,
    codec: Codec,
    level: Option<i32>,
    records: Vec<u8>,
}

/// One header of a record to be: key and value.
pub type HeaderIn<'a> = (&'a [u8], Option<&'a [u8]>);

impl BatchBuilder {
    /// An empty batch: no codec, no producer.
    pub fn new() -> BatchBuilder {
        let header = BatchHeader {
            base_offset: Offset::ZERO,
            length: 0,
            leader_epoch: LeaderEpoch::UNKNOWN,
            magic: MAGIC,
            crc: 0,
            attributes: Attributes(0),
            last_offset_delta: -1,
            base_timestamp: -1,
            max_timestamp: -1,
            producer_id: ProducerId::NONE,
            producer_epoch: ProducerEpoch(-1),
            base_sequence: Sequence::NONE,
            record_count: 0,
        };
        BatchBuilder { header, codec: Codec::None, level: None, records: Vec::new() }
    }

    /// Packs the records with `codec` at `level`.
    pub fn codec(mut self, codec: Codec, level: Option<i32>) -> BatchBuilder {
        self.codec = codec;
        self.level = level;
        self
    }

    /// Makes it a producer's batch.
    pub fn producer(mut self, id: ProducerId, epoch: ProducerEpoch, base_sequence: Sequence) -> BatchBuilder {
        self.header.producer_id = id;
        self.header.producer_epoch = epoch;
        self.header.base_sequence = base_sequence;
        self
    }

    /// Adds attribute bits beside the codec.
    pub fn attributes(mut self, bits: i16) -> BatchBuilder {
        self.header.attributes.0 |= bits;
        self
    }

    /// Appends a record dated `timestamp` (ms).
    pub fn record(self, timestamp: i64, key: Option<&[u8]>, value: Option<&[u8]>) -> BatchBuilder {
        self.record_with(timestamp, key, value, &[])
    }

    /// Appends a record with headers.
    pub fn record_with(
        mut self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[HeaderIn<'_>],
    ) -> BatchBuilder {
        if self.header.record_count == 0 {
            self.header.base_timestamp = timestamp;
        }
        let mut body = vec![0];
        put_varlong(&mut body, timestamp.wrapping_sub(self.header.base_timestamp));
        put_varint(&mut body, self.header.record_count);
        put_nullable(&mut body, key);
        put_nullable(&mut body, value);
        put_varint(&mut body, len_of(headers.len()));
        for (key, value) in headers {
            put_nullable(&mut body, Some(key));
            put_nullable(&mut body, *value);
        }
        put_varint(&mut self.records, len_of(body.len()));
        self.records.extend_from_slice(&body);
        self.header.record_count += 1;
        self.header.last_offset_delta += 1;
        self.header.max_timestamp = self.header.max_timestamp.max(timestamp);
        self
    }

    /// The batch, sealed.
    pub fn build(mut self) -> Vec<u8> {
        self.header.attributes = self.header.attributes.with_codec(self.codec);
        let mut header = [0; HEADER_LEN];
        self.header.write(&mut header);
        let mut batch = header.to_vec();
        match self.codec {
            Codec::None => batch.extend_from_slice(&self.records),
            codec => batch.extend_from_slice(&codec::pack(codec, self.level, &self.records)),
        }
        seal(&mut batch);
        batch
    }
}

impl Default for BatchBuilder {
    fn default() -> BatchBuilder {
        BatchBuilder::new()
    }
}

fn put_nullable(into: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        None => put_varint(into, -1),
        Some(bytes) => {
            put_varint(into, len_of(bytes.len()));
            into.extend_from_slice(bytes);
        }
    }
}

fn len_of(len: usize) -> i32 {
    i32::try_from(len).expect("a record's part stays below 2 GiB")
}
