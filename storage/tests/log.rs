//! The log, behaviour by behaviour.

mod rig;

use rig::{NOW, Rig, batch, batches_in, last_offset, records_in};
use shard::memory::{Crash, Faults};
use shard::{Disk, Io, Op, OpenMode, Ops, Token};
use storage::batch::{BatchBuilder, CRC_START, Codec, seal};
use storage::{
    AppendRefusal, Appended, Duplicate, LeaderEpoch, Log, LogSettings, Offline, Offset, ProducerEpoch,
    ProducerId, ReadPlan, ReadWant, Sequence, SequenceRefusal, TimestampType,
};

fn small_segments() -> LogSettings {
    LogSettings { segment_bytes: 400, index_interval_bytes: 100, ..LogSettings::default() }
}

fn produced(sequence: i32, count: usize) -> BatchBuilder {
    batch(&vec![NOW.0; count]).producer(ProducerId(5), ProducerEpoch(0), Sequence(sequence))
}

fn bases(bytes: &[u8]) -> Vec<i64> {
    batches_in(bytes).iter().map(|(header, _)| header.base_offset.0).collect()
}

#[test]
fn nothing_is_on_disk_before_the_first_append() {
    let mut rig = Rig::new(LogSettings::default());
    assert_eq!(rig.read(0, 100, true), Err(ReadPlan::Empty));
    let (mut rig, recovered) = rig.close_and_reopen();
    assert!(recovered.is_clean && rig.names().is_empty());
    assert!(size_of::<Log>() <= 1024, "{}", size_of::<Log>());
    assert_eq!(rig.append(batch(&[1])), Offset(0));
}

#[test]
fn q30_a_stored_batch_is_the_clients_but_for_offset_and_epoch() {
    let mut rig = Rig::new(LogSettings::default());
    rig.epoch = LeaderEpoch(3);
    rig.append(batch(&[1, 2]));
    for value_len in [10, 5000, 100_000] {
        let sent = BatchBuilder::new().record(NOW.0, None, Some(&vec![7; value_len])).build();
        let Appended::Fresh { base_offset, .. } = rig.try_append(sent.clone()).unwrap() else { panic!() };
        rig.drain();
        let stored = rig.read(base_offset.0, 1, true).unwrap();
        assert_eq!(stored[..8], base_offset.0.to_be_bytes());
        assert_eq!(stored[12..16], 3i32.to_be_bytes());
        assert_eq!((&stored[8..12], &stored[16..]), (&sent[8..12], &sent[16..]));
    }
}

#[test]
fn many_appends_of_a_turn_are_one_write_and_visible_together() {
    let mut rig = Rig::new(LogSettings::default());
    for i in 0..100 {
        rig.try_append(batch(&[i]).build()).unwrap();
    }
    assert_eq!(rig.read(0, 1000, true), Err(ReadPlan::Empty));
    rig.submit();
    rig.try_append(batch(&[200]).build()).unwrap();
    rig.reap();
    assert_eq!(rig.log.offsets().end, Offset(100));
    assert_eq!(rig.log.offsets().assigned, Offset(101));
    rig.drain();
    assert_eq!(rig.read_all(0).len(), 101);
}

#[test]
fn q56_q57_reads_give_whole_batches_across_segments() {
    let mut rig = Rig::new(small_segments());
    for i in 0..30 {
        rig.append(batch(&[i, i]));
    }
    assert!(rig.log.segment_count() > 3);
    let size = rig.read(0, 1, true).unwrap().len();
    for offset in 0..60 {
        assert_eq!(bases(&rig.read(offset, 1, true).unwrap()), [offset / 2 * 2]);
        // Without "at least one" there is no room for a batch, which is found out before reading or after.
        let none = rig.read(offset, size as u32 - 1, false);
        assert!(none.as_ref().is_ok_and(Vec::is_empty) || none == Err(ReadPlan::Empty));
    }
    let (mut rig, _) = rig.close_and_reopen();
    for offset in 0..60 {
        assert_eq!(bases(&rig.read(offset, 1, true).unwrap()), [offset / 2 * 2]);
    }
    assert_eq!(rig.read_all(7).len(), 53);
}

