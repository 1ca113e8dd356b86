//! Brings together when records were meant to be sent and when readers got them. Nothing is written into the records for that:
//! an acknowledgement says which offsets they have, and a reader says up to which offset it has come.

use std::collections::{BTreeMap, VecDeque};

use shard::Nanos;

/// Moments that a reader's progress is remembered for: an acknowledgement may come later than the record does.
const SEEN_MAX: usize = 1 << 16;

/// Records that were meant to be sent one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intended {
    /// When the first was to be sent.
    pub first: Nanos,
    /// How long after each the next one was, ns.
    pub step_ns: u64,
    /// How many.
    pub count: u32,
}

/// One partition's records on their way to its tail readers.
#[derive(Debug)]
pub struct Arrivals {
    readers: Vec<Reader>,
    /// Acknowledged batches that not all readers have got, by base offset, and how many have not.
    acknowledged: BTreeMap<i64, (Intended, usize)>,
}

#[derive(Debug, Default)]
struct Reader {
    /// Where it had come at which time.
    seen: VecDeque<(i64, Nanos)>,
    /// The next offset that it waits for.
    next: i64,
}

impl Arrivals {
    /// A partition that so many readers follow from offset `start` on.
    pub fn new(reader_count: usize, start: i64) -> Arrivals {
        let readers = (0..reader_count).map(|_| Reader { seen: VecDeque::new(), next: start }).collect();
        Arrivals { readers, acknowledged: BTreeMap::new() }
    }

    /// A batch was acknowledged at `base`; `arrived` is told of every reader that has it already.
    pub fn on_acknowledged(
        &mut self,
        base: i64,
        intended: Intended,
        mut arrived: impl FnMut(Intended, Nanos),
    ) {
        let mut left = 0;
        for reader in &self.readers {
            if reader.next <= base {
                left += 1;
                continue;
            }
            let place = reader.seen.partition_point(|(next, _)| *next <= base);
            if let Some((_, at)) = reader.seen.get(place) {
                arrived(intended, *at);
            }
        }
        if left > 0 {
            self.acknowledged.insert(base, (intended, left));
        }
    }

    /// A reader has all records before `next`; `arrived` is told of every batch that this brings.
    pub fn on_read(
        &mut self,
        reader: usize,
        next: i64,
        now: Nanos,
        mut arrived: impl FnMut(Intended, Nanos),
    ) {
        let reader = &mut self.readers[reader];
        if next <= reader.next {
            return;
        }
        let mut complete = Vec::new();
        for (&base, (intended, left)) in self.acknowledged.range_mut(reader.next..next) {
            arrived(*intended, now);
            *left -= 1;
            if *left == 0 {
                complete.push(base);
            }
        }
        for base in complete {
            self.acknowledged.remove(&base);
        }
        reader.next = next;
        reader.seen.push_back((next, now));
        if reader.seen.len() > SEEN_MAX {
            reader.seen.pop_front();
        }
    }

    /// Records that were acknowledged and have not come to all readers.
    pub fn missing(&self) -> u64 {
        self.acknowledged.values().map(|(intended, left)| u64::from(intended.count) * *left as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(at: u64) -> Intended {
        Intended { first: Nanos(at), step_ns: 0, count: 1 }
    }

    #[test]
    fn a_record_is_timed_once_a_reader_whichever_comes_first() {
        let mut arrivals = Arrivals::new(2, 0);
        let mut times = Vec::new();
        // The first reader has the record before its producer knows.
        arrivals.on_read(0, 1, Nanos(50), |_, _| panic!("nobody knows yet when it was sent"));
        arrivals.on_acknowledged(0, one(10), |sent, at| times.push((sent.first, at)));
        arrivals.on_read(1, 1, Nanos(70), |sent, at| times.push((sent.first, at)));
        arrivals.on_read(1, 1, Nanos(90), |_, _| panic!("it was counted"));
        assert_eq!(times, [(Nanos(10), Nanos(50)), (Nanos(10), Nanos(70))]);
        assert_eq!(arrivals.missing(), 0);
    }

    #[test]
    fn the_moment_counts_at_which_the_reader_came_past() {
        let mut arrivals = Arrivals::new(1, 100);
        for (next, at) in [(101, 1), (105, 2), (110, 3)] {
            arrivals.on_read(0, next, Nanos(at), |_, _| ());
        }
        for (base, expected) in [(100, 1), (101, 2), (104, 2), (105, 3), (109, 3)] {
            let mut seen = None;
            arrivals.on_acknowledged(base, one(0), |_, at| seen = Some(at));
            assert_eq!(seen, Some(Nanos(expected)), "{base}");
        }
        arrivals.on_acknowledged(110, one(0), |_, _| panic!("nobody has read it"));
        assert_eq!(arrivals.missing(), 1);
    }
}
