//! `ringlog-sim`: replays a seed.

fn main() {
    let seed = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1);
    let mut plan = sim::run::Plan::of(seed);
    plan.keeps_trace = true;
    let begun = std::time::Instant::now();
    let outcome = plan.run();
    for line in &outcome.trace {
        println!("{line}");
    }
    println!("{:?} {:016x} in {:?}", outcome.violation, outcome.hash, begun.elapsed());
}
