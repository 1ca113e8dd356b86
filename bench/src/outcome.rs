//! What a run gave, as a file that keeps all of it: histograms whole, each second, and the broker's use of the machine.

use std::collections::BTreeMap;
use std::path::Path;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::Fault;
use crate::load::{CoreResult, Second};
use crate::process::Used;

/// The version of the file's layout; a reader refuses others.
pub const FORMAT: u32 = 1;

/// Latencies, ns: each value that was seen and how often, ascending.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution(pub Vec<(u64, u64)>);

/// One second of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondRow {
    /// Records acknowledged or, where none are produced, read.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Latencies that ended in it, ns: the 50th, 99th and 99.9th percentile and the longest.
    pub latency_ns: [u64; 4],
    /// The broker's resident memory, bytes; 0 if it was not looked at.
    pub resident_bytes: u64,
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// [`FORMAT`].
    pub format: u32,
    /// The scenario's name.
    pub scenario: String,
    /// What it is for.
    pub about: String,
    /// Records a second that were to be sent, if the loop was open.
    pub rate: Option<f64>,
    /// Which broker it was.
    pub broker: String,
    /// On which machine.
    pub machine: String,
    /// When, seconds since 1970.
    pub unix_seconds: u64,
    /// How long was measured, s.
    pub seconds: f64,
    /// Produce requests answered.
    pub requests: u64,
    /// Records acknowledged.
    pub records: u64,
    /// Bytes of their values.
    pub bytes: u64,
    /// Records that tail readers got.
    pub tail_records: u64,
    /// Bytes of batches that tail readers got.
    pub tail_bytes: u64,
    /// Records that readers of old data got.
    pub back_fill_records: u64,
    /// Bytes of batches that readers of old data got.
    pub back_fill_bytes: u64,
    /// Fetches answered.
    pub fetches: u64,
    /// From the intended send time to the acknowledgement.
    pub acknowledged: Distribution,
    /// From the intended send time to the reader.
    pub end_to_end: Distribution,
    /// From the intended send time to the sending: the load's own lateness, and waiting for room under way.
    pub send_lag: Distribution,
    /// Second by second.
    pub per_second: Vec<SecondRow>,
    /// Errors by Kafka's code.
    pub errors: BTreeMap<i16, u64>,
    /// Records that were due and not answered, or not read, five seconds after the end.
    pub unanswered: u64,
    /// What the broker used, if it runs here.
    pub used: Option<Used>,
}

/// A figure of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// What it is.
    pub name: &'static str,
    /// Of what.
    pub unit: &'static str,
    /// How much.
    pub value: f64,
    /// Whether more is better.
    pub more_is_better: bool,
}

impl Distribution {
    /// All that a histogram holds.
    pub fn of(histogram: &Histogram<u64>) -> Distribution {
        let seen = histogram.iter_recorded();
        Distribution(seen.map(|step| (step.value_iterated_to(), step.count_at_value())).collect())
    }

    /// Several together.
    pub fn pooled<'a>(all: impl Iterator<Item = &'a Distribution>) -> Distribution {
        let mut pool = BTreeMap::new();
        for (value, count) in all.flat_map(|one| &one.0) {
            *pool.entry(*value).or_insert(0) += count;
        }
        Distribution(pool.into_iter().collect())
    }

    /// How many were seen.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The value that this part (0..=1) of all does not exceed, ns; 0 if nothing was seen.
    pub fn quantile(&self, part: f64) -> u64 {
        let wanted = (self.count() as f64 * part).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (value, count) in &self.0 {
            seen += count;
            if seen >= wanted {
                return *value;
            }
        }
        self.0.last().map_or(0, |(value, _)| *value)
    }
}

impl SecondRow {
    /// What a core's second gives.
    pub fn of(second: &Second, resident_bytes: u64) -> SecondRow {
        let at = |part| second.latency.value_at_quantile(part);
        let latency_ns = if second.latency.is_empty() {
            [0; 4]
        } else {
            [at(0.5), at(0.99), at(0.999), second.latency.max()]
        };
        SecondRow { records: second.records, bytes: second.bytes, latency_ns, resident_bytes }
    }
}

