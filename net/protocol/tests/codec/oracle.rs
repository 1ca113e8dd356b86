//! The crate `kafka-protocol` reads what we write, and we read what it writes, wherever it has the message and version.
//!
//! It is an oracle for tests only: as a codec it trusts the counts that a frame claims.

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages as theirs;

use crate::arbitrary::{Random, body};
use crate::every::convert_as;
use crate::generator::schema::{Kind, Message};
use crate::schemas;

/// Random bodies a message and version.
const BODIES: u64 = 20;

/// Versions that the other crate's range has and its code has not.
const OVERSTATED: &[(&str, i16)] =
    &[("InitProducerIdRequest", 6), ("OffsetCommitRequest", 10), ("OffsetFetchRequest", 10)];

#[test]
fn requests_and_responses_agree_with_kafka_protocol() {
    let mut checked = 0;
    let mut absent = Vec::new();
    let mut faults = Vec::new();
    for message in schemas().iter().filter(|one| matches!(one.kind, Kind::Request | Kind::Response)) {
        for version in message.versions.low..=message.versions.high {
            let name = format!("{} v{version}", message.name);
            if !has(message, version) {
                absent.push(name);
                continue;
            }
            checked += 1;
            if let Some(fault) = (0..BODIES).find_map(|seed| check(message, version, seed).err()) {
                faults.push(format!("{name}: {fault}"));
            }
        }
    }
    println!("{checked} versions checked, absent there: {absent:?}");
    assert!(checked > 500, "only {checked} versions were compared");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn has(message: &Message, version: i16) -> bool {
    if OVERSTATED.contains(&(message.name.as_str(), version)) {
        return false;
    }
    let Ok(key) = theirs::ApiKey::try_from(message.key.expect("a key")) else { return false };
    let range = key.valid_versions();
    (range.min..=range.max).contains(&version)
}

fn check(message: &Message, version: i16, seed: u64) -> anyhow::Result<()> {
    let bytes = body(message, version, &mut Random(seed));
    let ours = convert_as(&message.module(), &bytes, version, version)?;
    let theirs = through_theirs(message, version, &ours)?;
    let back = convert_as(&message.module(), &theirs, version, version)?;
    anyhow::ensure!(back == ours, "seed {seed}: we sent {ours:?} and got {theirs:?}");
    Ok(())
}

/// Decodes and encodes with the other crate.
fn through_theirs(message: &Message, version: i16, body: &[u8]) -> anyhow::Result<Vec<u8>> {
    let key = theirs::ApiKey::try_from(message.key.expect("a key")).expect("a known key");
    let mut bytes = Bytes::copy_from_slice(body);
    let mut out = BytesMut::new();
    if message.kind == Kind::Request {
        theirs::RequestKind::decode(key, &mut bytes, version)?.encode(&mut out, version)?;
    } else {
        theirs::ResponseKind::decode(key, &mut bytes, version)?.encode(&mut out, version)?;
    }
    anyhow::ensure!(bytes.is_empty(), "{} bytes left", bytes.len());
    Ok(out.to_vec())
}
