//! Everything that must be true of one segment: its batches are whole and in order, their records can be read, its
//! indexes say of them what is so.

use std::fmt;
use std::path::{Path, PathBuf};

use shard::{Disk, FileId, OpenMode};

use super::walk::{BatchFault, BatchWalk, Step};
use crate::batch::{BatchHeader, Codec, HEADER_LEN, RecordFault, RecordStream};
use crate::error::StorageError;
use crate::index::{self, OFFSET_ENTRY_LEN, OffsetEntry, TIME_ENTRY_LEN, TimeEntry};
use crate::offset::Offset;
use crate::segment::{INDEX, LOG, TIME_INDEX, path_of};

/// Of one segment so many flaws are told.
const FLAW_COUNT_MAX: usize = 50;
/// No index of ours is larger; a larger one is not read.
const INDEX_LEN_MAX: u64 = 64 << 20;
/// The records of a larger batch are not read one by one.
const BATCH_LEN_MAX: u64 = 128 << 20;
/// What one batch may unpack to.
const UNPACKED_LEN_MAX: usize = 1 << 30;

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// In which file.
    pub path: PathBuf,
    /// Where in it, in bytes.
    pub position: u64,
    /// What.
    pub kind: FlawKind,
}

/// What can be wrong with a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlawKind {
    /// The batches end before the file does.
    Broken {
        /// Why.
        fault: BatchFault,
        /// Bytes from there to the end.
        left: u64,
    },
    /// A batch's checksum is not that of its bytes.
    WrongCrc(Offset),
    /// A batch's records are not what its header says.
    Records(Offset, RecordsFault),
    /// The index file is missing, or its length is no number of entries.
    NoIndex,
    /// Entry that does not rise above the one before.
    IndexOrder,
    /// No batch begins where an entry says.
    IndexNowhere(u32),
    /// The batch there begins after the offset that the entry is for.
    IndexBeyond(Offset),
    /// Records before an entry's offset are newer than it says.
    TimeTooOld(i64),
    /// The last entry does not tell the newest time.
    NewestUntold(i64),
    /// There are more flaws than are told.
    More,
}

/// Why records are not what their batch's header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsFault {
    /// They cannot be read.
    Unreadable(RecordFault),
    /// There is no such codec.
    UnknownCodec,
    /// Their number is another.
    Count {
        /// How many there are.
        found: i64,
        /// How many the header tells.
        told: i32,
    },
    /// Their offsets do not rise within the batch.
    Order,
}

impl fmt::Display for FlawKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlawKind::Broken { fault, left } => {
                write!(f, "{fault}; {left} bytes from here on are no whole batches")
            }
            FlawKind::WrongCrc(base) => write!(f, "the batch at offset {base} fails its checksum"),
            FlawKind::Records(base, RecordsFault::Unreadable(fault)) => {
                write!(f, "the records of the batch at offset {base} cannot be read: {fault}")
            }
            FlawKind::Records(base, RecordsFault::UnknownCodec) => {
                write!(f, "the batch at offset {base} is packed with an unknown codec")
            }
            FlawKind::Records(base, RecordsFault::Count { found, told }) => {
                write!(f, "the batch at offset {base} holds {found} records, and its header tells of {told}")
            }
            FlawKind::Records(base, RecordsFault::Order) => {
                write!(f, "the records of the batch at offset {base} are not in the order of their offsets")
            }
            FlawKind::NoIndex => f.write_str("the index is missing, or ends within an entry"),
            FlawKind::IndexOrder => f.write_str("an entry does not rise above the one before"),
            FlawKind::IndexNowhere(position) => {
                write!(f, "an entry points to byte {position}, where no batch begins")
            }
            FlawKind::IndexBeyond(base) => {
                write!(f, "an entry points beyond its offset, to the batch at {base}")
            }
            FlawKind::TimeTooOld(newest) => write!(f, "records before an entry are as new as {newest}"),
            FlawKind::NewestUntold(newest) => {
                write!(f, "the last entry does not tell the newest time, {newest}")
            }
            FlawKind::More => f.write_str("there is more that is wrong than is told here"),
        }
    }
}

/// What a segment was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentCheck {
    /// Whole batches.
    pub batches: u64,
    /// Records in them, by their headers.
    pub records: u64,
    /// The offset after the last of them.
    pub end: Offset,
    /// What is wrong.
    pub flaws: Vec<Flaw>,
}