#[test]
fn q63_out_of_range_only_below_the_start_or_beyond_the_end() {
    let mut rig = Rig::new(LogSettings::default());
    rig.append(batch(&[1, 2, 3]));
    rig.log.advance_log_start(Offset(1));
    for (offset, expected) in [(-1, true), (0, true), (1, false), (3, false), (4, true)] {
        assert_eq!(rig.read(offset, 10, true) == Err(ReadPlan::OutOfRange), expected, "offset {offset}");
    }
    assert_eq!(rig.read(3, 10, true), Err(ReadPlan::Empty));
}

/// Segments as compaction leaves them: offsets 10 and 14 in the first, 20 to 24 missing, 30 in the second.
fn log_with_gaps() -> Rig {
    let rig = Rig::new(LogSettings::default());
    let mut io = rig.world.io();
    io.create_dir(&rig::dir()).unwrap();
    io.replace_file(&rig.path("00000000000000000030.snapshot"), b"the segment before is sealed").unwrap();
    for (name, bases) in [("00000000000000000010.log", &[10i64, 14][..]), ("00000000000000000030.log", &[30])]
    {
        let mut bytes = Vec::new();
        for base in bases {
            let mut batch = batch(&[*base]).build();
            batch[..8].copy_from_slice(&base.to_be_bytes());
            batch[12..16].copy_from_slice(&[0; 4]);
            bytes.extend(batch);
        }
        let file = io.open(&rig::dir().join(name), OpenMode::Create).unwrap();
        io.write_at(file, 0, &bytes).unwrap();
    }
    Rig::open(rig.world, LogSettings::default(), Offset(0)).unwrap().0
}

#[test]
fn q69_gaps_are_jumped_over() {
    let mut rig = log_with_gaps();
    for (offset, base) in [(10, 10), (11, 14), (14, 14), (15, 30), (29, 30), (30, 30)] {
        assert_eq!(bases(&rig.read(offset, 1, true).unwrap()), [base], "offset {offset}");
    }
    assert_eq!(rig.append(batch(&[1])), Offset(31));
}

#[test]
fn c87_the_log_starts_at_its_first_batch_and_reads_there_go_on() {
    let mut rig = log_with_gaps();
    assert_eq!(rig.log.offsets().log_start, Offset(10));
    rig.log.advance_log_start(Offset(16));
    assert_eq!(bases(&rig.read(16, 1, true).unwrap()), [30]);
}

#[test]
fn q74_segments_roll_by_the_time_of_their_records() {
    let mut rig = Rig::new(LogSettings { segment_ms: 100, ..LogSettings::default() });
    for (time, segments) in [(1000, 1), (1100, 1), (1101, 2), (1050, 2), (1202, 3)] {
        rig.append(batch(&[time]));
        assert_eq!(rig.log.segment_count(), segments, "at {time}");
    }
    rig.append(batch(&[-1]));
    assert_eq!(rig.log.segment_count(), 3);
}

fn check_time(rig: &mut Rig, cases: &[(i64, Option<i64>)]) {
    let up_to = rig.log.offsets().high_watermark;
    for (time, offset) in cases {
        let found = rig.log.find_by_time(rig.io.disk(), &mut rig.files, *time, up_to).unwrap();
        assert_eq!(found.map(|found| found.offset.0), *offset, "time {time}");
    }
}

fn newest(rig: &mut Rig) -> Option<(i64, i64)> {
    let up_to = rig.log.offsets().high_watermark;
    let found = rig.log.find_newest(rig.io.disk(), &mut rig.files, up_to).unwrap();
    found.map(|found| (found.offset.0, found.timestamp))
}

