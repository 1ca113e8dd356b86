//! Replaying journals at a start: what they hold goes into the segments once more, before any log is opened.
//!
//! All journals of a data directory are replayed, whatever the number of cores is now. An entry is passed over
//! when its log is gone, and when its segment is sealed (so it was synced, and may have been compacted since) or
//! missing while a later one is there (so it was deleted).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use shard::buffer::ALIGNMENT;
use shard::{Disk, FileId, IoError, OpenMode};

use super::frame::{self, FoundHeader, Header};
use super::{DIR_NAME, FIRST_FRAME, LogId, Mark, Place};
use crate::error::{Cause, StorageError};
use crate::offset::Offset;
use crate::segment::{LOG, SNAPSHOT, parse_name, path_of};

/// What a replay did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Journals that held something.
    pub journals: usize,
    /// Frames read.
    pub frames: u64,
    /// Bytes written into segments.
    pub bytes: u64,
    /// Segments written to.
    pub segments: usize,
}

/// Looks at the journals of a data directory and changes nothing: an error if there is one that this version
/// does not know.
pub fn check(disk: &mut dyn Disk, data_dir: &Path) -> Result<(), StorageError> {
    for path in journals_in(disk, data_dir)? {
        read_header(disk, &path)?;
    }
    Ok(())
}

/// What a journal's newest whole header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalHead {
    /// Rises with each header written.
    pub number: u64,
    /// Which use of the file.
    pub run: u64,
    /// Where the first frame that is needed begins.
    pub tail: u64,
    /// The file's length in bytes.
    pub len: u64,
}

/// An entry of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownEntry {
    /// The sequence number of its frame, and its place there.
    pub at: (u64, u32),
    /// Where its bytes belong.
    pub place: Place,
    /// How many they are.
    pub len: usize,
    /// Whether this version knows what to do with it.
    pub is_known: bool,
}

/// Shows a journal's entries from the tail on and changes nothing. Gives its head and how many whole frames there are;
/// nothing for a file that never became a journal.
pub fn show(
    disk: &mut dyn Disk,
    path: &Path,
    mut on_entry: impl FnMut(ShownEntry),
) -> Result<Option<(JournalHead, u64)>, StorageError> {
    let Some(header) = read_header(disk, path)? else { return Ok(None) };
    let file = disk.open(path, OpenMode::Read).map_err(StorageError::io(path))?;
    let frames = replay_frames(disk, file, &header, |_, at, kind, place, bytes| {
        on_entry(ShownEntry { at, place, len: bytes.len(), is_known: kind == frame::WRITE });
        Ok(())
    });
    disk.close(file);
    let Header { number, run, tail, len, .. } = header;
    Ok(Some((JournalHead { number, run, tail, len }, frames?)))
}

/// Replays all journals of a data directory, and makes them empty. `dir_of` says where a log lies, if it is
/// still there.
pub fn replay(
    disk: &mut dyn Disk,
    data_dir: &Path,
    dir_of: impl Fn(&LogId) -> Option<PathBuf>,
) -> Result<Replayed, StorageError> {
    check(disk, data_dir)?;
    let mut done = Replayed::default();
    for path in journals_in(disk, data_dir)? {
        let Some(header) = read_header(disk, &path)? else { continue };
        let file = disk.open(&path, OpenMode::Write).map_err(StorageError::io(&path))?;
        let mut segments = Segments { run: header.run, ..Segments::default() };
        let replayed = replay_frames(disk, file, &header, |disk, at, kind, place, bytes| {
            let Some(dir) = dir_of(&place.log) else { return Ok(()) };
            segments.apply(disk, &dir, at, kind, &place, bytes)
        });
        let frames = match replayed {
            Ok(frames) => segments.finish(disk).map(|()| frames),
            Err(error) => Err(error),
        };
        let emptied = frames.and_then(|frames| {
            if frames > 0 {
                let empty = Header { number: header.number + 1, tail_sequence: u64::MAX, ..header };
                let at = (empty.number % 2) * ALIGNMENT as u64;
                let written = disk.write_at(file, at, empty.encode().filled()).and_then(|()| disk.sync(file));
                written.map_err(StorageError::io(&path))?;
            }
            Ok(frames)
        });
        disk.close(file);
        let frames = emptied?;
        done.journals += usize::from(frames > 0);
        done.frames += frames;
        done.bytes += segments.bytes;
        done.segments += segments.open.len();
    }
    Ok(done)
}

