//! Timers of one core: set, cancelled and fired in order of their deadlines.

use std::collections::BTreeMap;

use crate::clock::Nanos;
use crate::io::Token;

/// Names a timer that is set; hand it back to cancel it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimerId {
    deadline: Nanos,
    sequence: u64,
}

/// Timers by deadline; equal deadlines fire in the order in which they were set.
#[derive(Debug, Default)]
pub struct Timers {
    set: BTreeMap<TimerId, Token>,
    sequence: u64,
}

impl Timers {
    /// Sets a timer that fires with `token` at `deadline` or as soon after it as a turn comes.
    pub fn set(&mut self, deadline: Nanos, token: Token) -> TimerId {
        self.sequence += 1;
        let id = TimerId { deadline, sequence: self.sequence };
        self.set.insert(id, token);
        id
    }

    /// Takes a timer back; `false` if it has fired or was cancelled before.
    pub fn cancel(&mut self, id: TimerId) -> bool {
        self.set.remove(&id).is_some()
    }

    /// When the next timer is due.
    pub fn next_deadline(&self) -> Option<Nanos> {
        self.set.first_key_value().map(|(id, _)| id.deadline)
    }

    /// Takes the next timer that is due at `now`.
    pub fn pop_due(&mut self, now: Nanos) -> Option<Token> {
        let first = self.set.first_entry()?;
        (first.key().deadline <= now).then(|| first.remove())
    }

    /// How many timers are set.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether no timer is set.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_order_of_deadline_then_of_setting() {
        let mut timers = Timers::default();
        for (at, token) in [(20, 1), (10, 2), (20, 3), (30, 4)] {
            timers.set(Nanos(at), Token(token));
        }
        let fired: Vec<u64> = std::iter::from_fn(|| timers.pop_due(Nanos(20))).map(|token| token.0).collect();
        assert_eq!(fired, [2, 1, 3]);
        assert_eq!(timers.next_deadline(), Some(Nanos(30)));
    }

    #[test]
    fn a_cancelled_timer_does_not_fire() {
        let mut timers = Timers::default();
        let id = timers.set(Nanos(1), Token(7));
        assert!(timers.cancel(id));
        assert!(!timers.cancel(id));
        assert_eq!(timers.pop_due(Nanos(9)), None);
    }
}
