//! One CPU core: its turn loop, its I/O, its buffers, its timers and its mail to other cores. Knows no Kafka.
//!
//! Reading order: [`turn`] is the loop, [`io`] the seam it drives; behind the seam are [`native`], which is [`ring`] or [`poll`],
//! and [`memory`]. Everything above this crate says what it wants as [`io::Op`] values and never makes a system call.

#![warn(missing_docs)]

pub mod allocator;
pub mod boot;
pub mod buffer;
pub mod clock;
pub mod disk;
pub mod histogram;
pub mod host;
pub mod io;
pub mod mail;
pub mod memory;
pub mod native;
pub mod poll;
pub mod preview;
pub mod random;
pub mod ring;
pub mod timer;
pub mod turn;

pub use buffer::{AlignedBuf, Buf, BufMut, Pool};
pub use clock::{Nanos, WallMs};
pub use disk::{Disk, DurableWrites, FileId, OpenMode};
pub use histogram::Histogram;
pub use host::{HostChoices, Writes};
pub use io::{Completion, Io, IoError, ListenerId, Op, Ops, Outcome, SocketId, Token};
pub use mail::{Guest, ShardId};
pub use native::{Kind, Native};
pub use preview::{Fate, Preview};
pub use turn::{App, LoopCounts, Shard, Turn};
