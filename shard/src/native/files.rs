//! A core's files: the synchronous [`Disk`], and reads and writes that run inline when that is cheaper.
//!
//! ext4 punts every buffered io_uring write to a kernel thread; on this machine's kind an inline `pwritev` of 64 KiB
//! took 9 µs against 15 µs by the ring. XFS takes buffered writes without blocking, so there the ring gets them. Reads
//! try the page cache inline (RWF_NOWAIT) and go to the ring, or to a thread where there is none, when the disk is
//! needed. Large ones that the page cache has whole are not copied but lent from a mapping (`mapping.rs`). What a read
//! brings into the page cache is dropped behind it (RWF_DONTCACHE, Linux 6.14), so that reading old records does not push
//! out what tail readers use; what was there before stays.

use std::collections::VecDeque;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use slab::Slab;

use super::device;
use crate::buffer::{ALIGNMENT, AlignedBuf, Buf, BufMut, Pool, skip_parts};
use crate::clock::{Nanos, WallMs};
use crate::disk::{Disk, DurableWrites, Entry, FileId, OpenMode, Space};
use crate::host::{HostChoices, Writes};
use crate::io::{IoError, Wait};
use crate::native::mapping::Mapping;
use crate::native::{Kind, pieces_of};

/// XFS's magic number (statfs(2)).
const XFS_MAGIC: i64 = 0x5846_5342;

/// Files that are mapped at a time, by one core: a process may have some 65,000 mappings, which cores and the allocator share.
const MAPPED_FILES_MAX: usize = 128;

/// A mapping that lent nothing for so long goes. What was lent counts as memory of this process in every monitor.
const MAPPING_IDLE: Duration = Duration::from_secs(10);

/// The operating system's files, for one thread.
pub struct Files {
    open: Slab<OpenFile>,
    writes: Writes,
    lent_bytes_min: usize,
    /// Those with a mapping, the longest mapped first.
    mapped: VecDeque<usize>,
    /// When mappings that lent nothing lately are next looked for.
    next_tidy: Option<Nanos>,
    /// Which pages are there, one byte each; kept for the next look.
    residency: Vec<u8>,
}

struct OpenFile {
    file: Arc<File>,
    mapping: Option<Arc<Mapping>>,
    /// Whether the mapping has lent since mappings were last looked at.
    is_lending: bool,
    inline_writes: bool,
    /// Whether a durable write has to be followed by a sync.
    needs_flush: bool,
    /// Whether the file system knows RWF_DONTCACHE, as far as is known.
    drops_behind: bool,
}

pub(crate) enum Start {
    Done(Result<(), IoError>),
    /// The ring does it better.
    Later {
        file: Arc<File>,
        offset: u64,
        parts: Vec<Buf>,
    },
}

pub(crate) enum ReadStart {
    Done(Result<Buf, IoError>),
    /// The rest would wait for the disk.
    Later {
        file: Arc<File>,
        offset: u64,
        len: usize,
        buffer: BufMut,
        flags: i32,
    },
}

impl Default for Files {
    fn default() -> Files {
        Files::new(&HostChoices::of(Kind::Ring))
    }
}

impl Files {
    /// No file yet.
    pub fn new(host: &HostChoices) -> Files {
        Files {
            open: Slab::new(),
            writes: host.writes,
            lent_bytes_min: host.lent_bytes_min,
            mapped: VecDeque::new(),
            next_tidy: None,
            residency: Vec::new(),
        }
    }

    /// The file behind an id; a closed one is an error of the operating kind, for it can race a failed log.
    pub(crate) fn handle(&self, file: FileId) -> Result<Arc<File>, IoError> {
        self.open.get(file.0 as usize).map(|open| Arc::clone(&open.file)).ok_or(IoError(libc::EBADF))
    }

