//! The broker: what requests mean. Knows no file descriptors and no system calls.
//!
//! Reading order: [`start`] brings a process up; [`broker`] is one core of it; [`api`] holds one file a request;
//! [`partition`] is where records go; [`metadata`] is what the cluster is.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
// Messages are filled with `..Default::default()` even when complete, so that a field more in a schema breaks no handler.
#![allow(clippy::needless_update)]

pub mod start;

pub mod broker;

pub mod request;

pub mod api;

mod answer;
mod closing_log;
pub mod control;
mod data_dir;
mod fetch_session;
mod internal_topics;
mod mail;
pub mod node;
mod own_requests;
mod pending;
pub mod report;
mod resource;
mod topic_name;
pub mod transactions;

pub mod metadata;
mod partition;
pub use partition::replay_journals;

pub mod groups;
pub mod homes;

#[allow(missing_docs)]
pub mod cli;
#[allow(missing_docs)]
pub mod config;

#[allow(missing_docs)]
pub mod log_tools;

pub use mail::{Mail, PartitionId, PendingId, Turn};
