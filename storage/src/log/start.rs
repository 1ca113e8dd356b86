//! Where a log starts when records before were deleted on request: the file `ringlog.start`.
//!
//! `1 <offset> <CRC-32C of what stands before>`, one line, replaced as a whole and durably before the log start
//! moves. What retention deletes needs no such proof: the log then starts with its first segment.

use std::path::Path;

use shard::Disk;

use crate::error::{Cause, StorageError};
use crate::offset::Offset;

/// The file's name.
pub(super) const FILE_NAME: &str = "ringlog.start";
const VERSION: &str = "1";
/// More than any such file has.
const LEN_MAX: u64 = 256;

/// Reads where a log starts; an absent file says nothing.
pub(super) fn read(disk: &mut dyn Disk, dir: &Path) -> Result<Option<Offset>, StorageError> {
    let path = dir.join(FILE_NAME);
    let bytes = disk.read_file(&path, LEN_MAX).map_err(StorageError::io(&path))?;
    bytes.map(|bytes| decode(&bytes).map_err(|cause| StorageError::new(&path, 0, cause))).transpose()
}

/// Makes `start` the log's start, durably.
pub(super) fn write(disk: &mut dyn Disk, dir: &Path, start: Offset) -> Result<(), StorageError> {
    let path = dir.join(FILE_NAME);
    disk.replace_file(&path, encode(start).as_bytes()).map_err(StorageError::io(&path))
}

fn encode(start: Offset) -> String {
    let line = format!("{VERSION} {start}");
    format!("{line} {}\n", crc32c::crc32c(line.as_bytes()))
}

/// A damaged file is an error: without it, deleted records would come back.
fn decode(bytes: &[u8]) -> Result<Offset, Cause> {
    let text = std::str::from_utf8(bytes).map_err(|_| Cause::Corrupt)?;
    match text.split_once(' ') {
        Some((VERSION, _)) => {}
        Some((version, _)) if version.parse::<u32>().is_ok() => return Err(Cause::UnknownVersion),
        _ => return Err(Cause::Corrupt),
    }
    let fields = text.strip_suffix('\n').and_then(|line| line.rsplit_once(' '));
    let (line, crc) = fields.ok_or(Cause::Corrupt)?;
    if crc.parse() != Ok(crc32c::crc32c(line.as_bytes())) {
        return Err(Cause::Corrupt);
    }
    let offset = line.split(' ').nth(1).and_then(|offset| offset.parse().ok());
    offset.map(Offset).ok_or(Cause::Corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_back_as_written_and_only_so() {
        assert_eq!(encode(Offset(170)), "1 170 11230977\n");
        assert_eq!(decode(encode(Offset(170)).as_bytes()), Ok(Offset(170)));
        assert_eq!(decode(b"2 170 1 2 3\n"), Err(Cause::UnknownVersion));
        for broken in ["", "1", "1 170\n", "1 171 11230977\n", "1 170 11230977", "x 1 2\n"] {
            assert_eq!(decode(broken.as_bytes()), Err(Cause::Corrupt), "{broken:?}");
        }
    }
}
