//! How long things took: a histogram of a fixed size that one core keeps for itself, without atomics.
//!
//! Its buckets are log-linear in base ten: nine of equal width in each decade from 1 µs to 100 s, so that a duration is
//! known to a ninth of its decade and the bounds are round numbers in seconds:
//!
//! ```text
//!   ≤1 µs │ ≤2 │ ≤3 │ … │ ≤9 │ ≤10 µs │ ≤20 │ … │ ≤90 │ ≤100 µs │ … │ ≤90 s │ ≤100 s │ more
//! ```

use std::time::Duration;

/// Buckets in a decade.
const STEPS: usize = 9;

/// Decades, from 1 µs to 100 s.
const DECADES: usize = 8;

/// All buckets: that of 1 µs, the decades, and one for what took longer.
pub const BUCKETS: usize = 1 + STEPS * DECADES + 1;

/// Durations, counted by how long they were. 600 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; BUCKETS],
    total_nanos: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: [0; BUCKETS], total_nanos: 0 }
    }
}

impl Histogram {
    /// Counts one duration: a few nanoseconds.
    pub fn record(&mut self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.counts[bucket_of(nanos)] += 1;
        self.total_nanos = self.total_nanos.saturating_add(nanos);
    }

    /// Adds what another core has counted.
    pub fn add(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total_nanos = self.total_nanos.saturating_add(other.total_nanos);
    }

    /// How many durations there were.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All of them together.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.total_nanos)
    }

    /// How many took no longer than `digit` × 10^`decade` µs, for a digit of 1 to 9 and a decade of 0 to 7; exact, for
    /// that is where a bucket ends.
    pub fn count_within(&self, digit: usize, decade: usize) -> u64 {
        assert!((1..=STEPS).contains(&digit));
        assert!(decade < DECADES);
        self.counts[..=decade * STEPS + digit - 1].iter().sum()
    }
}

/// The bucket of a duration: the first whose bound it does not exceed.
fn bucket_of(nanos: u64) -> usize {
    let micros = nanos.div_ceil(1000);
    if micros <= 1 {
        return 0;
    }
    // The largest power of ten below it, so that a bound itself falls into the bucket that it ends.
    let decade = (micros - 1).ilog10();
    let step = micros.div_ceil(10_u64.pow(decade)) as usize;
    (decade as usize * STEPS + step - 1).min(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: u64 = 1000;
    const SECOND: u64 = 1_000_000 * MICRO;

    #[test]
    fn a_duration_is_counted_in_the_first_bucket_whose_bound_it_does_not_exceed() {
        for (nanos, bucket) in [
            (0, 0),
            (1, 0),
            (MICRO, 0),
            (MICRO + 1, 1),
            (2 * MICRO, 1),
            (9 * MICRO, 8),
            (9 * MICRO + 1, 9),
            (10 * MICRO, 9),
            (10 * MICRO + 1, 10),
            (20 * MICRO, 10),
            (100 * MICRO, 18),
            (SECOND, 54),
            (90 * SECOND, 71),
            (100 * SECOND, 72),
            (100 * SECOND + 1, 73),
            (u64::MAX, 73),
        ] {
            assert_eq!(bucket_of(nanos), bucket, "{nanos} ns");
        }
    }

    #[test]
    fn buckets_grow_with_durations_and_bounds_are_exact() {
        let mut before = 0;
        for nanos in (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]) {
            let bucket = bucket_of(nanos);
            assert!(bucket >= before, "{nanos} ns");
            before = bucket;
        }
        for decade in 0..DECADES {
            for digit in 1..=STEPS {
                let bound = digit as u64 * 10_u64.pow(decade as u32) * MICRO;
                let mut one = Histogram::default();
                one.record(Duration::from_nanos(bound));
                assert_eq!(one.count_within(digit, decade), 1, "{bound} ns");
                let mut next = Histogram::default();
                next.record(Duration::from_nanos(bound + 1));
                assert_eq!(next.count_within(digit, decade), 0, "{bound} ns and one more");
            }
        }
    }

    #[test]
    fn histograms_of_cores_add_up() {
        let (mut one, mut two) = (Histogram::default(), Histogram::default());
        one.record(Duration::from_millis(1));
        two.record(Duration::from_millis(3));
        two.record(Duration::from_secs(1000));
        one.add(&two);
        assert_eq!((one.count(), one.total()), (3, Duration::from_millis(1_000_004)));
        assert_eq!((one.count_within(1, 3), one.count_within(3, 3), one.count_within(9, 7)), (1, 2, 2));
    }
}
