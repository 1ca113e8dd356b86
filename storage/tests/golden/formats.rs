//! Our own files, version 1, made by another program after `docs/disk-format.md` and kept for ever: each reads back with
//! its meaning, and as a newer version each is refused as one.

use std::path::Path;

use shard::memory::World;
use shard::{Io, OpenMode, WallMs};
use storage::error::Cause;
use storage::inspect::{Fact, facts_of};
use storage::producers::{Producers, snapshot_rows};
use storage::{LogSettings, Offset, journal};

use super::rig::{self, Rig};
use super::world_of;

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ringlog-1").join(name)).unwrap()
}

fn check(name: &str, expected: &[(&str, i128)]) {
    let facts = facts_of(name, &golden(name)).expect("a file that is known").expect("a whole file");
    let expected: Vec<_> = expected.iter().map(|(name, number)| (*name, Fact::Number(*number))).collect();
    assert_eq!(facts, expected, "{name}");
}

#[test]
fn each_file_reads_back_with_its_meaning() {
    check(
        "ringlog.clean",
        &[("base_offset", 4711), ("size", 1_048_000), ("end_offset", 4999), ("index_crc", 0x1234_5678)],
    );
    check("ringlog.start", &[("log_start_offset", 170)]);
    check("ringlog.cleaned", &[("cleaned_to", 4711)]);
    check("ringlog.cut", &[("run", 77), ("frame", 12), ("entry", 3)]);
    check(
        "ringlog.point",
        &[
            ("base_offset", 7),
            ("position", 1000),
            ("end_offset", 42),
            ("first_timestamp", 1_796_018_040_000),
            ("newest_timestamp", 1_796_018_048_979),
            ("producers", 1),
        ],
    );
    let rows: Vec<_> = snapshot_rows(&golden("00000000000000000042.snapshot")).unwrap().collect();
    assert_eq!((rows.len(), rows[0].id.0, rows[0].epoch.0, rows[0].last_offset), (1, 9, 1, Offset(41)));
}

/// Segment, position and length of each entry.
type Entries = Vec<(i64, u32, usize)>;

fn show(bytes: &[u8]) -> Result<(u64, u64, Entries), Cause> {
    let world = World::new(1);
    let mut io = world.io();
    let path = Path::new("/j/0.journal");
    io.disk().create_dir(Path::new("/j")).unwrap();
    io.disk().replace_file(path, bytes).unwrap();
    let mut entries = Vec::new();
    let shown = journal::show(io.disk(), path, |entry| {
        entries.push((entry.place.segment.0, entry.place.position, entry.len));
    });
    let (head, frames) = shown.map_err(|error| error.cause)?.expect("a journal");
    Ok((head.number, frames, entries))
}

#[test]
fn the_journal_reads_back_with_its_meaning() {
    let bytes = golden("0.journal");
    assert_eq!(show(&bytes), Ok((4, 2, vec![(7, 100, 5), (7, 105, 6), (42, 0, 5)])));
    let mut newer = bytes;
    newer[8] = 2;
    assert_eq!(show(&newer), Err(Cause::UnknownVersion));
}

/// The file as a newer version would begin.
fn newer(name: &str) -> Vec<u8> {
    let mut bytes = golden(name);
    match name {
        "ringlog.point" => bytes[4] = 2,
        "00000000000000000042.snapshot" => bytes[1] = 2,
        _ => bytes[0] = b'2',
    }
    bytes
}

#[test]
fn a_newer_version_of_each_keeps_the_log_from_being_opened_or_changed() {
    let names = ["ringlog.clean", "ringlog.start", "ringlog.cleaned", "ringlog.cut", "ringlog.point"];
    for name in names.into_iter().chain(["00000000000000000042.snapshot"]) {
        // The newest snapshot is the one that tells the version.
        let put = if name.ends_with("snapshot") { "00000000000000000120.snapshot" } else { name };
        let world = world_of(|_| true);
        let mut io = world.io();
        let path = rig::dir().join(put);
        let file = io.disk().open(&path, OpenMode::Truncate).unwrap();
        io.disk().write_at(file, 0, &newer(name)).unwrap();
        // A swap that was cut short would be finished, if the log were opened.
        let swap = rig::dir().join("00000000000000000000.index.cleaned");
        io.disk().replace_file(&swap, b"x").unwrap();
        let error = Rig::open(world.clone(), LogSettings::default(), Offset(0)).err().expect("it is refused");
        assert_eq!((error.path, error.cause), (path, Cause::UnknownVersion), "{name}");
        assert!(world.file(&swap).is_some(), "{name}: the directory was changed");
    }
}

#[test]
fn a_newer_epoch_file_or_batch_format_keeps_the_log_from_being_opened() {
    for (name, at, byte) in [("leader-epoch-checkpoint", 0, b'1'), ("00000000000000000096.log", 16, 3)] {
        let world = world_of(|_| true);
        let mut bytes = world.file(&rig::dir().join(name)).unwrap();
        bytes[at] = byte;
        world.io().disk().replace_file(&rig::dir().join(name), &bytes).unwrap();
        let error = Rig::open(world, LogSettings::default(), Offset(0)).err().expect("it is refused");
        assert_eq!(error.cause, Cause::UnknownVersion, "{name}");
    }
}

#[test]
fn a_newer_snapshot_is_told_from_a_damaged_one() {
    let bytes = newer("00000000000000000042.snapshot");
    assert_eq!(Producers::decode_snapshot(&bytes, WallMs(0)).err(), Some(Cause::UnknownVersion));
    let mut damaged = golden("00000000000000000042.snapshot");
    damaged[12] ^= 1;
    assert_eq!(Producers::decode_snapshot(&damaged, WallMs(0)).err(), Some(Cause::Corrupt));
}
