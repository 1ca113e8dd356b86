//! What of the journal a truncated log has no use for: the file `ringlog.cut` in the log's directory.
//!
//! `1 <run> <sequence> <index> <CRC-32C of what stands before>`, one line: entries before the `index`-th of that
//! frame of that run are not replayed. It is replaced durably before anything is cut off, and means nothing to
//! later runs.

use std::path::Path;

use shard::Disk;

use crate::error::{Cause, StorageError};
use crate::line;

/// The file's name.
pub(crate) const FILE_NAME: &str = "ringlog.cut";

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
        let text = line::encode(&format!("{} {} {}", self.run, self.next.0, self.next.1));
        disk.replace_file(&path, text.as_bytes()).map_err(StorageError::io(&path))
    }

    /// What a log's directory says.
    pub(super) fn read(disk: &mut dyn Disk, dir: &Path) -> Result<Option<Mark>, StorageError> {
        let path = dir.join(FILE_NAME);
        let bytes = disk.read_file(&path, line::LEN_MAX).map_err(StorageError::io(&path))?;
        bytes
            .map(|bytes| Mark::decode(&bytes).map_err(|cause| StorageError::new(&path, 0, cause)))
            .transpose()
    }
}

impl Mark {
    /// Reads the file's content. A damaged one is an error: cut records would come back.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Mark, Cause> {
        let fields = &mut line::decode(bytes)?;
        Ok(Mark { run: line::number(fields)?, next: (line::number(fields)?, line::number(fields)?) })
    }
}
