//! What of the records is printed, and where: standard output, in large pieces while there is more to come.

use std::io::{self, Write};

use super::format::{Format, Placed};

/// So many bytes are put together before they are written.
const WRITE_BYTES: usize = 256 << 10;

/// Where records go.
pub struct Output {
    format: Format,
    key: Option<Vec<u8>>,
    left: Option<u64>,
    bytes: Vec<u8>,
}

impl Output {
    /// Prints in `format` what has `key`, at most `max` records.
    pub fn new(format: Format, key: Option<&str>, max: Option<u64>) -> Output {
        let key = key.map(|key| key.as_bytes().to_vec());
        Output { format, key, left: max, bytes: Vec::with_capacity(2 * WRITE_BYTES) }
    }

    /// Whether as many were printed as were asked for.
    pub fn is_full(&self) -> bool {
        self.left == Some(0)
    }

    /// Prints a record, if it is one of those asked for.
    pub fn put(&mut self, placed: &Placed<'_>) -> io::Result<()> {
        assert!(!self.is_full());
        if self.key.as_deref().is_some_and(|key| placed.record.key != Some(key)) {
            return Ok(());
        }
        self.format.write(&mut self.bytes, placed);
        if let Some(left) = &mut self.left {
            *left -= 1;
        }
        if self.bytes.len() >= WRITE_BYTES { self.flush() } else { Ok(()) }
    }

    /// Makes sure that all of it is out.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        // The standard output's own buffer looks for ends of lines; these pieces need none of it.
        let mut out = io::stdout().lock();
        let written = out.write_all(&self.bytes).and_then(|()| out.flush());
        self.bytes.clear();
        written
    }
}
