//! Two brokers in turns: A B A B, each started anew for every round, so that what the machine does to one it does to both.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::Fault;
use crate::brokers::{Broker, Kind, Place};
use crate::outcome::{Metric, Outcome, digits};
use crate::run::{Target, run};
use crate::scenario::Scenario;

/// What is compared, and how often.
#[derive(Debug, Clone)]
pub struct Contest {
    /// The two, with the settings that each is started with.
    pub sides: [(Kind, Vec<String>); 2],
    /// What both do.
    pub scenarios: Vec<Scenario>,
    /// How often.
    pub rounds: usize,
    /// The cores of the brokers, as `taskset` writes them.
    pub broker_cpus: String,
    /// The cores of the load.
    pub load_cpus: Vec<usize>,
    /// Memory that is touched before anything is measured, MiB.
    pub touch_mib: usize,
    /// Where brokers keep their data while they run.
    pub work: PathBuf,
    /// Where the outcomes go.
    pub out: PathBuf,
    /// The Java that runs Kafka, and its heap.
    pub java: String,
    /// See above.
    pub heap: String,
}

/// Runs a contest; gives all outcomes. `say` is told of each run when it is over.
pub fn compare(contest: &Contest, mut say: impl FnMut(&str)) -> Result<Vec<Outcome>, Fault> {
    std::fs::create_dir_all(&contest.out).map_err(|error| Fault::of(contest.out.display(), error))?;
    touch(contest.touch_mib);
    let mut outcomes = Vec::new();
    for round in 1..=contest.rounds {
        for (side, name) in contest.sides.iter().zip(["a", "b"]) {
            for (outcome, file) in run_side(contest, side, name, round)? {
                outcome.save(&contest.out.join(file))?;
                say(&one_line(&outcome, round));
                outcomes.push(outcome);
            }
        }
    }
    Ok(outcomes)
}

fn run_side(
    contest: &Contest,
    (kind, settings): &(Kind, Vec<String>),
    name: &str,
    round: usize,
) -> Result<Vec<(Outcome, String)>, Fault> {
    let place = Place {
        directory: contest.work.join(format!("ringlog-bench-{}-{name}", std::process::id())),
        cpus: contest.broker_cpus.clone(),
        settings: settings.clone(),
        java: contest.java.clone(),
        heap: contest.heap.clone(),
    };
    let broker = Broker::start(kind, &place)?;
    let label = label(contest, kind, name);
    let target = Target {
        label: label.clone(),
        address: broker.address.clone(),
        pid: broker.pid,
        cpus: contest.load_cpus.clone(),
        keeps_topic: false,
    };
    let one = |scenario: &Scenario| {
        let file = format!("{}-{label}-{round}.json", scenario.name).replace([':', '/'], "_");
        Ok((run(scenario, &target)?, file))
    };
    let outcomes = contest.scenarios.iter().map(one).collect();
    broker.stop()?;
    outcomes
}

/// What a side is called: its kind, with the side's letter if both are of one kind.
fn label(contest: &Contest, kind: &Kind, name: &str) -> String {
    let [(a, _), (b, _)] = &contest.sides;
    if a.label() == b.label() { format!("{}-{name}", kind.label()) } else { kind.label().to_owned() }
}

/// Makes the machine hand over memory: the first touch of a page can cost more than its use.
pub fn touch(mib: usize) {
    let mut memory = vec![0_u8; mib << 20];
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    std::hint::black_box(&memory);
}

/// A run's most telling figures.
pub fn one_line(outcome: &Outcome, round: usize) -> String {
    let mut line = format!("{round:>3}  {:<24} {:<12}", outcome.scenario, outcome.broker);
    for metric in outcome.metrics().iter().filter(|metric| is_headline(metric)) {
        let _ = write!(line, "  {} {} {}", metric.name, digits(metric.value), metric.unit);
    }
    for remark in outcome.remarks() {
        let _ = write!(line, "  {remark}");
    }
    line
}

fn is_headline(metric: &Metric) -> bool {
    let shown = [
        ("produced", "MiB/s"),
        ("produced", "requests/s"),
        ("read (old)", "MiB/s"),
        ("acknowledged p99", "ms"),
        ("end to end p50", "ms"),
        ("end to end p99", "ms"),
        ("broker CPU", "s/GiB"),
    ];
    shown.contains(&(metric.name, metric.unit))
}

/// One figure of one side over all rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The middle one.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

impl Spread {
    /// Of some values; `None` of none.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Spread> {
        let mut values: Vec<f64> = values.collect();
        values.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median =
            if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
        Some(Spread { median, min, max })
    }
}

/// One figure of both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is, of what.
    pub name: String,
    /// Whether more is better.
    pub more_is_better: bool,
    /// Of each side.
    pub sides: [Option<Spread>; 2],
    /// The first side's over the second's, round by round.
    pub ratio: Option<Spread>,
}

