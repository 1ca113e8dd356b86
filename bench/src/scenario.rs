//! What a run does: a file of `key=value` lines, such as those in `bench/scenarios/`.
//!
//! All roles may be mixed: producers, tail readers (each record's way from its intended send time to them is timed), readers
//! of old data, connections that do nothing.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use storage::Codec;

use crate::Fault;

/// The scenarios that come with the program, by name.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("produce", include_str!("../scenarios/produce.properties")),
    ("produce-durable", include_str!("../scenarios/produce-durable.properties")),
    ("small-records", include_str!("../scenarios/small-records.properties")),
    ("single-records", include_str!("../scenarios/single-records.properties")),
    ("single-records-durable", include_str!("../scenarios/single-records-durable.properties")),
    ("fetch", include_str!("../scenarios/fetch.properties")),
    ("fetch-small", include_str!("../scenarios/fetch-small.properties")),
    ("tail-1k", include_str!("../scenarios/tail-1k.properties")),
    ("tail-10k", include_str!("../scenarios/tail-10k.properties")),
    ("tail-durable", include_str!("../scenarios/tail-durable.properties")),
    ("pipeline", include_str!("../scenarios/pipeline.properties")),
    ("fan-out", include_str!("../scenarios/fan-out.properties")),
    ("back-fill", include_str!("../scenarios/back-fill.properties")),
    ("many-partitions", include_str!("../scenarios/many-partitions.properties")),
    ("many-connections", include_str!("../scenarios/many-connections.properties")),
    ("long", include_str!("../scenarios/long.properties")),
];

/// How much of something: a time, or payload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// So long.
    Time(Duration),
    /// So many bytes of record values, acknowledged or, where nothing is produced, read.
    Bytes(u64),
}

/// What an acknowledgement of `acks=all` has to mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// What the broker does by itself.
    Default,
    /// Stable storage.
    Disk,
    /// The page cache.
    PageCache,
}

/// What a run does.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it is for, in a line.
    pub about: String,
    /// Partitions of its topic.
    pub partitions: i32,
    /// What is promised for records.
    pub durability: Durability,
    /// Connections that produce.
    pub producers: usize,
    /// Requests under way a producer.
    pub in_flight: usize,
    /// Records a batch, at most.
    pub batch_records: usize,
    /// Bytes of a record's value.
    pub record_bytes: usize,
    /// Whether records have keys of 16 bytes.
    pub has_keys: bool,
    /// How batches are packed.
    pub codec: Codec,
    /// 1 or -1 (all).
    pub acks: i16,
    /// Whether batches have producer ids and sequence numbers.
    pub is_idempotent: bool,
    /// Records a second over all producers; as many as go if there is none.
    pub rate: Option<f64>,
    /// How long records wait for others to be sent with, if there is a rate.
    pub linger: Duration,
    /// Connections that read what comes; the partitions are divided among them.
    pub tail_consumers: usize,
    /// How many such sets of tail readers there are.
    pub fan_out: usize,
    /// Connections that read from the start over and over; the partitions are divided among them.
    pub back_fill_consumers: usize,
    /// The most that a fetch asks for, in all and of one partition, bytes.
    pub fetch_bytes: usize,
    /// How long a fetch waits for a first byte.
    pub fetch_wait: Duration,
    /// Connections that do nothing.
    pub idle_connections: usize,
    /// Payload that is in the topic before the run begins, MiB.
    pub preload_mib: u64,
    /// What comes before the measuring.
    pub warmup: Amount,
    /// What is measured.
    pub measure: Amount,
}

