//! Reads records as pieces of a file or standard input: a thread reads ahead, some blocks at most.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use crate::cli::failure::Failure;

/// Blocks that wait to be sent.
const AHEAD_MAX: usize = 8;
/// A block holds so many bytes, or one record if that is larger.
const BLOCK_BYTES: usize = 256 << 10;
/// No broker takes a larger record: here ends a file that has no ends of lines.
const RECORD_BYTES_MAX: u64 = 100 << 20;

/// Records one after another.
#[derive(Debug, Default)]
pub struct Block {
    bytes: Vec<u8>,
    /// Where each record ends, without its delimiter, and where the next begins.
    ends: Vec<(usize, usize)>,
}

impl Block {
    /// The records.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|(_, next)| *next));
        begins.zip(&self.ends).map(|(begin, (end, _))| &self.bytes[begin..*end])
    }
}

/// Where records come from.
pub struct Input {
    blocks: Receiver<io::Result<Block>>,
    name: String,
}

impl Input {
    /// Begins to read a file, or standard input.
    pub fn open(path: Option<&Path>, delimiter: u8) -> Result<Input, Failure> {
        let name = path.map_or("standard input".to_owned(), |path| path.display().to_string());
        let source: Box<dyn Read + Send> = match path {
            None => Box::new(io::stdin()),
            Some(path) => {
                let file = File::open(path);
                Box::new(file.map_err(|error| Failure::Misuse(format!("{name}: {error}")))?)
            }
        };
        let (sender, blocks) = sync_channel(AHEAD_MAX);
        thread::spawn(move || {
            let mut reader = BufReader::with_capacity(BLOCK_BYTES, source);
            loop {
                let block = next_block(&mut reader, delimiter);
                let is_last = !matches!(&block, Ok(Some(_)));
                if let Some(block) = block.transpose()
                    && sender.send(block).is_err()
                {
                    return;
                }
                if is_last {
                    return;
                }
            }
        });
        Ok(Input { blocks, name })
    }

    /// The next block, if one is there already; nothing at the end as well.
    pub fn next_now(&mut self) -> Result<Option<Block>, Failure> {
        match self.blocks.try_recv() {
            Ok(block) => self.checked(block).map(Some),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Ok(None),
        }
    }

    /// The next block, or nothing after the last. Waits as long as whoever writes the input does.
    pub fn next(&mut self) -> Result<Option<Block>, Failure> {
        self.blocks.recv().ok().map(|block| self.checked(block)).transpose()
    }

    fn checked(&self, block: io::Result<Block>) -> Result<Block, Failure> {
        block.map_err(|error| Failure::Refused(format!("{}: {error}", self.name)))
    }
}

/// Reads until a block is full, or until more would have to be waited for.
fn next_block(reader: &mut BufReader<impl Read>, delimiter: u8) -> io::Result<Option<Block>> {
    let mut block = Block::default();
    loop {
        let begin = block.bytes.len();
        let count = reader.by_ref().take(RECORD_BYTES_MAX + 1).read_until(delimiter, &mut block.bytes)?;
        if count == 0 {
            break;
        }
        if count as u64 > RECORD_BYTES_MAX {
            let why = format!(
                "a record of more than {} MiB; what ends a record? --delimiter says it",
                RECORD_BYTES_MAX >> 20
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let next = begin + count;
        let end = if block.bytes.last() == Some(&delimiter) { next - 1 } else { next };
        block.ends.push((end, next));
        if next >= BLOCK_BYTES || reader.buffer().is_empty() {
            break;
        }
    }
    Ok((!block.ends.is_empty()).then_some(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_end_at_the_delimiter_or_at_the_end() {
        check(b"a\nb\n", b'\n', &["a", "b"]);
        check(b"a\nb", b'\n', &["a", "b"]);
        check(b"\n\n", b'\n', &["", ""]);
        check(b"", b'\n', &[]);
        check(b"a\nb;c", b';', &["a\nb", "c"]);
        check(b"a\0b\0", 0, &["a", "b"]);
    }

    fn check(bytes: &[u8], delimiter: u8, expected: &[&str]) {
        for capacity in [1, 2, 3, 100] {
            let mut reader = BufReader::with_capacity(capacity, bytes);
            let mut found = Vec::new();
            while let Some(block) = next_block(&mut reader, delimiter).unwrap() {
                found.extend(block.lines().map(|line| String::from_utf8(line.to_vec()).unwrap()));
            }
            assert_eq!(found, expected, "capacity {capacity}");
        }
    }
}
