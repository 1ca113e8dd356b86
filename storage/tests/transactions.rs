//! Transactions in one log: what is stable, what was aborted, and that restarts, retention and compaction know it still.

mod rig;

use rig::{NOW, Rig, batches_in};
use shard::Io;
use shard::memory::Crash;
use storage::batch::{BatchBuilder, HEADER_LEN, RecordStream};
use storage::log::MarkerFault;
use storage::{
    Appended, LeaderEpoch, LogSettings, Marker, MarkerRefusal, Offset, ProducerEpoch, ProducerId, Promise,
    Sequence,
};

fn settings() -> LogSettings {
    LogSettings { segment_bytes: 1500, index_interval_bytes: 200, ..LogSettings::default() }
}

fn compacted() -> LogSettings {
    LogSettings {
        is_compacted: true,
        is_deleted: false,
        dirty_permille_min: 0,
        delete_retention_ms: 1000,
        ..settings()
    }
}

/// A batch of a transaction; the key is the value.
fn batch(id: i64, epoch: i16, sequence: i32, values: &[&str]) -> BatchBuilder {
    let builder = BatchBuilder::new()
        .producer(ProducerId(id), ProducerEpoch(epoch), Sequence(sequence))
        .attributes(1 << 4);
    values.iter().fold(builder, |b, value| b.record(NOW.0, Some(value.as_bytes()), Some(value.as_bytes())))
}

fn plain(value: &str) -> BatchBuilder {
    BatchBuilder::new().record(NOW.0, Some(value.as_bytes()), Some(value.as_bytes()))
}

fn marker(id: i64, epoch: i16, is_commit: bool) -> Marker {
    Marker {
        producer_id: ProducerId(id),
        producer_epoch: ProducerEpoch(epoch),
        coordinator_epoch: 0,
        is_commit,
    }
}

fn end(rig: &mut Rig, id: i64, epoch: i16, is_commit: bool) -> Offset {
    let marker = marker(id, epoch, is_commit);
    let appended =
        rig.log.append_marker(&marker, false, LeaderEpoch(0), rig.now, Promise::PageCache).unwrap();
    rig.drain();
    let Appended::Fresh { base_offset, .. } = appended else { panic!("a marker is written") };
    base_offset
}

fn stable(rig: &Rig) -> i64 {
    rig.log.offsets().last_stable.0
}

/// Aborted transactions that a reader from `from` to the stable end meets: producer, first offset, marker.
fn aborted(rig: &mut Rig, from: i64) -> Vec<(i64, i64, i64)> {
    let to = rig.log.offsets().last_stable;
    let found = rig.log.aborted_in(rig.io.disk(), Offset(from), to).unwrap();
    found.iter().map(|txn| (txn.producer_id.0, txn.first_offset.0, txn.last_offset.0)).collect()
}

/// The values that a reader of committed records sees, as clients find them out.
fn committed(rig: &mut Rig) -> Vec<String> {
    let (mut offset, mut values) = (rig.log.offsets().log_start.0, Vec::new());
    let to = rig.log.offsets().last_stable.0;
    let all = aborted(rig, offset);
    while offset < to {
        let Ok(bytes) = rig.read(offset, 300, true) else { break };
        for (header, batch) in batches_in(&bytes) {
            let base = header.base_offset.0;
            offset = header.last_offset().0 + 1;
            let is_dropped = all
                .iter()
                .any(|&(id, first, last)| id == header.producer_id.0 && (first..=last).contains(&base));
            let is_data = !header.attributes.is_control();
            if offset > to || !is_data || (is_dropped && header.attributes.is_transactional()) {
                continue;
            }
            let codec = header.attributes.codec().unwrap();
            let mut records = RecordStream::new(codec, &batch[HEADER_LEN..], 1 << 20).unwrap();
            while let Some(record) = records.next().unwrap() {
                values.push(String::from_utf8(record.value.unwrap().to_vec()).unwrap());
            }
        }
    }
    values
}

#[test]
fn q54_the_oldest_open_transaction_holds_the_stable_end_back() {
    let mut rig = Rig::new(settings());
    rig.append(plain("a"));
    assert_eq!(stable(&rig), 1);
    rig.append(batch(1, 0, 0, &["b"]));
    rig.append(batch(2, 0, 0, &["c"]));
    rig.append(plain("d"));
    assert_eq!(stable(&rig), 1);
    end(&mut rig, 2, 0, true);
    assert_eq!(stable(&rig), 1);
    end(&mut rig, 1, 0, false);
    assert_eq!(stable(&rig), 6);
    assert_eq!(committed(&mut rig), ["a", "c", "d"]);
}

