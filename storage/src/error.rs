//! Operating errors: what went wrong with which file, and where in it.

use std::fmt;
use std::path::{Path, PathBuf};

use shard::IoError;

/// A file could not be used. The partition is affected alone; the broker logs it and answers
/// KAFKA_STORAGE_ERROR (56).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageError {
    /// Which file or directory.
    pub path: PathBuf,
    /// Where in it, in bytes.
    pub position: u64,
    /// What went wrong.
    pub cause: Cause,
}

/// What can go wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The operating system refuses.
    Io(IoError),
    /// There is no batch, or not the content, that must be there.
    Corrupt,
    /// A newer Ringlog wrote it: this one does not know the version.
    UnknownVersion,
    /// The segment was deleted meanwhile.
    Gone,
    /// The file ends too early.
    Short,
    /// Compaction was cut short here: the broker that did it has to finish it.
    Unfinished,
    /// A damaged segment is followed by whole ones: no crash explains that, so nothing is cut.
    DamagedWithin,
}

impl StorageError {
    pub(crate) fn new(path: &Path, position: u64, cause: Cause) -> StorageError {
        StorageError { path: path.to_path_buf(), position, cause }
    }

    /// For `map_err` on the operating system's refusals.
    pub(crate) fn io(path: &Path) -> impl FnOnce(IoError) -> StorageError + '_ {
        move |error| StorageError::new(path, 0, Cause::Io(error))
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}: {}", self.path.display(), self.position, self.cause)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Io(error) => error.fmt(f),
            Cause::Corrupt => f.write_str("not what must be there"),
            Cause::UnknownVersion => f.write_str("a newer version of Ringlog wrote this: start that one"),
            Cause::Gone => f.write_str("deleted meanwhile"),
            Cause::Unfinished => {
                f.write_str("compaction was cut short: start and stop that broker, so that it finishes")
            }
            Cause::Short => f.write_str("the file ends too early"),
            Cause::DamagedWithin => f.write_str("damaged, although later segments are whole"),
        }
    }
}

impl std::error::Error for StorageError {}
