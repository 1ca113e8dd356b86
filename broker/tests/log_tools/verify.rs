//! What `ringlog log verify` finds, and what it says that a start will do about it.

use std::fs;

use crate::place::{Place, run};

const FIRST: &str = "golden-0/00000000000000000000.log";
const ACTIVE: &str = "golden-0/00000000000000000096.log";

/// Verifies; whatever is found, nothing may have changed.
fn verify(place: &Place) -> (i32, String) {
    let before = place.content();
    let done = run(&["log", "verify", place.path()]);
    assert_eq!(place.content(), before, "verify has changed something");
    done
}

fn finds(name: &str, change: impl FnOnce(&Place), wanted: &[&str]) {
    let place = Place::with_golden_topic(name);
    change(&place);
    let (status, out) = verify(&place);
    assert_eq!(status, 1, "{out}");
    for wanted in wanted {
        assert!(out.contains(wanted), "{wanted} is missing in\n{out}");
    }
}

#[test]
fn a_sound_directory_is_sound() {
    let place = Place::with_golden_topic("verify-sound");
    let (status, out) = verify(&place);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("segments=5 batches=30 records=120 log_start=0 end=120"), "{out}");
    let (status, out) = run(&["log", "verify", "--json", &place.file("golden-0")]);
    assert_eq!(status, 0, "{out}");
    assert!(out.lines().all(|line| line.starts_with("{\"kind\":\"")), "{out}");
}

#[test]
fn damage_within_a_sealed_segment_is_found_and_left_alone() {
    let change = |place: &Place| place.change(FIRST, |bytes| bytes[200] ^= 1);
    finds(
        "verify-sealed",
        change,
        &[
            "position=0 what=\"the batch at offset 0 fails its checksum\"",
            "leaves it as it is: what was sealed",
            "end=120",
        ],
    );
}

#[test]
fn a_torn_end_is_cut_by_the_start() {
    let change = |place: &Place| place.change(ACTIVE, |bytes| bytes.truncate(bytes.len() - 5));
    finds(
        "verify-torn",
        change,
        &[" are left; ", "start=\"cuts the file to ", "start=\"opens after a crash, reads "],
    );
}

#[test]
fn garbage_behind_the_last_batch_is_cut_by_the_start() {
    let change = |place: &Place| place.change(ACTIVE, |bytes| bytes.extend([0; 100]));
    finds(
        "verify-garbage",
        change,
        &["100 bytes from here on are no whole batches", "start=\"cuts the file to "],
    );
}

#[test]
fn an_index_that_does_not_fit_its_segment_is_found() {
    let index = "golden-0/00000000000000000000.index";
    let nowhere = |place: &Place| place.change(index, |bytes| bytes[7] ^= 1);
    finds("verify-index", nowhere, &["where no batch begins", "look-ups by offset may miss records"]);
    let gone = |place: &Place| fs::remove_file(place.file(index)).unwrap();
    finds("verify-no-index", gone, &["the index is missing", "start=\"makes it anew\""]);
    let time = |place: &Place| place.change("golden-0/00000000000000000000.timeindex", |bytes| bytes[6] ^= 1);
    finds("verify-time-index", time, &["timeindex position=0 what=\"records before an entry are as new as "]);
}

#[test]
fn a_damaged_snapshot_is_found() {
    let change =
        |place: &Place| place.change("golden-0/00000000000000000120.snapshot", |bytes| bytes[10] ^= 1);
    finds("verify-snapshot", change, &["snapshot position=0 what=\"it is damaged\""]);
}

#[test]
fn a_missing_segment_is_a_gap() {
    let change = |place: &Place| fs::remove_file(place.file("golden-0/00000000000000000048.log")).unwrap();
    finds("verify-gap", change, &["offsets 48 to 71 are in no segment"]);
}

#[test]
fn a_newer_version_takes_the_partition_offline_and_nothing_is_changed() {
    for (name, content) in [
        ("ringlog.clean", "2 96 0 120 5\n"),
        ("ringlog.start", "7 1 2\n"),
        ("ringlog.cleaned", "2 1 2\n"),
        ("ringlog.cut", "2 1 1 1 1\n"),
        ("leader-epoch-checkpoint", "1\n1\n0 0\n"),
        ("00000000000000000120.snapshot", "\0\u{2}rest"),
        ("ringlog.point", "RLPT\u{2}\0\0\0rest"),
    ] {
        let path = format!("golden-0/{name}");
        let change = |place: &Place| place.change(&path, |bytes| *bytes = content.as_bytes().to_vec());
        let wanted = format!("start=\"the partition stays offline: {}", "/");
        finds(&format!("verify-new-{name}"), change, &[&wanted, "a newer version of Ringlog wrote this"]);
    }
}

#[test]
fn what_no_topic_explains_is_noted() {
    let place = Place::with_golden_topic("verify-stranger");
    fs::create_dir(place.file("other-3")).unwrap();
    fs::create_dir(place.file("golden-1.00000000.deleted")).unwrap();
    let (status, out) = verify(&place);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("no topic has this partition") && out.contains("start removes it"), "{out}");
}

#[test]
fn metadata_that_a_start_refuses_is_a_finding() {
    let place = Place::with_golden_topic("verify-metadata");
    let log = "__cluster_metadata-0/00000000000000000000.log";
    place.change(log, |bytes| bytes.extend([0; 3]));
    let (status, out) = verify(&place);
    assert_eq!(status, 1);
    assert!(out.contains("the last 3 bytes are no whole batch") && out.contains("cuts the file to"), "{out}");
    place.change("ringlog-placement", |bytes| *bytes = b"ringlog-placement 2\n".to_vec());
    let (status, out) = verify(&place);
    assert_eq!(status, 1);
    assert!(out.contains("a start would be refused") && out.contains("a newer version"), "{out}");
}
