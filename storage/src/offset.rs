//! Numbers with a meaning of their own: offsets, epochs, producer ids and sequence numbers.

use std::fmt;

/// A record's place in its log. Never reused; gaps are normal (Q69).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Offset(pub i64);

impl Offset {
    /// The first place of every log.
    pub const ZERO: Offset = Offset(0);

    /// The place `count` further on.
    pub fn plus(self, count: i64) -> Offset {
        Offset(self.0.checked_add(count).expect("an offset stays below 2^63"))
    }

    /// How far this place lies behind `base`; negative if before it.
    pub fn distance_from(self, base: Offset) -> i64 {
        self.0.wrapping_sub(base.0)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Counts the leaders a partition has had. -1 stands for "unknown".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LeaderEpoch(pub i32);

impl LeaderEpoch {
    /// No epoch is known.
    pub const UNKNOWN: LeaderEpoch = LeaderEpoch(-1);
}

/// An idempotent producer's session. -1 stands for "none".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProducerId(pub i64);

impl ProducerId {
    /// The producer of a batch that asks for no idempotence.
    pub const NONE: ProducerId = ProducerId(-1);

    /// Whether sequence numbers are to be checked.
    pub fn is_some(self) -> bool {
        self.0 >= 0
    }
}

/// Fences older incarnations of a producer id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProducerEpoch(pub i16);

/// A record's number within its producer's session; 2^31-1 is followed by 0 (Q42).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sequence(pub i32);

impl Sequence {
    /// Where every epoch starts.
    pub const ZERO: Sequence = Sequence(0);
    /// The sequence of a batch without a producer.
    pub const NONE: Sequence = Sequence(-1);

    /// The number `count` further on, never negative.
    pub fn plus(self, count: i32) -> Sequence {
        Sequence(((i64::from(self.0) + i64::from(count)) & 0x7fff_ffff) as i32)
    }

    /// The number `count` before, never negative.
    pub fn minus(self, count: i32) -> Sequence {
        Sequence(((i64::from(self.0) - i64::from(count)) & 0x7fff_ffff) as i32)
    }

    /// The number that must come next.
    pub fn next(self) -> Sequence {
        self.plus(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c27_sequences_wrap_to_zero_and_never_below() {
        assert_eq!(Sequence(i32::MAX).next(), Sequence(0));
        assert_eq!(Sequence(2_147_483_645).plus(9), Sequence(6));
        assert_eq!(Sequence(6).minus(9), Sequence(2_147_483_645));
        assert_eq!(Sequence(5).plus(2), Sequence(7));
    }
}
