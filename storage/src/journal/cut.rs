//! What of the journal a truncated log has no use for: the file `ringlog.cut` in the log's directory.
//!
//! `1 <run> <sequence> <index> <CRC-32C of what stands before>`, one line: entries before the `index`-th of that
//! frame of that run are not replayed. It is replaced durably before anything is cut off, and means nothing to
//! later runs.

use std::path::Path;

use shard::Disk;

use crate::error::{Cause, StorageError};

/// The file's name.
pub(super) const FILE_NAME: &str = "ringlog.cut";
const VERSION: &str = "1";
const LEN_MAX: u64 = 256;

/// A place between two entries of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Which use of the journal.
    pub run: u64,
    /// Which frame, and which entry of it comes next.
    pub next: (u64, u32),
}

impl Mark {
    /// Makes a log's directory say that nothing before this mark is replayed.
    pub(crate) fn write(&self, disk: &mut dyn Disk, dir: &Path) -> Result<(), StorageError> {
        let path = dir.join(FILE_NAME);
        let line = format!("{VERSION} {} {} {}", self.run, self.next.0, self.next.1);
        let text = format!("{line} {}\n", crc32c::crc32c(line.as_bytes()));
        disk.replace_file(&path, text.as_bytes()).map_err(StorageError::io(&path))
    }

    /// What a log's directory says.
    pub(super) fn read(disk: &mut dyn Disk, dir: &Path) -> Result<Option<Mark>, StorageError> {
        let path = dir.join(FILE_NAME);
        let bytes = disk.read_file(&path, LEN_MAX).map_err(StorageError::io(&path))?;
        bytes.map(|bytes| decode(&bytes).map_err(|cause| StorageError::new(&path, 0, cause))).transpose()
    }
}

fn decode(bytes: &[u8]) -> Result<Mark, Cause> {
    let text = std::str::from_utf8(bytes).map_err(|_| Cause::Corrupt)?;
    match text.split_once(' ') {
        Some((VERSION, _)) => {}
        Some((version, _)) if version.parse::<u32>().is_ok() => return Err(Cause::UnknownVersion),
        _ => return Err(Cause::Corrupt),
    }
    let fields = text.strip_suffix('\n').and_then(|line| line.rsplit_once(' ')).ok_or(Cause::Corrupt)?;
    if fields.1.parse() != Ok(crc32c::crc32c(fields.0.as_bytes())) {
        return Err(Cause::Corrupt);
    }
    let mut numbers = fields.0.split(' ').skip(1).map(|field| field.parse::<u64>().ok());
    let mut next = || numbers.next().flatten().ok_or(Cause::Corrupt);
    let (run, sequence, index) = (next()?, next()?, next()?);
    Ok(Mark { run, next: (sequence, u32::try_from(index).map_err(|_| Cause::Corrupt)?) })
}
