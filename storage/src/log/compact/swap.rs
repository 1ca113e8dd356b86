//! Putting a compacted segment in the place of those that it was made of, and remembering how far a log is
//! compacted.
//!
//! The files are Kafka's by name: `.log.cleaned` is being written and means nothing; once it is whole, durable
//! and named `.log.swap`, it stands for every segment that begins within its offsets, and whoever finds it
//! finishes the swap. How far the log is compacted stands in `ringlog.cleaned` (`1 <offset> <CRC-32C>`); without
//! it everything is compacted once more.

use std::path::Path;

use shard::disk::Entry;
use shard::{Disk, OpenMode};

use super::super::close::remove_if_there;
use crate::aborted::{self, AbortedTxn};
use crate::error::{Cause, StorageError};
use crate::line;
use crate::offset::Offset;
use crate::scan::Scanner;
use crate::segment::{INDEX, Indexes, LOG, Segment, TIME_INDEX, TXN_INDEX, parse_name, path_of};

/// A log file that is being written.
pub(super) const LOG_DRAFT: &str = "log.cleaned";
const INDEX_DRAFT: &str = "index.cleaned";
const TIME_INDEX_DRAFT: &str = "timeindex.cleaned";
const TXN_INDEX_DRAFT: &str = "txnindex.cleaned";
const LOG_SWAP: &str = "log.swap";
const INDEX_SWAP: &str = "index.swap";
const TIME_INDEX_SWAP: &str = "timeindex.swap";
const TXN_INDEX_SWAP: &str = "txnindex.swap";

/// The file that says how far a log is compacted.
pub(in super::super) const CLEANED: &str = "ringlog.cleaned";

/// Swaps a draft, whose data is durable, in for the segments that begin at `group`.
pub(super) fn swap_in(
    disk: &mut dyn Disk,
    dir: &Path,
    segment: &mut Segment,
    group: &[Offset],
    aborted: Option<&[AbortedTxn]>,
) -> Result<(), StorageError> {
    let base = segment.base;
    let Indexes::Growing(index) = &mut segment.indexes else { return Ok(()) };
    index.apply_time(segment.newest);
    let (offsets, times) = index.encode();
    let drafts = [(INDEX_DRAFT, Some(offsets)), (TIME_INDEX_DRAFT, Some(times))];
    let txns = (TXN_INDEX_DRAFT, aborted.map(aborted::encode));
    for (ending, bytes) in drafts.into_iter().chain([txns]) {
        let Some(bytes) = bytes else { continue };
        let path = path_of(dir, base, ending);
        let file = disk.open(&path, OpenMode::Truncate).map_err(StorageError::io(&path))?;
        let written = disk.write_at(file, 0, &bytes).and_then(|()| disk.sync(file));
        disk.close(file);
        written.map_err(StorageError::io(&path))?;
    }
    // The log's name comes last: it makes the swap happen, whatever comes now.
    if aborted.is_some() {
        rename(disk, dir, base, TXN_INDEX_DRAFT, TXN_INDEX_SWAP)?;
    }
    let names = [(INDEX_DRAFT, INDEX_SWAP), (TIME_INDEX_DRAFT, TIME_INDEX_SWAP), (LOG_DRAFT, LOG_SWAP)];
    for (from, to) in names {
        rename(disk, dir, base, from, to)?;
    }
    disk.sync_dir(dir).map_err(StorageError::io(dir))?;
    finish(disk, dir, base, group)?;
    segment.indexes = Indexes::Sealed;
    Ok(())
}

fn rename(disk: &mut dyn Disk, dir: &Path, base: Offset, from: &str, to: &str) -> Result<(), StorageError> {
    let path = path_of(dir, base, from);
    disk.rename(&path, &path_of(dir, base, to)).map_err(StorageError::io(&path))
}

