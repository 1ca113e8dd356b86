//! Walks the batches of a segment file in bounded pieces, outside the hot path: for recovery and time
//! look-ups.

use shard::{Disk, FileId, IoError};

use crate::batch::{BatchHeader, CRC_START, HEADER_LEN, MAGIC};
use crate::offset::Offset;

/// Reads a file through a window.
pub struct Scanner<'a> {
    disk: &'a mut dyn Disk,
    file: FileId,
    window: Vec<u8>,
    /// Where the window begins in the file, and how much of it is filled.
    start: u64,
    filled: usize,
}

impl<'a> Scanner<'a> {
    /// Reads `window_len` bytes at a time, which must hold a header.
    pub fn new(disk: &'a mut dyn Disk, file: FileId, window_len: usize) -> Scanner<'a> {
        assert!(window_len >= HEADER_LEN);
        Scanner { disk, file, window: vec![0; window_len], start: 0, filled: 0 }
    }

    /// The header of the batch at `position` if one can be there: whole before `end`, of the right magic, and
    /// with offsets from `offset_min` on. Its CRC is not looked at.
    pub fn header_at(
        &mut self,
        position: u64,
        end: u64,
        offset_min: Offset,
    ) -> Result<Option<(BatchHeader, u64)>, IoError> {
        let Some(header) = BatchHeader::parse(self.bytes_at(position, HEADER_LEN)?) else { return Ok(None) };
        let Some(size) = header.size() else { return Ok(None) };
        let is_sound = header.magic == MAGIC
            && header.last_offset_delta >= 0
            && header.base_offset >= offset_min
            && header.base_offset.0.checked_add(i64::from(header.last_offset_delta) + 1).is_some()
            && position + size as u64 <= end;
        Ok(is_sound.then_some((header, size as u64)))
    }

    /// Whether the batch at `position`, with this header and size, is what its producer sent.
    pub fn has_right_crc(&mut self, position: u64, header: &BatchHeader, size: u64) -> Result<bool, IoError> {
        let (mut at, end) = (position + CRC_START as u64, position + size);
        let mut crc = 0;
        while at < end {
            let wanted = self.window.len().min((end - at) as usize);
            let bytes = self.bytes_at(at, wanted)?;
            if bytes.is_empty() {
                return Ok(false);
            }
            crc = crc32c::crc32c_append(crc, bytes);
            at += bytes.len() as u64;
        }
        Ok(crc == header.crc)
    }

    /// A copy of `len` bytes at `position`; shorter at the end of the file.
    pub fn copy_at(&mut self, position: u64, len: usize) -> Result<Vec<u8>, IoError> {
        if self.has(position, len) {
            return Ok(self.bytes_at(position, len)?.to_vec());
        }
        let mut bytes = vec![0; len];
        let count = self.disk.read_at(self.file, position, &mut bytes)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Whether these bytes are in the window.
    fn has(&self, position: u64, len: usize) -> bool {
        position >= self.start && position + len as u64 <= self.start + self.filled as u64
    }

    /// Up to `len` bytes at `position`, which fit the window; fewer at the end of the file.
    pub(crate) fn bytes_at(&mut self, position: u64, len: usize) -> Result<&[u8], IoError> {
        assert!(len <= self.window.len());
        if !self.has(position, len) {
            self.filled = self.disk.read_at(self.file, position, &mut self.window)?;
            self.start = position;
        }
        let from = (position - self.start) as usize;
        Ok(&self.window[from..self.filled.min(from + len)])
    }
}
