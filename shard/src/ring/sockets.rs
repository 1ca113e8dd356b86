//! The sockets of one ring: listeners, and connections with a count of what is under way on each.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use slab::Slab;

use crate::io::{ListenerId, SocketId, Token};

/// Connections that may wait to be accepted; the kernel's own limit (net.core.somaxconn) may be lower.
const BACKLOG: i32 = 4096;

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
    pub(super) fn listen(&mut self, address: SocketAddr) -> io::Result<(ListenerId, SocketAddr)> {
        let listener = listening_socket(address)?;
        let bound = listener.local_addr()?;
        self.listeners.push(listener);
        Ok((ListenerId(self.listeners.len() as u32 - 1), bound))
    }

    pub(super) fn listener(&self, id: ListenerId) -> RawFd {
        self.listeners[id.0 as usize].as_raw_fd()
    }

    /// Takes over a connection; fails if its peer is gone already.
    pub(super) fn adopt(&mut self, stream: TcpStream) -> io::Result<(SocketId, SocketAddr)> {
        let peer = stream.peer_addr()?;
        // Replies are whole when they are sent; waiting for more would only delay them.
        stream.set_nodelay(true)?;
        // A peer that vanished without a word is found out in the end.
        set_option(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_KEEPALIVE)?;
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

/// The standard library sets no SO_REUSEPORT before bind, so the socket is made by hand.
fn listening_socket(address: SocketAddr) -> io::Result<TcpListener> {
    let domain = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    // SAFETY: plain system call; its result is checked before it is used.
    let fd = unsafe { libc::socket(domain, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` was just made and has no other owner.
    let listener = TcpListener::from(unsafe { OwnedFd::from_raw_fd(fd) });
    set_option(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR)?;
    set_option(fd, libc::SOL_SOCKET, libc::SO_REUSEPORT)?;
    if address.is_ipv6() {
        // "localhost" binds both families on their own; a dual-stack socket would collide with the other one.
        set_option(fd, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY)?;
    }
    bind(fd, address)?;
    // SAFETY: plain system call on a descriptor that we own.
    if unsafe { libc::listen(fd, BACKLOG) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(listener)
}

/// The connection that the kernel has just accepted.
pub(super) fn stream_of(fd: RawFd) -> TcpStream {
    // SAFETY: the kernel has just made this descriptor for us (accept); nobody else owns it.
    TcpStream::from(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn set_option(fd: RawFd, level: i32, option: i32) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the option value is a valid int for the length given.
    let result = unsafe {
        libc::setsockopt(
            fd,
            level,
            option,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn bind(fd: RawFd, address: SocketAddr) -> io::Result<()> {
    let result = match address {
        SocketAddr::V4(v4) => {
            let raw = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            };
            // SAFETY: `raw` is a valid IPv4 address of the length given.
            unsafe { libc::bind(fd, (&raw const raw).cast(), size_of_val(&raw) as libc::socklen_t) }
        }
        SocketAddr::V6(v6) => {
            let raw = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            // SAFETY: `raw` is a valid IPv6 address of the length given.
            unsafe { libc::bind(fd, (&raw const raw).cast(), size_of_val(&raw) as libc::socklen_t) }
        }
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
