//! A log in a world of memory, driven the way a core drives it.
#![allow(dead_code, reason = "each test crate uses a part")]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::io::Wait;
use shard::memory::{Crash, MemoryIo, World};
use shard::{Buf, Completion, Io, Op, Ops, Outcome, Pool, Token, WallMs};
use storage::batch::{BatchBuilder, HEADER_LEN, RecordStream};
use storage::journal::{self, Journal, LogId, Replayed};
use storage::{
    AppendRefusal, Appended, BatchHeader, CompactStep, Compaction, LeaderEpoch, Log, LogSettings, Offset,
    OpenFiles, OpenLog, Progress, Promise, ReadDone, ReadPlan, ReadWant, Recovered, StorageError, validate,
};

pub const NOW: WallMs = WallMs(1_700_000_000_000);
const FILES_MAX: usize = 3;
/// The log's name in the journal.
pub const ID: LogId = LogId([7; 20]);
const JOURNAL: Token = Token(8);

pub struct Rig {
    pub world: World,
    pub io: MemoryIo,
    pub files: OpenFiles,
    pub log: Log,
    pub epoch: LeaderEpoch,
    pub now: WallMs,
    pub journal: Option<Journal>,
    /// What appends ask for.
    pub promise: Promise,
    pub replayed: Replayed,
    /// What parts of segments the device was asked to take early.
    pub written_back: Vec<Range<u64>>,
    ops: Ops,
    under_way: usize,
    pool: Pool,
}

impl Rig {
    pub fn new(settings: LogSettings) -> Rig {
        Rig::with_seed(0, settings)
    }

    pub fn with_seed(seed: u64, settings: LogSettings) -> Rig {
        let world = World::new(seed);
        Rig::open(world, settings, Offset(0)).unwrap().0
    }

    /// Opens the log of a world, as after a start.
    pub fn open(
        world: World,
        settings: LogSettings,
        log_start: Offset,
    ) -> Result<(Rig, Recovered), StorageError> {
        Rig::open_and_keep(world, settings, log_start, false)
    }

    /// Opens the log of a world, and takes its journal over if that is asked for.
    pub fn open_and_keep(
        world: World,
        settings: LogSettings,
        log_start: Offset,
        keeps_journal: bool,
    ) -> Result<(Rig, Recovered), StorageError> {
        let mut io = world.io();
        let replayed = journal::replay(
            io.disk(),
            Path::new("/data"),
            |id| (*id == ID).then(dir),
            |core, len, _| keeps_journal && (core, len) == (0, journal::LEN_MIN),
        )?;
        let run = world.random_u64();
        let path = journal::path_of(Path::new("/data"), 0);
        let (journal, kept) = Journal::open(io.disk(), &path, journal::LEN_MIN, run)?;
        assert!(kept.is_empty() || keeps_journal);
        let mut files = OpenFiles::new(FILES_MAX);
        let now = io.wall_ms();
        let with = OpenLog { id: ID, dir: dir(), settings: Arc::new(settings), log_start, now };
        let (log, recovered) = Log::open(io.disk(), &mut files, with)?;
        let pool = Pool::new(1 << 20);
        let mut rig = Rig {
            world,
            io,
            files,
            log,
            epoch: LeaderEpoch(0),
            now,
            journal: Some(journal),
            promise: Promise::PageCache,
            replayed,
            written_back: Vec::new(),
            ops: Ops::default(),
            under_way: 0,
            pool,
        };
        rig.log.advance_high_watermark(rig.log.readable_end());
        rig.make_journal();
        Ok((rig, recovered))
    }

    pub fn close_and_reopen(mut self) -> (Rig, Recovered) {
        let (settings, log_start) = (LogSettings::clone(self.log.settings()), self.log.offsets().log_start);
        self.drain();
        self.log.close(self.io.disk(), &mut self.files).unwrap();
        if let Some(journal) = self.journal.take() {
            journal.close(self.io.disk(), true).unwrap();
        }
        self.world.crash(Crash::Process);
        Rig::open(self.world, settings, log_start).unwrap()
    }

    pub fn crash_and_reopen(self, crash: Crash) -> (Rig, Recovered) {
        let (settings, log_start) = (LogSettings::clone(self.log.settings()), self.log.offsets().log_start);
        self.world.crash(crash);
        Rig::open(self.world, settings, log_start).unwrap()
    }

    pub fn truncate_to(mut self, offset: Offset) -> Rig {
        self.log = self
            .log
            .truncate_to(self.io.disk(), &mut self.files, self.journal.as_ref(), offset, self.now)
            .unwrap();
        self.log.advance_high_watermark(self.log.readable_end());
        self
    }

