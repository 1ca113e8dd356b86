//! Of each key the last record stays: whatever is appended, crashes and memory come between.

mod rig;

use std::collections::BTreeMap;

use rig::{NOW, Rig, batches_in};
use shard::Io;
use shard::memory::Crash;
use storage::batch::{BatchBuilder, Codec, HEADER_LEN, RecordStream};
use storage::{Appended, LogSettings, Offset, ProducerEpoch, ProducerId, Sequence};

type Records = Vec<(i64, String, Option<String>)>;

fn compacted() -> LogSettings {
    LogSettings {
        segment_bytes: 1500,
        index_interval_bytes: 200,
        is_compacted: true,
        is_deleted: false,
        dirty_permille_min: 0,
        delete_retention_ms: 1000,
        ..LogSettings::default()
    }
}

/// Keys and values; no value is a tombstone.
fn batch(records: &[(&str, Option<&str>)]) -> BatchBuilder {
    records.iter().fold(BatchBuilder::new(), |batch, (key, value)| {
        batch.record(NOW.0, Some(key.as_bytes()), value.map(str::as_bytes))
    })
}

/// Offset, key and value of every record that a reader sees from `offset` on.
fn read_from(rig: &mut Rig, mut offset: i64) -> Records {
    let mut found = Vec::new();
    while let Ok(bytes) = rig.read(offset, 500, true) {
        for (header, batch) in batches_in(&bytes) {
            let codec = header.attributes.codec().unwrap();
            let mut records = RecordStream::new(codec, &batch[HEADER_LEN..], 1 << 20).unwrap();
            while let Some(record) = records.next().unwrap() {
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                let at = header.base_offset.0 + i64::from(record.offset_delta);
                assert_eq!(header.timestamp_of(record.timestamp_delta), NOW.0);
                if at >= offset {
                    found.push((at, text(record.key.unwrap()), record.value.map(text)));
                }
            }
            offset = header.last_offset().0 + 1;
        }
    }
    found
}

/// What must be left: the last of each key before `map_end`, all from there on.
fn latest(all: &Records) -> BTreeMap<String, (i64, Option<String>)> {
    all.iter().map(|(offset, key, value)| (key.clone(), (*offset, value.clone()))).collect()
}

#[test]
fn c91_the_last_record_of_each_key_stays_at_its_offset() {
    for codec in Codec::ALL {
        let mut rig = Rig::new(compacted());
        for round in 0..40 {
            let value = format!("value {round}");
            let keys = ["a", "b", "c", ["d", "e"][round % 2]];
            rig.append(batch(&keys.map(|key| (key, Some(&*value)))).codec(codec, None));
        }
        rig.roll();
        let before = read_from(&mut rig, 0);
        assert_eq!(before.len(), 160);
        let (bytes_before, bytes_after) = rig.compact(100).unwrap();
        assert!(bytes_after * 2 < bytes_before, "{codec:?}: {bytes_after} of {bytes_before}");
        let after = read_from(&mut rig, 0);
        assert_eq!(latest(&after), latest(&before));
        assert_eq!(after.len(), 5, "{codec:?}");
        // A removed offset leads to the next that is there; the end is where it was.
        assert_eq!(read_from(&mut rig, 20), after);
        assert_eq!(rig.log.offsets().end, Offset(160));
        assert_eq!(rig.compact(100), None);
        for crash in [None, Some(Crash::Process), Some(Crash::Power)] {
            rig = match crash {
                None => rig.close_and_reopen().0,
                Some(crash) => rig.crash_and_reopen(crash).0,
            };
            assert_eq!(read_from(&mut rig, 0), after);
            assert_eq!((rig.log.offsets().end, rig.compact(100)), (Offset(160), None));
        }
        assert_eq!(rig.append(batch(&[("a", Some("next"))])), Offset(160));
    }
}

#[test]
fn a_map_too_small_for_all_keys_takes_several_rounds() {
    let mut rig = Rig::new(compacted());
    for round in 0..6 {
        for key in 0..50 {
            rig.append(batch(&[(&format!("key {key}"), Some(&format!("{round}")))]));
        }
    }
    rig.roll();
    let expected = latest(&read_from(&mut rig, 0));
    let mut rounds = 0;
    while rig.compact(20).is_some() {
        rounds += 1;
        assert_eq!(latest(&read_from(&mut rig, 0)), expected);
    }
    assert!((10..100).contains(&rounds), "{rounds}");
    // A second record of a key is left where the rounds met, until there is more to compact.
    assert!(read_from(&mut rig, 0).len() <= 70);
}

