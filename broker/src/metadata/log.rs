//! The metadata log: record batches with Kafka's metadata records, durable before anything is made of them.
//!
//! One file, `__cluster_metadata-0/<first offset>.log`, in Kafka's format, so that Kafka's dump-log tool reads it
//! (`--cluster-metadata-decoder`). A torn end is cut; damage before the end is refused. When most of it is history, the
//! next start replaces it by the records of its last image, in one rename.

use std::path::{Path, PathBuf};

use shard::{Buf, Disk, FileId, IoError, OpenMode, WallMs};
use storage::batch::{BatchBuilder, BatchHeader, Codec, HEADER_LEN, RecordStream, ValidBatch};
use storage::mutation::{Mutation, is_on};

use super::record::{Record, RecordError};

/// The log's directory within the data directory.
pub const DIR: &str = "__cluster_metadata-0";

/// A log shorter than this is never worth shortening, bytes.
const SHORTEN_BYTES_MIN: u64 = 1 << 20;

/// A metadata batch may have this many bytes.
const BATCH_BYTES_MAX: usize = 64 << 20;

/// Records in one batch of a shortened log, which comes into being whole, by a rename.
const BATCH_RECORDS_MAX: usize = 1000;

/// The log, open for appending.
#[derive(Debug)]
pub struct MetadataLog {
    file: FileId,
    path: PathBuf,
    len: u64,
    next_offset: i64,
    /// Set once a write failed: what the file holds is unknown then, and nothing more is written.
    is_broken: bool,
}

/// Why the metadata cannot be read.
#[derive(Debug)]
pub enum MetadataError {
    /// The operating system refuses.
    Io(PathBuf, IoError),
    /// A newer Ringlog wrote it.
    UnknownVersion(PathBuf),
    /// Something other than a torn end is wrong.
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where in it, in bytes.
        position: u64,
        /// What.
        why: String,
    },
}

impl std::fmt::Display for MetadataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MetadataError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            MetadataError::UnknownVersion(path) => {
                write!(f, "{}: a newer version of Ringlog wrote this: start that one", path.display())
            }
            MetadataError::Damaged { path, position, why } => {
                write!(f, "{} is damaged at byte {position}: {why}", path.display())
            }
        }
    }
}

