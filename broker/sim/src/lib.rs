//! The deterministic simulator: whole nodes, their clients and their faults on one thread, in virtual time, from one seed.
//!
//! Reading order: [`run`] is what a run goes through, [`sim`] its loop, [`node`] a node in it; [`clients`] are the workloads,
//! [`faults`] what goes wrong, [`event`] the words for what happens, and [`properties`] what must hold.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
// Messages are filled with `..Default::default()` even when complete, so that a field more in a schema breaks no client.
#![allow(clippy::needless_update)]

pub mod hunt;
pub mod run;
pub mod shrink;

pub mod sim;

pub mod node;
pub mod node_log;

#[allow(missing_docs)]
pub mod calls;
pub mod client;
pub mod wire;

pub mod clients;
pub mod topics;

#[allow(missing_docs)]
pub mod faults;

#[allow(missing_docs)]
pub mod event;
pub mod picture;
pub mod properties;
pub mod trace;