    /// Lets calendar time pass.
    pub fn pass_ms(&mut self, ms: i64) {
        self.now.0 += ms;
        self.world.set_wall_ms(self.now);
    }

    /// Does all upkeep that is due.
    pub fn keep_up(&mut self) {
        for _ in 0..1000 {
            if self.log.upkeep_due().is_none_or(|due| due > self.now) {
                return;
            }
            self.log.keep_up(self.io.disk(), &mut self.files, self.now).unwrap();
            self.drain();
        }
        panic!("upkeep never ends: {:?}", self.log);
    }

    /// Compacts with a map for so many keys, whatever is due; gives bytes before and after.
    pub fn compact(&mut self, key_count: usize) -> Option<(u64, u64)> {
        let mut compaction = self.log.begin_compaction(key_count * 24 * 4 / 3 + 400, 7, self.now)?;
        while self.compact_step(&mut compaction) {}
        Some((compaction.before_bytes, compaction.after_bytes))
    }

    /// One step of a compaction; whether there is more to do.
    pub fn compact_step(&mut self, compaction: &mut Compaction) -> bool {
        match self.log.compact(self.io.disk(), &mut self.files, compaction).unwrap() {
            CompactStep::More => true,
            CompactStep::Sync(file) => {
                self.io.disk().sync(file).unwrap();
                true
            }
            CompactStep::Done => false,
        }
    }

    /// Ends the active segment, and seals it.
    pub fn roll(&mut self) {
        let settings = LogSettings::clone(self.log.settings());
        self.log.set_settings(Arc::new(LogSettings { segment_ms: -1, ..settings.clone() }));
        self.log.keep_up(self.io.disk(), &mut self.files, self.now).unwrap();
        self.log.set_settings(Arc::new(settings));
        self.drain();
    }

    /// Validates and appends, without writing.
    pub fn try_append(&mut self, batch: Vec<u8>) -> Result<Appended, AppendRefusal> {
        let batch = validate(Buf::from(batch), self.log.settings(), self.now).unwrap();
        self.log.append(&batch, self.epoch, self.now, self.promise)
    }

    /// Appends and writes; gives the base offset.
    pub fn append(&mut self, batch: BatchBuilder) -> Offset {
        let appended = self.try_append(batch.build()).unwrap();
        self.drain();
        match appended {
            Appended::Fresh { base_offset, .. } => base_offset,
            Appended::Duplicate(first_try, _) => first_try.base_offset,
        }
    }

    /// Hands queued operations to the back end.
    pub fn submit(&mut self) {
        let _ = self.log.push_writes(
            self.io.disk(),
            &mut self.files,
            self.journal.as_mut(),
            &mut self.ops,
            Token(7),
        );
        if let Some(journal) = &mut self.journal {
            journal.push(&mut self.ops, JOURNAL);
        }
        for (token, op) in self.ops.drain() {
            if let Op::BeginWriteback { offset, len, .. } = op {
                self.written_back.push(offset..offset + u64::from(len));
            }
            self.io.push(token, op);
            self.under_way += 1;
        }
        // The back end in memory looks its files up when it performs, so none is closed before.
        if self.under_way == 0 {
            self.files.close_evicted(self.io.disk());
        }
    }

    /// Takes what has completed; says whether the log went offline.
    pub fn reap(&mut self) -> bool {
        let mut done = Vec::new();
        self.io.reap(Wait::No, &mut done);
        let mut failed = false;
        for completion in done {
            self.under_way -= 1;
            failed |= self.on_completion(completion);
        }
        self.log.advance_high_watermark(self.log.readable_end());
        failed
    }

    fn on_completion(&mut self, completion: Completion) -> bool {
        if completion.token != JOURNAL {
            let progress = self.log.on_outcome(self.io.disk(), &completion.outcome);
            return matches!(progress, Progress::Offline(_));
        }
        let Some(journal) = &mut self.journal else { return false };
        match journal.on_outcome(completion.outcome) {
            Ok(commits) => {
                for commit in commits {
                    self.log.on_journaled(commit.end);
                }
                false
            }
            Err(error) => {
                self.log.on_journal_failed(error);
                true
            }
        }
    }

    /// Lets the journal become ready.
    fn make_journal(&mut self) {
        for _ in 0..1000 {
            let Some(journal) = self.journal.as_mut().filter(|journal| !journal.is_ready()) else { return };
            journal.push(&mut self.ops, JOURNAL);
            for (token, op) in self.ops.drain() {
                self.io.push(token, op);
                self.under_way += 1;
            }
            self.reap();
            self.world.advance();
        }
        panic!("the journal never becomes ready");
    }

