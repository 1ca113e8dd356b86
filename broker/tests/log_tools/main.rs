//! `ringlog log` as a program, on data directories made for the purpose: what it says, its exit status, and that it
//! changes nothing.

mod place;
mod verify;

use std::path::Path;

use place::{Place, golden_files, run};

#[test]
fn a_dump_shows_every_kind_of_file() {
    let place = Place::with_golden_topic("dump-kinds");
    let (status, out) = run(&["log", "dump", "--records", "--index", place.path()]);
    assert_eq!(status, 0, "{out}");
    for wanted in [
        "metadata=\"Topic(TopicRecord { name: \\\"golden\\\"",
        "property name=node.id value=0",
        "batch base_offset=0 last_offset=",
        "codec=zstd",
        "record offset=119 ",
        "value=\"value of gzip, record ",
        "index_entry at=8 offset=",
        "time_entry at=0 timestamp=",
        "producer producer_id=",
        "epoch leader_epoch=0 start_offset=0",
    ] {
        assert!(out.contains(wanted), "{wanted} is missing in\n{out}");
    }
    assert_eq!(out.matches("\nrecord ").count(), 120 + place.metadata_records());
}

#[test]
fn a_dump_is_one_json_object_a_line_if_asked() {
    let place = Place::with_golden_topic("dump-json");
    let (status, out) = run(&["log", "dump", "--records", "--json", &place.file("golden-0")]);
    assert_eq!(status, 0);
    assert!(out.lines().all(|line| line.starts_with("{\"kind\":\"") && line.ends_with('}')), "{out}");
    assert_eq!(out.matches("{\"kind\":\"record\",").count(), 120);
}

#[test]
fn a_torn_and_a_damaged_segment_are_told_with_file_position_and_reason() {
    let place = Place::with_golden_topic("dump-damage");
    let name = "golden-0/00000000000000000024.log";
    place.change(name, |bytes| bytes[200] ^= 1);
    let (status, out) = run(&["log", "dump", &place.file("golden-0")]);
    assert_eq!(status, 1);
    let wanted = format!(
        "broken path={} position=176 reason=\"the batch at offset 29 fails its checksum\"",
        place.file(name)
    );
    assert!(out.contains(&wanted), "{out}");
    assert_eq!(out.matches("\nbroken ").count(), 1, "what follows is whole: {out}");
    place.change(name, |bytes| bytes.truncate(70));
    let (status, out) = run(&["log", "dump", &place.file(name)]);
    assert_eq!(status, 1);
    assert!(out.contains("bytes begins here, and 70 are left"), "{out}");
}

#[test]
fn an_old_message_format_is_named() {
    let place = Place::with_golden_topic("dump-old");
    place.change("golden-0/00000000000000000000.log", |bytes| bytes[16] = 1);
    let (status, out) = run(&["log", "dump", &place.file("golden-0/00000000000000000000.log")]);
    assert_eq!(status, 1);
    assert!(out.contains("a message of the old format v1 lies here"), "{out}");
}

#[test]
fn no_bytes_make_a_dump_panic() {
    let place = Place::with_golden_topic("dump-noise");
    let mut state = 7u64;
    for (name, original) in golden_files() {
        for round in 0..12 {
            place.change(&format!("golden-0/{name}"), |bytes| {
                *bytes = original.clone();
                for _ in 0..=round {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let at = (state >> 33) as usize % bytes.len().max(1);
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = (state >> 24) as u8;
                    }
                }
                if round == 11 {
                    bytes.truncate(bytes.len() / 2);
                }
            });
            let (status, out) =
                run(&["log", "dump", "--records", "--index", &place.file(&format!("golden-0/{name}"))]);
            assert!(status <= 1, "{name}: status {status}\n{out}");
        }
    }
}

#[test]
fn misuse_has_a_status_of_its_own() {
    let place = Place::with_golden_topic("misuse");
    for words in [
        &["log", "dump", "no/such/file"][..],
        &["log", "verify", "no/such/dir"],
        &["log", "verify", &place.file("golden-0/00000000000000000000.log")],
        &["log", "explain", place.path(), "--topic", "nobody"],
        &["log", "explain", place.path(), "--set", "nonsense"],
        &["log", "dump"],
    ] {
        let (status, out) = run(words);
        assert_eq!(status, 2, "{words:?}: {out}");
    }
}

