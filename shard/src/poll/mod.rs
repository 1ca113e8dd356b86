//! The back end on epoll, for kernels and containers that forbid io_uring: plain reads and writes, tried at once.
//!
//! Sockets are registered once, edge-triggered; what the kernel told about each is remembered until a call finds otherwise
//! (`poll/sockets.rs`). Buffered writes run inline, and so do reads that the page cache can answer; what waits for
//! the disk goes to threads of its own (`poll/disk_threads.rs`). What a turn costs more than on the ring is a system call
//! for each receive and each send.

mod disk_threads;
mod epoll;
mod sockets;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::buffer::Pool;
use crate::clock::{Nanos, WallMs};
use crate::disk::{Disk, FileId};
use crate::io::{Completion, Io, IoError, ListenerId, Op, Outcome, SocketId, Token, Wait};
use crate::mail::Bell;
use crate::native::files::{Files, ReadStart};
use crate::native::names::Names;
use crate::native::tcp;
use crate::random::Random;
use disk_threads::{DiskThreads, Job, Work};
use epoll::{Epoll, Source};
use sockets::Sockets;

/// Connections accepted from one listener in one turn.
const ACCEPTS_MAX: usize = 256;

/// A core's epoll instance with all that it has under way.
pub struct Poll {
    epoll: Epoll,
    listeners: Vec<Listener>,
    sockets: Sockets,
    files: Files,
    disk_threads: DiskThreads,
    names: Names,
    pool: Pool,
    /// Completions of operations that were performed when they were pushed.
    ready: Vec<Completion>,
    bell: Arc<Bell>,
    started: Instant,
    random: Random,
}

struct Listener {
    socket: TcpListener,
    /// The accept under way.
    accepting: Option<Token>,
    /// Whether a connection may wait.
    is_ready: bool,
}

impl Poll {
    /// A back end for the calling thread. `bell` wakes it when mail comes.
    pub(crate) fn new(files: Files, pool: Pool, bell: Arc<Bell>) -> io::Result<Poll> {
        let epoll = Epoll::new()?;
        epoll.add_bell(bell.descriptor())?;
        Ok(Poll {
            epoll,
            listeners: Vec::new(),
            sockets: Sockets::new(pool.clone()),
            files,
            disk_threads: DiskThreads::new(Arc::clone(&bell)),
            names: Names::new(Arc::clone(&bell)),
            pool,
            ready: Vec::new(),
            bell,
            started: Instant::now(),
            random: Random::from_seed(crate::boot::random_seed()),
        })
    }

    /// Listens on `address` with SO_REUSEPORT, so that every core can have a listener of its own there. A connection ends
    /// when its peer takes none of what was sent to it for `stuck_max`.
    pub fn listen(
        &mut self,
        address: SocketAddr,
        stuck_max: Option<Duration>,
    ) -> io::Result<(ListenerId, SocketAddr)> {
        let socket = tcp::listening_socket(address, stuck_max)?;
        socket.set_nonblocking(true)?;
        let bound = socket.local_addr()?;
        let id = ListenerId(self.listeners.len() as u32);
        self.epoll.add_listener(socket.as_raw_fd(), id)?;
        self.listeners.push(Listener { socket, accepting: None, is_ready: true });
        Ok((id, bound))
    }

    /// Takes over a connection that was made elsewhere.
    pub fn adopt(&mut self, stream: TcpStream) -> io::Result<SocketId> {
        self.sockets.adopt(stream, &self.epoll).map(|(socket, _)| socket)
    }

