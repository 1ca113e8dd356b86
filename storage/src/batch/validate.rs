//! What a client's batch must be before it may be appended, checked in Kafka's order.
//!
//! One whole batch of magic 2 (Q27) → base offset 0 → size (Q33) → CRC → counts, kinds and sequence (Q29) →
//! every record once: shape, order, date (Q35), key (Q34) → another codec (Q32) and append time (Q31), in a
//! private copy → fits a segment. Stricter than Kafka on purpose: offset deltas must count up by one, and
//! nothing may follow the last record (C19). Not checked: that the base timestamp is the first record's.

use shard::{Buf, WallMs};

use super::codec::{self, Codec};
use super::record::{Record, RecordFault};
use super::stream::RecordStream;
use super::{BatchHeader, CRC_START, HEADER_LEN, MAGIC, seal};
use crate::offset::{Offset, Sequence};
use crate::settings::{CompressedCheck, Compression, LogSettings, TimestampType};

pub use super::refusal::{InvalidBatch, RecordError, RecordErrorKind, Refusal};

/// At most so many records of a refused batch are named; the batch is refused as a whole in any case.
pub const RECORD_ERROR_COUNT_MAX: usize = 1024;
/// Records without a date.
pub const NO_TIMESTAMP: i64 = -1;

/// One batch that may be appended.
#[derive(Debug, Clone)]
pub struct ValidBatch {
    pub(crate) bytes: Buf,
    pub(crate) header: BatchHeader,
}

impl ValidBatch {
    /// Its header, as it will be stored but for base offset and leader epoch.
    pub fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// Its bytes: the client's own, or a private copy where the topic asked for a change.
    pub fn bytes(&self) -> &Buf {
        &self.bytes
    }

    /// What Produce answers as `log_append_time_ms`: -1 unless the broker dates the records.
    pub fn log_append_time(&self) -> i64 {
        if self.header.attributes.has_append_time() { self.header.max_timestamp } else { NO_TIMESTAMP }
    }

    /// A batch of the broker's own making or from a leader: only shape and CRC are checked, and its offsets
    /// are kept.
    pub fn trusted(bytes: Buf) -> Result<ValidBatch, Refusal> {
        let header = check_frame(&bytes)?;
        check_crc(&header, &bytes)?;
        Ok(ValidBatch { bytes, header })
    }
}

/// Checks the records that a client sent for one partition, and changes them as the topic asks.
pub fn validate(bytes: Buf, settings: &LogSettings, now: WallMs) -> Result<ValidBatch, Refusal> {
    let header = check_frame(&bytes)?;
    if header.base_offset != Offset::ZERO {
        return Err(InvalidBatch::BaseOffset(header.base_offset).into());
    }
    check_size(bytes.len(), settings)?;
    check_crc(&header, &bytes)?;
    check_header(&header)?;
    let codec = header.attributes.codec().ok_or(Refusal::UnknownCodec)?;
    let target = match settings.compression {
        Compression::Producer => codec,
        Compression::Codec(target, _) => target,
    };
    let skips_records = codec != Codec::None
        && target == codec
        && !settings.is_compacted
        && settings.compressed_check == CompressedCheck::WhenNeeded;
    let max_timestamp = if skips_records {
        header.max_timestamp
    } else {
        check_records(&header, codec, &bytes, settings, now)?
    };
    let batch = apply_settings(bytes, header, max_timestamp, target, settings, now)?;
    if batch.bytes.len() > settings.segment_bytes as usize {
        return Err(Refusal::BeyondSegment { size: batch.bytes.len(), size_max: settings.segment_bytes });
    }
    Ok(batch)
}

/// Exactly one batch of the right magic fills `bytes`.
fn check_frame(bytes: &[u8]) -> Result<BatchHeader, Refusal> {
    if bytes.is_empty() {
        return Err(InvalidBatch::Missing.into());
    }
    // The magic byte lies at the same place in all formats, so an old format is named even when it is short.
    if let Some(&magic) = bytes.get(16)
        && magic as i8 != MAGIC
    {
        return Err(InvalidBatch::Magic(magic as i8).into());
    }
    let header = BatchHeader::parse(bytes).ok_or(InvalidBatch::Cut)?;
    let size = header.size().ok_or(Refusal::CorruptLength(header.length))?;
    match bytes.len().cmp(&size) {
        std::cmp::Ordering::Less => Err(InvalidBatch::Cut.into()),
        std::cmp::Ordering::Greater => Err(InvalidBatch::MoreThanOne.into()),
        std::cmp::Ordering::Equal => Ok(header),
    }
}

fn check_size(size: usize, settings: &LogSettings) -> Result<(), Refusal> {
    if size > settings.message_bytes_max as usize {
        return Err(Refusal::TooLarge { size, size_max: settings.message_bytes_max });
    }
    Ok(())
}

fn check_crc(header: &BatchHeader, bytes: &[u8]) -> Result<(), Refusal> {
    let computed = crc32c::crc32c(&bytes[CRC_START..]);
    if computed == header.crc { Ok(()) } else { Err(Refusal::CorruptCrc { stated: header.crc, computed }) }
}

