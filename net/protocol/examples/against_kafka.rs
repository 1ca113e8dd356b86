//! Kafka's own classes read what we write, and write the same bytes: every message, every version.
//!
//! Needs a JDK (17 or later) and Kafka's jars, so that it is a program and no test; `./check --long` runs it:
//! `cargo run -p ringlog-protocol --example against_kafka -- FOLDER_OF_JARS`.

#[path = "../tests/codec/arbitrary.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod arbitrary;
#[path = "../tests/codec/every.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod every;
#[path = "../generator/mod.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod generator;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use arbitrary::{Random, body};
use every::convert_as;

/// Random bodies a message and version.
const BODIES: u64 = 10;

fn main() -> ExitCode {
    let Some(jars) = std::env::args().nth(1) else {
        eprintln!("usage: against_kafka FOLDER_OF_JARS");
        return ExitCode::from(2);
    };
    let (names, sent) = bodies();
    let received = echo(&jars, &names, &sent);
    assert_eq!(received.len(), sent.len(), "an answer for each body");
    let answers = sent.iter().zip(&received);
    let mut faults = 0;
    for (name, (sent, received)) in names.iter().zip(answers).filter(|(_, (sent, received))| sent != received)
    {
        println!("{name}: {sent} {received}");
        faults += 1;
    }
    println!("{} bodies, Kafka disagrees about {faults}", sent.len());
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Random bodies of every message and version: what each is, and its bytes in hex.
fn bodies() -> (Vec<String>, Vec<String>) {
    let mut names = Vec::new();
    let mut sent = Vec::new();
    for message in &generator::read_schemas(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        for version in message.versions.low..=message.versions.high {
            for seed in 0..BODIES {
                let bytes = body(message, version, &mut Random(seed));
                let ours = convert_as(&message.module(), &bytes, version, version).expect("a valid body");
                names.push(format!("{} {version}", message.name));
                sent.push(hex(&ours));
            }
        }
    }
    (names, sent)
}

fn echo(jars: &str, names: &[String], bodies: &[String]) -> Vec<String> {
    let mut java = Command::new("java")
        .args(["-cp", &format!("{jars}/*")])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kafka/Echo.java"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("java runs");
    let lines: String = names.iter().zip(bodies).map(|(name, body)| format!("{name} {body}\n")).collect();
    // Echo answers when it has read all, so that neither side waits for the other.
    java.stdin.take().expect("stdin is piped").write_all(lines.as_bytes()).expect("java reads all");
    let output = java.wait_with_output().expect("java ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_string).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
