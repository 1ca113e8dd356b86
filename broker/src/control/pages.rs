//! What is served, as bodies: small pages whole, and the metrics made into text piece by piece while they are sent, so that a
//! large scrape takes little memory.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use hyper::body::Bytes;

use super::families::Rendering;

/// A piece has about so many bytes.
const PIECE_BYTES: usize = 64 << 10;

/// A body.
pub enum Page {
    /// All of it; empty once it was sent.
    Whole(String),
    /// What is left of the metrics.
    Metrics(Box<Rendering>),
}

impl Body for Page {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match &mut *self {
            Page::Whole(text) => std::mem::take(text),
            Page::Metrics(rendering) => rendering.next_piece(PIECE_BYTES),
        };
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(Bytes::from(piece)))))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Page::Whole(text) => SizeHint::with_exact(text.len() as u64),
            Page::Metrics(_) => SizeHint::default(),
        }
    }
}