#[test]
fn q54_a_transaction_is_stable_when_its_marker_is_replicated() {
    let mut rig = Rig::new(settings());
    rig.append(batch(1, 0, 0, &["a"]));
    let marker = marker(1, 0, true);
    rig.log.append_marker(&marker, false, LeaderEpoch(0), rig.now, Promise::PageCache).unwrap();
    assert_eq!(stable(&rig), 0, "it is not even in the file");
    rig.drain();
    assert_eq!(stable(&rig), 2);
}

#[test]
fn an_open_transaction_keeps_no_old_segment() {
    let mut rig = Rig::new(LogSettings { retention_bytes: Some(2000), ..settings() });
    rig.append(batch(1, 0, 0, &["open"]));
    for _ in 0..40 {
        rig.append(plain(&"x".repeat(200)));
    }
    rig.keep_up();
    let start = rig.log.offsets().log_start;
    assert!(start > Offset(10), "{start:?}");
    assert_eq!(stable(&rig), start.0);
    end(&mut rig, 1, 0, false);
    assert_eq!(stable(&rig), rig.log.offsets().high_watermark.0);
}

#[test]
fn a_coordinator_of_this_node_is_never_an_older_one() {
    let mut rig = Rig::new(settings());
    rig.append(batch(1, 0, 0, &["a"]));
    let from_outside = Marker { coordinator_epoch: 5, ..marker(1, 0, false) };
    rig.log.append_marker(&from_outside, false, LeaderEpoch(0), rig.now, Promise::PageCache).unwrap();
    rig.drain();
    rig.append(batch(1, 0, 1, &["b"]));
    let own = Marker { coordinator_epoch: Marker::OWN_COORDINATOR, ..marker(1, 0, true) };
    rig.log.append_marker(&own, false, LeaderEpoch(0), rig.now, Promise::PageCache).unwrap();
    rig.drain();
    assert_eq!(stable(&rig), 4);
    assert_eq!(committed(&mut rig), ["b"]);
}

#[test]
fn q52_markers_of_the_past_are_refused() {
    let mut rig = Rig::new(settings());
    let mut write = |marker: Marker, bumps_epoch: bool| {
        let now = rig.now;
        let appended = rig.log.append_marker(&marker, bumps_epoch, LeaderEpoch(0), now, Promise::PageCache);
        rig.drain();
        appended
    };
    assert!(matches!(write(marker(1, 3, true), true), Ok(Appended::Fresh { .. })));
    assert!(matches!(write(marker(1, 3, true), true), Ok(Appended::Duplicate(..))), "said again");
    let refused = |refusal| Err(MarkerFault::Refused(refusal));
    let current = ProducerEpoch(3);
    assert_eq!(write(marker(1, 2, true), false), refused(MarkerRefusal::StaleEpoch { current }));
    let later = Marker { coordinator_epoch: 5, ..marker(1, 3, true) };
    assert!(write(later, false).is_ok());
    let earlier = Marker { coordinator_epoch: 4, ..later };
    assert_eq!(write(earlier, false), refused(MarkerRefusal::StaleCoordinator { current: 5 }));
    rig.append(batch(2, 7, 0, &["open"]));
    let now = rig.now;
    let late = rig.log.append_marker(&marker(2, 7, true), true, LeaderEpoch(0), now, Promise::PageCache);
    let current = ProducerEpoch(7);
    assert_eq!(late, refused(MarkerRefusal::StaleEpoch { current }), "KIP-1228: it would end a later one");
}

#[test]
fn a_commit_ends_its_own_transaction_and_not_one_whose_marker_was_lost() {
    for (epoch, expected) in [(4, &["a"][..]), (3, &[])] {
        let mut rig = Rig::new(settings());
        rig.append(batch(1, epoch, 0, &["a"]));
        let commit = marker(1, 5, true);
        rig.log.append_marker(&commit, true, LeaderEpoch(0), rig.now, Promise::PageCache).unwrap();
        rig.drain();
        assert_eq!(committed(&mut rig), expected, "epoch {epoch}");
        assert_eq!(stable(&rig), rig.log.offsets().high_watermark.0);
        rig.append(batch(1, 5, 0, &["b"]));
        end(&mut rig, 1, 6, true);
        assert_eq!(committed(&mut rig).last().map(String::as_str), Some("b"));
    }
}

#[test]
fn q55_open_and_aborted_transactions_survive_every_kind_of_restart() {
    for how in ["close", "process", "power", "checkpoint"] {
        let mut rig = Rig::new(settings());
        for round in 0..12 {
            let epoch = round as i16;
            rig.append(batch(1, epoch, 0, &["x", "y"]));
            rig.append(plain("between"));
            end(&mut rig, 1, epoch, round % 3 == 0);
        }
        rig.append(batch(9, 4, 0, &["open"]));
        rig.append(plain("behind"));
        if how == "checkpoint" {
            rig.log.request_checkpoint();
        }
        rig.drain();
        let (before, open) = (aborted(&mut rig, 0), stable(&rig));
        assert_eq!(before.len(), 8);
        assert!(rig.log.segment_count() > 2, "sealed segments and an active one");
        rig = match how {
            "close" => rig.close_and_reopen().0,
            "power" => {
                rig.log.request_checkpoint();
                rig.drain();
                rig.crash_and_reopen(Crash::Power).0
            }
            _ => rig.crash_and_reopen(Crash::Process).0,
        };
        assert_eq!((aborted(&mut rig, 0), stable(&rig)), (before, open), "{how}");
        assert_eq!(rig.log.producers().open_count(), 1);
        end(&mut rig, 9, 4, false);
        assert_eq!(stable(&rig), rig.log.offsets().high_watermark.0, "{how}");
        assert_eq!(aborted(&mut rig, 0).len(), 9);
    }
}

