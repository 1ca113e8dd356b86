//! Measures brokers that speak the Kafka protocol: an open-loop load generator, and what it takes to compare two of them fairly.
//!
//! Reading order: [`scenario`] is what is done; [`load`] does it, one ring a core; [`run`] is one measured run, [`outcome`]
//! what it gives; [`compare`] runs two brokers in turns; [`report`] draws.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod scenario;

pub mod load;
pub mod process;
pub mod setup;

pub mod outcome;
pub mod run;

pub mod brokers;
pub mod compare;
pub mod report;

/// Why a command came to no end: in words, for whoever typed it.
#[derive(Debug)]
pub struct Fault(pub String);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// `what` went wrong because of `why`.
    pub fn of(what: impl std::fmt::Display, why: impl std::fmt::Display) -> Fault {
        Fault(format!("{what}: {why}"))
    }
}