/// Removes what a swap stands for, and gives it its name.
fn finish(disk: &mut dyn Disk, dir: &Path, base: Offset, group: &[Offset]) -> Result<(), StorageError> {
    for &old in group.iter().filter(|old| **old != base) {
        for ending in [LOG, INDEX, TIME_INDEX, TXN_INDEX] {
            remove_if_there(disk, &path_of(dir, old, ending))?;
        }
    }
    let indexes = [(INDEX_SWAP, INDEX), (TIME_INDEX_SWAP, TIME_INDEX), (TXN_INDEX_SWAP, TXN_INDEX)];
    for (from, to) in indexes.into_iter().chain([(LOG_SWAP, LOG)]) {
        match rename(disk, dir, base, from, to) {
            // Renamed before the crash, or there is none.
            Err(error) if error.cause == Cause::Io(shard::IoError::NOT_FOUND) => {}
            renamed => renamed?,
        }
    }
    disk.sync_dir(dir).map_err(StorageError::io(dir))
}

/// Finishes swaps that a crash cut short and removes drafts; says whether the directory has changed.
pub(in super::super) fn finish_swaps(
    disk: &mut dyn Disk,
    dir: &Path,
    entries: &[Entry],
) -> Result<bool, StorageError> {
    let mut has_changed = false;
    for entry in entries {
        let Some((base, ending)) = parse_name(&entry.name) else { continue };
        if [LOG_DRAFT, INDEX_DRAFT, TIME_INDEX_DRAFT, TXN_INDEX_DRAFT].contains(&ending) {
            remove_if_there(disk, &dir.join(&entry.name))?;
        } else if ending == LOG_SWAP {
            let last = last_offset(disk, dir, base, entry.len)?;
            let logs = entries.iter().filter_map(|entry| parse_name(&entry.name));
            let group: Vec<Offset> = logs
                .filter(|(other, ending)| *ending == LOG && (base..=last).contains(other))
                .map(|(other, _)| other)
                .collect();
            finish(disk, dir, base, &group)?;
            has_changed = true;
        }
    }
    for entry in entries {
        let Some((base, ending)) = parse_name(&entry.name) else { continue };
        let has_log = entries.iter().any(|other| parse_name(&other.name) == Some((base, LOG_SWAP)));
        if [INDEX_SWAP, TIME_INDEX_SWAP, TXN_INDEX_SWAP].contains(&ending) && !has_log {
            // Its log has its name already, or never got this far: the index is made anew if need be.
            remove_if_there(disk, &dir.join(&entry.name))?;
        }
    }
    Ok(has_changed)
}

fn last_offset(disk: &mut dyn Disk, dir: &Path, base: Offset, len: u64) -> Result<Offset, StorageError> {
    let path = path_of(dir, base, LOG_SWAP);
    let file = disk.open(&path, OpenMode::Read).map_err(StorageError::io(&path))?;
    let (mut at, mut last) = (0, base);
    let mut scanner = Scanner::new(disk, file, 64 << 10);
    let found = loop {
        match scanner.header_at(at, len, base) {
            Ok(Some((header, size))) => {
                last = header.last_offset();
                at += size;
            }
            Ok(None) if at == len => break Ok(last),
            Ok(None) => break Err(StorageError::new(&path, at, Cause::Corrupt)),
            Err(error) => break Err(StorageError::io(&path)(error)),
        }
    };
    disk.close(file);
    found
}

/// How far a log is compacted. A damaged file only costs another compaction.
pub(in super::super) fn read_cleaned_to(
    disk: &mut dyn Disk,
    dir: &Path,
) -> Result<Option<Offset>, StorageError> {
    let path = dir.join(CLEANED);
    let bytes = disk.read_file(&path, line::LEN_MAX).map_err(StorageError::io(&path))?;
    match bytes.map(|bytes| decode_cleaned_to(&bytes)) {
        Some(Err(Cause::UnknownVersion)) => Err(StorageError::new(&path, 0, Cause::UnknownVersion)),
        offset => Ok(offset.and_then(Result::ok)),
    }
}

pub(in super::super) fn decode_cleaned_to(bytes: &[u8]) -> Result<Offset, Cause> {
    line::number(&mut line::decode(bytes)?).map(Offset)
}

pub(super) fn write_cleaned_to(disk: &mut dyn Disk, dir: &Path, offset: Offset) -> Result<(), StorageError> {
    let path = dir.join(CLEANED);
    disk.replace_file(&path, line::encode(&offset.to_string()).as_bytes()).map_err(StorageError::io(&path))
}
