//! The in-flight table: owns every operation that the kernel has, and so the memory it works on, until its end.
//!
//! An entry's key is its user data. Short reads, writes and sends are continued here, so that the layers above see each
//! operation whole.

use std::fs::File;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;

use io_uring::{opcode, squeue, types};
use slab::Slab;

use crate::buffer::{AlignedBuf, Buf, BufMut, skip_parts};
use crate::io::{Completion, IoError, Op, Outcome, SocketId, Token};
use crate::native::pieces_of;
use crate::native::tcp::RawAddress;

#[derive(Default)]
pub(super) struct InflightTable {
    entries: Slab<Inflight>,
}

impl InflightTable {
    pub(super) fn insert(&mut self, inflight: Inflight) -> usize {
        self.entries.insert(inflight)
    }

    pub(super) fn get_mut(&mut self, key: usize) -> &mut Inflight {
        self.entries.get_mut(key).expect("a completion belongs to an operation under way")
    }

    pub(super) fn remove(&mut self, key: usize) {
        self.entries.remove(key);
    }

    pub(super) fn take_whole(&mut self, key: usize) -> Whole {
        match self.entries.remove(key) {
            Inflight::Whole(whole) => whole,
            _ => unreachable!("the caller has seen that it is a whole operation"),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// One operation under way.
pub(super) enum Inflight {
    /// The poll on the bell that other cores ring.
    Bell,
    /// A cancel, whose own result means nothing.
    Cancel,
    Accept {
        token: Token,
    },
    Receive {
        token: Token,
        socket: SocketId,
    },
    /// An operation with one end.
    Whole(Whole),
}

/// An operation that has one completion, however many times the kernel is asked.
pub(super) struct Whole {
    token: Token,
    work: Work,
    /// What the kernel is told to work on; rebuilt for each attempt, on the heap so that it stays in place.
    pieces: Vec<libc::iovec>,
    message: Option<Box<libc::msghdr>>,
}

enum Work {
    Connect { fd: RawFd, socket: SocketId, address: Box<RawAddress> },
    ReceiveInto { fd: RawFd, socket: SocketId, buffer: BufMut },
    Send { fd: RawFd, socket: SocketId, parts: Vec<Buf> },
    Write { file: Arc<File>, offset: u64, parts: Vec<Buf> },
    WriteDurable { file: Arc<File>, offset: u64, written: usize, buffer: AlignedBuf, flush: Flush },
    Read { file: Arc<File>, offset: u64, left: usize, buffer: BufMut, flags: i32 },
    Sync { file: Arc<File> },
    Writeback { file: Arc<File>, offset: u64, len: u32 },
}

/// What has to follow a write that is to be durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    /// Nothing: the write itself is durable.
    Needless,
    /// A sync, when all is written.
    Due,
    /// The sync is what the kernel is at.
    UnderWay,
}

pub(super) enum Advance {
    /// Not whole yet: submit again.
    Again,
    Done,
}

impl Inflight {
    pub(super) fn of_socket(token: Token, op: Op, fd: RawFd) -> Inflight {
        Inflight::new(
            token,
            match op {
                Op::ReceiveInto { socket, buffer } => Work::ReceiveInto { fd, socket, buffer },
                Op::Send { socket, parts } => Work::Send { fd, socket, parts },
                _ => unreachable!("the caller passes operations on sockets only"),
            },
        )
    }

    pub(super) fn connect(token: Token, socket: SocketId, fd: RawFd, address: SocketAddr) -> Inflight {
        let address = Box::new(RawAddress::of(address));
        Inflight::new(token, Work::Connect { fd, socket, address })
    }

    pub(super) fn write(token: Token, file: Arc<File>, offset: u64, parts: Vec<Buf>) -> Inflight {
        Inflight::new(token, Work::Write { file, offset, parts })
    }

    pub(super) fn write_durable(
        token: Token,
        (file, needs_flush): (Arc<File>, bool),
        offset: u64,
        buffer: AlignedBuf,
    ) -> Inflight {
        let flush = if needs_flush { Flush::Due } else { Flush::Needless };
        Inflight::new(token, Work::WriteDurable { file, offset, written: 0, buffer, flush })
    }

    pub(super) fn read(
        token: Token,
        file: Arc<File>,
        (offset, left): (u64, usize),
        buffer: BufMut,
        flags: i32,
    ) -> Inflight {
        Inflight::new(token, Work::Read { file, offset, left, buffer, flags })
    }

    pub(super) fn sync(token: Token, file: Arc<File>) -> Inflight {
        Inflight::new(token, Work::Sync { file })
    }

    pub(super) fn writeback(token: Token, file: Arc<File>, offset: u64, len: u32) -> Inflight {
        Inflight::new(token, Work::Writeback { file, offset, len })
    }

    fn new(token: Token, work: Work) -> Inflight {
        Inflight::Whole(Whole { token, work, pieces: Vec::new(), message: None })
    }

    /// The kernel's entry for what is left to do.
    pub(super) fn entry(&mut self) -> squeue::Entry {
        match self {
            Inflight::Whole(whole) => whole.entry(),
            _ => unreachable!("only whole operations are continued"),
        }
    }
}

impl Whole {
    /// The socket that it works on.
    pub(super) fn socket(&self) -> Option<SocketId> {
        match self.work {
            Work::Connect { socket, .. } | Work::ReceiveInto { socket, .. } | Work::Send { socket, .. } => {
                Some(socket)
            }
            Work::Write { .. }
            | Work::WriteDurable { .. }
            | Work::Read { .. }
            | Work::Sync { .. }
            | Work::Writeback { .. } => None,
        }
    }

    fn entry(&mut self) -> squeue::Entry {
        match &mut self.work {
            Work::Connect { fd, address, .. } => {
                opcode::Connect::new(types::Fd(*fd), address.as_ptr(), address.len()).build()
            }
            Work::ReceiveInto { fd, buffer, .. } => {
                let spare = buffer.spare_mut();
                opcode::Recv::new(types::Fd(*fd), spare.as_mut_ptr(), length(spare)).build()
            }
            Work::Send { fd, parts, .. } if parts.len() == 1 => {
                let flags = libc::MSG_NOSIGNAL | libc::MSG_WAITALL;
                opcode::Send::new(types::Fd(*fd), parts[0].as_ptr(), length(&parts[0])).flags(flags).build()
            }
            Work::Send { fd, parts, .. } => {
                self.pieces = pieces_of(parts);
                // SAFETY: a zeroed msghdr is a valid empty one (all its fields are integers and pointers).
                let message = self.message.insert(Box::new(unsafe { std::mem::zeroed() }));
                message.msg_iov = self.pieces.as_mut_ptr();
                message.msg_iovlen = self.pieces.len();
                let flags = (libc::MSG_NOSIGNAL | libc::MSG_WAITALL) as u32;
                opcode::SendMsg::new(types::Fd(*fd), &raw const **message).flags(flags).build()
            }
            Work::Write { file, offset, parts } => {
                self.pieces = pieces_of(parts);
                let fd = types::Fd(file.as_raw_fd());
                opcode::Writev::new(fd, self.pieces.as_ptr(), self.pieces.len() as u32)
                    .offset(*offset)
                    .build()
            }
            Work::WriteDurable { file, flush: Flush::UnderWay, .. } => sync_entry(file),
            Work::WriteDurable { file, offset, written, buffer, .. } => {
                let left = &buffer.filled()[*written..];
                let at = *offset + *written as u64;
                opcode::Write::new(types::Fd(file.as_raw_fd()), left.as_ptr(), length(left))
                    .offset(at)
                    .build()
            }
            Work::Read { file, offset, left, buffer, flags } => {
                let fd = types::Fd(file.as_raw_fd());
                let spare = &mut buffer.spare_mut()[..*left];
                opcode::Read::new(fd, spare.as_mut_ptr(), length(spare))
                    .offset(*offset)
                    .rw_flags(*flags)
                    .build()
            }
            Work::Sync { file } => sync_entry(file),
            Work::Writeback { file, offset, len } => {
                opcode::SyncFileRange::new(types::Fd(file.as_raw_fd()), *len)
                    .offset(*offset)
                    .flags(libc::SYNC_FILE_RANGE_WRITE)
                    .build()
            }
        }
    }

    /// Counts what the kernel did; a result below zero, the end of a file or of a stream ends the operation.
    pub(super) fn advance(&mut self, result: i32) -> Advance {
        // An attempt to connect is asked for once: the kernel goes on with it by itself.
        let is_connect = matches!(self.work, Work::Connect { .. });
        if (-result == libc::EINTR || -result == libc::EAGAIN) && !is_connect {
            return Advance::Again;
        }
        let Ok(count) = usize::try_from(result) else { return Advance::Done };
        let left = match &mut self.work {
            Work::Connect { .. } | Work::Sync { .. } | Work::Writeback { .. } => 0,
            Work::ReceiveInto { buffer, .. } => {
                buffer.advance(count);
                0
            }
            Work::Send { parts, .. } => {
                skip_parts(parts, count);
                parts.len()
            }
            // The device takes no more: asking again would never end.
            Work::Write { parts, .. } if count == 0 && !parts.is_empty() => return Advance::Done,
            Work::Write { offset, parts, .. } => {
                *offset += count as u64;
                skip_parts(parts, count);
                parts.len()
            }
            Work::WriteDurable { flush: Flush::UnderWay, .. } => 0,
            Work::WriteDurable { written, buffer, flush, .. } => {
                *written += count;
                let left = buffer.len() - *written;
                if left == 0 && *flush == Flush::Due {
                    *flush = Flush::UnderWay;
                    return Advance::Again;
                }
                left
            }
            Work::Read { offset, left, buffer, .. } => {
                *offset += count as u64;
                *left -= count;
                buffer.advance(count);
                if count == 0 { 0 } else { *left }
            }
        };
        // Nothing more comes of an attempt that moved nothing: at the end of a file or of the space for it.
        if left == 0 || (count == 0 && matches!(self.work, Work::WriteDurable { .. })) {
            return Advance::Done;
        }
        Advance::Again
    }

    /// What the caller is told, given the kernel's last word.
    pub(super) fn finish(self, result: i32) -> Completion {
        let outcome = match self.work {
            Work::Writeback { .. } => Outcome::WritebackBegun,
            _ if result < 0 => Outcome::Failed(IoError(-result)),
            Work::Connect { .. } => Outcome::Connected,
            Work::ReceiveInto { buffer, .. } => Outcome::ReceivedInto(buffer),
            Work::Send { .. } => Outcome::Sent,
            Work::Write { parts, .. } if !parts.is_empty() => Outcome::Failed(IoError::NO_SPACE),
            Work::Write { .. } => Outcome::Written,
            Work::WriteDurable { written, buffer, .. } if written < buffer.len() => {
                drop(buffer);
                Outcome::Failed(IoError::NO_SPACE)
            }
            Work::WriteDurable { buffer, .. } => Outcome::WrittenDurable(buffer),
            Work::Read { buffer, .. } => Outcome::Read(buffer.freeze()),
            Work::Sync { .. } => Outcome::Synced,
        };
        Completion { token: self.token, outcome, more: false }
    }
}

fn sync_entry(file: &File) -> squeue::Entry {
    opcode::Fsync::new(types::Fd(file.as_raw_fd())).flags(types::FsyncFlags::DATASYNC).build()
}

/// The kernel counts a piece in 32 bits and moves at most 2 GiB a call; the rest follows in the next one.
fn length(bytes: &[u8]) -> u32 {
    bytes.len().min(1 << 30) as u32
}