/// Reads a whole segment. Its indexes are looked at with `has_indexes`; of a segment that `is_sealed` they are
/// complete.
pub fn check_segment(
    disk: &mut dyn Disk,
    dir: &Path,
    base: Offset,
    has_indexes: bool,
    is_sealed: bool,
) -> Result<SegmentCheck, StorageError> {
    let mut flaws = Flaws { dir: dir.to_path_buf(), base, found: Vec::new() };
    let mut indexes = match has_indexes {
        true => Some(Entries::read(disk, &mut flaws)?),
        false => None,
    };
    let path = path_of(dir, base, LOG);
    let file = disk.open(&path, OpenMode::Read).map_err(StorageError::io(&path))?;
    let checked = walk(disk, file, &mut flaws, indexes.as_mut());
    disk.close(file);
    let (batches, records, end) = checked.map_err(StorageError::io(&path))?;
    if let Some(indexes) = indexes {
        indexes.finish(&mut flaws, is_sealed);
    }
    Ok(SegmentCheck { batches, records, end, flaws: flaws.found })
}

fn walk(
    disk: &mut dyn Disk,
    file: FileId,
    flaws: &mut Flaws,
    mut indexes: Option<&mut Entries>,
) -> Result<(u64, u64, Offset), shard::IoError> {
    let len = disk.len(file)?;
    let mut walk = BatchWalk::new(disk, file, len, flaws.base);
    let (mut batches, mut records) = (0, 0);
    while let Some(step) = walk.step()? {
        match step {
            Step::Broken { position, fault } => {
                flaws.put(LOG, position, FlawKind::Broken { fault, left: len - position });
            }
            Step::Batch { position, header, has_right_crc: false, .. } => {
                flaws.put(LOG, position, FlawKind::WrongCrc(header.base_offset));
            }
            Step::Batch { position, header, size, has_right_crc: true } => {
                batches += 1;
                records += u64::try_from(header.record_count).unwrap_or(0);
                if size <= BATCH_LEN_MAX {
                    let bytes = walk.copy_at(position, size as usize)?;
                    if let Err(fault) = check_records(&header, &bytes) {
                        flaws.put(LOG, position, FlawKind::Records(header.base_offset, fault));
                    }
                }
                if let Some(indexes) = indexes.as_deref_mut() {
                    indexes.pass(flaws, position, &header);
                }
            }
        }
    }
    Ok((batches, records, walk.next_offset()))
}

fn check_records(header: &BatchHeader, bytes: &[u8]) -> Result<(), RecordsFault> {
    let codec = header.attributes.codec().ok_or(RecordsFault::UnknownCodec)?;
    let packed = bytes.get(HEADER_LEN..).unwrap_or_default();
    // An empty batch, which compaction leaves, has nothing to unpack.
    let codec = if packed.is_empty() { Codec::None } else { codec };
    let mut records = RecordStream::new(codec, packed, UNPACKED_LEN_MAX).map_err(RecordsFault::Unreadable)?;
    let (mut found, mut last) = (0, -1);
    while let Some(record) = records.next().map_err(RecordsFault::Unreadable)? {
        if record.offset_delta <= last || record.offset_delta > header.last_offset_delta {
            return Err(RecordsFault::Order);
        }
        last = record.offset_delta;
        found += 1;
    }
    if found != i64::from(header.record_count) {
        return Err(RecordsFault::Count { found, told: header.record_count });
    }
    Ok(())
}

struct Flaws {
    dir: PathBuf,
    base: Offset,
    found: Vec<Flaw>,
}

impl Flaws {
    fn put(&mut self, ending: &str, position: u64, kind: FlawKind) {
        let kind = match self.found.len() {
            FLAW_COUNT_MAX => FlawKind::More,
            count if count > FLAW_COUNT_MAX => return,
            _ => kind,
        };
        self.found.push(Flaw { path: path_of(&self.dir, self.base, ending), position, kind });
    }
}

/// The entries of both indexes, and how far the walk has passed them.
struct Entries {
    offsets: Vec<OffsetEntry>,
    times: Vec<TimeEntry>,
    next_offset: usize,
    next_time: usize,
    newest: i64,
    has_files: bool,
}

