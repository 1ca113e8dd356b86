//! Bytes of real clients and of real Kafka: decoded, encoded, the same.
//!
//! `tests/golden/KEY-VERSION-request-CLIENT.hex` (and `-response-`) holds one frame without its size prefix, in lines of
//! hex; `capture.py` beside them wrote them. Files are kept for ever; new clients add theirs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use protocol::{ApiKey, Decoder, RequestHeader, decode_response_header};

use crate::every::convert_as;
use crate::generator::schema::snake;

#[test]
fn golden_frames_come_back_byte_for_byte() {
    let mut keys = BTreeSet::new();
    for path in golden_files() {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let words: Vec<&str> = name.splitn(4, '-').collect();
        let [key, version, direction, _client] = words[..] else {
            panic!("{name}: key-version-direction-client")
        };
        let key = ApiKey::from_code(key.parse().expect("a key")).expect("a known key");
        check(key, version.parse().expect("a version"), direction, &read_hex(&path), &name);
        keys.insert(key);
    }
    assert!(keys.len() >= 20, "golden frames of {} keys only", keys.len());
}

fn check(key: ApiKey, version: i16, direction: &str, frame: &[u8], name: &str) {
    let mut d = Decoder::new(frame);
    let module = match direction {
        "request" => {
            let header = RequestHeader::decode(&mut d).expect(name);
            assert_eq!((header.key(), header.api_version), (Some(key), version), "{name}");
            let mut e = protocol::Encoder::new();
            header.encode(&mut e);
            assert_eq!(Some(e.as_slice()), frame.get(..d.position()), "{name}: header");
            format!("{}_request", snake(key.name()))
        }
        "response" => {
            decode_response_header(&mut d, key, version).expect(name);
            format!("{}_response", snake(key.name()))
        }
        other => panic!("{name}: direction {other}"),
    };
    let body = &frame[d.position()..];
    assert_eq!(convert_as(&module, body, version, version).as_deref(), Ok(body), "{name}");
}

fn golden_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "hex")).collect()
}

fn read_hex(path: &Path) -> Vec<u8> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let digits: Vec<u32> = text.chars().filter_map(|letter| letter.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}
