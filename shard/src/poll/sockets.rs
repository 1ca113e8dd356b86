//! Connections on epoll: what is under way on each, and what the kernel last told about it.
//!
//! Edge-triggered: the kernel tells once that bytes came. `is_readable` keeps that until a receive takes less than it had
//! room for, or nothing: then the next bytes bring a new event. The end of a stream needs care, for no event follows it; and
//! so do urgent bytes, for a receive stops short of them.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

use slab::Slab;

use crate::buffer::{Buf, BufMut, Pool, skip_parts};
use crate::io::{Completion, IoError, Outcome, SocketId, Token};
use crate::native::tcp;

use super::epoll::{Epoll, Events};

/// What is received at once by a connection without a buffer of its own, and then copied to memory of its size.
const PIECE_BYTES: usize = 4096;

pub(super) struct Sockets {
    connections: Slab<Connection>,
    /// Connections on which something may be done now, each once.
    queue: VecDeque<u32>,
    piece: Box<[u8]>,
    pool: Pool,
}

struct Connection {
    stream: TcpStream,
    connecting: Option<Token>,
    receiving: Option<Receiving>,
    sending: Option<(Token, Vec<Buf>)>,
    is_readable: bool,
    /// A short receive says nothing about what follows: the next one goes on until there is nothing.
    is_read_out: bool,
    is_queued: bool,
}

enum Receiving {
    Many(Token),
    Into(Token, BufMut),
}

impl Sockets {
    pub(super) fn new(pool: Pool) -> Sockets {
        let piece = vec![0; PIECE_BYTES].into_boxed_slice();
        Sockets { connections: Slab::new(), queue: VecDeque::new(), piece, pool }
    }

    /// Takes over a connection; fails if its peer is gone already.
    pub(super) fn adopt(&mut self, stream: TcpStream, epoll: &Epoll) -> io::Result<(SocketId, SocketAddr)> {
        let peer = tcp::prepare(&stream)?;
        stream.set_nonblocking(true)?;
        Ok((self.insert(stream, epoll)?, peer))
    }

    /// Begins to connect: the socket, and how the attempt ended if it has ended at once.
    pub(super) fn connect(
        &mut self,
        address: SocketAddr,
        stuck_max: Option<Duration>,
        token: Token,
        epoll: &Epoll,
    ) -> io::Result<Vec<Completion>> {
        let stream = tcp::connecting_socket(address, stuck_max)?;
        stream.set_nonblocking(true)?;
        // The kernel tells of an unconnected socket that it has ended, so it is not watched before the attempt is under way.
        let begun = tcp::begin_connect(&stream, address);
        let socket = self.insert(stream, epoll)?;
        let mut told = vec![Completion { token, outcome: Outcome::Connecting { socket }, more: true }];
        match begun {
            Ok(true) => told.push(Completion { token, outcome: Outcome::Connected, more: false }),
            Ok(false) => self.connections[socket.0 as usize].connecting = Some(token),
            Err(error) => told.push(failed(token, IoError::from_std(&error))),
        }
        Ok(told)
    }

    fn insert(&mut self, stream: TcpStream, epoll: &Epoll) -> io::Result<SocketId> {
        let entry = self.connections.vacant_entry();
        let socket = SocketId(entry.key() as u32);
        epoll.add_socket(stream.as_raw_fd(), socket)?;
        entry.insert(Connection {
            stream,
            connecting: None,
            receiving: None,
            sending: None,
            is_readable: false,
            is_read_out: false,
            is_queued: false,
        });
        Ok(socket)
    }

    pub(super) fn receive_many(&mut self, socket: SocketId, token: Token, ready: &mut Vec<Completion>) {
        self.receive(socket, token, Receiving::Many(token), ready);
    }

    pub(super) fn receive_into(
        &mut self,
        socket: SocketId,
        token: Token,
        buffer: BufMut,
        ready: &mut Vec<Completion>,
    ) {
        self.receive(socket, token, Receiving::Into(token, buffer), ready);
    }

    fn receive(&mut self, socket: SocketId, token: Token, receiving: Receiving, ready: &mut Vec<Completion>) {
        let Some(connection) = self.connections.get_mut(socket.0 as usize) else {
            return ready.push(failed(token, IoError::CANCELLED));
        };
        assert!(connection.receiving.is_none(), "one receive a socket may be under way");
        connection.receiving = Some(receiving);
        if connection.may_receive() {
            connection.enqueue(socket, &mut self.queue);
        }
    }

    pub(super) fn cancel_receive(&mut self, socket: SocketId, ready: &mut Vec<Completion>) {
        let receiving = self.connections.get_mut(socket.0 as usize).and_then(|found| found.receiving.take());
        if let Some(receiving) = receiving {
            ready.push(failed(receiving.token(), IoError::CANCELLED));
        }
    }

    /// Sends what the kernel takes at once; the rest when it has room again.
    pub(super) fn send(
        &mut self,
        socket: SocketId,
        token: Token,
        parts: Vec<Buf>,
        ready: &mut Vec<Completion>,
    ) {
        let Some(connection) = self.connections.get_mut(socket.0 as usize) else {
            return ready.push(failed(token, IoError::CANCELLED));
        };
        assert!(connection.sending.is_none(), "one send a socket may be under way");
        connection.sending = Some((token, parts));
        connection.send(ready);
    }

