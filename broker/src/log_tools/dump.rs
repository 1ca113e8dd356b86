//! `ringlog log dump`: what files hold, line by line, in bounded memory whatever their size. What is broken is a line with
//! file, position and reason, and the exit status says so.

mod segment;
mod small;

use std::path::{Path, PathBuf};

use clap::Args;
use shard::disk::Entry;
use shard::native::Files;
use shard::{Disk, Preview, boot};

use super::report::{Line, Report};
use super::{ToolError, Verdict, place};
use crate::cli::failure::tell;
use crate::data_dir;
use crate::metadata::placement;

/// What `ringlog log dump` takes.
#[derive(Debug, Args)]
pub struct DumpArgs {
    /// Show each record too: its offset, time, key, headers and the beginning of its value.
    #[arg(long)]
    records: bool,
    /// Show each index entry, and each entry of a journal.
    #[arg(long)]
    index: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
    /// Files, partition directories or data directories.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// A dump under way.
struct Dump<'a> {
    disk: Preview<'a>,
    report: Report,
    records: bool,
    index: bool,
    verdict: Verdict,
}

/// Runs the tool.
pub fn run(args: &DumpArgs) -> Result<Verdict, ToolError> {
    let mut files = Files::default();
    let mut dump = Dump {
        disk: Preview::new(&mut files, boot::wall_ms()),
        report: Report::new(args.json),
        records: args.records,
        index: args.index,
        verdict: Verdict::Sound,
    };
    let mut locks = Vec::new();
    for path in &args.paths {
        match hold_data_dir(path)? {
            Some(lock) => locks.push(lock),
            None => tell(&format_args!(
                "{}: a broker uses this directory: what is seen here may be moving, and what it has not yet \
                 written is missing",
                path.display()
            )),
        }
        dump.path(path)?;
    }
    dump.report.finish()?;
    Ok(dump.verdict)
}

/// Keeps brokers out of the data directory that a path is or lies in; nothing if one is in.
fn hold_data_dir(path: &Path) -> Result<Option<boot::DirLock>, ToolError> {
    let full = std::path::absolute(path)
        .map_err(|error| ToolError::Misuse(format!("{}: {error}", path.display())))?;
    let is_data_dir = |dir: &&Path| place::is_data_dir(dir).unwrap_or(false);
    // A file of a partition lies two levels below.
    let data_dir = full.ancestors().take(3).find(is_data_dir);
    place::hold(data_dir.unwrap_or(&full))
}

impl Dump<'_> {
    fn path(&mut self, path: &Path) -> Result<(), ToolError> {
        if let Ok(entries) = self.disk.list(path) {
            return self.directory(path, entries, 1);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match self.disk.open(path, shard::OpenMode::Read) {
            Ok(file) => self.disk.close(file),
            Err(error) => return Err(ToolError::Misuse(format!("{}: {error}", path.display()))),
        }
        self.file(path, &name)
    }

    fn directory(&mut self, dir: &Path, entries: Vec<Entry>, depth: usize) -> Result<(), ToolError> {
        for entry in entries {
            let path = dir.join(&entry.name);
            if !entry.is_dir {
                self.file(&path, &entry.name)?;
            } else if depth > 0 {
                match self.disk.list(&path) {
                    Ok(entries) => self.directory(&path, entries, depth - 1)?,
                    Err(error) => self.fault(&path, 0, &error.to_string())?,
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: &str) -> Result<(), ToolError> {
        let in_metadata = path.parent().and_then(Path::file_name).is_some_and(|dir| dir == quorum::DIR);
        match name.split_once('.').map_or("", |(_, ending)| ending) {
            "log" | "log.cleaned" | "log.swap" | "checkpoint" if name != ".lock" => {
                self.segment(path, name, in_metadata)
            }
            "index" | "index.cleaned" | "index.swap" => self.offset_index(path, name),
            "timeindex" | "timeindex.cleaned" | "timeindex.swap" => self.time_index(path, name),
            "txnindex" | "txnindex.cleaned" | "txnindex.swap" => self.aborted(path),
            "snapshot" => self.snapshot(path),
            "journal" => self.journal(path),
            _ if name == storage::epochs::FILE_NAME => self.epochs(path),
            _ if name == placement::FILE => self.placement(path),
            _ if name == data_dir::FILE || name == "partition.metadata" => self.text(path),
            _ => self.small(path, name),
        }
    }

    /// Says what is wrong.
    fn fault(&mut self, path: &Path, position: u64, reason: &str) -> Result<(), ToolError> {
        self.verdict = Verdict::Found;
        Ok(self.report.put(&segment::broken_line(path, position, reason))?)
    }

    fn begin_file(&mut self, path: &Path, what: &str) -> Result<(), ToolError> {
        Ok(self.report.put(&Line::new("file").text("path", path.display().to_string()).text("is", what))?)
    }
}
