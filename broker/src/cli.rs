//! The command line: `ringlog start` and its flags, and how they become a configuration. `ringlog log` stands in
//! [`log_tools`](crate::log_tools). The other commands speak to a running cluster, of Ringlog's or any Kafka's, through
//! [`net::client`]: one file each, and beside them what they share: where the cluster is ([`cluster_args`]), times
//! ([`when`]), tables ([`table`]) and JSON ([`json`]).
//!
//! A flag is a short way to write a setting: `--data-dir D` is `log.dirs=D`, `--listen` is `listeners`,
//! `--peer-listen` is `ringlog.peer.listen`, `--advertise` is `advertised.listeners`, `--http` is `ringlog.http.listen`, `--cores` is `ringlog.cores`, `--node-id` is
//! `node.id`. Flags come before `--set`, and `--set` before the file. What flags add to the settings is convenience: an
//! address needs no listener name, and a listener that is named here needs no entry in the protocol map.

pub mod cluster;
pub mod consume;
pub mod group;
pub mod produce;
pub mod settings;
pub mod topic;
pub mod txn;

mod base64;
mod batches;
mod cluster_args;
mod commits;
pub mod failure;
pub mod json;
mod offsets;
mod position;
mod table;
pub mod when;

use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};

use crate::config::listener::{Endpoint, parse_named};
use crate::config::properties;
use crate::config::server_table::find_server_setting;
use crate::config::setting::list_elements;
use crate::config::{Given, Origin, ServerConfig, StartFault};
use crate::log_tools::LogCommand;

/// A broker for Kafka clients.
#[derive(Debug, Parser)]
#[command(name = "ringlog", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a broker until it is told to stop.
    Start(StartArgs),
    /// Look at the data of a stopped broker, or fill it from Kafka's.
    #[command(subcommand)]
    Log(LogCommand),
    /// Topics: make, show, change and delete them.
    Topic(topic::TopicArgs),
    /// Settings of topics, brokers and groups.
    Config(settings::ConfigArgs),
    /// Send records from a file or standard input.
    Produce(produce::ProduceArgs),
    /// Read records, or follow topics.
    Consume(consume::ConsumeArgs),
    /// Consumer groups: show them, reset their offsets, delete them.
    Group(group::GroupArgs),
    /// Transactions: show them, find those that hang, end them.
    Txn(txn::TxnArgs),
    /// Brokers, features and the metadata quorum.
    Cluster(cluster::ClusterCommandArgs),
}

/// What `ringlog start` takes.
#[derive(Debug, Default, Args)]
pub struct StartArgs {
    /// Read settings from a properties file, as Kafka writes them.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set one setting; may be repeated, and comes before the file.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Keep all data in this directory [default: ./ringlog-data]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Accept connections here: host:port, :port for every interface, or NAME://host:port; may be repeated
    /// [default: localhost:9092]
    #[arg(long, value_name = "ADDR")]
    pub listen: Vec<String>,
    /// Let other nodes of the cluster connect here: host:port, or :port for every interface; may be repeated. Clients are
    /// never told of it [default: nowhere]
    #[arg(long, value_name = "ADDR")]
    pub peer_listen: Vec<String>,
    /// Found a cluster of these nodes, this one among them: id@host:port of each one's --peer-listen, by comma. The same on
    /// all of them [default: a cluster of this node alone]
    #[arg(long, value_name = "ID@ADDR,…")]
    pub bootstrap: Option<String>,
    /// Tell clients to connect here: host:port, or NAME://host:port for one of several listeners; may be
    /// repeated [default: where it listens]
    #[arg(long, value_name = "ADDR")]
    pub advertise: Vec<String>,
    /// Serve metrics and health over HTTP here: host:port, or :port for every interface; may be repeated [default: nowhere]
    #[arg(long, value_name = "ADDR")]
    pub http: Vec<String>,
    /// Run on so many cores, or on a list such as 0,2-3 [default: all]
    #[arg(long, value_name = "N|LIST")]
    pub cores: Option<String>,
    /// The broker's number in the cluster [default: 0]
    #[arg(long, value_name = "N")]
    pub node_id: Option<String>,
}

/// Why `ringlog start` does not start: everything that is wrong, one line each.
#[derive(Debug, PartialEq, Eq)]
pub struct StartError {
    pub lines: Vec<String>,
}

