//! The `ringlog-tune` program: its command line.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bench::process::machine;
use clap::Parser;
use tuning::apply::{self, Outcome};
use tuning::host::Host;
use tuning::measure::{self, Measured, Plan};
use tuning::report::{self, Report};
use tuning::{Fault, checks, settings};

/// Looks at this machine as a broker would use it, and says in figures what holds it back and what to change.
#[derive(Debug, Parser)]
#[command(name = "ringlog-tune", version)]
struct Cli {
    /// Where the broker's data will lie: this disk is measured
    #[arg(long, default_value = "./ringlog-data", value_name = "DIR")]
    data_dir: PathBuf,
    /// How long each measurement takes, in seconds
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = seconds)]
    each: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write the settings that suit this machine to a file for `ringlog start --config`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Make the changes, and measure again; they last until the machine starts again
    #[arg(long, conflicts_with = "undo")]
    apply: bool,
    /// Take back what --apply changed
    #[arg(long)]
    undo: bool,
    /// Only say what --apply or --undo would do
    #[arg(long)]
    dry_run: bool,
    /// Where --apply keeps what was there before
    #[arg(long, default_value = "/var/lib/ringlog/tune-undo.json", value_name = "FILE")]
    undo_file: PathBuf,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.05..=60.0).contains(&seconds) => Ok(seconds),
        _ => Err("0.05 to 60 seconds".to_owned()),
    }
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(code) => code,
        Err(fault) => {
            eprintln!("ringlog-tune: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Fault> {
    let host = Host::here();
    if cli.dry_run && !cli.apply && !cli.undo {
        return Err(Fault("--dry-run says what --apply or --undo would do: give one of them too".to_owned()));
    }
    if cli.undo {
        return Ok(tell(&apply::undo(&host, &cli.undo_file, cli.dry_run)?));
    }
    let dir = existing(&cli.data_dir)?;
    let plan = Plan { dir: dir.clone(), each: Duration::from_secs_f64(cli.each) };
    let measured = measure_all(&plan)?;
    let findings = checks::check(&host, &dir, &measured);
    let settings = settings::settings(&measured);
    let report = Report { machine: machine(), measured, findings, settings };
    if cli.json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| Fault::of("the report", error))?;
        println!("{text}");
    } else {
        print!("{}", report::text(&report));
    }
    if let Some(file) = &cli.save {
        let text = settings::properties(&report.machine, &report.settings);
        std::fs::write(file, text).map_err(|error| Fault::of(file.display(), error))?;
        eprintln!("settings are in {}: ringlog start --config {}", file.display(), file.display());
    }
    if !cli.apply {
        return Ok(ExitCode::SUCCESS);
    }
    let steps = apply::steps(&report.findings);
    let outcome = apply::apply(&host, &steps, &cli.undo_file, cli.dry_run)?;
    let code = tell(&outcome);
    if !cli.dry_run && !outcome.done.is_empty() {
        let again = measure_all(&plan)?;
        eprintln!("\nafter the changes:\n{}", report::comparison(&report.measured, &again));
        eprintln!("They last until the machine starts again. ringlog-tune --undo takes them back.");
    }
    Ok(code)
}

fn measure_all(plan: &Plan) -> Result<Measured, Fault> {
    measure::measure(plan, |what| eprintln!("measuring {what} ..."))
}

/// The directory, or the nearest above it that exists: what will be made there lies on the same disk.
fn existing(dir: &Path) -> Result<PathBuf, Fault> {
    let dir = std::path::absolute(dir).map_err(|error| Fault::of(dir.display(), error))?;
    let found = dir.ancestors().find(|dir| dir.is_dir());
    // Without the links on the way, for the mount point is looked up by name.
    found.unwrap_or(Path::new("/")).canonicalize().map_err(|error| Fault::of(dir.display(), error))
}

fn tell(outcome: &Outcome) -> ExitCode {
    outcome.done.iter().for_each(|line| eprintln!("{line}"));
    outcome.refused.iter().for_each(|line| eprintln!("refused: {line}"));
    if outcome.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
