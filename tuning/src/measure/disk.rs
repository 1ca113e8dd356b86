//! How soon a write is on stable storage, and how much goes through. The file is written whole first, as a journal is.

use std::time::{Duration, Instant};

use serde::Serialize;
use shard::{AlignedBuf, DurableWrites, FileId, HostChoices, Kind, Op, Outcome};

use super::{Driver, Plan, Scratch, Stopwatch, Times, mib_per_second};
use crate::Fault;

/// The scratch file's size in bytes: more than a device's cache takes at once.
const FILE_BYTES: u64 = 256 << 20;

/// Large writes and reads.
const LARGE_BYTES: usize = 1 << 20;

/// Large writes that are under way together.
const DEPTH: usize = 4;

/// What must stay free beside the scratch files.
const FREE_BYTES_MIN: u64 = 2 << 30;

/// What the disk does.
#[derive(Debug, Clone, Serialize)]
pub struct DiskFigures {
    /// Whether durable writes go past the page cache.
    pub is_direct: bool,
    /// A durable write of 4 KiB, as an acknowledgement waits for it.
    pub durable_4k: Times,
    /// A durable write of 256 KiB, as a busy core's journal makes.
    pub durable_256k: Times,
    /// Durable writes of 1 MiB, four at a time.
    pub write_mib_s: f64,
    /// Reads of 1 MiB from the device; `None` where they cannot go past the page cache.
    pub read_mib_s: Option<f64>,
}

/// Writes, then reads.
pub fn measure(plan: &Plan, kind: Kind) -> Result<DiskFigures, Fault> {
    let mut driver = Driver::new(&HostChoices::of(kind))?;
    let space = driver.disk().space(&plan.dir).map_err(|error| Fault::of(plan.dir.display(), error))?;
    if space.usable < FREE_BYTES_MIN {
        let free_mib = space.usable >> 20;
        return Err(Fault(format!(
            "{}: {free_mib} MiB are free, and the measurement wants 2 GiB: choose another --data-dir",
            plan.dir.display()
        )));
    }
    let scratch = Scratch::new(&plan.dir, "durable");
    let opened = driver.disk().open_durable(scratch.path());
    let (file, how) = opened.map_err(|error| Fault::of(scratch.path().display(), error))?;
    // Whoever writes a block for the first time also pays for finding room for it.
    let write_mib_s = write_large(&mut driver, file, FILE_BYTES, Duration::MAX)?;
    let durable_4k = write_one_by_one(&mut driver, file, 4 << 10, plan.each)?;
    let durable_256k = write_one_by_one(&mut driver, file, 256 << 10, plan.each)?;
    let again = write_large(&mut driver, file, u64::MAX, plan.each)?;
    let is_direct = how != DurableWrites::Synced;
    let read_mib_s = is_direct.then(|| read_large(&mut driver, file, plan.each)).transpose()?;
    Ok(DiskFigures { is_direct, durable_4k, durable_256k, write_mib_s: again.max(write_mib_s), read_mib_s })
}

fn filled(len: usize) -> AlignedBuf {
    let mut buffer = AlignedBuf::new(len);
    // Not zeros: some devices do not store those.
    let bytes: Vec<u8> = (0..len).map(|at| (at * 31 + at / 251) as u8).collect();
    buffer.put(&bytes);
    buffer
}

fn write_one_by_one(driver: &mut Driver, file: FileId, len: usize, each: Duration) -> Result<Times, Fault> {
    let (mut buffer, mut offset, mut watch) = (filled(len), 0, Stopwatch::new());
    let begin = Instant::now();
    while begin.elapsed() < each || watch.times().count < 10 {
        let at = Instant::now();
        let op = Op::WriteDurable { file, offset, buffer };
        let Outcome::WrittenDurable(back) = driver.perform(op, "a durable write")? else {
            unreachable!("a write ends as a write")
        };
        watch.add(at.elapsed());
        buffer = back;
        offset = (offset + len as u64) % FILE_BYTES;
    }
    Ok(watch.times())
}

/// Writes until so many bytes are through or so much time is over; MiB a second.
fn write_large(driver: &mut Driver, file: FileId, bytes_max: u64, each: Duration) -> Result<f64, Fault> {
    let begin = Instant::now();
    let (mut pushed, mut written) = (0, 0);
    let mut push = |driver: &mut Driver, buffer| {
        driver.push(Op::WriteDurable { file, offset: pushed % FILE_BYTES, buffer });
        pushed += LARGE_BYTES as u64;
    };
    for _ in 0..DEPTH {
        push(driver, filled(LARGE_BYTES));
    }
    let mut under_way = DEPTH;
    while under_way > 0 {
        let Outcome::WrittenDurable(buffer) = driver.next("a large write")? else {
            unreachable!("a write ends as a write")
        };
        written += LARGE_BYTES as u64;
        under_way -= 1;
        if written + under_way as u64 * (LARGE_BYTES as u64) < bytes_max && begin.elapsed() < each {
            push(driver, buffer);
            under_way += 1;
        }
    }
    Ok(mib_per_second(written, begin.elapsed()))
}

fn read_large(driver: &mut Driver, file: FileId, each: Duration) -> Result<f64, Fault> {
    let mut buffer = filled(LARGE_BYTES);
    let (begin, mut read) = (Instant::now(), 0);
    while begin.elapsed() < each {
        let count = driver.disk().read_at(file, read % FILE_BYTES, buffer.filled_mut());
        read += count.map_err(|error| Fault::of("a large read", error))? as u64;
    }
    Ok(mib_per_second(read, begin.elapsed()))
}