impl MetadataLog {
    /// Opens the log within `data_dir`, made if missing, and hands each record to `apply` in order.
    pub fn open(
        disk: &mut dyn Disk,
        data_dir: &Path,
        mut apply: impl FnMut(Record),
    ) -> Result<MetadataLog, MetadataError> {
        let dir = data_dir.join(DIR);
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error| MetadataError::Io(path, error)
        };
        disk.create_dir(&dir).map_err(io(&dir))?;
        let first_offset = newest_log(disk, &dir).map_err(io(&dir))?;
        let path = path_of(&dir, first_offset);
        let file = disk.open(&path, OpenMode::Create).map_err(io(&path))?;
        disk.sync_dir(&dir).map_err(io(&dir))?;
        let len = disk.len(file).map_err(io(&path))?;
        let mut log = MetadataLog { file, path, len: 0, next_offset: first_offset, is_broken: false };
        while log.len < len {
            match log.read_batch(disk, len)? {
                Some((size, records)) => {
                    records.into_iter().for_each(&mut apply);
                    log.len += size;
                }
                None => {
                    disk.truncate(file, log.len).map_err(io(&log.path))?;
                    disk.sync(file).map_err(io(&log.path))?;
                    break;
                }
            }
        }
        Ok(log)
    }

    /// Reads the batch at the end of what was read; `None` if it is torn.
    fn read_batch(
        &mut self,
        disk: &mut dyn Disk,
        file_len: u64,
    ) -> Result<Option<(u64, Vec<Record>)>, MetadataError> {
        let mut head = [0; HEADER_LEN];
        let Some(header) = self.read_at(disk, &mut head)?.and_then(|()| BatchHeader::parse(&head)) else {
            return Ok(None);
        };
        let Some(size) = header.size().filter(|&size| (HEADER_LEN..=BATCH_BYTES_MAX).contains(&size)) else {
            return Ok(None);
        };
        if self.len + size as u64 > file_len {
            return Ok(None);
        }
        let mut bytes = vec![0; size];
        self.read_at(disk, &mut bytes)?;
        let bytes = Buf::from(bytes);
        if let Err(refusal) = ValidBatch::trusted(bytes.clone()) {
            // The last batch may be torn by a crash; one with more behind it was whole once.
            return match self.len + size as u64 == file_len {
                true => Ok(None),
                false => Err(self.damaged(refusal.to_string())),
            };
        }
        if header.base_offset.0 != self.next_offset {
            return Err(self.damaged(format!("offset {} follows {}", header.base_offset.0, self.next_offset)));
        }
        let records = self.decode_records(&bytes)?;
        self.next_offset = header.last_offset().0 + 1;
        Ok(Some((size as u64, records)))
    }

    fn decode_records(&self, batch: &[u8]) -> Result<Vec<Record>, MetadataError> {
        let mut stream = RecordStream::new(Codec::None, &batch[HEADER_LEN..], BATCH_BYTES_MAX)
            .map_err(|fault| self.damaged(fault.to_string()))?;
        let mut records = Vec::new();
        while let Some(record) = stream.next().map_err(|fault| self.damaged(fault.to_string()))? {
            match Record::decode(record.value.unwrap_or_default()) {
                Ok(record) => records.push(record),
                Err(
                    error @ (RecordError::Damaged(_) | RecordError::UnknownType(_) | RecordError::Foreign(_)),
                ) => {
                    return Err(self.damaged(error.to_string()));
                }
            }
        }
        Ok(records)
    }

    fn read_at(&self, disk: &mut dyn Disk, into: &mut [u8]) -> Result<Option<()>, MetadataError> {
        let count = disk
            .read_at(self.file, self.len, into)
            .map_err(|error| MetadataError::Io(self.path.clone(), error))?;
        Ok((count == into.len()).then_some(()))
    }

    fn damaged(&self, why: String) -> MetadataError {
        MetadataError::Damaged { path: self.path.clone(), position: self.len, why }
    }

    /// Appends records; when it returns they are durable. After a failure the log takes nothing more.
    pub fn append(&mut self, disk: &mut dyn Disk, records: &[Record], now: WallMs) -> Result<(), IoError> {
        if self.is_broken {
            return Err(IoError::DEVICE);
        }
        let bytes = encode_batch(records, self.next_offset, now);
        if bytes.len() > BATCH_BYTES_MAX {
            return Err(IoError::TOO_LARGE);
        }
        let is_synced = !is_on(Mutation::AnnounceUnsynced);
        let sync = |disk: &mut dyn Disk| if is_synced { disk.sync(self.file) } else { Ok(()) };
        let written = disk.write_at(self.file, self.len, &bytes).and_then(|()| sync(disk));
        if let Err(error) = written {
            self.is_broken = true;
            // A change that was refused must not come back with the next start. If this fails too, it may.
            _ = disk.truncate(self.file, self.len);
            return Err(error);
        }
        self.len += bytes.len() as u64;
        self.next_offset += records.len() as i64;
        Ok(())
    }

    /// Replaces the log by `records` if that makes it much shorter. A crash leaves the old log or the new one.
    pub fn shorten(
        &mut self,
        disk: &mut dyn Disk,
        records: &[Record],
        now: WallMs,
    ) -> Result<(), MetadataError> {
        let bytes = encode_batches(records, self.next_offset, now);
        if self.len < SHORTEN_BYTES_MIN || (bytes.len() as u64) * 2 > self.len {
            return Ok(());
        }
        let dir = self.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let path = path_of(&dir, self.next_offset);
        let file = disk
            .replace_file(&path, &bytes)
            .and_then(|()| disk.open(&path, OpenMode::Write))
            .map_err(|error| MetadataError::Io(path.clone(), error))?;
        disk.close(std::mem::replace(&mut self.file, file));
        let old = std::mem::replace(&mut self.path, path);
        if let Err(error) = disk.remove(&old) {
            tracing::warn!(%error, file = %old.display(), "an older metadata log stays behind, without harm");
        }
        self.len = bytes.len() as u64;
        self.next_offset += records.len() as i64;
        Ok(())
    }

    /// The offset that the next record gets.
    pub fn next_offset(&self) -> i64 {
        self.next_offset
    }
}

fn path_of(dir: &Path, first_offset: i64) -> PathBuf {
    dir.join(format!("{first_offset:020}.log"))
}

/// The first offset of the newest log in `dir`; 0 if there is none. An older one is what a crash left of shortening.
fn newest_log(disk: &mut dyn Disk, dir: &Path) -> Result<i64, IoError> {
    let entries = disk.list(dir)?;
    let offsets = entries.iter().filter_map(|entry| entry.name.strip_suffix(".log")?.parse::<i64>().ok());
    Ok(offsets.max().unwrap_or(0))
}

/// One batch: a change is durable whole or not at all.
fn encode_batch(records: &[Record], first_offset: i64, now: WallMs) -> Vec<u8> {
    let batch = records
        .iter()
        .fold(BatchBuilder::new(), |batch, record| batch.record(now.0, None, Some(&record.encode())));
    let mut batch = batch.build();
    // Base offset and leader epoch lie outside the checksum (Q30).
    batch[..8].copy_from_slice(&first_offset.to_be_bytes());
    batch[12..16].copy_from_slice(&0_i32.to_be_bytes());
    batch
}

