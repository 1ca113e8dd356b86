//! What a log will do of itself, told by the functions that do it: which segment leaves next and why, when the active one
//! ends, when it is compacted.

use shard::WallMs;

use super::{Deletion, Dirtiness, Log};
use crate::offset::Offset;
use crate::segment::{Indexes, Segment};

/// A segment, as far as upkeep cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutlookSegment {
    /// Its first possible offset.
    pub base: Offset,
    /// Its size in bytes.
    pub size: u32,
    /// What its age counts from, in ms.
    pub dated_at: i64,
    /// When its last batch was appended, in ms.
    pub appended_at: i64,
    /// Its data is durable and its indexes are written.
    pub is_sealed: bool,
}

/// What comes next in a log, if nothing is appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// By base offset; the last one is the active one.
    pub segments: Vec<OutlookSegment>,
    /// When the first segment leaves and why; none if nothing makes it go.
    pub deletion: Option<Deletion>,
    /// Whether the first segment can go as it is: otherwise it is sealed or ended first.
    pub may_delete_first: bool,
    /// When the active segment ends by the clock; none if it is empty.
    pub roll_at: Option<WallMs>,
    /// What there is to compact; none if the topic is not compacted, or nothing is dirty.
    pub dirtiness: Option<Dirtiness>,
    /// Before it no key is there twice.
    pub cleaned_to: Offset,
}

impl Log {
    /// What comes next in this log.
    pub fn outlook(&self) -> Outlook {
        let segment = |segment: &Segment| OutlookSegment {
            base: segment.base,
            size: segment.size,
            dated_at: self.dated_at(segment),
            appended_at: segment.appended_at,
            is_sealed: matches!(segment.indexes, Indexes::Sealed),
        };
        Outlook {
            segments: self.segments.iter().map(segment).collect(),
            deletion: self.next_deletion(),
            may_delete_first: self.may_delete_first(),
            roll_at: self.roll_due(),
            dirtiness: self.dirtiness(),
            cleaned_to: self.cleaned_to,
        }
    }
}