fn journals_in(disk: &mut dyn Disk, data_dir: &Path) -> Result<Vec<PathBuf>, StorageError> {
    let dir = data_dir.join(DIR_NAME);
    let entries = match disk.list(&dir) {
        Err(IoError::NOT_FOUND) => return Ok(Vec::new()),
        listed => listed.map_err(StorageError::io(&dir))?,
    };
    let journals = entries.into_iter().filter(|entry| entry.name.ends_with(".journal"));
    Ok(journals.map(|entry| dir.join(entry.name)).collect())
}

/// The newer whole header; none in a journal that a crash kept from being made.
fn read_header(disk: &mut dyn Disk, path: &Path) -> Result<Option<Header>, StorageError> {
    let file = disk.open(path, OpenMode::Read).map_err(StorageError::io(path))?;
    let mut bytes = vec![0; FIRST_FRAME as usize];
    let read = disk.read_at(file, 0, &mut bytes);
    disk.close(file);
    let count = read.map_err(StorageError::io(path))?;
    let mut newest: Option<Header> = None;
    for block in bytes[..count].chunks(ALIGNMENT) {
        match Header::decode(block) {
            FoundHeader::Header(header) if newest.is_none_or(|newest| header.number > newest.number) => {
                newest = Some(header);
            }
            FoundHeader::Header(_) | FoundHeader::Nothing => {}
            FoundHeader::UnknownVersion => return Err(StorageError::new(path, 0, Cause::UnknownVersion)),
        }
    }
    Ok(newest)
}

/// Shows every entry of every frame from the tail on; says how many frames there were. The first frame that is
/// not whole ends the journal: it was never acknowledged.
fn replay_frames(
    disk: &mut dyn Disk,
    file: FileId,
    header: &Header,
    mut apply: impl FnMut(&mut dyn Disk, (u64, u32), u32, Place, &[u8]) -> Result<(), StorageError>,
) -> Result<u64, StorageError> {
    let (mut at, mut sequence, mut count) = (header.tail, header.tail_sequence, 0);
    loop {
        // What did not fit at the end of the file went to its beginning.
        let frame = [at, FIRST_FRAME].into_iter().find_map(|at| {
            read_frame(disk, file, header, at, sequence)
                .transpose()
                .map(|frame| frame.map(|frame| (at, frame)))
        });
        let Some(frame) = frame else { return Ok(count) };
        let (start, frame) = frame.map_err(StorageError::io(Path::new(DIR_NAME)))?;
        let Some(entries) = frame::entries(&frame) else { return Ok(count) };
        for ((kind, place, bytes), index) in entries.into_iter().zip(0..) {
            apply(disk, (sequence, index), kind, place, bytes)?;
        }
        at = start + (frame.len() as u64).next_multiple_of(ALIGNMENT as u64);
        sequence = sequence.wrapping_add(1);
        count += 1;
    }
}

fn read_frame(
    disk: &mut dyn Disk,
    file: FileId,
    header: &Header,
    at: u64,
    sequence: u64,
) -> Result<Option<Vec<u8>>, IoError> {
    let mut head = [0; frame::HEAD_LEN];
    if disk.read_at(file, at, &mut head)? < head.len() {
        return Ok(None);
    }
    let Some(len) = frame::frame_len(&head, header.run, sequence) else { return Ok(None) };
    if at + len as u64 > header.len {
        return Ok(None);
    }
    let mut frame = vec![0; len];
    let count = disk.read_at(file, at, &mut frame)?;
    Ok((count == len).then_some(frame))
}

