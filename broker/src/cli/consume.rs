//! `ringlog consume`: reads topics from a place to a place, or follows them, alone or as a member of a group.
//!
//! One thread a leader fetches ahead ([`fetching`]); this one checks, unpacks and prints. A reader's position moves when
//! its records are out, so that what a group commits was printed.

mod assign;
mod fetching;
mod follow;
mod format;
mod member;
mod membership;
mod output;
mod range;

use clap::Args;
use net::client::Client;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::cluster_args::ClusterArgs;
use super::failure::Failure;
use super::offsets::Isolation;
use super::position::Position;
use super::topic::{distinct, find_topics};
use super::when::now_ms;
pub use fetching::{NAMES_UP_TO, unreadable};
use follow::{Reading, Stop};
use format::Format;
pub use format::escaped;
pub use member::assignment_of;
use output::Output;

/// What `ringlog consume` takes.
#[derive(Debug, Args)]
pub struct ConsumeArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Topics to read
    #[arg(required = true, value_name = "TOPIC")]
    topics: Vec<String>,
    /// Where to begin: earliest, latest, offset:N, or a time; a group begins here where it has committed nothing
    #[arg(
        long,
        value_name = "earliest|latest|offset:N|TIME",
        default_value = "earliest",
        allow_hyphen_values = true,
        value_parser = Position::parse
    )]
    from: Position,
    /// Where to stop: end (of now), offset:N, or a time; without it the command follows the topics
    #[arg(long, value_name = "end|offset:N|TIME", allow_hyphen_values = true, value_parser = Position::parse_end)]
    to: Option<Position>,
    /// Stop at the end that the topics have now, as --to end
    #[arg(long, short = 'e', conflicts_with = "to")]
    exit_at_end: bool,
    /// Read only this partition; may be repeated
    #[arg(long, short, value_name = "N", conflicts_with = "group")]
    partition: Vec<i32>,
    /// Print only records with this key
    #[arg(long, short, value_name = "KEY")]
    key: Option<String>,
    /// Stop after so many records
    #[arg(long, short = 'n', value_name = "N")]
    max: Option<u64>,
    /// Read as a member of this group, and commit what was printed
    #[arg(long, short, value_name = "GROUP")]
    group: Option<String>,
    /// How to print a record: %v value, %k key, %o offset, %p partition, %t topic, %T time in ms, %h headers, %% a
    /// percent sign, and \n, \t, \\ [default: %v\n]
    #[arg(long, short, value_name = "FORMAT", conflicts_with = "json", value_parser = Format::parse)]
    format: Option<Format>,
    /// Leave out records of transactions that are open or were aborted
    #[arg(long)]
    read_committed: bool,
}

impl ConsumeArgs {
    fn isolation(&self) -> Isolation {
        if self.read_committed { Isolation::ReadCommitted } else { Isolation::ReadUncommitted }
    }

    /// Where to stop, if anywhere.
    fn end(&self) -> Option<Position> {
        if self.exit_at_end { Some(Position::Latest) } else { self.to }
    }
}

/// Does what was asked.
pub fn run(args: &ConsumeArgs) -> Result<(), Failure> {
    let stop = asked_to_stop()?;
    let mut client = args.cluster.connect()?;
    let format = match (args.cluster.json, &args.format) {
        (true, _) => Format::Json,
        (false, Some(format)) => format.clone(),
        (false, None) => Format::value_only(),
    };
    let output = Output::new(format, args.key.as_deref(), args.max);
    let reading = Reading { args, output, stop, started_ms: now_ms() };
    match &args.group {
        None => alone(reading, &mut client),
        Some(group) => membership::run(reading, &mut client, group),
    }
}

fn alone(mut reading: Reading<'_>, client: &mut Client) -> Result<(), Failure> {
    let names = distinct(&reading.args.topics);
    let topics = find_topics(client, &names)?;
    let plan = range::plan(client, reading.args, &topics, reading.started_ms)?;
    reading.run_alone(client, plan)
}

/// Flags that Ctrl-C and SIGTERM set. Only a signal that comes after the first one was noticed ends the process at once:
/// some senders, such as `timeout`, send it twice.
fn asked_to_stop() -> Result<Stop, Failure> {
    const INTERRUPTED: i32 = 130;
    let stop = Stop::default();
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, stop.noticed.clone())?;
        signal_hook::flag::register(signal, stop.asked.clone())?;
    }
    Ok(stop)
}
