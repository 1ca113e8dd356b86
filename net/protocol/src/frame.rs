//! Whole frames: the four-byte size, the header, the body.

use crate::header::encode_response_header;
use crate::{ApiKey, Encoder, Message, RequestHeader};

/// Width of the size prefix, bytes.
const SIZE_WIDTH: usize = 4;

impl Encoder {
    /// Reserves the size prefix of a frame; give the result to [`Encoder::end_frame`].
    pub fn begin_frame(&mut self) -> usize {
        let start = self.len();
        self.i32(0);
        start
    }

    /// Fills the size prefix of the frame begun at `start`.
    pub fn end_frame(&mut self, start: usize) {
        let size = self.len() - start - SIZE_WIDTH;
        self.patch_i32(start, size as i32);
    }

    /// Begins a response: size prefix reserved, header written. End it with [`Encoder::end_frame`].
    pub fn begin_response(&mut self, key: ApiKey, version: i16, correlation_id: i32) -> usize {
        let start = self.begin_frame();
        encode_response_header(self, key, version, correlation_id);
        start
    }
}

/// A whole response frame, size prefix included.
pub fn encode_response<'a>(
    key: ApiKey,
    version: i16,
    correlation_id: i32,
    body: &impl Message<'a>,
) -> Vec<u8> {
    let mut e = Encoder::new();
    let start = e.begin_response(key, version, correlation_id);
    body.encode(&mut e, version);
    e.end_frame(start);
    e.into_vec()
}

/// A whole request frame, size prefix included. The body's version is the header's.
pub fn encode_request<'a>(header: &RequestHeader<'_>, body: &impl Message<'a>) -> Vec<u8> {
    let mut e = Encoder::new();
    let start = e.begin_frame();
    header.encode(&mut e);
    body.encode(&mut e, header.api_version);
    e.end_frame(start);
    e.into_vec()
}
