//! What every command takes that speaks to a cluster: where it is, how long to wait, and how to say what came of it.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use clap::Args;
use net::client::{Address, Client};

use super::failure::Failure;
use super::json::Json;

/// The options of every command that speaks to a cluster.
#[derive(Debug, Clone, Args)]
pub struct ClusterArgs {
    /// Brokers to connect to first, with commas between them
    #[arg(
        long,
        global = true,
        value_name = "HOST:PORT",
        env = "RINGLOG_BOOTSTRAP",
        default_value = "localhost:9092"
    )]
    pub bootstrap: String,
    /// Print JSON: one document, or one object a line where there is no end to it
    #[arg(long, global = true)]
    pub json: bool,
    /// How long to wait for a broker, and to try again what may pass by itself
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
}

/// What a client calls itself.
const CLIENT_ID: &str = "ringlog-cli";

impl ClusterArgs {
    /// A client that has reached the cluster.
    pub fn connect(&self) -> Result<Client, Failure> {
        let bootstrap = Address::parse_list(&self.bootstrap)
            .map_err(|why| Failure::Misuse(format!("--bootstrap: {why}")))?;
        Ok(Client::connect(bootstrap, CLIENT_ID, self.timeout())?)
    }

    /// How long to wait for an answer.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    /// What a request's own timeout says, ms.
    pub fn timeout_ms(&self) -> i32 {
        i32::try_from(self.timeout * 1000).expect("the timeout is an hour at most")
    }

    /// Prints one of the two: JSON if it was asked for.
    pub fn print(&self, json: impl FnOnce() -> Json, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let text = if self.json { format!("{}\n", json()) } else { text() };
        print(&text)
    }
}

/// Prints to standard output, all at once.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Asks on the terminal whether to go on; without a terminal there is nobody to ask, and the answer is how to say so.
pub fn confirm(what: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::Misuse(format!(
            "{what} needs a yes, and there is no terminal to ask on: add --yes"
        )));
    }
    eprint!("{what}? Type yes to go on: ");
    let mut said = String::new();
    io::stdin().read_line(&mut said)?;
    if said.trim() == "yes" { Ok(()) } else { Err(Failure::Refused("nothing was changed".to_owned())) }
}