    fn has_journal_work(&self) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.has_work() || journal.has_flight())
    }

    /// Runs until nothing is left to do.
    pub fn drain(&mut self) {
        for _ in 0..10_000 {
            self.submit();
            self.reap();
            let is_idle = !self.log.has_work() && !self.log.has_flight() && !self.has_journal_work();
            if self.log.offline().is_some() || is_idle {
                return;
            }
            self.world.advance();
        }
        panic!("the log makes no progress: {:?}", self.log);
    }

    pub fn read(&mut self, offset: i64, bytes_max: u32, at_least_one: bool) -> Result<Vec<u8>, ReadPlan> {
        let up_to = self.log.offsets().high_watermark;
        let want = ReadWant { offset: Offset(offset), bytes_max, up_to, at_least_one };
        let plan = self.log.plan_read(self.io.disk(), &mut self.files, want).unwrap();
        let mut range = match plan {
            ReadPlan::Range(range) => range,
            other => return Err(other),
        };
        for _ in 0..100 {
            let op = Op::Read { file: range.file, offset: range.position, len: range.len };
            let bytes = self.perform(op);
            match self.log.on_read(self.io.disk(), &mut self.files, &range, bytes).unwrap() {
                ReadDone::Batches(bytes) => return Ok(bytes.to_vec()),
                ReadDone::Empty => return Ok(Vec::new()),
                ReadDone::More(more) => range = more,
            }
        }
        panic!("a read makes no progress");
    }

    fn perform(&mut self, op: Op) -> Buf {
        self.io.push(Token(9), op);
        let mut done = Vec::new();
        let mut read = None;
        while read.is_none() {
            self.io.reap(Wait::No, &mut done);
            for completion in done.drain(..) {
                match completion.outcome {
                    Outcome::Read(bytes) => read = Some(bytes),
                    _ => {
                        self.under_way -= 1;
                        self.on_completion(completion);
                        self.log.advance_high_watermark(self.log.readable_end());
                    }
                }
            }
            self.world.advance();
        }
        read.unwrap()
    }

    /// All records from `offset` on: offset and value.
    pub fn read_all(&mut self, mut offset: i64) -> Vec<(i64, Vec<u8>)> {
        let mut records = Vec::new();
        while let Ok(bytes) = self.read(offset, 300, true) {
            for (at, value, _) in records_in(&bytes) {
                if at >= offset {
                    records.push((at, value));
                }
            }
            offset = last_offset(&bytes).0 + 1;
        }
        records
    }

    pub fn path(&self, name: &str) -> PathBuf {
        dir().join(name)
    }

    pub fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        self.world.paths().iter().filter(|path| path.starts_with(dir())).map(name).collect()
    }
}

pub fn dir() -> PathBuf {
    Path::new("/data/topic-0").to_path_buf()
}

/// One-record batches' worth of builder.
pub fn batch(timestamps: &[i64]) -> BatchBuilder {
    timestamps
        .iter()
        .fold(BatchBuilder::new(), |batch, time| batch.record(*time, Some(b"key"), Some(b"value")))
}

/// The batches in some bytes, one after another.
pub fn batches_in(mut bytes: &[u8]) -> Vec<(BatchHeader, &[u8])> {
    let mut batches = Vec::new();
    while let Some(header) = BatchHeader::parse(bytes) {
        let (batch, rest) = bytes.split_at(header.size().unwrap());
        batches.push((header, batch));
        bytes = rest;
    }
    assert!(bytes.is_empty());
    batches
}

/// Offset, value and timestamp of every record.
pub fn records_in(bytes: &[u8]) -> Vec<(i64, Vec<u8>, i64)> {
    let mut found = Vec::new();
    for (header, batch) in batches_in(bytes) {
        let codec = header.attributes.codec().unwrap();
        let mut records = RecordStream::new(codec, &batch[HEADER_LEN..], 1 << 20).unwrap();
        while let Some(record) = records.next().unwrap() {
            let offset = header.base_offset.0 + i64::from(record.offset_delta);
            let value = record.value.unwrap_or_default().to_vec();
            found.push((offset, value, header.timestamp_of(record.timestamp_delta)));
        }
    }
    found
}

pub fn last_offset(bytes: &[u8]) -> Offset {
    batches_in(bytes).last().map(|(header, _)| header.last_offset()).unwrap()
}