#[test]
fn q76_c79_time_lookup_finds_the_first_record_at_or_after() {
    let rising =
        [(1, Some(0)), (2, Some(0)), (3, Some(1)), (5, Some(2)), (7, Some(3)), (8, Some(3)), (9, None)];
    let mut rig = Rig::new(LogSettings::default());
    check_time(&mut rig, &[(1, None)]);
    for time in [2, 4, 6, 8] {
        rig.append(batch(&[time]));
    }
    check_time(&mut rig, &rising);
    for codec in Codec::ALL {
        let mut rig = Rig::new(LogSettings::default());
        rig.append(batch(&[2, 4, 6, 8]).codec(codec, None));
        check_time(&mut rig, &rising);
        rig.log.advance_log_start(Offset(2));
        check_time(&mut rig, &[(1, Some(2)), (7, Some(3)), (9, None)]);
        assert_eq!(newest(&mut rig), Some((3, 8)));
    }
}

#[test]
fn c79_time_lookup_in_unordered_timestamps() {
    let falling = [(1, Some(0)), (3, Some(0)), (8, Some(0)), (9, None)];
    let mut together = Rig::new(LogSettings::default());
    together.append(batch(&[8, 2, 6, 4]));
    let mut apart =
        Rig::new(LogSettings { segment_bytes: 160, index_interval_bytes: 0, ..LogSettings::default() });
    for time in [8, 2, 6, 4] {
        apart.append(batch(&[time]));
    }
    assert!(apart.log.segment_count() > 1);
    for rig in [together, apart] {
        let (mut rig, _) = rig.close_and_reopen();
        check_time(&mut rig, &falling);
        rig.log.advance_log_start(Offset(1));
        check_time(&mut rig, &[(1, Some(1)), (3, Some(2)), (7, None)]);
        assert_eq!(newest(&mut rig), Some((2, 6)));
    }
}

#[test]
fn c81_append_time_is_what_readers_see() {
    let settings = LogSettings { timestamp_type: TimestampType::LogAppendTime, ..LogSettings::default() };
    let mut rig = Rig::new(settings);
    rig.append(batch(&[1, 2]));
    let times: Vec<_> = records_in(&rig.read(0, 1, true).unwrap()).iter().map(|record| record.2).collect();
    assert_eq!(times, [NOW.0, NOW.0]);
    check_time(&mut rig, &[(2, Some(0)), (NOW.0, Some(0)), (NOW.0 + 1, None)]);
}

#[test]
fn c85_any_timestamps_survive_a_restart() {
    let anything = LogSettings {
        timestamp_after_ms_max: i64::MAX,
        segment_bytes: 200,
        segment_ms: i64::MAX,
        ..LogSettings::default()
    };
    let hour = 3_600_000;
    for times in
        [&[NOW.0, NOW.0 - hour][..], &[-1, 0], &[0, -1], &[i64::MAX, 0, -1], &[5, i64::MAX], &[-1, -1]]
    {
        for crash in [None, Some(Crash::Process)] {
            let mut rig = Rig::new(anything.clone());
            for time in times {
                rig.append(batch(&[*time]));
            }
            let (mut rig, _) = match crash {
                None => rig.close_and_reopen(),
                Some(crash) => rig.crash_and_reopen(crash),
            };
            let max = *times.iter().max().unwrap();
            let first = times.iter().position(|time| *time == max).unwrap() as i64;
            assert_eq!(newest(&mut rig), (max >= 0).then_some((first, max)), "{times:?}");
        }
    }
}

/// Sets the last four bytes so that the CRC comes out as 0: it is linear, so 32 equations tell how.
fn with_crc_zero(mut batch: Vec<u8>) -> Vec<u8> {
    let crc_with = |batch: &mut Vec<u8>, tail: u32| {
        let at = batch.len() - 5;
        batch[at..at + 4].copy_from_slice(&tail.to_be_bytes());
        seal(batch);
        u32::from_be_bytes(batch[17..CRC_START].try_into().unwrap())
    };
    let zero = crc_with(&mut batch, 0);
    let mut rows: Vec<(u32, u32)> =
        (0..32).map(|bit| (crc_with(&mut batch, 1 << bit) ^ zero, 1u32 << bit)).collect();
    let (mut rest, mut tail) = (zero, 0);
    for bit in (0..32).rev() {
        let Some(pivot) = rows.iter().position(|row| row.0 >> bit & 1 == 1) else { continue };
        let (column, change) = rows.swap_remove(pivot);
        for row in rows.iter_mut().filter(|row| row.0 >> bit & 1 == 1) {
            *row = (row.0 ^ column, row.1 ^ change);
        }
        if rest >> bit & 1 == 1 {
            (rest, tail) = (rest ^ column, tail ^ change);
        }
    }
    assert_eq!(crc_with(&mut batch, tail), 0);
    batch
}

