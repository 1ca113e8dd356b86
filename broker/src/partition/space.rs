//! Room on the disk: appends are refused with a reason before the file system is full, and taken again when there is room,
//! without a restart. Reading, deleting and administration go on (C97).
//!
//! The file system is asked once a second, and whenever a core has used up its share of what is free; in between, what was
//! appended is taken off. What is kept in reserve lets metadata, indexes, checkpoints and the broker's own topics go on.

use std::path::Path;

use shard::Disk;
use shard::disk::Space;

use super::Partitions;
use crate::mail::Turn;

/// The reserve where none is set: a twentieth of the file system, and no more than this.
const RESERVE_MAX: u64 = 1 << 30;

/// What is known of the disk.
#[derive(Debug)]
pub(super) struct DiskSpace {
    /// What is kept free; none stands for a part of the file system.
    reserve: Option<u64>,
    /// Cores that append to the same disk.
    core_count: u64,
    /// None as long as the file system has not told.
    known: Option<Space>,
    appended: u64,
    is_full: bool,
    /// Appends that were refused.
    refused: u64,
}

/// What is told of the disk.
#[derive(Debug, Clone, Copy)]
pub struct DiskFacts {
    /// Bytes that the file system has; 0 as long as it has not told.
    pub total_bytes: u64,
    /// Bytes that are free, as it told last.
    pub free_bytes: u64,
    /// Bytes that are kept in reserve.
    pub reserve_bytes: u64,
    /// Whether appends are refused now.
    pub is_full: bool,
    /// Appends that were refused.
    pub refused: u64,
}

impl DiskSpace {
    pub(super) fn new(reserve: Option<u64>, core_count: u16) -> DiskSpace {
        DiskSpace {
            reserve,
            core_count: core_count.max(1).into(),
            known: None,
            appended: 0,
            is_full: false,
            refused: 0,
        }
    }

    /// Takes `bytes` off what is free on the disk of `data_dir`; or why they are refused.
    pub(super) fn take(&mut self, disk: &mut dyn Disk, data_dir: &Path, bytes: usize) -> Result<(), String> {
        // The other cores may have taken as much since the file system was asked.
        if self.take_share(bytes).is_some() {
            return Ok(());
        }
        // Full disks are looked at once a second.
        if !self.is_full
            && let Ok(space) = disk.space(data_dir)
        {
            self.on_told(space);
        }
        self.take_share(bytes).ok_or_else(|| self.refuse())
    }

    fn take_share(&mut self, bytes: usize) -> Option<()> {
        let appended = self.appended + bytes as u64;
        if let Some(space) = self.known
            && appended > space.usable.saturating_sub(self.reserve_of(space)) / self.core_count
        {
            return None;
        }
        self.appended = appended;
        Some(())
    }

    fn refuse(&mut self) -> String {
        let space = self.known.unwrap_or(Space { total: 0, usable: 0 });
        let (reserve, free) = (self.reserve_of(space), space.usable.saturating_sub(self.appended));
        let total = space.total;
        self.refused += 1;
        if !std::mem::replace(&mut self.is_full, true) {
            tracing::error!(
                free,
                total,
                reserve,
                "the disk is full: no more records are taken until there is room"
            );
        }
        format!("disk full: {free} free of {total} bytes, and {reserve} are kept in reserve")
    }

    fn reserve_of(&self, space: Space) -> u64 {
        self.reserve.unwrap_or((space.total / 20).min(RESERVE_MAX))
    }

    fn on_told(&mut self, space: Space) {
        let reserve = self.reserve_of(space);
        // At the very edge it would be told every second, and taken back.
        let has_room = space.usable > reserve.saturating_add(reserve / 16);
        if has_room && std::mem::take(&mut self.is_full) {
            tracing::info!(free = space.usable, "the disk has room again: records are taken");
        }
        self.known = Some(space);
        self.appended = 0;
    }
}

impl Partitions {
    /// What is known of the disk.
    pub fn disk_facts(&self) -> DiskFacts {
        let space = self.space.known.unwrap_or(Space { total: 0, usable: 0 });
        DiskFacts {
            total_bytes: space.total,
            free_bytes: space.usable,
            reserve_bytes: self.space.reserve_of(space),
            is_full: self.space.is_full,
            refused: self.space.refused,
        }
    }

    /// Asks the file system how much is free.
    pub(super) fn look_at_space(&mut self, turn: &mut Turn<'_>) {
        if let Ok(space) = turn.disk.space(&self.data_dir) {
            self.space.on_told(space);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use shard::memory::{Faults, MemoryIo, World};
    use shard::{Io, OpenMode};

    /// Takes `bytes` of a disk of 1000 bytes on which `used` are taken.
    fn take(space: &mut DiskSpace, io: &mut MemoryIo, used: usize, bytes: usize) -> Result<(), String> {
        let file = io.disk().open(Path::new("/data/others"), OpenMode::Truncate).unwrap();
        io.disk().write_at(file, 0, &vec![0; used]).unwrap();
        io.disk().close(file);
        space.take(io.disk(), Path::new("/data"), bytes)
    }

    fn disk() -> MemoryIo {
        let world = World::new(0);
        world.io().disk().create_dir(Path::new("/data")).unwrap();
        world.set_faults(Faults { disk_bytes_max: Some(1000), ..Faults::default() });
        world.io()
    }

    #[test]
    fn what_is_appended_counts_before_the_file_system_tells() {
        let mut io = disk();
        let mut space = DiskSpace::new(Some(100), 1);
        space.on_told(Space { total: 1000, usable: 300 });
        assert_eq!(take(&mut space, &mut io, 700, 150), Ok(()));
        assert_eq!(take(&mut space, &mut io, 850, 50), Ok(()));
        let refused = take(&mut space, &mut io, 900, 1);
        assert_eq!(refused.unwrap_err(), "disk full: 100 free of 1000 bytes, and 100 are kept in reserve");
        // It is looked at again with the next tick, not for every request.
        assert!(take(&mut space, &mut io, 0, 1).is_err());
        space.on_told(Space { total: 1000, usable: 1000 });
        assert_eq!(take(&mut space, &mut io, 0, 1), Ok(()));
    }

    #[test]
    fn a_core_whose_share_is_used_up_looks_at_what_the_others_have_left() {
        let mut io = disk();
        let mut space = DiskSpace::new(Some(100), 4);
        space.on_told(Space { total: 1000, usable: 900 });
        assert_eq!(take(&mut space, &mut io, 100, 200), Ok(()));
        assert_eq!(take(&mut space, &mut io, 300, 100), Ok(()), "600 are left for four");
        assert!(take(&mut space, &mut io, 880, 60).is_err(), "20 are left for four");
    }

    #[test]
    fn a_twentieth_is_kept_where_nothing_is_set() {
        let mut io = disk();
        let mut space = DiskSpace::new(None, 1);
        space.on_told(Space { total: 1000, usable: 51 });
        assert_eq!(take(&mut space, &mut io, 949, 1), Ok(()));
        assert!(take(&mut space, &mut io, 950, 1).is_err());
    }
}
