//! The same seed gives the same run, to the last letter between cores; and nothing that must hold is broken. `./check` does
//! this with 200 seeds in an optimized build; these few are for every `cargo test`.

use sim::hunt::{hunt, in_order};
use sim::run::Plan;

/// A run takes seconds in a build without optimization.
const SEEDS: std::ops::Range<u64> = 1_000..1_005;

#[test]
fn the_same_seed_gives_the_same_run_in_which_everything_holds() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let found = hunt(threads, true, Plan::of, in_order(SEEDS));
    let broken: Vec<_> = found.broken.iter().map(|(seed, outcome)| (seed, &outcome.violation)).collect();
    assert!(broken.is_empty(), "{broken:?}");
    assert_eq!(found.runs, SEEDS.end - SEEDS.start);
}

#[test]
fn a_cluster_goes_the_same_way_twice_and_agrees() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let found = hunt(threads, true, |seed| Plan::of_cluster(seed, 3), in_order(SEEDS));
    let broken: Vec<_> = found.broken.iter().map(|(seed, outcome)| (seed, &outcome.violation)).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn another_seed_gives_another_run() {
    let without_faults = |seed| Plan { faults: Vec::new(), ..Plan::of(seed) };
    assert_ne!(without_faults(1).run().hash, without_faults(2).run().hash);
}
