//! `ringlog txn`: transactions: which there are, which hang and why, and ending those that nobody else will end.

mod abort;
mod describe;
mod find_hanging;
mod list;
mod producers;

use clap::{Args, Subcommand};

use super::cluster_args::ClusterArgs;
use super::failure::Failure;

/// What `ringlog txn` takes.
#[derive(Debug, Args)]
pub struct TxnArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(subcommand)]
    command: TxnCommand,
}

#[derive(Debug, Subcommand)]
enum TxnCommand {
    /// Say which transactional ids there are, and in which state.
    List(list::ListArgs),
    /// Say everything about transactions: since when, in which partitions, and whether they are late.
    Describe(describe::DescribeArgs),
    /// End a transaction in one partition that its coordinator does not know, so that readers of committed records go on.
    Abort(abort::AbortArgs),
    /// Look for transactions that are open in partitions and that no coordinator will end.
    FindHanging(find_hanging::FindHangingArgs),
}

/// Does what was asked.
pub fn run(args: &TxnArgs) -> Result<(), Failure> {
    match &args.command {
        TxnCommand::List(command) => list::run(command, &args.cluster),
        TxnCommand::Describe(command) => describe::run(command, &args.cluster),
        TxnCommand::Abort(command) => abort::run(command, &args.cluster),
        TxnCommand::FindHanging(command) => find_hanging::run(command, &args.cluster),
    }
}
