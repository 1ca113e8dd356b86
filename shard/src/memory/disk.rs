//! Files in memory, with what a crash would leave of them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{MemoryIo, World};
use crate::clock::WallMs;
use crate::disk::{Disk, DurableWrites, Entry, FileId, OpenMode, Space};
use crate::io::{Io, IoError};

/// What a disk writes whole.
pub(super) const SECTOR_LEN: u64 = 512;

/// A file: what reads see, what is durable, and the writes in between.
#[derive(Default, Clone)]
pub(crate) struct FileState {
    pub(super) bytes: Vec<u8>,
    pub(super) durable: Vec<u8>,
    pub(super) unsynced: Vec<Change>,
    modified: WallMs,
    is_next_misdirected: bool,
}

#[derive(Clone)]
pub(super) enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Truncate { len: u64 },
}

impl FileState {
    pub(super) fn apply(bytes: &mut Vec<u8>, change: &Change) {
        match change {
            Change::Write { offset, bytes: written } => {
                let (start, end) = (*offset as usize, *offset as usize + written.len());
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[start..end].copy_from_slice(written);
            }
            Change::Truncate { len } => bytes.resize(*len as usize, 0),
        }
    }

    fn change(&mut self, change: Change, now: WallMs) {
        self.modified = now;
        FileState::apply(&mut self.bytes, &change);
        self.unsynced.push(change);
    }

    /// Writes past the page cache: what is seen and what is durable change together.
    pub(super) fn write_durable(&mut self, offset: u64, bytes: &[u8]) {
        let change = Change::Write { offset, bytes: bytes.to_vec() };
        FileState::apply(&mut self.bytes, &change);
        FileState::apply(&mut self.durable, &change);
    }

    fn sync(&mut self) {
        self.durable.clone_from(&self.bytes);
        self.unsynced.clear();
    }
}

impl World {
    /// Flips one bit of a file, as a failing device would.
    pub fn flip_bit(&self, path: &Path, bit: u64) {
        let state = self.state.borrow();
        let mut file = state.machines[self.machine].files[path].borrow_mut();
        let (byte, mask) = ((bit / 8) as usize, 1 << (bit % 8));
        file.bytes[byte] ^= mask;
        if let Some(byte) = file.durable.get_mut(byte) {
            *byte ^= mask;
        }
    }

    /// Lets the next write to a file land a sector or more away from where it belongs, and be told as done.
    pub fn misdirect_next_write(&self, path: &Path) {
        let state = self.state.borrow();
        state.machines[self.machine].files[path].borrow_mut().is_next_misdirected = true;
    }

    /// What a file holds now; `None` if there is none.
    pub fn file(&self, path: &Path) -> Option<Vec<u8>> {
        self.state.borrow().machines[self.machine].files.get(path).map(|file| file.borrow().bytes.clone())
    }

    /// The paths of all files of this machine.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.state.borrow().machines[self.machine].files.keys().cloned().collect()
    }

    /// Bytes in all files of this machine.
    pub fn used_bytes(&self) -> u64 {
        self.state.borrow().machines[self.machine].used_bytes()
    }

    /// How many files all cores of this machine hold open.
    pub fn open_files(&self) -> usize {
        self.state.borrow().machines[self.machine].cores.iter().map(|core| core.open.len()).sum()
    }
}

impl MemoryIo {
    pub(super) fn open_file(&self, file: FileId) -> Result<Rc<RefCell<FileState>>, IoError> {
        let state = self.state.borrow();
        state.machines[self.machine].cores[self.core]
            .open
            .get(file.0 as usize)
            .cloned()
            .ok_or(IoError(libc::EBADF))
    }

