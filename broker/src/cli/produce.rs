//! `ringlog produce`: sends records from a file or standard input, one a line or as JSON lines.
//!
//! One thread reads ([`input`]); this one makes batches ([`batching`]) and keeps several requests under way to each leader
//! ([`sender`]). What was read at once is sent at once: a slow input waits for nothing, a fast one fills its batches.

mod batching;
mod input;
mod murmur;
mod record;
mod sender;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use storage::Codec;

use super::cluster_args::ClusterArgs;
use super::consume::escaped;
use super::failure::Failure;
use super::json::{list, object};
use super::table::{Table, or_dash, size_text};
use super::topic::{find_topics, parse_setting};
use batching::Batching;
use input::{Block, Input};
use record::Reader;
use sender::{Sender, Sent};

/// What `ringlog produce` takes.
#[derive(Debug, Args)]
pub struct ProduceArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// The topic; it must exist
    #[arg(value_name = "TOPIC")]
    topic: String,
    /// Read this file [default: standard input]; with --json each line is an object with the fields key, value, headers,
    /// partition and timestamp, or key_base64 and value_base64 for bytes
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
    /// What ends a record, one byte, also written \n, \r, \t or \0
    #[arg(long, short, value_name = "BYTE", default_value = "\\n", conflicts_with = "json", value_parser = parse_delimiter)]
    delimiter: u8,
    /// What stands between a record's key and its value; without it there are no keys
    #[arg(long, short = 'K', value_name = "TEXT", conflicts_with = "json")]
    key_separator: Option<String>,
    /// Headers of every record; may be repeated
    #[arg(long, short = 'H', value_name = "KEY=VALUE", value_delimiter = ',', value_parser = parse_setting)]
    headers: Vec<(String, String)>,
    /// Send everything to this partition [default: by the key's hash, as Java's clients do]
    #[arg(long, short, value_name = "N")]
    partition: Option<i32>,
    /// How to pack batches
    #[arg(long, short = 'z', value_name = "CODEC", default_value = "none")]
    compression: Compression,
    /// Who must have a record before it counts as written: all replicas (sent again safely if need be), the leader (1), or
    /// nobody (0)
    #[arg(long, value_name = "all|1|0", default_value = "all")]
    acks: Acks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compression {
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}

impl Compression {
    fn codec(self) -> Codec {
        match self {
            Compression::None => Codec::None,
            Compression::Gzip => Codec::Gzip,
            Compression::Snappy => Codec::Snappy,
            Compression::Lz4 => Codec::Lz4,
            Compression::Zstd => Codec::Zstd,
        }
    }
}

/// Who must have it; the wire's numbers are 0, 1 and -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Acks {
    #[value(name = "all", alias = "-1")]
    All,
    #[value(name = "1")]
    Leader,
    #[value(name = "0")]
    Nobody,
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match (text.strip_prefix('\\'), text.as_bytes()) {
        (Some(escape), [_, _]) => escaped(escape.chars().next()),
        (None, [byte]) => Ok(*byte),
        _ => Err("one byte is needed: a letter, or \\n \\r \\t \\0".to_owned()),
    }
}

/// Does what was asked.
pub fn run(args: &ProduceArgs) -> Result<(), Failure> {
    let input = Input::open(args.file.as_deref(), if args.cluster.json { b'\n' } else { args.delimiter })?;
    let mut client = args.cluster.connect()?;
    let topic = find_topics(&mut client, &[&args.topic])?.remove(0);
    if let Some(partition) = args.partition.filter(|partition| topic.partition(*partition).is_none()) {
        return Err(Failure::Refused(format!("topic {} has no partition {partition}", args.topic)));
    }
    let reader = Reader::new(args.cluster.json, args.key_separator.as_deref(), &args.headers, args.partition);
    let mut batching = Batching::new(topic.partitions.len() as i32, args.compression.codec());
    let mut sender = Sender::new(&mut client, topic, args.acks)?;
    let mut progress = Progress::new();
    let done = send_all(input, &reader, &mut batching, &mut sender, &mut progress);
    // What is under way counts as well, if it arrives.
    let done = done.and_then(|()| sender.drain());
    if done.is_err() {
        sender.settle();
    }
    progress.clear();
    let sent = sender.sent();
    report(args, &sent, &done)?;
    done
}

