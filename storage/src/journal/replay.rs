//! Replaying journals at a start: what they hold goes into the segments once more, before any log is opened.
//!
//! All journals of a data directory are replayed, whatever the number of cores is now. An entry is passed over
//! when its log is gone, and when its segment is sealed (so it was synced, and may have been compacted since) or
//! missing while a later one is there (so it was deleted).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use shard::buffer::ALIGNMENT;
use shard::{Disk, FileId, IoError, OpenMode};

use super::frame::{self, FoundHeader, Header};
use super::{DIR_NAME, FIRST_FRAME, Frame, LogId, Mark, Place, cut};
use crate::error::{Cause, StorageError};
use crate::mutation::{Mutation, is_on};
use crate::offset::Offset;
use crate::segment::{LOG, SNAPSHOT, parse_name, path_of};

/// Segments that a replay holds open at a time.
const OPEN_MAX: usize = 256;

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
    let frames = replay_frames(disk, file, &header, |_, frame, entries| {
        for ((kind, place, bytes), index) in entries.into_iter().zip(0..) {
            let at = (frame.sequence, index);
            on_entry(ShownEntry { at, place, len: bytes.len(), is_known: kind == frame::WRITE });
        }
        Ok(())
    });
    disk.close(file);
    let Header { number, run, tail, len, .. } = header;
    Ok(Some((JournalHead { number, run, tail, len }, frames?)))
}

/// Replays all journals of a data directory. `dir_of` says where a log lies, if it is still there.
///
/// A journal that only holds logs for which `stays(core, length, log)` says yes is left as it is: the core of that
/// number takes it over with [`super::Journal::open`] and frees it when the segments are synced. So a start waits for
/// no sync. All others are made empty, when what they held is in synced segments.
pub fn replay(
    disk: &mut dyn Disk,
    data_dir: &Path,
    dir_of: impl Fn(&LogId) -> Option<PathBuf>,
    stays: impl Fn(u16, u64, &LogId) -> bool,
) -> Result<Replayed, StorageError> {
    check(disk, data_dir)?;
    let mut done = Replayed::default();
    for path in journals_in(disk, data_dir)? {
        let Some(header) = read_header(disk, &path)? else { continue };
        let file = disk.open(&path, OpenMode::Write).map_err(StorageError::io(&path))?;
        let mut segments = Segments { run: header.run, ..Segments::default() };
        let replayed = replay_frames(disk, file, &header, |disk, frame, entries| {
            if frame.sequence > header.tail_sequence && is_on(Mutation::ForgetJournalTail) {
                return Ok(());
            }
            done.frames += 1;
            for ((kind, place, bytes), index) in entries.into_iter().zip(0..) {
                segments.apply(disk, &dir_of, (frame.sequence, index), kind, &place, bytes)?;
            }
            Ok(())
        });
        let core = core_of(&path);
        let is_kept = replayed.is_ok()
            && core.is_some_and(|core| segments.present_logs().all(|log| stays(core, header.len, log)));
        let finished = replayed.and_then(|count| segments.finish(disk, !is_kept).map(|()| count));
        let emptied = finished.and_then(|count| {
            if count > 0 && !is_kept {
                let empty = Header { number: header.number + 1, tail_sequence: u64::MAX, ..header };
                let at = (empty.number % 2) * ALIGNMENT as u64;
                let written = disk.write_at(file, at, empty.encode().filled()).and_then(|()| disk.sync(file));
                written.map_err(StorageError::io(&path))?;
            }
            Ok(count)
        });
        disk.close(file);
        done.journals += usize::from(emptied? > 0);
        done.bytes += segments.bytes;
        done.segments += segments.files.len();
    }
    Ok(done)
}

/// What a journal holds that was replayed and left as it is.
pub(super) struct Kept {
    pub header: Header,
    pub frames: VecDeque<Frame>,
    pub logs: BTreeSet<LogId>,
}

/// Reads what a journal holds; `None` if that is nothing.
pub(super) fn kept(disk: &mut dyn Disk, path: &Path) -> Result<Option<Kept>, StorageError> {
    let Some(header) = read_header(disk, path)? else { return Ok(None) };
    let file = disk.open(path, OpenMode::Read).map_err(StorageError::io(path))?;
    let mut kept = Kept { header, frames: VecDeque::new(), logs: BTreeSet::new() };
    let read = replay_frames(disk, file, &header, |_, frame, entries| {
        kept.frames.push_back(frame);
        kept.logs.extend(entries.into_iter().map(|(_, place, _)| place.log));
        Ok(())
    });
    disk.close(file);
    read?;
    Ok((!kept.frames.is_empty()).then_some(kept))
}

