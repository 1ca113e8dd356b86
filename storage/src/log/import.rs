//! Taking over a log that Kafka wrote: its segments are copied and every batch of the copy is checked; the indexes and
//! producer snapshots are made anew from what was checked, so nothing of Kafka's has to be believed.
//!
//! What is refused: another message format than v2, a batch that is not whole, offsets that do not rise, compaction that was
//! cut short; and transactions that were aborted or never ended: the coordinator that knows of them stays behind, and the index
//! of what was aborted is not made here.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::disk::Entry;
use shard::{Disk, OpenMode, WallMs};

use super::writer::seal;
use super::{Log, OpenLog, start};
use crate::batch::{BatchHeader, Codec, HEADER_LEN, Marker, RecordStream};
use crate::epochs::{self, Epochs};
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::inspect::{BatchFault, BatchWalk, Step};
use crate::journal::LogId;
use crate::offset::{LeaderEpoch, Offset, ProducerId};
use crate::producers::Producers;
use crate::segment::{LOG, SNAPSHOT, Segment, parse_name, path_of};
use crate::settings::LogSettings;

/// Files are copied so many bytes at a time.
const COPY_LEN: usize = 1 << 20;
/// No epoch file or snapshot is larger.
const FILE_LEN_MAX: u64 = 256 << 20;
/// A marker of a transaction is a small batch.
const MARKER_LEN_MAX: u64 = 64 << 10;
/// The kinds of marker, in a control record's key (Q51).
const ABORT: [u8; 2] = [0, 0];
const COMMIT: [u8; 2] = [0, 1];

/// What to take over.
#[derive(Debug)]
pub struct ImportLog<'a> {
    /// Kafka's directory of the partition.
    pub from: &'a Path,
    /// Ours, which is made.
    pub into: &'a Path,
    /// What its topic asks for here.
    pub settings: &'a Arc<LogSettings>,
    /// Where the log starts according to Kafka, if that is known.
    pub log_start: Option<Offset>,
    /// The calendar.
    pub now: WallMs,
}

/// What was taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Segments copied.
    pub segments: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Batches in them.
    pub batches: u64,
    /// Records, by the batches' headers.
    pub records: u64,
    /// Where the log starts.
    pub log_start: Offset,
    /// Where it ends.
    pub end: Offset,
    /// The newest leader epoch that wrote anything.
    pub leader_epoch: Option<LeaderEpoch>,
    /// The largest producer id in it; the id must not be given out again.
    pub producer_id_max: Option<ProducerId>,
}

/// Why a log cannot be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportRefusal {
    /// A file cannot be read or written, or says what is not known.
    File(StorageError),
    /// Something in a segment.
    Segment {
        /// Kafka's file.
        path: PathBuf,
        /// Where in it.
        position: u64,
        /// What.
        fault: ImportFault,
    },
}

/// What of a segment is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFault {
    /// There is no whole batch.
    Batch(BatchFault),
    /// A batch's checksum is not that of its bytes.
    Crc,
    /// The segment begins before the one before it ends.
    Overlap,
    /// An offset lies too far from the segment's first.
    Span,
    /// The records of an aborted transaction begin here.
    Aborted,
    /// A transaction begins here that never ended.
    Open,
    /// A marker that is neither commit nor abort.
    Marker,
}

impl fmt::Display for ImportRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportRefusal::File(error) => error.fmt(f),
            ImportRefusal::Segment { path, position, fault } => {
                write!(f, "{} at byte {position}: {fault}", path.display())
            }
        }
    }
}

impl fmt::Display for ImportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportFault::Batch(fault) => fault.fmt(f),
            ImportFault::Crc => f.write_str("a batch fails its checksum"),
            ImportFault::Overlap => f.write_str("the segment begins before the one before it ends"),
            ImportFault::Span => f.write_str("an offset lies more than 2^31-1 beyond the segment's first"),
            ImportFault::Aborted => {
                f.write_str("an aborted transaction begins here: an import does not take those over")
            }
            ImportFault::Open => {
                f.write_str("a transaction begins here that was neither committed nor aborted")
            }
            ImportFault::Marker => f.write_str("a control batch of a kind that is not known"),
        }
    }
}

impl std::error::Error for ImportRefusal {}

impl From<StorageError> for ImportRefusal {
    fn from(error: StorageError) -> ImportRefusal {
        ImportRefusal::File(error)
    }
}

