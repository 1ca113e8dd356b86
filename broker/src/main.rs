//! The `ringlog` program: reads the command line, starts the node and stops it on a signal, or runs a tool.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::Instant;

use broker::cli::{self, Cli, Command, StartArgs, failure};
use broker::config::topic_table::find_topic_setting;
use broker::log_tools;
use broker::start::{self, RunningNode};
use clap::Parser;
use shard::DurableWrites;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing_subscriber::filter::LevelFilter;

/// Thousands of connections leave small pieces of memory behind everywhere, which the C library's allocator pays for in
/// searching and merging (decision 6).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
            eprintln!("ringlog: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &StartArgs, started: Instant) -> Result<(), Box<dyn std::error::Error>> {
    let config = args.load(&cli::machine_name())?;
    let level = config.log_level().parse().unwrap_or(LevelFilter::INFO);
    tracing_subscriber::fmt().with_max_level(level).with_target(false).with_writer(std::io::stderr).init();
    let descriptors = shard::boot::raise_descriptor_limit()?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let node = start::start(config, started)?;
    print_banner(&node, descriptors);
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

fn print_banner(node: &RunningNode, descriptors: u64) {
    println!("Ringlog {}, node {}", env!("CARGO_PKG_VERSION"), node.node.id);
    for (listener, (addresses, (host, port))) in
        node.node.config.listeners().iter().zip(node.addresses.iter().zip(&node.node.advertised))
    {
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        println!(
            "  listens on  {} ({}), tells clients {host}:{port}",
            addresses.join(" and "),
            listener.name
        );
    }
    if let Some(control) = &node.control {
        let addresses: Vec<String> = control.addresses.iter().map(|it| format!("http://{it}")).collect();
        println!("  metrics     {}", addresses.join(" and "));
    }
    println!("  cores       {:?}, one thread each; up to {descriptors} descriptors", node.cpus);
    println!("  data        {}", node.node.data_dir_text);
    let config = &node.node.config;
    let durability = find_topic_setting("ringlog.durability").ok().and_then(|it| config.text_for_topics(it));
    let journal_mib = config.values().ringlog_journal_bytes() >> 20;
    let writes = match node.durable_writes {
        DurableWrites::Direct => "written directly",
        DurableWrites::Synced => {
            "written through the page cache and synced, for this file system has no direct writes"
        }
    };
    println!("  journal     {journal_mib} MiB a core, {writes}");
    println!(
        "  acks=all is acknowledged when the records survive a loss of power, in topics with ringlog.durability=disk \
         (here the default is {}); acks=1, and acks=all in topics with ringlog.durability=os, when they are in the \
         operating system's page cache and survive a kill of this process",
        durability.unwrap_or_default()
    );
}
