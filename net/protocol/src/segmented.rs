//! A frame in parts: bytes of ours, and between them parts that lie elsewhere, so that records are never copied.
//!
//! ```text
//! bytes     │ size │ header │ … records length │ … records length │ tags │
//! external                                     ▲ batch            ▲ batch
//! ```
//!
//! `B` is whatever the caller sends records from: a slice of a cached buffer, or a range of a file. This type asks it
//! nothing; its length is told when it is added.

use std::ops::Range;

use crate::Encoder;

/// Bytes with external parts at some positions.
#[derive(Debug)]
pub struct Segmented<B> {
    bytes: Encoder,
    externals: Vec<External<B>>,
    external_bytes: usize,
}

#[derive(Debug)]
struct External<B> {
    /// The part goes before the byte at this position.
    position: usize,
    part: B,
}

/// One piece of a finished frame, in the order to send.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<B> {
    /// A range of the frame's own bytes.
    Bytes(Range<usize>),
    /// A part that lies elsewhere.
    External(B),
}

/// A finished frame.
#[derive(Debug)]
pub struct Frame<B> {
    /// The frame's own bytes, which [`Part::Bytes`] points into.
    pub bytes: Vec<u8>,
    /// The pieces, in the order to send; no range is empty.
    pub parts: Vec<Part<B>>,
    /// What all pieces have together, size prefix included, in bytes.
    pub total_bytes: usize,
}

impl<B> Segmented<B> {
    /// Starts a frame in `bytes` (emptied first), so that a pooled vector can be used again.
    pub fn new(mut bytes: Vec<u8>) -> Segmented<B> {
        bytes.clear();
        Segmented { bytes: Encoder::append_to(bytes), externals: Vec::new(), external_bytes: 0 }
    }

    /// The writer of the frame's own bytes.
    pub fn encoder(&mut self) -> &mut Encoder {
        &mut self.bytes
    }

    /// Adds a part of `len` bytes that lies elsewhere, after all that has been written.
    pub fn push_external(&mut self, part: B, len: usize) {
        self.externals.push(External { position: self.bytes.len(), part });
        self.external_bytes += len;
    }

    /// Bytes so far, external parts included.
    pub fn total_bytes(&self) -> usize {
        self.bytes.len() + self.external_bytes
    }

    /// Gives the pieces, with the size filled in; the frame must begin with [`Encoder::begin_frame`].
    pub fn finish(mut self) -> Frame<B> {
        let total_bytes = self.total_bytes();
        self.bytes.patch_i32(0, (total_bytes - size_of::<i32>()) as i32);
        let bytes = self.bytes.into_vec();
        let mut parts = Vec::with_capacity(self.externals.len() * 2 + 1);
        let mut from = 0;
        for external in self.externals {
            if external.position > from {
                parts.push(Part::Bytes(from..external.position));
                from = external.position;
            }
            parts.push(Part::External(external.part));
        }
        if bytes.len() > from {
            parts.push(Part::Bytes(from..bytes.len()));
        }
        Frame { bytes, parts, total_bytes }
    }
}
