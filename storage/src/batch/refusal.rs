//! Why a client's batch is not appended: a closed list, from which the broker makes Kafka's error codes.

use std::fmt;

use super::record::RecordFault;
use crate::offset::{Offset, Sequence};

/// What is wrong with a batch. The Kafka error that each stands for is named with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// CORRUPT_MESSAGE (2): the length field cannot be true.
    CorruptLength(i32),
    /// CORRUPT_MESSAGE (2): the bytes are not those that the producer summed up.
    CorruptCrc {
        /// The checksum in the header.
        stated: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// INVALID_RECORD (87): the batch breaks a rule.
    Invalid(InvalidBatch),
    /// INVALID_TIMESTAMP (32) if any of them is about a date, else INVALID_RECORD (87); named one by one in
    /// `record_errors`.
    Records(Vec<RecordError>),
    /// INVALID_TIMESTAMP (32): a producer may not claim append time.
    TimestampType,
    /// MESSAGE_TOO_LARGE (10): the Java producer then splits the batch and tries again.
    TooLarge {
        /// Bytes of the batch as it would be stored.
        size: usize,
        /// The topic's limit.
        size_max: u32,
    },
    /// MESSAGE_TOO_LARGE (10): the compressed records unpack to more than the limit; splitting helps here as
    /// well.
    UnpacksTooLarge {
        /// The limit in bytes.
        size_max: u32,
    },
    /// RECORD_LIST_TOO_LARGE (18): no segment could hold it.
    BeyondSegment {
        /// Bytes of the batch.
        size: usize,
        /// The topic's segment size.
        size_max: u32,
    },
    /// UNSUPPORTED_COMPRESSION_TYPE (76): the codec number means nothing.
    UnknownCodec,
}

/// A rule that the batch as a whole breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidBatch {
    /// No batch at all.
    Missing,
    /// The bytes end before the batch does.
    Cut,
    /// Something follows the batch (Q27).
    MoreThanOne,
    /// A format that is no longer taken (Q27).
    Magic(i8),
    /// Clients start at 0.
    BaseOffset(Offset),
    /// Less than one record.
    RecordCount(i32),
    /// Offsets and count disagree.
    LastOffsetDelta {
        /// As stated.
        last_offset_delta: i32,
        /// As stated.
        record_count: i32,
    },
    /// Markers are the broker's to write.
    Control,
    /// An idempotent batch with a negative sequence (C27).
    Sequence(Sequence),
    /// A record's bytes make no sense.
    Record {
        /// Which record.
        index: i32,
        /// What is wrong.
        fault: RecordFault,
    },
    /// A record is out of place, or one too many.
    RecordOrder {
        /// Which record.
        index: i32,
        /// What it says.
        offset_delta: i32,
        /// How many there should be.
        count: i32,
    },
    /// Fewer records than stated.
    RecordsMissing {
        /// How many there are.
        found: i32,
        /// How many there should be.
        count: i32,
    },
}

/// One record that may not be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordError {
    /// Its place in the batch.
    pub index: i32,
    /// What is wrong with it.
    pub kind: RecordErrorKind,
}

/// What can be wrong with a single record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordErrorKind {
    /// A compacted topic needs keys (Q34).
    NullKey,
    /// Dated too far from now (Q35).
    Timestamp(i64),
}

impl Refusal {
    pub(super) fn of_fault(index: i32, fault: RecordFault, size_max: u32) -> Refusal {
        match fault {
            RecordFault::UnpacksTooLarge => Refusal::UnpacksTooLarge { size_max },
            fault => Refusal::Invalid(InvalidBatch::Record { index, fault }),
        }
    }
}

impl From<InvalidBatch> for Refusal {
    fn from(invalid: InvalidBatch) -> Refusal {
        Refusal::Invalid(invalid)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::CorruptLength(length) => write!(f, "a batch cannot have {length} bytes"),
            Refusal::CorruptCrc { stated, computed } => {
                write!(f, "the batch's CRC-32C is {computed:#010x}, its header says {stated:#010x}")
            }
            Refusal::Invalid(invalid) => invalid.fmt(f),
            Refusal::Records(errors) => match errors.first() {
                Some(first) => write!(
                    f,
                    "{} records refused, the first at {}: {}",
                    errors.len(),
                    first.index,
                    first.kind
                ),
                None => f.write_str("records refused"),
            },
            Refusal::TimestampType => {
                f.write_str("a producer may not set the timestamp type to LogAppendTime")
            }
            Refusal::TooLarge { size, size_max } => {
                write!(f, "the batch has {size} bytes, max.message.bytes is {size_max}")
            }
            Refusal::UnpacksTooLarge { size_max } => {
                write!(f, "the compressed records have more than {size_max} bytes when unpacked")
            }
            Refusal::BeyondSegment { size, size_max } => {
                write!(f, "the batch has {size} bytes, segment.bytes is {size_max}")
            }
            Refusal::UnknownCodec => f.write_str("the batch names a codec that does not exist"),
        }
    }
}

impl fmt::Display for InvalidBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidBatch::Missing => f.write_str("a produce request needs a record batch for each partition"),
            InvalidBatch::Cut => f.write_str("the record batch is cut short"),
            InvalidBatch::MoreThanOne => {
                f.write_str("a produce request holds exactly one record batch a partition")
            }
            InvalidBatch::Magic(magic) => write!(f, "record batches need magic 2, not {magic}"),
            InvalidBatch::BaseOffset(offset) => {
                write!(f, "a produced batch starts at offset 0, not {offset}")
            }
            InvalidBatch::RecordCount(count) => write!(f, "a batch cannot have {count} records"),
            InvalidBatch::LastOffsetDelta { last_offset_delta, record_count } => {
                write!(f, "the last offset delta is {last_offset_delta} with {record_count} records")
            }
            InvalidBatch::Control => f.write_str("clients may not write control records"),
            InvalidBatch::Sequence(sequence) => {
                write!(f, "an idempotent batch cannot have sequence {}", sequence.0)
            }
            InvalidBatch::Record { index, fault } => write!(f, "record {index}: {fault}"),
            InvalidBatch::RecordOrder { index, offset_delta, count } => {
                write!(f, "record {index} of {count} has offset delta {offset_delta}")
            }
            InvalidBatch::RecordsMissing { found, count } => {
                write!(f, "the batch has {found} records and states {count}")
            }
        }
    }
}

impl fmt::Display for RecordErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordErrorKind::NullKey => f.write_str("a compacted topic cannot take a record without a key"),
            RecordErrorKind::Timestamp(timestamp) => {
                write!(f, "timestamp {timestamp} is outside the range that the topic accepts")
            }
        }
    }
}