#[test]
fn a_directory_in_use_is_not_judged() {
    let place = Place::with_golden_topic("in-use");
    let _lock = shard::boot::lock_dir(Path::new(place.path())).unwrap().unwrap();
    let (status, out) = run(&["log", "verify", place.path()]);
    assert_eq!(status, 2);
    assert!(out.contains("a broker uses this directory"), "{out}");
    let (status, out) = run(&["log", "dump", place.path()]);
    assert_eq!(status, 0);
    assert!(out.contains("may be moving"), "{out}");
}

#[test]
fn explain_tells_which_segment_goes_next_and_why() {
    let by_size =
        Place::with_settings("explain-size", &[("retention.bytes", "1000"), ("retention.ms", "-1")]);
    let (status, out) = run(&["log", "explain", by_size.path()]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("deletion next=0 "), "{out}");
    assert!(
        out.contains("when=now why=\"the other segments hold ") && out.contains("retention.bytes is 1000"),
        "{out}"
    );
    let by_age = Place::with_settings("explain-age", &[("retention.ms", "9000000000000")]);
    let (_, out) = run(&["log", "explain", by_age.path(), "--topic", "golden", "--partition", "0"]);
    assert!(
        out.contains("deletion next=0 ")
            && out.contains(" in=\"")
            && out.contains("retention.ms is 9000000000000"),
        "{out}"
    );
    let never = Place::with_settings("explain-never", &[("retention.ms", "-1")]);
    let (_, out) = run(&["log", "explain", &never.file("golden-0")]);
    assert!(
        out.contains("deletion next=nothing why=\"retention.ms and retention.bytes set no limit\""),
        "{out}"
    );
    let compacted = Place::with_settings("explain-compact", &[("cleanup.policy", "compact")]);
    let (_, out) = run(&["log", "explain", compacted.path()]);
    assert!(out.contains("deletion next=nothing why=\"cleanup.policy is without delete"), "{out}");
    assert!(out.contains("compaction cleaned_to=0 clean_bytes=0 dirty_bytes="), "{out}");
}

#[test]
fn what_belongs_to_the_node_stops_the_start_if_it_is_newer() {
    let golden = |name: &str| {
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/log_tools/golden").join(name))
            .unwrap()
    };
    let journal = Path::new(env!("CARGO_MANIFEST_DIR")).join("../storage/tests/golden/ringlog-1/0.journal");
    let files: [(&str, Vec<u8>, usize, &str); 3] = [
        ("meta.properties", golden("meta.properties"), 8, "version 2 is not known"),
        ("ringlog-placement", golden("ringlog-placement"), 18, "a newer version of Ringlog wrote this"),
        (
            "ringlog-journal/0.journal",
            std::fs::read(journal).unwrap(),
            8,
            "a newer version of Ringlog wrote this",
        ),
    ];
    for (name, bytes, version_at, reason) in files {
        let place = Place::with_golden_topic(&format!("start-{}", name.replace('/', "-")));
        std::fs::create_dir(place.file("ringlog-journal")).unwrap();
        place.change(name, |file| *file = bytes.clone());
        let (status, out) = run(&["log", "verify", place.path()]);
        assert_eq!(status, 0, "version 1 is read: {out}");
        place.change(name, |file| file[version_at] = if name.ends_with("journal") { 2 } else { b'2' });
        let before = place.content();
        let (status, out) =
            run(&["start", "--data-dir", place.path(), "--listen", "127.0.0.1:0", "--cores", "1"]);
        assert_eq!(status, 1, "{name}: {out}");
        assert!(out.contains(reason), "{name}: {out}");
        let mut after = place.content();
        after.retain(|(path, _)| !path.ends_with(".lock"));
        assert!(after == before, "{name}: the start has changed something");
    }
}

#[test]
fn the_golden_files_of_the_node_have_their_meaning() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/log_tools/golden");
    let (status, out) = run(&["log", "dump", dir.to_str().unwrap()]);
    assert_eq!(status, 0, "{out}");
    for wanted in [
        "property name=cluster.id value=Xc7kPiFODwcHDpf4-YbeFg",
        "placement topic_id=9w6fuhVYSI2nvF1eTg91fQ partition=1 core=1",
    ] {
        assert!(out.contains(wanted), "{out}");
    }
}
