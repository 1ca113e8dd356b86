//! `ringlog log verify`: everything in a data directory is read and held against everything else, and a start is
//! rehearsed. A line a finding: file, position, what is wrong, what that means, and what the start did about it in the
//! rehearsal. A line a partition at its end says how its log opened.
//!
//! What a crash or a stop in a hurry may leave and a start tidies up is a note, not a finding, unless acknowledged records
//! may be gone with it.

mod directory;
mod wording;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use shard::disk::Entry;
use shard::native::Files;
use shard::{Disk, Fate, Preview, boot};
use storage::{Offset, StorageError};

use super::place::{Place, partition_of};
use super::rehearsal::Rehearsal;
use super::report::{Line, Report};
use super::{ToolError, Verdict};
use crate::metadata::Topic;
use crate::partition::partition_dir;
use directory::{Directory, Finding};

/// What `ringlog log verify` takes.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
    /// A data directory, or one partition's directory in it.
    #[arg(default_value = "./ringlog-data", value_name = "DATA_DIR")]
    dir: PathBuf,
}

/// A verification under way. The disk as it is and the disk as it would be are looked at side by side.
struct Verify<'a> {
    now_there: Files,
    rehearsal: Rehearsal<'a>,
    place: &'a Place,
    report: Report,
    findings: u64,
    notes: u64,
    partitions: u64,
    batches: u64,
    records: u64,
}

/// Runs the tool.
pub fn run(args: &VerifyArgs) -> Result<Verdict, ToolError> {
    let place = Place::find(&args.dir)?;
    let _lock = place.hold()?;
    let mut files = Files::default();
    let now = boot::wall_ms();
    let rehearsal = Rehearsal::start(Preview::new(&mut files, now), &place.data_dir, None, &[], now);
    let mut report = Report::new(args.json);
    let rehearsal = match rehearsal {
        Err(ToolError::Failed(why)) => {
            report.put(
                &Line::new("finding").text("path", place.data_dir.display().to_string()).text("what", why),
            )?;
            report.finish()?;
            return Ok(Verdict::Found);
        }
        rehearsal => rehearsal?,
    };
    let mut verify = Verify {
        now_there: Files::default(),
        rehearsal,
        place: &place,
        report,
        findings: 0,
        notes: 0,
        partitions: 0,
        batches: 0,
        records: 0,
    };
    verify.run()?;
    let found = verify.findings > 0;
    let summary = Line::new(if found { "found" } else { "sound" })
        .number("findings", verify.findings)
        .number("notes", verify.notes)
        .number("partitions", verify.partitions)
        .number("batches", verify.batches)
        .number("records", verify.records);
    verify.report.put(&summary)?;
    verify.report.finish()?;
    Ok(if found { Verdict::Found } else { Verdict::Sound })
}

