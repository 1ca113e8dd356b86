//! The I/O seam: what a core may ask for ([`Op`]) and what it is told ([`Outcome`]). Data only; no I/O happens here.
//!
//! An operation is pushed with a [`Token`] of the caller's choice and comes back as a [`Completion`] with the same
//! token, at once or many turns later. The back end owns the operation, and so its buffers, until then.

use std::net::SocketAddr;
use std::time::Duration;

use crate::buffer::{AlignedBuf, Buf, BufMut};
use crate::clock::{Nanos, WallMs};
use crate::disk::{Disk, FileId};

/// The caller's name for an operation; the back end only carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u64);

/// A connected socket in the back end's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u32);

/// A listening socket in the back end's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListenerId(pub u32);

/// What can be asked of a back end.
#[derive(Debug)]
pub enum Op {
    /// Accepts connections until the shard ends: many [`Outcome::Accepted`].
    Accept {
        /// Where to accept.
        listener: ListenerId,
    },
    /// Finds out what addresses a host stands for: one [`Outcome::Resolved`]. An address that is written out stands for
    /// itself; a name may take as long as the servers of names do.
    Resolve {
        /// A name, or an address without brackets.
        host: String,
        /// What the addresses get as their port.
        port: u16,
    },
    /// Connects to an address: [`Outcome::Connecting`] at once, from which on the socket is there to be closed, and then one
    /// [`Outcome::Connected`], before which nothing else may be asked of it. A deadline is the caller's: [`Op::Close`] ends
    /// the attempt. Whatever became of it, the socket is there until it is closed; only an [`Outcome::Failed`] without
    /// `Connecting` before it leaves none.
    Connect {
        /// Where to.
        address: SocketAddr,
        /// The connection ends when its peer takes none of what was sent to it for so long.
        stuck_max: Option<Duration>,
    },
    /// Receives into buffers of the back end until the peer closes or the operation is cancelled: many
    /// [`Outcome::Received`]. An idle connection costs no buffer.
    Receive {
        /// Where from.
        socket: SocketId,
    },
    /// Receives once into the free end of `buffer`, which must have room: one [`Outcome::ReceivedInto`].
    ReceiveInto {
        /// Where from.
        socket: SocketId,
        /// Filled from its current length on.
        buffer: BufMut,
    },
    /// Sends all parts, in order: one [`Outcome::Sent`] for the whole. At most one `Send` a socket may be under way.
    Send {
        /// Where to.
        socket: SocketId,
        /// What, in order.
        parts: Vec<Buf>,
    },
    /// Ends a connection both ways: operations under way on it complete first (with a failure), then [`Outcome::Closed`].
    Close {
        /// Which.
        socket: SocketId,
    },
    /// Writes all parts at `offset`: one [`Outcome::Written`] for the whole. Not durable before a [`Op::Sync`].
    Write {
        /// Which file.
        file: FileId,
        /// Where in the file, in bytes.
        offset: u64,
        /// What, in order.
        parts: Vec<Buf>,
    },
    /// Writes all of `buffer` at `offset`, both multiples of [`crate::buffer::ALIGNMENT`], to a file opened with
    /// [`Disk::open_durable`]: one [`Outcome::WrittenDurable`] when it is on stable storage.
    WriteDurable {
        /// Which file.
        file: FileId,
        /// Where in the file, in bytes.
        offset: u64,
        /// What.
        buffer: AlignedBuf,
    },
    /// Reads `len` bytes at `offset`, or up to the end of the file: one [`Outcome::Read`].
    ///
    /// Much that the page cache has may be lent from there instead of being copied. So only what nobody writes to, or
    /// cuts off, before the answer is dropped may be read.
    Read {
        /// Which file.
        file: FileId,
        /// Where in the file, in bytes.
        offset: u64,
        /// How many bytes are wanted.
        len: usize,
    },
    /// Makes everything written to `file` so far durable: one [`Outcome::Synced`].
    Sync {
        /// Which file.
        file: FileId,
    },
    /// Lets the kernel begin to write this part of `file` to the device, so that a later [`Op::Sync`] finds little left to
    /// do: one [`Outcome::WritebackBegun`], whatever becomes of it.
    BeginWriteback {
        /// Which file.
        file: FileId,
        /// Where in the file, in bytes.
        offset: u64,
        /// How many bytes.
        len: u32,
    },
    /// Ends the [`Op::Receive`] or [`Op::ReceiveInto`] under way on a socket, if there is one: it completes with
    /// [`Outcome::Failed`] ([`IoError::CANCELLED`]) and has taken nothing from the stream; or bytes came first, and it
    /// completes with them. The cancel itself reports nothing.
    CancelReceive {
        /// Whose.
        socket: SocketId,
    },
}

