//! `ringlog txn describe`: a transaction as its coordinator has it.

use clap::Args;
use net::client::{Client, ClientError, CoordinatorKind, Target};
use protocol::messages::describe_transactions_request::DescribeTransactionsRequest;
use protocol::messages::describe_transactions_response::DescribeTransactionsResponse;

use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::{Failure, tell};
use crate::cli::json::{Json, list, object};
use crate::cli::table::numbers;
use crate::cli::topic::distinct;
use crate::cli::when::{date_of, duration_text, now_ms};

/// What `ringlog txn describe` takes.
#[derive(Debug, Args)]
pub struct DescribeArgs {
    /// Transactional ids to describe
    #[arg(required = true, value_name = "TRANSACTIONAL_ID")]
    ids: Vec<String>,
}

/// What a coordinator knows about a transactional id.
pub struct Transaction {
    pub id: String,
    pub coordinator: i32,
    pub state: String,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub timeout_ms: i32,
    /// ms since 1970; `None` while nothing is open.
    pub started_ms: Option<i64>,
    pub topics: Vec<(String, Vec<i32>)>,
}

impl Transaction {
    /// Whether this partition is part of it while it is open or being ended.
    pub fn covers(&self, topic: &str, partition: i32) -> bool {
        self.topics.iter().any(|(name, partitions)| name == topic && partitions.contains(&partition))
    }
}

/// Does what was asked.
pub fn run(args: &DescribeArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let mut found = Vec::new();
    let mut is_whole = true;
    for id in distinct(&args.ids) {
        match client.until_done(|client| transaction(client, id)) {
            Ok(transaction) => found.push(transaction),
            Err(error @ ClientError::Refused(_)) => {
                tell(&error);
                is_whole = false;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let now = now_ms();
    let text = || found.iter().map(|it| text_of(it, now)).collect::<Vec<_>>().join("\n");
    cluster.print(|| object([("transactions", list(&found, |it| json_of(it, now)))]), text)?;
    if is_whole { Ok(()) } else { Err(Failure::Told) }
}

/// Asks the coordinator of a transactional id.
pub fn transaction(client: &mut Client, id: &str) -> Result<Transaction, ClientError> {
    let coordinator = client.coordinator(CoordinatorKind::Transaction, id)?;
    let request = DescribeTransactionsRequest { transactional_ids: vec![id], ..Default::default() };
    let answer = client.ask(Target::Broker(coordinator), &request)?;
    let response: DescribeTransactionsResponse<'_> = client.read(&answer)?;
    let about = format!("transactional id {id}");
    let found = response.transaction_states.iter().find(|it| it.transactional_id == id);
    let Some(found) = found else {
        return Err(ClientError::Unsupported {
            what: format!("{about}: {} says nothing about it", answer.broker),
        });
    };
    answer.check(&about, found.error_code, None)?;
    Ok(Transaction {
        id: id.to_owned(),
        coordinator,
        state: found.transaction_state.to_owned(),
        producer_id: found.producer_id,
        producer_epoch: found.producer_epoch,
        timeout_ms: found.transaction_timeout_ms,
        started_ms: Some(found.transaction_start_time_ms).filter(|ms| *ms > 0),
        topics: found.topics.iter().map(|it| (it.topic.to_owned(), it.partitions.clone())).collect(),
    })
}

/// How long it has been open, and what that means.
fn verdict(it: &Transaction, now: i64) -> String {
    let Some(started) = it.started_ms else { return "nothing is open".to_owned() };
    let age = (now - started).max(0);
    let (age_text, timeout) = (duration_text(age), duration_text(it.timeout_ms.into()));
    match age > i64::from(it.timeout_ms) {
        true => format!(
            "open for {age_text}, longer than its timeout of {timeout}: its coordinator is about to abort it"
        ),
        false => format!("open for {age_text} of {timeout}"),
    }
}

fn text_of(it: &Transaction, now: i64) -> String {
    let topic = |(topic, partitions): &(String, Vec<i32>)| format!("{topic}:{}", numbers(partitions));
    let topics: Vec<String> = it.topics.iter().map(topic).collect();
    let since = it.started_ms.map_or("-".to_owned(), date_of);
    format!(
        "transaction {}\n  state        {}\n  since        {since}\n  verdict      {}\n  producer     {}, epoch {}\n  coordinator  broker {}\n  partitions   {}\n",
        it.id,
        it.state,
        verdict(it, now),
        it.producer_id,
        it.producer_epoch,
        it.coordinator,
        if topics.is_empty() { "-".to_owned() } else { topics.join(" ") },
    )
}

fn json_of(it: &Transaction, now: i64) -> Json {
    let topic = |(topic, partitions): &(String, Vec<i32>)| {
        object([("topic", topic.as_str().into()), ("partitions", partitions[..].into())])
    };
    object([
        ("transactional_id", it.id.as_str().into()),
        ("state", it.state.as_str().into()),
        ("started_ms", it.started_ms.into()),
        ("open_ms", it.started_ms.map(|started| (now - started).max(0)).into()),
        ("timeout_ms", it.timeout_ms.into()),
        ("producer_id", it.producer_id.into()),
        ("producer_epoch", it.producer_epoch.into()),
        ("coordinator", it.coordinator.into()),
        ("topics", list(&it.topics, topic)),
    ])
}