#[test]
fn c89_a_key_set_written_over_and_over_keeps_its_size() {
    let mut rig = Rig::new(compacted());
    for round in 0..60 {
        for key in 0..20 {
            rig.append(batch(&[(&format!("key {key}"), Some(&format!("{round}")))]));
        }
        if round % 10 == 9 {
            rig = rig.close_and_reopen().0;
        }
        while rig.log.compaction_due().is_some_and(|due| due <= rig.now) && rig.compact(1000).is_some() {}
        assert!(rig.log.size_bytes() < 20 * 80 + 3 * 1500, "{}", rig.log.size_bytes());
        assert!(rig.log.segment_count() <= 6, "{}", rig.log.segment_count());
    }
}

#[test]
fn q71_tombstones_stay_for_a_while_after_they_were_first_compacted() {
    let mut rig = Rig::new(compacted());
    rig.append(batch(&[("a", Some("1")), ("b", Some("1"))]));
    rig.append(batch(&[("a", None)]));
    rig.roll();
    rig.compact(10).unwrap();
    let with_tombstone = read_from(&mut rig, 0);
    assert_eq!(with_tombstone, [(1, "b".into(), Some("1".into())), (2, "a".into(), None)]);
    for (ms, left) in [(999, 2), (1, 1)] {
        rig.pass_ms(ms);
        rig.append(batch(&[("c", Some("1"))]));
        rig.roll();
        rig.compact(10).unwrap();
        let keys: Vec<String> = read_from(&mut rig, 0).into_iter().map(|record| record.1).collect();
        assert_eq!(keys.iter().filter(|key| *key != "c").count(), left, "{keys:?}");
    }
}

#[test]
fn q70_producers_and_the_last_offset_survive_compaction() {
    let mut rig = Rig::new(compacted());
    let produced = |sequence, key: &str| {
        batch(&[(key, Some("v"))]).producer(ProducerId(5), ProducerEpoch(0), Sequence(sequence))
    };
    rig.append(produced(0, "a"));
    rig.append(produced(1, "b"));
    for _ in 0..5 {
        rig.append(batch(&[("a", Some("w")), ("b", Some("w"))]));
    }
    rig.roll();
    rig.compact(10).unwrap();
    let (bytes, _) = (rig.read(1, 1, true).unwrap(), ());
    let kept = batches_in(&bytes)[0].0;
    assert_eq!((kept.base_offset, kept.record_count, kept.producer_id), (Offset(1), 0, ProducerId(5)));
    assert_eq!((kept.base_sequence, bytes.len()), (Sequence(1), HEADER_LEN));
    // Even if nothing but the log is left, the producer's last sequence is known.
    for name in rig.names().iter().filter(|name| name.ends_with(".snapshot")) {
        let path = rig.path(name);
        rig.io.disk().remove(&path).unwrap();
    }
    let (mut rig, _) = rig.crash_and_reopen(Crash::Process);
    assert!(matches!(rig.try_append(produced(1, "b").build()), Ok(Appended::Duplicate(..))));
}

#[test]
fn a_batch_left_without_records_says_no_codec() {
    for codec in [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let mut rig = Rig::new(compacted());
        rig.append(batch(&[("a", Some("1"))]).codec(codec, None).producer(
            ProducerId(5),
            ProducerEpoch(0),
            Sequence(0),
        ));
        rig.append(batch(&[("a", Some("2"))]).codec(codec, None));
        rig.roll();
        rig.compact(10).unwrap();
        let bytes = rig.read(0, 1, true).unwrap();
        let left = batches_in(&bytes)[0].0;
        assert_eq!((left.record_count, left.producer_id), (0, ProducerId(5)));
        // librdkafka unpacks what says that it is packed, and never comes back from no bytes.
        assert_eq!(left.attributes.codec(), Some(Codec::None), "{codec:?}");
    }
}

#[test]
fn an_empty_batch_names_no_codec() {
    let mut rig = Rig::new(compacted());
    let packed = batch(&[("a", Some("v"))]).producer(ProducerId(5), ProducerEpoch(0), Sequence(0));
    rig.append(packed.codec(Codec::Gzip, None));
    rig.append(batch(&[("a", Some("w"))]));
    rig.roll();
    rig.compact(10).unwrap();
    let bytes = rig.read(0, 1, true).unwrap();
    let kept = batches_in(&bytes)[0].0;
    assert_eq!((kept.record_count, kept.attributes.codec()), (0, Some(Codec::None)));
}