#[test]
fn c21_a_batch_whose_checksum_is_zero_is_a_batch() {
    let mut rig = Rig::new(LogSettings::default());
    rig.append(batch(&[1]));
    rig.try_append(with_crc_zero(batch(&[2]).build())).unwrap();
    rig.drain();
    rig.append(batch(&[3]));
    let (mut rig, recovered) = rig.crash_and_reopen(Crash::Process);
    assert_eq!((recovered.is_clean, recovered.cut_bytes), (false, 0));
    assert_eq!(rig.read_all(0).len(), 3);
}

#[test]
fn c25_retries_are_recognised_after_any_restart() {
    for kind in 0..3 {
        let mut rig = Rig::new(small_segments());
        for i in 0..6 {
            rig.append(produced(i, 1));
        }
        let (mut rig, _) = match kind {
            0 => rig.close_and_reopen(),
            1 => rig.crash_and_reopen(Crash::Process),
            _ => rig.close_and_reopen().0.close_and_reopen(),
        };
        for i in 1..6 {
            let Ok(Appended::Duplicate(Duplicate { base_offset, .. }, _)) =
                rig.try_append(produced(i, 1).build())
            else {
                panic!("a retry is stored twice");
            };
            assert_eq!(base_offset, Offset(i.into()));
        }
        let gap = SequenceRefusal::OutOfOrder { expected: Sequence(6), found: Sequence(7) };
        assert_eq!(rig.try_append(produced(7, 1).build()), Err(AppendRefusal::Sequence(gap)));
        assert_eq!(rig.append(produced(6, 1)), Offset(6));
    }
}

/// A producer whose records are all gone is known by a snapshot alone; it must outlive a clean stop and the kill after it.
#[test]
fn c25_producers_of_deleted_records_are_known_after_a_clean_stop_and_a_kill() {
    let mut rig = Rig::new(small_segments());
    let first_try = produced(0, 2).build();
    rig.try_append(first_try.clone()).unwrap();
    rig.drain();
    rig.roll();
    // The log's start was kept, and what lay between the snapshot and it is lost.
    rig.world.crash(Crash::Process);
    let mut rig = Rig::open(rig.world, small_segments(), Offset(10)).unwrap().0;
    rig.append(batch(&[NOW.0]));
    let mut rig = rig.close_and_reopen().0;
    rig.append(batch(&[NOW.0]));
    let mut rig = rig.crash_and_reopen(Crash::Process).0;
    let again = rig.try_append(first_try).unwrap();
    assert!(
        matches!(again, Appended::Duplicate(first_try, _) if first_try.base_offset == Offset(0)),
        "{again:?}"
    );
}

/// A clean close leaves a snapshot at the end. Where its marker is lost the log goes on from there, and should its segment be full
/// at once, that snapshot would say that the segment is sealed, whatever its indexes hold.
#[test]
fn a_clean_close_whose_marker_is_lost_seals_nothing() {
    let mut rig = Rig::new(small_segments());
    let sent = produced(0, 3).build();
    rig.try_append(sent.clone()).unwrap();
    rig.drain();
    rig.log.close(rig.io.disk(), &mut rig.files).unwrap();
    rig.io.disk().remove(&rig::dir().join("ringlog.clean")).unwrap();
    let snapshot = "00000000000000000003.snapshot";
    assert!(rig.world.file(&rig::dir().join(snapshot)).is_some());
    let (mut rig, recovered) = Rig::open(rig.world, small_segments(), Offset(0)).unwrap();
    assert!(!recovered.is_clean);
    assert!(!rig.names().iter().any(|name| name == snapshot), "{:?}", rig.names());
    assert!(matches!(rig.try_append(sent), Ok(Appended::Duplicate(..))), "producers are known all the same");
}

