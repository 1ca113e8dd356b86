//! A log directory that Apache Kafka 4.3.1 wrote and closed: five segments of 24 records, one for each codec
//! (none, gzip, snappy, lz4, zstd), each from two idempotent console producers; `index.interval.bytes=300`.
//! And, in [`formats`], files of our own.

mod formats;
#[path = "../rig/mod.rs"]
mod rig;

use std::path::{Path, PathBuf};

use rig::{NOW, Rig, batch, batches_in};
use shard::memory::World;
use shard::{Io, OpenMode};
use storage::batch::Codec;
use storage::{BatchHeader, LeaderEpoch, LogSettings, Offset};

fn golden() -> Vec<(String, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/kafka-4.3.1");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// A world that holds those golden files whose names `keeps` accepts.
fn world_of(keeps: impl Fn(&str) -> bool) -> World {
    let world = World::new(0);
    let mut io = world.io();
    let disk = io.disk();
    disk.create_dir(&rig::dir()).unwrap();
    for (name, bytes) in golden().iter().filter(|(name, _)| keeps(name)) {
        let file = disk.open(&rig::dir().join(name), OpenMode::Create).unwrap();
        disk.write_at(file, 0, bytes).unwrap();
    }
    world
}

fn settings() -> LogSettings {
    LogSettings { index_interval_bytes: 300, ..LogSettings::default() }
}

#[test]
fn kafkas_log_is_opened_read_and_continued() {
    let (mut rig, recovered) = Rig::open(world_of(|_| true), settings(), Offset(0)).unwrap();
    assert_eq!((recovered.rebuilt_count, recovered.cut_bytes), (1, 0), "only the active segment is read");
    let records = rig.read_all(0);
    assert_eq!(records.len(), 120);
    for (codec, records) in ["none", "gzip", "snappy", "lz4", "zstd"].iter().zip(records.chunks(24)) {
        for (_, value) in records {
            assert!(value.starts_with(format!("value of {codec}, record ").as_bytes()));
        }
    }
    assert_eq!(rig.log.producers().count(), 10);
    assert_eq!(rig.log.epochs().latest(), Some(LeaderEpoch(0)));
    assert_eq!(rig.append(batch(&[NOW.0])), Offset(120));
}

#[test]
fn indexes_made_from_kafkas_log_are_kafkas_byte_for_byte() {
    let (rig, recovered) = Rig::open(world_of(|name| name.ends_with(".log")), settings(), Offset(0)).unwrap();
    assert_eq!((recovered.rebuilt_count, recovered.cut_bytes), (5, 0));
    let world = rig.world.clone();
    rig.close_and_reopen();
    let is_index = |name: &str| name.ends_with("index") || name == "leader-epoch-checkpoint";
    for (name, bytes) in golden().iter().filter(|(name, _)| is_index(name)) {
        assert_eq!(world.file(&rig::dir().join(name)).as_ref(), Some(bytes), "{name}");
    }
}

#[test]
fn kafkas_batches_pass_validation_as_its_clients_sent_them() {
    for (name, bytes) in golden().iter().filter(|(name, _)| name.ends_with(".log")) {
        let mut codecs = Vec::new();
        for (header, stored) in batches_in(bytes) {
            let mut sent = stored.to_vec();
            sent[..8].copy_from_slice(&[0; 8]);
            let settings = LogSettings { timestamp_after_ms_max: i64::MAX, ..LogSettings::default() };
            let valid = storage::validate(sent.clone().into(), &settings, NOW).unwrap();
            assert_eq!(**valid.bytes(), *sent, "{name}");
            assert_eq!(BatchHeader { base_offset: header.base_offset, ..*valid.header() }, header);
            codecs.push(header.attributes.codec().unwrap());
        }
        assert!(codecs.iter().all(|codec| *codec == codecs[0]));
        assert!(Codec::ALL.contains(&codecs[0]));
    }
}
