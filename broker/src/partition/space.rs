//! Room on the disk: appends are refused with a reason before the file system is full, and taken again when there is room,
//! without a restart. Reading, deleting and administration go on (C97).
//!
//! The file system is asked once a second; in between, what was appended is taken off. What is kept in reserve lets
//! metadata, indexes, checkpoints and the broker's own topics go on.

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
    /// None as long as the file system has not told.
    known: Option<Space>,
    appended: u64,
    is_full: bool,
}

impl DiskSpace {
    pub(super) fn new(reserve: Option<u64>) -> DiskSpace {
        DiskSpace { reserve, known: None, appended: 0, is_full: false }
    }

    /// Takes `bytes` off what is free; or why they are refused.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), String> {
        let Some(space) = self.known else { return Ok(()) };
        let reserve = self.reserve.unwrap_or((space.total / 20).min(RESERVE_MAX));
        let free = space.usable.saturating_sub(self.appended);
        if free.saturating_sub(bytes as u64) < reserve {
            if !std::mem::replace(&mut self.is_full, true) {
                tracing::error!(
                    free,
                    total = space.total,
                    reserve,
                    "the disk is full: no more records are taken until there is room"
                );
            }
            let Space { total, .. } = space;
            return Err(format!(
                "disk full: {free} free of {total} bytes, and {reserve} are kept in reserve"
            ));
        }
        self.appended += bytes as u64;
        Ok(())
    }

    fn on_told(&mut self, space: Space) {
        let reserve = self.reserve.unwrap_or((space.total / 20).min(RESERVE_MAX));
        if space.usable > reserve && std::mem::take(&mut self.is_full) {
            tracing::info!(free = space.usable, "the disk has room again: records are taken");
        }
        self.known = Some(space);
        self.appended = 0;
    }
}

impl Partitions {
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

    #[test]
    fn what_is_appended_counts_before_the_file_system_tells() {
        let mut space = DiskSpace::new(Some(100));
        assert_eq!(space.take(1000), Ok(()));
        space.on_told(Space { total: 1000, usable: 300 });
        assert_eq!((space.take(150), space.take(50)), (Ok(()), Ok(())));
        assert!(space.take(1).is_err_and(|why| why.starts_with("disk full: 100 free of 1000 bytes")));
        space.on_told(Space { total: 1000, usable: 200 });
        assert_eq!(space.take(1), Ok(()));
        let mut space = DiskSpace::new(None);
        space.on_told(Space { total: 1000, usable: 51 });
        assert_eq!((space.take(1), space.take(1).is_err()), (Ok(()), true));
    }
}
