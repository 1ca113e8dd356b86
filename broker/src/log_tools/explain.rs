//! `ringlog log explain`: what retention and compaction will do next to each partition, when and why, if nothing is
//! appended. The logs are opened as a start opens them, and say it themselves ([`storage::Log::outlook`]): the decisions
//! are those of the broker, not a copy of them.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use shard::native::Files;
use shard::{Disk, OpenMode, Preview, WallMs, boot};
use storage::inspect::{BatchWalk, Step};
use storage::segment::{LOG, path_of};
use storage::{Deletion, DeletionReason, Log, Outlook};

use super::place::{Place, partition_of};
use super::rehearsal::Rehearsal;
use super::report::{Line, Report};
use super::{ToolError, Verdict};
use crate::cli::when::date_of;
use crate::metadata::Topic;

/// What `ringlog log explain` takes.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
    /// Only this topic.
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// Only this partition of it.
    #[arg(long, value_name = "N", requires = "topic")]
    partition: Option<i32>,
    /// The properties file that the broker is started with.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting that the broker is started with; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A data directory, or one partition's directory in it.
    #[arg(default_value = "./ringlog-data", value_name = "DATA_DIR")]
    dir: PathBuf,
}

/// Runs the tool.
pub fn run(args: &ExplainArgs) -> Result<Verdict, ToolError> {
    let place = Place::find(&args.dir)?;
    let _lock = place.hold()?;
    let mut files = Files::default();
    let now = boot::wall_ms();
    let preview = Preview::new(&mut files, now);
    let mut rehearsal = Rehearsal::start(preview, &place.data_dir, args.config.as_deref(), &args.set, now)?;
    let mut report = Report::new(args.json);
    let only = place.only.as_deref().and_then(partition_of);
    let (topic_wanted, number_wanted) = match only {
        Some((topic, number)) => (Some(topic), Some(number)),
        None => (args.topic.as_deref(), args.partition),
    };
    let topics: Vec<Arc<Topic>> = rehearsal.image.topics().cloned().collect();
    let (mut verdict, mut told) = (Verdict::Sound, 0);
    for topic in topics.iter().filter(|topic| topic_wanted.is_none_or(|wanted| *topic.name == *wanted)) {
        for number in 0..topic.partitions.len() as i32 {
            if number_wanted.is_some_and(|wanted| wanted != number) {
                continue;
            }
            told += 1;
            if !explain(&mut rehearsal, &mut report, topic, number, now)? {
                verdict = Verdict::Found;
            }
            rehearsal.forget(topic, number);
        }
    }
    report.finish()?;
    match (told, topic_wanted) {
        (0, Some(topic)) => {
            let number = number_wanted.map_or(String::new(), |number| format!(" with a partition {number}"));
            Err(ToolError::Misuse(format!("{}: there is no topic {topic}{number}", place.data_dir.display())))
        }
        _ => Ok(verdict),
    }
}

/// Explains a partition; `false` if a start would leave it offline.
fn explain(
    rehearsal: &mut Rehearsal<'_>,
    report: &mut Report,
    topic: &Arc<Topic>,
    number: i32,
    now: WallMs,
) -> Result<bool, ToolError> {
    let line = Line::new("partition").text("topic", &*topic.name).number("partition", number);
    let log = match rehearsal.open(topic, number) {
        Ok((log, _)) => log,
        Err(error) => {
            report.put(&line.text("offline", error.to_string()))?;
            return Ok(false);
        }
    };
    let outlook = log.outlook();
    let line = line
        .number("segments", log.segment_count() as u64)
        .number("size", log.size_bytes())
        .number("log_start", log.offsets().log_start.0)
        .number("end", log.offsets().end.0);
    report.put(&with_settings(line, topic))?;
    report.put(&deletion_line(&log, &outlook, now))?;
    report.put(&roll_line(&outlook, now))?;
    if topic.log_settings.is_compacted {
        report.put(&compaction_line(&log, &outlook, now))?;
        if let Some(line) = tombstone_line(&mut rehearsal.disk, &log, &outlook, now) {
            report.put(&line)?;
        }
    }
    Ok(true)
}

/// The settings in force that decide.
fn with_settings(line: Line, topic: &Topic) -> Line {
    let values = topic.config.values();
    let (policy, settings) = (values.cleanup_policy(), &topic.log_settings);
    let policy = match (policy.delete, policy.compact) {
        (true, true) => "compact,delete",
        (true, false) => "delete",
        (false, true) => "compact",
        (false, false) => "",
    };
    let line = line
        .text("cleanup.policy", policy)
        .number("retention.ms", settings.retention_ms.unwrap_or(-1))
        .number("retention.bytes", settings.retention_bytes.map_or(-1, i128::from))
        .number("segment.ms", settings.segment_ms)
        .number("segment.bytes", settings.segment_bytes);
    if !settings.is_compacted {
        return line;
    }
    line.text("min.cleanable.dirty.ratio", values.min_cleanable_dirty_ratio().to_string())
        .number("min.compaction.lag.ms", settings.compaction_lag_ms_min)
        .number("max.compaction.lag.ms", settings.compaction_lag_ms_max)
        .number("delete.retention.ms", settings.delete_retention_ms)
}