fn send_all(
    mut input: Input,
    reader: &Reader,
    batching: &mut Batching,
    sender: &mut Sender<'_>,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut line = 0;
    loop {
        let block = match input.next_now()? {
            Some(block) => block,
            None => {
                // Nothing more is there at the moment: what was read need not wait for it.
                for batch in batching.take_all() {
                    sender.send(batch)?;
                }
                sender.drain()?;
                match input.next()? {
                    Some(block) => block,
                    None => return Ok(()),
                }
            }
        };
        put_block(&block, &mut line, reader, batching, sender)?;
        progress.show(sender);
    }
}

fn put_block(
    block: &Block,
    line: &mut u64,
    reader: &Reader,
    batching: &mut Batching,
    sender: &mut Sender<'_>,
) -> Result<(), Failure> {
    for text in block.lines() {
        *line += 1;
        let record = reader.read(text).map_err(|why| Failure::Refused(format!("line {line}: {why}")))?;
        if let Some(partition) =
            record.partition.filter(|partition| !(0..batching.partitions()).contains(partition))
        {
            let count = batching.partitions();
            let why = format!("line {line}: there is no partition {partition}, the topic has {count}");
            return Err(Failure::Refused(why));
        }
        if let Some(batch) = batching.put(*line, &record) {
            sender.send(batch)?;
        }
    }
    Ok(())
}

fn report(args: &ProduceArgs, sent: &Sent, done: &Result<(), Failure>) -> Result<(), Failure> {
    let records: u64 = sent.partitions.values().map(|it| it.records).sum();
    let word = if args.acks == Acks::Nobody { "sent, unacknowledged" } else { "acknowledged" };
    if done.is_err() {
        super::failure::tell(&format!("{records} records were {word} before it ended"));
        return Ok(());
    }
    let json = || {
        let partition = |(index, it): (&i32, &sender::SentPartition)| {
            object([
                ("partition", (*index).into()),
                ("records", (it.records as i64).into()),
                ("first_offset", it.first_offset.into()),
                ("last_offset", it.last_offset.into()),
            ])
        };
        object([
            ("topic", args.topic.as_str().into()),
            ("records", (records as i64).into()),
            ("acknowledged", (args.acks != Acks::Nobody).into()),
            ("partitions", list(&sent.partitions, partition)),
        ])
    };
    args.cluster.print(json, || {
        let mut table = Table::new(&["PARTITION", "RECORDS", "FIRST", "LAST"]);
        for (index, it) in &sent.partitions {
            let (first, last) = (or_dash(it.first_offset), or_dash(it.last_offset));
            table.push([index.to_string(), it.records.to_string(), first, last]);
        }
        let plural = if records == 1 { "record" } else { "records" };
        match table.is_empty() {
            true => "nothing was sent, for nothing was read\n".to_owned(),
            false => format!("{records} {plural} {word}\n{}", table.text("  ")),
        }
    })
}

/// A line on the terminal that says how far it is; nothing where standard error is none.
struct Progress {
    is_shown: bool,
    began: Instant,
    next: Instant,
}

impl Progress {
    const EVERY: Duration = Duration::from_millis(500);

    fn new() -> Progress {
        let now = Instant::now();
        Progress { is_shown: io::stderr().is_terminal(), began: now, next: now + Progress::EVERY }
    }

    fn show(&mut self, sender: &Sender<'_>) {
        let now = Instant::now();
        if !self.is_shown || now < self.next {
            return;
        }
        self.next = now + Progress::EVERY;
        let (records, bytes) = sender.so_far();
        let rate = bytes as f64 / now.duration_since(self.began).as_secs_f64();
        let (bytes, rate) = (size_text(bytes as i64), size_text(rate as i64));
        // Where the terminal is gone there is nobody to tell.
        let _ = write!(io::stderr(), "\r{records} records, {bytes}, {rate}/s\x1b[K");
    }

    fn clear(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
