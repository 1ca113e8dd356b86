//! Files on both back ends: the same operations, the same outcomes; and what a crash in memory leaves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::io::Wait;
use shard::mail::Bell;
use shard::memory::{Crash, Faults, World};
use shard::{Buf, Completion, FileId, Io, IoError, Op, OpenMode, Outcome, Pool, Token};
use shard::{HostChoices, Kind, Native};

/// Runs one operation to its end.
fn run(io: &mut dyn Io, op: Op) -> Outcome {
    io.push(Token(7), op);
    let mut done: Vec<Completion> = Vec::new();
    for _ in 0..1000 {
        io.reap(Wait::Until(io.now().plus_ms(10)), &mut done);
        if let Some(completion) = done.pop() {
            assert_eq!(completion.token, Token(7));
            return completion.outcome;
        }
    }
    panic!("the operation never ended");
}

fn check_files(io: &mut dyn Io, dir: &Path) {
    let pool = Pool::new(1 << 20);
    io.disk().create_dir(dir).unwrap();
    let path = dir.join("a.log");
    assert_eq!(io.disk().open(&path, OpenMode::Write), Err(IoError::NOT_FOUND));
    let file = io.disk().open(&path, OpenMode::Create).unwrap();
    let parts: Vec<Buf> = (0..3000_u32).map(|i| pool.copy(&i.to_be_bytes())).collect();
    assert!(matches!(run(io, Op::Write { file, offset: 10, parts }), Outcome::Written));
    assert!(matches!(run(io, Op::Sync { file }), Outcome::Synced));
    assert_eq!(io.disk().len(file), Ok(12_010));
    let Outcome::Read(read) = run(io, Op::Read { file, offset: 10, len: 12_000 }) else {
        panic!("the read failed");
    };
    assert!(read.chunks(4).enumerate().all(|(i, bytes)| bytes == (i as u32).to_be_bytes()));
    let Outcome::Read(short) = run(io, Op::Read { file, offset: 12_000, len: 100 }) else {
        panic!("the read at the end failed");
    };
    assert_eq!(short.len(), 10);
    check_large_reads(io, file, &pool);
    io.disk().truncate(file, 5).unwrap();
    io.disk().close(file);
    assert!(matches!(run(io, Op::Sync { file }), Outcome::Failed(_)));
    io.disk().replace_file(&dir.join("meta"), b"one").unwrap();
    io.disk().replace_file(&dir.join("meta"), b"two").unwrap();
    assert_eq!(io.disk().read_file(&dir.join("meta"), 100).unwrap().unwrap(), b"two");
    let names: Vec<String> = io.disk().list(dir).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["a.log", "meta"]);
    io.disk().rename(dir, &dir.with_extension("gone")).unwrap();
    assert_eq!(io.disk().list(dir), Err(IoError::NOT_FOUND));
    io.disk().remove_dir(&dir.with_extension("gone")).unwrap();
    io.disk().remove_dir(&dir.with_extension("gone")).unwrap();
}

/// What may be lent by the page cache reads as what is copied: across growth, at odd places, at the end of the file, and after
/// the file is closed.
fn check_large_reads(io: &mut dyn Io, file: FileId, pool: &Pool) {
    const BEGIN: u64 = 12_010;
    let byte = |at: usize| (at % 251) as u8;
    let mut lent = Vec::new();
    for round in 0..4 {
        let piece: Vec<u8> = (round * 100_000..(round + 1) * 100_000).map(byte).collect();
        let offset = BEGIN + round as u64 * 100_000;
        assert!(matches!(
            run(io, Op::Write { file, offset, parts: vec![pool.copy(&piece)] }),
            Outcome::Written
        ));
        let (skip, end) = (round * 7_001, (round + 1) * 100_000);
        let read = Op::Read { file, offset: BEGIN + skip as u64, len: end - skip };
        let Outcome::Read(read) = run(io, read) else { panic!("the read failed") };
        assert_eq!(read.len(), end - skip);
        lent.push((skip, read));
    }
    let Outcome::Read(short) = run(io, Op::Read { file, offset: BEGIN + 300_000, len: 200_000 }) else {
        panic!("the read at the end failed");
    };
    assert_eq!(short.len(), 100_000);
    io.disk().truncate(file, BEGIN + 400_000).unwrap();
    for (skip, read) in lent {
        assert!(read.iter().enumerate().all(|(at, found)| *found == byte(skip + at)), "from {skip}");
    }
}

#[test]
fn files_on_the_ring_and_on_epoll() {
    for kind in [Kind::Ring, Kind::Poll] {
        let mut native =
            Native::new(&HostChoices::of(kind), Pool::new(1 << 20), Arc::new(Bell::new().unwrap())).unwrap();
        let dir = std::env::temp_dir().join(format!("ringlog-files-{kind}-{}", std::process::id()));
        check_files(&mut native, &dir);
    }
}

#[test]
fn files_in_memory() {
    for seed in 0..50 {
        let world = World::new(seed);
        world.set_faults(Faults { short_write_percent: 40, ..Faults::default() });
        check_files(&mut world.io(), &PathBuf::from("/data/t-0"));
    }
}

#[test]
fn a_power_cut_takes_only_what_was_not_synced() {
    let (mut kept, mut lost) = (0, 0);
    for seed in 0..100 {
        let world = World::new(seed);
        let mut io = world.io();
        let dir = PathBuf::from("/data");
        io.disk().create_dir(&dir).unwrap();
        let file = io.disk().open(&dir.join("f"), OpenMode::Create).unwrap();
        run(&mut io, Op::Write { file, offset: 0, parts: vec![Buf::from_static(b"safe")] });
        run(&mut io, Op::Sync { file });
        run(&mut io, Op::Write { file, offset: 4, parts: vec![Buf::from_static(b"risk")] });
        world.crash(Crash::Process);
        assert_eq!(world.file(&dir.join("f")).unwrap(), b"saferisk");
        world.crash(Crash::Power);
        let left = world.file(&dir.join("f")).unwrap();
        assert!(left.starts_with(b"safe"));
        if left == b"saferisk" { kept += 1 } else { lost += 1 }
    }
    assert!(kept > 10);
    assert!(lost > 10);
}

#[test]
fn a_full_disk_and_a_failed_sync_say_so() {
    let world = World::new(1);
    let mut io = world.io();
    io.disk().create_dir(Path::new("/d")).unwrap();
    let file = io.disk().open(Path::new("/d/f"), OpenMode::Create).unwrap();
    world.set_faults(Faults { disk_bytes_max: Some(10), failed_sync_percent: 100, ..Faults::default() });
    let parts = vec![Buf::from_static(&[0; 11])];
    assert!(matches!(run(&mut io, Op::Write { file, offset: 0, parts }), Outcome::Failed(IoError::NO_SPACE)));
    assert!(matches!(run(&mut io, Op::Sync { file }), Outcome::Failed(IoError::DEVICE)));
}