fn check_header(header: &BatchHeader) -> Result<(), Refusal> {
    if header.record_count <= 0 {
        return Err(InvalidBatch::RecordCount(header.record_count).into());
    }
    if header.last_offset_delta != header.record_count - 1 {
        return Err(InvalidBatch::LastOffsetDelta {
            last_offset_delta: header.last_offset_delta,
            record_count: header.record_count,
        }
        .into());
    }
    if header.attributes.is_control() {
        return Err(InvalidBatch::Control.into());
    }
    if header.producer_id.is_some() && header.base_sequence.0 < Sequence::ZERO.0 {
        return Err(InvalidBatch::Sequence(header.base_sequence).into());
    }
    if header.attributes.has_append_time() {
        return Err(Refusal::TimestampType);
    }
    Ok(())
}

/// Walks every record once; gives the largest date among them.
fn check_records(
    header: &BatchHeader,
    codec: Codec,
    bytes: &[u8],
    settings: &LogSettings,
    now: WallMs,
) -> Result<i64, Refusal> {
    let dates = Dates::of(settings, now);
    let mut errors = Vec::new();
    let mut max_timestamp = NO_TIMESTAMP;
    let mut index = 0;
    let fault_at =
        |index: i32, fault: RecordFault| Refusal::of_fault(index, fault, settings.unpacked_bytes_max);
    let mut records = RecordStream::new(codec, &bytes[HEADER_LEN..], settings.unpacked_bytes_max as usize)
        .map_err(|fault| fault_at(0, fault))?;
    while let Some(record) = records.next().map_err(|fault| fault_at(index, fault))? {
        if index == header.record_count || record.offset_delta != index {
            let found = record.offset_delta;
            return Err(
                InvalidBatch::RecordOrder { index, offset_delta: found, count: header.record_count }.into()
            );
        }
        let timestamp = header.timestamp_of(record.timestamp_delta);
        max_timestamp = max_timestamp.max(timestamp);
        if let Some(kind) = find_error(&record, timestamp, settings, &dates)
            && errors.len() < RECORD_ERROR_COUNT_MAX
        {
            errors.push(RecordError { index, kind });
        }
        index += 1;
    }
    if index != header.record_count {
        return Err(InvalidBatch::RecordsMissing { found: index, count: header.record_count }.into());
    }
    if errors.is_empty() { Ok(max_timestamp) } else { Err(Refusal::Records(errors)) }
}

/// The dates a record may bear; everything where the broker dates the records itself.
struct Dates {
    min: i64,
    max: i64,
}

impl Dates {
    fn of(settings: &LogSettings, now: WallMs) -> Dates {
        match settings.timestamp_type {
            TimestampType::LogAppendTime => Dates { min: i64::MIN, max: i64::MAX },
            TimestampType::CreateTime => Dates {
                min: now.0.saturating_sub(settings.timestamp_before_ms_max),
                max: now.0.saturating_add(settings.timestamp_after_ms_max),
            },
        }
    }
}

#[inline]
fn find_error(
    record: &Record<'_>,
    timestamp: i64,
    settings: &LogSettings,
    dates: &Dates,
) -> Option<RecordErrorKind> {
    if settings.is_compacted && record.key.is_none() {
        return Some(RecordErrorKind::NullKey);
    }
    if timestamp == NO_TIMESTAMP || (timestamp >= dates.min && timestamp <= dates.max) {
        return None;
    }
    Some(RecordErrorKind::Timestamp(timestamp))
}

/// Repacks and dates the batch if the topic asks for it; only then are its bytes copied.
fn apply_settings(
    bytes: Buf,
    mut header: BatchHeader,
    max_timestamp: i64,
    target: Codec,
    settings: &LogSettings,
    now: WallMs,
) -> Result<ValidBatch, Refusal> {
    let codec = header.attributes.codec().ok_or(Refusal::UnknownCodec)?;
    let mut wanted = header;
    wanted.attributes = header.attributes.with_codec(target);
    // A producer's wrong maximum would mislead time look-ups, so the true one replaces it (Q31).
    wanted.max_timestamp = max_timestamp;
    if settings.timestamp_type == TimestampType::LogAppendTime {
        wanted.attributes = wanted.attributes.with_append_time();
        wanted.max_timestamp = now.0;
    }
    if wanted == header {
        return Ok(ValidBatch { bytes, header });
    }
    let mut copy = if codec == target {
        bytes.to_vec()
    } else {
        repack(&bytes, codec, target, settings)
            .map_err(|fault| Refusal::of_fault(0, fault, settings.unpacked_bytes_max))?
    };
    if let Some(into) = copy.first_chunk_mut() {
        wanted.write(into);
    }
    seal(&mut copy);
    check_size(copy.len(), settings)?;
    header = BatchHeader::parse(&copy).ok_or(InvalidBatch::Cut)?;
    Ok(ValidBatch { bytes: Buf::from(copy), header })
}

fn repack(bytes: &[u8], codec: Codec, target: Codec, settings: &LogSettings) -> Result<Vec<u8>, RecordFault> {
    let level = match settings.compression {
        Compression::Producer => None,
        Compression::Codec(_, level) => level,
    };
    let raw = codec::unpack(codec, &bytes[HEADER_LEN..], settings.unpacked_bytes_max as usize)?;
    let mut copy = bytes[..HEADER_LEN].to_vec();
    copy.extend_from_slice(&codec::pack(target, level, &raw));
    Ok(copy)
}

#[cfg(test)]
mod tests;