/// Copies a log, checks the copy and closes it in order, all durably; `into` must not exist. What a refusal leaves there
/// is for the caller to remove.
pub fn import(disk: &mut dyn Disk, with: &ImportLog<'_>) -> Result<Imported, ImportRefusal> {
    let entries = disk.list(with.from).map_err(StorageError::io(with.from))?;
    disk.create_dir(with.into).map_err(StorageError::io(with.into))?;
    let mut import = Import {
        with,
        producers: Producers::default(),
        epochs: Epochs::default(),
        transactions: HashMap::new(),
        done: Imported::default(),
    };
    import.refuse_unfinished(&entries)?;
    let bases = entries.iter().filter_map(|entry| match parse_name(&entry.name) {
        Some((base, LOG)) if !entry.is_dir => Some(base),
        _ => None,
    });
    let bases: Vec<Offset> = bases.collect();
    import.read_first_snapshot(disk, bases.first().copied())?;
    let mut end = bases.first().copied().unwrap_or_default();
    for (index, &base) in bases.iter().enumerate() {
        if base < end {
            return Err(import.refusal(base, 0, ImportFault::Overlap));
        }
        end = import.segment(disk, base, bases.get(index + 1).copied())?;
    }
    if let Some(&(base, position)) = import.transactions.values().min() {
        return Err(import.refusal(base, position, ImportFault::Open));
    }
    // Begun before the first segment, as the snapshot there says.
    if let (Some(&base), Some(_)) = (bases.first(), import.producers.first_open()) {
        return Err(import.refusal(base, 0, ImportFault::Open));
    }
    import.finish(disk, bases.first().copied(), end)
}

struct Import<'a> {
    with: &'a ImportLog<'a>,
    producers: Producers,
    epochs: Epochs,
    /// Where each transaction begins that has not ended yet.
    transactions: HashMap<ProducerId, (Offset, u64)>,
    done: Imported,
}

