//! Compacted topics, as clients see them.

use std::collections::BTreeMap;

use storage::batch::BatchBuilder;

use crate::calls::batches;
use crate::harness::{Client, Rig, WALL_MS};

fn keyed(key: &str, value: Option<&str>) -> Vec<u8> {
    BatchBuilder::new().record(WALL_MS, Some(key.as_bytes()), value.map(str::as_bytes)).build()
}

/// The offsets that are left, by reading on from each batch's last.
fn offsets(client: &mut Client, topic: &str) -> Vec<i64> {
    let (mut next, mut found) = (0, Vec::new());
    loop {
        let fetched = client.fetch(topic, 0, next);
        if fetched.records.is_empty() {
            return found;
        }
        for (header, _) in batches(&fetched.records) {
            if header.record_count > 0 {
                found.push(header.base_offset.0);
            }
            next = header.last_offset().0 + 1;
        }
    }
}

#[test]
fn c89_c91_a_topic_of_few_keys_stays_small_and_its_offsets_stay() {
    let rig = Rig::new();
    let mut client = rig.connect();
    let configs = [
        ("cleanup.policy", "compact"),
        ("internal.segment.bytes", "2000"),
        ("min.cleanable.dirty.ratio", "0.1"),
    ];
    client.create_with("t", 1, &configs);
    let mut last = BTreeMap::new();
    for round in 0..200 {
        let key = format!("key {}", round % 5);
        let offset = client.append("t", 0, &keyed(&key, Some("some value that takes its room")));
        last.insert(key, offset);
    }
    rig.pass_ms(60_000);
    let left = offsets(&mut client, "t");
    assert!(left.len() < 60, "{} records are left", left.len());
    assert!(last.values().all(|offset| left.contains(offset)));
    // A removed offset gives what comes next.
    let removed = (0..200).find(|offset| !left.contains(offset)).unwrap();
    let first = batches(&client.fetch("t", 0, removed).records)[0].0;
    assert!(first.base_offset.0 > removed || first.last_offset().0 >= removed);
    assert_eq!(client.append("t", 0, &keyed("key 0", Some("v"))), 200);
}
