//! Record batches, magic 2: the unit that is sent, checked, stored and fetched as it is.
//!
//! ```text
//!   0        8      12     16 17    21    23       27       35       43     51  53     57     61
//!   │base    │length│leader│m│ crc  │attr │last    │base    │max     │prod. │ep│base  │record│ records …
//!   │offset  │      │epoch │ │      │     │off. Δ  │time    │time    │id    │  │seq.  │count │
//!   └ set by the broker ───┘        └ covered by the CRC-32C ─────────────────────────────────────────
//! ```
//!
//! Everything before the CRC may be patched without touching it (Q30). Nothing here panics, whatever the
//! bytes.

pub mod build;
pub mod codec;
pub mod marker;
pub mod record;
pub mod refusal;
pub mod stream;
pub mod validate;
pub mod varint;

pub use build::BatchBuilder;
pub use codec::Codec;
pub use marker::Marker;
pub use record::{Header, Headers, Record, RecordFault};
pub use stream::RecordStream;
pub use validate::{InvalidBatch, RecordError, RecordErrorKind, Refusal, ValidBatch, validate};

use crate::offset::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence};

/// Bytes of a batch before its records.
pub const HEADER_LEN: usize = 61;
/// Bytes that the length field does not count: the base offset and the length itself.
pub const LENGTH_OVERHEAD: usize = 12;
/// The leading bytes that the broker sets, all outside the CRC but magic: base offset, length, leader epoch.
pub const HEAD_LEN: usize = 16;
/// Where the bytes begin that the CRC covers.
pub const CRC_START: usize = 21;
/// The only batch format stored.
pub const MAGIC: i8 = 2;

/// The header's bit field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes(pub i16);

impl Attributes {
    const CODEC: i16 = 0b0111;
    const APPEND_TIME: i16 = 1 << 3;
    const TRANSACTIONAL: i16 = 1 << 4;
    const CONTROL: i16 = 1 << 5;

    /// How the records are packed; `None` for a codec that does not exist.
    pub fn codec(self) -> Option<Codec> {
        Codec::from_id((self.0 & Attributes::CODEC) as u8)
    }

    /// Whether the maximum timestamp stands for the time of every record (LogAppendTime).
    pub fn has_append_time(self) -> bool {
        self.0 & Attributes::APPEND_TIME != 0
    }

    /// Whether the batch belongs to a transaction.
    pub fn is_transactional(self) -> bool {
        self.0 & Attributes::TRANSACTIONAL != 0
    }

    /// Whether the batch holds a marker of the broker's own (Q51).
    pub fn is_control(self) -> bool {
        self.0 & Attributes::CONTROL != 0
    }

    /// The same with another codec.
    pub fn with_codec(self, codec: Codec) -> Attributes {
        Attributes(self.0 & !Attributes::CODEC | codec.id() as i16)
    }

    /// The same, saying LogAppendTime.
    pub fn with_append_time(self) -> Attributes {
        Attributes(self.0 | Attributes::APPEND_TIME)
    }
}

/// All that a batch says before its records, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchHeader {
    /// Offset of the first record (or of what was the first, before compaction).
    pub base_offset: Offset,
    /// Bytes after the length field.
    pub length: i32,
    /// The leader that appended it.
    pub leader_epoch: LeaderEpoch,
    /// Format version.
    pub magic: i8,
    /// CRC-32C of all that follows the field. 0 is as good a checksum as any (C21).
    pub crc: u32,
    /// Codec and kinds.
    pub attributes: Attributes,
    /// Last offset, relative to the base.
    pub last_offset_delta: i32,
    /// What the records' timestamp deltas start from, in ms.
    pub base_timestamp: i64,
    /// The largest timestamp of its records in ms, -1 if they have none.
    pub max_timestamp: i64,
    /// Who produced it, or [`ProducerId::NONE`].
    pub producer_id: ProducerId,
    /// The producer's incarnation.
    pub producer_epoch: ProducerEpoch,
    /// The first record's sequence number.
    pub base_sequence: Sequence,
    /// How many records follow.
    pub record_count: i32,
}

impl BatchHeader {
    /// Reads the header at the start of `bytes`; `None` if they are too few. Judges nothing.
    pub fn parse(bytes: &[u8]) -> Option<BatchHeader> {
        let header: &[u8; HEADER_LEN] = bytes.first_chunk()?;
        Some(BatchHeader {
            base_offset: Offset(i64::from_be_bytes(field(header, 0))),
            length: i32::from_be_bytes(field(header, 8)),
            leader_epoch: LeaderEpoch(i32::from_be_bytes(field(header, 12))),
            magic: i8::from_be_bytes(field(header, 16)),
            crc: u32::from_be_bytes(field(header, 17)),
            attributes: Attributes(i16::from_be_bytes(field(header, 21))),
            last_offset_delta: i32::from_be_bytes(field(header, 23)),
            base_timestamp: i64::from_be_bytes(field(header, 27)),
            max_timestamp: i64::from_be_bytes(field(header, 35)),
            producer_id: ProducerId(i64::from_be_bytes(field(header, 43))),
            producer_epoch: ProducerEpoch(i16::from_be_bytes(field(header, 51))),
            base_sequence: Sequence(i32::from_be_bytes(field(header, 53))),
            record_count: i32::from_be_bytes(field(header, 57)),
        })
    }