impl Scenario {
    /// The scenario with this name, or in this file.
    pub fn find(name: &str) -> Result<Scenario, Fault> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Scenario::parse(name, text);
        }
        let text = std::fs::read_to_string(name).map_err(|error| {
            let known: Vec<&str> = BUILT_IN.iter().map(|(known, _)| *known).collect();
            Fault(format!("{name}: neither a file ({error}) nor one of {}", known.join(", ")))
        })?;
        let stem = std::path::Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
        Scenario::parse(&stem, &text)
    }

    /// Reads `text`. Lines that begin with `#` are comments; the first is what the scenario is for.
    pub fn parse(name: &str, text: &str) -> Result<Scenario, Fault> {
        let mut scenario = Scenario { name: name.to_owned(), ..Scenario::default() };
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if let Some(about) = line.strip_prefix('#') {
                if scenario.about.is_empty() {
                    scenario.about = about.trim().to_owned();
                }
            } else if !line.is_empty() {
                let set = line.split_once('=').ok_or_else(|| "not KEY=VALUE".to_owned());
                let set = set.and_then(|(key, value)| scenario.set(key.trim(), value.trim()));
                set.map_err(|why| Fault(format!("{name}, line {number}: {line}: {why}")))?;
            }
        }
        scenario.check().map_err(|why| Fault::of(name, why))?;
        Ok(scenario)
    }

    /// Changes one setting.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "partitions" => self.partitions = number(value)?,
            "durability" => {
                self.durability = match value {
                    "default" => Durability::Default,
                    "disk" => Durability::Disk,
                    "os" => Durability::PageCache,
                    _ => return Err("one of default, disk, os".into()),
                }
            }
            "producers" => self.producers = number(value)?,
            "in.flight" => self.in_flight = number(value)?,
            "batch.records" => self.batch_records = number(value)?,
            "record.bytes" => self.record_bytes = number(value)?,
            "keys" => self.has_keys = truth(value)?,
            "codec" => self.codec = codec(value)?,
            "acks" => {
                self.acks = match value {
                    "1" => 1,
                    "all" | "-1" => -1,
                    _ => return Err("1 or all: without an acknowledgement there is nothing to time".into()),
                }
            }
            "idempotent" => self.is_idempotent = truth(value)?,
            "rate" => self.rate = if value == "max" { None } else { Some(number(value)?) },
            "linger.ms" => self.linger = Duration::from_millis(number(value)?),
            "tail.consumers" => self.tail_consumers = number(value)?,
            "fan.out" => self.fan_out = number(value)?,
            "back.fill.consumers" => self.back_fill_consumers = number(value)?,
            "fetch.bytes" => self.fetch_bytes = number(value)?,
            "fetch.wait.ms" => self.fetch_wait = Duration::from_millis(number(value)?),
            "idle.connections" => self.idle_connections = number(value)?,
            "preload.mib" => self.preload_mib = number(value)?,
            "warmup" => self.warmup = amount(value)?,
            "measure" => self.measure = amount(value)?,
            _ => return Err(format!("no such setting; there are {}", KEYS.join(", "))),
        }
        Ok(())
    }

    /// Whether the settings go together.
    pub fn check(&self) -> Result<(), String> {
        let checks: [(bool, &str); 11] = [
            (self.partitions >= 1, "partitions must be 1 or more"),
            (self.in_flight >= 1, "in.flight must be 1 or more"),
            (self.batch_records >= 1, "batch.records must be 1 or more"),
            (self.batch_records * (self.record_bytes + 64) <= 64 << 20, "a batch may have 64 MiB"),
            (
                self.rate.is_none_or(|rate| rate > 0.0 && rate <= 1e8),
                "rate must lie in 0..100,000,000, or be max",
            ),
            (self.rate.is_some() || self.linger.is_zero(), "linger.ms wants a rate"),
            (self.fan_out >= 1, "fan.out must be 1 or more"),
            (self.producers + self.reader_count() > 0, "nobody produces or reads"),
            (
                self.producers > 0 || self.back_fill_consumers == 0 || self.preload_mib > 0,
                "back.fill.consumers need producers or preload.mib",
            ),
            (self.producers > 0 || self.tail_consumers == 0, "tail.consumers need producers"),
            (
                !self.is_idempotent || self.in_flight <= 5,
                "an idempotent producer may have 5 requests in flight",
            ),
        ];
        match checks.iter().find(|(is_good, _)| !is_good) {
            Some((_, why)) => Err((*why).to_owned()),
            None => Ok(()),
        }
    }

    /// Connections that read.
    pub fn reader_count(&self) -> usize {
        self.tail_consumers * self.fan_out + self.back_fill_consumers
    }

    /// Whether records are sent when their time has come, whatever has been answered.
    pub fn is_open_loop(&self) -> bool {
        self.rate.is_some()
    }
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario {
            name: String::new(),
            about: String::new(),
            partitions: 6,
            durability: Durability::Default,
            producers: 0,
            in_flight: 5,
            batch_records: 1,
            record_bytes: 100,
            has_keys: false,
            codec: Codec::None,
            acks: 1,
            is_idempotent: false,
            rate: None,
            linger: Duration::ZERO,
            tail_consumers: 0,
            fan_out: 1,
            back_fill_consumers: 0,
            fetch_bytes: 1 << 20,
            fetch_wait: Duration::from_millis(500),
            idle_connections: 0,
            preload_mib: 0,
            warmup: Amount::Time(Duration::from_secs(5)),
            measure: Amount::Time(Duration::from_secs(20)),
        }
    }
}