    /// The same for a durable write, and whether a sync has to follow it.
    pub(crate) fn handle_durable(&self, file: FileId) -> Result<(Arc<File>, bool), IoError> {
        let found = self.open.get(file.0 as usize);
        found.map(|open| (Arc::clone(&open.file), open.needs_flush)).ok_or(IoError(libc::EBADF))
    }

    /// Writes at once, or says that the ring should.
    pub(crate) fn write(&mut self, file: FileId, offset: u64, parts: Vec<Buf>) -> Start {
        match self.open.get(file.0 as usize) {
            Some(open) if !open.inline_writes => Start::Later { file: Arc::clone(&open.file), offset, parts },
            _ => Start::Done(self.write_now(file, offset, parts)),
        }
    }

    /// Writes to the page cache.
    pub(crate) fn write_now(
        &mut self,
        file: FileId,
        mut offset: u64,
        mut parts: Vec<Buf>,
    ) -> Result<(), IoError> {
        let open = self.open.get(file.0 as usize).ok_or(IoError(libc::EBADF))?;
        parts.retain(|part| !part.is_empty());
        while !parts.is_empty() {
            let pieces = pieces_of(&parts);
            let fd = open.file.as_raw_fd();
            // SAFETY: the pieces point into `parts`, which outlive the call; the kernel only reads them.
            let count = unsafe { libc::pwritev(fd, pieces.as_ptr(), pieces.len() as i32, offset as i64) };
            match usize::try_from(count) {
                Ok(0) => return Err(IoError::NO_SPACE),
                Ok(count) => {
                    offset += count as u64;
                    skip_parts(&mut parts, count);
                }
                Err(_) => match last_error() {
                    IoError(libc::EINTR) => {}
                    error => return Err(error),
                },
            }
        }
        Ok(())
    }

    /// Lends or copies what the page cache has; the rest would wait.
    pub(crate) fn read(&mut self, file: FileId, offset: u64, len: usize, pool: &Pool) -> ReadStart {
        if len >= self.lent_bytes_min
            && let Some(lent) = self.lend(file, offset, len)
        {
            return ReadStart::Done(Ok(lent));
        }
        let Some(open) = self.open.get_mut(file.0 as usize) else {
            return ReadStart::Done(Err(IoError(libc::EBADF)));
        };
        let mut buffer = pool.take(len);
        let spare = &mut buffer.spare_mut()[..len];
        let mut read = read_cached(&open.file, offset, spare, open.read_flags());
        if read == Err(IoError(libc::EOPNOTSUPP)) && open.drops_behind {
            open.drops_behind = false;
            read = read_cached(&open.file, offset, spare, open.read_flags());
        }
        let count = read.unwrap_or(0);
        buffer.advance(count);
        if count == len {
            return ReadStart::Done(Ok(buffer.freeze()));
        }
        // Not cached, or the end of the file: a read that may wait tells which.
        let (file, flags) = (Arc::clone(&open.file), open.read_flags());
        ReadStart::Later { file, offset: offset + count as u64, len: len - count, buffer, flags }
    }

    /// The pages themselves, if all of them are in the page cache.
    fn lend(&mut self, file: FileId, offset: u64, len: usize) -> Option<Buf> {
        let open = self.open.get(file.0 as usize)?;
        let range = usize::try_from(offset).ok()?..usize::try_from(offset).ok()?.checked_add(len)?;
        // Memory behind the end of a file cannot be touched.
        if open.file.metadata().ok()?.len() < range.end as u64 {
            return None;
        }
        let mapping = match &open.mapping {
            Some(mapping) if range.end <= mapping.len() => Arc::clone(mapping),
            _ => self.map(file, range.end)?,
        };
        if !mapping.is_resident(range.clone(), &mut self.residency) {
            return None;
        }
        self.open.get_mut(file.0 as usize)?.is_lending = true;
        Some(Buf::of_mapping(mapping, range))
    }

