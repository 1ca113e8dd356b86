//! What both back ends do to sockets: listeners that cores share, and how a connection is made and set up.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Connections that may wait to be accepted; the kernel's own limit (net.core.somaxconn) may be lower.
const BACKLOG: i32 = 4096;

/// Sets a new connection up; who is at its other end. Fails if its peer is gone already.
pub(crate) fn prepare(stream: &TcpStream) -> io::Result<SocketAddr> {
    let peer = stream.peer_addr()?;
    set_up(stream)?;
    Ok(peer)
}

fn set_up(stream: &TcpStream) -> io::Result<()> {
    // What is sent is whole when it is sent; waiting for more would only delay it.
    stream.set_nodelay(true)?;
    // A peer that vanished without a word is found out in the end.
    set_option(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)
}

/// The standard library sets no SO_REUSEPORT before bind, so the socket is made by hand. Connections that it accepts end when
/// their peer takes none of what was sent to it for `stuck_max`.
pub(crate) fn listening_socket(address: SocketAddr, stuck_max: Option<Duration>) -> io::Result<TcpListener> {
    let listener = TcpListener::from(socket_for(address)?);
    let fd = listener.as_raw_fd();
    set_option(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1)?;
    set_option(fd, libc::SOL_SOCKET, libc::SO_REUSEPORT, 1)?;
    if address.is_ipv6() {
        // "localhost" binds both families on their own; a dual-stack socket would collide with the other one.
        set_option(fd, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, 1)?;
    }
    // Inherited by what is accepted (tcp(7)), so that it costs a connection nothing.
    set_stuck_max(fd, stuck_max)?;
    let raw = RawAddress::of(address);
    // SAFETY: `raw` is a valid address of the length given.
    if unsafe { libc::bind(fd, raw.as_ptr(), raw.len()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: plain system call on a descriptor that we own.
    if unsafe { libc::listen(fd, BACKLOG) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(listener)
}

/// A socket that is to be connected to `address`, set up as those that are accepted.
pub(crate) fn connecting_socket(address: SocketAddr, stuck_max: Option<Duration>) -> io::Result<TcpStream> {
    let stream = TcpStream::from(socket_for(address)?);
    set_up(&stream)?;
    set_stuck_max(stream.as_raw_fd(), stuck_max)?;
    Ok(stream)
}

/// Begins to connect a socket that does not block; `true` if it is connected already.
pub(crate) fn begin_connect(stream: &TcpStream, address: SocketAddr) -> io::Result<bool> {
    let raw = RawAddress::of(address);
    // SAFETY: `raw` is a valid address of the length given.
    if unsafe { libc::connect(stream.as_raw_fd(), raw.as_ptr(), raw.len()) } == 0 {
        return Ok(true);
    }
    match io::Error::last_os_error() {
        // A signal does not end an attempt (connect(2)).
        error if matches!(error.raw_os_error(), Some(libc::EINPROGRESS | libc::EINTR)) => Ok(false),
        error => Err(error),
    }
}

fn socket_for(address: SocketAddr) -> io::Result<OwnedFd> {
    let domain = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    // SAFETY: plain system call; its result is checked before it is used.
    let fd = unsafe { libc::socket(domain, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` was just made and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn set_stuck_max(fd: RawFd, stuck_max: Option<Duration>) -> io::Result<()> {
    let Some(stuck_max) = stuck_max else { return Ok(()) };
    let ms = i32::try_from(stuck_max.as_millis()).unwrap_or(i32::MAX);
    set_option(fd, libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT, ms)
}

fn set_option(fd: RawFd, level: i32, option: i32, value: libc::c_int) -> io::Result<()> {
    // SAFETY: the option value is a valid int for the length given.
    let result = unsafe {
        libc::setsockopt(
            fd,
            level,
            option,
            (&raw const value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// An address as the kernel wants it.
pub(crate) enum RawAddress {
    V4(libc::sockaddr_in),
    V6(libc::sockaddr_in6),
}

impl RawAddress {
    pub(crate) fn of(address: SocketAddr) -> RawAddress {
        match address {
            SocketAddr::V4(v4) => RawAddress::V4(libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            }),
            SocketAddr::V6(v6) => RawAddress::V6(libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            }),
        }
    }

    /// Valid as long as this stays where it is.
    pub(crate) fn as_ptr(&self) -> *const libc::sockaddr {
        match self {
            RawAddress::V4(v4) => (&raw const *v4).cast(),
            RawAddress::V6(v6) => (&raw const *v6).cast(),
        }
    }

    pub(crate) fn len(&self) -> libc::socklen_t {
        let len = match self {
            RawAddress::V4(v4) => size_of_val(v4),
            RawAddress::V6(v6) => size_of_val(v6),
        };
        len as libc::socklen_t
    }
}
