//! Makes a list of faults that breaks a property shorter, for as long as what is left of it breaks the same one.

use crate::faults::Fault;
use crate::run::{Outcome, Plan};

/// Runs that shrinking may take.
const RUNS_MAX: usize = 200;

/// A plan with as few faults as was found, what comes of it, and how many runs that took.
pub fn shrink(plan: &Plan, found: &Outcome) -> (Plan, Outcome, usize) {
    let (mut best, mut outcome, mut runs) = (plan.clone(), found.clone(), 0);
    let property = |outcome: &Outcome| outcome.violation.as_ref().map(|violation| violation.property);
    let mut piece = best.faults.len();
    while piece > 0 {
        let mut from = 0;
        while from < best.faults.len() && runs < RUNS_MAX {
            let shorter = Plan { faults: without(&best.faults, from, piece), ..best.clone() };
            let tried = shorter.run();
            runs += 1;
            if property(&tried) == property(found) {
                (best, outcome) = (shorter, tried);
            } else {
                from += piece;
            }
        }
        piece /= 2;
    }
    (best, outcome, runs)
}

fn without(faults: &[Fault], from: usize, count: usize) -> Vec<Fault> {
    let to = (from + count).min(faults.len());
    [&faults[..from], &faults[to..]].concat()
}
