//! The open files of one core: a bounded number, shared by all its logs; the least lately used is closed for
//! a new one.
//!
//! A log keeps a [`FileSlot`] a file, which stays cheap when it has gone stale. An evicted file is closed a
//! turn later ([`OpenFiles::close_evicted`]), because operations on it may still stand in this turn's queue. So a
//! turn that touches thousands of logs could hold that many files; [`OpenFiles::is_used_up`] says when to leave the
//! rest to the next turn.

use std::path::PathBuf;

use shard::{Disk, FileId, IoError, OpenMode};

/// Where a file was last found in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileSlot {
    index: u32,
    /// 0 never matches, so a default slot is a stale one.
    generation: u32,
}

#[derive(Debug)]
struct Open {
    file: FileId,
    generation: u32,
    /// Used since the hand last passed.
    is_used: bool,
}

impl Open {
    fn holds(&self, slot: FileSlot) -> bool {
        slot.generation != 0 && self.generation == slot.generation
    }
}

/// The table. Eviction is by "second chance": the hand passes over what was used since its last round.
#[derive(Debug)]
pub struct OpenFiles {
    open: Vec<Open>,
    count_max: usize,
    hand: usize,
    generation: u32,
    evicted: Vec<FileId>,
    /// Places in the table that hold nothing.
    free: Vec<u32>,
}

impl OpenFiles {
    /// A table for at most `count_max` files.
    pub fn new(count_max: usize) -> OpenFiles {
        assert!(count_max > 0);
        OpenFiles {
            open: Vec::new(),
            count_max,
            hand: 0,
            generation: 0,
            evicted: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The file of `slot`, opened again at the path that `path` gives if it is not open any more.
    pub fn get(
        &mut self,
        disk: &mut dyn Disk,
        slot: &mut FileSlot,
        mode: OpenMode,
        path: impl FnOnce() -> PathBuf,
    ) -> Result<FileId, IoError> {
        if let Some(open) = self.open.get_mut(slot.index as usize)
            && open.holds(*slot)
        {
            open.is_used = true;
            return Ok(open.file);
        }
        let file = disk.open(&path(), mode)?;
        *slot = self.insert(file);
        Ok(file)
    }

    /// Closes what a slot holds, if anything: its file is about to go or to change behind our back.
    pub fn release(&mut self, slot: &mut FileSlot) {
        if let Some(open) = self.open.get_mut(slot.index as usize)
            && open.holds(*slot)
        {
            self.evicted.push(open.file);
            open.generation = 0;
            open.is_used = false;
            self.free.push(slot.index);
        }
        *slot = FileSlot::default();
    }

    /// Closes what was evicted. To be called when every queued operation is with the back end, as at a turn's
    /// start.
    pub fn close_evicted(&mut self, disk: &mut dyn Disk) {
        for file in self.evicted.drain(..) {
            disk.close(file);
        }
    }

    /// Whether as many files wait to be closed as may be open: what can wait should wait for the next turn.
    pub fn is_used_up(&self) -> bool {
        self.evicted.len() >= self.count_max
    }

    /// How many files are open, those to be closed included.
    pub fn count(&self) -> usize {
        self.open.iter().filter(|open| open.generation != 0).count() + self.evicted.len()
    }

    fn insert(&mut self, file: FileId) -> FileSlot {
        self.generation = self.generation.wrapping_add(1).max(1);
        let open = Open { file, generation: self.generation, is_used: true };
        if let Some(index) = self.free.pop() {
            self.open[index as usize] = open;
            return FileSlot { index, generation: self.generation };
        }
        if self.open.len() < self.count_max {
            self.open.push(open);
            return FileSlot { index: (self.open.len() - 1) as u32, generation: self.generation };
        }
        while std::mem::take(&mut self.open[self.hand].is_used) {
            self.hand = (self.hand + 1) % self.count_max;
        }
        let index = self.hand;
        let old = std::mem::replace(&mut self.open[index], open);
        self.evicted.push(old.file);
        self.hand = (index + 1) % self.count_max;
        FileSlot { index: index as u32, generation: self.generation }
    }
}
