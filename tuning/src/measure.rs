//! Figures of this machine, taken as the broker would use it: the same back end, the same ways of writing.
//!
//! Each measurement lasts about as long as it is told. Others' load shows in all of them; [`Measured::steal_percent`] says
//! how much of the time a hypervisor kept.

pub mod disk;
pub mod memory;
pub mod reads;
pub mod wire;
pub mod writes;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::Serialize;
use shard::io::Wait;
use shard::mail::Bell;
use shard::{Disk, HostChoices, Io, Kind, Native, Op, Outcome, Pool, Token};

use crate::Fault;

/// All figures.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// What I/O is done with here.
    pub backend: String,
    /// Why it is not io_uring, if it is not.
    pub no_ring: Option<String>,
    /// The disk.
    pub disk: disk::DiskFigures,
    /// Appends to the page cache.
    pub writes: writes::WriteFigures,
    /// Reads from the page cache, to a socket.
    pub reads: reads::ReadFigures,
    /// Sockets; `None` with one CPU only.
    pub wire: Option<wire::WireFigures>,
    /// Memory and clock.
    pub memory: memory::MemoryFigures,
    /// How much of the CPUs' time a hypervisor gave to others meanwhile, percent.
    pub steal_percent: f64,
}

/// Times, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// The median.
    pub p50: f64,
    /// Of a hundred, one takes longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
    /// How many there were.
    pub count: u64,
}

/// Where scratch files lie and how long each measurement takes.
#[derive(Debug, Clone)]
pub struct Plan {
    /// A directory on the disk that matters; it exists.
    pub dir: PathBuf,
    /// How long one measurement lasts.
    pub each: Duration,
}

/// Takes all figures; `say` hears what comes next.
pub fn measure(plan: &Plan, mut say: impl FnMut(&str)) -> Result<Measured, Fault> {
    let (kind, refusal) = Kind::choose();
    let before = steal_ticks();
    say("how soon a write is on stable storage");
    let disk = disk::measure(plan, kind)?;
    say("appends to the page cache");
    let writes = writes::measure(plan, kind)?;
    say("reads from the page cache");
    let reads = reads::measure(plan, kind)?;
    say("sockets and sleeping threads");
    let wire = wire::measure(plan)?;
    say("memory");
    let memory = memory::measure(plan);
    let (stolen, all) = steal_ticks();
    let steal_percent = 100.0 * (stolen - before.0) as f64 / (all - before.1).max(1) as f64;
    let no_ring = refusal.map(|refusal| refusal.to_string());
    Ok(Measured { backend: kind.to_string(), no_ring, disk, writes, reads, wire, memory, steal_percent })
}

/// Ticks that a hypervisor kept from all CPUs, and all ticks.
fn steal_ticks() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    (ticks.get(7).copied().unwrap_or(0), ticks.iter().take(8).sum())
}

/// Microseconds, each at its place in a histogram.
pub(crate) struct Stopwatch {
    nanos: Histogram<u64>,
}

impl Stopwatch {
    pub(crate) fn new() -> Stopwatch {
        let longest = 2 * OPERATION_MAX.as_nanos() as u64;
        Stopwatch { nanos: Histogram::new_with_bounds(1, longest, 3).expect("three digits are allowed") }
    }

    pub(crate) fn add(&mut self, took: Duration) {
        self.nanos.saturating_record(took.as_nanos() as u64);
    }

    pub(crate) fn times(&self) -> Times {
        let us = |nanos: u64| nanos as f64 / 1000.0;
        let at = |quantile| us(self.nanos.value_at_quantile(quantile));
        Times { p50: at(0.5), p99: at(0.99), max: us(self.nanos.max()), count: self.nanos.len() }
    }
}

/// MiB that go through in a second.
pub(crate) fn mib_per_second(bytes: u64, took: Duration) -> f64 {
    bytes as f64 / f64::from(1 << 20) / took.as_secs_f64().max(1e-9)
}

/// One core's back end, driven operation by operation.
pub(crate) struct Driver {
    native: Native,
    done: Vec<shard::Completion>,
}

impl Driver {
    pub(crate) fn new(host: &HostChoices) -> Result<Driver, Fault> {
        let bell = Bell::new().map_err(|error| Fault::of("an eventfd", error))?;
        let native = Native::new(host, Pool::new(64 << 20), Arc::new(bell))
            .map_err(|error| Fault(format!("{} cannot be set up: {error:?}", host.kind)))?;
        Ok(Driver { native, done: Vec::new() })
    }

    pub(crate) fn native(&mut self) -> &mut Native {
        &mut self.native
    }

    pub(crate) fn disk(&mut self) -> &mut dyn Disk {
        self.native.disk()
    }

    /// Starts one operation.
    pub(crate) fn push(&mut self, op: Op) {
        self.native.push(Token(0), op);
    }

    /// Waits for the next operation's end.
    pub(crate) fn next(&mut self, what: &str) -> Result<Outcome, Fault> {
        let deadline = Instant::now() + OPERATION_MAX;
        loop {
            if !self.done.is_empty() {
                return match self.done.remove(0).outcome {
                    Outcome::Failed(error) => Err(Fault::of(what, error)),
                    outcome => Ok(outcome),
                };
            }
            if Instant::now() > deadline {
                return Err(Fault(format!("{what}: not done after {} s", OPERATION_MAX.as_secs())));
            }
            let wake = self.native.now() + Duration::from_secs(1);
            self.native.reap(Wait::Until(wake), &mut self.done);
        }
    }

    /// One operation from begin to end.
    pub(crate) fn perform(&mut self, op: Op, what: &str) -> Result<Outcome, Fault> {
        self.push(op);
        self.next(what)
    }
}

/// No operation of a disk that works takes so long.
const OPERATION_MAX: Duration = Duration::from_secs(60);

/// A file that goes when it is dropped.
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new(dir: &Path, name: &str) -> Scratch {
        Scratch { path: dir.join(format!(".ringlog-tune-{}-{name}", std::process::id())) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Not made, or gone already: there is nothing left to do either way.
        _ = std::fs::remove_file(&self.path);
    }
}
