//! The offsets of one log and their order, written once.

use crate::offset::Offset;

/// Always in this order:
///
/// ```text
///     log_start ≤ last_stable ≤ high_watermark ≤ end ≤ assigned
///     └ readable ──────────────────────────────┘└ not yet replicated ┘└ on its way to the file
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offsets {
    /// The first offset that may be read; what lies before is deleted.
    pub log_start: Offset,
    /// Below it no transaction is open. The high watermark while there are none.
    pub last_stable: Offset,
    /// Below it every in-sync replica has everything.
    pub high_watermark: Offset,
    /// One beyond the last record in the file: Kafka's log end offset.
    pub end: Offset,
    /// The next offset to be given out.
    pub assigned: Offset,
}

impl Offsets {
    /// An empty log's.
    pub fn at(start: Offset) -> Offsets {
        Offsets { log_start: start, last_stable: start, high_watermark: start, end: start, assigned: start }
    }

    /// Asserts the order.
    pub fn validate(&self) {
        assert!(self.log_start <= self.last_stable);
        assert!(self.last_stable <= self.high_watermark);
        assert!(self.high_watermark <= self.end);
        assert!(self.end <= self.assigned);
    }
}
