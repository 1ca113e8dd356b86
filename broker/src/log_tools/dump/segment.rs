//! Segments and their indexes, for `dump`.

use std::path::Path;

use protocol::{Decoder, MetadataRecord};
use shard::{Disk, FileId, IoError, OpenMode};
use storage::Offset;
use storage::batch::{BatchHeader, Codec, HEADER_LEN, Record, RecordStream};
use storage::index::{OFFSET_ENTRY_LEN, TIME_ENTRY_LEN, offset_entry, time_entry};
use storage::inspect::{BatchWalk, Step};
use storage::segment::parse_name;

use super::Dump;
use crate::log_tools::excerpt::excerpt;
use crate::log_tools::report::{Line, Report};
use crate::log_tools::{ToolError, Verdict};

/// The records of a larger batch are not shown.
const BATCH_LEN_MAX: u64 = 128 << 20;
/// What one batch may unpack to.
const UNPACKED_LEN_MAX: usize = 1 << 30;
/// An index is read so many entries at a time.
const ENTRIES_AT_A_TIME: usize = 4096;

impl Dump<'_> {
    pub(super) fn segment(&mut self, path: &Path, name: &str, is_metadata: bool) -> Result<(), ToolError> {
        self.begin_file(path, if is_metadata { "a segment of the metadata log" } else { "a segment" })?;
        let base = parse_name(name).map_or(Offset::ZERO, |(base, _)| base);
        let opened = self.disk.open(path, OpenMode::Read).and_then(|file| Ok((file, self.disk.len(file)?)));
        let (file, len) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.fault(path, 0, &error.to_string()),
        };
        let mut walk = BatchWalk::new(&mut self.disk, file, len, base);
        loop {
            let fault = match walk.step() {
                Ok(None) => break,
                Ok(Some(Step::Broken { position, fault })) => {
                    let left = len - position;
                    Some((position, format!("{fault}; {left} bytes from here on are no whole batches")))
                }
                Ok(Some(Step::Batch { position, header, size, has_right_crc })) => {
                    self.report.put(&batch_line(position, &header, size, has_right_crc))?;
                    let reason = match has_right_crc {
                        false => {
                            Some(format!("the batch at offset {} fails its checksum", header.base_offset))
                        }
                        true if self.records => {
                            show_records(&mut walk, &mut self.report, position, &header, size, is_metadata)?
                        }
                        true => None,
                    };
                    reason.map(|reason| (position, reason))
                }
                Err(error) => Some((walk.position(), error.to_string())),
            };
            if let Some((position, reason)) = fault {
                self.verdict = Verdict::Found;
                self.report.put(&broken_line(path, position, &reason))?;
            }
        }
        self.disk.close(file);
        Ok(())
    }

    pub(super) fn offset_index(&mut self, path: &Path, name: &str) -> Result<(), ToolError> {
        let base = parse_name(name).map_or(Offset::ZERO, |(base, _)| base);
        self.index_file::<OFFSET_ENTRY_LEN>(path, "an offset index", |position, bytes| {
            let entry = offset_entry(bytes)?;
            let line = Line::new("index_entry").number("at", position);
            Some(line.number("offset", base.plus(entry.relative.into()).0).number("position", entry.position))
        })
    }

    pub(super) fn time_index(&mut self, path: &Path, name: &str) -> Result<(), ToolError> {
        let base = parse_name(name).map_or(Offset::ZERO, |(base, _)| base);
        self.index_file::<TIME_ENTRY_LEN>(path, "a time index", |position, bytes| {
            let entry = time_entry(bytes)?;
            let line = Line::new("time_entry").number("at", position).number("timestamp", entry.timestamp);
            Some(line.number("offset", base.plus(entry.relative.into()).0))
        })
    }

    fn index_file<const LEN: usize>(
        &mut self,
        path: &Path,
        what: &str,
        line_of: impl Fn(u64, &[u8]) -> Option<Line>,
    ) -> Result<(), ToolError> {
        self.begin_file(path, what)?;
        let opened = self.disk.open(path, OpenMode::Read).and_then(|file| Ok((file, self.disk.len(file)?)));
        let (file, len) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.fault(path, 0, &error.to_string()),
        };
        let entries = len / LEN as u64;
        self.report.put(&Line::new("index").number("entries", entries).number("size", len))?;
        let shown = if self.index { self.index_entries::<LEN>(file, &line_of)? } else { Ok(()) };
        self.disk.close(file);
        if let Err(error) = shown {
            self.fault(path, 0, &error.to_string())?;
        }
        if !len.is_multiple_of(LEN as u64) {
            self.fault(path, entries * LEN as u64, "the file ends within an entry")?;
        }
        Ok(())
    }

    fn index_entries<const LEN: usize>(
        &mut self,
        file: FileId,
        line_of: &impl Fn(u64, &[u8]) -> Option<Line>,
    ) -> Result<Result<(), IoError>, ToolError> {
        let mut position = 0;
        let mut bytes = vec![0; LEN * ENTRIES_AT_A_TIME];
        loop {
            let count = match self.disk.read_at(file, position, &mut bytes) {
                Ok(count) => count,
                Err(error) => return Ok(Err(error)),
            };
            for (chunk, at) in bytes[..count].chunks_exact(LEN).zip((position..).step_by(LEN)) {
                if let Some(line) = line_of(at, chunk) {
                    self.report.put(&line)?;
                }
            }
            if count < bytes.len() {
                return Ok(Ok(()));
            }
            position += count as u64;
        }
    }
}