#[test]
fn q41_five_batches_in_flight_are_in_sequence_before_they_are_written() {
    let mut rig = Rig::new(LogSettings::default());
    for i in 0..5 {
        assert!(matches!(rig.try_append(produced(2 * i, 2).build()), Ok(Appended::Fresh { .. })));
    }
    let Ok(Appended::Duplicate(first_try, _)) = rig.try_append(produced(4, 2).build()) else { panic!() };
    assert_eq!((first_try.base_offset, first_try.last_offset), (Offset(4), Offset(5)));
    assert!(first_try.last_offset >= rig.log.offsets().end, "the answer waits for the write");
}

#[test]
fn c29_a_producer_without_state_goes_on_where_it_was() {
    let mut rig = Rig::new(LogSettings::default());
    assert_eq!(rig.append(produced(4711, 2)), Offset(0));
    let (mut rig, _) = rig.crash_and_reopen(Crash::Process);
    assert_eq!(rig.append(produced(4713, 1)), Offset(2));
}

#[test]
fn q78_epochs_survive_and_follow_the_log() {
    let mut rig = Rig::new(LogSettings::default());
    rig.append(batch(&[1]));
    rig.epoch = LeaderEpoch(4);
    rig.append(batch(&[2, 3]));
    assert_eq!(rig.world.file(&rig.path("leader-epoch-checkpoint")).unwrap(), b"0\n2\n0 0\n4 1\n");
    let mut io = rig.world.io();
    io.remove(&rig.path("leader-epoch-checkpoint")).unwrap();
    let (mut rig, _) = rig.close_and_reopen();
    assert_eq!(rig.log.epochs().end_of(LeaderEpoch(2), Offset(3)), Some((LeaderEpoch(0), Offset(1))));
    rig.epoch = LeaderEpoch(4);
    rig.append(batch(&[4]));
    assert_eq!(rig.world.file(&rig.path("leader-epoch-checkpoint")).unwrap(), b"0\n2\n0 0\n4 1\n");
}

#[test]
fn c93_indexes_are_rebuilt_where_they_are_missing_or_damaged() {
    let damages: [fn(&mut dyn Disk, &std::path::Path); 3] = [
        |disk, path| disk.remove(path).unwrap(),
        |disk, path| {
            let file = disk.open(path, OpenMode::Write).unwrap();
            disk.truncate(file, 3).unwrap();
        },
        |disk, path| {
            let file = disk.open(path, OpenMode::Write).unwrap();
            let len = disk.len(file).unwrap() as usize;
            disk.write_at(file, 0, &vec![0xff; len]).unwrap();
        },
    ];
    for damage in damages {
        for ending in ["index", "timeindex"] {
            let mut rig = Rig::new(LogSettings { segment_bytes: 1000, ..small_segments() });
            for i in 0..40 {
                rig.append(batch(&[i]));
            }
            rig.drain();
            rig.log.close(rig.io.disk(), &mut rig.files).unwrap();
            let path = rig::dir().join(format!("00000000000000000000.{ending}"));
            let before = rig.world.file(&path).unwrap();
            damage(rig.io.disk(), &path);
            let (mut rig, recovered) = Rig::open(rig.world, small_segments(), Offset(0)).unwrap();
            assert_eq!((recovered.rebuilt_count, recovered.cut_bytes), (1, 0));
            assert_eq!(rig.world.file(&path).unwrap(), before);
            assert_eq!(rig.read_all(0).len(), 40);
        }
    }
}

