//! A broker as a process of its own on a loopback address, and the program run against it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ringlog");

/// A running broker; ends and takes its data along when dropped.
pub struct Place {
    dir: PathBuf,
    broker: Child,
    pub bootstrap: String,
}

/// What a run of the program said.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    /// Starts a broker with one core, and waits until it says that it listens.
    pub fn start(name: &str) -> Place {
        Place::start_with(name, &[])
    }

    /// The same, with these settings.
    pub fn start_with(name: &str, settings: &[&str]) -> Place {
        let dir = std::env::temp_dir().join(format!("ringlog-command-line-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        // Another process may take the port in between: then the broker says so, and the next one is tried.
        for _ in 0..20 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let bootstrap = format!("127.0.0.1:{port}");
            let mut broker = Command::new(PROGRAM)
                .args(["start", "--cores", "1", "--listen", &bootstrap, "--data-dir"])
                .arg(dir.join("data"))
                .args(settings.iter().flat_map(|setting| ["--set", *setting]))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut banner = String::new();
            let mut reader = BufReader::new(broker.stdout.take().unwrap());
            reader.read_line(&mut banner).unwrap();
            if banner.starts_with("Ringlog ") {
                // Nobody reads the rest of its banner, and it goes on all the same: it used to end.
                return Place { dir, broker, bootstrap };
            }
            broker.wait().unwrap();
        }
        panic!("the broker does not start");
    }

    /// Runs the program with these words.
    pub fn run(&self, words: &str) -> Said {
        self.run_with(words, b"")
    }

    /// The same, with something on standard input.
    pub fn run_with(&self, words: &str, input: &[u8]) -> Said {
        let mut child = self.spawn(words);
        let mut stdin = child.stdin.take().unwrap();
        // A program that ends before it has read everything has said why.
        let _ = stdin.write_all(input);
        drop(stdin);
        Said::of(child.wait_with_output().unwrap())
    }

    /// Starts the program and lets it run.
    pub fn spawn(&self, words: &str) -> Child {
        Command::new(PROGRAM)
            .args(words.split_whitespace().map(|word| word.replace('~', " ")))
            .env("RINGLOG_BOOTSTRAP", &self.bootstrap)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// A run that must succeed; what it printed.
    pub fn ok(&self, words: &str) -> String {
        self.ok_with(words, b"")
    }

    /// The same, with something on standard input.
    pub fn ok_with(&self, words: &str, input: &[u8]) -> String {
        let said = self.run_with(words, input);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{words}: {said:?}");
        said.out
    }

    /// A run that must be refused with this status and these words.
    pub fn refused(&self, words: &str, status: i32, why: &str) {
        let said = self.run(words);
        assert_eq!(said.status, status, "{words}: {said:?}");
        assert!(said.err.contains(why), "{words}: {said:?}");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.broker.kill();
        let _ = self.broker.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Said {
    /// What a finished run said.
    pub fn of(output: Output) -> Said {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Said {
            status: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// `text` with what differs from run to run replaced: ids of 22 letters, ports, ages and times.
pub fn steady(text: &str, place: &Place) -> String {
    let text = text.replace(&place.bootstrap, "HERE");
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut out = String::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(len);
        let is_id = word.len() == 22 && word.chars().any(|c| c.is_ascii_uppercase());
        let is_time = word.len() == 13 && word.bytes().all(|byte| byte.is_ascii_digit());
        out.push_str(if is_id {
            "ID"
        } else if is_time {
            "TIME"
        } else {
            word
        });
        let mut chars = after.chars();
        out.extend(chars.next());
        rest = chars.as_str();
    }
    out
}
