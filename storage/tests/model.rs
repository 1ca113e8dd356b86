//! The log against a plain list of batches: random turns, reads, rolls, restarts, crashes and faults, from
//! seeds.
//!
//! What must hold: what was acknowledged survives a killed process; after a power cut what asked for the disk, was closed
//! cleanly or sealed is there, and the rest is cut at a batch; reads give the list's bytes; retries are recognised
//! whatever happened between.

mod rig;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use rig::{NOW, Rig, batches_in};
use shard::Io;
use shard::memory::{Crash, Faults};
use storage::batch::{BatchBuilder, Codec};
use storage::{
    AppendRefusal, Appended, Cause, LogSettings, Offset, ProducerEpoch, ProducerId, Promise, ReadPlan,
    Sequence, SequenceRefusal,
};

const SEEDS: u64 = 1000;
const STEPS: usize = 60;

/// A batch as it must be stored.
#[derive(Clone)]
struct Stored {
    base: i64,
    times: Vec<i64>,
    sent: Vec<u8>,
    producer: Option<(i64, i32)>,
}

impl Stored {
    fn end(&self) -> i64 {
        self.base + self.times.len() as i64
    }
}

struct Model {
    rig: Rig,
    batches: Vec<Stored>,
    /// Where the log starts; it outlives crashes, as if kept elsewhere.
    start: i64,
    /// Everything before was durable once, and must stay.
    durable: i64,
    random: u64,
}

impl Model {
    fn below(&mut self, bound: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % bound
    }

    fn end(&self) -> i64 {
        self.batches.last().map_or(0, Stored::end).max(self.start)
    }

    /// Per producer its last five batches, newest last.
    fn recent(&self) -> BTreeMap<i64, Vec<usize>> {
        let mut recent: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (index, batch) in self.batches.iter().enumerate() {
            if let Some((id, _)) = batch.producer {
                let known = recent.entry(id).or_default();
                known.push(index);
                if known.len() > 5 {
                    known.remove(0);
                }
            }
        }
        recent
    }

    fn step(mut self) -> Model {
        match self.below(27) {
            0..=7 => self.append(),
            8..=9 => self.retry(),
            10 => self.gap(),
            11..=14 => self.read(),
            15..=16 => self.find(),
            17 => self.rig.drain(),
            18 => return self.restart(),
            19 => return self.truncate(),
            20 => self.delete_records(),
            21 => self.checkpoint(),
            22..=23 => self.retain(),
            24 => return self.damage_index(),
            25 => return self.damage_sealed(),
            _ => return self.crash(),
        }
        self
    }

    fn append(&mut self) {
        for _ in 0..=self.below(5) {
            let producer = match self.below(4) {
                0 => None,
                id => Some(self.next_sequence(id as i64)),
            };
            let count = 1 + self.below(4);
            let times: Vec<i64> = (0..count).map(|_| NOW.0 - self.below(1000) as i64).collect();
            let value = vec![self.below(256) as u8; if self.below(8) == 0 { 1500 } else { self.below(200) }];
            let mut builder =
                times.iter().fold(BatchBuilder::new(), |b, time| b.record(*time, None, Some(&value)));
            if let Some((id, sequence)) = producer {
                builder = builder.producer(ProducerId(id), ProducerEpoch(0), Sequence(sequence));
            }
            self.rig.promise = [Promise::PageCache, Promise::Disk][self.below(2)];
            let sent = builder.codec(Codec::ALL[self.below(5)], None).build();
            match self.rig.try_append(sent.clone()) {
                Ok(Appended::Fresh { base_offset, .. }) => {
                    assert_eq!(base_offset, Offset(self.end()));
                    self.batches.push(Stored { base: base_offset.0, times, sent, producer });
                }
                Err(AppendRefusal::Offline(_)) => return,
                other => panic!("{other:?}"),
            }
        }
        self.turn();
    }

    fn turn(&mut self) {
        self.rig.submit();
        if self.below(2) == 0 {
            self.rig.world.advance();
        }
        self.rig.reap();
    }

    fn next_sequence(&self, id: i64) -> (i64, i32) {
        let last = self.recent().get(&id).and_then(|known| known.last().copied());
        // Starting near the end makes them wrap.
        let next = last.map_or(Sequence(i32::MAX - 7), |index| {
            let batch = &self.batches[index];
            let (_, first) = batch.producer.unwrap();
            Sequence(first).plus(batch.times.len() as i32)
        });
        (id, next.0)
    }