fn deletion_line(log: &Log, outlook: &Outlook, now: WallMs) -> Line {
    let line = Line::new("deletion");
    let Some(first) = outlook.segments.first() else {
        return line.text("next", "nothing").text("why", "the log is empty");
    };
    let settings = log.settings();
    let others = log.size_bytes() - u64::from(first.size);
    let Some(Deletion { due, reason }) = outlook.deletion else {
        let why = match settings.retention_bytes {
            _ if !settings.is_deleted => {
                "cleanup.policy is without delete: records leave by their keys alone".to_owned()
            }
            _ if first.size == 0 => "there are no records".to_owned(),
            None => "retention.ms and retention.bytes set no limit".to_owned(),
            Some(bytes) => format!(
                "retention.ms sets no limit; by size the first segment goes when the others hold {bytes} bytes, and they \
                 hold {others}"
            ),
        };
        return line.text("next", "nothing").text("why", why);
    };
    let why = match reason {
        DeletionReason::BelowLogStart => {
            format!(
                "all of it lies before the log's start, {}: its records were deleted",
                log.offsets().log_start
            )
        }
        DeletionReason::Size => {
            let bytes = settings.retention_bytes.unwrap_or_default();
            format!("the other segments hold {others} bytes, and retention.bytes is {bytes}")
        }
        DeletionReason::Age => {
            let retention_ms = settings.retention_ms.unwrap_or_default();
            let (dated, appended) = (date_of(first.dated_at), date_of(first.appended_at));
            format!("it is dated {dated} (last appended to {appended}), and retention.ms is {retention_ms}")
        }
    };
    let line =
        with_due(line.number("next", first.base.0).number("size", first.size), due, now).text("why", why);
    if outlook.may_delete_first {
        return line;
    }
    line.text(
        "first",
        match outlook.segments.len() {
            1 => "it is the active segment: it is ended then, and deleted when it is sealed",
            _ => "it is not sealed yet: it is deleted when it is",
        },
    )
}

fn roll_line(outlook: &Outlook, now: WallMs) -> Line {
    let line = Line::new("roll");
    match (outlook.roll_at, outlook.segments.last()) {
        (Some(at), Some(active)) => {
            with_due(line.number("active", active.base.0).number("size", active.size), at, now).text(
                "why",
                "its first record was appended segment.ms before; an append ends it sooner when it is full",
            )
        }
        _ => line.text("active", "nothing").text("why", "the active segment is empty: it does not end"),
    }
}

fn compaction_line(log: &Log, outlook: &Outlook, now: WallMs) -> Line {
    let line = Line::new("compaction").number("cleaned_to", outlook.cleaned_to.0);
    let Some(dirtiness) = outlook.dirtiness else {
        return line
            .text("next", "nothing")
            .text("why", "no sealed segment is dirty; the active one is never compacted");
    };
    let (clean, dirty) = (dirtiness.clean_bytes, dirtiness.dirty_bytes);
    let permille = u128::from(dirty) * 1000 / u128::from(clean + dirty).max(1);
    let least = log.settings().dirty_permille_min;
    let why = if dirtiness.is_dirty {
        format!(
            "{permille} of 1000 bytes are dirty, and min.cleanable.dirty.ratio is {least}: min.compaction.lag.ms after the first dirty segment's last append"
        )
    } else {
        format!(
            "{permille} of 1000 bytes are dirty, and min.cleanable.dirty.ratio is {least}: max.compaction.lag.ms after the first dirty segment's last append"
        )
    };
    let line = line
        .number("clean_bytes", clean)
        .number("dirty_bytes", dirty)
        .number("dirty_permille", permille as i128);
    with_due(line, dirtiness.due, now).text("why", why)
}

/// Until when the tombstones stay that a compaction has seen: each batch that has some says so.
fn tombstone_line(disk: &mut Preview<'_>, log: &Log, outlook: &Outlook, now: WallMs) -> Option<Line> {
    let (mut batches, mut earliest, mut latest) = (0u64, i64::MAX, i64::MIN);
    for segment in outlook.segments.iter().filter(|segment| segment.base < outlook.cleaned_to) {
        let file = disk.open(&path_of(log.dir(), segment.base, LOG), OpenMode::Read).ok()?;
        let mut walk = BatchWalk::of_headers(disk, file, segment.size.into(), segment.base);
        while let Ok(Some(Step::Batch { header, .. })) = walk.step() {
            if let Some(horizon) = header.attributes.delete_horizon(header.base_timestamp) {
                (batches, earliest, latest) = (batches + 1, earliest.min(horizon), latest.max(horizon));
            }
        }
        disk.close(file);
    }
    let line = Line::new("tombstones").number("batches", batches);
    if batches == 0 {
        return Some(line.text("why", "no batch that was compacted holds any"));
    }
    let line = line.moment("first_goes_from", earliest).moment("last_goes_from", latest);
    let due = if earliest <= now.0 {
        "the next compaction drops the first"
    } else {
        "compactions keep them until then"
    };
    Some(line.text("why", due))
}

/// Adds when, and how far off that is.
fn with_due(line: Line, due: WallMs, now: WallMs) -> Line {
    if due <= now {
        return line.text("when", "now");
    }
    line.text("when", date_of(due.0)).text("in", span_of(due.0.saturating_sub(now.0)))
}

/// A span in its two largest units.
fn span_of(ms: i64) -> String {
    let (seconds, minutes, hours) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    match hours / 24 {
        days @ 1.. => format!("{days} d {} h", hours % 24),
        _ if hours > 0 => format!("{hours} h {} min", minutes % 60),
        _ if minutes > 0 => format!("{minutes} min {} s", seconds % 60),
        _ => format!("{seconds}.{:03} s", ms % 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_two_units() {
        for (ms, text) in
            [(1, "0.001 s"), (61_000, "1 min 1 s"), (7_260_000, "2 h 1 min"), (176_400_000, "2 d 1 h")]
        {
            assert_eq!(span_of(ms), text);
        }
    }
}