const KEYS: &[&str] = &[
    "partitions",
    "durability",
    "producers",
    "in.flight",
    "batch.records",
    "record.bytes",
    "keys",
    "codec",
    "acks",
    "idempotent",
    "rate",
    "linger.ms",
    "tail.consumers",
    "fan.out",
    "back.fill.consumers",
    "fetch.bytes",
    "fetch.wait.ms",
    "idle.connections",
    "preload.mib",
    "warmup",
    "measure",
];

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Time(time) => write!(f, "{} s", time.as_secs_f64()),
            Amount::Bytes(bytes) => write!(f, "{} MiB", bytes >> 20),
        }
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.replace('_', "").parse().map_err(|_| "not a number that fits".to_owned())
}

fn truth(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "true or false".to_owned())
}

fn codec(text: &str) -> Result<Codec, String> {
    Ok(match text {
        "none" => Codec::None,
        "gzip" => Codec::Gzip,
        "snappy" => Codec::Snappy,
        "lz4" => Codec::Lz4,
        "zstd" => Codec::Zstd,
        _ => return Err("one of none, gzip, snappy, lz4, zstd".into()),
    })
}

fn amount(text: &str) -> Result<Amount, String> {
    let bad = || "such as 20 s, 5 min or 512 MiB".to_owned();
    let (count, unit) = text.split_once(' ').ok_or_else(bad)?;
    let count: u64 = number(count).map_err(|_| bad())?;
    match unit.trim() {
        "s" if count <= 1_000_000 => Ok(Amount::Time(Duration::from_secs(count))),
        "min" if count <= 10_000 => Ok(Amount::Time(Duration::from_secs(60 * count))),
        "MiB" if count <= 1 << 30 => Ok(Amount::Bytes(count << 20)),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_scenario_is_whole_and_says_what_it_is_for() {
        for (name, text) in BUILT_IN {
            let scenario = Scenario::parse(name, text).unwrap_or_else(|fault| panic!("{fault}"));
            assert!(!scenario.about.is_empty(), "{name}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_reason() {
        for (text, expected) in [
            ("producers=1\npartitons=3", "no such setting; there are partitions"),
            ("producers", "not KEY=VALUE"),
            ("producers=many", "not a number"),
            ("producers=-1", "not a number"),
            ("", "nobody produces or reads"),
            ("producers=1\nacks=0", "nothing to time"),
            ("producers=1\nlinger.ms=5", "linger.ms wants a rate"),
            ("producers=1\nrate=0", "rate must lie in"),
            ("producers=1\nbatch.records=1000000\nrecord.bytes=1024", "64 MiB"),
            ("back.fill.consumers=1", "need producers or preload.mib"),
            ("producers=1\nidempotent=true\nin.flight=6", "5 requests"),
            ("producers=1\nmeasure=20", "such as 20 s"),
            ("producers=1\ncodec=brotli", "one of none"),
        ] {
            let fault = Scenario::parse("x", text).expect_err(text);
            assert!(fault.0.contains(expected), "{text:?}: {fault}");
        }
    }

    #[test]
    fn amounts_have_units() {
        for (text, expected) in [
            ("20 s", Amount::Time(Duration::from_secs(20))),
            ("30 min", Amount::Time(Duration::from_secs(1800))),
            ("512 MiB", Amount::Bytes(512 << 20)),
        ] {
            assert_eq!(amount(text), Ok(expected));
        }
    }
}
