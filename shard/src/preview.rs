//! A disk that shows what would become of files and changes none of them: reads come from the disk below, writes stay in
//! memory. Tools rehearse a start on it.
//!
//! A file that was written to keeps its changed pages of 4 KiB here, all else is read below. So memory follows what is
//! written, not what is there; [`Preview::forget`] gives it back directory by directory. Directories can be made and
//! files renamed; a directory that exists below can be neither renamed nor removed, which is an error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use slab::Slab;

use crate::clock::WallMs;
use crate::disk::{Disk, DurableWrites, Entry, FileId, OpenMode, Space};
use crate::io::IoError;

const PAGE_LEN: u64 = 4096;

/// What would become of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is, or is still not there.
    Untouched,
    /// It is removed.
    Removed,
    /// It is cut to so many bytes.
    Cut {
        /// Bytes that stay.
        len: u64,
    },
    /// It is written, or made.
    Written,
}

/// The disk.
pub struct Preview<'a> {
    below: &'a mut dyn Disk,
    names: BTreeMap<PathBuf, Name>,
    nodes: Slab<Node>,
    open: Slab<Handle>,
    now: WallMs,
}

/// What a name stands for here; a name that is not known stands for what it does below.
#[derive(Debug, Clone, Copy)]
enum Name {
    File(usize),
    Dir,
    Gone,
}

/// A file's content: pages over the start of a file below.
#[derive(Debug)]
struct Node {
    source: Option<PathBuf>,
    /// Bytes of the source that still show.
    source_len: u64,
    len: u64,
    pages: BTreeMap<u64, Vec<u8>>,
    /// Set by the first change; until then the time below holds.
    modified: Option<WallMs>,
}

#[derive(Debug)]
struct Handle {
    node: usize,
    below: Option<FileId>,
    is_writable: bool,
}

