//! One connection's state: how it receives, what it owes, what it is sending.
//!
//! ```text
//!              a large frame begins              cancelled
//!   Small ───────────────────────────► Switching ──────────► Large ──► (receives in place, again and again)
//!     ▲                                                        │
//!     └──────────────── cancelled ◄── nothing for a while ─────┘
//! ```
//! Small receives come in pieces that the ring provides, so that an idle connection holds no memory; large ones go
//! straight into the buffer that the log will write from.

use std::net::SocketAddr;

use shard::{Buf, Nanos, SocketId};

use crate::close::CloseReason;
use crate::counts::Arrival;
use crate::frame::FrameReader;
use crate::replies::{Replies, Reply};

/// A connection with more than this many bytes of unsent replies takes no request on.
const REPLY_BYTES_MAX: usize = 1 << 20;

/// How a connection receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiving {
    /// Nothing is under way: the connection takes no more on for now.
    Paused,
    /// In small pieces.
    Small,
    /// In small pieces, until the cancel arrives.
    Switching,
    /// Into a buffer of its own.
    Large,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) generation: u32,
    pub(crate) socket: SocketId,
    pub(crate) peer: SocketAddr,
    pub(crate) listener: usize,
    pub(crate) reader: FrameReader,
    pub(crate) replies: Replies,
    pub(crate) receiving: Receiving,
    /// How much of the room that was handed to the ring was filled before.
    pub(crate) room_filled: usize,
    pub(crate) is_sending: bool,
    /// Bytes that are being sent.
    pub(crate) sending_bytes: usize,
    /// The requests whose replies are being sent.
    pub(crate) sending: Vec<Arrival>,
    /// Bytes of replies that are made and not yet being sent.
    pub(crate) reply_bytes: usize,
    /// Whether a request with a bulky reply is under way: nothing else is handed on until it is out, so that a peer
    /// that asks and never reads holds one such reply.
    pub(crate) is_bulky: bool,
    /// Whether it stands in the server's list of connections with something to send or to close.
    pub(crate) is_listed: bool,
    /// Set once it is to end; nothing more is taken in.
    pub(crate) closing: Option<CloseReason>,
    /// Whether the close was handed to the ring.
    pub(crate) is_close_pushed: bool,
    pub(crate) last_active: Nanos,
}

impl Connection {
    /// Takes the replies that can leave now, in order, up to about `bytes_max`; a close among them ends the list.
    pub(crate) fn take_ready(&mut self, bytes_max: usize) -> Vec<Buf> {
        let (mut parts, mut bytes) = (Vec::new(), 0);
        while bytes < bytes_max && self.closing.is_none() {
            match self.replies.pop() {
                Some((arrival, Reply::Send(reply))) => {
                    bytes += reply.iter().map(|part| part.len()).sum::<usize>();
                    parts.extend(reply);
                    self.sending.push(arrival);
                }
                Some((arrival, Reply::Silent)) => self.sending.push(arrival),
                Some((_, Reply::Close(reason))) => self.closing = Some(reason),
                None => break,
            }
        }
        parts
    }

    /// Whether another request may be handed on.
    pub(crate) fn may_ask(&self, requests_max: usize) -> bool {
        self.closing.is_none()
            && !self.is_bulky
            && self.replies.len() < requests_max
            && self.reply_bytes < REPLY_BYTES_MAX
    }

    /// Fills a place in the order of replies; says how many bytes the reply has.
    pub(crate) fn complete(&mut self, sequence: u64, reply: Reply) -> usize {
        let bytes = match &reply {
            Reply::Send(parts) => parts.iter().map(|part| part.len()).sum(),
            Reply::Silent | Reply::Close(_) => 0,
        };
        self.reply_bytes += bytes;
        self.replies.complete(sequence, reply);
        bytes
    }
}
