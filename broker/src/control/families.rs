//! The metrics: a table of families, each declared once with its name, type, labels and meaning, and with where its numbers come
//! from; and how it becomes text, piece by piece.
//!
//! `docs/metrics.md` lists the same; a test holds them against each other.

mod data;
mod groups;
mod node;

use std::sync::Arc;
use std::time::Instant;

use shard::Histogram;

use super::process::ProcessFacts;
use super::snapshot::{GroupRow, PartitionRow, Reader, Snapshot, TopicSums};
use super::text::{Kind, Number, write_head, write_histogram, write_line};
use crate::node::Node;

/// One family.
pub struct Family {
    name: &'static str,
    kind: Kind,
    labels: &'static [&'static str],
    help: &'static str,
    rows: Rows,
}

/// Where a family's lines come from.
enum Rows {
    /// A few lines, all at once.
    Few(fn(&Scene, &mut Lines<'_>)),
    /// One a partition, with topic and number.
    Partition(fn(&PartitionRow) -> Option<Number>),
    /// One a topic, with its name.
    Topic(fn(&TopicSums) -> Number),
    /// One a group, with its name.
    Group(fn(&GroupRow) -> Option<Number>),
    /// One for each partition that a group has committed in, with group, topic and number.
    Reader(fn(&Reader) -> Option<Number>),
}

/// Everything that is shown at one moment.
struct Scene {
    snapshot: Arc<Snapshot>,
    process: ProcessFacts,
    node_id: i32,
    started: Instant,
    descriptors_max: u64,
    /// When it is shown, calendar ms.
    wall_ms: i64,
}

const PARTITION_LABELS: &[&str] = &["topic", "partition"];
const TOPIC_LABELS: &[&str] = &["topic"];
const GROUP_LABELS: &[&str] = &["group"];
const READER_LABELS: &[&str] = &["group", "topic", "partition"];

impl Family {
    const fn few(
        name: &'static str,
        kind: Kind,
        labels: &'static [&'static str],
        help: &'static str,
        lines: fn(&Scene, &mut Lines<'_>),
    ) -> Family {
        Family { name, kind, labels, help, rows: Rows::Few(lines) }
    }

    const fn partition(
        name: &'static str,
        kind: Kind,
        help: &'static str,
        value: fn(&PartitionRow) -> Option<Number>,
    ) -> Family {
        Family { name, kind, labels: PARTITION_LABELS, help, rows: Rows::Partition(value) }
    }

    const fn topic(
        name: &'static str,
        kind: Kind,
        help: &'static str,
        value: fn(&TopicSums) -> Number,
    ) -> Family {
        Family { name, kind, labels: TOPIC_LABELS, help, rows: Rows::Topic(value) }
    }

    const fn group(name: &'static str, help: &'static str, value: fn(&GroupRow) -> Option<Number>) -> Family {
        Family { name, kind: Kind::Gauge, labels: GROUP_LABELS, help, rows: Rows::Group(value) }
    }

    const fn reader(name: &'static str, help: &'static str, value: fn(&Reader) -> Option<Number>) -> Family {
        Family { name, kind: Kind::Gauge, labels: READER_LABELS, help, rows: Rows::Reader(value) }
    }

    /// How many rows it has in a scene.
    fn row_count(&self, snapshot: &Snapshot) -> usize {
        match self.rows {
            Rows::Few(_) => 1,
            Rows::Partition(_) => snapshot.partition_row_count(),
            Rows::Topic(_) => snapshot.topics.len(),
            Rows::Group(_) => snapshot.groups.len(),
            Rows::Reader(_) => snapshot.readers.len(),
        }
    }

    /// Writes the row in that place: a line, some lines, or nothing where there is no value.
    fn write_row(&self, scene: &Scene, place: usize, out: &mut String) {
        let mut lines = Lines { family: self, out };
        match self.rows {
            Rows::Few(write) => write(scene, &mut lines),
            Rows::Partition(value) => {
                if let Some(row) = scene.snapshot.partition_row(place)
                    && let Some(number) = value(row)
                {
                    lines.put(&[&row.topic.name, &row.facts.id.partition.to_string()], number);
                }
            }
            Rows::Topic(value) => {
                let (name, sums) = &scene.snapshot.topics[place];
                lines.put(&[name], value(sums));
            }
            Rows::Group(value) => {
                let row = &scene.snapshot.groups[place];
                if let Some(number) = value(row) {
                    lines.put(&[&row.group], number);
                }
            }
            Rows::Reader(value) => {
                let reader = &scene.snapshot.readers[place];
                if let Some(number) = value(reader) {
                    let partition = reader.partition.partition.to_string();
                    lines.put(&[&reader.group, &reader.topic, &partition], number);
                }
            }
        }
    }
}

/// The lines of one family.
struct Lines<'a> {
    family: &'a Family,
    out: &'a mut String,
}

impl Lines<'_> {
    /// Adds a line; label values in the order of the family's labels.
    fn put(&mut self, values: &[&str], number: impl Into<Number>) {
        let labels = self.labels(values);
        write_line(self.out, self.family.name, &labels, number.into());
    }