    pub(super) fn read_open(
        &mut self,
        file: &RefCell<FileState>,
        offset: u64,
        into: &mut [u8],
    ) -> Result<usize, IoError> {
        if self.state.borrow_mut().strikes(self.machine, |faults| faults.failed_read_percent) {
            return Err(IoError::DEVICE);
        }
        let file = file.borrow();
        let start = (offset as usize).min(file.bytes.len());
        let count = into.len().min(file.bytes.len() - start);
        into[..count].copy_from_slice(&file.bytes[start..start + count]);
        Ok(count)
    }

    pub(super) fn write_file(
        &mut self,
        file: &RefCell<FileState>,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), IoError> {
        let grows = (offset + bytes.len() as u64).saturating_sub(file.borrow().bytes.len() as u64);
        self.check_space(grows)?;
        self.approach_doom();
        let offset = self.state.borrow_mut().landing_of(file, offset);
        let now = self.wall_ms();
        file.borrow_mut().change(Change::Write { offset, bytes: bytes.to_vec() }, now);
        Ok(())
    }

    pub(super) fn sync_file(&mut self, file: &RefCell<FileState>) -> Result<(), IoError> {
        if self.state.borrow_mut().strikes(self.machine, |faults| faults.failed_sync_percent) {
            return Err(IoError::DEVICE);
        }
        self.approach_doom();
        file.borrow_mut().sync();
        Ok(())
    }

    fn check_space(&self, more: u64) -> Result<(), IoError> {
        let state = self.state.borrow();
        let machine = &state.machines[self.machine];
        let Some(bytes_max) = machine.faults.disk_bytes_max else { return Ok(()) };
        if machine.used_bytes() + more > bytes_max { Err(IoError::NO_SPACE) } else { Ok(()) }
    }
}

impl super::State {
    /// Where a write to a file lands that is to go to `offset`.
    pub(super) fn landing_of(&mut self, file: &RefCell<FileState>, offset: u64) -> u64 {
        if !std::mem::take(&mut file.borrow_mut().is_next_misdirected) {
            return offset;
        }
        let away = SECTOR_LEN * (1 + self.random.below(8));
        if self.random.chance(50) { offset + away } else { offset.saturating_sub(away) }
    }
}

impl super::Machine {
    fn used_bytes(&self) -> u64 {
        self.files.values().map(|file| file.borrow().bytes.len() as u64).sum()
    }
}

impl Disk for MemoryIo {
    fn open(&mut self, path: &Path, mode: OpenMode) -> Result<FileId, IoError> {
        if mode == OpenMode::Create || mode == OpenMode::Truncate {
            self.approach_doom();
        }
        let mut state = self.state.borrow_mut();
        let state = &mut state.machines[self.machine];
        let file = match state.files.get(path) {
            Some(file) => Rc::clone(file),
            None if matches!(mode, OpenMode::Read | OpenMode::Write) => return Err(IoError::NOT_FOUND),
            None => {
                if path.parent().is_some_and(|dir| !state.dirs.contains(dir)) {
                    return Err(IoError::NOT_FOUND);
                }
                let file =
                    Rc::new(RefCell::new(FileState { modified: state.wall_ms, ..FileState::default() }));
                state.files.insert(path.to_owned(), Rc::clone(&file));
                file
            }
        };
        if mode == OpenMode::Truncate {
            file.borrow_mut().change(Change::Truncate { len: 0 }, state.wall_ms);
        }
        Ok(FileId(state.cores[self.core].open.insert(file) as u32))
    }

    fn open_durable(&mut self, path: &Path) -> Result<(FileId, DurableWrites), IoError> {
        Ok((self.open(path, OpenMode::Create)?, DurableWrites::Direct))
    }

    fn close(&mut self, file: FileId) {
        let mut state = self.state.borrow_mut();
        state.machines[self.machine].cores[self.core].open.try_remove(file.0 as usize);
    }

    fn len(&mut self, file: FileId) -> Result<u64, IoError> {
        Ok(self.open_file(file)?.borrow().bytes.len() as u64)
    }

