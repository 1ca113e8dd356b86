//! What the kernel tells of the device that a file lies on.

use std::fs;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Whether the device makes a single write durable by itself: it has no volatile cache, or writes past it (FUA).
///
/// Elsewhere the kernel has to flush the whole cache after each write that is to be durable. For a write that the ring has
/// under way it does so on a thread of its own, on the CPU that the device interrupts, and if that one is busy the write waits
/// for its turn there: 6 ms where the flush took 0.1. A sync runs on the ring's own threads instead. What cannot be found out
/// counts as such a device: the sync that follows costs a little, and is never wrong.
pub(super) fn keeps_single_writes(place: &Path) -> bool {
    let Some(queue) = queue_of(place) else { return false };
    let says = |name: &str| fs::read_to_string(queue.join(name)).unwrap_or_default();
    says("write_cache").trim() == "write through" || says("fua").trim() == "1"
}

/// The kernel's directory about the device's queue. A partition has its disk's.
fn queue_of(place: &Path) -> Option<PathBuf> {
    let device = fs::metadata(place).ok()?.st_dev();
    let number = format!("{}:{}", libc::major(device), libc::minor(device));
    let block = fs::canonicalize(Path::new("/sys/dev/block").join(number)).ok()?;
    [block.join("queue"), block.parent()?.join("queue")].into_iter().find(|queue| queue.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_without_a_device_is_not_trusted_with_single_writes() {
        assert!(!keeps_single_writes(Path::new("/proc")));
        assert!(!keeps_single_writes(Path::new("/nowhere/at/all")));
    }
}
