//! `ringlog group`: consumer groups of both protocols: who is in them, how far they are, and putting them elsewhere.

mod delete;
mod describe;
mod history;
mod lag;
mod list;
mod reset;
mod state;

use clap::{Args, Subcommand};

use super::cluster_args::ClusterArgs;
use super::failure::Failure;

/// What `ringlog group` takes.
#[derive(Debug, Args)]
pub struct GroupArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(subcommand)]
    command: GroupCommand,
}

#[derive(Debug, Subcommand)]
enum GroupCommand {
    /// Say which groups there are.
    List,
    /// Say everything about groups: members, offsets, and how far they are behind.
    Describe(describe::DescribeArgs),
    /// Put a group without members at other offsets.
    ResetOffsets(reset::ResetArgs),
    /// Delete groups without members, with their offsets.
    Delete(delete::DeleteArgs),
}

/// Does what was asked.
pub fn run(args: &GroupArgs) -> Result<(), Failure> {
    match &args.command {
        GroupCommand::List => list::run(&args.cluster),
        GroupCommand::Describe(command) => describe::run(command, &args.cluster),
        GroupCommand::ResetOffsets(command) => reset::run(command, &args.cluster),
        GroupCommand::Delete(command) => delete::run(command, &args.cluster),
    }
}
