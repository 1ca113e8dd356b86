//! Every message at every version: what the schemas say is what the codec reads and writes, byte for byte.

use crate::arbitrary::{Random, body};
use crate::every::convert_as;
use crate::schemas;

/// Random bodies a message and version.
const BODIES: u64 = 30;

#[test]
fn every_message_and_version_comes_back_byte_for_byte() {
    for message in schemas() {
        for version in message.versions.low..=message.versions.high {
            for seed in 0..BODIES {
                let bytes = body(message, version, &mut Random(seed));
                let back = convert_as(&message.module(), &bytes, version, version);
                assert_eq!(back.as_deref(), Ok(&bytes[..]), "{} v{version} seed {seed}", message.name);
            }
        }
    }
}

/// A field that the version has not is left out, and what is left is a valid body of that version.
#[test]
fn every_message_can_be_written_at_every_other_version() {
    for message in schemas() {
        let versions = message.versions.low..=message.versions.high;
        for (from, to) in versions.clone().flat_map(|from| versions.clone().map(move |to| (from, to))) {
            let name = format!("{} v{from} to v{to}", message.name);
            let bytes = body(message, from, &mut Random(from as u64));
            let there = convert_as(&message.module(), &bytes, from, to).expect(&name);
            let again = convert_as(&message.module(), &there, to, to);
            assert_eq!(again.as_deref(), Ok(&there[..]), "{name}");
        }
    }
}

/// A body that stops anywhere is an error, never a shorter message.
#[test]
fn every_cut_body_is_refused() {
    for message in schemas() {
        for version in message.versions.low..=message.versions.high {
            let bytes = body(message, version, &mut Random(1));
            for end in 0..bytes.len() {
                let back = convert_as(&message.module(), &bytes[..end], version, version);
                assert!(back.is_err(), "{} v{version} cut at {end}", message.name);
            }
        }
    }
}

#[test]
fn versions_outside_the_range_are_refused() {
    for message in schemas() {
        for version in [message.versions.low - 1, message.versions.high + 1] {
            let back = convert_as(&message.module(), &[0; 64], version, message.versions.low);
            assert_eq!(back, Err(protocol::DecodeError::UnsupportedVersion { version }));
        }
    }
}
