//! Appends to the page cache: in the core's own turn, or through the ring.

use std::time::{Duration, Instant};

use serde::Serialize;
use shard::{Buf, FileId, HostChoices, Kind, Op, OpenMode, Writes, boot};

use super::{Driver, Plan, Scratch, Stopwatch, Times, mib_per_second};
use crate::Fault;

/// One append.
const APPEND_BYTES: usize = 64 << 10;

/// The file begins anew after so many bytes, so that pages are new ones and little of them waits for the disk.
const FILE_BYTES: u64 = 64 << 20;

/// How often the two ways take turns.
const ROUNDS: u32 = 8;

/// What appends of 64 KiB cost.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct WriteFigures {
    /// In the core's own turn.
    pub inline: Way,
    /// Through the ring; `None` without one.
    pub ring: Option<Way>,
}

/// What one way of writing costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Way {
    /// One append.
    pub times: Times,
    /// One after another.
    pub mib_s: f64,
    /// CPU time of all threads that took part, kernel threads left out, s for a GiB.
    pub cpu_s_per_gib: f64,
}

struct Writer {
    driver: Driver,
    file: FileId,
    offset: u64,
    watch: Stopwatch,
    spent: Duration,
    cpu: Duration,
    bytes: u64,
}

/// Both ways, in turns.
pub fn measure(plan: &Plan, kind: Kind) -> Result<WriteFigures, Fault> {
    let scratches = [Scratch::new(&plan.dir, "inline"), Scratch::new(&plan.dir, "ring")];
    let mut inline =
        Writer::new(HostChoices { writes: Writes::Inline, ..HostChoices::of(kind) }, &scratches[0])?;
    let mut ring = match kind {
        Kind::Ring => {
            Some(Writer::new(HostChoices { writes: Writes::Ring, ..HostChoices::of(kind) }, &scratches[1])?)
        }
        Kind::Poll => None,
    };
    let bytes: Vec<u8> = (0..APPEND_BYTES).map(|at| (at * 7) as u8).collect();
    let bytes = Buf::from(bytes);
    for _ in 0..ROUNDS {
        for writer in [Some(&mut inline), ring.as_mut()].into_iter().flatten() {
            writer.run(&bytes, plan.each / ROUNDS)?;
        }
    }
    Ok(WriteFigures { inline: inline.way(), ring: ring.map(|ring| ring.way()) })
}

impl Writer {
    fn new(host: HostChoices, scratch: &Scratch) -> Result<Writer, Fault> {
        let mut driver = Driver::new(&host)?;
        let opened = driver.disk().open(scratch.path(), OpenMode::Truncate);
        let file = opened.map_err(|error| Fault::of(scratch.path().display(), error))?;
        let (spent, cpu) = (Duration::ZERO, Duration::ZERO);
        Ok(Writer { driver, file, offset: 0, watch: Stopwatch::new(), spent, cpu, bytes: 0 })
    }

    fn run(&mut self, bytes: &Buf, each: Duration) -> Result<(), Fault> {
        let (begin, cpu) = (Instant::now(), boot::process_cpu());
        while begin.elapsed() < each {
            let at = Instant::now();
            let op = Op::Write { file: self.file, offset: self.offset, parts: vec![bytes.clone()] };
            self.driver.perform(op, "an append")?;
            self.watch.add(at.elapsed());
            self.bytes += APPEND_BYTES as u64;
            self.offset += APPEND_BYTES as u64;
            if self.offset == FILE_BYTES {
                let cut = self.driver.disk().truncate(self.file, 0);
                cut.map_err(|error| Fault::of("a scratch file", error))?;
                self.offset = 0;
            }
        }
        self.spent += begin.elapsed();
        self.cpu += boot::process_cpu() - cpu;
        Ok(())
    }

    fn way(&self) -> Way {
        let gib = self.bytes as f64 / f64::from(1 << 30);
        Way {
            times: self.watch.times(),
            mib_s: mib_per_second(self.bytes, self.spent),
            cpu_s_per_gib: self.cpu.as_secs_f64() / gib.max(1e-9),
        }
    }
}
