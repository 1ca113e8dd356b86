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
    /// The attempt to connect under way, by its key in the in-flight table.
    connecting: Option<usize>,
    /// The multishot receive under way, by its key in the in-flight table.
    receiving: Option<usize>,
    /// Whether that receive is to end: it is not armed again.
    is_cancelled: bool,
    /// Set once the connection is to go.
    closing: Option<Token>,
}

/// How a close goes on.
pub(super) enum Closing {
    /// Nothing is under way: the connection is gone.
    Gone,
    /// What is under way ends by itself.
    Ends,
    /// The operation of this key has to be cancelled.
    Cancels(usize),
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
        Ok((self.insert(stream), peer))
    }

    /// A socket that is to be connected.
    pub(super) fn connect(
        &mut self,
        address: SocketAddr,
        stuck_max: Option<Duration>,
    ) -> io::Result<SocketId> {
        tcp::connecting_socket(address, stuck_max).map(|stream| self.insert(stream))
    }

    fn insert(&mut self, stream: TcpStream) -> SocketId {
        let key = self.connections.insert(Connection {
            stream,
            pending: 0,
            connecting: None,
            receiving: None,
            is_cancelled: false,
            closing: None,
        });
        SocketId(key as u32)
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

    /// Shuts a connection down.
    pub(super) fn start_close(&mut self, socket: SocketId, token: Token) -> Closing {
        let Some(connection) = self.connections.get_mut(socket.0 as usize) else { return Closing::Gone };
        connection.closing = Some(token);
        if connection.pending == 0 {
            self.connections.remove(socket.0 as usize);
            return Closing::Gone;
        }
        if let Some(key) = connection.connecting {
            // A socket that is shut while it connects begins to connect once more.
            return Closing::Cancels(key);
        }
        // What is under way ends by itself once the connection is shut; an error means that it is down already.
        let _ = connection.stream.shutdown(std::net::Shutdown::Both);
        Closing::Ends
    }

    pub(super) fn set_connecting(&mut self, socket: SocketId, key: Option<usize>) {
        self.connections[socket.0 as usize].connecting = key;
    }

    pub(super) fn descriptor(&self, socket: SocketId) -> RawFd {
        self.connections[socket.0 as usize].stream.as_raw_fd()
    }

    /// Forgets an operation that has ended: it is not under way any more.
    pub(super) fn on_whole_done(&mut self, socket: SocketId, key: usize) {
        let connection = &mut self.connections[socket.0 as usize];
        connection.connecting.take_if(|connecting| *connecting == key);
        if connection.receiving.take_if(|receiving| *receiving == key).is_some() {
            connection.is_cancelled = false;
        }
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