/// What is wrong with a file, and where.
pub(super) fn broken_line(path: &Path, position: u64, reason: &str) -> Line {
    let line = Line::new("broken").text("path", path.display().to_string()).number("position", position);
    line.text("reason", reason)
}

fn batch_line(position: u64, header: &BatchHeader, size: u64, has_right_crc: bool) -> Line {
    let attributes = header.attributes;
    let codec = attributes.codec().map_or("unknown".to_owned(), |codec| format!("{codec:?}").to_lowercase());
    let time = if attributes.has_append_time() { "LogAppendTime" } else { "CreateTime" };
    let line = Line::new("batch")
        .number("base_offset", header.base_offset.0)
        .number("last_offset", header.last_offset().0)
        .number("count", header.record_count)
        .number("position", position)
        .number("size", size)
        .text("codec", codec)
        .number("base_timestamp", header.base_timestamp)
        .number("max_timestamp", header.max_timestamp)
        .text("timestamp_type", time)
        .number("producer_id", header.producer_id.0)
        .number("producer_epoch", header.producer_epoch.0)
        .number("base_sequence", header.base_sequence.0)
        .number("leader_epoch", header.leader_epoch.0)
        .flag("transactional", attributes.is_transactional())
        .flag("control", attributes.is_control());
    let line = match attributes.delete_horizon(header.base_timestamp) {
        Some(horizon) => line.number("delete_horizon", horizon),
        None => line,
    };
    line.text("crc", if has_right_crc { "ok" } else { "wrong" })
}

/// Prints a batch's records; gives the reason if they cannot all be read.
fn show_records(
    walk: &mut BatchWalk<'_>,
    report: &mut Report,
    position: u64,
    header: &BatchHeader,
    size: u64,
    is_metadata: bool,
) -> Result<Option<String>, ToolError> {
    if size > BATCH_LEN_MAX {
        let note = format!(
            "a batch of {size} bytes: its records are not shown, for they must fit {BATCH_LEN_MAX} bytes"
        );
        report.put(&Line::new("note").text("what", note))?;
        return Ok(None);
    }
    let bytes = match walk.copy_at(position, size as usize) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let packed = bytes.get(HEADER_LEN..).unwrap_or_default();
    let Some(codec) = header.attributes.codec() else { return Ok(Some("there is no such codec".to_owned())) };
    // An empty batch, which compaction leaves, has nothing to unpack.
    let codec = if packed.is_empty() { Codec::None } else { codec };
    let mut records = match RecordStream::new(codec, packed, UNPACKED_LEN_MAX) {
        Ok(records) => records,
        Err(fault) => return Ok(Some(fault.to_string())),
    };
    let mut count = 0;
    loop {
        match records.next() {
            Ok(None) => break,
            Ok(Some(record)) => report.put(&record_line(header, &record, is_metadata))?,
            Err(fault) => return Ok(Some(format!("record {count} of the batch: {fault}"))),
        }
        count += 1;
    }
    let told = header.record_count;
    Ok((count != told).then(|| format!("the batch holds {count} records, and its header tells of {told}")))
}

fn record_line(header: &BatchHeader, record: &Record<'_>, is_metadata: bool) -> Line {
    let offset = header.base_offset.0.saturating_add(record.offset_delta.into());
    let line = Line::new("record").number("offset", offset);
    let line = line.number("timestamp", header.timestamp_of(record.timestamp_delta));
    if is_metadata && !header.attributes.is_control() {
        return match MetadataRecord::decode(&mut Decoder::new(record.value.unwrap_or_default())) {
            Ok(Some(metadata)) => line.text("metadata", format!("{metadata:?}")),
            Ok(None) => line.text("metadata", "of a type that is not known"),
            Err(error) => line.text("metadata", format!("cannot be read: {error}")),
        };
    }
    let headers = record.headers.iter().map(|header| (excerpt(header.key), header.value.map(excerpt)));
    line.maybe("key", record.key.map(excerpt))
        .maybe("value", record.value.map(excerpt))
        .pairs("headers", headers.collect())
}