    fn start(&mut self, token: Token, op: Op) {
        match op {
            Op::Accept { listener } => self.listeners[listener.0 as usize].accepting = Some(token),
            Op::Resolve { host, port } => {
                let known = self.names.ask(token, host, port);
                known.into_iter().for_each(|outcome| self.finish(token, outcome));
            }
            Op::Connect { address, stuck_max } => {
                let begun = self.sockets.connect(address, stuck_max, token, &self.epoll);
                match begun {
                    Ok(begun) => self.ready.extend(begun),
                    Err(error) => self.finish(token, Outcome::Failed(IoError::from_std(&error))),
                }
            }
            Op::Receive { socket } => self.sockets.receive_many(socket, token, &mut self.ready),
            Op::ReceiveInto { socket, buffer } => {
                self.sockets.receive_into(socket, token, buffer, &mut self.ready);
            }
            Op::CancelReceive { socket } => self.sockets.cancel_receive(socket, &mut self.ready),
            Op::Send { socket, parts } => self.sockets.send(socket, token, parts, &mut self.ready),
            Op::Close { socket } => self.sockets.close(socket, token, &mut self.ready),
            Op::Write { file, offset, parts } => {
                let written = self.files.write_now(file, offset, parts);
                self.finish(token, written.map_or_else(Outcome::Failed, |()| Outcome::Written));
            }
            Op::Read { file, offset, len } => match self.files.read(file, offset, len, &self.pool) {
                ReadStart::Done(read) => {
                    self.finish(token, read.map_or_else(Outcome::Failed, Outcome::Read));
                }
                ReadStart::Later { file, offset, len, buffer, flags } => {
                    let work = Work::Read { offset, left: len, buffer, flags };
                    self.disk_threads.push(Job { token, file, work }, &mut self.ready);
                }
            },
            Op::WriteDurable { file, offset, buffer } => {
                let needs_flush = self.files.handle_durable(file).is_ok_and(|(_, needs_flush)| needs_flush);
                self.start_on_disk(token, file, Work::WriteDurable { offset, buffer, needs_flush });
            }
            Op::Sync { file } => self.start_on_disk(token, file, Work::Sync),
            Op::BeginWriteback { file, offset, len } => {
                self.start_on_disk(token, file, Work::Writeback { offset, len });
            }
        }
    }

    fn start_on_disk(&mut self, token: Token, file: FileId, work: Work) {
        match (self.files.handle(file), &work) {
            (Ok(file), _) => self.disk_threads.push(Job { token, file, work }, &mut self.ready),
            (Err(_), Work::Writeback { .. }) => self.finish(token, Outcome::WritebackBegun),
            (Err(error), _) => self.finish(token, Outcome::Failed(error)),
        }
    }

    fn finish(&mut self, token: Token, outcome: Outcome) {
        self.ready.push(Completion { token, outcome, more: false });
    }

    /// Sleeps as `wait` allows and takes note of what the kernel tells.
    fn watch(&mut self, wait: Wait) {
        let timeout = match wait {
            Wait::No => Some(Duration::ZERO),
            Wait::Forever => None,
            Wait::Until(deadline) => Some(deadline.since(self.now())),
        };
        for (source, events) in self.epoll.wait(timeout) {
            match source {
                Source::Bell => self.bell.silence(),
                Source::Listener(id) => self.listeners[id.0 as usize].is_ready = true,
                Source::Socket(socket) => self.sockets.on_events(socket, events),
            }
        }
    }

    fn accept(&mut self, done: &mut Vec<Completion>) {
        for listener in &mut self.listeners {
            for _ in 0..ACCEPTS_MAX {
                let (Some(token), true) = (listener.accepting, listener.is_ready) else { break };
                match listener.socket.accept() {
                    // A peer that is gone before we look is nobody's business.
                    Ok((stream, _)) => {
                        if let Ok((socket, peer)) = self.sockets.adopt(stream, &self.epoll) {
                            let outcome = Outcome::Accepted { socket, peer };
                            done.push(Completion { token, outcome, more: true });
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => listener.is_ready = false,
                    Err(error) if is_passing(&error) => {}
                    Err(error) => {
                        listener.accepting = None;
                        let outcome = Outcome::Failed(IoError::from_std(&error));
                        done.push(Completion { token, outcome, more: false });
                    }
                }
            }
        }
    }

    fn has_work(&self) -> bool {
        let may_accept = |listener: &Listener| listener.is_ready && listener.accepting.is_some();
        !self.ready.is_empty() || self.sockets.has_work() || self.listeners.iter().any(may_accept)
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted)
}

impl Io for Poll {
    fn push(&mut self, token: Token, op: Op) {
        self.start(token, op);
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) {
        let wait = self.files.tidy(self.now(), wait);
        self.watch(if self.has_work() { Wait::No } else { wait });
        // First, for a connection that is closed here may give its id to one that is accepted below.
        done.append(&mut self.ready);
        self.accept(done);
        self.sockets.work(done);
        self.disk_threads.reap(done);
        self.names.reap(done);
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
