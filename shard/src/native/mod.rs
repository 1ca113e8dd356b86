//! The back end of real machines: io_uring ([`crate::ring`]), or epoll ([`crate::poll`]) where io_uring is not to be had;
//! and what the two share.

mod device;
pub(crate) mod files;
pub(crate) mod mapping;
pub(crate) mod names;
pub(crate) mod tcp;

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use crate::buffer::{Buf, Pool};
use crate::clock::{Nanos, WallMs};
use crate::disk::Disk;
use crate::host::HostChoices;
use crate::io::{Completion, Io, ListenerId, Op, SocketId, Token, Wait};
use crate::mail::Bell;
use crate::poll::Poll;
use crate::ring::{self, Ring, RingError};

pub use files::Files;

/// The kernel takes at most this many pieces in one call (UIO_MAXIOV).
const PIECES_MAX: usize = 1024;

/// Which back end a process runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// io_uring.
    Ring,
    /// epoll, with threads for what waits for the disk.
    Poll,
}

impl Kind {
    /// The ring where the kernel lets us have one; else epoll, and why.
    pub fn choose() -> (Kind, Option<RingError>) {
        match ring::probe() {
            Ok(()) => (Kind::Ring, None),
            Err(error) => (Kind::Poll, Some(error)),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Ring => "io_uring",
            Kind::Poll => "epoll",
        })
    }
}

/// Why a core gets no back end.
#[derive(Debug)]
pub enum NativeError {
    /// No ring.
    Ring(RingError),
    /// No epoll instance.
    Poll(io::Error),
}

/// The I/O of one core.
pub enum Native {
    /// On io_uring.
    Ring(Box<Ring>),
    /// On epoll.
    Poll(Box<Poll>),
}

impl Native {
    /// A back end for the calling thread, which alone may use it. `bell` wakes it when mail comes.
    pub fn new(host: &HostChoices, pool: Pool, bell: Arc<Bell>) -> Result<Native, NativeError> {
        let files = Files::new(host);
        Ok(match host.kind {
            Kind::Ring => Native::Ring(Box::new(Ring::new(files, pool, bell).map_err(NativeError::Ring)?)),
            Kind::Poll => Native::Poll(Box::new(Poll::new(files, pool, bell).map_err(NativeError::Poll)?)),
        })
    }

    /// Listens on `address` with SO_REUSEPORT, so that every core can have a listener of its own there. A connection ends
    /// when its peer takes none of what was sent to it for `stuck_max`.
    pub fn listen(
        &mut self,
        address: SocketAddr,
        stuck_max: Option<Duration>,
    ) -> io::Result<(ListenerId, SocketAddr)> {
        match self {
            Native::Ring(ring) => ring.listen(address, stuck_max),
            Native::Poll(poll) => poll.listen(address, stuck_max),
        }
    }

    /// Takes over a connection that was made elsewhere.
    pub fn adopt(&mut self, stream: TcpStream) -> io::Result<SocketId> {
        match self {
            Native::Ring(ring) => ring.adopt(stream),
            Native::Poll(poll) => poll.adopt(stream),
        }
    }

    fn io(&self) -> &dyn Io {
        match self {
            Native::Ring(ring) => &**ring,
            Native::Poll(poll) => &**poll,
        }
    }
}

impl Io for Native {
    fn push(&mut self, token: Token, op: Op) {
        match self {
            Native::Ring(ring) => ring.push(token, op),
            Native::Poll(poll) => poll.push(token, op),
        }
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) {
        match self {
            Native::Ring(ring) => ring.reap(wait, done),
            Native::Poll(poll) => poll.reap(wait, done),
        }
    }

    fn now(&self) -> Nanos {
        self.io().now()
    }

    fn wall_ms(&self) -> WallMs {
        self.io().wall_ms()
    }

    fn random_u64(&mut self) -> u64 {
        match self {
            Native::Ring(ring) => ring.random_u64(),
            Native::Poll(poll) => poll.random_u64(),
        }
    }

    fn disk(&mut self) -> &mut dyn Disk {
        match self {
            Native::Ring(ring) => ring.disk(),
            Native::Poll(poll) => poll.disk(),
        }
    }
}

/// `parts` as the kernel wants them; valid as long as they are.
pub(crate) fn pieces_of(parts: &[Buf]) -> Vec<libc::iovec> {
    let piece = |part: &Buf| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() };
    parts.iter().take(PIECES_MAX).map(piece).collect()
}
