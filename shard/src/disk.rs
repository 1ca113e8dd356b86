//! The synchronous side of files: opening, naming, measuring, and small reads and writes outside the hot path.
//!
//! Bulk reads and writes are [`crate::io::Op`]s on the [`FileId`]s made here. Paths are relative to nothing: callers
//! pass whole paths.

use std::path::{Path, PathBuf};

use crate::clock::WallMs;
use crate::io::IoError;

/// An open file in the back end's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// How to open a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// For reading; it must exist.
    Read,
    /// For reading and writing; it must exist.
    Write,
    /// For reading and writing; made if missing, kept if there.
    Create,
    /// For reading and writing; made if missing, emptied if there.
    Truncate,
}

/// How a file's [`crate::io::Op::WriteDurable`] becomes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DurableWrites {
    /// Past the page cache, straight to the device, which keeps each write by itself (O_DIRECT and O_DSYNC).
    Direct,
    /// The same, and then the device is told to keep what its cache holds (O_DIRECT and `fdatasync`).
    DirectThenFlushed,
    /// Through the page cache and synced by each write (O_DSYNC): the file system has no direct writes.
    Synced,
}

/// What a directory holds under one name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, without its directory.
    pub name: String,
    /// Whether it is itself a directory.
    pub is_dir: bool,
    /// Its size in bytes, for a file.
    pub len: u64,
    /// When it was last written, by the file system's calendar.
    pub modified: WallMs,
}

/// Space on the file system that holds a path, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Size of the file system.
    pub total: u64,
    /// What may still be written.
    pub usable: u64,
}

/// Files as a core sees them. Two back ends: the operating system's, and memory with faults on demand.
pub trait Disk {
    /// Opens a file.
    fn open(&mut self, path: &Path, mode: OpenMode) -> Result<FileId, IoError>;
    /// Opens a file for durable writes, made if missing, and says how they work on this file system.
    fn open_durable(&mut self, path: &Path) -> Result<(FileId, DurableWrites), IoError>;
    /// Forgets a file; operations under way on it still complete.
    fn close(&mut self, file: FileId);
    /// A file's length in bytes.
    fn len(&mut self, file: FileId) -> Result<u64, IoError>;
    /// Reads at `offset` until `into` is full or the file ends; says how many bytes were read.
    fn read_at(&mut self, file: FileId, offset: u64, into: &mut [u8]) -> Result<usize, IoError>;
    /// Writes all of `bytes` at `offset`.
    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), IoError>;
    /// Cuts or extends a file to `len` bytes.
    fn truncate(&mut self, file: FileId, len: u64) -> Result<(), IoError>;
    /// Makes a file's content and length durable.
    fn sync(&mut self, file: FileId) -> Result<(), IoError>;
    /// Makes the names within a directory durable.
    fn sync_dir(&mut self, dir: &Path) -> Result<(), IoError>;
    /// Makes a directory and those above it; no error if it is there.
    fn create_dir(&mut self, dir: &Path) -> Result<(), IoError>;
    /// What a directory holds, sorted by name.
    fn list(&mut self, dir: &Path) -> Result<Vec<Entry>, IoError>;
    /// The names of the directories within a directory, sorted: much cheaper than [`Disk::list`].
    fn list_dirs(&mut self, dir: &Path) -> Result<Vec<String>, IoError>;
    /// Renames a file or directory, replacing a file of that name.
    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), IoError>;
    /// Removes a file.
    fn remove(&mut self, path: &Path) -> Result<(), IoError>;
    /// Removes a directory and all in it; no error if it is not there.
    fn remove_dir(&mut self, dir: &Path) -> Result<(), IoError>;
    /// Space on the file system that holds `path`.
    fn space(&mut self, path: &Path) -> Result<Space, IoError>;

    /// Reads a whole small file; `None` if there is none. Refuses more than `len_max` bytes with `EFBIG`.
    fn read_file(&mut self, path: &Path, len_max: u64) -> Result<Option<Vec<u8>>, IoError> {
        let file = match self.open(path, OpenMode::Read) {
            Err(IoError::NOT_FOUND) => return Ok(None),
            opened => opened?,
        };
        let read = self.len(file).and_then(|len| {
            if len > len_max {
                return Err(IoError::TOO_LARGE);
            }
            let mut bytes = vec![0; len as usize];
            let count = self.read_at(file, 0, &mut bytes)?;
            bytes.truncate(count);
            Ok(Some(bytes))
        });
        self.close(file);
        read
    }

    /// Replaces a small file so that a crash leaves the old content or the new, never a mix.
    fn replace_file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), IoError> {
        let mut draft = PathBuf::from(path).into_os_string();
        draft.push(".tmp");
        let draft = PathBuf::from(draft);
        let file = self.open(&draft, OpenMode::Truncate)?;
        let written = self.write_at(file, 0, bytes).and_then(|()| self.sync(file));
        self.close(file);
        written?;
        self.rename(&draft, path)?;
        match path.parent() {
            Some(dir) => self.sync_dir(dir),
            None => Ok(()),
        }
    }
}
