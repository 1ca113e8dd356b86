//! One partition's directory as it lies there: its segments with their indexes, the gaps between them, and the small files.

use std::path::{Path, PathBuf};

use shard::Disk;
use shard::disk::Entry;
use storage::epochs::{self, Epochs};
use storage::error::Cause;
use storage::inspect::{Fact, Facts, check_segment, facts_of};
use storage::segment::{LOG, SNAPSHOT, TXN_INDEX, parse_name, path_of};
use storage::{Offset, StorageError, aborted, producers};

use super::wording;

/// No small file is larger.
const FILE_LEN_MAX: u64 = 256 << 20;

/// Something that is wrong.
#[derive(Debug, Clone)]
pub struct Finding {
    /// With which file.
    pub path: PathBuf,
    /// Where in it.
    pub position: u64,
    /// What.
    pub what: String,
    /// What that means to users.
    pub means: &'static str,
}

/// What a directory holds.
#[derive(Debug, Default)]
pub struct Directory {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What is worth a word and not wrong.
    pub notes: Vec<(PathBuf, String)>,
    /// How many segments there are.
    pub segments: usize,
    /// How many batches they hold.
    pub batches: u64,
    /// How many records.
    pub records: u64,
}

impl Directory {
    /// Reads all of it. Where compaction is at work, gaps are in order.
    pub fn read(
        disk: &mut dyn Disk,
        dir: &Path,
        entries: &[Entry],
        may_have_gaps: bool,
    ) -> Result<Directory, StorageError> {
        let mut found = Directory::default();
        let mut marker = None;
        for entry in entries.iter().filter(|entry| !entry.is_dir) {
            if let Some(facts) = found.small_file(disk, dir, &entry.name)?
                && entry.name == "ringlog.clean"
            {
                marker = facts.iter().find_map(|(name, fact)| match fact {
                    Fact::Number(end) if *name == "end_offset" => i64::try_from(*end).ok().map(Offset),
                    _ => None,
                });
            }
        }
        let has_gaps = may_have_gaps || entries.iter().any(|entry| entry.name == "ringlog.cleaned");
        found.segments(disk, dir, entries, marker, has_gaps)?;
        Ok(found)
    }

    fn segments(
        &mut self,
        disk: &mut dyn Disk,
        dir: &Path,
        entries: &[Entry],
        marker: Option<Offset>,
        may_have_gaps: bool,
    ) -> Result<(), StorageError> {
        let of_ending = |wanted: &'static str| {
            let parsed = entries.iter().filter_map(|entry| parse_name(&entry.name));
            parsed.filter(move |(_, ending)| *ending == wanted).map(|(offset, _)| offset)
        };
        let bases: Vec<Offset> = of_ending(LOG).collect();
        let snapshots: Vec<Offset> = of_ending(SNAPSHOT).collect();
        self.segments = bases.len();
        let mut end = None;
        for (index, &base) in bases.iter().enumerate() {
            let next = bases.get(index + 1).copied();
            let is_sealed = next.is_some_and(|next| snapshots.contains(&next));
            let is_closed = next.is_none() && marker.is_some();
            if let Some(end) = end {
                self.gap(dir, base, end, may_have_gaps);
            }
            let check = check_segment(disk, dir, base, is_sealed || is_closed, is_sealed)?;
            self.batches += check.batches;
            self.records += check.records;
            end = Some(check.end);
            for flaw in check.flaws {
                let (what, means) = (flaw.kind.to_string(), wording::means(&flaw.kind));
                self.findings.push(Finding { path: flaw.path, position: flaw.position, what, means });
            }
            if next.is_some() && !is_sealed {
                let what =
                    "no snapshot proves that this segment was sealed: start reads all of it".to_owned();
                self.notes.push((path_of(dir, base, LOG), what));
            }
        }
        match (marker, end) {
            (None, Some(_)) => {
                let what = "the log was not closed in order: start reads its active segment".to_owned();
                self.notes.push((dir.to_path_buf(), what));
            }
            (Some(marked), Some(end)) if marked != end => self.findings.push(Finding {
                path: dir.join("ringlog.clean"),
                position: 0,
                what: format!("the log was closed at offset {marked}, and its batches end at {end}"),
                means: "the files were changed behind the broker's back",
            }),
            _ => {}
        }
        Ok(())
    }

    /// Between the end of a segment and the next one's base.
    fn gap(&mut self, dir: &Path, base: Offset, end: Offset, may_have_gaps: bool) {
        let path = path_of(dir, base, LOG);
        if base < end {
            self.findings.push(Finding {
                path,
                position: 0,
                what: format!("the segment begins at offset {base}, and the one before ends at {end}"),
                means: "the same offsets lie in two segments",
            });
        } else if base > end && !may_have_gaps {
            self.findings.push(Finding {
                path,
                position: 0,
                what: format!("offsets {end} to {} are in no segment", base.plus(-1)),
                means: "records are gone, unless compaction took them: consumers go on behind the gap",
            });
        }
    }

    /// Looks into a file that is no segment and no index; gives what it says, if it says something.
    fn small_file(
        &mut self,
        disk: &mut dyn Disk,
        dir: &Path,
        name: &str,
    ) -> Result<Option<Facts>, StorageError> {
        let path = dir.join(name);
        let ending = parse_name(name).map(|(_, ending)| ending);
        if name.ends_with(".tmp") {
            self.notes.push((
                path,
                "a draft that was not completed: start writes over it when it needs to".to_owned(),
            ));
            return Ok(None);
        }
        if ending.is_some_and(|ending| ending.ends_with(".cleaned") || ending.ends_with(".swap")) {
            self.notes.push((path, "compaction was cut short: start removes or completes it".to_owned()));
            return Ok(None);
        }
        let is_mark = facts_of(name, &[]).is_some();
        let is_aborted = ending == Some(TXN_INDEX);
        if !is_mark && name != epochs::FILE_NAME && ending != Some(SNAPSHOT) && !is_aborted {
            return Ok(None);
        }
        let bytes = match disk.read_file(&path, FILE_LEN_MAX) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) => return Err(StorageError { path, position: 0, cause: Cause::Io(error) }),
        };
        let (facts, means) = match facts_of(name, &bytes) {
            Some(facts) => (facts, "what it says is not known"),
            None if name == epochs::FILE_NAME => (
                Epochs::decode(&bytes).map(|_| Vec::new()),
                "followers and consumers cannot be told where leaders changed",
            ),
            None if is_aborted => (
                aborted::decode(&bytes).map(|_| Vec::new()).ok_or(Cause::Corrupt),
                "readers of committed records are refused there: they could not be told what was aborted",
            ),
            None => (
                producers::snapshot_rows(&bytes).map(|_| Vec::new()),
                "producers' sequence numbers are taken from an older one and the batches behind it",
            ),
        };
        match facts {
            Ok(facts) => Ok(Some(facts)),
            Err(cause) => {
                let what = match cause {
                    Cause::UnknownVersion => "a newer version wrote this",
                    _ => "it is damaged",
                };
                self.findings.push(Finding { path, position: 0, what: what.to_owned(), means });
                Ok(None)
            }
        }
    }
}