fn encode_batches(records: &[Record], first_offset: i64, now: WallMs) -> Vec<u8> {
    let chunks = records.chunks(BATCH_RECORDS_MAX).zip((first_offset..).step_by(BATCH_RECORDS_MAX));
    chunks.flat_map(|(chunk, offset)| encode_batch(chunk, offset, now)).collect()
}

#[cfg(test)]
mod tests {
    use protocol::Uuid;
    use shard::Io;
    use shard::memory::{Crash, World};

    use super::*;

    fn topic(number: u128) -> Record {
        Record::Topic { name: format!("topic-{number}"), id: Uuid::from_u128(number) }
    }

    fn open(world: &World) -> Result<(MetadataLog, Vec<Record>, shard::memory::MemoryIo), MetadataError> {
        let mut io = world.io();
        let mut records = Vec::new();
        let log = MetadataLog::open(io.disk(), Path::new("/data"), |record| records.push(record))?;
        Ok((log, records, io))
    }

    #[test]
    fn what_was_appended_is_replayed_even_after_a_power_cut() {
        for seed in 0..50 {
            let world = World::new(seed);
            let (mut log, _, mut io) = open(&world).unwrap();
            for number in 0..10 {
                log.append(io.disk(), &[topic(number), topic(number + 100)], WallMs(1)).unwrap();
            }
            world.crash(Crash::Power);
            let (log, records, _) = open(&world).unwrap();
            let expected: Vec<Record> =
                (0..10).flat_map(|number| [topic(number), topic(number + 100)]).collect();
            assert_eq!(records, expected);
            assert_eq!(log.next_offset(), 20);
        }
    }

    #[test]
    fn a_torn_end_is_cut_and_written_over() {
        let world = World::new(1);
        let (mut log, _, mut io) = open(&world).unwrap();
        log.append(io.disk(), &[topic(1)], WallMs(1)).unwrap();
        let torn = encode_batches(&[topic(2)], 1, WallMs(1));
        io.disk().write_at(log.file, log.len, &torn[..torn.len() - 3]).unwrap();
        let (mut log, records, mut io) = open(&world).unwrap();
        assert_eq!(records, [topic(1)]);
        log.append(io.disk(), &[topic(3)], WallMs(1)).unwrap();
        assert_eq!(open(&world).unwrap().1, [topic(1), topic(3)]);
    }

    #[test]
    fn a_large_change_is_there_whole_or_not_at_all() {
        let change: Vec<Record> = (0..5000).map(topic).collect();
        for percent in [0, 1, 20, 50, 99] {
            let world = World::new(1);
            let (mut log, _, mut io) = open(&world).unwrap();
            log.append(io.disk(), &[topic(77)], WallMs(1)).unwrap();
            let before = log.len;
            log.append(io.disk(), &change, WallMs(1)).unwrap();
            let len = before + (log.len - before) * percent / 100;
            io.disk().truncate(log.file, len).unwrap();
            assert_eq!(open(&world).unwrap().1, [topic(77)], "{percent} percent");
        }
    }

    #[test]
    fn damage_before_the_end_is_refused() {
        let world = World::new(1);
        let (mut log, _, mut io) = open(&world).unwrap();
        log.append(io.disk(), &[topic(1)], WallMs(1)).unwrap();
        log.append(io.disk(), &[topic(2)], WallMs(1)).unwrap();
        world.flip_bit(&log.path, 8 * 70);
        assert!(matches!(open(&world), Err(MetadataError::Damaged { position: 0, .. })));
    }

    #[test]
    fn a_log_of_mostly_history_is_shortened() {
        let world = World::new(1);
        let (mut log, _, mut io) = open(&world).unwrap();
        let history: Vec<Record> = (0..40_000).map(topic).collect();
        log.append(io.disk(), &history, WallMs(1)).unwrap();
        log.shorten(io.disk(), &[topic(7)], WallMs(2)).unwrap();
        log.append(io.disk(), &[topic(8)], WallMs(2)).unwrap();
        let (log, records, _) = open(&world).unwrap();
        assert_eq!(records, [topic(7), topic(8)]);
        assert_eq!(log.next_offset(), 40_002);
    }

    #[test]
    fn a_failed_write_is_told_and_ends_the_log() {
        let world = World::new(1);
        let (mut log, _, mut io) = open(&world).unwrap();
        world.set_faults(shard::memory::Faults { failed_sync_percent: 100, ..Default::default() });
        assert!(log.append(io.disk(), &[topic(1)], WallMs(1)).is_err());
        world.set_faults(shard::memory::Faults::default());
        assert!(log.append(io.disk(), &[topic(1)], WallMs(1)).is_err());
    }
}