impl Outcome {
    /// The counted part of an outcome.
    pub fn count(&mut self, result: &CoreResult, resident: &[u64]) {
        self.seconds = result.elapsed_ns as f64 / 1e9;
        self.requests = result.requests;
        self.records = result.records;
        self.bytes = result.bytes;
        self.tail_records = result.tail_records;
        self.tail_bytes = result.tail_bytes;
        self.back_fill_records = result.back_fill_records;
        self.back_fill_bytes = result.back_fill_bytes;
        self.fetches = result.fetches;
        self.acknowledged = Distribution::of(&result.acknowledged);
        self.end_to_end = Distribution::of(&result.end_to_end);
        self.send_lag = Distribution::of(&result.send_lag);
        let memory = resident.iter().copied().chain(std::iter::repeat(0));
        self.per_second =
            result.seconds.iter().zip(memory).map(|(s, bytes)| SecondRow::of(s, bytes)).collect();
        self.errors = result.errors.clone();
        self.unanswered = result.unanswered;
    }

    /// Whether an open loop's rate was taken: what was due was answered, and none of it a second late on the whole.
    pub fn is_sustained(&self) -> bool {
        let is_on_time = self.send_lag.quantile(0.99) < 1_000_000_000;
        self.rate.is_none() || (self.unanswered == 0 && self.errors.is_empty() && is_on_time)
    }

    /// The figures that this run gives, the most telling first.
    pub fn metrics(&self) -> Vec<Metric> {
        let mut metrics = Vec::new();
        let mut add = |name, unit, value: f64, more_is_better| {
            if value.is_finite() {
                metrics.push(Metric { name, unit, value, more_is_better });
            }
        };
        let each_second = |count: u64| count as f64 / self.seconds;
        if self.records > 0 {
            add("produced", "MiB/s", each_second(self.bytes) / MIB, true);
            add("produced", "records/s", each_second(self.records), true);
            add("produced", "requests/s", each_second(self.requests), true);
        }
        if self.back_fill_records > 0 {
            add("read (old)", "MiB/s", each_second(self.back_fill_bytes) / MIB, true);
            add("read (old)", "records/s", each_second(self.back_fill_records), true);
        }
        if self.tail_records > 0 {
            add("read (tail)", "records/s", each_second(self.tail_records), true);
        }
        for (latency, names) in [
            (
                &self.acknowledged,
                ["acknowledged p50", "acknowledged p99", "acknowledged p99.9", "acknowledged max"],
            ),
            (&self.end_to_end, ["end to end p50", "end to end p99", "end to end p99.9", "end to end max"]),
        ] {
            if latency.count() > 0 {
                for (name, part) in names.into_iter().zip([0.5, 0.99, 0.999, 1.0]) {
                    add(name, "ms", latency.quantile(part) as f64 / 1e6, false);
                }
            }
        }
        if let Some(used) = &self.used {
            let gib = (self.bytes + self.tail_bytes + self.back_fill_bytes) as f64 / MIB / 1024.0;
            let requests = (self.requests + self.fetches) as f64;
            add("broker CPU", "s/GiB", used.cpu_seconds / gib, false);
            add("broker CPU", "us/request", used.cpu_seconds * 1e6 / requests, false);
            add("broker CPU", "% of a core", 100.0 * used.cpu_seconds / used.seconds, false);
            add("broker switches", "1/s", used.context_switches as f64 / used.seconds, false);
            add("broker writes", "MiB/s", used.disk_written_bytes as f64 / MIB / used.seconds, false);
            add("broker memory", "MiB", used.resident_bytes as f64 / MIB, false);
        }
        metrics
    }

    /// What has to be said of a run beside its figures.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.is_sustained() {
            let late_ms = self.send_lag.quantile(0.99) as f64 / 1e6;
            remarks.push(format!(
                "NOT SUSTAINED: {} records unanswered, batches sent up to {late_ms:.0} ms late (p99)",
                self.unanswered
            ));
        }
        for (code, count) in &self.errors {
            let name =
                protocol::ErrorCode::from_code(*code).map_or(format!("{code}"), |name| format!("{name:?}"));
            remarks.push(format!("{count} requests refused: {name}"));
        }
        remarks
    }

    /// Writes the file.
    pub fn save(&self, path: &Path) -> Result<(), Fault> {
        let text = serde_json::to_string(self).map_err(|error| Fault::of(path.display(), error))?;
        std::fs::write(path, text + "\n").map_err(|error| Fault::of(path.display(), error))
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Outcome, Fault> {
        let text = std::fs::read_to_string(path).map_err(|error| Fault::of(path.display(), error))?;
        let outcome: Outcome =
            serde_json::from_str(&text).map_err(|error| Fault::of(path.display(), error))?;
        if outcome.format != FORMAT {
            let found = outcome.format;
            return Err(Fault::of(path.display(), format!("layout {found}; this program knows {FORMAT}")));
        }
        Ok(outcome)
    }
}

