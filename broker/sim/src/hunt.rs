//! Many runs: a range of seeds, or random ones for some time, on all cores of the machine.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::properties::Violation;
use crate::run::{Outcome, Plan};

/// What many runs came to.
#[derive(Debug, Default)]
pub struct Hunt {
    /// How many there were.
    pub runs: u64,
    /// How long they took together.
    pub took: Duration,
    /// The seeds that broke something, smallest first.
    pub broken: Vec<(u64, Outcome)>,
    /// All hashes, put together in a way that does not depend on who ran what.
    pub hash: u64,
}

/// It ends when so many seeds are broken.
const BROKEN_MAX: usize = 5;

/// Runs the plans of the seeds that `next` gives, each twice if its hashes are to be compared, until it gives no more.
pub fn hunt(
    threads: usize,
    is_twice: bool,
    plan_of: impl Fn(u64) -> Plan + Sync,
    next: impl Fn() -> Option<u64> + Sync,
) -> Hunt {
    let (begun, found) = (Instant::now(), Mutex::new(Hunt::default()));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some(seed) = next() {
                    let outcome = if is_twice { run_twice(&plan_of(seed)) } else { plan_of(seed).run() };
                    let mut found = found.lock().expect("a run that panics has an outcome");
                    found.runs += 1;
                    found.hash ^= outcome.hash.rotate_left((seed % 64) as u32);
                    if outcome.violation.is_some() {
                        found.broken.push((seed, outcome));
                    }
                    if found.broken.len() >= BROKEN_MAX {
                        break;
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("a run that panics has an outcome");
    found.took = begun.elapsed();
    found.broken.sort_by_key(|(seed, _)| *seed);
    found
}

/// A run of a plan, which is broken if another one of the same plan is not the same in everything.
pub fn run_twice(plan: &Plan) -> Outcome {
    let (mut once, again) = (plan.run(), plan.run());
    if once.hash != again.hash && once.violation.is_none() {
        let message = format!("one run has the hash {:016x}, another {:016x}", once.hash, again.hash);
        once.violation = Some(Violation { property: "same_seed_same_hash", message });
    }
    once
}

/// Gives the seeds of a range, each once.
pub fn in_order(range: std::ops::Range<u64>) -> impl Fn() -> Option<u64> + Sync {
    let next = AtomicU64::new(range.start);
    move || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < range.end)
}
