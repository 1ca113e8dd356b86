//! The back end on io_uring: one ring a core, entered once a turn.
//!
//! Set-up: SINGLE_ISSUER and DEFER_TASKRUN (completions are made on this core, when it asks), SUBMIT_ALL, TASKRUN_FLAG,
//! and a completion queue four times the submission queue. Buffered file writes run inline where the file system
//! would punt them to kernel threads (see [`crate::native`]); their completions come from [`Io::reap`] like all others.

mod boot;
mod inflight;
mod provided;
mod sockets;

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use io_uring::{IoUring, cqueue, opcode, squeue, types};

use crate::buffer::Pool;
use crate::clock::{Nanos, WallMs};
use crate::disk::Disk;
use crate::io::{Completion, Io, IoError, ListenerId, Op, Outcome, SocketId, Token, Wait};
use crate::mail::Bell;
use crate::native::files::{self, Files};
use crate::native::names::Names;
use crate::random::Random;

pub use boot::RingError;
use inflight::{Advance, Inflight, InflightTable};
use provided::ProvidedBuffers;
use sockets::{Closing, Sockets};

/// Submission queue entries; a turn that pushes more submits in between.
const SUBMISSION_ENTRIES: u32 = 1024;

/// Whether this kernel gives us a ring; it is given back at once.
pub(crate) fn probe() -> Result<(), RingError> {
    let ring = boot::set_up(SUBMISSION_ENTRIES)?;
    ProvidedBuffers::register(&ring).map(drop).map_err(RingError::Buffers)
}

/// A core's ring with all that it has under way.
pub struct Ring {
    ring: IoUring,
    inflight: InflightTable,
    sockets: Sockets,
    files: Files,
    names: Names,
    provided: ProvidedBuffers,
    pool: Pool,
    /// Completions of operations that were performed inline.
    ready: Vec<Completion>,
    /// The kernel's completions that were taken while submitting, in order.
    stash: VecDeque<(usize, i32, u32)>,
    bell: Arc<Bell>,
    started: Instant,
    random: Random,
}

impl Ring {
    /// Sets a ring up for the calling thread, which alone may use it. `bell` wakes it when mail comes.
    pub(crate) fn new(files: Files, pool: Pool, bell: Arc<Bell>) -> Result<Ring, RingError> {
        let ring = boot::set_up(SUBMISSION_ENTRIES)?;
        let provided = ProvidedBuffers::register(&ring).map_err(RingError::Buffers)?;
        let mut ring = Ring {
            ring,
            inflight: InflightTable::default(),
            sockets: Sockets::default(),
            files,
            names: Names::new(Arc::clone(&bell)),
            provided,
            pool,
            ready: Vec::new(),
            stash: VecDeque::new(),
            bell,
            started: Instant::now(),
            random: Random::from_seed(crate::boot::random_seed()),
        };
        ring.watch_bell();
        Ok(ring)
    }

    /// Listens on `address` with SO_REUSEPORT, so that every core can have a listener of its own there. A connection ends
    /// when its peer takes none of what was sent to it for `stuck_max`.
    pub fn listen(
        &mut self,
        address: SocketAddr,
        stuck_max: Option<Duration>,
    ) -> io::Result<(ListenerId, SocketAddr)> {
        self.sockets.listen(address, stuck_max)
    }

    /// Takes over a connection that was made outside of the ring.
    pub fn adopt(&mut self, stream: TcpStream) -> io::Result<SocketId> {
        self.sockets.adopt(stream).map(|(socket, _)| socket)
    }

    fn watch_bell(&mut self) {
        let poll = opcode::PollAdd::new(types::Fd(self.bell.descriptor()), libc::POLLIN as u32).build();
        self.submit_entry(Inflight::Bell, poll);
    }

    fn submit_entry(&mut self, inflight: Inflight, entry: squeue::Entry) {
        let key = self.inflight.insert(inflight);
        self.submit_keyed(key, entry);
    }

    fn submit_keyed(&mut self, key: usize, entry: squeue::Entry) {
        let entry = entry.user_data(key as u64);
        loop {
            // SAFETY: what the entry points to is owned by the in-flight table until its last completion is reaped,
            // and lies on the heap, so that the table may move its own entries.
            match unsafe { self.ring.submission().push(&entry) } {
                Ok(()) => return,
                Err(_) => {
                    self.enter(Wait::No);
                    // A full completion queue keeps the kernel from taking submissions: make room.
                    self.stash.extend(
                        self.ring
                            .completion()
                            .map(|entry| (entry.user_data() as usize, entry.result(), entry.flags())),
                    );
                }
            }
        }
    }

