//! Cuts a byte stream into frames: a four-byte size, then that many bytes.
//!
//! Whole frames within a received piece are slices of it. Only what a piece leaves unfinished is copied, into a buffer
//! that grows with what has come, never with what the size claims.

use std::collections::VecDeque;
use std::fmt;

use shard::{Buf, BufMut, Pool};

/// Bytes of the size prefix.
const SIZE_BYTES: usize = 4;

/// A frame above this many bytes is received into a buffer of its own.
pub(crate) const LARGE_BYTES: usize = 16 << 10;

/// The most room that is taken on the word of a size alone, from a peer that has sent such frames, and from one that has not.
const ROOM_BYTES: usize = 1 << 20;
const UNPROVEN_BYTES: usize = 80 << 10;

/// A frame that no request can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameError {
    /// The size is zero or negative.
    BadSize(i32),
    /// The size is above `socket.request.max.bytes` (Q11).
    TooLarge {
        /// What the frame claims, in bytes.
        size: usize,
        /// What is allowed, in bytes.
        size_max: usize,
    },
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::BadSize(size) => write!(f, "a frame claims {size} bytes: not the Kafka protocol?"),
            FrameError::TooLarge { size, size_max } => {
                write!(
                    f,
                    "a frame claims {size} bytes, socket.request.max.bytes is {size_max}: not the Kafka protocol?"
                )
            }
        }
    }
}

/// The unfinished end of a stream, and the frames cut off before it.
#[derive(Debug)]
pub(crate) struct FrameReader {
    partial: Option<BufMut>,
    frames: VecDeque<Buf>,
    size_max: usize,
    /// The size of the last frame begun, which the next ones probably have too.
    last_size: usize,
    /// The size of the last frame that came whole: so much is taken on the word of the next one's size.
    proven_size: usize,
}

impl FrameReader {
    pub(crate) fn new(size_max: usize) -> FrameReader {
        FrameReader { partial: None, frames: VecDeque::new(), size_max, last_size: 0, proven_size: 0 }
    }

    /// The next whole frame, without its size.
    pub(crate) fn pop(&mut self) -> Option<Buf> {
        self.frames.pop_front()
    }

