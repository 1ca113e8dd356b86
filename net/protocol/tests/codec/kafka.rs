//! Kafka's own classes read what we write, and write the same bytes: every message, every version.
//!
//! Needs a JDK (17 or later) and Kafka's jars, so that it runs on demand:
//! `KAFKA_JARS=folder cargo test -p ringlog-protocol --test codec -- --ignored kafka`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::arbitrary::{Random, body};
use crate::every::convert_as;
use crate::schemas;

/// Random bodies a message and version.
const BODIES: u64 = 10;

#[test]
#[ignore = "needs KAFKA_JARS=folder of Kafka's jars, and java"]
fn kafka_itself_agrees_about_every_message_and_version() {
    let mut names = Vec::new();
    let mut sent = Vec::new();
    for message in schemas() {
        for version in message.versions.low..=message.versions.high {
            for seed in 0..BODIES {
                let bytes = body(message, version, &mut Random(seed));
                let ours = convert_as(&message.module(), &bytes, version, version).expect("a valid body");
                names.push(format!("{} {version}", message.name));
                sent.push(hex(&ours));
            }
        }
    }
    let received = echo(&names, &sent);
    assert_eq!(received.len(), sent.len());
    let answers = sent.iter().zip(&received);
    let faults = names.iter().zip(answers).filter(|(_, (sent, received))| sent != received);
    let faults: Vec<String> =
        faults.map(|(name, (sent, received))| format!("{name}: {sent} {received}")).collect();
    println!("{} bodies", sent.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn echo(names: &[String], bodies: &[String]) -> Vec<String> {
    let jars = std::env::var("KAFKA_JARS").expect("KAFKA_JARS is set");
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