#[test]
fn q44_an_open_transaction_keeps_its_producer_whoever_else_comes() {
    let mut rig = Rig::new(LogSettings { producer_count_max: 3, producer_expiry_ms: 1000, ..settings() });
    rig.append(batch(1, 0, 0, &["open"]));
    for id in 2..20 {
        rig.append(batch(id, 0, 0, &["x"]));
        end(&mut rig, id, 0, true);
    }
    rig.pass_ms(5000);
    rig.keep_up();
    assert_eq!(stable(&rig), 0);
    assert!(rig.log.producers().has_open(ProducerId(1), ProducerEpoch(0)));
    end(&mut rig, 1, 0, true);
    assert_eq!(stable(&rig), rig.log.offsets().high_watermark.0);
}

/// Each value where it stands last.
fn last_of_each(values: &[String]) -> Vec<String> {
    let mut last: Vec<String> = Vec::new();
    for value in values.iter().rev() {
        if !last.contains(value) {
            last.insert(0, value.clone());
        }
    }
    last
}

#[test]
fn q71_compaction_drops_aborted_records_and_keeps_what_readers_need() {
    let mut rig = Rig::new(compacted());
    let mut rounds = 0;
    for round in 0..40_i16 {
        rig.append(batch(1, round, 0, &["key 1", "key 2", &format!("own {round}")]));
        end(&mut rig, 1, round, round % 2 == 0);
        rounds += 1;
    }
    rig.append(plain("key 1"));
    rig.roll();
    let expected = last_of_each(&committed(&mut rig));
    let (before, after) = rig.compact(1000).unwrap();
    assert!(after * 3 < before * 2, "{after} of {before}");
    assert_eq!(committed(&mut rig), expected);
    assert_eq!(expected.len(), rounds / 2 + 2);
    let left = aborted(&mut rig, 0);
    for how in 0..2 {
        rig = if how == 0 { rig.crash_and_reopen(Crash::Process).0 } else { rig.close_and_reopen().0 };
        assert_eq!(committed(&mut rig), expected);
        assert_eq!((aborted(&mut rig, 0), rig.log.producers().open_count()), (left.clone(), 0));
    }
}

#[test]
fn q71_a_marker_goes_when_nothing_of_its_transaction_is_left_and_not_at_once() {
    let mut rig = Rig::new(compacted());
    for round in 0..10_i16 {
        rig.append(batch(1, round, 0, &["aborted"]));
        end(&mut rig, 1, round, false);
    }
    let count = |rig: &mut Rig| {
        let (mut offset, mut markers) = (0, 0);
        while let Ok(bytes) = rig.read(offset, 300, true) {
            for (header, _) in batches_in(&bytes) {
                markers += usize::from(header.attributes.is_control() && header.record_count > 0);
                offset = header.last_offset().0 + 1;
            }
        }
        markers
    };
    let mut left = vec![count(&mut rig)];
    for _ in 0..4 {
        // Something new each time, so that there is something to compact.
        rig.append(plain("more"));
        rig.append(plain("more"));
        rig.roll();
        rig.compact(1000).unwrap();
        left.push(count(&mut rig));
        assert_eq!(rig.log.producers().open_count(), 0);
        rig = rig.crash_and_reopen(Crash::Process).0;
        assert_eq!(rig.log.producers().open_count(), 0, "nothing is found open after a crash");
        assert_eq!(stable(&rig), rig.log.offsets().high_watermark.0);
        rig.pass_ms(2000);
    }
    assert_eq!(left[..2], [10, 10], "the data goes first");
    assert!(left[4] <= 1, "{left:?}");
    assert!(aborted(&mut rig, 0).len() <= 1);
}

#[test]
fn compaction_ends_at_an_open_transaction() {
    let mut rig = Rig::new(compacted());
    rig.append(batch(1, 0, 0, &["open"]));
    for _ in 0..40 {
        rig.append(plain("again and again"));
    }
    rig.roll();
    assert_eq!(rig.compact(1000), None);
    end(&mut rig, 1, 0, true);
    assert!(rig.compact(1000).is_some());
    assert_eq!(committed(&mut rig).first().map(String::as_str), Some("open"));
}