/// A flipped bit anywhere in an index of a sealed segment costs no record, whatever is asked first; and it is told once.
#[test]
fn c93_every_flipped_bit_of_a_sealed_index_is_found_when_it_matters() {
    const BATCHES: i64 = 18;
    let mut rig = Rig::new(LogSettings { index_interval_bytes: 0, ..small_segments() });
    for number in 0..BATCHES {
        rig.append(batch(&[NOW.0 - 1000 + number * 7, NOW.0 - 999 + number * 7]));
    }
    rig = rig.close_and_reopen().0;
    let settings = LogSettings::clone(rig.log.settings());
    let (expected, end) = (rig.read_all(0), rig.log.offsets().end.0);
    let times: Vec<_> = (0..BATCHES).map(|number| NOW.0 - 1000 + number * 7).collect();
    let paths = rig.world.paths().into_iter();
    let indexes: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with("index")).collect();
    assert!(indexes.len() >= 4, "{indexes:?}");
    let (world, mut told) = (rig.world.clone(), 0);
    for path in &indexes {
        let intact = world.file(path).unwrap();
        for bit in 0..8 * intact.len() as u64 {
            world.flip_bit(path, bit);
            world.crash(Crash::Process);
            let mut rig = Rig::open(world.clone(), settings.clone(), Offset(0)).unwrap().0;
            for (number, time) in times.iter().enumerate().skip(bit as usize % 7).step_by(7) {
                let up_to = rig.log.offsets().high_watermark;
                let found = rig.log.find_by_time(rig.io.disk(), &mut rig.files, *time, up_to).unwrap();
                assert_eq!(found.unwrap().offset.0, 2 * number as i64, "{path:?}, bit {bit}");
            }
            for offset in (bit as i64 % 5..end).step_by(5) {
                let bytes = rig.read(offset, 100, true).unwrap();
                assert!(bases(&bytes)[0] <= offset && last_offset(&bytes).0 >= offset, "{path:?}, bit {bit}");
            }
            assert_eq!(rig.read_all(0), expected, "{path:?}, bit {bit}");
            told += rig.log.take_reindexed().len();
            let file = rig.io.disk().open(path, OpenMode::Truncate).unwrap();
            rig.io.disk().write_at(file, 0, &intact).unwrap();
        }
    }
    assert!(told > 100, "{told}");
}

#[test]
fn c95_a_clean_close_spares_the_scan() {
    let mut rig = Rig::new(small_segments());
    for i in 0..20 {
        rig.append(batch(&[i]));
    }
    let (rig, recovered) = rig.close_and_reopen();
    assert_eq!((recovered.is_clean, recovered.checked_bytes), (true, 0));
    // Not used in between: nothing is written again, and the marker still holds.
    let (mut rig, recovered) = rig.crash_and_reopen(Crash::Process);
    assert!(recovered.is_clean);
    rig.append(batch(&[20]));
    let (mut rig, recovered) = rig.crash_and_reopen(Crash::Process);
    assert!(!recovered.is_clean && recovered.checked_bytes > 0);
    assert_eq!(rig.read_all(0).len(), 21);
}

#[test]
fn a_failed_write_takes_the_log_offline_until_it_is_opened_anew() {
    let mut rig = Rig::new(LogSettings::default());
    rig.append(batch(&[1]));
    rig.world.set_faults(Faults { failed_write_percent: 100, ..Faults::default() });
    rig.try_append(batch(&[2]).build()).unwrap();
    rig.submit();
    assert!(rig.reap());
    let refused = rig.try_append(batch(&[3]).build());
    assert!(matches!(refused, Err(AppendRefusal::Offline(Offline::Io(_)))));
    assert_eq!(rig.read_all(0).len(), 1);
    rig.world.set_faults(Faults::default());
    let (mut rig, _) = rig.crash_and_reopen(Crash::Process);
    let end = rig.log.offsets().end;
    assert!(end == Offset(1) || end == Offset(2));
    assert_eq!(rig.append(batch(&[3])), end);
}

#[test]
fn damage_within_synced_segments_is_not_cut_away() {
    let mut rig = Rig::new(small_segments());
    for i in 0..20 {
        rig.append(batch(&[i]));
    }
    let path = rig.path("00000000000000000000.log");
    rig.world.flip_bit(&path, 8 * 70);
    rig.io.remove(&rig.path("00000000000000000000.index")).unwrap();
    let before = rig.world.file(&path);
    rig.world.crash(Crash::Process);
    let error = Rig::open(rig.world.clone(), small_segments(), Offset(0)).map(drop).unwrap_err();
    assert_eq!((error.path, error.cause), (path.clone(), storage::Cause::DamagedWithin));
    assert_eq!(rig.world.file(&path), before);
}

