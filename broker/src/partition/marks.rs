//! When records were appended, by their offsets: a bounded list, exact for the newest and coarser the further back.
//!
//! ```text
//!   offset    0        9000     17000 …  52000  52100  52200  52300
//!   age       9 h      6 h      4 h   …  4 s    3 s    2 s    1 s
//! ```

use shard::WallMs;
use storage::Offset;

/// Marks of one partition.
const MARKS_MAX: usize = 64;

/// Appends within so many ms share a mark.
const APART_MS: i64 = 1000;

/// Offsets and the times at which they were appended, both ascending.
#[derive(Debug, Default)]
pub struct Marks {
    marks: Vec<(Offset, WallMs)>,
}

impl Marks {
    /// A batch that begins at `offset` is appended now.
    pub fn note(&mut self, offset: Offset, now: WallMs) {
        // A calendar that was set back makes no new marks until it has caught up: ages are not made too small.
        if self.marks.last().is_some_and(|(_, last)| now.0 < last.0.saturating_add(APART_MS)) {
            return;
        }
        if self.marks.len() == MARKS_MAX {
            self.thin_out();
        }
        self.marks.push((offset, now));
    }

    /// When the record at `offset` was appended, or a little before; `None` if no mark is so old.
    pub fn time_of(&self, offset: Offset) -> Option<WallMs> {
        let after = self.marks.partition_point(|(known, _)| *known <= offset);
        self.marks.get(after.checked_sub(1)?).map(|(_, at)| *at)
    }

    /// Drops every second mark of the older half.
    fn thin_out(&mut self) {
        let mut index = 0;
        self.marks.retain(|_| {
            index += 1;
            index > MARKS_MAX / 2 || index % 2 == 1
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks_of(count: i64, apart_ms: i64) -> Marks {
        let mut marks = Marks::default();
        for number in 0..count {
            marks.note(Offset(number * 10), WallMs(number * apart_ms));
        }
        marks
    }

    #[test]
    fn a_record_is_as_old_as_the_mark_before_it() {
        let marks = marks_of(10, 1000);
        for (offset, expected) in [(0, Some(0)), (9, Some(0)), (10, Some(1000)), (95, Some(9000)), (-1, None)]
        {
            assert_eq!(marks.time_of(Offset(offset)).map(|at| at.0), expected, "{offset}");
        }
        assert_eq!(Marks::default().time_of(Offset(5)), None);
    }

    #[test]
    fn appends_of_one_second_share_a_mark() {
        let marks = marks_of(1000, 10);
        assert_eq!(marks.marks.len(), 10);
        assert_eq!(marks.time_of(Offset(1999)), Some(WallMs(1000)));
    }

    #[test]
    fn a_long_life_takes_bounded_memory_and_never_makes_records_younger() {
        let marks = marks_of(100_000, 1000);
        assert!(marks.marks.len() <= MARKS_MAX);
        assert!(marks.marks.is_sorted());
        for number in [0, 1, 17, 5000, 70_000, 99_990, 99_999] {
            let WallMs(at) = marks.time_of(Offset(number * 10 + 3)).unwrap();
            assert!(at <= number * 1000, "{number} is told as appended at {at}");
        }
        assert_eq!(marks.time_of(Offset(999_970)), Some(WallMs(99_997_000)), "the newest are exact");
    }

    #[test]
    fn a_calendar_that_is_set_back_makes_nothing_younger() {
        let mut marks = Marks::default();
        marks.note(Offset(0), WallMs(10_000));
        marks.note(Offset(5), WallMs(4_000));
        marks.note(Offset(7), WallMs(12_000));
        assert_eq!(marks.marks, [(Offset(0), WallMs(10_000)), (Offset(7), WallMs(12_000))]);
    }
}