/// The figures of one scenario, the sides named as in `labels`.
pub fn rows(outcomes: &[&Outcome], labels: [&str; 2]) -> Vec<Row> {
    let of =
        |label: &str| outcomes.iter().filter(|one| one.broker == label).map(|one| one.metrics()).collect();
    let sides: [Vec<Vec<Metric>>; 2] = labels.map(of);
    let mut names: Vec<(&str, &str, bool)> = Vec::new();
    for metric in sides.iter().flatten().flatten() {
        let name = (metric.name, metric.unit, metric.more_is_better);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let value = |run: &Vec<Metric>, (name, unit, _): (&str, &str, bool)| {
        run.iter().find(|metric| metric.name == name && metric.unit == unit).map(|metric| metric.value)
    };
    let row = |name: (&str, &str, bool)| {
        let values: [Vec<f64>; 2] =
            [&sides[0], &sides[1]].map(|runs| runs.iter().filter_map(|run| value(run, name)).collect());
        let pairs = values[0].iter().zip(&values[1]).filter(|(_, b)| **b > 0.0);
        Row {
            name: format!("{}, {}", name.0, name.1),
            more_is_better: name.2,
            ratio: Spread::of(pairs.map(|(a, b)| a / b)),
            sides: values.map(|values| Spread::of(values.into_iter())),
        }
    };
    names.into_iter().map(row).collect()
}

/// A table of one scenario's figures, in Markdown.
pub fn table(outcomes: &[&Outcome], labels: [&str; 2]) -> String {
    let mut text = format!("| | {} | {} | ratio |\n|---|---|---|---|\n", labels[0], labels[1]);
    let show = |spread: &Option<Spread>| match spread {
        None => "–".to_owned(),
        Some(s) if s.min == s.max => digits(s.median),
        Some(s) => format!("{} ({}–{})", digits(s.median), digits(s.min), digits(s.max)),
    };
    for row in rows(outcomes, labels) {
        let [a, b] = &row.sides;
        let _ = writeln!(text, "| {} | {} | {} | {} |", row.name, show(a), show(b), show(&row.ratio));
    }
    text
}

/// The scenarios and the brokers that outcomes are of, each in the order of their first one.
pub fn names(outcomes: &[Outcome]) -> (Vec<&str>, Vec<&str>) {
    let (mut scenarios, mut brokers) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        for (names, name) in [(&mut scenarios, &*outcome.scenario), (&mut brokers, &*outcome.broker)] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    (scenarios, brokers)
}

/// Reads all outcomes in a directory, in the order in which they were made: the side that ran first is side A again.
pub fn load_all(directory: &Path) -> Result<Vec<Outcome>, Fault> {
    let entries = std::fs::read_dir(directory).map_err(|error| Fault::of(directory.display(), error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    if paths.is_empty() {
        return Err(Fault::of(directory.display(), "no outcomes (*.json) there"));
    }
    let mut outcomes: Vec<Outcome> =
        paths.iter().map(|path| Outcome::load(path)).collect::<Result<_, _>>()?;
    outcomes.sort_by_key(|outcome| outcome.unix_seconds);
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::tests::outcome;

    #[test]
    fn a_ratio_is_of_the_same_round_and_has_a_spread() {
        let all = [outcome("a", &[2]), outcome("b", &[4]), outcome("a", &[6]), outcome("b", &[6])];
        let all: Vec<&Outcome> = all.iter().collect();
        let rows = rows(&all, ["a", "b"]);
        let row = rows.iter().find(|row| row.name == "end to end p50, ms").unwrap();
        assert_eq!(row.sides[0], Some(Spread { median: 4.0, min: 2.0, max: 6.0 }));
        assert_eq!(row.ratio, Some(Spread { median: 0.75, min: 0.5, max: 1.0 }));
        assert!(
            table(&all, ["a", "b"]).contains(
                "| end to end p50, ms | 4.00 (2.00–6.00) | 5.00 (4.00–6.00) | 0.750 (0.500–1.00) |"
            )
        );
    }

    #[test]
    fn the_side_that_ran_first_comes_first_whatever_its_name() {
        let directory = std::env::temp_dir().join(format!("ringlog-bench-order-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        for (broker, unix_seconds) in [("ringlog", 10), ("kafka", 20)] {
            let run = Outcome { unix_seconds, ..outcome(broker, &[1]) };
            run.save(&directory.join(format!("x-{broker}-1.json"))).unwrap();
        }
        let outcomes = load_all(&directory).unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!(names(&outcomes).1, ["ringlog", "kafka"]);
    }

    #[test]
    fn medians_are_of_the_middle() {
        for (values, expected) in [(&[1.0][..], 1.0), (&[3.0, 1.0, 2.0], 2.0), (&[4.0, 1.0, 2.0, 3.0], 2.5)] {
            assert_eq!(Spread::of(values.iter().copied()).unwrap().median, expected);
        }
        assert_eq!(Spread::of(std::iter::empty()), None);
    }
}
