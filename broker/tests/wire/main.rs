//! The broker on the wire: real cores on the back end in memory, driven by raw frames, in virtual time.
//!
//! [`harness`] is the node and its clients, [`calls`] what they often ask. The rest is one file an area; a test is named for
//! the case or the quirk that it holds the broker to.

mod calls;
mod harness;

mod compaction;
mod durability;
mod framing;
mod idempotence;
mod produce;

mod admin;
mod topics;

mod fetch;
mod groups;
mod hanging;
mod history;
mod migration;
mod offsets;
mod retention;
mod sessions;
mod transacting;
mod transactions;

mod events;
mod hostile;
mod lazy;
mod life;
mod load;
mod model;
mod patience;
mod peers;
mod quorum;
mod waiting;

mod http;
mod sockets;
