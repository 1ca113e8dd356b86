//! Deliberate faults are found, each within so many seeds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use quorum::mutation::{self, Mutation};

use crate::faults::Plan;

const SEEDS_MAX: u64 = 300;

#[test]
fn every_deliberate_fault_is_found() {
    for fault in Mutation::ALL {
        mutation::set(Some(fault));
        let found =
            (0..SEEDS_MAX).find(|&seed| catch_unwind(AssertUnwindSafe(|| Plan::of(seed).run(seed))).is_err());
        mutation::set(None);
        match found {
            Some(seed) => println!("{fault:?} is found by seed {seed}"),
            None => panic!("{fault:?} is not found within {SEEDS_MAX} seeds"),
        }
    }
}
