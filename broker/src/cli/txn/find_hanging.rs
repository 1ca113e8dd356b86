//! `ringlog txn find-hanging`: transactions that are open in a partition while their coordinator knows nothing of it.
//!
//! Such a one is never ended by anybody: readers of committed records wait at its first record for ever, and compaction with
//! them. It comes about where a marker was lost or a late batch arrived after it (KIP-664, KIP-890).

use std::collections::HashMap;

use clap::Args;
use net::client::{Client, ClientError, WantedTopics};

use super::describe::{Transaction, transaction};
use super::list::listed;
use super::producers::{OpenTransaction, open_transactions};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::{Json, list, object};
use crate::cli::table::Table;
use crate::cli::topic::{distinct, find_topics};
use crate::cli::when::{duration_text, now_ms, parse_duration};

/// What `ringlog txn find-hanging` takes.
#[derive(Debug, Args)]
pub struct FindHangingArgs {
    /// Look only in this topic; may be repeated
    #[arg(long, value_name = "TOPIC")]
    topic: Vec<String>,
    /// Leave out what was written to more recently: it may only be on its way
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = parse_duration)]
    older_than: i64,
}

/// A transaction that nobody will end.
struct Hanging {
    open: OpenTransaction,
    why: String,
}

/// Does what was asked.
pub fn run(args: &FindHangingArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let names = distinct(&args.topic);
    let topics = match names.is_empty() {
        true => client.until_done(|client| client.metadata(WantedTopics::All))?.topics,
        false => find_topics(&mut client, &names)?,
    };
    let now = now_ms();
    let found = client.until_done(|client| {
        let open = open_transactions(client, &topics, |_, _| true)?;
        let old = open.into_iter().filter(|it| now - it.last_write_ms >= args.older_than).collect();
        hanging(client, old)
    })?;
    cluster.print(|| object([("hanging", list(&found, |it| json_of(it, now)))]), || text_of(&found, now))
}

/// Leaves out what a coordinator will end.
fn hanging(client: &mut Client, open: Vec<OpenTransaction>) -> Result<Vec<Hanging>, ClientError> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let mut producers: Vec<i64> = open.iter().map(|it| it.producer_id).collect();
    producers.sort_unstable();
    producers.dedup();
    let mut known: HashMap<i64, Transaction> = HashMap::new();
    for it in listed(client, &[], &producers, None)? {
        known.insert(it.producer_id, transaction(client, &it.transactional_id)?);
    }
    let judged = open.into_iter().filter_map(|open| {
        let why = match known.get(&open.producer_id) {
            None => "no coordinator knows its producer".to_owned(),
            Some(it) if it.covers(&open.topic, open.partition) => return None,
            Some(it) => format!("{} is {} and knows nothing of this partition", it.id, it.state),
        };
        Some(Hanging { open, why })
    });
    Ok(judged.collect())
}

fn json_of(it: &Hanging, now: i64) -> Json {
    object([
        ("topic", it.open.topic.as_str().into()),
        ("partition", it.open.partition.into()),
        ("start_offset", it.open.start_offset.into()),
        ("producer_id", it.open.producer_id.into()),
        ("producer_epoch", it.open.producer_epoch.into()),
        ("coordinator_epoch", it.open.coordinator_epoch.into()),
        ("last_write_ms", it.open.last_write_ms.into()),
        ("quiet_ms", (now - it.open.last_write_ms).max(0).into()),
        ("why", it.why.as_str().into()),
    ])
}

fn text_of(found: &[Hanging], now: i64) -> String {
    if found.is_empty() {
        return "no transaction hangs\n".to_owned();
    }
    let mut table = Table::new(&["TOPIC", "PARTITION", "START", "PRODUCER", "EPOCH", "QUIET FOR", "WHY"]);
    for it in found {
        table.push([
            it.open.topic.clone(),
            it.open.partition.to_string(),
            it.open.start_offset.to_string(),
            it.open.producer_id.to_string(),
            it.open.producer_epoch.to_string(),
            duration_text((now - it.open.last_write_ms).max(0)),
            it.why.clone(),
        ]);
    }
    format!("{}end one with: ringlog txn abort TOPIC PARTITION --start-offset START\n", table.text(""))
}