/// The core whose journal is at `path`.
fn core_of(path: &Path) -> Option<u16> {
    path.file_stem()?.to_str()?.parse().ok()
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

/// Shows every frame from the tail on; says how many there were. The first one that is not whole ends the journal: it
/// was never acknowledged.
fn replay_frames(
    disk: &mut dyn Disk,
    file: FileId,
    header: &Header,
    mut show: impl FnMut(&mut dyn Disk, Frame, Vec<(u32, Place, &[u8])>) -> Result<(), StorageError>,
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
        let end = start + (frame.len() as u64).next_multiple_of(ALIGNMENT as u64);
        show(disk, Frame { sequence, start, end }, entries)?;
        at = end;
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

/// The logs and segments that a replay writes to.
#[derive(Default)]
struct Segments {
    logs: BTreeMap<LogId, Option<Found>>,
    files: BTreeMap<(LogId, Offset), Written>,
    open_count: usize,
    run: u64,
    bytes: u64,
}

/// A segment that a replay met.
#[derive(Clone, Copy)]
enum Written {
    PassedOver,
    Open(FileId),
    /// Closed to make room for others.
    Closed,
}

/// What a log's directory held before.
struct Found {
    dir: PathBuf,
    bases: BTreeSet<Offset>,
    snapshots: BTreeSet<Offset>,
    /// Where what a truncation left begins.
    mark: Option<Mark>,
}

impl Found {
    /// Learns what a log's directory holds.
    fn look_into(disk: &mut dyn Disk, dir: PathBuf) -> Result<Found, StorageError> {
        let entries = match disk.list(&dir) {
            Err(IoError::NOT_FOUND) => disk.create_dir(&dir).map(|()| Vec::new()),
            listed => listed,
        };
        let entries = entries.map_err(StorageError::io(&dir))?;
        let has_mark = entries.iter().any(|entry| entry.name == cut::FILE_NAME);
        let mark = if has_mark { Mark::read(disk, &dir)? } else { None };
        let mut found = Found { dir, bases: BTreeSet::new(), snapshots: BTreeSet::new(), mark };
        for entry in entries {
            match parse_name(&entry.name) {
                Some((base, LOG)) => drop(found.bases.insert(base)),
                Some((at, SNAPSHOT)) => drop(found.snapshots.insert(at)),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Whether bytes of the segment at `base` may be written again.
    fn is_wanted(&self, base: Offset) -> bool {
        match self.bases.range(Offset(base.0.saturating_add(1))..).next() {
            None => true,
            Some(next) => self.bases.contains(&base) && !self.snapshots.contains(next),
        }
    }
}

impl Segments {
    /// The logs that were met and are still there.
    fn present_logs(&self) -> impl Iterator<Item = &LogId> {
        self.logs.iter().filter(|(_, found)| found.is_some()).map(|(log, _)| log)
    }

    fn apply(
        &mut self,
        disk: &mut dyn Disk,
        dir_of: &impl Fn(&LogId) -> Option<PathBuf>,
        at: (u64, u32),
        kind: u32,
        place: &Place,
        bytes: &[u8],
    ) -> Result<(), StorageError> {
        if let Entry::Vacant(vacant) = self.logs.entry(place.log) {
            let found = dir_of(&place.log).map(|dir| Found::look_into(disk, dir)).transpose()?;
            vacant.insert(found);
        }
        let Some(Some(found)) = self.logs.get(&place.log) else { return Ok(()) };
        if found.mark.is_some_and(|mark| mark.run == self.run && at < mark.next) {
            return Ok(());
        }
        let (path, is_wanted) = (path_of(&found.dir, place.segment, LOG), found.is_wanted(place.segment));
        let Some(file) = self.file(disk, (place.log, place.segment), &path, is_wanted)? else {
            return Ok(());
        };
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
        key: (LogId, Offset),
        path: &Path,
        is_wanted: bool,
    ) -> Result<Option<FileId>, StorageError> {
        match self.files.get(&key) {
            Some(Written::PassedOver) => return Ok(None),
            Some(Written::Open(file)) => return Ok(Some(*file)),
            Some(Written::Closed) => {}
            None if is_wanted => {}
            None => {
                self.files.insert(key, Written::PassedOver);
                return Ok(None);
            }
        }
        if self.open_count >= OPEN_MAX {
            self.close_all(disk);
        }
        let file = disk.open(path, OpenMode::Create).map_err(StorageError::io(path))?;
        self.files.insert(key, Written::Open(file));
        self.open_count += 1;
        Ok(Some(file))
    }

    fn close_all(&mut self, disk: &mut dyn Disk) {
        for written in self.files.values_mut() {
            if let Written::Open(file) = *written {
                disk.close(file);
                *written = Written::Closed;
            }
        }
        self.open_count = 0;
    }

    /// Lets go of everything, and makes it durable before if asked.
    fn finish(&mut self, disk: &mut dyn Disk, is_synced: bool) -> Result<(), StorageError> {
        self.close_all(disk);
        if !is_synced {
            return Ok(());
        }
        for ((log, base), written) in &self.files {
            let (Written::Closed, Some(Some(found))) = (written, self.logs.get(log)) else { continue };
            sync_file(disk, &path_of(&found.dir, *base, LOG))?;
        }
        for found in self.logs.values().flatten() {
            disk.sync_dir(&found.dir).map_err(StorageError::io(&found.dir))?;
        }
        Ok(())
    }
}

fn sync_file(disk: &mut dyn Disk, path: &Path) -> Result<(), StorageError> {
    let file = disk.open(path, OpenMode::Write).map_err(StorageError::io(path))?;
    let synced = disk.sync(file);
    disk.close(file);
    synced.map_err(StorageError::io(path))
}
