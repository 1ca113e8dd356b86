//! `ringlog log`: looking at a data directory whose broker is stopped, and filling one from Kafka's files.
//!
//! `dump`, `verify` and `explain` never write: they see the disk through a preview that keeps every write in memory
//! ([`shard::Preview`]). So `verify` and `explain` do not guess what a start would do: they rehearse it
//! ([`rehearsal`]) and say what came of it.
//!
//! While a broker runs, what lies on the disk moves and is not the whole truth: `dump` says so and goes on, `verify` and
//! `explain` refuse. They hold the directory meanwhile, so that no broker starts under them.
//!
//! The exit status is 0 when all is well, 1 when something is wrong with the data, 2 when the tool was misused.

mod dump;
mod excerpt;
mod explain;
mod import;
mod place;
mod rehearsal;
mod report;
mod verify;

use std::io;
use std::process::ExitCode;

use clap::Subcommand;

use crate::cli::failure::tell;

pub use dump::DumpArgs;
pub use explain::ExplainArgs;
pub use import::ImportArgs;
pub use verify::VerifyArgs;

/// What `ringlog log` does.
#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Show what files hold: batches, records, indexes, snapshots, journals, metadata.
    Dump(DumpArgs),
    /// Check everything in a data directory, and say what the next start will do about what is wrong.
    Verify(VerifyArgs),
    /// Say what retention and compaction will do next to each partition, and why.
    Explain(ExplainArgs),
    /// Take topics over from a log directory of Kafka's.
    Import(ImportArgs),
}

/// Why a tool gives up.
#[derive(Debug)]
enum ToolError {
    /// It was asked for what cannot be done.
    Misuse(String),
    /// The data does not let it.
    Failed(String),
    /// What it says cannot be written.
    Output(io::Error),
}

impl From<io::Error> for ToolError {
    fn from(error: io::Error) -> ToolError {
        ToolError::Output(error)
    }
}

/// Whether everything was as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Sound,
    Found,
}

/// Runs a tool.
pub fn run(command: &LogCommand) -> ExitCode {
    let done = match command {
        LogCommand::Dump(args) => dump::run(args),
        LogCommand::Verify(args) => verify::run(args),
        LogCommand::Explain(args) => explain::run(args),
        LogCommand::Import(args) => import::run(args),
    };
    match done {
        Ok(Verdict::Sound) => ExitCode::SUCCESS,
        Ok(Verdict::Found) => ExitCode::from(1),
        // Whoever read the output has enough of it.
        Err(ToolError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(1),
        Err(ToolError::Output(error)) => say(&error.to_string(), 1),
        Err(ToolError::Failed(why)) => say(&why, 1),
        Err(ToolError::Misuse(why)) => say(&why, 2),
    }
}

fn say(why: &str, status: u8) -> ExitCode {
    tell(&why);
    ExitCode::from(status)
}

/// A node's part in the quorum, as far as a tool has one: whoever founded it, and reached by nobody.
fn quorum_config(identity: &crate::data_dir::Identity, seed: u64) -> quorum::Config {
    quorum::Config {
        me: quorum::Voter {
            id: quorum::NodeId(identity.node_id),
            directory_id: identity.directory_id,
            endpoints: Vec::new(),
        },
        cluster_id: identity.cluster_id.clone(),
        founding: quorum::Founding::Alone,
        seed,
        measures: quorum::Measures::default(),
    }
}
