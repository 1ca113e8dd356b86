//! What deletions and imports that were cut short leave in a data directory, and how it is tidied up at the next start.

use std::collections::HashSet;
use std::path::Path;

use shard::Disk;

use crate::metadata::Image;

/// Where an import copies to before anything is visible.
pub const IMPORT_DIR: &str = "ringlog-import";

/// Marks a partition's directory that an import has put in its place, until its topic is made.
pub const IMPORT_MARK: &str = "ringlog.importing";

/// Finishes deletions and undoes imports that a crash cut short: directories that are marked as deleted, and those of the topics in `removed`
/// that the metadata has no more. A directory that no topic explains is left alone.
pub fn remove_leftovers(
    disk: &mut dyn Disk,
    data_dir: &Path,
    image: &Image,
    removed: &HashSet<String>,
) -> Result<(), shard::IoError> {
    remove_unfinished_import(disk, data_dir, image)?;
    for name in disk.list_dirs(data_dir)? {
        let topic = parse_partition_dir(&name);
        let is_removed = topic.is_some_and(|topic| removed.contains(topic) && image.topic(topic).is_none());
        if is_removed || name.ends_with(".deleted") {
            tracing::info!(dir = %name, "finishing the deletion of a partition");
            disk.remove_dir(&data_dir.join(&name))?;
        } else if topic.is_some_and(|topic| topic != "__cluster_metadata" && image.topic(topic).is_none()) {
            tracing::warn!(dir = %name, "no topic has this partition: the directory is left alone");
        }
    }
    Ok(())
}

/// Removes what an import left that was killed: what was being copied, and what was in its place already and marked, where
/// no topic came of it. Marks where one did mean nothing more.
pub fn remove_unfinished_import(
    disk: &mut dyn Disk,
    data_dir: &Path,
    image: &Image,
) -> Result<(), shard::IoError> {
    disk.remove_dir(&data_dir.join(IMPORT_DIR))?;
    for name in disk.list_dirs(data_dir)? {
        let Some(topic) = parse_partition_dir(&name) else { continue };
        let dir = data_dir.join(&name);
        if image.topic(topic).is_none() && disk.list(&dir)?.iter().any(|entry| entry.name == IMPORT_MARK) {
            tracing::info!(dir = %name, "removing a partition of an import that was not completed");
            disk.remove_dir(&dir)?;
        }
    }
    Ok(())
}

fn parse_partition_dir(name: &str) -> Option<&str> {
    let (topic, number) = name.rsplit_once('-')?;
    number.parse::<u32>().ok().map(|_| topic)
}
