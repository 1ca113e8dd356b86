//! Replies of one connection, cut from what the socket gives.

use shard::{BufMut, Pool};

/// The largest reply that is believed.
const FRAME_BYTES_MAX: usize = 256 << 20;

/// Room that is asked for before a size is known.
const FIRST_BYTES: usize = 16 << 10;

/// What has come of a connection's stream and is not used up.
#[derive(Debug, Default)]
pub struct Inbox {
    buffer: Option<BufMut>,
    used: usize,
    given_len: usize,
}

impl Inbox {
    /// A buffer with room for what comes next.
    pub fn take_buffer(&mut self, pool: &Pool) -> BufMut {
        let rest: &[u8] = self.buffer.as_ref().map_or(&[], |buffer| &buffer.filled()[self.used..]);
        let wanted = frame_size(rest).map_or(FIRST_BYTES, |size| (size + 4).max(FIRST_BYTES));
        let has_room = self.buffer.as_ref().is_some_and(|buffer| {
            self.used == 0 && buffer.len() < buffer.capacity() && buffer.capacity() >= wanted
        });
        if !has_room {
            let mut fresh = pool.take(wanted);
            fresh.put(rest);
            self.buffer = Some(fresh);
            self.used = 0;
        }
        let buffer = self.buffer.take().expect("there is one now");
        self.given_len = buffer.len();
        buffer
    }

    /// How many bytes the buffer held that was given out last.
    pub fn given_len(&self) -> usize {
        self.given_len
    }

    /// Takes the buffer back, with what came.
    pub fn put_back(&mut self, buffer: BufMut) {
        self.buffer = Some(buffer);
    }

    /// The next whole reply without its size; an error if the stream cannot be one of replies.
    pub fn next(&mut self) -> Result<Option<&[u8]>, String> {
        let Some(buffer) = &self.buffer else { return Ok(None) };
        let rest = &buffer.filled()[self.used..];
        let Some(size) = frame_size(rest) else { return Ok(None) };
        if size > FRAME_BYTES_MAX {
            return Err(format!("a reply claims {size} bytes"));
        }
        if rest.len() < 4 + size {
            return Ok(None);
        }
        self.used += 4 + size;
        Ok(Some(&rest[4..4 + size]))
    }
}

fn frame_size(bytes: &[u8]) -> Option<usize> {
    let size = bytes.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*size) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `stream` in pieces and gives the replies that come of it.
    fn cut(stream: &[u8], piece_len: usize) -> Vec<Vec<u8>> {
        let (pool, mut inbox, mut replies) = (Pool::new(1 << 20), Inbox::default(), Vec::new());
        let mut rest = stream;
        while !rest.is_empty() {
            let mut buffer = inbox.take_buffer(&pool);
            let count = piece_len.min(rest.len()).min(buffer.capacity() - buffer.len());
            assert!(count > 0, "a buffer has room");
            buffer.put(&rest[..count]);
            rest = &rest[count..];
            inbox.put_back(buffer);
            while let Some(reply) = inbox.next().unwrap() {
                replies.push(reply.to_vec());
            }
        }
        replies
    }

    #[test]
    fn replies_are_cut_whatever_the_pieces() {
        let replies: Vec<Vec<u8>> = [0, 1, 5, 20_000, 3, 70_000].map(|len| vec![7; len]).into();
        let mut stream = Vec::new();
        for reply in &replies {
            stream.extend_from_slice(&(reply.len() as u32).to_be_bytes());
            stream.extend_from_slice(reply);
        }
        for piece_len in [1, 3, 4, 1000, 16 << 10, usize::MAX] {
            assert_eq!(cut(&stream, piece_len), replies, "{piece_len}");
        }
    }

    #[test]
    fn a_size_that_nobody_sends_ends_it() {
        let (pool, mut inbox) = (Pool::new(1 << 20), Inbox::default());
        let mut buffer = inbox.take_buffer(&pool);
        buffer.put(b"HTTP/1.1 400");
        inbox.put_back(buffer);
        assert!(inbox.next().is_err());
    }
}