impl StartError {
    fn one(line: String) -> StartError {
        StartError { lines: vec![line] }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl std::error::Error for StartError {}

impl From<Vec<StartFault>> for StartError {
    fn from(faults: Vec<StartFault>) -> StartError {
        StartError { lines: faults.iter().map(StartFault::to_string).collect() }
    }
}

/// The listener that an address without a name belongs to.
const UNNAMED: &str = "PLAINTEXT";

impl StartArgs {
    /// Reads the file and puts everything together.
    pub fn load(&self, machine_name: &str) -> Result<ServerConfig, StartError> {
        let text = match &self.config {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path)
                .map_err(|fault| StartError::one(format!("{}: {fault}", path.display())))?,
        };
        self.server_config(&text, machine_name)
    }

    /// Puts the text of the file and the flags together.
    pub fn server_config(&self, file_text: &str, machine_name: &str) -> Result<ServerConfig, StartError> {
        let mut given = self.given_in_file(file_text)?;
        given.extend(self.given_with_set()?);
        let flags = self.given_with_flags(&given)?;
        given.extend(flags);
        Ok(ServerConfig::new(given, machine_name)?)
    }

    fn given_in_file(&self, text: &str) -> Result<Vec<Given>, StartError> {
        let path = self.config.as_deref().unwrap_or(Path::new("-"));
        let parsed = properties::parse(text).map_err(|fault| {
            StartError::one(format!("{}:{}: {}", path.display(), fault.line, fault.reason))
        })?;
        let origin = |line| Origin::File { path: path.to_path_buf(), line };
        Ok(parsed
            .into_iter()
            .map(|p| Given { name: p.key, value: p.value, origin: origin(p.line) })
            .collect())
    }

    fn given_with_set(&self) -> Result<Vec<Given>, StartError> {
        let split = |text: &String| {
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| StartError::one(format!("--set {text}: KEY=VALUE is needed")))?;
            Ok(Given { name: name.trim().to_string(), value: value.to_string(), origin: Origin::Set })
        };
        self.set.iter().map(split).collect()
    }

    fn given_with_flags(&self, weaker: &[Given]) -> Result<Vec<Given>, StartError> {
        let mut given = Vec::new();
        let mut push = |name: &str, value: String, flag| {
            given.push(Given { name: name.to_string(), value, origin: Origin::Flag(flag) });
        };
        if let Some(directory) = &self.data_dir {
            push("log.dirs", directory.display().to_string(), "--data-dir");
        }
        if let Some(cores) = &self.cores {
            push("ringlog.cores", cores.clone(), "--cores");
        }
        if !self.http.is_empty() {
            push("ringlog.http.listen", self.http.join(","), "--http");
        }
        if !self.peer_listen.is_empty() {
            push("ringlog.peer.listen", self.peer_listen.join(","), "--peer-listen");
        }
        if let Some(founders) = &self.bootstrap {
            push("controller.quorum.voters", founders.clone(), "--bootstrap");
        }
        if let Some(node_id) = &self.node_id {
            push("node.id", node_id.clone(), "--node-id");
        }
        let mut listeners = text_of("listeners", weaker);
        if !self.listen.is_empty() {
            let named: Result<Vec<String>, StartError> =
                self.listen.iter().map(|text| with_name(text, UNNAMED, "--listen")).collect();
            listeners = named?.join(",");
            push("listeners", listeners.clone(), "--listen");
            if let Some(map) = protocol_map_for(&listeners, weaker) {
                push("listener.security.protocol.map", map, "--listen");
            }
        }
        if !self.advertise.is_empty() {
            push("advertised.listeners", self.advertised(&listeners)?, "--advertise");
        }
        Ok(given)
    }

    /// Gives each address the name of the listener in the same place, unless it has one.
    fn advertised(&self, listeners: &str) -> Result<String, StartError> {
        let names = listener_names(listeners);
        let mut named = Vec::new();
        for (index, text) in self.advertise.iter().enumerate() {
            let Some(name) = names.get(index) else {
                let line = format!("--advertise {text}: there are only {} listeners", names.len());
                return Err(StartError::one(line));
            };
            named.push(with_name(text, name, "--advertise")?);
        }
        Ok(named.join(","))
    }
}

/// The strongest text that stands for `name` so far, or its default.
fn text_of(name: &str, given: &[Given]) -> String {
    // What comes later is stronger: the file was read first.
    let set = given.iter().rev().find(|given| given.name == name).map(|given| given.value.clone());
    let default = || find_server_setting(name).ok()?.default.map(str::to_string);
    set.or_else(default).unwrap_or_default()
}

fn listener_names(listeners: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in list_elements(listeners).iter().filter_map(|text| parse_named(text).ok()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// `text` as `NAME://host:port`, with `name` if it has none.
fn with_name(text: &str, name: &str, flag: &str) -> Result<String, StartError> {
    let parsed = match text.contains("://") {
        true => parse_named(text),
        false => Endpoint::parse(text).map(|endpoint| (name.to_string(), endpoint)),
    };
    match parsed {
        Ok((name, endpoint)) => Ok(format!("{name}://{endpoint}")),
        Err(reason) => Err(StartError::one(format!("{flag} {text}: it must be {reason}"))),
    }
}

/// A protocol map in which the listeners that were named on the command line are PLAINTEXT; `None` if the
/// user gave a map, or if every name is that of a protocol, which the default map covers.
fn protocol_map_for(listeners: &str, weaker: &[Given]) -> Option<String> {
    const MAP: &str = "listener.security.protocol.map";
    if weaker.iter().any(|given| given.name == MAP) {
        return None;
    }
    let default = find_server_setting(MAP).ok()?.default?;
    let is_mapped = |name: &String| default.split(',').any(|pair| pair.split(':').next() == Some(name));
    let named: Vec<String> = listener_names(listeners)
        .into_iter()
        .filter(|name| !is_mapped(name))
        .map(|name| format!(",{name}:PLAINTEXT"))
        .collect();
    (!named.is_empty()).then(|| format!("{default}{}", named.concat()))
}

/// The machine's name, which a listener on every interface advertises unless told otherwise.
pub fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".to_string() } else { name.to_string() }
}

#[cfg(test)]
mod tests;