    fn retry(&mut self) {
        for (_, known) in self.recent() {
            for index in known {
                let batch = self.batches[index].clone();
                match self.rig.try_append(batch.sent) {
                    Ok(Appended::Duplicate(first_try, _)) => {
                        assert_eq!(first_try.base_offset, Offset(batch.base))
                    }
                    Err(AppendRefusal::Offline(_)) => return,
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    fn gap(&mut self) {
        for id in self.recent().into_keys() {
            let (id, next) = self.next_sequence(id);
            let late = BatchBuilder::new().record(NOW.0, None, None);
            let late = late.producer(ProducerId(id), ProducerEpoch(0), Sequence(next).plus(1));
            match self.rig.try_append(late.build()) {
                Err(AppendRefusal::Sequence(SequenceRefusal::OutOfOrder { expected, .. })) => {
                    assert_eq!(expected, Sequence(next));
                }
                Err(AppendRefusal::Offline(_)) => return,
                other => panic!("{other:?}"),
            }
        }
    }

    fn read(&mut self) {
        let (end, readable) = (self.rig.log.offsets().end.0, self.rig.log.offsets().high_watermark.0);
        let offset = self.start - 1 + self.below((end - self.start) as usize + 3) as i64;
        let bytes_max = self.below(3000) as u32;
        let bytes = match self.rig.read(offset, bytes_max, true) {
            Ok(bytes) => bytes,
            Err(ReadPlan::OutOfRange) => return assert!(offset > end || offset < self.start),
            // What asked for the disk and is not there yet is not shown.
            Err(_) => return assert!((readable..=end).contains(&offset)),
        };
        let read = batches_in(&bytes);
        assert!(!read.is_empty(), "offset {offset} of {end}");
        assert!(read.len() == 1 || bytes.len() <= bytes_max as usize);
        let first = self.batches.partition_point(|batch| batch.end() <= offset);
        for ((header, bytes), stored) in read.iter().zip(&self.batches[first..]) {
            assert_eq!(header.base_offset, Offset(stored.base));
            assert_eq!(bytes[16..], stored.sent[16..]);
            assert!(stored.end() <= end);
        }
    }

    fn delete_records(&mut self) {
        let (start, up_to) = (self.start, self.rig.log.offsets().high_watermark.0);
        let to = start + self.below(1 + (up_to - start) as usize / 3) as i64;
        // A disk that fails leaves the start where it was.
        if self.rig.log.delete_records(self.rig.io.disk(), Offset(to)).is_ok() {
            self.start = to;
        }
    }

    fn note_durable(&mut self) {
        self.durable = self.durable.max(self.rig.log.durable_end().0);
    }

    /// Syncs everything, and frees the journal of it.
    fn checkpoint(&mut self) {
        let newest = self.rig.journal.as_ref().map_or(0, |journal| journal.newest());
        let target = self.rig.log.offsets().assigned;
        self.rig.log.request_checkpoint();
        self.rig.drain();
        if self.rig.log.offline().is_none() {
            assert!(self.rig.log.synced_end() >= target);
            self.rig.journal.as_mut().unwrap().free_to(newest);
            self.rig.drain();
        }
    }

    /// Deletes whole segments by size, all of them now and then.
    fn retain(&mut self) {
        let settings = LogSettings::clone(self.rig.log.settings());
        let bytes_max = [0, 5000, 20_000][self.below(3)];
        let limited = LogSettings { retention_bytes: Some(bytes_max), ..settings.clone() };
        self.rig.log.set_settings(limited.into());
        for _ in 0..100 {
            let is_due = self.rig.log.upkeep_due().is_some_and(|due| due <= self.rig.now);
            if !is_due || self.rig.log.keep_up(self.rig.io.disk(), &mut self.rig.files, self.rig.now).is_err()
            {
                break;
            }
            self.rig.drain();
        }
        self.rig.log.set_settings(settings.into());
        self.start = self.start.max(self.rig.log.offsets().log_start.0);
    }

    fn find(&mut self) {
        let up_to = self.rig.log.offsets().high_watermark;
        let time = NOW.0 - self.below(1100) as i64;
        let found = self.rig.log.find_by_time(self.rig.io.disk(), &mut self.rig.files, time, up_to).unwrap();
        let records = self.batches.iter().flat_map(|batch| {
            batch.times.iter().enumerate().map(move |(index, time)| (batch.base + index as i64, *time))
        });
        let readable: Vec<_> =
            records.filter(|(offset, _)| *offset < up_to.0 && *offset >= self.start).collect();
        let expected = readable.iter().copied().find(|record| record.1 >= time);
        assert_eq!(found.map(|found| (found.offset.0, found.timestamp)), expected);
        let newest = self.rig.log.find_newest(self.rig.io.disk(), &mut self.rig.files, up_to).unwrap();
        let latest = readable.iter().map(|record| record.1).max();
        assert_eq!(newest.map(|found| found.timestamp), latest);
    }

    /// A clean restart, which loses nothing and reads nothing; or after a failure, one like a kill.
    fn restart(mut self) -> Model {
        self.rig.drain();
        self.note_durable();
        if self.rig.log.offline().is_some() {
            return self.crash();
        }
        let faults = Faults { short_write_percent: 20, latency_ns_max: 1000, ..Faults::default() };
        self.rig.world.set_faults(faults);
        let (rig, recovered) = self.rig.close_and_reopen();
        assert!(recovered.is_clean, "{recovered:?}");
        assert_eq!((recovered.checked_bytes, recovered.cut_bytes), (0, 0));
        self.rig = rig;
        assert_eq!(self.rig.log.offsets().end, Offset(self.end()));
        self.set_faults();
        self
    }

    fn crash(mut self) -> Model {
        let acknowledged = self.rig.log.offsets().end.0;
        self.note_durable();
        let crash = if self.below(2) == 0 { Crash::Process } else { Crash::Power };
        self.rig.world.set_faults(Faults::default());
        let (rig, _) = self.rig.crash_and_reopen(crash);
        self.rig = rig;
        let end = self.rig.log.offsets().end.0;
        if crash == Crash::Process {
            assert!(end >= acknowledged, "{end} of {acknowledged} acknowledged");
        }
        assert!(end >= self.durable, "{end} of {} durable", self.durable);
        let kept = self.stored_bases();
        let first = self.first_segment();
        let gone = self.batches.partition_point(|batch| batch.base < first);
        assert!(self.batches[..gone].iter().all(|batch| batch.end() <= self.start));
        self.batches.truncate(gone + kept.len());
        let bases: Vec<i64> = self.batches[gone..].iter().map(|batch| batch.base).collect();
        assert_eq!(kept, bases, "what is left is not the first of what was appended");
        assert_eq!(self.end(), end);
        self.set_faults();
        self.retry();
        self
    }

    /// A damaged index costs time and nothing else.
    fn damage_index(mut self) -> Model {
        self.rig.drain();
        let indexes = self.paths_of(&["index", "timeindex"]);
        if indexes.is_empty() {
            return self;
        }
        let path = indexes[self.below(indexes.len())].clone();
        let bits = 8 * self.rig.world.file(&path).unwrap().len();
        if bits > 0 {
            let bit = self.below(bits);
            self.rig.world.flip_bit(&path, bit as u64);
        }
        let mut model = self.crash();
        for _ in 0..3 {
            model.read();
            model.find();
        }
        model
    }

    /// A damaged segment that was sealed and synced stays where it is, and so does all that follows it; nothing is cut off
    /// in silence. Where it has to be read to open the log, the log says that it is damaged; whole again, it opens.
    fn damage_sealed(mut self) -> Model {
        self.rig.drain();
        self.checkpoint();
        if self.rig.log.offline().is_some() {
            return self.crash();
        }
        let logs = self.paths_of(&["log"]);
        self.rig.world.set_faults(Faults::default());
        let Some((active, sealed)) = logs.split_last().filter(|(_, sealed)| !sealed.is_empty()) else {
            return self;
        };
        let victim = self.below(sealed.len());
        let path = sealed[victim].clone();
        let bit = self.below(8 * self.rig.world.file(&path).unwrap().len()) as u64;
        let base_of =
            |path: &PathBuf| -> i64 { path.file_stem().unwrap().to_str().unwrap().parse().unwrap() };
        let (active, next) = (base_of(active), base_of(&logs[victim + 1]));
        // It lies behind the damage, unless the active segment is empty.
        let last = self.batches.last().filter(|last| last.base >= active.max(self.start)).cloned();
        let end = self.rig.log.offsets().end;
        let (settings, log_start) =
            (LogSettings::clone(self.rig.log.settings()), self.rig.log.offsets().log_start);
        let world = self.rig.world.clone();
        for is_damaged in [true, false] {
            if world.file(&path).is_none() {
                // A segment wholly below the log's start goes when the log is opened.
                assert!(next <= self.start, "a segment is gone");
                break;
            }
            world.flip_bit(&path, bit);
            world.crash(if self.below(2) == 0 { Crash::Process } else { Crash::Power });
            self.rig = match Rig::open(world.clone(), settings.clone(), log_start) {
                Ok((rig, _)) => rig,
                Err(error) if is_damaged && matches!(error.cause, Cause::Corrupt | Cause::DamagedWithin) => {
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            assert_eq!(self.rig.log.offsets().end, end);
            if let Some(last) = &last {
                let bytes = self.rig.read(last.base, 1, true).expect("what follows the damage is read");
                assert_eq!(bytes[16..], last.sent[16..]);
            }
        }
        self.set_faults();
        self.retry();
        self
    }

    /// The files with one of these endings, by name.
    fn paths_of(&self, endings: &[&str]) -> Vec<PathBuf> {
        let paths = self.rig.world.paths().into_iter();
        paths
            .filter(|path| {
                path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
            })
            .collect()
    }

    fn truncate(mut self) -> Model {
        self.rig.drain();
        if self.rig.log.offline().is_some() {
            return self.crash();
        }
        let offset = self.start + self.below((self.end() - self.start) as usize + 1) as i64;
        self.rig.world.set_faults(Faults::default());
        self.rig = self.rig.truncate_to(Offset(offset));
        let kept = self.batches.partition_point(|batch| batch.end() <= offset);
        self.batches.truncate(kept);
        self.durable = self.durable.min(self.end());
        assert_eq!(self.rig.log.offsets().end, Offset(self.end()));
        self.set_faults();
        self.retry();
        self
    }

    /// Where the first segment begins, or would after the last snapshot; what lay before was deleted.
    fn first_segment(&self) -> i64 {
        let names = self.rig.names();
        let bases = |ending: &str| -> Vec<i64> {
            names.iter().filter_map(|name| name.strip_suffix(ending)?.parse().ok()).collect()
        };
        let first = bases(".log").into_iter().min();
        first.or(bases(".snapshot").into_iter().max()).unwrap_or(0)
    }

    /// The base offsets of all batches in the files. Below the log's start some may be lost, and nobody can
    /// tell by reading.
    fn stored_bases(&self) -> Vec<i64> {
        let paths = self.rig.world.paths();
        let logs = paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "log"));
        let files = logs.map(|path| self.rig.world.file(path).unwrap());
        files
            .flat_map(|bytes| {
                batches_in(&bytes).iter().map(|batch| batch.0.base_offset.0).collect::<Vec<_>>()
            })
            .collect()
    }

    fn set_faults(&mut self) {
        let failing = if self.below(3) == 0 { 5 } else { 0 };
        let paths = self.rig.world.paths();
        let used: usize = paths.iter().map(|path| self.rig.world.file(path).unwrap().len()).sum();
        let disk_bytes_max = (self.below(6) == 0).then(|| (used + self.below(15_000)) as u64);
        self.rig.world.set_faults(Faults {
            short_write_percent: 20,
            failed_write_percent: failing,
            failed_sync_percent: failing,
            latency_ns_max: 1000,
            disk_bytes_max,
            ..Faults::default()
        });
    }
}

fn run(seed: u64) {
    let settings = LogSettings {
        segment_bytes: 7000 + (seed % 5) as u32 * 4000,
        index_interval_bytes: (seed % 3) as u32 * 300,
        index_bytes_max: if seed.is_multiple_of(4) { 100 } else { 1 << 20 },
        ..LogSettings::default()
    };
    let mut model = Model {
        rig: Rig::with_seed(seed, settings),
        batches: Vec::new(),
        start: 0,
        durable: 0,
        random: seed,
    };
    model.set_faults();
    for _ in 0..STEPS {
        model = model.step();
    }
    let model = model.crash();
    let mut rig = model.rig;
    let stored = model.batches.iter().flat_map(|batch| batch.base..batch.end());
    let expected: Vec<i64> = stored.filter(|offset| *offset >= model.start).collect();
    let read: Vec<i64> = rig.read_all(model.start).iter().map(|record| record.0).collect();
    assert_eq!(read, expected);
}

/// As many seeds as `MODEL_SEEDS` says, on all processors; or the one that `MODEL_SEED` names.
#[test]
fn the_log_is_a_list_that_survives() {
    let number =
        |name| std::env::var(name).ok().map(|text| text.parse().expect("a number of seeds, or a seed"));
    if let Some(seed) = number("MODEL_SEED") {
        return run(seed);
    }
    let (seeds, next): (u64, _) = (number("MODEL_SEEDS").unwrap_or(SEEDS), AtomicU64::new(0));
    let work = || {
        while let seed = next.fetch_add(1, Ordering::Relaxed)
            && seed < seeds
        {
            let ran = std::panic::catch_unwind(|| run(seed));
            assert!(ran.is_ok(), "seed {seed}");
        }
    };
    std::thread::scope(|scope| {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).for_each(|_| _ = scope.spawn(work));
    });
}
