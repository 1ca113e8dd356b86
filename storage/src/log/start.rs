//! Where a log starts when records before were deleted on request: the file `ringlog.start`.
//!
//! `1 <offset> <CRC-32C of what stands before>`, one line, replaced as a whole and durably before the log start
//! moves. What retention deletes needs no such proof: the log then starts with its first segment.

use std::path::Path;

use shard::Disk;

use crate::error::{Cause, StorageError};
use crate::line;
use crate::offset::Offset;

/// The file's name.
pub(super) const FILE_NAME: &str = "ringlog.start";

/// Reads where a log starts; an absent file says nothing.
pub(super) fn read(disk: &mut dyn Disk, dir: &Path) -> Result<Option<Offset>, StorageError> {
    let path = dir.join(FILE_NAME);
    let bytes = disk.read_file(&path, line::LEN_MAX).map_err(StorageError::io(&path))?;
    bytes.map(|bytes| decode(&bytes).map_err(|cause| StorageError::new(&path, 0, cause))).transpose()
}

/// Makes `start` the log's start, durably.
pub(super) fn write(disk: &mut dyn Disk, dir: &Path, start: Offset) -> Result<(), StorageError> {
    let path = dir.join(FILE_NAME);
    disk.replace_file(&path, encode(start).as_bytes()).map_err(StorageError::io(&path))
}

fn encode(start: Offset) -> String {
    line::encode(&start.to_string())
}

/// A damaged file is an error: without it, deleted records would come back.
pub(super) fn decode(bytes: &[u8]) -> Result<Offset, Cause> {
    line::number(&mut line::decode(bytes)?).map(Offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_back_as_written() {
        assert_eq!(encode(Offset(170)), "1 170 11230977\n");
        assert_eq!(decode(encode(Offset(170)).as_bytes()), Ok(Offset(170)));
    }
}