/// How an operation went.
#[derive(Debug)]
pub enum Outcome {
    /// A connection came in.
    Accepted {
        /// The new connection.
        socket: SocketId,
        /// Who connected.
        peer: SocketAddr,
    },
    /// Each address of the host, once.
    Resolved(Vec<SocketAddr>),
    /// A socket was made for [`Op::Connect`], and the attempt is under way.
    Connecting {
        /// The new socket.
        socket: SocketId,
    },
    /// The attempt has succeeded: the socket can be used.
    Connected,
    /// Bytes from the peer; empty means that the peer closed.
    Received(Buf),
    /// The buffer given to [`Op::ReceiveInto`], longer by what came; not longer means that the peer closed.
    ReceivedInto(BufMut),
    /// All parts are with the kernel.
    Sent,
    /// The connection is gone and its id free.
    Closed,
    /// All parts are in the file (in the page cache, that is).
    Written,
    /// The buffer given to [`Op::WriteDurable`], whose bytes survive a loss of power.
    WrittenDurable(AlignedBuf),
    /// What was read; shorter than asked at the end of the file.
    Read(Buf),
    /// Everything written before is durable.
    Synced,
    /// The kernel was asked. What it makes of it is seen by the next sync.
    WritebackBegun,
    /// The operation failed; whatever it owned is dropped.
    Failed(IoError),
}

/// An operation's end, or one of many ends.
#[derive(Debug)]
pub struct Completion {
    /// The token that the operation was pushed with.
    pub token: Token,
    /// How it went.
    pub outcome: Outcome,
    /// Whether more completions with this token follow (multishot operations).
    pub more: bool,
}

/// An operating system's error number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoError(pub i32);

impl IoError {
    /// The operation was cancelled, or its socket closed by us.
    pub const CANCELLED: IoError = IoError(libc::ECANCELED);
    /// The device failed.
    pub const DEVICE: IoError = IoError(libc::EIO);
    /// No space left.
    pub const NO_SPACE: IoError = IoError(libc::ENOSPC);
    /// Nobody listens at the address.
    pub const REFUSED: IoError = IoError(libc::ECONNREFUSED);
    /// The peer reset the connection.
    pub const RESET: IoError = IoError(libc::ECONNRESET);
    /// More than one file or one write can take.
    pub const TOO_LARGE: IoError = IoError(libc::EFBIG);
    /// No such file.
    pub const NOT_FOUND: IoError = IoError(libc::ENOENT);

    /// The error number within a `std::io::Error`; [`IoError::DEVICE`] if it has none.
    pub fn from_std(error: &std::io::Error) -> IoError {
        IoError(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

impl std::fmt::Display for IoError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::io::Error::from_raw_os_error(self.0).fmt(f)
    }
}

impl std::error::Error for IoError {}

/// Operations queued during a turn, in order; the shard hands them to the back end when the turn ends.
#[derive(Debug, Default)]
pub struct Ops {
    queued: Vec<(Token, Op)>,
}

impl Ops {
    /// Queues an operation.
    pub fn push(&mut self, token: Token, op: Op) {
        self.queued.push((token, op));
    }

    /// Whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    /// Takes what is queued, in order.
    pub fn drain(&mut self) -> std::vec::Drain<'_, (Token, Op)> {
        self.queued.drain(..)
    }
}

/// How long a core may sleep when it has nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Not at all: there is more work.
    No,
    /// Until something completes, mail comes, or this moment.
    Until(Nanos),
    /// Until something completes or mail comes.
    Forever,
}

impl Wait {
    /// The same, but not beyond `moment`.
    pub(crate) fn no_later_than(self, moment: Nanos) -> Wait {
        match self {
            Wait::No => Wait::No,
            Wait::Until(deadline) => Wait::Until(deadline.min(moment)),
            Wait::Forever => Wait::Until(moment),
        }
    }
}

/// A back end: the only code that performs operations, reads clocks and draws random numbers.
pub trait Io {
    /// Takes an operation over. It may be performed at once; its completion comes from [`Io::reap`] all the same.
    fn push(&mut self, token: Token, op: Op);

    /// Submits what was pushed, sleeps as `wait` allows, and appends what has completed to `done`.
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>);

    /// Monotonic time now.
    fn now(&self) -> Nanos;

    /// Calendar time now.
    fn wall_ms(&self) -> WallMs;

    /// A random number; from a seed in simulation.
    fn random_u64(&mut self) -> u64;

    /// The synchronous side of the disk, for opening, recovering and renaming.
    fn disk(&mut self) -> &mut dyn Disk;
}
