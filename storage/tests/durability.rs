//! What survives a loss of power, which way it got to the disk, and what recovery reads.

mod rig;

use rig::{NOW, Rig, batch};
use shard::buffer::ALIGNMENT;
use shard::memory::{Crash, Faults};
use shard::{Io, OpenMode, WallMs};
use storage::batch::BatchBuilder;
use storage::{
    Appended, Durability, Log, LogSettings, Offline, Offset, OpenFiles, OpenLog, Opening, Promise,
    StorageError,
};

fn rig_with(promise: Promise) -> Rig {
    let mut rig = Rig::new(LogSettings { segment_bytes: 20_000, ..LogSettings::default() });
    rig.promise = promise;
    rig
}

fn synced(rig: &Rig) -> i64 {
    rig.log.synced_end().0
}

#[test]
fn what_asked_for_the_disk_survives_a_loss_of_power() {
    for seed in 0..50 {
        let mut rig = Rig::with_seed(seed, LogSettings { segment_bytes: 2000, ..LogSettings::default() });
        rig.promise = Promise::Disk;
        for _ in 0..30 {
            rig.append(batch(&[NOW.0, NOW.0]));
        }
        assert_eq!(rig.log.durable_end(), Offset(60));
        let (mut rig, _) = rig.crash_and_reopen(Crash::Power);
        assert_eq!(rig.read_all(0).len(), 60, "seed {seed}");
        assert!(rig.replayed.bytes > 0);
        // Replayed once, it is in the segments: another loss of power takes nothing either.
        let (mut rig, _) = rig.crash_and_reopen(Crash::Power);
        assert_eq!((rig.read_all(0).len(), rig.replayed.bytes), (60, 0));
    }
}

#[test]
fn the_page_cache_costs_no_journal() {
    for promise in [Promise::PageCache, Promise::Disk] {
        for durability in [Durability::Os, Durability::Disk] {
            let mut rig = Rig::new(LogSettings { durability, ..LogSettings::default() });
            rig.promise = promise;
            rig.append(batch(&[1]));
            let is_durable = (promise, durability) == (Promise::Disk, Durability::Disk);
            assert_eq!(rig.log.durable_end(), Offset(i64::from(is_durable)));
            assert_eq!(rig.log.readable_end(), Offset(1));
            assert_eq!(rig.journal.as_ref().unwrap().newest(), u64::from(is_durable));
            assert_eq!(synced(&rig), 0);
        }
    }
}

#[test]
fn a_record_is_read_when_it_is_as_durable_as_it_asked_to_be() {
    let mut rig = rig_with(Promise::PageCache);
    rig.append(batch(&[1]));
    rig.promise = Promise::Disk;
    rig.append(batch(&[2]));
    rig.world.set_faults(Faults { latency_ns_max: 1_000_000, ..Faults::default() });
    rig.try_append(batch(&[3]).build()).unwrap();
    rig.submit();
    while rig.log.offsets().end < Offset(3) {
        rig.world.advance();
        rig.reap();
        if rig.log.durable_end() < Offset(3) {
            assert_eq!(rig.log.offsets().high_watermark, Offset(2));
        }
    }
    rig.drain();
    assert_eq!(rig.log.offsets().high_watermark, Offset(3));
}

#[test]
fn what_comes_after_the_page_cache_alone_is_synced_with_it() {
    let mut rig = rig_with(Promise::PageCache);
    rig.append(batch(&[1, 2]));
    rig.promise = Promise::Disk;
    rig.append(batch(&[3]));
    // A journal entry after a hole would be worth nothing: the segment was synced.
    assert_eq!((synced(&rig), rig.journal.as_ref().unwrap().newest()), (3, 0));
    rig.append(batch(&[4]));
    assert_eq!((synced(&rig), rig.journal.as_ref().unwrap().newest()), (3, 1));
    // Now the journal takes the page cache's appends along, so that there are no more holes.
    rig.promise = Promise::PageCache;
    rig.append(batch(&[5]));
    rig.promise = Promise::Disk;
    rig.append(batch(&[6]));
    assert_eq!((synced(&rig), rig.journal.as_ref().unwrap().newest()), (3, 3));
    let (mut rig, _) = rig.crash_and_reopen(Crash::Power);
    assert_eq!(rig.read_all(0).len(), 6);
}