    /// Adds the lines of a histogram.
    fn histogram(&mut self, values: &[&str], durations: &Histogram) {
        let labels = self.labels(values);
        write_histogram(self.out, self.family.name, &labels, durations);
    }

    fn labels<'v>(&self, values: &[&'v str]) -> Vec<(&'static str, &'v str)> {
        assert_eq!(values.len(), self.family.labels.len(), "{} has other labels", self.family.name);
        self.family.labels.iter().copied().zip(values.iter().copied()).collect()
    }
}

/// All families, in the order in which they are shown.
fn all() -> impl Iterator<Item = &'static Family> {
    node::FAMILIES.iter().chain(data::FAMILIES).chain(groups::FAMILIES)
}

/// What there is to know of each family: name, type, labels and meaning.
pub fn described() -> Vec<(&'static str, &'static str, &'static [&'static str], &'static str)> {
    all().map(|family| (family.name, family.kind.word(), family.labels, family.help)).collect()
}

/// Metrics that are being made into text.
pub struct Rendering {
    scene: Scene,
    families: Vec<&'static Family>,
    /// Which family comes next, and which of its rows.
    family: usize,
    row: usize,
}

impl Rendering {
    pub fn new(
        snapshot: Arc<Snapshot>,
        process: ProcessFacts,
        node: &Node,
        descriptors_max: u64,
    ) -> Rendering {
        let scene = Scene {
            snapshot,
            process,
            node_id: node.id,
            started: node.started,
            descriptors_max,
            wall_ms: shard::boot::wall_ms().0,
        };
        Rendering { scene, families: all().collect(), family: 0, row: 0 }
    }

    /// The next piece, of about so many bytes: whole lines. Empty at the end.
    pub fn next_piece(&mut self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + bytes / 8);
        while out.len() < bytes
            && let Some(family) = self.families.get(self.family)
        {
            let row_count = family.row_count(&self.scene.snapshot);
            if self.row == 0 {
                write_head(&mut out, family.name, family.kind, family.help);
            }
            while self.row < row_count && out.len() < bytes {
                family.write_row(&self.scene, self.row, &mut out);
                self.row += 1;
            }
            if self.row >= row_count {
                (self.family, self.row) = (self.family + 1, 0);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_family_is_declared_once_and_named_as_prometheus_asks() {
        let mut names = BTreeSet::new();
        for family in all() {
            let name = family.name;
            assert!(names.insert(name), "{name} is there twice");
            assert!(name.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'_'), "{name}");
            assert_eq!(name.ends_with("_total"), family.kind == Kind::Counter, "{name}");
            assert_eq!(family.kind == Kind::Histogram, name.ends_with("_duration_seconds"), "{name}");
            assert!(!family.help.is_empty() && !family.help.ends_with('.'), "{name}: {}", family.help);
        }
    }
}
