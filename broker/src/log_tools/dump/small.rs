//! Everything that is no segment and no index, for `dump`: snapshots, epochs, marks, journals, placement, properties.

use std::path::Path;

use shard::Disk;
use storage::epochs::Epochs;
use storage::error::Cause;
use storage::{aborted, inspect, journal, producers};

use super::Dump;
use crate::config::properties;
use crate::log_tools::ToolError;
use crate::log_tools::report::Line;
use crate::metadata::placement;
use crate::partition::{IMPORT_MARK, partition_id};

/// No file of these kinds is larger.
const FILE_LEN_MAX: u64 = 256 << 20;

impl Dump<'_> {
    pub(super) fn aborted(&mut self, path: &Path) -> Result<(), ToolError> {
        self.begin_file(path, "an index of aborted transactions")?;
        let Some(bytes) = self.read(path)? else { return Ok(()) };
        let Some(aborted) = aborted::decode(&bytes) else {
            return self.fault(path, 0, reason(Cause::Corrupt));
        };
        for txn in aborted {
            let line = Line::new("aborted")
                .number("producer_id", txn.producer_id.0)
                .number("first_offset", txn.first_offset.0)
                .number("last_offset", txn.last_offset.0)
                .number("last_stable_offset", txn.last_stable_offset.0);
            self.report.put(&line)?;
        }
        Ok(())
    }

    pub(super) fn snapshot(&mut self, path: &Path) -> Result<(), ToolError> {
        self.begin_file(path, "a producer snapshot")?;
        let Some(bytes) = self.read(path)? else { return Ok(()) };
        match producers::snapshot_rows(&bytes) {
            Ok(rows) => {
                for row in rows {
                    let line = Line::new("producer")
                        .number("producer_id", row.id.0)
                        .number("producer_epoch", row.epoch.0)
                        .number("last_sequence", row.last_sequence.0)
                        .number("last_offset", row.last_offset.0)
                        .number("timestamp", row.timestamp)
                        .number("coordinator_epoch", row.coordinator_epoch)
                        .number("txn_first_offset", row.txn_first_offset.map_or(-1, |offset| offset.0));
                    self.report.put(&line)?;
                }
                Ok(())
            }
            Err(cause) => self.fault(path, 0, reason(cause)),
        }
    }

    pub(super) fn epochs(&mut self, path: &Path) -> Result<(), ToolError> {
        self.begin_file(path, "leader epochs")?;
        let Some(bytes) = self.read(path)? else { return Ok(()) };
        match Epochs::decode(&bytes) {
            Ok(epochs) => {
                for (epoch, start) in epochs.starts() {
                    let line = Line::new("epoch").number("leader_epoch", epoch.0);
                    self.report.put(&line.number("start_offset", start.0))?;
                }
                Ok(())
            }
            Err(cause) => self.fault(path, 0, reason(cause)),
        }
    }

    pub(super) fn placement(&mut self, path: &Path) -> Result<(), ToolError> {
        self.begin_file(path, "which core owns which partition")?;
        let Some(bytes) = self.read(path)? else { return Ok(()) };
        let Some(lines) = placement::lines_of(&bytes) else {
            return self.fault(path, 0, "its first line is not known");
        };
        for (topic_id, partition, core) in lines {
            let line = Line::new("placement").text("topic_id", topic_id.to_string());
            self.report.put(&line.number("partition", partition).number("core", core.0))?;
        }
        Ok(())
    }

    /// A file of `name=value` or `name: value`.
    pub(super) fn text(&mut self, path: &Path) -> Result<(), ToolError> {
        self.begin_file(path, "properties")?;
        let Some(bytes) = self.read(path)? else { return Ok(()) };
        match properties::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(properties) => {
                for property in properties {
                    let line = Line::new("property").text("name", property.key);
                    self.report.put(&line.text("value", property.value))?;
                }
                Ok(())
            }
            Err(error) => self.fault(path, 0, &error.to_string()),
        }
    }

    pub(super) fn journal(&mut self, path: &Path) -> Result<(), ToolError> {
        self.begin_file(path, "a journal")?;
        let (index, report) = (self.index, &mut self.report);
        let (mut entries, mut bytes, mut printed, mut unknown) = (0u64, 0u64, Ok(()), false);
        let shown = journal::show(&mut self.disk, path, |entry| {
            entries += 1;
            bytes += entry.len as u64;
            unknown |= !entry.is_known;
            if index && printed.is_ok() {
                let partition = partition_id(&entry.place.log);
                let line = Line::new("journal_entry")
                    .number("frame", entry.at.0)
                    .number("entry", entry.at.1)
                    .text("topic_id", partition.topic_id.to_string())
                    .number("partition", partition.partition)
                    .number("segment", entry.place.segment.0)
                    .number("position", entry.place.position)
                    .number("size", entry.len as u64);
                printed = report.put(&line);
            }
        });
        printed?;
        match shown {
            Ok(Some((head, frames))) => {
                let line = Line::new("journal")
                    .number("run", head.run)
                    .number("header", head.number)
                    .number("size", head.len)
                    .number("tail", head.tail)
                    .number("frames", frames)
                    .number("entries", entries)
                    .number("bytes", bytes);
                self.report.put(&line)?;
                if unknown {
                    self.fault(path, head.tail, "an entry of a kind that is not known")
                } else {
                    Ok(())
                }
            }
            Ok(None) => {
                Ok(self.report.put(&Line::new("note").text("what", "no journal was made here yet"))?)
            }
            Err(error) => self.fault(path, error.position, reason(error.cause)),
        }
    }

    pub(super) fn small(&mut self, path: &Path, name: &str) -> Result<(), ToolError> {
        if inspect::facts_of(name, &[]).is_none() {
            let is_mark = name == IMPORT_MARK;
            return self
                .begin_file(path, if is_mark { "the mark of an import" } else { "not one that is known" });
        }
        self.begin_file(path, "a mark of Ringlog's")?;
        let Some(bytes) = self.read(path)? else { return Ok(()) };
        match inspect::facts_of(name, &bytes) {
            Some(Ok(facts)) => Ok(self.report.put(&Line::new("mark").facts(facts))?),
            Some(Err(cause)) => self.fault(path, 0, reason(cause)),
            None => Ok(()),
        }
    }

    fn read(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ToolError> {
        match self.disk.read_file(path, FILE_LEN_MAX) {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            Ok(None) => self.fault(path, 0, "it is gone").map(|()| None),
            Err(error) => self.fault(path, 0, &error.to_string()).map(|()| None),
        }
    }
}

fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::UnknownVersion => "a newer version wrote this",
        Cause::Corrupt | Cause::DamagedWithin => "it is damaged, or something else's",
        Cause::Io(_) => "it cannot be read",
        Cause::Gone => "it is gone",
        Cause::Unfinished => "compaction was cut short here",
        Cause::Short => "it ends too early",
    }
}