#[test]
fn a_promise_is_kept_however_much_is_written_without_one() {
    for others in [Promise::PageCache, Promise::Disk] {
        let mut rig = rig_with(Promise::PageCache);
        rig.append(batch(&[1]));
        rig.promise = Promise::Disk;
        rig.try_append(batch(&[2]).build()).unwrap();
        rig.promise = others;
        for turn in 0.. {
            // Somebody appends in every turn, so that a write is always under way or waits.
            rig.try_append(batch(&[3]).build()).unwrap();
            rig.submit();
            rig.world.advance();
            rig.reap();
            if rig.log.durable_end() >= Offset(2) {
                break;
            }
            assert!(turn < 10, "the promised record waits behind the others");
        }
    }
}

#[test]
fn a_journaled_segment_is_written_back_as_it_grows() {
    for (promise, pieces) in [(Promise::Disk, 4), (Promise::PageCache, 0)] {
        let mut rig = Rig::new(LogSettings::default());
        rig.promise = promise;
        for round in 0..500 {
            rig.append(BatchBuilder::new().record(NOW.0, None, Some(&vec![1; 10_000])));
            // The journal in this test is smaller than a piece.
            if round % 10 == 9 {
                let newest = rig.journal.as_ref().unwrap().newest();
                rig.log.request_checkpoint();
                rig.drain();
                rig.journal.as_mut().unwrap().free_to(newest);
            }
        }
        assert_eq!(rig.written_back.len(), pieces, "{:?}", rig.written_back);
        let mut end = 0;
        for piece in &rig.written_back {
            assert_eq!(
                (piece.start, piece.end % ALIGNMENT as u64),
                (end, 0),
                "a page that will change is left"
            );
            end = piece.end;
        }
    }
}

#[test]
fn a_large_append_goes_straight_to_its_segment() {
    let mut rig = Rig::new(LogSettings { message_bytes_max: 4 << 20, ..LogSettings::default() });
    rig.promise = Promise::Disk;
    rig.append(BatchBuilder::new().record(NOW.0, None, Some(&vec![1; 2 << 20])));
    assert_eq!((synced(&rig), rig.journal.as_ref().unwrap().newest()), (1, 0));
    let (mut rig, _) = rig.crash_and_reopen(Crash::Power);
    assert_eq!(rig.read_all(0).len(), 1);
}

#[test]
fn a_checkpoint_frees_the_journal_and_spares_recovery() {
    let mut rig = rig_with(Promise::Disk);
    // Many times the journal's length in all.
    for round in 0..40 {
        for _ in 0..20 {
            rig.append(BatchBuilder::new().record(NOW.0, None, Some(&[7; 1000])));
        }
        let newest = rig.journal.as_ref().unwrap().newest();
        rig.log.request_checkpoint();
        rig.drain();
        assert_eq!(synced(&rig), 20 * (round + 1));
        rig.journal.as_mut().unwrap().free_to(newest);
        rig.drain();
        assert_eq!(rig.journal.as_ref().unwrap().used_percent(), 0);
    }
    rig.append(batch(&[1]));
    let expected = rig.read_all(0);
    let (mut rig, recovered) = rig.crash_and_reopen(Crash::Process);
    assert_eq!(rig.read_all(0), expected);
    // Only what came after the checkpoint was replayed, and read.
    assert_eq!(rig.replayed.frames, 1);
    assert!((1..200).contains(&recovered.checked_bytes), "{recovered:?}");
}

#[test]
fn a_full_journal_still_makes_durable() {
    let mut rig = rig_with(Promise::Disk);
    for _ in 0..500 {
        rig.append(BatchBuilder::new().record(NOW.0, None, Some(&[7; 1000])));
        assert_eq!(rig.log.durable_end(), rig.log.offsets().end);
    }
    let (mut rig, _) = rig.crash_and_reopen(Crash::Power);
    assert_eq!(rig.read_all(0).len(), 500);
}