    /// Enters the kernel: submits, runs deferred completions, waits if told to.
    fn enter(&mut self, wait: Wait) {
        let entered = match wait {
            Wait::No => {
                let mut submission = self.ring.submission();
                submission.sync();
                let idle = submission.is_empty() && !submission.taskrun() && !submission.cq_overflow();
                drop(submission);
                if idle { Ok(0) } else { self.ring.submitter().submit_and_wait(0) }
            }
            Wait::Forever => self.ring.submitter().submit_and_wait(1),
            Wait::Until(deadline) => {
                let left = deadline.since(self.now());
                let left = types::Timespec::from(left);
                let args = types::SubmitArgs::new().timespec(&left);
                self.ring.submitter().submit_with_args(1, &args)
            }
        };
        match entered.map_err(|error| error.raw_os_error().unwrap_or(0)) {
            // A signal, the end of the wait, or a full completion queue: the caller reaps and comes again.
            Ok(_) | Err(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN) => {}
            Err(errno) => panic!("io_uring_enter failed: {}", io::Error::from_raw_os_error(errno)),
        }
    }

    /// Performs `op`, or hands it to the kernel.
    fn start(&mut self, token: Token, op: Op) {
        match op {
            Op::Accept { listener } => self.start_accept(token, listener),
            Op::Resolve { host, port } => {
                let known = self.names.ask(token, host, port);
                known.into_iter().for_each(|outcome| self.finish(token, outcome));
            }
            Op::Connect { address, stuck_max } => self.start_connect(token, address, stuck_max),
            Op::Receive { socket } => self.start_receive(token, socket),
            Op::CancelReceive { socket } => self.cancel_receive(socket),
            Op::Close { socket } => self.start_close(token, socket),
            Op::ReceiveInto { socket, .. } | Op::Send { socket, .. } => {
                let Some(fd) = self.sockets.begin(socket) else {
                    return self.finish(token, Outcome::Failed(IoError::CANCELLED));
                };
                let is_receive = matches!(op, Op::ReceiveInto { .. });
                let mut inflight = Inflight::of_socket(token, op, fd);
                let entry = inflight.entry();
                let key = self.inflight.insert(inflight);
                if is_receive {
                    self.sockets.set_receiving(socket, Some(key));
                }
                self.submit_keyed(key, entry);
            }
            Op::Write { file, offset, parts } => match self.files.write(file, offset, parts) {
                files::Start::Done(result) => self.finish(token, outcome_of(result, Outcome::Written)),
                files::Start::Later { file, offset, parts } => {
                    let mut inflight = Inflight::write(token, file, offset, parts);
                    let entry = inflight.entry();
                    self.submit_entry(inflight, entry);
                }
            },
            Op::Read { file, offset, len } => match self.files.read(file, offset, len, &self.pool) {
                files::ReadStart::Done(Ok(bytes)) => self.finish(token, Outcome::Read(bytes)),
                files::ReadStart::Done(Err(error)) => self.finish(token, Outcome::Failed(error)),
                files::ReadStart::Later { file, offset, len, buffer, flags } => {
                    let mut inflight = Inflight::read(token, file, (offset, len), buffer, flags);
                    let entry = inflight.entry();
                    self.submit_entry(inflight, entry);
                }
            },
            Op::WriteDurable { file, offset, buffer } => match self.files.handle_durable(file) {
                Ok(file) => {
                    let mut inflight = Inflight::write_durable(token, file, offset, buffer);
                    let entry = inflight.entry();
                    self.submit_entry(inflight, entry);
                }
                Err(error) => self.finish(token, Outcome::Failed(error)),
            },
            Op::Sync { file } => match self.files.handle(file) {
                Ok(file) => {
                    let mut inflight = Inflight::sync(token, file);
                    let entry = inflight.entry();
                    self.submit_entry(inflight, entry);
                }
                Err(error) => self.finish(token, Outcome::Failed(error)),
            },
            Op::BeginWriteback { file, offset, len } => match self.files.handle(file) {
                Ok(file) => {
                    let mut inflight = Inflight::writeback(token, file, offset, len);
                    let entry = inflight.entry();
                    self.submit_entry(inflight, entry);
                }
                Err(_) => self.finish(token, Outcome::WritebackBegun),
            },
        }
    }

