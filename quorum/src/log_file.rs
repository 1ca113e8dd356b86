//! The file that the log lies in: batches one behind the other, named by the offset of the first.
//!
//! A torn end is cut when the file is opened; damage before the end is refused. What was cut off is gone for good before anything
//! is written in its place: otherwise a crash could leave new bytes in front of old ones, which look like damage.

use std::path::{Path, PathBuf};

use shard::{Disk, FileId, IoError, OpenMode};
use storage::batch::{BatchHeader, HEADER_LEN};

use crate::batch::{Facts, facts_of};
use crate::config::BATCH_BYTES_MAX;
use crate::error::OpenError;
use crate::mutation::{Mutation, is_on};

/// The log, open at its end.
#[derive(Debug)]
pub(crate) struct LogFile {
    dir: PathBuf,
    path: PathBuf,
    file: FileId,
    /// Where the next batch goes, in bytes.
    len: u64,
}

impl LogFile {
    /// Opens the newest log in `dir`, made if there is none, and says at which offset it begins. It stands at its beginning:
    /// [`LogFile::read`] goes on to its end.
    pub fn open(disk: &mut dyn Disk, dir: &Path, first_offset: i64) -> Result<(LogFile, i64), OpenError> {
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error| OpenError::Io(path, error)
        };
        let first_offset = newest(disk, dir).map_err(io(dir))?.unwrap_or(first_offset);
        let path = path_of(dir, first_offset);
        let file = disk.open(&path, OpenMode::Create).map_err(io(&path))?;
        disk.sync_dir(dir).map_err(io(dir))?;
        Ok((LogFile { dir: dir.to_path_buf(), path, file, len: 0 }, first_offset))
    }

    /// The next batch of a log that is being opened; `None` at the end, where what is torn is cut off.
    pub fn read(&mut self, disk: &mut dyn Disk) -> Result<Option<(Vec<u8>, Facts)>, OpenError> {
        let io = |error| OpenError::Io(self.path.clone(), error);
        let file_len = disk.len(self.file).map_err(io)?;
        if self.len == file_len {
            return Ok(None);
        }
        let mut head = [0; HEADER_LEN];
        let head_len = disk.read_at(self.file, self.len, &mut head).map_err(io)?;
        let size = BatchHeader::parse(&head[..head_len]).and_then(|header| header.size());
        let size = size.filter(|&size| size <= BATCH_BYTES_MAX && self.len + size as u64 <= file_len);
        let Some(size) = size else { return self.cut_torn_end(disk) };
        let mut batch = vec![0; size];
        disk.read_at(self.file, self.len, &mut batch).map_err(io)?;
        match facts_of(&batch) {
            Some(facts) => {
                self.len += size as u64;
                Ok(Some((batch, facts)))
            }
            // The last batch may be torn by a crash; one with more behind it was whole once.
            None if self.len + size as u64 == file_len => self.cut_torn_end(disk),
            None => Err(self.damaged("a batch with more behind it is not whole".to_owned())),
        }
    }

    fn cut_torn_end(&mut self, disk: &mut dyn Disk) -> Result<Option<(Vec<u8>, Facts)>, OpenError> {
        self.truncate(disk, self.len).map_err(|error| OpenError::Io(self.path.clone(), error))?;
        Ok(None)
    }

    /// What is wrong with the batch that was read last.
    pub fn damaged(&self, why: String) -> OpenError {
        OpenError::Damaged { path: self.path.clone(), position: self.len, why }
    }

    /// Appends batches; durable when it returns.
    pub fn append(&mut self, disk: &mut dyn Disk, bytes: &[u8]) -> Result<(), IoError> {
        disk.write_at(self.file, self.len, bytes)?;
        let is_unsynced = is_on(Mutation::AppendUnsynced)
            || storage::mutation::is_on(storage::mutation::Mutation::AnnounceUnsynced);
        if !is_unsynced {
            disk.sync(self.file)?;
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Takes back what a failed append may have left, so that it does not come back with the next start; it may, if this
    /// fails too.
    pub fn take_back(&mut self, disk: &mut dyn Disk) {
        _ = disk.truncate(self.file, self.len);
    }

    /// Cuts the log; durable when it returns.
    pub fn truncate(&mut self, disk: &mut dyn Disk, len: u64) -> Result<(), IoError> {
        assert!(len <= disk.len(self.file)?, "a log is not cut behind its end");
        self.len = len;
        if is_on(Mutation::KeepReplaced) {
            return Ok(());
        }
        disk.truncate(self.file, len)?;
        disk.sync(self.file)
    }

    /// Replaces the log by one that begins at `first_offset` and holds `bytes`. A crash leaves the old one or the new one.
    pub fn replace(&mut self, disk: &mut dyn Disk, first_offset: i64, bytes: &[u8]) -> Result<(), IoError> {
        let path = path_of(&self.dir, first_offset);
        disk.replace_file(&path, bytes)?;
        let file = disk.open(&path, OpenMode::Write)?;
        disk.close(std::mem::replace(&mut self.file, file));
        let old = std::mem::replace(&mut self.path, path);
        self.len = bytes.len() as u64;
        if old != self.path
            && let Err(error) = disk.remove(&old)
        {
            tracing::warn!(%error, file = %old.display(), "an older metadata log stays behind, without harm");
        }
        Ok(())
    }

    /// What the file has, read or not, in bytes.
    pub fn file_len(&self, disk: &mut dyn Disk) -> Result<u64, IoError> {
        disk.len(self.file)
    }

    /// Where the next batch goes, in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn path_of(dir: &Path, first_offset: i64) -> PathBuf {
    dir.join(format!("{first_offset:020}.log"))
}

/// The first offset of the newest log in `dir`. An older one is what a crash left of a cut.
fn newest(disk: &mut dyn Disk, dir: &Path) -> Result<Option<i64>, IoError> {
    let entries = disk.list(dir)?;
    Ok(entries.iter().filter_map(|entry| entry.name.strip_suffix(".log")?.parse::<i64>().ok()).max())
}

#[cfg(test)]
mod tests {
    use shard::memory::{MemoryIo, World};
    use shard::{Io, WallMs};

    use super::*;
    use crate::batch;

    fn batch(offset: i64) -> Vec<u8> {
        let mut batch = batch::of_records(&[vec![7; 20]], WallMs(1));
        batch::place(&mut batch, offset, 1);
        batch
    }

    fn open(world: &World) -> Result<(LogFile, Vec<i64>, MemoryIo), OpenError> {
        let mut io = world.io();
        let dir = Path::new("/data");
        io.disk().create_dir(dir).unwrap();
        let (mut log, _) = LogFile::open(io.disk(), dir, 0)?;
        let mut offsets = Vec::new();
        while let Some((_, facts)) = log.read(io.disk())? {
            offsets.push(facts.base_offset);
        }
        Ok((log, offsets, io))
    }

    #[test]
    fn a_torn_end_is_cut_and_written_over() {
        let whole = batch(1);
        for len in 0..whole.len() {
            let world = World::new(1);
            let (mut log, _, mut io) = open(&world).unwrap();
            log.append(io.disk(), &batch(0)).unwrap();
            io.disk().write_at(log.file, log.len, &whole[..len]).unwrap();
            let (mut log, offsets, mut io) = open(&world).unwrap();
            assert_eq!(offsets, [0], "torn at {len}");
            log.append(io.disk(), &whole).unwrap();
            assert_eq!(open(&world).unwrap().1, [0, 1]);
        }
    }

    #[test]
    fn damage_before_the_end_is_refused() {
        let world = World::new(1);
        let (mut log, _, mut io) = open(&world).unwrap();
        log.append(io.disk(), &batch(0)).unwrap();
        log.append(io.disk(), &batch(1)).unwrap();
        world.flip_bit(log.path(), 8 * 70);
        assert!(matches!(open(&world), Err(OpenError::Damaged { position: 0, .. })));
    }

    #[test]
    fn a_replaced_log_begins_elsewhere() {
        let world = World::new(1);
        let (mut log, _, mut io) = open(&world).unwrap();
        log.append(io.disk(), &batch(0)).unwrap();
        log.replace(io.disk(), 5, &batch(5)).unwrap();
        log.append(io.disk(), &batch(6)).unwrap();
        assert_eq!(open(&world).unwrap().1, [5, 6]);
        assert_eq!(io.disk().list(Path::new("/data")).unwrap().len(), 1);
    }
}