impl<'a> Preview<'a> {
    /// Shows `below`; what is written here is dated `now`.
    pub fn new(below: &'a mut dyn Disk, now: WallMs) -> Preview<'a> {
        Preview { below, names: BTreeMap::new(), nodes: Slab::new(), open: Slab::new(), now }
    }

    /// What would become of the file at `path`.
    pub fn fate(&mut self, path: &Path) -> Fate {
        match self.names.get(path).copied() {
            None | Some(Name::Dir) => Fate::Untouched,
            Some(Name::Gone) if self.len_below(path).is_ok() => Fate::Removed,
            Some(Name::Gone) => Fate::Untouched,
            Some(Name::File(node)) => {
                let node = &self.nodes[node];
                let (len, is_as_below) = (node.len, node.pages.is_empty() && node.len == node.source_len);
                if !is_as_below || node.source.as_deref() != Some(path) {
                    return Fate::Written;
                }
                match self.len_below(path) {
                    Ok(below) if below == len => Fate::Untouched,
                    _ => Fate::Cut { len },
                }
            }
        }
    }

    /// Forgets what was changed in a directory, and closes what is open there.
    pub fn forget(&mut self, dir: &Path) {
        let gone: Vec<PathBuf> = self.names.keys().filter(|path| path.starts_with(dir)).cloned().collect();
        for path in gone {
            if let Some(Name::File(node)) = self.names.remove(&path) {
                self.nodes.remove(node);
            }
        }
        let nodes = &self.nodes;
        let below = &mut *self.below;
        self.open.retain(|_, handle| {
            let stays = nodes.contains(handle.node);
            if !stays && let Some(file) = handle.below {
                below.close(file);
            }
            stays
        });
    }

    fn len_below(&mut self, path: &Path) -> Result<u64, IoError> {
        let file = self.below.open(path, OpenMode::Read)?;
        let len = self.below.len(file);
        self.below.close(file);
        len
    }

    /// The node of a file that exists, made if it was not looked at before.
    fn node_of(&mut self, path: &Path) -> Result<usize, IoError> {
        match self.names.get(path) {
            Some(Name::File(node)) => Ok(*node),
            Some(Name::Gone | Name::Dir) => Err(IoError::NOT_FOUND),
            None => {
                let len = self.len_below(path)?;
                let source = Some(path.to_path_buf());
                let node = Node { source, source_len: len, len, pages: BTreeMap::new(), modified: None };
                Ok(self.put(path, node))
            }
        }
    }

    fn put(&mut self, path: &Path, node: Node) -> usize {
        let node = self.nodes.insert(node);
        self.names.insert(path.to_path_buf(), Name::File(node));
        node
    }

    fn handle(&self, file: FileId) -> Result<(usize, Option<FileId>), IoError> {
        self.open.get(file.0 as usize).map(|open| (open.node, open.below)).ok_or(IoError(libc::EBADF))
    }

    fn writable(&self, file: FileId) -> Result<(usize, Option<FileId>), IoError> {
        let is_writable = self.open.get(file.0 as usize).is_some_and(|open| open.is_writable);
        if is_writable { self.handle(file) } else { Err(IoError(libc::EBADF)) }
    }

    fn has_dir(&mut self, dir: &Path) -> bool {
        match self.names.get(dir) {
            Some(Name::Dir) => true,
            Some(_) => false,
            None => self.below.list(dir).is_ok(),
        }
    }

    fn read_node(
        &mut self,
        node: usize,
        below: Option<FileId>,
        offset: u64,
        into: &mut [u8],
    ) -> Result<usize, IoError> {
        let node = &self.nodes[node];
        let count = node.len.saturating_sub(offset).min(into.len() as u64) as usize;
        let into = &mut into[..count];
        let from_source = node.source_len.saturating_sub(offset).min(count as u64) as usize;
        let mut filled = 0;
        if from_source > 0
            && let Some(file) = below
        {
            filled = self.below.read_at(file, offset, &mut into[..from_source])?;
        }
        into[filled..].fill(0);
        if count > 0 {
            let last = (offset + count as u64 - 1) / PAGE_LEN;
            for (&number, page) in node.pages.range(offset / PAGE_LEN..=last) {
                let start = number * PAGE_LEN;
                let (from, to) = (start.max(offset), (start + PAGE_LEN).min(offset + count as u64));
                let part = &page[(from - start) as usize..(to - start) as usize];
                into[(from - offset) as usize..(to - offset) as usize].copy_from_slice(part);
            }
        }
        Ok(count)
    }
}

impl Disk for Preview<'_> {
    fn open(&mut self, path: &Path, mode: OpenMode) -> Result<FileId, IoError> {
        let node = match self.node_of(path) {
            Err(IoError::NOT_FOUND) if matches!(mode, OpenMode::Create | OpenMode::Truncate) => {
                if !path.parent().is_some_and(|dir| self.has_dir(dir)) {
                    return Err(IoError::NOT_FOUND);
                }
                let modified = Some(self.now);
                self.put(path, Node { source: None, source_len: 0, len: 0, pages: BTreeMap::new(), modified })
            }
            found => found?,
        };
        let below = match self.nodes[node].source.clone() {
            Some(source) => Some(self.below.open(&source, OpenMode::Read)?),
            None => None,
        };
        let handle = Handle { node, below, is_writable: mode != OpenMode::Read };
        let file = FileId(self.open.insert(handle) as u32);
        if mode == OpenMode::Truncate {
            self.truncate(file, 0)?;
        }
        Ok(file)
    }

    fn open_durable(&mut self, path: &Path) -> Result<(FileId, DurableWrites), IoError> {
        self.open(path, OpenMode::Create).map(|file| (file, DurableWrites::Synced))
    }

    fn close(&mut self, file: FileId) {
        if let Some(handle) = self.open.try_remove(file.0 as usize)
            && let Some(below) = handle.below
        {
            self.below.close(below);
        }
    }

    fn len(&mut self, file: FileId) -> Result<u64, IoError> {
        let (node, _) = self.handle(file)?;
        Ok(self.nodes[node].len)
    }

