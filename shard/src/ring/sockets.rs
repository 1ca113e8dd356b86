//! The sockets of one ring: listeners, and connections with a count of what is under way on each.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use slab::Slab;

use crate::io::{ListenerId, SocketId, Token};
use crate::native::tcp;

#[derive(Default)]
pub(super) struct Sockets {
    listeners: Vec<TcpListener>,
    connections: Slab<Connection>,
}

struct Connection {
    stream: TcpStream,
    /// Operations under way.
    pending: u32,
    /// The multishot receive under way, by its key in the in-flight table.
    receiving: Option<usize>,
    /// Whether that receive is to end: it is not armed again.
    is_cancelled: bool,
    /// Set once the connection is to go.
    closing: Option<Token>,
}

impl Sockets {
    pub(super) fn listen(
        &mut self,
        address: SocketAddr,
        stuck_max: Option<Duration>,
    ) -> io::Result<(ListenerId, SocketAddr)> {
        let listener = tcp::listening_socket(address, stuck_max)?;
        let bound = listener.local_addr()?;
        self.listeners.push(listener);
        Ok((ListenerId(self.listeners.len() as u32 - 1), bound))
    }

    pub(super) fn listener(&self, id: ListenerId) -> RawFd {
        self.listeners[id.0 as usize].as_raw_fd()
    }

    /// Takes over a connection; fails if its peer is gone already.
    pub(super) fn adopt(&mut self, stream: TcpStream) -> io::Result<(SocketId, SocketAddr)> {
        let peer = tcp::prepare(&stream)?;
        let key = self.connections.insert(Connection {
            stream,
            pending: 0,
            receiving: None,
            is_cancelled: false,
            closing: None,
        });
        Ok((SocketId(key as u32), peer))
    }

    /// Counts an operation on a connection as begun; `None` if the connection is closing or gone.
    pub(super) fn begin(&mut self, socket: SocketId) -> Option<RawFd> {
        let connection = self.connections.get_mut(socket.0 as usize)?;
        if connection.closing.is_some() {
            return None;
        }
        connection.pending += 1;
        Some(connection.stream.as_raw_fd())
    }

    /// Counts an operation as ended; the token of a close that can now complete.
    pub(super) fn end(&mut self, socket: SocketId) -> Option<Token> {
        let connection = &mut self.connections[socket.0 as usize];
        connection.pending -= 1;
        if connection.pending > 0 {
            return None;
        }
        let token = connection.closing?;
        self.connections.remove(socket.0 as usize);
        Some(token)
    }

    /// Shuts a connection down; `true` if nothing is under way on it, so that it is gone already.
    pub(super) fn start_close(&mut self, socket: SocketId, token: Token) -> bool {
        let Some(connection) = self.connections.get_mut(socket.0 as usize) else { return true };
        connection.closing = Some(token);
        if connection.pending == 0 {
            self.connections.remove(socket.0 as usize);
            return true;
        }
        // What is under way ends by itself once the connection is shut; an error means that it is down already.
        let _ = connection.stream.shutdown(std::net::Shutdown::Both);
        false
    }

    pub(super) fn descriptor(&self, socket: SocketId) -> RawFd {
        self.connections[socket.0 as usize].stream.as_raw_fd()
    }

    pub(super) fn receiving(&self, socket: SocketId) -> Option<usize> {
        self.connections.get(socket.0 as usize)?.receiving
    }

    pub(super) fn set_receiving(&mut self, socket: SocketId, key: Option<usize>) {
        let connection = &mut self.connections[socket.0 as usize];
        connection.receiving = key;
        connection.is_cancelled = false;
    }

    /// Marks the receive under way as to be ended; its key, if there is one.
    pub(super) fn cancel_receive(&mut self, socket: SocketId) -> Option<usize> {
        let connection = self.connections.get_mut(socket.0 as usize)?;
        connection.is_cancelled = connection.receiving.is_some();
        connection.receiving
    }

    /// Whether the receive under way is to end.
    pub(super) fn is_cancelled(&self, socket: SocketId) -> bool {
        self.connections[socket.0 as usize].is_cancelled
    }
}

/// The connection that the kernel has just accepted.
pub(super) fn stream_of(fd: RawFd) -> TcpStream {
    // SAFETY: the kernel has just made this descriptor for us (accept); nobody else owns it.
    TcpStream::from(unsafe { OwnedFd::from_raw_fd(fd) })
}