    fn finish(&mut self, token: Token, outcome: Outcome) {
        self.ready.push(Completion { token, outcome, more: false });
    }

    fn start_accept(&mut self, token: Token, listener: ListenerId) {
        let fd = self.sockets.listener(listener);
        let entry = opcode::AcceptMulti::new(types::Fd(fd)).flags(libc::SOCK_CLOEXEC).build();
        self.submit_entry(Inflight::Accept { token }, entry);
    }

    fn start_connect(&mut self, token: Token, address: SocketAddr, stuck_max: Option<Duration>) {
        let begun = self.sockets.connect(address, stuck_max);
        let (socket, fd) = match begun.map(|socket| (socket, self.sockets.begin(socket))) {
            Ok((socket, fd)) => (socket, fd.expect("a new socket is not closing")),
            Err(error) => return self.finish(token, Outcome::Failed(IoError::from_std(&error))),
        };
        self.ready.push(Completion { token, outcome: Outcome::Connecting { socket }, more: true });
        let mut inflight = Inflight::connect(token, socket, fd, address);
        let entry = inflight.entry();
        let key = self.inflight.insert(inflight);
        self.sockets.set_connecting(socket, Some(key));
        self.submit_keyed(key, entry);
    }

    fn start_receive(&mut self, token: Token, socket: SocketId) {
        let Some(fd) = self.sockets.begin(socket) else {
            return self.finish(token, Outcome::Failed(IoError::CANCELLED));
        };
        let entry = opcode::RecvMulti::new(types::Fd(fd), provided::GROUP).build();
        let key = self.inflight.insert(Inflight::Receive { token, socket });
        self.sockets.set_receiving(socket, Some(key));
        self.submit_keyed(key, entry);
    }

    fn cancel_receive(&mut self, socket: SocketId) {
        if let Some(key) = self.sockets.cancel_receive(socket) {
            self.cancel(key);
        }
    }

    fn cancel(&mut self, key: usize) {
        let entry = opcode::AsyncCancel::new(key as u64).build();
        self.submit_entry(Inflight::Cancel, entry);
    }

    fn start_close(&mut self, token: Token, socket: SocketId) {
        match self.sockets.start_close(socket, token) {
            Closing::Gone => self.finish(token, Outcome::Closed),
            Closing::Ends => {}
            Closing::Cancels(key) => self.cancel(key),
        }
    }

    /// Takes one completion of the kernel's apart.
    fn on_entry(&mut self, key: usize, result: i32, flags: u32, done: &mut Vec<Completion>) {
        let more = cqueue::more(flags);
        match self.inflight.get_mut(key) {
            Inflight::Bell => {
                self.inflight.remove(key);
                self.bell.silence();
                self.watch_bell();
            }
            Inflight::Cancel => self.inflight.remove(key),
            Inflight::Accept { token } => {
                let token = *token;
                self.on_accepted(token, result, more, done);
                if !more {
                    self.inflight.remove(key);
                }
            }
            Inflight::Receive { token, socket } => {
                let (token, socket) = (*token, *socket);
                self.on_received(key, token, socket, result, flags, done);
            }
            Inflight::Whole(whole) => match whole.advance(result) {
                Advance::Again => {
                    let entry = self.inflight.get_mut(key).entry();
                    self.submit_keyed(key, entry);
                }
                Advance::Done => {
                    let whole = self.inflight.take_whole(key);
                    let socket = whole.socket();
                    if let Some(socket) = socket {
                        self.sockets.on_whole_done(socket, key);
                    }
                    done.push(whole.finish(result));
                    self.end_on(socket, done);
                }
            },
        }
    }

    fn on_accepted(&mut self, token: Token, result: i32, more: bool, done: &mut Vec<Completion>) {
        let outcome = match result {
            fd if fd >= 0 => match self.sockets.adopt(sockets::stream_of(fd)) {
                Ok((socket, peer)) => Outcome::Accepted { socket, peer },
                // The peer was gone before we looked.
                Err(_) if more => return,
                Err(_) => Outcome::Failed(IoError(libc::ECONNABORTED)),
            },
            error => Outcome::Failed(IoError(-error)),
        };
        done.push(Completion { token, outcome, more });
    }

