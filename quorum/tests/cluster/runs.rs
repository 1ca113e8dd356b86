//! Many seeds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::faults::Plan;

/// Runs these seeds; a failed one is named.
fn run_all(seeds: std::ops::Range<u64>) -> (u64, u64) {
    let (mut acknowledged, mut reads) = (0, 0);
    for seed in seeds {
        let run = catch_unwind(AssertUnwindSafe(|| Plan::of(seed).run(seed)));
        let Ok(cluster) = run else { panic!("seed {seed} fails, as told above") };
        acknowledged += cluster.acknowledged;
        reads += cluster.reads_answered;
    }
    (acknowledged, reads)
}

#[test]
fn what_was_committed_holds_whatever_goes_wrong() {
    let (acknowledged, reads) = run_all(0..300);
    assert!(acknowledged > 10_000, "only {acknowledged} changes were acknowledged: the faults leave no room");
    assert!(reads > 1_000, "only {reads} reads were answered");
}

/// More of the same, for a long run: `QUORUM_SEEDS=100000 cargo test -p ringlog-quorum --test cluster long`.
#[test]
fn a_long_run_holds_too_if_one_is_asked_for() {
    let count = std::env::var("QUORUM_SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    run_all(1_000..1_000 + count);
}

#[test]
fn a_seed_gives_the_same_run_every_time() {
    for seed in 0..6 {
        let run = || {
            let cluster = Plan::of(seed).run(seed);
            (cluster.acknowledged, cluster.reads_answered, cluster.ledger.end(), cluster.tick)
        };
        assert_eq!(run(), run(), "seed {seed}");
    }
}