    fn read_at(&mut self, file: FileId, offset: u64, into: &mut [u8]) -> Result<usize, IoError> {
        let file = self.open_file(file)?;
        self.read_open(&file, offset, into)
    }

    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), IoError> {
        let file = self.open_file(file)?;
        self.write_file(&file, offset, bytes)
    }

    fn truncate(&mut self, file: FileId, len: u64) -> Result<(), IoError> {
        self.approach_doom();
        let now = self.wall_ms();
        self.open_file(file)?.borrow_mut().change(Change::Truncate { len }, now);
        Ok(())
    }

    fn sync(&mut self, file: FileId) -> Result<(), IoError> {
        let file = self.open_file(file)?;
        self.sync_file(&file)
    }

    fn sync_dir(&mut self, _dir: &Path) -> Result<(), IoError> {
        // Names are durable at once here; a world in which they are not is for the simulator to make.
        Ok(())
    }

    fn create_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        self.approach_doom();
        let mut state = self.state.borrow_mut();
        state.machines[self.machine].dirs.extend(dir.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn list(&mut self, dir: &Path) -> Result<Vec<Entry>, IoError> {
        let state = self.state.borrow();
        let state = &state.machines[self.machine];
        if !state.dirs.contains(dir) {
            return Err(IoError::NOT_FOUND);
        }
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files = state.files.iter().filter(|(path, _)| path.parent() == Some(dir));
        let files = files.map(|(path, file)| Entry {
            name: name(path),
            is_dir: false,
            len: file.borrow().bytes.len() as u64,
            modified: file.borrow().modified,
        });
        let dirs = state.dirs.iter().filter(|path| path.parent() == Some(dir));
        let dirs = dirs.map(|path| Entry { name: name(path), is_dir: true, len: 0, modified: WallMs(0) });
        let mut entries: Vec<Entry> = files.chain(dirs).collect();
        entries.sort();
        Ok(entries)
    }

    fn list_dirs(&mut self, dir: &Path) -> Result<Vec<String>, IoError> {
        let entries = self.list(dir)?;
        Ok(entries.into_iter().filter(|entry| entry.is_dir).map(|entry| entry.name).collect())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), IoError> {
        self.approach_doom();
        let mut state = self.state.borrow_mut();
        let state = &mut state.machines[self.machine];
        if let Some(file) = state.files.remove(from) {
            state.files.insert(to.to_owned(), file);
            return Ok(());
        }
        if !state.dirs.contains(from) {
            return Err(IoError::NOT_FOUND);
        }
        let moved = |path: &Path| to.join(path.strip_prefix(from).unwrap_or(path));
        let files = std::mem::take(&mut state.files);
        let renamed = files.into_iter().map(|(path, file)| match path.starts_with(from) {
            true => (moved(&path), file),
            false => (path, file),
        });
        state.files = renamed.collect();
        let dirs = std::mem::take(&mut state.dirs);
        let renamed = dirs.into_iter().map(|path| match path.starts_with(from) {
            true if path == from => to.to_owned(),
            true => moved(&path),
            false => path,
        });
        state.dirs = renamed.collect();
        Ok(())
    }

    fn remove(&mut self, path: &Path) -> Result<(), IoError> {
        self.approach_doom();
        let mut state = self.state.borrow_mut();
        state.machines[self.machine].files.remove(path).map(drop).ok_or(IoError::NOT_FOUND)
    }

    fn remove_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        self.approach_doom();
        let mut state = self.state.borrow_mut();
        let state = &mut state.machines[self.machine];
        state.files.retain(|path, _| !path.starts_with(dir));
        state.dirs.retain(|path| !path.starts_with(dir));
        Ok(())
    }

    fn space(&mut self, _path: &Path) -> Result<Space, IoError> {
        let state = self.state.borrow();
        let state = &state.machines[self.machine];
        let total = state.faults.disk_bytes_max.unwrap_or(1 << 40);
        Ok(Space { total, usable: total.saturating_sub(state.used_bytes()) })
    }
}
