//! What suits one machine better one way than another. `ringlog-tune` measures it; whoever boots cores says it.

use std::time::Duration;

use crate::native::Kind;

/// How the cores of one process use their machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostChoices {
    /// What I/O is done with.
    pub kind: Kind,
    /// How buffered writes are made.
    pub writes: Writes,
    /// From this many bytes on, a read of what the page cache has is lent rather than copied: looking whether all pages
    /// are there costs more than copying less.
    pub lent_bytes_min: usize,
    /// How long a core looks for work before it sleeps. Nobody has to be woken for what comes meanwhile; the core is busy
    /// all that time.
    pub spin: Duration,
}

/// How buffered writes are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// By what is known of the file system: on XFS through the ring, elsewhere inline.
    ByFileSystem,
    /// At once, in the core's own turn.
    Inline,
    /// Through the ring. Of no effect on epoll, which has none.
    Ring,
}

impl HostChoices {
    /// What is right on most machines.
    pub fn of(kind: Kind) -> HostChoices {
        HostChoices { kind, writes: Writes::ByFileSystem, lent_bytes_min: 32 << 10, spin: Duration::ZERO }
    }
}
