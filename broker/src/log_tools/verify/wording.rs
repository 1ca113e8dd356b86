//! What `verify` says: what a flaw means to users, and what the start did about it in the rehearsal.

use std::path::Path;

use shard::Fate;
use storage::inspect::FlawKind;
use storage::{Recovered, StorageError};

/// What became of a file with a finding.
pub fn fate(fate: Fate, path: &Path, refusal: Option<&StorageError>) -> String {
    if let Some(error) = refusal {
        return format!("takes this partition offline, and changes nothing behind the fault: {error}");
    }
    let is_log = path.extension().is_some_and(|ending| ending == "log");
    match fate {
        Fate::Untouched if is_log => {
            "leaves it as it is: what was sealed or closed in order is not read again".to_owned()
        }
        Fate::Untouched => "leaves it as it is".to_owned(),
        Fate::Removed => "removes the file".to_owned(),
        Fate::Cut { len } => format!("cuts the file to {len} bytes"),
        Fate::Written if is_log => "writes it anew, from the journal or what compaction left".to_owned(),
        Fate::Written => "makes it anew".to_owned(),
    }
}

/// How a log opened.
pub fn opened(recovered: &Recovered) -> String {
    let mut text =
        if recovered.is_clean { "opens as it was closed" } else { "opens after a crash" }.to_owned();
    let Recovered { checked_bytes, cut_bytes, rebuilt_count, .. } = *recovered;
    if checked_bytes > 0 {
        text.push_str(&format!(", reads {checked_bytes} bytes"));
    }
    if rebuilt_count > 0 {
        text.push_str(&format!(", makes the indexes of {rebuilt_count} segments anew"));
    }
    if cut_bytes > 0 {
        text.push_str(&format!(", cuts off {cut_bytes} bytes"));
    }
    text
}

/// What a flaw means.
pub fn means(flaw: &FlawKind) -> &'static str {
    match flaw {
        FlawKind::Broken { .. } => {
            "a write was not completed, or the file was damaged: what lies behind is not served"
        }
        FlawKind::WrongCrc(_) => "these are not the bytes that were sent: consumers refuse the batch",
        FlawKind::Records(..) => "consumers cannot read this batch",
        FlawKind::NoIndex => "look-ups have nothing to go by",
        FlawKind::IndexOrder | FlawKind::IndexNowhere(_) | FlawKind::IndexBeyond(_) => {
            "look-ups by offset may miss records or fail"
        }
        FlawKind::TimeTooOld(_) => "look-ups by time may miss records",
        FlawKind::NewestUntold(_) => "retention takes the segment for older than it is",
        FlawKind::More => "mend what is told first",
    }
}
