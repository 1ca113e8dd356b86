//! What a check says: what it found, why it matters, and what to change.

use std::path::PathBuf;

use serde::Serialize;

/// How a machine does in one respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Worth knowing; nothing here can or must be changed.
    Note,
    /// To be changed.
    Change,
}

/// What would mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Remedy {
    /// A file of the kernel's that is to hold another value; `--apply` writes it.
    Write {
        /// Which.
        path: PathBuf,
        /// What it is to hold.
        value: String,
        /// What takes that back where the old value itself cannot be written again.
        undo: Option<(PathBuf, String)>,
    },
    /// Something that only the operator can do.
    ByHand(String),
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which part of the machine.
    pub area: &'static str,
    /// What was looked at.
    pub what: String,
    /// What it is.
    pub found: String,
    /// How that is.
    pub verdict: Verdict,
    /// Why it matters, in figures of this machine where there are some.
    pub why: String,
    /// What to do, in order.
    pub remedies: Vec<Remedy>,
}

impl Finding {
    /// All is well.
    pub fn good(area: &'static str, what: &str, found: impl Into<String>, why: impl Into<String>) -> Finding {
        Finding::with(Verdict::Good, area, what, found, why)
    }

    /// Worth knowing.
    pub fn note(area: &'static str, what: &str, found: impl Into<String>, why: impl Into<String>) -> Finding {
        Finding::with(Verdict::Note, area, what, found, why)
    }

    /// To be changed.
    pub fn change(
        area: &'static str,
        what: &str,
        found: impl Into<String>,
        why: impl Into<String>,
        remedies: Vec<Remedy>,
    ) -> Finding {
        assert!(!remedies.is_empty(), "who is told to change something is told how");
        Finding { remedies, ..Finding::with(Verdict::Change, area, what, found, why) }
    }

    fn with(
        verdict: Verdict,
        area: &'static str,
        what: &str,
        found: impl Into<String>,
        why: impl Into<String>,
    ) -> Finding {
        Finding {
            area,
            what: what.into(),
            found: found.into(),
            verdict,
            why: why.into(),
            remedies: Vec::new(),
        }
    }
}
