//! Two clocks that never mix: [`Nanos`] is monotonic and times waits; [`WallMs`] is the calendar and dates records.
//!
//! Both are read once a turn by the I/O back end; nothing else reads a clock.

use std::ops::{Add, Sub};
use std::time::Duration;

/// Monotonic time in nanoseconds since an arbitrary start. Only differences mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

impl Nanos {
    /// This moment plus `ms` milliseconds; negative waits count as zero, absurd ones saturate.
    pub fn plus_ms(self, ms: i64) -> Nanos {
        Nanos(self.0.saturating_add((ms.max(0) as u64).saturating_mul(1_000_000)))
    }

    /// How long ago `earlier` was; zero if it lies in the future.
    pub fn since(self, earlier: Nanos) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Nanos {
    type Output = Nanos;
    fn add(self, wait: Duration) -> Nanos {
        Nanos(self.0.saturating_add(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Nanos {
    type Output = Duration;
    fn sub(self, earlier: Nanos) -> Duration {
        self.since(earlier)
    }
}

/// Calendar time in milliseconds since 1970 (UTC), as Kafka dates records. It may jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WallMs(pub i64);