impl Import<'_> {
    fn refusal(&self, base: Offset, position: u64, fault: ImportFault) -> ImportRefusal {
        ImportRefusal::Segment { path: path_of(self.with.from, base, LOG), position, fault }
    }

    /// A swap that was cut short means that some segments are in two places.
    fn refuse_unfinished(&self, entries: &[Entry]) -> Result<(), ImportRefusal> {
        let unfinished = entries
            .iter()
            .find(|entry| parse_name(&entry.name).is_some_and(|(_, ending)| ending.ends_with(".swap")));
        match unfinished {
            Some(entry) => {
                Err(StorageError::new(&self.with.from.join(&entry.name), 0, Cause::Unfinished).into())
            }
            None => Ok(()),
        }
    }

    /// Producers whose batches are gone are known from the snapshot at the first segment alone; a damaged one only makes
    /// them strangers.
    fn read_first_snapshot(
        &mut self,
        disk: &mut dyn Disk,
        first: Option<Offset>,
    ) -> Result<(), ImportRefusal> {
        let Some(first) = first else { return Ok(()) };
        let path = path_of(self.with.from, first, SNAPSHOT);
        let bytes = disk.read_file(&path, FILE_LEN_MAX).map_err(StorageError::io(&path))?;
        if let Some(Ok(producers)) = bytes.map(|bytes| Producers::decode_snapshot(&bytes, self.with.now)) {
            self.producers = producers;
            self.done.producer_id_max = self.producers.largest_id();
            let copy = path_of(self.with.into, first, SNAPSHOT);
            disk.replace_file(&copy, &self.producers.encode_snapshot()).map_err(StorageError::io(&copy))?;
        }
        Ok(())
    }

    /// Copies a segment, checks the copy, and seals it unless it is the last. Gives the offset after its last batch.
    fn segment(
        &mut self,
        disk: &mut dyn Disk,
        base: Offset,
        next: Option<Offset>,
    ) -> Result<Offset, ImportRefusal> {
        let copy = path_of(self.with.into, base, LOG);
        let len = copy_file(disk, &path_of(self.with.from, base, LOG), &copy)?;
        u32::try_from(len)
            .map_err(|_| StorageError::new(&path_of(self.with.from, base, LOG), len, Cause::Corrupt))?;
        let file = disk.open(&copy, OpenMode::Read).map_err(StorageError::io(&copy))?;
        let mut segment = Segment::new(base);
        let mut walk = BatchWalk::new(disk, file, len, base);
        let walked = self.walk(&mut walk, &mut segment, base);
        let end = walk.next_offset();
        disk.close(file);
        walked?;
        self.done.segments += 1;
        self.done.bytes += len;
        if let Some(next) = next {
            // What compaction left out at its end belongs to it all the same: its snapshot stands where the next begins.
            seal(disk, self.with.into, &mut segment, next, &self.producers.encode_snapshot())?;
        }
        Ok(end)
    }

    fn walk(
        &mut self,
        walk: &mut BatchWalk<'_>,
        segment: &mut Segment,
        base: Offset,
    ) -> Result<(), ImportRefusal> {
        let copy = path_of(self.with.into, base, LOG);
        while let Some(step) = walk.step().map_err(StorageError::io(&copy))? {
            let (position, header, size) = match step {
                Step::Broken { position, fault } => {
                    return Err(self.refusal(base, position, ImportFault::Batch(fault)));
                }
                Step::Batch { position, has_right_crc: false, .. } => {
                    return Err(self.refusal(base, position, ImportFault::Crc));
                }
                Step::Batch { position, header, size, .. } => (position, header, size),
            };
            if header.last_offset().distance_from(base) > i64::from(i32::MAX) {
                return Err(self.refusal(base, position, ImportFault::Span));
            }
            if header.attributes.is_control() {
                let bytes = walk.copy_at(position, size.min(MARKER_LEN_MAX) as usize);
                let bytes = bytes.map_err(StorageError::io(&copy))?;
                self.end_transaction(&header, &bytes, (base, position))
                    .map_err(|((base, position), fault)| self.refusal(base, position, fault))?;
                if let Some(marker) = Marker::parse(&header, &bytes) {
                    let count_max = self.with.settings.producer_count_max;
                    self.producers.apply_marker(&marker, header.base_offset, self.with.now, count_max);
                }
            } else if header.attributes.is_transactional() {
                self.transactions.entry(header.producer_id).or_insert((base, position));
            }
            let settings = self.with.settings;
            segment.apply(&header, size as u32, self.with.now, settings.index_interval_bytes);
            self.producers.apply(&header, self.with.now, settings.producer_count_max);
            self.epochs.apply(header.leader_epoch, header.base_offset);
            let producer = Some(header.producer_id).filter(|id| id.is_some());
            self.done.producer_id_max = self.done.producer_id_max.max(producer);
            self.done.batches += 1;
            self.done.records += u64::try_from(header.record_count).unwrap_or(0);
        }
        Ok(())
    }

    /// A marker at `place` ends its producer's transaction. An aborted one is refused where its records begin.
    fn end_transaction(
        &mut self,
        header: &BatchHeader,
        bytes: &[u8],
        place: (Offset, u64),
    ) -> Result<(), ((Offset, u64), ImportFault)> {
        let begun = self.transactions.remove(&header.producer_id);
        let unknown = (place, ImportFault::Marker);
        let packed = bytes.get(HEADER_LEN..).unwrap_or_default();
        let mut records = RecordStream::new(Codec::None, packed, 0).map_err(|_| unknown)?;
        let kind = match records.next().map_err(|_| unknown)? {
            Some(record) => record.key.and_then(|key| key.get(2..4)?.first_chunk().copied()),
            // Compaction leaves a marker without its record when nobody needs it any more.
            None => Some(COMMIT),
        };
        match (kind, begun) {
            (Some(COMMIT), _) | (Some(ABORT), None) => Ok(()),
            (Some(ABORT), Some(begun)) => Err((begun, ImportFault::Aborted)),
            _ => Err(unknown),
        }
    }

    /// Writes what else there is, opens the copy as a broker does and closes it in order.
    fn finish(
        mut self,
        disk: &mut dyn Disk,
        first: Option<Offset>,
        end: Offset,
    ) -> Result<Imported, ImportRefusal> {
        let (into, first) = (self.with.into, first.unwrap_or_default());
        let path = self.with.from.join(epochs::FILE_NAME);
        let bytes = disk.read_file(&path, FILE_LEN_MAX).map_err(StorageError::io(&path))?;
        if let Some(Ok(epochs)) = bytes.map(|bytes| Epochs::decode(&bytes)) {
            self.epochs = epochs;
        }
        let copy = into.join(epochs::FILE_NAME);
        disk.replace_file(&copy, &self.epochs.encode()).map_err(StorageError::io(&copy))?;
        let log_start = self.with.log_start.unwrap_or(first).max(first);
        if log_start > first {
            start::write(disk, into, log_start)?;
        }
        let mut files = OpenFiles::new(8);
        let with = OpenLog {
            id: LogId([0; 20]),
            dir: into.to_path_buf(),
            settings: Arc::clone(self.with.settings),
            log_start: first,
            now: self.with.now,
        };
        let (log, recovered) = Log::open(disk, &mut files, with)?;
        assert_eq!(recovered.cut_bytes, 0, "every batch of the copy was checked");
        assert!(log.offsets().end == end.max(log_start), "the copy ends where the batches do");
        self.done.log_start = log.offsets().log_start;
        self.done.end = log.offsets().end;
        self.done.leader_epoch = log.epochs().latest();
        log.close(disk, &mut files)?;
        files.close_evicted(disk);
        disk.sync_dir(into).map_err(StorageError::io(into))?;
        Ok(self.done)
    }
}

/// Copies a file durably; gives its length.
fn copy_file(disk: &mut dyn Disk, from: &Path, into: &Path) -> Result<u64, StorageError> {
    let source = disk.open(from, OpenMode::Read).map_err(StorageError::io(from))?;
    let copy = disk.open(into, OpenMode::Truncate).map_err(StorageError::io(into));
    let copied = copy.and_then(|copy| {
        let copied = copy_all(disk, source, from, copy, into);
        disk.close(copy);
        copied
    });
    disk.close(source);
    copied
}

fn copy_all(
    disk: &mut dyn Disk,
    source: shard::FileId,
    from: &Path,
    copy: shard::FileId,
    into: &Path,
) -> Result<u64, StorageError> {
    let mut bytes = vec![0; COPY_LEN];
    let mut at = 0;
    loop {
        let count = disk.read_at(source, at, &mut bytes).map_err(StorageError::io(from))?;
        disk.write_at(copy, at, &bytes[..count]).map_err(StorageError::io(into))?;
        at += count as u64;
        if count < bytes.len() {
            break;
        }
    }
    disk.sync(copy).map_err(StorageError::io(into))?;
    Ok(at)
}