#[test]
fn files_stay_bounded_and_deletion_leaves_nothing() {
    let mut rig = Rig::new(small_segments());
    for i in 0..100 {
        rig.append(batch(&[i]));
    }
    assert!(rig.log.segment_count() > 10);
    assert_eq!(rig.read_all(0).len(), 100);
    rig.files.close_evicted(rig.io.disk());
    // Three of the log, and the journal.
    assert!(rig.world.open_files() <= 4, "{}", rig.world.open_files());
    rig.log.delete(rig.io.disk(), &mut rig.files).unwrap();
    assert!(!rig.world.paths().iter().any(|path| path.starts_with(rig::dir())));
}

#[test]
fn a_turn_of_very_many_batches_is_cut_into_writes_the_kernel_takes() {
    let mut rig = Rig::new(LogSettings::default());
    let large = BatchBuilder::new().record(NOW.0, None, Some(&[1; 5000])).build();
    for _ in 0..1500 {
        rig.try_append(large.clone()).unwrap();
    }
    let mut ops = Ops::default();
    rig.log.push_writes(rig.io.disk(), &mut rig.files, None, &mut ops, Token(1)).unwrap();
    let parts: Vec<usize> = ops
        .drain()
        .map(|(_, op)| match op {
            Op::Write { parts, .. } => parts.len(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(parts, [1000, 1000, 1000]);
}

#[test]
fn a_log_start_beyond_the_data_leaves_a_gap() {
    let mut rig = Rig::new(LogSettings::default());
    rig.append(batch(&[1, 2]));
    rig.world.crash(Crash::Process);
    let far = 1 << 40;
    let (mut rig, _) = Rig::open(rig.world, LogSettings::default(), Offset(far)).unwrap();
    assert_eq!(rig.log.offsets().end, Offset(far));
    assert_eq!(rig.append(batch(&[3])), Offset(far));
    let (mut rig, recovered) = rig.crash_and_reopen(Crash::Process);
    assert_eq!(recovered.cut_bytes, 0);
    assert_eq!(bases(&rig.read(far, 1, true).unwrap()), [far]);
}

#[test]
fn opening_and_reading_never_panic_whatever_the_files_hold() {
    let mut seed = 7u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let mut opened = 0;
    for round in 0..1000 {
        let mut rig = Rig::new(LogSettings { segment_bytes: 900, ..small_segments() });
        for i in 0..12 {
            rig.append(produced(2 * i, 2).codec(Codec::ALL[i as usize % 5], None));
        }
        rig.drain();
        if round % 2 == 0 {
            rig.log.close(rig.io.disk(), &mut rig.files).unwrap();
        }
        let paths = rig.world.paths();
        for _ in 0..=random(4) {
            let path = &paths[random(paths.len())];
            let len = rig.world.file(path).unwrap().len();
            let file = rig.io.disk().open(path, OpenMode::Write).unwrap();
            let bytes = vec![random(3) as u8 * 0x7f; random(12)];
            rig.io.disk().write_at(file, random(len) as u64, &bytes).unwrap();
            if random(4) == 0 {
                rig.io.disk().truncate(file, random(len) as u64).unwrap();
            }
        }
        rig.world.crash(Crash::Process);
        let Ok((mut rig, _)) = Rig::open(rig.world, small_segments(), Offset(0)) else { continue };
        opened += 1;
        let end = rig.log.offsets().end;
        for offset in 0..24 {
            let want = ReadWant { offset: Offset(offset), bytes_max: 300, up_to: end, at_least_one: true };
            let _ = rig.log.plan_read(rig.io.disk(), &mut rig.files, want);
            let _ = rig.log.find_by_time(rig.io.disk(), &mut rig.files, NOW.0 - offset, end);
        }
        let _ = rig.log.find_newest(rig.io.disk(), &mut rig.files, end);
        assert!(matches!(rig.append(batch(&[1])), base if base == end));
    }
    assert!(opened > 700, "{opened}");
}
