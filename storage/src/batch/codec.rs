//! The four codecs of Kafka, as readers of bounded pieces and as writers of whole batches.
//!
//! gzip: RFC 1952, several members allowed. snappy: xerial's framing (Java, librdkafka) or one bare block.
//! lz4: the frame format. zstd: frames. What unpacks beyond a limit is the reader's business; here no claimed
//! length is believed.

use std::io::{self, Read, Write};

use super::record::RecordFault;

/// How a batch's records are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Codec {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Snappy.
    Snappy,
    /// LZ4 frames.
    Lz4,
    /// Zstandard.
    Zstd,
}

impl Codec {
    /// All of them, in the order of their numbers.
    pub const ALL: [Codec; 5] = [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd];

    /// The codec with this number in a batch's attributes.
    pub fn from_id(id: u8) -> Option<Codec> {
        Codec::ALL.get(usize::from(id)).copied()
    }

    /// Its number in a batch's attributes.
    pub fn id(self) -> u8 {
        self as u8
    }
}

/// Packs `raw` at `level` (the codec's own scale; `None` is its default; lz4 and snappy have one level only
/// here).
pub fn pack(codec: Codec, level: Option<i32>, raw: &[u8]) -> Vec<u8> {
    let packed = match codec {
        Codec::None => Ok(raw.to_vec()),
        Codec::Gzip => {
            let level = level.map_or(flate2::Compression::default(), |level| {
                flate2::Compression::new(level.clamp(0, 9) as u32)
            });
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            encoder.write_all(raw).and_then(|()| encoder.finish())
        }
        Codec::Snappy => pack_snappy(raw),
        Codec::Lz4 => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(raw).and_then(|()| encoder.finish().map_err(io::Error::other))
        }
        Codec::Zstd => zstd::bulk::compress(raw, level.unwrap_or(zstd::DEFAULT_COMPRESSION_LEVEL)),
    };
    packed.expect("packing into memory cannot fail")
}

/// Unpacks all of `packed`; refuses to make more than `len_max` bytes.
pub fn unpack(codec: Codec, packed: &[u8], len_max: usize) -> Result<Vec<u8>, RecordFault> {
    let mut raw = Vec::new();
    let mut bounded = Unpacker::new(codec, packed)?.take(len_max as u64 + 1);
    bounded.read_to_end(&mut raw).map_err(|_| RecordFault::BadPacking)?;
    if raw.len() > len_max { Err(RecordFault::UnpacksTooLarge) } else { Ok(raw) }
}

/// Unpacks piece by piece.
pub enum Unpacker<'a> {
    /// Nothing to unpack.
    None(&'a [u8]),
    /// gzip.
    Gzip(Box<flate2::bufread::MultiGzDecoder<&'a [u8]>>),
    /// Snappy.
    Snappy(SnappyReader<'a>),
    /// LZ4.
    Lz4(Box<lz4_flex::frame::FrameDecoder<&'a [u8]>>),
    /// Zstandard; its window is at most 2^27 bytes, as in Kafka, and touched only as far as bytes come.
    Zstd(zstd::stream::read::Decoder<'static, &'a [u8]>),
}

impl<'a> Unpacker<'a> {
    /// A reader of what `packed` stands for.
    pub fn new(codec: Codec, packed: &'a [u8]) -> Result<Unpacker<'a>, RecordFault> {
        Ok(match codec {
            Codec::None => Unpacker::None(packed),
            Codec::Gzip => Unpacker::Gzip(Box::new(flate2::bufread::MultiGzDecoder::new(packed))),
            Codec::Snappy => Unpacker::Snappy(SnappyReader::new(packed)),
            Codec::Lz4 => Unpacker::Lz4(Box::new(lz4_flex::frame::FrameDecoder::new(packed))),
            Codec::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(packed);
                Unpacker::Zstd(decoder.map_err(|_| RecordFault::BadPacking)?)
            }
        })
    }
}

impl Read for Unpacker<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Unpacker::None(rest) => rest.read(into),
            Unpacker::Gzip(decoder) => decoder.read(into),
            Unpacker::Snappy(decoder) => decoder.read(into),
            Unpacker::Lz4(decoder) => decoder.read(into),
            Unpacker::Zstd(decoder) => decoder.read(into),
        }
    }
}