#[test]
fn lag_ratio_and_the_active_segment_hold_compaction_back() {
    let lagging = LogSettings { compaction_lag_ms_min: 5000, ..compacted() };
    let mut rig = Rig::new(lagging);
    rig.append(batch(&[("a", Some("1"))]));
    assert_eq!((rig.log.compaction_due(), rig.compact(10)), (None, None));
    rig.roll();
    assert_eq!((rig.log.compaction_due().unwrap().0, rig.compact(10)), (NOW.0 + 5000, None));
    rig.pass_ms(5000);
    assert!(rig.compact(10).is_some());
    rig.append(batch(&[("b", Some("1"))]));
    rig.roll();
    let settings = LogSettings { dirty_permille_min: 900, compaction_lag_ms_max: 9000, ..compacted() };
    rig.log.set_settings(settings.into());
    assert_eq!(rig.log.compaction_due().unwrap().0, rig.now.0 + 9000);
}

#[test]
fn a_crash_at_any_moment_leaves_the_old_segments_or_the_new() {
    for seed in 0..300 {
        let mut rig = Rig::with_seed(seed, LogSettings { segment_bytes: 400, ..compacted() });
        for round in 0..10 {
            for key in ["a", "b", "c"] {
                rig.append(batch(&[(key, Some(&format!("{round}")))]));
            }
        }
        rig.roll();
        let expected = latest(&read_from(&mut rig, 0));
        let mut compaction = rig.log.begin_compaction(1 << 20, seed, rig.now).unwrap();
        let steps = rig.world.random_u64() % 40;
        for _ in 0..steps {
            if !rig.compact_step(&mut compaction) {
                break;
            }
        }
        let crash = if seed % 2 == 0 { Crash::Process } else { Crash::Power };
        let (mut rig, _) = rig.crash_and_reopen(crash);
        assert_eq!(latest(&read_from(&mut rig, 0)), expected, "seed {seed}");
        assert!(!rig.names().iter().any(|name| name.ends_with("cleaned") && name != "ringlog.cleaned"));
        while rig.compact(100).is_some() {}
        assert_eq!(latest(&read_from(&mut rig, 0)), expected, "seed {seed}");
        assert_eq!(read_from(&mut rig, 0).len(), 3);
    }
}

#[test]
fn a_swap_that_a_crash_cut_short_is_finished() {
    let mut rig = Rig::new(LogSettings { segment_bytes: 400, ..compacted() });
    for round in 0..10 {
        for key in ["a", "b", "c"] {
            rig.append(batch(&[(key, Some(&format!("{round}")))]));
        }
    }
    rig.roll();
    // What the segments were, put back beside what they have become: as if the crash came between the two.
    let before: Vec<_> =
        rig.names().into_iter().map(|name| (rig.world.file(&rig.path(&name)), name)).collect();
    rig.log.set_settings(LogSettings { segment_bytes: 1 << 20, ..compacted() }.into());
    rig.compact(100).unwrap();
    let expected = read_from(&mut rig, 0);
    let merged = rig.world.file(&rig.path("00000000000000000000.log")).unwrap();
    let disk = rig.io.disk();
    for (bytes, name) in before {
        if name.ends_with("log") || name.ends_with("index") {
            disk.replace_file(&rig::dir().join(name), &bytes.unwrap()).unwrap();
        }
    }
    disk.replace_file(&rig::dir().join("00000000000000000000.log.swap"), &merged).unwrap();
    let (mut rig, _) = rig.crash_and_reopen(Crash::Process);
    assert_eq!(read_from(&mut rig, 0).len(), expected.len());
    assert!(!rig.names().iter().any(|name| name.ends_with(".swap")));
}

#[test]
fn a_read_under_way_goes_on_after_its_segment_was_replaced() {
    let mut rig = Rig::new(compacted());
    for round in 0..40 {
        rig.append(batch(&[("a", Some(&format!("{round}"))), ("b", Some("x"))]));
    }
    rig.roll();
    let all = read_from(&mut rig, 0);
    rig.compact(10).unwrap();
    for offset in 0..80 {
        let left = read_from(&mut rig, offset);
        assert_eq!(left.last(), all.last());
    }
}
