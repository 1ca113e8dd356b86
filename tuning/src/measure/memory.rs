//! Memory and the clock.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Plan;

/// More than the processor's own caches hold.
const BYTES: usize = 64 << 20;

/// Readings of the clock.
const READINGS: u32 = 100_000;

/// What memory does.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MemoryFigures {
    /// Copying memory that was used before, GiB a second.
    pub copy_gib_s: f64,
    /// Using memory for the first time, GiB a second.
    pub first_touch_gib_s: f64,
    /// Reading the clock, ns.
    pub clock_ns: f64,
}

/// Touches, copies, and asks what time it is.
pub fn measure(plan: &Plan) -> MemoryFigures {
    let begin = Instant::now();
    let mut from = vec![0_u8; BYTES];
    // One byte of each page: zeroed memory is not there before it is written.
    from.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    let first_touch_gib_s = gib_per_second(black_box(&from).len(), begin.elapsed());
    let mut to = from.clone();
    let (begin, mut copied) = (Instant::now(), 0);
    while begin.elapsed() < plan.each / 2 {
        black_box(&mut to).copy_from_slice(black_box(&from));
        copied += BYTES;
    }
    let copy_gib_s = gib_per_second(copied, begin.elapsed());
    let begin = Instant::now();
    for _ in 0..READINGS {
        black_box(Instant::now());
    }
    let clock_ns = begin.elapsed().as_nanos() as f64 / f64::from(READINGS);
    MemoryFigures { copy_gib_s, first_touch_gib_s, clock_ns }
}

fn gib_per_second(bytes: usize, took: Duration) -> f64 {
    bytes as f64 / f64::from(1 << 30) / took.as_secs_f64().max(1e-9)
}