impl Verify<'_> {
    fn run(&mut self) -> Result<(), ToolError> {
        let dir = self.place.data_dir.clone();
        let entries = self.now_there.list(&dir);
        let entries = entries.map_err(|error| ToolError::Failed(format!("{}: {error}", dir.display())))?;
        if self.place.only.is_none() {
            self.metadata()?;
        }
        let topics: Vec<Arc<Topic>> = self.rehearsal.image.topics().cloned().collect();
        for topic in &topics {
            for number in 0..topic.partitions.len() as i32 {
                if self.place.wants(&format!("{}-{number}", topic.name)) {
                    self.partition(topic, number)?;
                }
            }
        }
        for entry in entries.iter().filter(|entry| entry.is_dir && self.place.wants(&entry.name)) {
            self.stranger(entry)?;
        }
        Ok(())
    }

    /// The metadata log: what a start would cut off its end. All else that is wrong with it refuses the start.
    fn metadata(&mut self) -> Result<(), ToolError> {
        let dir = self.place.data_dir.join(quorum::DIR);
        for entry in self.now_there.list(&dir).unwrap_or_default() {
            let path = dir.join(&entry.name);
            if let Fate::Cut { len } = self.rehearsal.disk.fate(&path) {
                let what = format!("the last {} bytes are no whole batch", entry.len - len);
                let means = "a change was not completed, and nobody was told that it was";
                self.finding(&Finding { path, position: len, what, means }, None)?;
            }
        }
        Ok(())
    }

    fn partition(&mut self, topic: &Arc<Topic>, number: i32) -> Result<(), ToolError> {
        let dir = partition_dir(&self.place.data_dir, topic, number);
        let entries = match self.now_there.list(&dir) {
            // A partition that nothing was written to has no directory.
            Err(shard::IoError::NOT_FOUND) => Vec::new(),
            listed => listed.map_err(|error| ToolError::Failed(format!("{}: {error}", dir.display())))?,
        };
        let may_have_gaps = topic.log_settings.is_compacted;
        let directory = Directory::read(&mut self.now_there, &dir, &entries, may_have_gaps)
            .map_err(|error| ToolError::Failed(error.to_string()))?;
        self.partitions += 1;
        self.batches += directory.batches;
        self.records += directory.records;
        let opened = self.rehearsal.open(topic, number);
        let refusal = opened.as_ref().err().cloned();
        for finding in &directory.findings {
            self.finding(finding, refusal.as_ref())?;
        }
        if let Some(error) = refusal.filter(|_| directory.findings.is_empty()) {
            let (path, position) = (error.path.clone(), error.position);
            let means = "the partition cannot be served";
            let finding = Finding { path, position, what: error.cause.to_string(), means };
            self.finding(&finding, Some(&error))?;
        }
        for note in &directory.notes {
            self.note(note)?;
        }
        let line = Line::new("partition").text("topic", &*topic.name).number("partition", number);
        let line = line.number("segments", directory.segments as u64);
        let line = line.number("batches", directory.batches).number("records", directory.records);
        let line = match opened {
            Ok((log, recovered)) => {
                let Offset(start) = log.offsets().log_start;
                let line = line.number("log_start", start).number("end", log.offsets().end.0);
                line.text("start", wording::opened(&recovered))
            }
            Err(error) => line.text("start", format!("the partition stays offline: {error}")),
        };
        self.report.put(&line)?;
        self.rehearsal.forget(topic, number);
        Ok(())
    }

    /// A directory that the metadata does not explain.
    fn stranger(&mut self, entry: &Entry) -> Result<(), ToolError> {
        let image = &self.rehearsal.image;
        let is_known = partition_of(&entry.name).is_some_and(|(name, number)| {
            name == "__cluster_metadata"
                || image.topic(name).is_some_and(|topic| topic.partition(number).is_some())
        });
        if is_known || entry.name == storage::journal::DIR_NAME {
            return Ok(());
        }
        let what = if entry.name.ends_with(".deleted") {
            "the rest of a deleted partition: start removes it"
        } else if entry.name.ends_with(".stray") {
            "moved aside when a partition was made in its place: nothing uses it, and nothing removes it"
        } else if partition_of(&entry.name).is_some() {
            "no topic has this partition: start leaves it alone, unless the topic was deleted"
        } else {
            "not Ringlog's: start leaves it alone"
        };
        let path = self.place.data_dir.join(&entry.name);
        self.note(&(path, what.to_owned()))
    }

    fn finding(&mut self, finding: &Finding, refusal: Option<&StorageError>) -> Result<(), ToolError> {
        self.findings += 1;
        let fate = self.rehearsal.disk.fate(&finding.path);
        let line = Line::new("finding")
            .text("path", finding.path.display().to_string())
            .number("position", finding.position)
            .text("what", finding.what.as_str())
            .text("means", finding.means)
            .text("start", wording::fate(fate, &finding.path, refusal));
        Ok(self.report.put(&line)?)
    }

    fn note(&mut self, (path, what): &(PathBuf, String)) -> Result<(), ToolError> {
        self.notes += 1;
        let line = Line::new("note").text("path", path.display().to_string());
        Ok(self.report.put(&line.text("what", what.as_str()))?)
    }
}
