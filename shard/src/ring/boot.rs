//! Setting a ring up, and saying in one line what is missing when the kernel refuses.

use std::fmt;
use std::io;

use io_uring::{IoUring, Probe, opcode};

use crate::boot::affinity;

/// Why no ring can be had.
#[derive(Debug)]
pub enum RingError {
    /// The kernel or a sandbox forbids io_uring.
    Forbidden(io::Error),
    /// The kernel is too old, or was built without io_uring.
    Missing(io::Error),
    /// The kernel lacks operations that are needed; the text names the first.
    Operation(&'static str),
    /// Buffer rings could not be registered.
    Buffers(io::Error),
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RingError::Forbidden(error) => write!(
                f,
                "io_uring is forbidden here ({error}): set the sysctl kernel.io_uring_disabled to 0, or in a container \
                 allow the system calls io_uring_setup, io_uring_enter and io_uring_register (seccomp profile)"
            ),
            RingError::Missing(error) => write!(
                f,
                "this kernel's io_uring lacks what Ringlog needs ({error}): use Linux 6.1 or newer, built with \
                 CONFIG_IO_URING"
            ),
            RingError::Operation(name) => {
                write!(f, "this kernel's io_uring lacks {name}: use Linux 6.1 or newer")
            }
            RingError::Buffers(error) => write!(
                f,
                "io_uring buffer rings cannot be registered ({error}): raise the limit of locked memory \
                 (ulimit -l, LimitMEMLOCK=) to 8 MiB or more, and use Linux 6.1 or newer"
            ),
        }
    }
}

impl std::error::Error for RingError {}

/// A ring for the calling thread with every operation that this back end uses.
pub(super) fn set_up(entries: u32) -> Result<IoUring, RingError> {
    let ring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_submit_all()
        .setup_taskrun_flag()
        .setup_cqsize(entries * 4)
        .build(entries)
        .map_err(|error| match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => RingError::Forbidden(error),
            _ => RingError::Missing(error),
        })?;
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).map_err(RingError::Missing)?;
    let needed = [
        (opcode::Accept::CODE, "accept"),
        (opcode::Connect::CODE, "connect"),
        (opcode::Recv::CODE, "receive"),
        (opcode::SendMsg::CODE, "sendmsg"),
        (opcode::Readv::CODE, "readv"),
        (opcode::Writev::CODE, "writev"),
        (opcode::Write::CODE, "write"),
        (opcode::Fsync::CODE, "fsync"),
        (opcode::PollAdd::CODE, "poll"),
        (opcode::AsyncCancel::CODE, "cancel"),
    ];
    match needed.iter().find(|(code, _)| !probe.is_supported(*code)) {
        Some((_, name)) => Err(RingError::Operation(name)),
        None => {
            keep_workers_here(&ring);
            Ok(ring)
        }
    }
}

/// Lets the kernel's threads that wait for the disk in this ring's name run where the calling thread does: a core's work
/// stays on its core, whatever else is busy. Where that is refused they run anywhere, as good but for that.
fn keep_workers_here(ring: &IoUring) {
    if let Ok(cpus) = affinity() {
        _ = ring.submitter().register_iowq_aff(&cpus);
    }
}