impl Entries {
    fn read(disk: &mut dyn Disk, flaws: &mut Flaws) -> Result<Entries, StorageError> {
        let offsets = read_index(disk, flaws, INDEX, OFFSET_ENTRY_LEN)?;
        let times = read_index(disk, flaws, TIME_INDEX, TIME_ENTRY_LEN)?;
        let has_files = offsets.is_some() && times.is_some();
        let (offsets, times) = (offsets.unwrap_or_default(), times.unwrap_or_default());
        let offsets: Vec<_> =
            offsets.chunks_exact(OFFSET_ENTRY_LEN).filter_map(index::offset_entry).collect();
        let times: Vec<_> = times.chunks_exact(TIME_ENTRY_LEN).filter_map(index::time_entry).collect();
        for (number, pair) in offsets.windows(2).enumerate() {
            if pair[0].relative >= pair[1].relative || pair[0].position >= pair[1].position {
                flaws.put(INDEX, ((number + 1) * OFFSET_ENTRY_LEN) as u64, FlawKind::IndexOrder);
            }
        }
        for (number, pair) in times.windows(2).enumerate() {
            if pair[0].timestamp >= pair[1].timestamp || pair[0].relative > pair[1].relative {
                flaws.put(TIME_INDEX, ((number + 1) * TIME_ENTRY_LEN) as u64, FlawKind::IndexOrder);
            }
        }
        Ok(Entries { offsets, times, next_offset: 0, next_time: 0, newest: -1, has_files })
    }

    /// Holds the entries up to a batch against it.
    fn pass(&mut self, flaws: &mut Flaws, position: u64, header: &BatchHeader) {
        while let Some(entry) = self.offsets.get(self.next_offset)
            && u64::from(entry.position) <= position
        {
            let at = (self.next_offset * OFFSET_ENTRY_LEN) as u64;
            if u64::from(entry.position) < position {
                flaws.put(INDEX, at, FlawKind::IndexNowhere(entry.position));
            } else if header.base_offset > flaws.base.plus(entry.relative.into()) {
                flaws.put(INDEX, at, FlawKind::IndexBeyond(header.base_offset));
            }
            self.next_offset += 1;
        }
        while let Some(entry) = self.times.get(self.next_time)
            && header.last_offset() > flaws.base.plus(entry.relative.into())
        {
            self.judge_time(flaws, *entry);
        }
        self.newest = self.newest.max(header.max_timestamp);
    }

    fn judge_time(&mut self, flaws: &mut Flaws, entry: TimeEntry) {
        if self.newest > entry.timestamp {
            let at = (self.next_time * TIME_ENTRY_LEN) as u64;
            flaws.put(TIME_INDEX, at, FlawKind::TimeTooOld(self.newest));
        }
        self.next_time += 1;
    }

    fn finish(mut self, flaws: &mut Flaws, is_sealed: bool) {
        for (number, entry) in self.offsets.iter().enumerate().skip(self.next_offset) {
            flaws.put(INDEX, (number * OFFSET_ENTRY_LEN) as u64, FlawKind::IndexNowhere(entry.position));
        }
        while let Some(entry) = self.times.get(self.next_time) {
            self.judge_time(flaws, *entry);
        }
        let told = self.times.last().map_or(-1, |entry| entry.timestamp);
        if is_sealed && self.has_files && self.newest > told {
            let at = (self.times.len() * TIME_ENTRY_LEN) as u64;
            flaws.put(TIME_INDEX, at, FlawKind::NewestUntold(self.newest));
        }
    }
}

fn read_index(
    disk: &mut dyn Disk,
    flaws: &mut Flaws,
    ending: &str,
    entry_len: usize,
) -> Result<Option<Vec<u8>>, StorageError> {
    let path = path_of(&flaws.dir, flaws.base, ending);
    match disk.read_file(&path, INDEX_LEN_MAX) {
        Ok(Some(bytes)) if bytes.len().is_multiple_of(entry_len) => Ok(Some(bytes)),
        Ok(_) | Err(shard::IoError::TOO_LARGE) => {
            flaws.put(ending, 0, FlawKind::NoIndex);
            Ok(None)
        }
        Err(error) => Err(StorageError::io(&path)(error)),
    }
}
