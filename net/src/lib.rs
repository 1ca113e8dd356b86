//! What is said: frames on connections, requests taken in and replies sent out in order. Knows no files and no topics.
//!
//! Reading order: [`Server`] is one core's connections; `frame` cuts streams into requests; `replies` keeps the order.
//! [`peers`] are the connections that a core makes to other nodes, [`client`] the other end of a connection for programs.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
// Messages are filled with `..Default::default()` even when complete, so that a field more in a schema breaks nothing.
#![allow(clippy::needless_update)]

mod server;

pub mod client;
pub mod peers;

mod admission;
mod close;
mod connection;
mod counts;
mod frame;
mod replies;

pub use admission::Admission;
pub use close::{CloseReason, Closing};
pub use counts::NetCounts;
pub use frame::FrameError;
pub use replies::Reply;
pub use server::{ConnectionId, Event, Limits, ListenerIndex, NetTurn, ReplySlot, Server};
