//! What both back ends do to sockets: listeners that cores share, and how a connection is set up.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Connections that may wait to be accepted; the kernel's own limit (net.core.somaxconn) may be lower.
const BACKLOG: i32 = 4096;

/// Sets a new connection up; who is at its other end. Fails if its peer is gone already.
pub(crate) fn prepare(stream: &TcpStream) -> io::Result<SocketAddr> {
    let peer = stream.peer_addr()?;
    // Replies are whole when they are sent; waiting for more would only delay them.
    stream.set_nodelay(true)?;
    // A peer that vanished without a word is found out in the end.
    set_option(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
    Ok(peer)
}

/// The standard library sets no SO_REUSEPORT before bind, so the socket is made by hand. Connections that it accepts end when
/// their peer takes none of what was sent to it for `stuck_max`.
pub(crate) fn listening_socket(address: SocketAddr, stuck_max: Option<Duration>) -> io::Result<TcpListener> {
    let domain = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    // SAFETY: plain system call; its result is checked before it is used.
    let fd = unsafe { libc::socket(domain, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` was just made and has no other owner.
    let listener = TcpListener::from(unsafe { OwnedFd::from_raw_fd(fd) });
    set_option(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1)?;
    set_option(fd, libc::SOL_SOCKET, libc::SO_REUSEPORT, 1)?;
    if address.is_ipv6() {
        // "localhost" binds both families on their own; a dual-stack socket would collide with the other one.
        set_option(fd, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, 1)?;
    }
    if let Some(stuck_max) = stuck_max {
        // Inherited by what is accepted (tcp(7)), so that it costs a connection nothing.
        let ms = i32::try_from(stuck_max.as_millis()).unwrap_or(i32::MAX);
        set_option(fd, libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT, ms)?;
    }
    bind(fd, address)?;
    // SAFETY: plain system call on a descriptor that we own.
    if unsafe { libc::listen(fd, BACKLOG) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(listener)
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
