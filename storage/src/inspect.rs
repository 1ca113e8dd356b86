//! Looking at files without a log: for tools. Nothing here writes, and whatever the bytes, nothing panics or takes more
//! memory than one batch and one index need.
//!
//! [`walk`] goes through a segment batch by batch, [`check`] holds it against its indexes, [`facts_of`] says what one of
//! the small files means.

pub mod check;
pub mod walk;

use crate::error::Cause;

pub use check::{Flaw, FlawKind, SegmentCheck, check_segment};
pub use walk::{BatchFault, BatchWalk, Step};

/// One thing that a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A number.
    Number(i128),
    /// Whether something is so.
    Flag(bool),
    /// A text.
    Text(String),
}

/// What a file says, by name.
pub type Facts = Vec<(&'static str, Fact)>;

/// What one of the small files of a log's directory says; nothing if `name` is none of them.
pub fn facts_of(name: &str, bytes: &[u8]) -> Option<Result<Facts, Cause>> {
    crate::log::facts::of(name, bytes)
}
