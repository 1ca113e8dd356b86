//! The trace of a run: every line goes into its hash, and is kept if somebody wants to read it.

use std::fmt::{self, Write};

use shard::Nanos;

/// FNV-1a's numbers.
const HASH_FIRST: u64 = 0xcbf2_9ce4_8422_2325;
const HASH_PRIME: u64 = 0x0000_0100_0000_01b3;

/// What happened, in order.
pub struct Trace {
    hash: u64,
    lines: Option<Vec<String>>,
}

impl Trace {
    /// A trace that keeps its lines, or only their hash.
    pub fn new(keeps_lines: bool) -> Trace {
        Trace { hash: HASH_FIRST, lines: keeps_lines.then(Vec::new) }
    }

    /// Adds a line: when, who, what.
    pub fn line(&mut self, at: Nanos, who: impl fmt::Display, what: impl fmt::Display) {
        let (seconds, micros) = (at.0 / 1_000_000_000, at.0 / 1000 % 1_000_000);
        match &mut self.lines {
            None => _ = write!(Hasher(&mut self.hash), "{seconds}.{micros:06} {who} {what}"),
            Some(lines) => {
                _ = write!(Hasher(&mut self.hash), "{seconds}.{micros:06} {who} {what}");
                lines.push(format!("{seconds:>4}.{micros:06}  {who:<10}  {what}", who = who.to_string()));
            }
        }
    }

    /// Adds numbers that tell one run from another, without a line.
    pub fn numbers(&mut self, numbers: &[u64]) {
        for number in numbers {
            self.hash = (self.hash ^ number).wrapping_mul(HASH_PRIME);
        }
    }

    /// The hash of all so far.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The lines, if they were kept.
    pub fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default()
    }
}

struct Hasher<'a>(&'a mut u64);

impl Write for Hasher<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            *self.0 = (*self.0 ^ u64::from(byte)).wrapping_mul(HASH_PRIME);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_tells_runs_apart_and_does_not_depend_on_keeping_lines() {
        let run = |keeps: bool, what: &str| {
            let mut trace = Trace::new(keeps);
            trace.line(Nanos(1_500_000_000), "client 1", what);
            (trace.hash(), trace.into_lines())
        };
        assert_eq!(run(true, "a").0, run(false, "a").0);
        assert_ne!(run(true, "a").0, run(true, "b").0);
        assert_eq!(run(true, "a").1, ["   1.500000  client 1    a"]);
    }
}
