//! Deliberate faults in the production code are found, each within so many seeds. Runs with the feature `mutations` only:
//! `cargo test --profile sim -p ringlog-sim --features mutations --test teeth`.
#![cfg(feature = "mutations")]

use std::sync::Mutex;

use sim::run::Plan;
use sim::shrink::shrink;
use storage::mutation::{self, Mutation};

/// A fault that is not found in so many runs would not be found.
const SEEDS_MAX: u64 = 20;

/// Deliberate faults of the quorum, and within how many seeds each is found. The others show when a vote, a checkpoint or the end of a
/// file is lost at one moment, which the quorum's own test of clusters brings about.
const QUORUM: &[(quorum::mutation::Mutation, u64)] =
    &[(quorum::mutation::Mutation::CommitAlone, 20), (quorum::mutation::Mutation::AppendUnsynced, 20)];

/// Which properties tell of a fault.
fn properties_of(mutation: Mutation) -> &'static [&'static str] {
    match mutation {
        Mutation::AckBeforeDurable => &["acked_not_lost", "order_kept", "high_watermark_monotone"],
        // Coordinators act on what their logs show.
        Mutation::ShowBeforeDurable => {
            &["high_watermark_monotone", "commit_not_lost", "read_committed", "group_single_owner"]
        }
        Mutation::ForgetSegmentSync | Mutation::ForgetJournalTail => &[
            "acked_not_lost",
            "order_kept",
            "commit_not_lost",
            "high_watermark_monotone",
            "no_assertion_fails",
            "read_committed",
            "recovers_when_faults_stop",
        ],
        Mutation::SkipProducerEpoch => &["zombies_fenced"],
        Mutation::SkipSequence => &["no_duplicate", "order_kept"],
        Mutation::ServePastLastStable | Mutation::ForgetAborted => &["read_committed"],
        Mutation::AnswerBeforeRecords => &["commit_not_lost", "read_committed", "group_single_owner"],
        Mutation::GiveTwice => &["group_single_owner"],
        // A log with a hole in it is refused, so that the node does not come back.
        Mutation::AnnounceUnsynced => &["metadata_kept", "no_assertion_fails", "recovers_when_faults_stop"],
    }
}

#[test]
fn every_deliberate_fault_is_found() {
    let left = Mutex::new(Mutation::ALL.to_vec());
    let missed = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(mutation) = { left.lock().unwrap().pop() } {
                    match find(mutation) {
                        Some(told) => println!("{mutation:?}: {told}"),
                        None => missed.lock().unwrap().push(mutation),
                    }
                }
            });
        }
    });
    assert_eq!(*missed.lock().unwrap(), [], "not found within {SEEDS_MAX} seeds");
}

fn find(mutation: Mutation) -> Option<String> {
    mutation::set(Some(mutation));
    let found = (0..SEEDS_MAX).find_map(|seed| Some((seed, Plan::of(seed).run().violation?)));
    mutation::set(None);
    let (seed, violation) = found?;
    assert!(
        properties_of(mutation).contains(&violation.property),
        "{mutation:?}: {violation:?} of seed {seed}"
    );
    Some(format!("seed {seed}, {}: {}", violation.property, violation.message))
}

/// What is wrong with the quorum is found in clusters, by the metadata that their nodes end with.
#[test]
fn every_deliberate_fault_of_the_quorum_that_a_cluster_shows_is_found() {
    for (mutation, seeds_max) in QUORUM {
        quorum::mutation::set(Some(*mutation));
        let found = (0..*seeds_max).find_map(|seed| Some((seed, Plan::of_cluster(seed, 3).run().violation?)));
        quorum::mutation::set(None);
        let (seed, violation) = found.unwrap_or_else(|| panic!("{mutation:?} is not found"));
        println!("{mutation:?}: seed {seed}, {}: {}", violation.property, violation.message);
    }
}

#[test]
fn a_shrunk_list_of_faults_is_shorter_and_breaks_the_same() {
    mutation::set(Some(Mutation::ShowBeforeDurable));
    let broken =
        |seed| Some((Plan::of(seed), Plan::of(seed).run())).filter(|(_, run)| run.violation.is_some());
    let (plan, outcome) = (0..SEEDS_MAX).find_map(broken).expect("the fault is found");
    let (shrunk, again, _) = shrink(&plan, &outcome);
    mutation::set(None);
    assert!(shrunk.faults.len() < plan.faults.len());
    assert!(shrunk.faults.iter().all(|fault| plan.faults.contains(fault)));
    assert_eq!(again.violation.map(|it| it.property), outcome.violation.map(|it| it.property));
}