    /// Maps a file up to `end` and some way on, since it may grow.
    fn map(&mut self, file: FileId, end: usize) -> Option<Arc<Mapping>> {
        let key = file.0 as usize;
        let open = self.open.get_mut(key)?;
        let mapping = Arc::new(Mapping::of(&open.file, end)?);
        if open.mapping.replace(Arc::clone(&mapping)).is_none() {
            self.mapped.push_back(key);
        }
        if self.mapped.len() > MAPPED_FILES_MAX
            && let Some(oldest) = self.mapped.pop_front()
            && let Some(open) = self.open.get_mut(oldest)
        {
            // Unmapped when the last reply that was lent of it is out.
            open.mapping = None;
        }
        Some(mapping)
    }

    /// Before a core sleeps: unmaps what lent nothing lately, and has the core come back for what is left.
    pub(crate) fn tidy(&mut self, now: Nanos, wait: Wait) -> Wait {
        if self.mapped.is_empty() {
            self.next_tidy = None;
            return wait;
        }
        let due = *self.next_tidy.get_or_insert(now + MAPPING_IDLE);
        if now < due {
            return wait.no_later_than(due);
        }
        let open = &mut self.open;
        self.mapped.retain(|&key| {
            let Some(file) = open.get_mut(key) else { return false };
            let is_lending = std::mem::take(&mut file.is_lending);
            file.mapping.take_if(|_| !is_lending);
            is_lending
        });
        self.next_tidy = None;
        self.tidy(now, wait)
    }

    fn insert(&mut self, file: File) -> FileId {
        let inline_writes = match self.writes {
            Writes::ByFileSystem => file_system_magic(&file) != Some(XFS_MAGIC),
            Writes::Inline => true,
            Writes::Ring => false,
        };
        FileId(self.open.insert(OpenFile {
            file: Arc::new(file),
            mapping: None,
            is_lending: false,
            inline_writes,
            needs_flush: false,
            drops_behind: true,
        }) as u32)
    }
}

impl OpenFile {
    fn read_flags(&self) -> i32 {
        if self.drops_behind { libc::RWF_DONTCACHE } else { 0 }
    }
}

/// Reads what the page cache has, and waits for nothing.
fn read_cached(file: &File, offset: u64, into: &mut [u8], flags: i32) -> Result<usize, IoError> {
    read_some(file, offset, into, libc::RWF_NOWAIT | flags)
}

/// One read with flags of preadv2(2); it may be short.
pub(crate) fn read_some(file: &File, offset: u64, into: &mut [u8], flags: i32) -> Result<usize, IoError> {
    let piece = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    // SAFETY: the piece is the caller's own memory, which nobody else sees during the call.
    let count = unsafe { libc::preadv2(file.as_raw_fd(), &raw const piece, 1, offset as i64, flags) };
    usize::try_from(count).map_err(|_| last_error())
}

fn file_system_magic(file: &File) -> Option<i64> {
    // SAFETY: a zeroed statfs is valid (integers only), and the call fills it for a descriptor that we own.
    unsafe {
        let mut stats: libc::statfs = std::mem::zeroed();
        (libc::fstatfs(file.as_raw_fd(), &raw mut stats) == 0).then_some(stats.f_type)
    }
}

fn last_error() -> IoError {
    IoError::from_std(&std::io::Error::last_os_error())
}

fn plain<T>(result: std::io::Result<T>) -> Result<T, IoError> {
    result.map_err(|error| IoError::from_std(&error))
}

impl Disk for Files {
    fn open(&mut self, path: &Path, mode: OpenMode) -> Result<FileId, IoError> {
        let mut options = OpenOptions::new();
        options.read(true).write(mode != OpenMode::Read);
        options.create(matches!(mode, OpenMode::Create | OpenMode::Truncate));
        options.truncate(mode == OpenMode::Truncate);
        plain(options.open(path)).map(|file| self.insert(file))
    }