#[test]
fn c95_a_kill_costs_what_was_not_checkpointed() {
    let mut rig = Rig::new(LogSettings::default());
    for _ in 0..1000 {
        rig.append(batch(&[NOW.0; 10]));
    }
    rig.log.request_checkpoint();
    rig.drain();
    for _ in 0..3 {
        rig.append(batch(&[NOW.0 + 1]));
    }
    let (mut rig, recovered) = rig.crash_and_reopen(Crash::Process);
    assert!((1..400).contains(&recovered.checked_bytes), "{recovered:?}");
    assert_eq!(rig.read_all(0).len(), 10_003);
    assert_eq!(rig.read_all(5000).len(), 5003);
    // Without the point, or with a torn one, the segment is read from its start.
    let path = rig.path("ringlog.point");
    let len = rig.world.file(&path).unwrap().len() as u64;
    for bit in [0, 8 * 8, len * 8 - 1] {
        rig.world.flip_bit(&path, bit);
        let (next, recovered) = rig.crash_and_reopen(Crash::Process);
        assert!(recovered.checked_bytes > 100_000);
        rig = next;
        rig.world.flip_bit(&path, bit);
    }
    assert_eq!(rig.read_all(0).len(), 10_003);
}

#[test]
fn a_failed_journal_promises_nothing_more() {
    let mut rig = rig_with(Promise::Disk);
    rig.append(batch(&[1]));
    rig.world.set_faults(Faults { failed_write_percent: 100, ..Faults::default() });
    rig.try_append(batch(&[2]).build()).unwrap();
    rig.drain();
    assert!(rig.log.offline().is_some());
    assert_eq!(rig.log.durable_end(), Offset(1));
    rig.world.set_faults(Faults::default());
    let (mut rig, _) = rig.crash_and_reopen(Crash::Power);
    assert!(!rig.read_all(0).is_empty());
    let failed = rig.log.on_journal_failed(shard::IoError::DEVICE);
    assert_eq!(failed, Offline::Journal(shard::IoError::DEVICE));
}

#[test]
fn a_truncated_log_does_not_get_its_end_back() {
    for crash in [Crash::Process, Crash::Power] {
        let mut rig = rig_with(Promise::Disk);
        for _ in 0..10 {
            rig.append(batch(&[NOW.0, NOW.0]));
        }
        let mut rig = rig.truncate_to(Offset(6));
        rig.promise = Promise::Disk;
        rig.append(batch(&[1]));
        rig.append(batch(&[2]));
        let (mut rig, _) = rig.crash_and_reopen(crash);
        assert_eq!(rig.read_all(0).len(), 8, "{crash:?}");
    }
}

#[test]
fn a_journal_of_another_version_is_refused_before_anything_is_written() {
    let mut rig = rig_with(Promise::Disk);
    rig.append(batch(&[1]));
    let path = storage::journal::path_of(std::path::Path::new("/data"), 0);
    let mut io = rig.world.io();
    let file = io.disk().open(&path, OpenMode::Write).unwrap();
    for block in 0..2 {
        io.disk().write_at(file, block * ALIGNMENT as u64 + 8, &9u32.to_le_bytes()).unwrap();
    }
    let files = |rig: &Rig| -> Vec<_> { rig.world.paths().iter().map(|path| rig.world.file(path)).collect() };
    let before = files(&rig);
    let opened: Result<_, StorageError> = Rig::open(rig.world.clone(), LogSettings::default(), Offset(0));
    assert!(opened.is_err_and(|error| error.to_string().contains("newer version")));
    assert_eq!(before, files(&rig));
}

/// Opens the world of a rig again after a crash, and takes its journal over as it is.
fn crash_and_keep(rig: Rig, crash: Crash) -> Rig {
    let settings = LogSettings::clone(rig.log.settings());
    rig.world.crash(crash);
    Rig::open_and_keep(rig.world, settings, Offset(0), true).unwrap().0
}

#[test]
fn a_journal_that_is_taken_over_keeps_what_no_segment_is_synced_for() {
    for seed in 0..60 {
        let mut rig = Rig::with_seed(seed, LogSettings { segment_bytes: 3000, ..LogSettings::default() });
        let mut acknowledged = 0;
        for round in 0..8 {
            rig.promise = Promise::Disk;
            // The first of a run syncs its segment; the others go through the journal that was taken over.
            for _ in 0..5 {
                rig.append(batch(&[NOW.0]));
                acknowledged = rig.log.durable_end().0;
            }
            assert_eq!(acknowledged, rig.log.offsets().end.0, "seed {seed}, round {round}");
            // A frame that is under way when the power fails may be torn, and the next run writes it anew.
            rig.try_append(batch(&[NOW.0, NOW.0]).build()).unwrap();
            rig.submit();
            let crash = if seed % 3 == 0 { Crash::Process } else { Crash::Power };
            rig = crash_and_keep(rig, crash);
            let found = rig.read_all(0);
            assert!(found.len() as i64 >= acknowledged, "seed {seed}, round {round}: {}", found.len());
            assert!(found.iter().zip(0..).all(|((offset, _), expected)| *offset == expected));
        }
    }
}

