//! Why a command did not do what it was asked for, and the exit status that says so: 0 done, 1 the cluster said no or could
//! not be asked, 2 the command was used wrongly.

use std::io::{self, Write};
use std::process::ExitCode;

use net::client::ClientError;

use super::table::printable;

/// Why a command ends without success.
#[derive(Debug)]
pub enum Failure {
    /// It was asked for what makes no sense.
    Misuse(String),
    /// The cluster, or what is in it, does not let it.
    Refused(String),
    /// As the one before; each reason stands on standard error already.
    Told,
    /// Something could not be read from or written to this machine.
    Local(io::Error),
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        Failure::Refused(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Local(error)
    }
}

/// The exit status of a command, having said what there is to say.
pub fn finish(done: Result<(), Failure>) -> ExitCode {
    let (why, status) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        // Whoever read the output has enough of it: `… | head`.
        Err(Failure::Local(error)) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(Failure::Told) => return ExitCode::from(1),
        Err(Failure::Local(error)) => (error.to_string(), 1),
        Err(Failure::Refused(why)) => (why, 1),
        Err(Failure::Misuse(why)) => (why, 2),
    };
    tell(&why);
    ExitCode::from(status)
}

/// Says what is wrong on standard error, and goes on: also where nobody reads that.
pub fn tell(why: &dyn std::fmt::Display) {
    // What a broker says goes to a terminal here; lines of ours may be several.
    let lines: Vec<String> = why.to_string().lines().map(printable).collect();
    let _ = writeln!(io::stderr(), "ringlog: {}", lines.join("\n"));
}