    /// Whether whole frames wait.
    pub(crate) fn has_frames(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Whether a frame under way is large, so that it is better received in place.
    pub(crate) fn is_large(&self) -> bool {
        self.partial.is_some() && self.last_size > LARGE_BYTES
    }

    /// Whether the last frame begun was large.
    pub(crate) fn was_large(&self) -> bool {
        self.last_size > LARGE_BYTES
    }

    /// Expects small frames again.
    pub(crate) fn forget_size(&mut self) {
        self.last_size = 0;
    }

    /// Takes a received piece in.
    pub(crate) fn push(&mut self, piece: Buf, pool: &Pool) -> Result<(), FrameError> {
        let mut rest = piece;
        if let Some(mut partial) = self.partial.take() {
            self.complete_partial(&mut partial, &mut rest, pool)?;
            if rest.is_empty() {
                return self.on_filled(partial, pool);
            }
            self.cut(partial.freeze(), pool)?;
        }
        self.cut(rest, pool)
    }

    /// Appends to a partial frame what belongs to it, and no more.
    fn complete_partial(
        &mut self,
        partial: &mut BufMut,
        rest: &mut Buf,
        pool: &Pool,
    ) -> Result<(), FrameError> {
        while !rest.is_empty() {
            let wanted = match self.claimed(partial.filled())? {
                Some(size) => SIZE_BYTES + size - partial.len(),
                None => SIZE_BYTES - partial.len(),
            };
            if wanted == 0 {
                break;
            }
            let count = wanted.min(rest.len());
            if partial.spare_mut().len() < count {
                *partial = grown(partial, (partial.len() + count).max(partial.capacity() * 2), pool);
            }
            partial.put(&rest[..count]);
            rest.skip(count);
        }
        Ok(())
    }

    /// Room to receive large frames into; what is unfinished lies at its front.
    pub(crate) fn take_room(&mut self, pool: &Pool) -> BufMut {
        let wanted = self.room_bytes().max(LARGE_BYTES);
        match self.partial.take() {
            None => pool.take(wanted),
            Some(partial) if !partial_is_full(&partial) => partial,
            // It grows by what has come, so that a claim alone takes no memory.
            Some(partial) => grown(&partial, (partial.len() * 2).max(wanted), pool),
        }
    }

    /// Takes a buffer back that was received into.
    pub(crate) fn on_filled(&mut self, buffer: BufMut, pool: &Pool) -> Result<(), FrameError> {
        match self.claimed(buffer.filled())? {
            Some(size) if SIZE_BYTES + size <= buffer.len() => self.cut(buffer.freeze(), pool),
            _ if buffer.is_empty() => Ok(()),
            // Not whole yet: it stays where it is.
            _ => {
                self.partial = Some(buffer);
                Ok(())
            }
        }
    }

    /// Cuts whole frames off the front of `rest` and keeps a copy of what is left.
    fn cut(&mut self, mut rest: Buf, pool: &Pool) -> Result<(), FrameError> {
        while let Some(size) = self.claimed(&rest)? {
            let end = SIZE_BYTES + size;
            if end > rest.len() {
                break;
            }
            self.proven_size = size;
            self.frames.push_back(rest.slice(SIZE_BYTES..end));
            rest.skip(end);
        }
        if !rest.is_empty() {
            let mut partial = pool.take(self.room_bytes().max(rest.len()));
            partial.put(&rest);
            self.partial = Some(partial);
        }
        Ok(())
    }

    /// Room for the frame under way: all of it, unless its peer has not sent such a frame yet. Then it grows with what comes.
    fn room_bytes(&self) -> usize {
        let trusted = (SIZE_BYTES + self.proven_size).clamp(UNPROVEN_BYTES, ROOM_BYTES);
        (SIZE_BYTES + self.last_size).min(trusted)
    }

    /// The size that the frame at the front of `bytes` claims; `None` while the size itself is not whole.
    fn claimed(&mut self, bytes: &[u8]) -> Result<Option<usize>, FrameError> {
        let Some(prefix) = bytes.first_chunk::<SIZE_BYTES>() else { return Ok(None) };
        let claimed = i32::from_be_bytes(*prefix);
        let size =
            usize::try_from(claimed).ok().filter(|&size| size > 0).ok_or(FrameError::BadSize(claimed))?;
        if size > self.size_max {
            return Err(FrameError::TooLarge { size, size_max: self.size_max });
        }
        self.last_size = size;
        Ok(Some(size))
    }
}

fn partial_is_full(partial: &BufMut) -> bool {
    partial.len() == partial.capacity()
}

fn grown(partial: &BufMut, capacity: usize, pool: &Pool) -> BufMut {
    let mut larger = pool.take(capacity.max(partial.len() + 1));
    larger.put(partial.filled());
    larger
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(len: usize) -> Vec<u8> {
        let mut bytes = (len as i32).to_be_bytes().to_vec();
        bytes.extend((0..len).map(|i| (i * 31) as u8));
        bytes
    }

    /// Feeds `stream` in pieces of `step` bytes, by the small way and by the large way, and checks the frames' sizes.
    fn check(stream: &[u8], step: usize, sizes: &[usize]) {
        let pool = Pool::new(1 << 20);
        let mut small = FrameReader::new(8 << 20);
        for piece in stream.chunks(step) {
            small.push(pool.copy(piece), &pool).unwrap();
        }
        check_frames(&mut small, sizes);
        let mut large = FrameReader::new(8 << 20);
        let mut rest = stream;
        while !rest.is_empty() {
            let mut room = large.take_room(&pool);
            let count = step.min(rest.len()).min(room.spare_mut().len());
            room.put(&rest[..count]);
            rest = &rest[count..];
            large.on_filled(room, &pool).unwrap();
        }
        check_frames(&mut large, sizes);
    }

    fn check_frames(reader: &mut FrameReader, sizes: &[usize]) {
        for &size in sizes {
            let got = reader.pop().expect("a frame is missing");
            assert_eq!(&*got, &frame(size)[4..]);
        }
        assert!(reader.pop().is_none());
        assert!(reader.partial.is_none());
    }

    #[test]
    fn frames_are_cut_wherever_the_pieces_end() {
        let sizes = [1, 5, 4096, 70_000, 3, 2_500_000, 17_000, 1];
        let stream: Vec<u8> = sizes.iter().flat_map(|&size| frame(size)).collect();
        for step in [7, 1000, 4096, 65_536, 1 << 20, 16 << 20] {
            check(&stream, step, &sizes);
        }
        check(&stream[..15_000.min(stream.len())][..9 + 5], 1, &[1, 5]);
    }

    #[test]
    fn q11_a_size_that_no_request_has_is_refused_before_it_takes_memory() {
        for (bytes, error) in [
            ((-1_i32).to_be_bytes(), FrameError::BadSize(-1)),
            (0_i32.to_be_bytes(), FrameError::BadSize(0)),
            (i32::MAX.to_be_bytes(), FrameError::TooLarge { size: i32::MAX as usize, size_max: 100 << 20 }),
        ] {
            let pool = Pool::new(1 << 20);
            let mut reader = FrameReader::new(100 << 20);
            assert_eq!(reader.push(pool.copy(&bytes), &pool), Err(error));
        }
    }

    #[test]
    fn a_claim_alone_takes_little_memory() {
        let pool = Pool::new(1 << 20);
        let mut reader = FrameReader::new(100 << 20);
        reader.push(pool.copy(&(99_i32 << 20).to_be_bytes()), &pool).unwrap();
        assert!(reader.take_room(&pool).capacity() <= 2 * ROOM_BYTES);
    }
}
