//! What leaves a log, when, and what a crash makes of it.

mod rig;

use rig::{NOW, Rig, batch};
use shard::Io;
use shard::memory::Crash;
use storage::{LogSettings, Offset, ReadPlan, RetentionClock, StorageError};

const HOUR_MS: i64 = 3_600_000;

fn settings(retention_ms: i64) -> LogSettings {
    LogSettings {
        segment_bytes: 400,
        retention_ms: Some(retention_ms),
        timestamp_after_ms_max: i64::MAX,
        ..LogSettings::default()
    }
}

/// Appends a batch with the date of the broker's clock.
fn append(rig: &mut Rig) {
    let now = rig.now.0;
    rig.append(batch(&[now, now]));
}

fn start(rig: &Rig) -> i64 {
    rig.log.offsets().log_start.0
}

#[test]
fn q73_segments_leave_by_age_the_active_one_too_when_it_is_idle() {
    let mut rig = Rig::new(settings(HOUR_MS));
    for _ in 0..10 {
        append(&mut rig);
        rig.pass_ms(1000);
        rig.keep_up();
    }
    assert_eq!(start(&rig), 0);
    assert!(rig.log.segment_count() > 2);
    rig.pass_ms(HOUR_MS - 5000);
    rig.keep_up();
    assert!(start(&rig) > 0 && start(&rig) < 20, "{}", start(&rig));
    rig.pass_ms(HOUR_MS);
    rig.keep_up();
    assert_eq!((start(&rig), rig.log.segment_count(), rig.log.size_bytes()), (20, 1, 0));
    assert_eq!(rig.log.upkeep_due(), None, "an empty log has nothing to do, ever");
}

#[test]
fn c83_a_date_in_the_future_keeps_nothing() {
    let mut rig = Rig::new(settings(HOUR_MS));
    rig.append(batch(&[NOW.0 + 1000 * HOUR_MS]));
    for _ in 0..10 {
        append(&mut rig);
    }
    let (mut rig, _) = rig.crash_and_reopen(Crash::Process);
    rig.pass_ms(HOUR_MS + 1);
    rig.keep_up();
    assert_eq!(start(&rig), 21);
}

#[test]
fn the_brokers_clock_alone_can_say_how_old_a_record_is() {
    for (clock, left) in [(RetentionClock::Records, 0), (RetentionClock::Append, 1)] {
        let mut rig = Rig::new(LogSettings { retention_clock: clock, ..settings(HOUR_MS) });
        rig.append(batch(&[NOW.0 - 2 * HOUR_MS]));
        rig.keep_up();
        assert_eq!(start(&rig), 0, "what was just appended can be read");
        rig.pass_ms(16_000);
        rig.keep_up();
        assert_eq!(1 - start(&rig), left, "{clock:?}");
    }
}

#[test]
fn q73_whole_segments_leave_by_size() {
    let mut rig = Rig::new(LogSettings { retention_bytes: Some(1000), ..settings(HOUR_MS) });
    for _ in 0..20 {
        append(&mut rig);
        rig.keep_up();
        assert!(rig.log.size_bytes() < 1000 + 400);
    }
    assert!(rig.log.size_bytes() >= 1000);
    let settings = LogSettings { retention_bytes: Some(0), ..LogSettings::clone(rig.log.settings()) };
    rig.log.set_settings(settings.into());
    rig.keep_up();
    assert_eq!((start(&rig), rig.log.size_bytes()), (40, 0));
}

#[test]
fn what_is_not_to_be_deleted_stays() {
    for kept in
        [LogSettings { is_deleted: false, ..settings(1) }, LogSettings { retention_ms: None, ..settings(1) }]
    {
        let mut rig = Rig::new(kept);
        append(&mut rig);
        rig.pass_ms(100 * HOUR_MS);
        rig.keep_up();
        assert_eq!(start(&rig), 0);
    }
}

#[test]
fn q74_an_idle_segment_ends_by_the_clock_and_jitter_spreads_the_ends() {
    let rolled = |jitter_ms| {
        let lasting =
            LogSettings { segment_ms: HOUR_MS, segment_jitter_ms: jitter_ms, ..settings(100 * HOUR_MS) };
        let mut rig = Rig::new(lasting);
        append(&mut rig);
        let due = rig.log.upkeep_due().unwrap().0 - NOW.0;
        rig.pass_ms(due - 1);
        rig.keep_up();
        assert_eq!(rig.log.segment_count(), 1);
        rig.pass_ms(1);
        rig.keep_up();
        assert_eq!(rig.log.segment_count(), 2);
        due
    };
    assert_eq!(rolled(0), HOUR_MS + 1);
    assert!((1..=HOUR_MS).contains(&rolled(HOUR_MS)));
}

#[test]
fn c87_after_everything_is_deleted_the_log_goes_on_where_it_was() {
    for crash in [None, Some(Crash::Process), Some(Crash::Power)] {
        let mut rig = Rig::new(settings(HOUR_MS));
        append(&mut rig);
        rig.pass_ms(HOUR_MS + 1);
        rig.keep_up();
        assert_eq!(rig.read(0, 100, true), Err(ReadPlan::OutOfRange));
        let (mut rig, _) = match crash {
            None => rig.close_and_reopen(),
            Some(crash) => rig.crash_and_reopen(crash),
        };
        assert_eq!((start(&rig), rig.log.offsets().end.0), (2, 2), "{crash:?}");
        assert_eq!(rig.read(2, 100, true), Err(ReadPlan::Empty));
        assert_eq!(rig.append(batch(&[NOW.0])), Offset(2));
        assert_eq!(rig.read_all(2).len(), 1);
    }
}

#[test]
fn q72_deleted_records_stay_deleted_and_their_segments_go() {
    for crash in [None, Some(Crash::Process), Some(Crash::Power)] {
        let mut rig = Rig::new(LogSettings { is_deleted: false, ..settings(1) });
        for _ in 0..10 {
            append(&mut rig);
        }
        rig.log.delete_records(rig.io.disk(), Offset(13)).unwrap();
        assert_eq!(start(&rig), 13);
        if crash.is_none() {
            rig.keep_up();
        }
        let (mut rig, _) = match crash {
            None => rig.close_and_reopen(),
            // The segments were not deleted yet: opening does it.
            Some(crash) => rig.crash_and_reopen(crash),
        };
        assert_eq!(start(&rig), 13);
        assert!(!rig.names().contains(&"00000000000000000000.log".to_owned()));
        assert!(!rig.names().contains(&"00000000000000000000.index".to_owned()));
        assert!(rig.log.upkeep_due().is_none_or(|due| due > rig.now));
        if crash != Some(Crash::Power) {
            assert_eq!(rig.read_all(13).len(), 7);
        }
        // An offset within a batch: the whole batch comes, and readers drop what lies before.
        assert_eq!(rig.read(12, 100, true), Err(ReadPlan::OutOfRange));
    }
}

#[test]
fn a_log_start_of_another_version_is_refused_before_anything_is_written() {
    let mut rig = Rig::new(settings(1));
    append(&mut rig);
    rig.io.disk().replace_file(&rig::dir().join("ringlog.start"), b"7 1 x\n").unwrap();
    let files =
        |rig: &Rig| -> Vec<_> { rig.names().iter().map(|name| rig.world.file(&rig.path(name))).collect() };
    let before = files(&rig);
    let opened: Result<_, StorageError> = Rig::open(rig.world.clone(), settings(1), Offset(0));
    assert!(opened.is_err_and(|error| error.to_string().contains("newer version")));
    let after = files(&rig);
    assert_eq!(before, after);
}
