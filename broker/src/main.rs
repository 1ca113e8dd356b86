//! The `ringlog` program: reads the command line, starts the node, stops it on a signal.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::Instant;

use broker::cli::{self, Cli, Command, StartArgs};
use broker::start::{self, RunningNode};
use clap::Parser;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing_subscriber::filter::LevelFilter;

/// Thousands of connections leave small pieces of memory behind everywhere, which the C library's allocator pays for in
/// searching and merging (decision 6).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let started = Instant::now();
    let Command::Start(args) = Cli::parse().command;
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
    println!("  cores       {:?}, one thread each; up to {descriptors} descriptors", node.cpus);
    println!("  data        {}", node.node.data_dir_text);
    println!(
        "  a record is acknowledged when it is in the operating system's page cache (acks=1 and acks=all alike): it \
         survives a kill of this process, not a loss of power"
    );
}