    fn read_at(&mut self, file: FileId, offset: u64, into: &mut [u8]) -> Result<usize, IoError> {
        let (node, below) = self.handle(file)?;
        self.read_node(node, below, offset, into)
    }

    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), IoError> {
        let (node, below) = self.writable(file)?;
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let number = at / PAGE_LEN;
            let within = (at % PAGE_LEN) as usize;
            let count = rest.len().min(PAGE_LEN as usize - within);
            if !self.nodes[node].pages.contains_key(&number) {
                let mut page = vec![0; PAGE_LEN as usize];
                self.read_node(node, below, number * PAGE_LEN, &mut page)?;
                self.nodes[node].pages.insert(number, page);
            }
            if let Some(page) = self.nodes[node].pages.get_mut(&number) {
                page[within..within + count].copy_from_slice(&rest[..count]);
            }
            at += count as u64;
            rest = &rest[count..];
        }
        let now = self.now;
        let node = &mut self.nodes[node];
        node.len = node.len.max(at);
        node.modified = Some(now);
        Ok(())
    }

    fn truncate(&mut self, file: FileId, len: u64) -> Result<(), IoError> {
        let (node, _) = self.writable(file)?;
        let now = self.now;
        let node = &mut self.nodes[node];
        if len < node.len {
            node.source_len = node.source_len.min(len);
            node.pages.retain(|number, _| number * PAGE_LEN < len);
            if let Some(page) = node.pages.get_mut(&(len / PAGE_LEN)) {
                page[(len % PAGE_LEN) as usize..].fill(0);
            }
        }
        node.len = len;
        node.modified = Some(now);
        Ok(())
    }

    fn sync(&mut self, file: FileId) -> Result<(), IoError> {
        self.handle(file).map(drop)
    }

    fn sync_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        if self.has_dir(dir) { Ok(()) } else { Err(IoError::NOT_FOUND) }
    }

    fn create_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        let missing: Vec<&Path> = dir
            .ancestors()
            .filter(|dir| !dir.as_os_str().is_empty())
            .take_while(|dir| !self.has_dir(dir))
            .collect();
        for dir in missing {
            self.names.insert(dir.to_path_buf(), Name::Dir);
        }
        Ok(())
    }

    fn list_dirs(&mut self, dir: &Path) -> Result<Vec<String>, IoError> {
        let dirs = self.list(dir)?.into_iter().filter(|entry| entry.is_dir);
        Ok(dirs.map(|entry| entry.name).collect())
    }

    fn list(&mut self, dir: &Path) -> Result<Vec<Entry>, IoError> {
        let is_new = match self.names.get(dir) {
            Some(Name::Dir) => true,
            Some(_) => return Err(IoError::NOT_FOUND),
            None => false,
        };
        let below = if is_new { Vec::new() } else { self.below.list(dir)? };
        let mut entries: BTreeMap<String, Entry> =
            below.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        for (path, name) in
            self.names.range(dir.to_path_buf()..).take_while(|(path, _)| path.starts_with(dir))
        {
            if path.parent() != Some(dir) {
                continue;
            }
            let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (is_dir, len, modified) = match name {
                Name::Gone => {
                    entries.remove(&file_name);
                    continue;
                }
                Name::Dir => (true, 0, self.now),
                Name::File(node) => {
                    let node = &self.nodes[*node];
                    let known = entries.get(&file_name).map_or(self.now, |entry| entry.modified);
                    (false, node.len, node.modified.unwrap_or(known))
                }
            };
            entries.insert(file_name.clone(), Entry { name: file_name, is_dir, len, modified });
        }
        Ok(entries.into_values().collect())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), IoError> {
        let node = match self.node_of(from) {
            // A directory opens below and has no length to tell.
            Err(_) if self.has_dir(from) => return Err(IoError(libc::EROFS)),
            found => found?,
        };
        self.names.insert(from.to_path_buf(), Name::Gone);
        self.names.insert(to.to_path_buf(), Name::File(node));
        Ok(())
    }

    fn remove(&mut self, path: &Path) -> Result<(), IoError> {
        self.node_of(path)?;
        self.names.insert(path.to_path_buf(), Name::Gone);
        Ok(())
    }

    fn remove_dir(&mut self, dir: &Path) -> Result<(), IoError> {
        if self.has_dir(dir) { Err(IoError(libc::EROFS)) } else { Ok(()) }
    }

    fn space(&mut self, path: &Path) -> Result<Space, IoError> {
        self.below.space(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Io;
    use crate::memory::World;

    const FILE: &str = "/d/a";

    #[test]
    fn what_is_written_shows_here_and_not_below() {
        let world = World::new(1);
        let mut io = world.io();
        io.disk().create_dir(Path::new("/d")).unwrap();
        io.disk().replace_file(Path::new(FILE), &[7; 10_000]).unwrap();
        let mut preview = Preview::new(io.disk(), WallMs(5));
        let file = preview.open(Path::new(FILE), OpenMode::Write).unwrap();
        preview.write_at(file, 4090, &[1; 20]).unwrap();
        let mut bytes = [0; 40];
        assert_eq!(preview.read_at(file, 4080, &mut bytes), Ok(40));
        assert_eq!((&bytes[..10], &bytes[10..30], &bytes[30..]), (&[7; 10][..], &[1; 20][..], &[7; 10][..]));
        assert_eq!(preview.fate(Path::new(FILE)), Fate::Written);
        preview.truncate(file, 4095).unwrap();
        preview.truncate(file, 4100).unwrap();
        assert_eq!(preview.read_at(file, 4093, &mut bytes), Ok(7));
        assert_eq!(bytes[..7], [1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(world.file(Path::new(FILE)), Some(vec![7; 10_000]));
    }

    #[test]
    fn a_cut_a_removed_and_a_made_file_are_told_apart() {
        let world = World::new(1);
        let mut io = world.io();
        io.disk().create_dir(Path::new("/d")).unwrap();
        for name in ["/d/a", "/d/b", "/d/c"] {
            io.disk().replace_file(Path::new(name), b"0123456789").unwrap();
        }
        let mut preview = Preview::new(io.disk(), WallMs(5));
        let file = preview.open(Path::new("/d/a"), OpenMode::Write).unwrap();
        preview.truncate(file, 4).unwrap();
        preview.remove(Path::new("/d/b")).unwrap();
        preview.replace_file(Path::new("/d/n"), b"new").unwrap();
        preview.rename(Path::new("/d/c"), Path::new("/d/m")).unwrap();
        let fates =
            ["/d/a", "/d/b", "/d/c", "/d/m", "/d/n", "/d/x"].map(|name| preview.fate(Path::new(name)));
        let expected = [
            Fate::Cut { len: 4 },
            Fate::Removed,
            Fate::Removed,
            Fate::Written,
            Fate::Written,
            Fate::Untouched,
        ];
        assert_eq!(fates, expected);
        let names: Vec<String> =
            preview.list(Path::new("/d")).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["a", "m", "n"]);
        assert_eq!(preview.read_file(Path::new("/d/m"), 100), Ok(Some(b"0123456789".to_vec())));
        assert_eq!(preview.remove(Path::new("/d/b")), Err(IoError::NOT_FOUND));
        preview.forget(Path::new("/d"));
        assert_eq!(preview.list(Path::new("/d")).unwrap().len(), 3);
    }

    #[test]
    fn a_directory_below_cannot_be_touched() {
        let world = World::new(1);
        let mut io = world.io();
        io.disk().create_dir(Path::new("/d/e")).unwrap();
        let mut preview = Preview::new(io.disk(), WallMs(5));
        assert!(preview.rename(Path::new("/d/e"), Path::new("/d/f")).is_err());
        assert!(preview.remove_dir(Path::new("/d/e")).is_err());
        preview.create_dir(Path::new("/d/n/m")).unwrap();
        preview.replace_file(Path::new("/d/n/m/x"), b"1").unwrap();
        assert_eq!(preview.list(Path::new("/d/n/m")).unwrap().len(), 1);
        assert!(world.file(Path::new("/d/n/m/x")).is_none());
    }
}
