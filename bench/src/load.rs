//! The load: each core drives its share of the connections with one ring, and counts what comes back.
//!
//! ```text
//! schedule ─► producer ─► socket ─► broker ─► acknowledged ─┐
//!                                      └────► read ─────────┴─► samples, from the intended send time
//! ```
//! A partition, its producers and its tail readers are on one core, so that nothing is shared between cores. With a rate the
//! loop is open: a record's time has come whether or not those before it were answered, and latency counts from then on
//! (else a slow broker would be asked less and look better). Such a core never sleeps: waking up would be measured too.

mod arrivals;
mod consumer;
mod frames;
mod inbox;
mod producer;
mod samples;
mod worker;

pub use frames::{Batches, request_frame};
pub use samples::{CoreResult, Second};
pub use worker::{Event, Plan, Share, Worker, plan};
