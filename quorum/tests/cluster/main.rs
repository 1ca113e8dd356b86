//! Whole quorums in one thread, from a seed: every message may be lost, late, doubled or overtaken, every node killed, paused or
//! without power at any moment, and what holds of a quorum has to hold.
//!
//! `world` is the nodes and what is between them, `faults` what goes wrong, `ledger` what must hold. With the feature
//! `mutations`, `teeth` shows that deliberate faults are found:
//! `cargo test -p ringlog-quorum --features mutations --test cluster`.

mod faults;
mod ledger;
mod world;

mod cases;
mod runs;
#[cfg(feature = "mutations")]
mod teeth;