    fn on_received(
        &mut self,
        key: usize,
        token: Token,
        socket: SocketId,
        result: i32,
        flags: u32,
        done: &mut Vec<Completion>,
    ) {
        let more = cqueue::more(flags);
        let outcome = match result {
            count if count >= 0 => {
                let bytes = match cqueue::buffer_select(flags) {
                    Some(id) => self.provided.copy_out(id, count as usize, &self.pool),
                    None => self.pool.copy(&[]),
                };
                Outcome::Received(bytes)
            }
            // The provided buffers ran out for a moment, or the kernel ended the multishot: arm it again.
            error if -error == libc::ENOBUFS && !self.sockets.is_cancelled(socket) => {
                return self.rearm(key, socket);
            }
            error if -error == libc::ENOBUFS => Outcome::Failed(IoError::CANCELLED),
            error => Outcome::Failed(IoError(-error)),
        };
        let ended = matches!(&outcome, Outcome::Received(bytes) if bytes.is_empty());
        if !more && !ended && matches!(outcome, Outcome::Received(_)) {
            done.push(Completion { token, outcome, more: true });
            if !self.sockets.is_cancelled(socket) {
                return self.rearm(key, socket);
            }
            // The cancel may have found nothing to end: this receive ended by itself just before.
            let outcome = Outcome::Failed(IoError::CANCELLED);
            done.push(Completion { token, outcome, more: false });
            self.inflight.remove(key);
            self.sockets.set_receiving(socket, None);
            return self.end_on(Some(socket), done);
        }
        done.push(Completion { token, outcome, more });
        if !more {
            self.inflight.remove(key);
            self.sockets.set_receiving(socket, None);
            self.end_on(Some(socket), done);
        }
    }

    fn rearm(&mut self, key: usize, socket: SocketId) {
        let fd = self.sockets.descriptor(socket);
        let entry = opcode::RecvMulti::new(types::Fd(fd), provided::GROUP).build();
        self.submit_keyed(key, entry);
    }

    /// Counts an operation on a socket as ended; the last one of a closing socket frees it.
    fn end_on(&mut self, socket: Option<SocketId>, done: &mut Vec<Completion>) {
        if let Some(token) = socket.and_then(|socket| self.sockets.end(socket)) {
            done.push(Completion { token, outcome: Outcome::Closed, more: false });
        }
    }
}

impl Drop for Ring {
    /// The kernel must let go of all memory before it is freed: everything under way is cancelled and reaped. What
    /// does not end within a second is leaked, for a leak is harmless where a write into freed memory is not.
    fn drop(&mut self) {
        let cancel_all = opcode::AsyncCancel2::new(types::CancelBuilder::any().all()).build();
        self.submit_entry(Inflight::Cancel, cancel_all);
        for _ in 0..100 {
            self.enter(Wait::Until(self.now().plus_ms(10)));
            while let Some(entry) = self.ring.completion().next() {
                let key = entry.user_data() as usize;
                if !cqueue::more(entry.flags()) {
                    self.inflight.remove(key);
                }
            }
            if self.inflight.is_empty() {
                return;
            }
        }
        std::mem::forget(std::mem::take(&mut self.inflight));
        self.provided.leak();
    }
}

fn outcome_of(result: Result<(), IoError>, good: Outcome) -> Outcome {
    match result {
        Ok(()) => good,
        Err(error) => Outcome::Failed(error),
    }
}

impl Io for Ring {
    fn push(&mut self, token: Token, op: Op) {
        self.start(token, op);
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) {
        let wait = if self.ready.is_empty() && self.stash.is_empty() { wait } else { Wait::No };
        let wait = self.files.tidy(self.now(), wait);
        self.enter(wait);
        done.append(&mut self.ready);
        self.names.reap(done);
        loop {
            // One entry at a time: handling it may push new submissions.
            let next = self.stash.pop_front().or_else(|| {
                let entry = self.ring.completion().next()?;
                Some((entry.user_data() as usize, entry.result(), entry.flags()))
            });
            let Some((key, result, flags)) = next else { break };
            self.on_entry(key, result, flags, done);
        }
        self.provided.publish();
    }

    fn now(&self) -> Nanos {
        Nanos(self.started.elapsed().as_nanos() as u64)
    }

    fn wall_ms(&self) -> WallMs {
        crate::boot::wall_ms()
    }

    fn random_u64(&mut self) -> u64 {
        self.random.next_u64()
    }

    fn disk(&mut self) -> &mut dyn Disk {
        &mut self.files
    }
}
