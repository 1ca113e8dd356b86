//! Leaving a log: a clean close with a marker that spares recovery, and deletion.
//!
//! The marker `ringlog.clean` names the active segment, its size and the log's end, and sums up the index
//! files, which are written without a sync: after a power cut they may be anything, and the marker then
//! convicts them.

use std::path::{Path, PathBuf};

use shard::{Disk, IoError, OpenMode};

use super::Log;
use super::writer::seal;
use crate::aborted;
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::line;
use crate::offset::Offset;
use crate::segment::{INDEX, Indexes, LOG, SNAPSHOT, TIME_INDEX, TXN_INDEX, parse_name, path_of};

/// The marker's name.
pub(super) const MARKER: &str = "ringlog.clean";
/// What of a directory's name stays in its name aside.
const ASIDE_CHARS_MAX: usize = 200;

/// What a clean close left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// The active segment.
    pub base: Offset,
    /// Its size in bytes.
    pub size: u32,
    /// Where the log ended.
    pub end: Offset,
    /// CRC-32C of its offset index followed by its time index and its index of aborted transactions.
    pub index_crc: u32,
}

impl Marker {
    fn encode(&self) -> String {
        line::encode(&format!("{} {} {} {}", self.base, self.size, self.end, self.index_crc))
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Marker, Cause> {
        let fields = &mut line::decode(bytes)?;
        Ok(Marker {
            base: line::number(fields).map(Offset)?,
            size: line::number(fields)?,
            end: line::number(fields).map(Offset)?,
            index_crc: line::number(fields)?,
        })
    }
}

/// The marker of a log's directory. A damaged one counts as none: it is written without a sync. One of an unknown
/// version is an error, for it may mean something else.
pub(super) fn read_marker(disk: &mut dyn Disk, dir: &Path) -> Result<Option<Marker>, StorageError> {
    let path = dir.join(MARKER);
    let bytes = disk.read_file(&path, line::LEN_MAX).map_err(StorageError::io(&path))?;
    match bytes.map(|bytes| Marker::decode(&bytes)) {
        Some(Err(Cause::UnknownVersion)) => Err(StorageError::new(&path, 0, Cause::UnknownVersion)),
        marker => Ok(marker.and_then(Result::ok)),
    }
}

/// Takes the marker back, before the first write after a clean close, and the snapshot that came with it at
/// `end`: the active segment at `base` goes on growing, and a snapshot at its end would say that it is
/// sealed. While it is empty, that snapshot is the one of the segment before.
pub(super) fn unmark(disk: &mut dyn Disk, dir: &Path, base: Offset, end: Offset) -> Result<(), StorageError> {
    remove_if_there(disk, &dir.join(MARKER))?;
    if base == end { Ok(()) } else { remove_if_there(disk, &path_of(dir, end, SNAPSHOT)) }
}

pub(super) fn remove_if_there(disk: &mut dyn Disk, path: &Path) -> Result<(), StorageError> {
    match disk.remove(path) {
        Err(error) if error != IoError::NOT_FOUND => Err(StorageError::io(path)(error)),
        _ => Ok(()),
    }
}

/// The sum of the index files, as the marker has it.
pub(super) fn index_crc(offsets: &[u8], times: &[u8], aborted: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c_append(crc32c::crc32c(offsets), times), aborted)
}

impl Log {
    /// Ends the use of the log so that opening it again costs no scan. Everything appended must have been
    /// written ([`Log::has_flight`] and [`Log::has_work`] say no), unless the log is offline; then no marker
    /// is left.
    pub fn close(mut self, disk: &mut dyn Disk, files: &mut OpenFiles) -> Result<(), StorageError> {
        for segment in &mut self.segments {
            segment.release(files);
        }
        if self.offline.is_some() || self.on_disk.marked.is_some() || self.segments.is_empty() {
            return Ok(());
        }
        assert!(self.dirty.is_empty(), "a log is closed with unwritten batches");
        assert!(self.flight.is_none(), "a log is closed with writes under way");
        while let Some(sealing) = self.sealing.pop_front() {
            let index = self.segments.partition_point(|segment| segment.base < sealing.base);
            sync_file(disk, &path_of(&self.dir, sealing.base, LOG))?;
            seal(disk, &self.dir, &mut self.segments[index], sealing.end, &sealing.snapshot)?;
        }
        self.save_epochs(disk)?;
        self.close_active(disk)?;
        self.remove_old_snapshots(disk)
    }

