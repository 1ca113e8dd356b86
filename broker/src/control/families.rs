//! The metrics: a table of families, each declared once with its name, type, labels and meaning, and with where its numbers come
//! from; and how it becomes text, piece by piece.
//!
//! `docs/metrics.md` lists the same; a test holds them against each other.

mod data;
mod groups;
mod node;

use std::sync::Arc;

use shard::Histogram;

use super::hub::Hub;
use super::process::ProcessFacts;
use super::snapshot::{GroupRow, PartitionRow, Reader, Snapshot, TopicSums};
use super::text::{Kind, Number, write_head, write_histogram, write_line};

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
    /// When the process was started, calendar ms.
    started_ms: i64,
    descriptors_max: u64,
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
    pub fn new(snapshot: Arc<Snapshot>, process: ProcessFacts, hub: &Hub) -> Rendering {
        let scene = Scene {
            snapshot,
            process,
            node_id: hub.node().id,
            started_ms: hub.started_ms,
            descriptors_max: hub.descriptors_max,
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

    /// Names of metrics in a text: of families, or of a histogram's series.
    fn names_in(text: &str) -> BTreeSet<&str> {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let words = text.split(|letter| !is_word(letter));
        words.filter(|word| word.starts_with("ringlog_") || word.starts_with("process_")).collect()
    }

    fn is_known(name: &str) -> bool {
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let is_histogram = |family: &Family| family.kind == Kind::Histogram && base == Some(family.name);
        all().any(|family| family.name == name || is_histogram(family))
    }

    #[test]
    fn the_page_about_metrics_lists_them_all_and_no_other() {
        let page = include_str!("../../../docs/metrics.md");
        for family in all() {
            let labels = family.labels.join(", ");
            let (name, kind, help) = (family.name, family.kind.word(), family.help);
            let row = format!("| `{name}` | {kind} | {labels} | {help} |");
            assert!(page.lines().any(|line| line == row), "docs/metrics.md lacks the line\n{row}");
        }
        let unknown: Vec<&str> = names_in(page).into_iter().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "docs/metrics.md names metrics that are not there: {unknown:?}");
    }

    #[test]
    fn the_dashboard_asks_for_metrics_that_are_there() {
        let dashboard = include_str!("../../../docs/grafana-dashboard.json");
        let names = names_in(dashboard);
        assert!(names.len() > 30, "{names:?}");
        let unknown: Vec<&str> = names.into_iter().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "docs/grafana-dashboard.json asks for {unknown:?}");
    }

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