    /// Writes the header as it is into the first [`HEADER_LEN`] bytes of `into`.
    pub fn write(&self, into: &mut [u8; HEADER_LEN]) {
        into[0..8].copy_from_slice(&self.base_offset.0.to_be_bytes());
        into[8..12].copy_from_slice(&self.length.to_be_bytes());
        into[12..16].copy_from_slice(&self.leader_epoch.0.to_be_bytes());
        into[16..17].copy_from_slice(&self.magic.to_be_bytes());
        into[17..21].copy_from_slice(&self.crc.to_be_bytes());
        into[21..23].copy_from_slice(&self.attributes.0.to_be_bytes());
        into[23..27].copy_from_slice(&self.last_offset_delta.to_be_bytes());
        into[27..35].copy_from_slice(&self.base_timestamp.to_be_bytes());
        into[35..43].copy_from_slice(&self.max_timestamp.to_be_bytes());
        into[43..51].copy_from_slice(&self.producer_id.0.to_be_bytes());
        into[51..53].copy_from_slice(&self.producer_epoch.0.to_be_bytes());
        into[53..57].copy_from_slice(&self.base_sequence.0.to_be_bytes());
        into[57..61].copy_from_slice(&self.record_count.to_be_bytes());
    }

    /// The batch's size in bytes, all included; `None` if the length field cannot be true.
    pub fn size(&self) -> Option<usize> {
        let size = usize::try_from(self.length).ok()?.checked_add(LENGTH_OVERHEAD)?;
        (size >= HEADER_LEN).then_some(size)
    }

    /// Whether the checksum is that of `batch`, which is all of it.
    pub fn is_sum_of(&self, batch: &[u8]) -> bool {
        batch.get(CRC_START..).is_some_and(|covered| crc32c::crc32c(covered) == self.crc)
    }

    /// Offset of the last record.
    pub fn last_offset(&self) -> Offset {
        Offset(self.base_offset.0.saturating_add(i64::from(self.last_offset_delta)))
    }

    /// Sequence number of the last record; it wraps within the batch if it must (C27).
    pub fn last_sequence(&self) -> Sequence {
        self.base_sequence.plus(self.last_offset_delta)
    }

    /// The time in ms of a record whose delta is `timestamp_delta`.
    pub fn timestamp_of(&self, timestamp_delta: i64) -> i64 {
        if self.attributes.has_append_time() {
            return self.max_timestamp;
        }
        // Clients wrap here too, so a wrapped sum is what everybody sees.
        self.base_timestamp.wrapping_add(timestamp_delta)
    }
}

/// `N` bytes at `at`; the callers' constants all lie within the header.
fn field<const N: usize>(header: &[u8; HEADER_LEN], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&header[at..at + N]);
    bytes
}

/// Sets length and CRC of a whole batch after its header or records were changed.
pub fn seal(batch: &mut [u8]) {
    assert!(batch.len() >= HEADER_LEN);
    let length = i32::try_from(batch.len() - LENGTH_OVERHEAD).expect("a batch stays below 2 GiB");
    batch[8..12].copy_from_slice(&length.to_be_bytes());
    let crc = crc32c::crc32c(&batch[CRC_START..]);
    batch[17..21].copy_from_slice(&crc.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reads_back_as_written() {
        let bytes: Vec<u8> = (1..=61).collect();
        let header = BatchHeader::parse(&bytes).unwrap();
        let mut again = [0; HEADER_LEN];
        header.write(&mut again);
        assert_eq!(&again[..], &bytes[..]);
        assert_eq!(header.base_offset, Offset(0x0102_0304_0506_0708));
        assert_eq!(header.record_count, 0x3a3b_3c3d);
        assert_eq!(BatchHeader::parse(&bytes[..60]), None);
    }

    #[test]
    fn a_changed_byte_is_not_what_the_checksum_is_of() {
        let mut batch = BatchBuilder::new().record(1, Some(b"key"), Some(b"value")).build();
        let header = BatchHeader::parse(&batch).unwrap();
        assert!(header.is_sum_of(&batch));
        *batch.last_mut().unwrap() ^= 1;
        assert!(!header.is_sum_of(&batch));
        assert!(!header.is_sum_of(&batch[..CRC_START]));
    }

    #[test]
    fn a_length_that_cannot_be_true_gives_no_size() {
        let mut bytes = [0; HEADER_LEN];
        for (length, size) in [(49, Some(61)), (48, None), (0, None), (-1, None), (i32::MIN, None)] {
            bytes[8..12].copy_from_slice(&i32::to_be_bytes(length));
            assert_eq!(BatchHeader::parse(&bytes).unwrap().size(), size);
        }
    }
}
