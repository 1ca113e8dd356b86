//! One epoll instance: what is registered with it, and who an event is about.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use crate::io::{ListenerId, SocketId};

/// Events taken in one turn; the kernel keeps the rest for the next.
const EVENTS_MAX: usize = 1024;

/// Kinds of sources, in the upper half of an event's mark.
const BELL: u64 = 0;
const LISTENER: u64 = 1 << 32;
const SOCKET: u64 = 2 << 32;

/// Who an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Bell,
    Listener(ListenerId),
    Socket(SocketId),
}

/// What an event says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Events(u32);

impl Events {
    /// Bytes, an end or an error may be received.
    pub(super) fn is_readable(self) -> bool {
        self.0 & (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0
    }

    /// More may follow a short receive without another event: the peer sends no more, the connection failed, or there are
    /// urgent bytes, which every receive stops at.
    pub(super) fn is_to_be_read_out(self) -> bool {
        self.0 & (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR | libc::EPOLLPRI) as u32 != 0
    }

    /// There is room to send again, or a send would fail.
    pub(super) fn is_writable(self) -> bool {
        self.0 & (libc::EPOLLOUT | libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0
    }
}

pub(super) struct Epoll {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
    /// Whether the kernel has waits of nanoseconds (epoll_pwait2, Linux 5.11), as far as is known.
    has_fine_waits: bool,
}

impl Epoll {
    pub(super) fn new() -> io::Result<Epoll> {
        // SAFETY: plain system call; its result is checked before it is used.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `fd` was just made and has no other owner.
        let epoll = unsafe { OwnedFd::from_raw_fd(fd) };
        let events = vec![libc::epoll_event { events: 0, u64: 0 }; EVENTS_MAX];
        Ok(Epoll { epoll, events, has_fine_waits: true })
    }

    pub(super) fn add_bell(&self, fd: RawFd) -> io::Result<()> {
        self.add(fd, BELL, libc::EPOLLIN)
    }

    pub(super) fn add_listener(&self, fd: RawFd, listener: ListenerId) -> io::Result<()> {
        self.add(fd, LISTENER | u64::from(listener.0), libc::EPOLLIN | libc::EPOLLET)
    }

    /// Registered until the socket is closed.
    pub(super) fn add_socket(&self, fd: RawFd, socket: SocketId) -> io::Result<()> {
        let interest = libc::EPOLLIN | libc::EPOLLPRI | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        self.add(fd, SOCKET | u64::from(socket.0), interest)
    }

    fn add(&self, fd: RawFd, mark: u64, interest: i32) -> io::Result<()> {
        let mut event = libc::epoll_event { events: interest as u32, u64: mark };
        // SAFETY: both descriptors are open, and the event is a local that the kernel only reads.
        let result =
            unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Waits for events, for `timeout` at most; for ever without one.
    pub(super) fn wait(
        &mut self,
        timeout: Option<Duration>,
    ) -> impl Iterator<Item = (Source, Events)> + use<'_> {
        let count = match self.try_wait(timeout) {
            Ok(count) => count,
            // A signal: the caller comes again.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(error) => panic!("epoll_wait failed: {error}"),
        };
        self.events[..count].iter().map(|event| (source_of(event.u64), Events(event.events)))
    }

    fn try_wait(&mut self, timeout: Option<Duration>) -> io::Result<usize> {
        if let (true, Some(timeout)) = (self.has_fine_waits, timeout)
            && !timeout.is_zero()
        {
            match self.wait_fine(timeout) {
                Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => {
                    self.has_fine_waits = false;
                }
                waited => return waited,
            }
        }
        // Rounded up: a wait that ends early would be begun again and again.
        let millis = timeout
            .map_or(-1, |timeout| i32::try_from(timeout.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX));
        // SAFETY: the kernel writes at most as many events as the vector holds.
        let count = unsafe {
            libc::epoll_wait(self.epoll.as_raw_fd(), self.events.as_mut_ptr(), EVENTS_MAX as i32, millis)
        };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    fn wait_fine(&mut self, timeout: Duration) -> io::Result<usize> {
        let timeout = libc::timespec {
            tv_sec: libc::time_t::try_from(timeout.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        };
        // SAFETY: the kernel writes at most as many events as the vector holds, and only reads the time; no signal mask
        // is given. Called by number, for not every C library has a name for it.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                self.events.as_mut_ptr(),
                EVENTS_MAX,
                &raw const timeout,
                std::ptr::null::<libc::sigset_t>(),
                0_usize,
            )
        };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }
}

fn source_of(mark: u64) -> Source {
    let id = mark as u32;
    match mark & !u64::from(u32::MAX) {
        BELL => Source::Bell,
        LISTENER => Source::Listener(ListenerId(id)),
        SOCKET => Source::Socket(SocketId(id)),
        _ => unreachable!("only these marks were given to the kernel"),
    }
}
