//! Cuts what a socket gives into frames: a size of four bytes, then so many bytes. Reads straight into the frame.

use std::fmt;

/// No answer that we ask for is larger, bytes.
pub const FRAME_BYTES_MAX: usize = 128 << 20;
/// How much room a frame gets before any of its bytes came; more follows as they come, whatever its size claims.
const ROOM_FIRST: usize = 256 << 10;
const SIZE_WIDTH: usize = 4;

/// Collects one frame at a time. Ask for [`FrameCutter::room`], read into it, and tell [`FrameCutter::on_bytes`].
#[derive(Debug)]
pub struct FrameCutter {
    size_bytes: [u8; SIZE_WIDTH],
    size_have: usize,
    /// Known when the four bytes are there.
    size: usize,
    frame: Vec<u8>,
    have: usize,
    bytes_max: usize,
}

/// Why bytes are no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameFault {
    /// The size is negative or too small for a header.
    TooSmall(i32),
    /// The size is beyond the limit.
    TooLarge {
        /// What the frame claims, bytes.
        size: i32,
        /// The limit, bytes.
        max: usize,
    },
}

impl fmt::Display for FrameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameFault::TooSmall(size) => write!(f, "a frame claims a size of {size} bytes: is this Kafka?"),
            // What TLS or HTTP sends, read as a size, is such a number.
            FrameFault::TooLarge { size, max } => {
                write!(f, "a frame claims a size of {size} bytes, {max} at most: is this Kafka, without TLS?")
            }
        }
    }
}

impl FrameCutter {
    /// A cutter that refuses frames beyond `bytes_max`.
    pub fn new(bytes_max: usize) -> FrameCutter {
        FrameCutter {
            size_bytes: [0; SIZE_WIDTH],
            size_have: 0,
            size: 0,
            frame: Vec::new(),
            have: 0,
            bytes_max,
        }
    }

    /// Where the next bytes belong; never empty.
    pub fn room(&mut self) -> &mut [u8] {
        if self.size_have < SIZE_WIDTH {
            return &mut self.size_bytes[self.size_have..];
        }
        if self.have == self.frame.len() {
            let room = self.frame.len().max(ROOM_FIRST).saturating_mul(2).min(self.size);
            self.frame.resize(room, 0);
        }
        &mut self.frame[self.have..]
    }

    /// Takes note that `count` bytes were put into the room; gives the frame, without its size, that they complete.
    pub fn on_bytes(&mut self, count: usize) -> Result<Option<Vec<u8>>, FrameFault> {
        if self.size_have < SIZE_WIDTH {
            assert!(count <= SIZE_WIDTH - self.size_have);
            self.size_have += count;
            if self.size_have == SIZE_WIDTH {
                self.size = self.checked_size()?;
            }
            return Ok(None);
        }
        assert!(count <= self.frame.len() - self.have);
        self.have += count;
        if self.have < self.size {
            return Ok(None);
        }
        (self.size_have, self.have) = (0, 0);
        Ok(Some(std::mem::take(&mut self.frame)))
    }

    fn checked_size(&self) -> Result<usize, FrameFault> {
        let claimed = i32::from_be_bytes(self.size_bytes);
        let size = usize::try_from(claimed).map_err(|_| FrameFault::TooSmall(claimed))?;
        if size < SIZE_WIDTH {
            return Err(FrameFault::TooSmall(claimed));
        }
        if size > self.bytes_max {
            return Err(FrameFault::TooLarge { size: claimed, max: self.bytes_max });
        }
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_cut_however_the_bytes_come() {
        let bytes = b"\0\0\0\x05hello\0\0\0\x04more";
        for piece in 1..=bytes.len() {
            assert_eq!(cut(bytes, piece), Ok(vec![b"hello".to_vec(), b"more".to_vec()]), "{piece} at a time");
        }
    }

    #[test]
    fn a_cut_frame_is_not_given() {
        assert_eq!(cut(b"\0\0\0\x05hell", 3), Ok(vec![]));
        assert_eq!(cut(b"\0\0\0", 3), Ok(vec![]));
    }

    #[test]
    fn sizes_that_cannot_be_are_refused_before_anything_is_kept() {
        assert_eq!(cut(b"\xff\xff\xff\xff", 4), Err(FrameFault::TooSmall(-1)));
        assert_eq!(cut(b"\0\0\0\x03abc", 4), Err(FrameFault::TooSmall(3)));
        assert_eq!(cut(b"HTTP/1.1 400", 4), Err(FrameFault::TooLarge { size: 0x4854_5450, max: 1000 }));
    }

    #[test]
    fn a_large_claim_takes_memory_only_as_bytes_come() {
        let mut cutter = FrameCutter::new(FRAME_BYTES_MAX);
        cutter.room().copy_from_slice(&(100i32 << 20).to_be_bytes());
        assert_eq!(cutter.on_bytes(4), Ok(None));
        assert!(cutter.room().len() <= 2 * ROOM_FIRST);
    }

    fn cut(mut bytes: &[u8], piece: usize) -> Result<Vec<Vec<u8>>, FrameFault> {
        let (mut cutter, mut frames) = (FrameCutter::new(1000), Vec::new());
        while !bytes.is_empty() {
            let room = cutter.room();
            let count = room.len().min(piece).min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            frames.extend(cutter.on_bytes(count)?);
        }
        Ok(frames)
    }
}
