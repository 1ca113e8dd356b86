//! Whether this version understands everything in a log's directory; asked before anything there is changed.
//!
//! What is damaged is for those who read it to judge; here only files of a version that is not known are refused.

use std::path::Path;

use shard::disk::Entry;
use shard::{Disk, OpenMode};

use super::{close, compact, point, start};
use crate::batch::MAGIC;
use crate::epochs::{self, Epochs};
use crate::error::{Cause, StorageError};
use crate::journal::{Mark, cut};
use crate::producers::snapshot;
use crate::segment::{LOG, SNAPSHOT, parse_name};

/// No line, epoch file or head of a point is longer.
const HEAD_LEN: usize = 4096;
/// Where a batch says its format.
const MAGIC_AT: usize = 16;
/// What a newer format may call itself; anything above is damage.
const MAGIC_MAX: i8 = 9;

/// Looks at each kind of file, and at the newest one of those that there are many of: a newer version would have written it.
pub(super) fn check(disk: &mut dyn Disk, dir: &Path, entries: &[Entry]) -> Result<(), StorageError> {
    let newest = |wanted: &str| {
        let mut named = entries.iter().rev();
        named.find(|entry| parse_name(&entry.name).is_some_and(|(_, ending)| ending == wanted))
    };
    let newest = [newest(SNAPSHOT), newest(LOG)].into_iter().flatten().map(|entry| entry.name.as_str());
    let small = [
        close::MARKER,
        start::FILE_NAME,
        point::FILE_NAME,
        cut::FILE_NAME,
        compact::CLEANED,
        epochs::FILE_NAME,
    ];
    let small = small.into_iter().filter(|name| entries.iter().any(|entry| entry.name == *name));
    for name in small.chain(newest) {
        let path = dir.join(name);
        let head = read_head(disk, &path)?;
        if version_of(name, &head) == Err(Cause::UnknownVersion) {
            return Err(StorageError::new(&path, 0, Cause::UnknownVersion));
        }
    }
    Ok(())
}

fn version_of(name: &str, head: &[u8]) -> Result<(), Cause> {
    match name {
        close::MARKER => close::Marker::decode(head).map(drop),
        start::FILE_NAME => start::decode(head).map(drop),
        point::FILE_NAME => point::check_version(head),
        cut::FILE_NAME => Mark::decode(head).map(drop),
        compact::CLEANED => compact::decode_cleaned_to(head).map(drop),
        epochs::FILE_NAME => Epochs::decode(head).map(drop),
        _ if name.ends_with(SNAPSHOT) => snapshot::check_version(head),
        // Older formats never were written here; what looks like one is damage.
        _ => match head.get(MAGIC_AT) {
            Some(&magic) if (MAGIC + 1..=MAGIC_MAX).contains(&(magic as i8)) => Err(Cause::UnknownVersion),
            _ => Ok(()),
        },
    }
}

fn read_head(disk: &mut dyn Disk, path: &Path) -> Result<Vec<u8>, StorageError> {
    let file = disk.open(path, OpenMode::Read).map_err(StorageError::io(path))?;
    let mut head = vec![0; HEAD_LEN];
    let read = disk.read_at(file, 0, &mut head);
    disk.close(file);
    head.truncate(read.map_err(StorageError::io(path))?);
    Ok(head)
}
