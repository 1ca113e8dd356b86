//! The `ringlog-bench` program: its command line.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench::Fault;
use bench::brokers::Kind;
use bench::compare::{self, Contest};
use bench::outcome::{Outcome, digits};
use bench::report;
use bench::run::{self, Target};
use bench::scenario::{BUILT_IN, Scenario};
use clap::{Args, Parser, Subcommand};

/// Measures brokers that speak the Kafka protocol.
#[derive(Debug, Parser)]
#[command(name = "ringlog-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the scenarios that come with the program
    Scenarios,
    /// Runs scenarios against a broker that is there
    Run(RunArgs),
    /// Runs two brokers in turns on the same cores, and gives their ratio
    Compare(CompareArgs),
    /// Makes a page, or Markdown, of what earlier runs gave
    Report(ReportArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Names from `scenarios`, or files
    #[arg(required = true)]
    scenarios: Vec<String>,
    /// The broker
    #[arg(long, default_value = "localhost:9092", value_name = "HOST:PORT")]
    bootstrap: String,
    /// Change a setting of the scenarios; may be given more than once
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The broker's process, if it runs here: its CPU, memory and disk are counted
    #[arg(long, value_name = "PID")]
    broker_pid: Option<u32>,
    /// Cores for the load, such as 1,2; without it one, unpinned
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    load_cpus: Vec<usize>,
    /// Keep the outcomes as files in this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave the topics where they are
    #[arg(long)]
    keep_topic: bool,
}

#[derive(Debug, Args)]
struct CompareArgs {
    /// Names from `scenarios`, or files
    #[arg(required = true)]
    scenarios: Vec<String>,
    /// One side: ringlog:PROGRAM, kafka:DIRECTORY-OF-JARS or HOST:PORT
    #[arg(long, value_name = "BROKER")]
    a: Kind,
    /// The other side
    #[arg(long, value_name = "BROKER")]
    b: Kind,
    /// A broker setting of side A; may be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    a_set: Vec<String>,
    /// A broker setting of side B; may be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    b_set: Vec<String>,
    /// Change a setting of the scenarios; may be given more than once
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// How often each side runs
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Cores for the brokers, such as 0 or 0-3
    #[arg(long, default_value = "0", value_name = "LIST")]
    broker_cpus: String,
    /// Cores for the load
    #[arg(long, default_value = "1", value_delimiter = ',', value_name = "LIST")]
    load_cpus: Vec<usize>,
    /// Memory to touch before anything is measured
    #[arg(long, default_value_t = 4096, value_name = "MIB")]
    touch_mib: usize,
    /// Where brokers keep their data while they run: on the disk that is to be measured
    #[arg(long, default_value = "ringlog-bench-work", value_name = "DIR")]
    work: PathBuf,
    /// Where the outcomes go
    #[arg(long, default_value = "ringlog-bench-out", value_name = "DIR")]
    out: PathBuf,
    /// The Java that runs Kafka
    #[arg(long, default_value = "java", env = "JAVA", value_name = "PROGRAM")]
    java: String,
    /// Its heap
    #[arg(long, default_value = "1g", value_name = "SIZE")]
    heap: String,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// A directory with outcomes
    out: PathBuf,
    /// Write the page here
    #[arg(long, default_value = "ringlog-bench.html", value_name = "FILE")]
    html: PathBuf,
    /// Print Markdown instead
    #[arg(long)]
    markdown: bool,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Scenarios => list(),
        Command::Run(args) => run(&args),
        Command::Compare(args) => compare(&args),
        Command::Report(args) => make_report(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("ringlog-bench: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn list() -> Result<(), Fault> {
    for (name, _) in BUILT_IN {
        println!("{name:<24} {}", Scenario::find(name)?.about);
    }
    Ok(())
}

fn find(names: &[String], settings: &[String]) -> Result<Vec<Scenario>, Fault> {
    let one = |name: &String| {
        let mut scenario = Scenario::find(name)?;
        for setting in settings {
            let set = setting.split_once('=').ok_or_else(|| "not KEY=VALUE".to_owned());
            set.and_then(|(key, value)| scenario.set(key, value)).map_err(|why| Fault::of(setting, why))?;
        }
        scenario.check().map_err(|why| Fault::of(name, why))?;
        Ok(scenario)
    };
    names.iter().map(one).collect()
}

fn run(args: &RunArgs) -> Result<(), Fault> {
    let target = Target {
        label: args.bootstrap.clone(),
        address: args.bootstrap.clone(),
        pid: args.broker_pid,
        cpus: args.load_cpus.clone(),
        keeps_topic: args.keep_topic,
    };
    for scenario in find(&args.scenarios, &args.settings)? {
        let outcome = run::run(&scenario, &target)?;
        print(&outcome);
        if let Some(out) = &args.out {
            save(&outcome, out)?;
        }
    }
    Ok(())
}

fn save(outcome: &Outcome, out: &Path) -> Result<(), Fault> {
    std::fs::create_dir_all(out).map_err(|error| Fault::of(out.display(), error))?;
    let name = format!("{}-{}-{}.json", outcome.scenario, outcome.broker, outcome.unix_seconds);
    outcome.save(&out.join(name.replace([':', '/'], "_")))
}

fn print(outcome: &Outcome) {
    println!("{}: {} s on {}", outcome.scenario, digits(outcome.seconds), outcome.broker);
    for metric in outcome.metrics() {
        println!("  {:<20} {:>12} {}", metric.name, digits(metric.value), metric.unit);
    }
    for remark in outcome.remarks() {
        println!("  {remark}");
    }
}

fn compare(args: &CompareArgs) -> Result<(), Fault> {
    if args.rounds == 0 {
        return Err(Fault("--rounds must be 1 or more".into()));
    }
    let contest = Contest {
        sides: [(args.a.clone(), args.a_set.clone()), (args.b.clone(), args.b_set.clone())],
        scenarios: find(&args.scenarios, &args.settings)?,
        rounds: args.rounds,
        broker_cpus: args.broker_cpus.clone(),
        load_cpus: args.load_cpus.clone(),
        touch_mib: args.touch_mib,
        work: args.work.clone(),
        out: args.out.clone(),
        java: args.java.clone(),
        heap: args.heap.clone(),
    };
    let outcomes = compare::compare(&contest, |line| println!("{line}"))?;
    println!("\n{}", report::markdown(&outcomes));
    Ok(())
}

fn make_report(args: &ReportArgs) -> Result<(), Fault> {
    let outcomes = compare::load_all(&args.out)?;
    if args.markdown {
        print!("{}", report::markdown(&outcomes));
        return Ok(());
    }
    std::fs::write(&args.html, report::html(&outcomes))
        .map_err(|error| Fault::of(args.html.display(), error))?;
    println!("{}", args.html.display());
    Ok(())
}