/// The segments that a replay writes to.
#[derive(Default)]
struct Segments {
    /// Open ones; none for those that are passed over.
    open: BTreeMap<(PathBuf, Offset), Option<FileId>>,
    found: BTreeMap<PathBuf, Found>,
    run: u64,
    bytes: u64,
}

/// What a log's directory held before.
#[derive(Default)]
struct Found {
    bases: BTreeSet<Offset>,
    snapshots: BTreeSet<Offset>,
    /// Where what a truncation left begins.
    mark: Option<Mark>,
}

impl Found {
    /// Whether bytes of the segment at `base` may be written again.
    fn is_wanted(&self, base: Offset) -> bool {
        match self.bases.range(Offset(base.0.saturating_add(1))..).next() {
            None => true,
            Some(next) => self.bases.contains(&base) && !self.snapshots.contains(next),
        }
    }
}

impl Segments {
    fn apply(
        &mut self,
        disk: &mut dyn Disk,
        dir: &Path,
        at: (u64, u32),
        kind: u32,
        place: &Place,
        bytes: &[u8],
    ) -> Result<(), StorageError> {
        let path = path_of(dir, place.segment, LOG);
        self.look_into(disk, dir)?;
        let mark = self.found.get(dir).and_then(|found| found.mark);
        if mark.is_some_and(|mark| mark.run == self.run && at < mark.next) {
            return Ok(());
        }
        let Some(file) = self.file(disk, dir, place.segment, &path)? else { return Ok(()) };
        let position = u64::from(place.position);
        if kind != frame::WRITE {
            return Err(StorageError::new(&path, position, Cause::UnknownVersion));
        }
        self.bytes += bytes.len() as u64;
        disk.write_at(file, position, bytes).map_err(StorageError::io(&path))
    }

    fn file(
        &mut self,
        disk: &mut dyn Disk,
        dir: &Path,
        base: Offset,
        path: &Path,
    ) -> Result<Option<FileId>, StorageError> {
        if let Some(file) = self.open.get(&(dir.to_path_buf(), base)) {
            return Ok(*file);
        }
        let is_wanted = self.found.get(dir).is_some_and(|found| found.is_wanted(base));
        let file = match is_wanted {
            true => Some(disk.open(path, OpenMode::Create).map_err(StorageError::io(path))?),
            false => None,
        };
        self.open.insert((dir.to_path_buf(), base), file);
        Ok(file)
    }

    /// Learns what a log's directory held before this replay.
    fn look_into(&mut self, disk: &mut dyn Disk, dir: &Path) -> Result<(), StorageError> {
        if self.found.contains_key(dir) {
            return Ok(());
        }
        disk.create_dir(dir).map_err(StorageError::io(dir))?;
        let mut found = Found { mark: Mark::read(disk, dir)?, ..Found::default() };
        for entry in disk.list(dir).map_err(StorageError::io(dir))? {
            match parse_name(&entry.name) {
                Some((base, LOG)) => drop(found.bases.insert(base)),
                Some((at, SNAPSHOT)) => drop(found.snapshots.insert(at)),
                _ => {}
            }
        }
        self.found.insert(dir.to_path_buf(), found);
        Ok(())
    }

    /// Makes everything durable and lets go of it.
    fn finish(&mut self, disk: &mut dyn Disk) -> Result<(), StorageError> {
        for ((dir, base), file) in &self.open {
            let Some(file) = *file else { continue };
            let synced = disk.sync(file);
            disk.close(file);
            synced.map_err(StorageError::io(&path_of(dir, *base, LOG)))?;
        }
        for dir in self.found.keys() {
            disk.sync_dir(dir).map_err(StorageError::io(dir))?;
        }
        Ok(())
    }
}
