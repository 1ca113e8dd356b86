//! The `ringlog` program: reads the command line, starts the node and stops it on a signal, or runs a tool.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use broker::cli::{self, Cli, Command, StartArgs, failure};
use broker::config::topic_table::find_topic_setting;
use broker::log_tools;
use broker::start::{self, RunningNode};
use clap::Parser;
use net::ListenerIndex;
use shard::DurableWrites;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing_subscriber::filter::LevelFilter;

/// Thousands of connections leave small pieces of memory behind everywhere, which the C library's allocator pays for in
/// searching and merging (decision 6).
#[global_allocator]
static ALLOCATOR: shard::allocator::Allocator = shard::allocator::Allocator;

fn main() -> ExitCode {
    let started = Instant::now();
    let args = match Cli::parse().command {
        Command::Start(args) => args,
        Command::Log(command) => return log_tools::run(&command),
        Command::Topic(args) => return failure::finish(cli::topic::run(&args)),
        Command::Config(args) => return failure::finish(cli::settings::run(&args)),
        Command::Produce(args) => return failure::finish(cli::produce::run(&args)),
        Command::Consume(args) => return failure::finish(cli::consume::run(&args)),
        Command::Group(args) => return failure::finish(cli::group::run(&args)),
        Command::Txn(args) => return failure::finish(cli::txn::run(&args)),
        Command::Cluster(args) => return failure::finish(cli::cluster::run(&args)),
    };
    match run(&args, started) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            failure::tell(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(args: &StartArgs, started: Instant) -> Result<(), Box<dyn std::error::Error>> {
    let config = args.load(&cli::machine_name())?;
    let level = config.log_level().parse().unwrap_or(LevelFilter::INFO);
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .with_writer(std::io::stderr)
        // Where nobody reads standard error, saying so there would be a panic on a core's thread.
        .log_internal_errors(false)
        .init();
    let descriptors = shard::boot::raise_descriptor_limit()?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let node = start::start(config, started)?;
    // A broker serves whether anybody reads its banner or not.
    let _ = std::io::stdout().write_all(banner(&node, descriptors).as_bytes());
    let stopper = node.running.stopper();
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            tracing::info!("stopping");
            stopper.stop();
        }
    });
    node.running.join();
    if let Some(control) = node.control {
        control.stop();
    }
    tracing::info!("stopped");
    Ok(())
}

fn banner(node: &RunningNode, descriptors: u64) -> String {
    let mut lines = vec![format!("Ringlog {}, node {}", env!("CARGO_PKG_VERSION"), node.node.id)];
    for (listener, (addresses, (host, port))) in
        node.node.config.listeners().iter().zip(node.addresses.iter().zip(&node.node.advertised))
    {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        let (addresses, name) = (addresses.join(" and "), &listener.name);
        lines.push(format!("  listens on  {addresses} ({name}), tells clients {host}:{port}"));
    }
    if let Some(ListenerIndex(peers)) = node.node.peer_listener {
        let addresses: Vec<String> = node.addresses[peers].iter().map(ToString::to_string).collect();
        lines.push(format!("  peers       {}", addresses.join(" and ")));
    }
    if let Some(control) = &node.control {
        let addresses: Vec<String> = control.addresses.iter().map(|it| format!("http://{it}")).collect();
        lines.push(format!("  metrics     {}", addresses.join(" and ")));
    }
    let (cpus, backend) = (&node.cpus, node.backend);
    lines.push(format!(
        "  cores       {cpus:?}, one thread with {backend} each; up to {descriptors} descriptors"
    ));
    lines.push(format!("  data        {}", node.node.data_dir_text));
    let config = &node.node.config;
    let durability = find_topic_setting("ringlog.durability").ok().and_then(|it| config.text_for_topics(it));
    let journal_mib = config.values().ringlog_journal_bytes() >> 20;
    let writes = match node.durable_writes {
        DurableWrites::Direct => "written directly",
        DurableWrites::DirectThenFlushed => "written directly, and the device's cache flushed",
        DurableWrites::Synced => {
            "written through the page cache and synced, for this file system has no direct writes"
        }
    };
    lines.push(format!("  journal     {journal_mib} MiB a core, {writes}"));
    lines.push(format!(
        "  acks=all is acknowledged when the records survive a loss of power, in topics with ringlog.durability=disk \
         (here the default is {}); acks=1, and acks=all in topics with ringlog.durability=os, when they are in the \
         operating system's page cache and survive a kill of this process\n",
        durability.unwrap_or_default()
    ));
    lines.join("\n")
}