const MIB: f64 = (1 << 20) as f64;

/// A number with as many digits as say something.
pub fn digits(value: f64) -> String {
    let places = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.places$}");
    let (whole, rest) =
        text.split_once('.').map_or((text.as_str(), ""), |(whole, _)| (whole, &text[whole.len()..]));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 && whole.as_bytes()[index - 1] != b'-' {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// A day as people write it, in UTC.
pub fn date(unix_seconds: u64) -> String {
    // Days are counted from March of the year 0, so that a leap day is a year's last.
    let days = i64::try_from(unix_seconds / 86_400).unwrap_or(0) + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (month, day) =
        (if shifted < 10 { shifted + 3 } else { shifted - 9 }, day_of_year - (153 * shifted + 2) / 5 + 1);
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An outcome with these latencies (ms), one record each.
    pub(crate) fn outcome(broker: &str, latencies_ms: &[u64]) -> Outcome {
        Outcome {
            format: FORMAT,
            scenario: "tail-1k".into(),
            about: "End to end".into(),
            rate: Some(1_000.0),
            broker: broker.into(),
            machine: "a machine".into(),
            unix_seconds: 1_796_000_000,
            seconds: 2.0,
            requests: latencies_ms.len() as u64,
            records: latencies_ms.len() as u64,
            bytes: 100 * latencies_ms.len() as u64,
            tail_records: 0,
            tail_bytes: 0,
            back_fill_records: 0,
            back_fill_bytes: 0,
            fetches: 0,
            acknowledged: Distribution::default(),
            end_to_end: Distribution(latencies_ms.iter().map(|ms| (ms * 1_000_000, 1)).collect()),
            send_lag: Distribution(vec![(1_000, 3)]),
            per_second: vec![SecondRow {
                records: 1,
                bytes: 100,
                latency_ns: [1, 2, 3, 4],
                resident_bytes: 5,
            }],
            errors: BTreeMap::new(),
            unanswered: 0,
            used: None,
        }
    }

    #[test]
    fn quantiles_are_values_that_were_seen() {
        let distribution = Distribution(vec![(1, 50), (10, 49), (100, 1)]);
        for (part, expected) in [(0.0, 1), (0.5, 1), (0.501, 10), (0.99, 10), (0.991, 100), (1.0, 100)] {
            assert_eq!(distribution.quantile(part), expected, "{part}");
        }
        assert_eq!(Distribution::default().quantile(0.5), 0);
    }

    #[test]
    fn an_outcome_is_read_as_it_was_written() {
        let path = std::env::temp_dir().join(format!("ringlog-bench-outcome-{}.json", std::process::id()));
        let mut written = outcome("a", &[1, 2, 3]);
        written.errors.insert(7, 1);
        written.save(&path).unwrap();
        assert_eq!(Outcome::load(&path).unwrap(), written);
        written.format = 99;
        written.save(&path).unwrap();
        assert!(Outcome::load(&path).unwrap_err().0.contains("layout 99"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_rate_that_was_not_taken_is_said() {
        let mut run = outcome("a", &[1]);
        assert!(run.is_sustained() && run.remarks().is_empty());
        run.unanswered = 5;
        assert!(run.remarks()[0].contains("NOT SUSTAINED: 5 records"));
    }

    #[test]
    fn numbers_are_short_and_days_right() {
        for (value, expected) in [
            (0.0, "0"),
            (0.0123, "0.012"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (1234.5, "1,234"),
            (1e6, "1,000,000"),
            (-123456.0, "-123,456"),
        ] {
            assert_eq!(digits(value), expected);
        }
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_796_083_200, "2026-12-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }
}