    fn close_active(&mut self, disk: &mut dyn Disk) -> Result<(), StorageError> {
        let Some(active) = self.segments.last_mut() else { return Ok(()) };
        let Indexes::Growing(index) = &mut active.indexes else { return Ok(()) };
        if self.durable.synced < self.offsets.end {
            sync_file(disk, &path_of(&self.dir, active.base, LOG))?;
        }
        index.apply_time(active.newest);
        let (offsets, times) = index.encode();
        let aborted = aborted::encode(&active.aborted);
        let index_crc = index_crc(&offsets, &times, &aborted);
        let marker = Marker { base: active.base, size: active.size, end: self.offsets.end, index_crc };
        write_file(disk, &path_of(&self.dir, active.base, INDEX), &offsets)?;
        write_file(disk, &path_of(&self.dir, active.base, TIME_INDEX), &times)?;
        if !aborted.is_empty() {
            write_file(disk, &path_of(&self.dir, active.base, TXN_INDEX), &aborted)?;
        }
        let (path, snapshot) =
            (path_of(&self.dir, self.offsets.end, SNAPSHOT), self.producers.encode_snapshot());
        if active.base == self.offsets.end {
            // It is also the proof and the memory of what was sealed before: a power cut must not tear it.
            disk.replace_file(&path, &snapshot).map_err(StorageError::io(&path))?;
        } else {
            write_file(disk, &path, &snapshot)?;
        }
        write_file(disk, &self.dir.join(MARKER), marker.encode().as_bytes())
    }

    /// Snapshots are kept where a segment ends, and the one just written; also the newest at or before the first segment, which
    /// alone tells of producers whose records are gone: after a lost tail it need not lie at its base.
    fn remove_old_snapshots(&self, disk: &mut dyn Disk) -> Result<(), StorageError> {
        let entries = disk.list(&self.dir).map_err(StorageError::io(&self.dir))?;
        let snapshots = entries.iter().filter_map(|entry| match parse_name(&entry.name) {
            Some((offset, SNAPSHOT)) => Some(offset),
            _ => None,
        });
        let snapshots: Vec<Offset> = snapshots.collect();
        let first = self.segments[0].base;
        let before = snapshots.iter().copied().filter(|offset| *offset <= first).max();
        for offset in snapshots {
            let is_needed = offset == self.offsets.end
                || Some(offset) == before
                || self.segments.iter().any(|segment| segment.base == offset);
            if !is_needed {
                let path = path_of(&self.dir, offset, SNAPSHOT);
                disk.remove(&path).map_err(StorageError::io(&path))?;
            }
        }
        Ok(())
    }

    /// Deletes the log: out of the way first, so that its name is free at once and a crash leaves no half of
    /// it.
    pub fn delete(mut self, disk: &mut dyn Disk, files: &mut OpenFiles) -> Result<(), StorageError> {
        for segment in &mut self.segments {
            segment.release(files);
        }
        if !self.on_disk.has_dir {
            return Ok(());
        }
        delete_dir(disk, &self.dir)
    }
}

/// Deletes a log that is not open, if it has a directory, as [`Log::delete`] does.
pub fn delete_dir(disk: &mut dyn Disk, dir: &Path) -> Result<(), StorageError> {
    let gone = aside_of(dir, "deleted");
    let moved = disk.remove_dir(&gone).and_then(|()| match disk.rename(dir, &gone) {
        Err(IoError::NOT_FOUND) => Ok(()),
        renamed => renamed,
    });
    moved.and_then(|()| disk.remove_dir(&gone)).map_err(StorageError::io(dir))
}

/// Syncs the segments of a log that is not open.
pub fn sync_segments(disk: &mut dyn Disk, dir: &Path) -> Result<(), StorageError> {
    for entry in disk.list(dir).map_err(StorageError::io(dir))? {
        if matches!(parse_name(&entry.name), Some((_, LOG))) {
            sync_file(disk, &dir.join(&entry.name))?;
        }
    }
    Ok(())
}

/// Where a log's directory is moved out of the way: beside it, under a name that ends so. A directory's name may be as long
/// as the file system allows, so the new one is cut, and told from others cut alike by a checksum.
pub fn aside_of(dir: &Path, ending: &str) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let cut: String = name.chars().take(ASIDE_CHARS_MAX).collect();
    dir.with_file_name(format!("{cut}.{:08x}.{ending}", crc32c::crc32c(name.as_bytes())))
}

fn sync_file(disk: &mut dyn Disk, path: &Path) -> Result<(), StorageError> {
    let file = disk.open(path, OpenMode::Write).map_err(StorageError::io(path))?;
    let synced = disk.sync(file);
    disk.close(file);
    synced.map_err(StorageError::io(path))
}

/// Writes a small file, without making it durable.
pub(super) fn write_file(disk: &mut dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let file = disk.open(path, OpenMode::Truncate).map_err(StorageError::io(path))?;
    let written = disk.write_at(file, 0, bytes);
    disk.close(file);
    written.map_err(StorageError::io(path))
}
