//! Prometheus' text format 0.0.4: families with HELP and TYPE once each, escaped labels, numbers without NaN.

use std::fmt::Write;

use shard::Histogram;

/// What kind of metric a family is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows while the process lives.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Durations in buckets, in seconds.
    Histogram,
}

impl Kind {
    /// The format's word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        }
    }
}

/// A value: whole numbers stay whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A count.
    Count(u64),
    /// An offset, or anything else that may be negative.
    Whole(i64),
    /// Seconds, or a ratio: finite.
    Real(f64),
}

impl From<u64> for Number {
    fn from(count: u64) -> Number {
        Number::Count(count)
    }
}

impl From<usize> for Number {
    fn from(count: usize) -> Number {
        Number::Count(count as u64)
    }
}

impl From<bool> for Number {
    fn from(is_so: bool) -> Number {
        Number::Count(u64::from(is_so))
    }
}

/// A time in ms as seconds.
pub fn seconds(ms: i64) -> Number {
    Number::Real(ms as f64 / 1000.0)
}

/// The head of a family.
pub fn write_head(out: &mut String, name: &str, kind: Kind, help: &str) {
    let help = help.replace('\\', "\\\\").replace('\n', "\\n");
    // Writing to a string never fails.
    _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {}", kind.word());
}

/// One line.
pub fn write_line(out: &mut String, name: &str, labels: &[(&str, &str)], value: Number) {
    out.push_str(name);
    write_labels(out, labels, None);
    write_value(out, value);
}

/// The bounds that are shown: 1, 2 and 5 of each decade from 10 µs to 50 s, as digit and power of ten of a microsecond.
const BOUNDS: [(usize, usize); 21] = {
    let mut bounds = [(0, 0); 21];
    let digits = [1, 2, 5];
    let mut index = 0;
    while index < bounds.len() {
        bounds[index] = (digits[index % 3], 1 + index / 3);
        index += 1;
    }
    bounds
};

/// The lines of a histogram.
pub fn write_histogram(out: &mut String, name: &str, labels: &[(&str, &str)], durations: &Histogram) {
    for (digit, decade) in BOUNDS {
        _ = write!(out, "{name}_bucket");
        let bound = digit as f64 * 10_f64.powi(decade as i32) / 1e6;
        write_labels(out, labels, Some(&bound.to_string()));
        write_value(out, Number::Count(durations.count_within(digit, decade)));
    }
    _ = write!(out, "{name}_bucket");
    write_labels(out, labels, Some("+Inf"));
    write_value(out, Number::Count(durations.count()));
    _ = write!(out, "{name}_sum");
    write_labels(out, labels, None);
    write_value(out, Number::Real(durations.total().as_secs_f64()));
    _ = write!(out, "{name}_count");
    write_labels(out, labels, None);
    write_value(out, Number::Count(durations.count()));
}

fn write_labels(out: &mut String, labels: &[(&str, &str)], bound: Option<&str>) {
    if labels.is_empty() && bound.is_none() {
        return;
    }
    let mut separator = '{';
    for (name, value) in labels.iter().copied().chain(bound.map(|bound| ("le", bound))) {
        out.push(separator);
        separator = ',';
        out.push_str(name);
        out.push_str("=\"");
        for letter in value.chars() {
            match letter {
                '\\' => out.push_str("\\\\"),
                '"' => out.push_str("\\\""),
                '\n' => out.push_str("\\n"),
                other => out.push(other),
            }
        }
        out.push('"');
    }
    out.push('}');
}

fn write_value(out: &mut String, value: Number) {
    _ = match value {
        Number::Count(count) => writeln!(out, " {count}"),
        Number::Whole(whole) => writeln!(out, " {whole}"),
        Number::Real(real) => {
            assert!(real.is_finite(), "{real} is no number that a metric may have");
            writeln!(out, " {real}")
        }
    };
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn check(labels: &[(&str, &str)], value: Number, expected: &str) {
        let mut out = String::new();
        write_line(&mut out, "x", labels, value);
        assert_eq!(out, format!("{expected}\n"));
    }

    #[test]
    fn lines_have_escaped_labels_and_plain_numbers() {
        check(&[], Number::Count(u64::MAX), "x 18446744073709551615");
        check(&[("a", "b")], Number::Whole(-1), r#"x{a="b"} -1"#);
        check(&[("a", "b"), ("c", "ä 😀")], Number::Real(0.25), r#"x{a="b",c="ä 😀"} 0.25"#);
        check(&[("a", "q\" b\\ n\n t\t")], Number::Count(0), "x{a=\"q\\\" b\\\\ n\\n t\t\"} 0");
        check(&[("a", "")], seconds(1), r#"x{a=""} 0.001"#);
        check(&[], seconds(1_700_000_000_123), "x 1700000000.123");
    }

    #[test]
    fn a_head_is_two_lines_whatever_the_help_says() {
        let mut out = String::new();
        write_head(&mut out, "x", Kind::Gauge, "first\nsecond \\");
        assert_eq!(out, "# HELP x first\\nsecond \\\\\n# TYPE x gauge\n");
    }

    #[test]
    fn buckets_are_monotone_and_end_with_the_count() {
        let mut durations = Histogram::default();
        for micros in [3, 10, 11, 4000, 60_000_000, 500_000_000] {
            durations.record(Duration::from_micros(micros));
        }
        let mut out = String::new();
        write_histogram(&mut out, "x", &[("a", "b")], &durations);
        let bucket = |line: &str| {
            let (head, value) = line.rsplit_once(' ')?;
            let bound = head.strip_prefix("x_bucket{a=\"b\",le=\"")?.strip_suffix("\"}")?;
            let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().ok()? };
            Some((bound, value.parse::<u64>().ok()?))
        };
        let buckets: Vec<(f64, u64)> = out.lines().filter_map(bucket).collect();
        assert_eq!(buckets.len(), BOUNDS.len() + 1);
        assert!(buckets.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1), "{buckets:?}");
        assert_eq!((buckets[0], buckets[1]), ((0.00001, 2), (0.00002, 3)));
        assert_eq!(buckets.iter().find(|(bound, _)| *bound == 0.005), Some(&(0.005, 4)));
        assert_eq!(buckets[20], (50.0, 4));
        assert_eq!(buckets[21].1, 6);
        assert!(out.ends_with("x_sum{a=\"b\"} 560.004024\nx_count{a=\"b\"} 6\n"), "{out}");
    }
}