const XERIAL_MAGIC: &[u8; 8] = b"\x82SNAPPY\0";
const XERIAL_HEADER_LEN: usize = 16;
/// What Java's writer packs at a time.
const XERIAL_BLOCK_LEN: usize = 32 << 10;
/// Snappy cannot do better: three bytes copy 64 at most.
const SNAPPY_RATIO_MAX: usize = 22;

/// Reads snappy blocks, framed or bare, one block in memory at a time.
pub struct SnappyReader<'a> {
    rest: &'a [u8],
    framed: bool,
    block: Vec<u8>,
    given: usize,
}

impl<'a> SnappyReader<'a> {
    fn new(packed: &'a [u8]) -> SnappyReader<'a> {
        let framed = packed.starts_with(XERIAL_MAGIC);
        SnappyReader { rest: packed, framed, block: Vec::new(), given: 0 }
    }

    fn next_block(&mut self) -> Option<&'a [u8]> {
        if !self.framed {
            return Some(std::mem::take(&mut self.rest));
        }
        // A header may stand before every block: joined streams are legal.
        while self.rest.starts_with(XERIAL_MAGIC) {
            self.rest = self.rest.get(XERIAL_HEADER_LEN..)?;
        }
        if self.rest.is_empty() {
            return Some(&[]);
        }
        let (len, after) = self.rest.split_first_chunk()?;
        let (block, after) = after.split_at_checked(usize::try_from(i32::from_be_bytes(*len)).ok()?)?;
        self.rest = after;
        Some(block)
    }

    fn unpack_block(&mut self) -> io::Result<()> {
        let packed = self.next_block().ok_or(io::ErrorKind::InvalidData)?;
        self.given = 0;
        self.block.clear();
        if packed.is_empty() {
            return Ok(());
        }
        let len = snap::raw::decompress_len(packed).map_err(io::Error::other)?;
        if len > packed.len().saturating_mul(SNAPPY_RATIO_MAX) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.block.resize(len, 0);
        snap::raw::Decoder::new().decompress(packed, &mut self.block).map_err(io::Error::other)?;
        Ok(())
    }
}

impl Read for SnappyReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.block.len() && !self.rest.is_empty() {
            self.unpack_block()?;
        }
        let count = (self.block.len() - self.given).min(into.len());
        into[..count].copy_from_slice(&self.block[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

fn pack_snappy(raw: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(XERIAL_HEADER_LEN + raw.len() / 2);
    packed.extend_from_slice(XERIAL_MAGIC);
    // Version and the oldest version that can read it.
    packed.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 1]);
    let mut encoder = snap::raw::Encoder::new();
    for block in raw.chunks(XERIAL_BLOCK_LEN) {
        let block = encoder.compress_vec(block).map_err(io::Error::other)?;
        packed.extend_from_slice(&(block.len() as i32).to_be_bytes());
        packed.extend_from_slice(&block);
    }
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codec_gives_back_what_it_got() {
        let text: Vec<u8> = (0..100_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        for codec in Codec::ALL {
            for raw in [&text[..], &text[..1], &[]] {
                let packed = pack(codec, None, raw);
                assert_eq!(unpack(codec, &packed, raw.len()).as_deref(), Ok(raw), "{codec:?}");
            }
            let packed = pack(codec, None, &text);
            assert_eq!(
                unpack(codec, &packed, text.len() - 1),
                Err(RecordFault::UnpacksTooLarge),
                "{codec:?}"
            );
        }
    }

    #[test]
    fn a_bare_snappy_block_is_read_too() {
        let packed = snap::raw::Encoder::new().compress_vec(b"hello hello hello").unwrap();
        assert_eq!(unpack(Codec::Snappy, &packed, 100).as_deref(), Ok(&b"hello hello hello"[..]));
    }

    #[test]
    fn a_snappy_block_cannot_claim_what_it_does_not_hold() {
        // A length of 2^32 - 1, and then nothing.
        assert_eq!(
            unpack(Codec::Snappy, &[0xff, 0xff, 0xff, 0xff, 0x0f, 0], 1 << 40),
            Err(RecordFault::BadPacking)
        );
    }
}