#[test]
fn a_journal_that_is_taken_over_is_freed_when_its_logs_are_synced() {
    let mut rig = rig_with(Promise::Disk);
    for _ in 0..10 {
        rig.append(batch(&[NOW.0]));
    }
    rig = crash_and_keep(rig, Crash::Power);
    let newest = rig.journal.as_ref().unwrap().newest();
    assert_eq!((newest, rig.replayed.frames), (10, 10));
    assert!(rig.journal.as_ref().unwrap().used_percent() > 0);
    rig.log.request_checkpoint();
    rig.drain();
    rig.journal.as_mut().unwrap().free_to(newest);
    rig.drain();
    assert_eq!(rig.journal.as_ref().unwrap().used_percent(), 0);
    rig = crash_and_keep(rig, Crash::Power);
    assert_eq!((rig.replayed.frames, rig.read_all(0).len()), (0, 10));
}

#[test]
fn a_log_that_is_opened_step_by_step_is_the_one_that_is_opened_at_once() {
    for seed in 0..20 {
        let mut rig = Rig::with_seed(seed, LogSettings { segment_bytes: 2000, ..LogSettings::default() });
        for number in 0..40 {
            rig.promise = if number % 3 == 0 { Promise::Disk } else { Promise::PageCache };
            rig.append(batch(&[NOW.0 + number, NOW.0]));
        }
        let settings = std::sync::Arc::clone(rig.log.settings());
        rig.world.crash(if seed % 2 == 0 { Crash::Power } else { Crash::Process });
        let with = OpenLog { id: rig::ID, dir: rig::dir(), settings, log_start: Offset(0), now: NOW };
        let mut io = rig.world.io();
        let mut files = OpenFiles::new(3);
        let mut opening = Opening::begin(io.disk(), &mut files, with.clone()).unwrap();
        let mut steps = 1;
        while !opening.step(io.disk(), &mut files, 1).unwrap() {
            files.close_evicted(io.disk());
            steps += 1;
        }
        let (stepped, report) = opening.finish();
        // A second time nothing is cut any more, and the rest is as it was.
        let (at_once, again) = Log::open(io.disk(), &mut files, with).unwrap();
        assert_eq!(stepped.offsets(), at_once.offsets(), "seed {seed}");
        assert_eq!(stepped.size_bytes(), at_once.size_bytes());
        assert_eq!(stepped.segment_count(), at_once.segment_count());
        assert_eq!((again.cut_bytes, report.is_clean), (0, false));
        assert!(
            steps as u64 > report.checked_bytes / 200,
            "{steps} steps for {} bytes",
            report.checked_bytes
        );
        files.close_evicted(io.disk());
        assert_eq!(files.count(), 0, "opening holds no file open");
    }
}

#[test]
fn flush_messages_makes_the_append_that_reaches_it_wait_for_the_disk() {
    for durability in [Durability::Disk, Durability::Os] {
        let mut rig = Rig::new(LogSettings { flush_messages: 3, durability, ..LogSettings::default() });
        let promises: Vec<_> = (0..6)
            .map(|_| match rig.try_append(batch(&[NOW.0]).build()).unwrap() {
                Appended::Fresh { promise, .. } => promise,
                other => panic!("{other:?}"),
            })
            .collect();
        rig.drain();
        let (cache, disk) = (Promise::PageCache, Promise::Disk);
        assert_eq!(promises, [cache, cache, disk, cache, cache, disk], "{durability:?}");
        assert_eq!(rig.log.durable_end(), Offset(6));
    }
}

#[test]
fn flush_ms_syncs_what_is_in_the_page_cache_alone() {
    let mut rig = Rig::new(LogSettings { flush_ms: 100, ..LogSettings::default() });
    assert_eq!(rig.log.flush_due(), None);
    rig.append(batch(&[NOW.0]));
    rig.now = WallMs(rig.now.0 + 60);
    rig.append(batch(&[NOW.0]));
    assert_eq!((synced(&rig), rig.log.flush_due()), (0, Some(WallMs(NOW.0 + 100))));
    rig.now = WallMs(NOW.0 + 100);
    rig.log.keep_up(rig.io.disk(), &mut rig.files, rig.now).unwrap();
    rig.drain();
    assert_eq!((synced(&rig), rig.log.flush_due()), (2, None));
}