    fn open_durable(&mut self, path: &Path) -> Result<(FileId, DurableWrites), IoError> {
        let open = |flags| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).custom_flags(flags).open(path)
        };
        let is_kept = device::keeps_single_writes(path.parent().unwrap_or(path));
        let (flags, how) = match is_kept {
            true => (libc::O_DIRECT | libc::O_DSYNC, DurableWrites::Direct),
            false => (libc::O_DIRECT, DurableWrites::DirectThenFlushed),
        };
        if let Ok(file) = open(flags) {
            // Some file systems take the flag and refuse the transfers: one is tried.
            let mut page = AlignedBuf::new(ALIGNMENT);
            page.put(&[0; ALIGNMENT]);
            if file.read_at(page.filled_mut(), 0).is_ok() {
                let file = self.insert(file);
                self.open[file.0 as usize].needs_flush = !is_kept;
                return Ok((file, how));
            }
        }
        plain(open(libc::O_DSYNC)).map(|file| (self.insert(file), DurableWrites::Synced))
    }

    fn close(&mut self, file: FileId) {
        let key = file.0 as usize;
        if self.open.try_remove(key).is_some_and(|open| open.mapping.is_some()) {
            self.mapped.retain(|&mapped| mapped != key);
        }
    }

    fn len(&mut self, file: FileId) -> Result<u64, IoError> {
        plain(self.handle(file)?.metadata()).map(|metadata| metadata.len())
    }

    fn read_at(&mut self, file: FileId, offset: u64, into: &mut [u8]) -> Result<usize, IoError> {
        let file = self.handle(file)?;
        let mut count = 0;
        while count < into.len() {
            match file.read_at(&mut into[count..], offset + count as u64) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(IoError::from_std(&error)),
            }
        }
        Ok(count)
    }

    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), IoError> {
        plain(self.handle(file)?.write_all_at(bytes, offset))
    }

    fn truncate(&mut self, file: FileId, len: u64) -> Result<(), IoError> {
        plain(self.handle(file)?.set_len(len))
    }

    fn sync(&mut self, file: FileId) -> Result<(), IoError> {
        plain(self.handle(file)?.sync_data())
    }

    fn sync_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        plain(File::open(dir).and_then(|dir| dir.sync_all()))
    }

    fn create_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        plain(fs::create_dir_all(dir))
    }

    fn list(&mut self, dir: &Path) -> Result<Vec<Entry>, IoError> {
        let mut entries = Vec::new();
        for entry in plain(fs::read_dir(dir))? {
            let entry = plain(entry)?;
            // A file may go between its listing and our look at it.
            let Ok(metadata) = entry.metadata() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            let modified =
                metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
            let modified = WallMs(modified.map_or(0, |since_1970| since_1970.as_millis() as i64));
            entries.push(Entry { name, is_dir: metadata.is_dir(), len: metadata.len(), modified });
        }
        entries.sort();
        Ok(entries)
    }

    fn list_dirs(&mut self, dir: &Path) -> Result<Vec<String>, IoError> {
        let mut names = Vec::new();
        for entry in plain(fs::read_dir(dir))? {
            let entry = plain(entry)?;
            // The directory says of most file systems what an entry is, without a look at the entry itself.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), IoError> {
        plain(fs::rename(from, to))
    }

    fn remove(&mut self, path: &Path) -> Result<(), IoError> {
        plain(fs::remove_file(path))
    }

    fn remove_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        match fs::remove_dir_all(dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => plain(other),
        }
    }

    fn space(&mut self, path: &Path) -> Result<Space, IoError> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| IoError(libc::EINVAL))?;
        // SAFETY: a zeroed statvfs is valid (integers only); the path is a terminated string.
        let stats = unsafe {
            let mut stats: libc::statvfs = std::mem::zeroed();
            if libc::statvfs(path.as_ptr(), &raw mut stats) < 0 {
                return Err(last_error());
            }
            stats
        };
        Ok(Space { total: stats.f_blocks * stats.f_frsize, usable: stats.f_bavail * stats.f_frsize })
    }
}

#[cfg(test)]
mod tests;