    pub(super) fn close(&mut self, socket: SocketId, token: Token, ready: &mut Vec<Completion>) {
        if let Some(connection) = self.connections.try_remove(socket.0 as usize) {
            let ended = [
                connection.connecting,
                connection.receiving.map(|one| one.token()),
                connection.sending.map(|(token, _)| token),
            ];
            ready.extend(ended.into_iter().flatten().map(|token| failed(token, IoError::CANCELLED)));
            self.queue.retain(|&queued| queued != socket.0);
        }
        ready.push(Completion { token, outcome: Outcome::Closed, more: false });
    }

    pub(super) fn on_events(&mut self, socket: SocketId, events: Events) {
        // The kernel tells of a connection that is closed here while anybody else holds it: a clone, a process just forked.
        let Some(connection) = self.connections.get_mut(socket.0 as usize) else { return };
        connection.is_readable |= events.is_readable();
        connection.is_read_out |= events.is_to_be_read_out();
        let may_send =
            events.is_writable() && (connection.sending.is_some() || connection.connecting.is_some());
        if may_send || connection.may_receive() {
            connection.enqueue(socket, &mut self.queue);
        }
    }

    pub(super) fn has_work(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Does what can be done now: at most one receive and one send for each connection, so that none starves the others.
    pub(super) fn work(&mut self, done: &mut Vec<Completion>) {
        for _ in 0..self.queue.len() {
            let Some(id) = self.queue.pop_front() else { break };
            let connection = &mut self.connections[id as usize];
            connection.is_queued = false;
            connection.end_connect(done);
            connection.send(done);
            connection.receive(&mut self.piece, &self.pool, done);
            if connection.may_receive() {
                connection.enqueue(SocketId(id), &mut self.queue);
            }
        }
    }
}

impl Receiving {
    fn token(&self) -> Token {
        match self {
            Receiving::Many(token) | Receiving::Into(token, _) => *token,
        }
    }
}

impl Connection {
    fn may_receive(&self) -> bool {
        self.is_readable && self.receiving.is_some()
    }

    fn enqueue(&mut self, socket: SocketId, queue: &mut VecDeque<u32>) {
        if !std::mem::replace(&mut self.is_queued, true) {
            queue.push_back(socket.0);
        }
    }

    /// Finds out how an attempt to connect has ended, if it has.
    fn end_connect(&mut self, done: &mut Vec<Completion>) {
        let Some(token) = self.connecting else { return };
        let outcome = match (self.stream.take_error(), self.stream.peer_addr()) {
            (Ok(None), Ok(_)) => Outcome::Connected,
            // Neither connected nor failed: the attempt goes on.
            (Ok(None), Err(_)) => return,
            (Ok(Some(error)) | Err(error), _) => Outcome::Failed(IoError::from_std(&error)),
        };
        self.connecting = None;
        done.push(Completion { token, outcome, more: false });
    }

    fn send(&mut self, done: &mut Vec<Completion>) {
        let Some((token, mut parts)) = self.sending.take() else { return };
        parts.retain(|part| !part.is_empty());
        while !parts.is_empty() {
            let pieces: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
            // The process ignores SIGPIPE, as every Rust program does: a peer that is gone is an error.
            match (&self.stream).write_vectored(&pieces) {
                Ok(count) => skip_parts(&mut parts, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.sending = Some((token, parts));
                    return;
                }
                Err(error) => return done.push(failed(token, IoError::from_std(&error))),
            }
        }
        done.push(Completion { token, outcome: Outcome::Sent, more: false });
    }

    fn receive(&mut self, piece: &mut [u8], pool: &Pool, done: &mut Vec<Completion>) {
        if !self.is_readable {
            return;
        }
        let Some(receiving) = self.receiving.take() else { return };
        let token = receiving.token();
        let (received, room, into) = match receiving {
            Receiving::Many(_) => (read(&self.stream, piece), piece.len(), None),
            Receiving::Into(_, mut buffer) => {
                let room = buffer.spare_mut();
                (read(&self.stream, room), room.len(), Some(buffer))
            }
        };
        self.is_readable =
            matches!(received, Ok(count) if count == room) || (self.is_read_out && received.is_ok());
        let outcome = match (received, into) {
            (Err(error), into) if error.kind() == io::ErrorKind::WouldBlock => {
                self.receiving =
                    Some(into.map_or(Receiving::Many(token), |buffer| Receiving::Into(token, buffer)));
                return;
            }
            (Err(error), _) => Outcome::Failed(IoError::from_std(&error)),
            (Ok(count), Some(mut buffer)) => {
                buffer.advance(count);
                Outcome::ReceivedInto(buffer)
            }
            (Ok(count), None) => {
                let more = count > 0;
                if more {
                    self.receiving = Some(Receiving::Many(token));
                }
                done.push(Completion { token, outcome: Outcome::Received(pool.copy(&piece[..count])), more });
                return;
            }
        };
        done.push(Completion { token, outcome, more: false });
    }
}

/// Reads once what is there.
fn read(mut stream: &TcpStream, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            received => return received,
        }
    }
}

fn failed(token: Token, error: IoError) -> Completion {
    Completion { token, outcome: Outcome::Failed(error), more: false }
}
