//! The metadata quorum: one log that all voters agree on, as a state machine that its host drives.
//!
//! ```text
//! tick, message, proposal ─► Quorum ─► messages to peers, committed batches, roles, reads
//!                              │
//!                              └─► files: the log, checkpoints, who was voted for
//! ```
//! [`Quorum`] is the type to hold. The crate `raft` decides; the log, the snapshots, the messages and what is durable when are
//! ours. An entry of Raft's is a record batch of Kafka's, its term the batch's leader epoch, so that the files are those of
//! a KRaft metadata log (KIP-595, KIP-630, KIP-853) and Kafka's tools read them.
//!
//! Nothing here reads a clock, draws a random number or opens a socket: whoever holds a quorum gives it ticks, a seed, a disk
//! and what came from its peers.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod config;
mod members;
mod output;

mod quorum;

mod anchor;
mod batch;
mod checkpoint;
mod error;
mod log_file;
mod store;
mod vote_file;

mod admission;
mod message;
mod transfer;

pub mod mutation;

pub use config::{Config, Founding, HEARTBEAT_TICKS, Measures, TICK_MS};
pub use error::{MessageRefusal, OpenError, Refusal};
pub use members::{Endpoint, Members, NodeId, Voter};
pub use output::{Committed, Output, Proposal, ReadId, Restored, Role};
pub use quorum::{Progress, Quorum, Standing};

/// The log's directory within the data directory.
pub const DIR: &str = "__cluster_metadata-0";
