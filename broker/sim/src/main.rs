//! `ringlog-sim`: replays a seed, runs a range of them, or hunts.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use shard::random::Random;
use sim::hunt::{Hunt, hunt, in_order};
use sim::run::{Outcome, Plan};
use sim::shrink::shrink;
#[cfg(feature = "mutations")]
use storage::mutation::Mutation;

/// Runs Ringlog in a simulated world: virtual time, faults of disks, links, clocks and processes, all from a seed.
#[derive(Parser)]
#[command(name = "ringlog-sim", version, max_term_width = 100)]
struct Asked {
    /// Replay this seed; if a property does not hold, shrink the list of faults and print it
    #[arg(long, value_name = "N", conflicts_with_all = ["seeds", "swarm"])]
    seed: Option<u64>,
    /// Run the seeds from A on, B not included
    #[arg(long, value_name = "A..B", value_parser = range_of, conflicts_with = "swarm")]
    seeds: Option<std::ops::Range<u64>>,
    /// Hunt with random seeds for so many minutes
    #[arg(long, value_name = "MINUTES")]
    swarm: Option<u64>,
    /// Print all that happens: virtual time in seconds, who (node/shard, client, fault), what
    #[arg(long, requires = "seed")]
    trace: bool,
    /// Let only these of the seed's faults happen, by their numbers in its list
    #[arg(long, value_name = "I,J,…", requires = "seed", value_delimiter = ',')]
    only: Option<Vec<usize>>,
    /// Run each seed twice, and compare the hashes of its traces
    #[arg(long, requires = "seeds")]
    twice: bool,
    /// Make this fault in the production code, one of those in storage/src/mutation.rs
    #[cfg(feature = "mutations")]
    #[arg(long, requires = "seed", value_parser = mutation_of)]
    mutation: Option<Mutation>,
    /// Run clusters of so many nodes, which agree on the metadata, instead of a node alone
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=7))]
    nodes: u8,
    /// Threads for many seeds; as many as there are CPUs if not given
    #[arg(long, value_name = "COUNT")]
    threads: Option<usize>,
}

fn main() -> ExitCode {
    // What fails is told with its seed; where, the backtrace of a replay tells.
    let asked = Asked::parse();
    #[cfg(feature = "mutations")]
    storage::mutation::set(asked.mutation);
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = asked.threads.unwrap_or(cpus);
    let nodes = usize::from(asked.nodes);
    let plan_of = |seed| if nodes > 1 { Plan::of_cluster(seed, nodes) } else { Plan::of(seed) };
    match (asked.seed, asked.seeds, asked.swarm) {
        (Some(seed), ..) => replay(plan_of(seed), asked.trace, asked.only.as_deref()),
        (_, Some(range), _) => tell_hunt(&hunt(threads, asked.twice, plan_of, in_order(range))),
        (_, _, Some(minutes)) => {
            let until = Instant::now() + Duration::from_secs(minutes * 60);
            let seeds = Random::from_seed(shard::boot::random_seed());
            let seeds = std::sync::Mutex::new(seeds);
            let next = || {
                let mut seeds = seeds.lock().ok()?;
                (Instant::now() < until).then(|| seeds.next_u64() >> 20)
            };
            tell_hunt(&hunt(threads, false, plan_of, next))
        }
        _ => {
            eprintln!("ringlog-sim: say what to run: --seed N, --seeds A..B or --swarm MINUTES");
            ExitCode::from(2)
        }
    }
}

#[cfg(feature = "mutations")]
fn mutation_of(text: &str) -> Result<Mutation, String> {
    let known = Mutation::ALL.map(|mutation| (mutation, format!("{mutation:?}")));
    let found = known.iter().find(|(_, name)| name == text).map(|(mutation, _)| *mutation);
    found.ok_or_else(|| format!("there are {}", known.map(|(_, name)| name).join(", ")))
}

fn range_of(text: &str) -> Result<std::ops::Range<u64>, String> {
    let (from, to) = text.split_once("..").ok_or("a range is written A..B, as in 0..1000")?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("'{text}': {error}"));
    Ok(number(from)?..number(to)?)
}

fn replay(plan: Plan, prints_trace: bool, only: Option<&[usize]>) -> ExitCode {
    let mut plan = Plan { keeps_trace: prints_trace, ..plan };
    let all = std::mem::take(&mut plan.faults).into_iter().enumerate();
    let (numbers, faults): (Vec<_>, Vec<_>) =
        all.filter(|(number, _)| only.is_none_or(|only| only.contains(number))).unzip();
    plan.faults = faults;
    let shards: Vec<String> = plan.shards.iter().map(u16::to_string).collect();
    println!("seed {}: {} shards, {} faults", plan.seed, shards.join(" and "), plan.faults.len());
    for (number, fault) in numbers.iter().zip(&plan.faults) {
        println!("  {number:>2}  {fault}");
    }
    let outcome = plan.run();
    outcome.trace.iter().for_each(|line| println!("{line}"));
    println!("hash {:016x}", outcome.hash);
    let Some(violation) = &outcome.violation else {
        println!("all properties hold");
        return ExitCode::SUCCESS;
    };
    println!("{} does not hold: {}", violation.property, violation.message);
    if only.is_none() {
        tell_shrunk(&Plan { keeps_trace: false, ..plan }, &outcome);
    }
    ExitCode::FAILURE
}

fn tell_shrunk(plan: &Plan, outcome: &Outcome) {
    let (shrunk, outcome, runs) = shrink(plan, outcome);
    let violation = outcome.violation.as_ref().map_or("", |violation| &violation.message);
    let numbers = plan.faults.iter().enumerate().filter(|(_, fault)| shrunk.faults.contains(fault));
    let (numbers, faults): (Vec<String>, Vec<_>) =
        numbers.map(|(number, fault)| (number.to_string(), fault)).unzip();
    println!("after {runs} more runs, {} of {} faults are left:", faults.len(), plan.faults.len());
    faults.iter().for_each(|fault| println!("      {fault}"));
    println!("  {violation}");
    if !numbers.is_empty() {
        let nodes =
            if plan.shards.len() > 1 { format!(" --nodes {}", plan.shards.len()) } else { String::new() };
        println!("replay it: ringlog-sim --seed {}{nodes} --trace --only {}", plan.seed, numbers.join(","));
    }
}

fn tell_hunt(found: &Hunt) -> ExitCode {
    let seconds = found.took.as_secs_f64();
    for (seed, outcome) in &found.broken {
        let Some(violation) = &outcome.violation else { continue };
        println!("seed {seed}: {} does not hold: {}", violation.property, violation.message);
    }
    println!(
        "{} seeds in {seconds:.1} s, {:.1} a second, {} broken, hash of all {:016x}",
        found.runs,
        found.runs as f64 / seconds,
        found.broken.len(),
        found.hash
    );
    if found.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
