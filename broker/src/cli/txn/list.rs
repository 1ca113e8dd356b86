//! `ringlog txn list`: what every coordinator knows.

use clap::Args;
use net::client::{Client, ClientError, Target};
use protocol::messages::list_transactions_request::ListTransactionsRequest;
use protocol::messages::list_transactions_response::ListTransactionsResponse;

use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::{list, object};
use crate::cli::table::Table;
use crate::cli::when::parse_duration;

/// The first version that filters by how long a transaction has been open.
const DURATION_FROM: i16 = 1;

/// What `ringlog txn list` takes.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only those in this state: Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit, CompleteAbort; may be repeated
    #[arg(long, value_name = "STATE")]
    state: Vec<String>,
    /// Only those that have been open for so long
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    older_than: Option<i64>,
}

/// A transactional id as its coordinator lists it.
pub struct Listed {
    pub transactional_id: String,
    pub coordinator: i32,
    pub producer_id: i64,
    pub state: String,
}

/// Does what was asked.
pub fn run(args: &ListArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let states: Vec<&str> = args.state.iter().map(String::as_str).collect();
    let found = client.until_done(|client| listed(client, &states, &[], args.older_than))?;
    let json = |it: &Listed| {
        object([
            ("transactional_id", it.transactional_id.as_str().into()),
            ("coordinator", it.coordinator.into()),
            ("producer_id", it.producer_id.into()),
            ("state", it.state.as_str().into()),
        ])
    };
    cluster.print(
        || object([("transactions", list(&found, json))]),
        || {
            if found.is_empty() {
                return "there are no such transactions\n".to_owned();
            }
            let mut table = Table::new(&["TRANSACTIONAL ID", "STATE", "PRODUCER", "COORDINATOR"]);
            for it in &found {
                let (producer, coordinator) = (it.producer_id.to_string(), it.coordinator.to_string());
                table.push([it.transactional_id.clone(), it.state.clone(), producer, coordinator]);
            }
            table.text("")
        },
    )
}

/// Asks every broker; no states and no producers mean all.
pub fn listed(
    client: &mut Client,
    states: &[&str],
    producers: &[i64],
    older_than_ms: Option<i64>,
) -> Result<Vec<Listed>, ClientError> {
    let brokers: Vec<i32> = client.map().brokers.iter().map(|broker| broker.id).collect();
    let mut found = Vec::new();
    for broker in brokers {
        let request = ListTransactionsRequest {
            state_filters: states.to_vec(),
            producer_id_filters: producers.to_vec(),
            duration_filter: older_than_ms.unwrap_or(-1),
            ..Default::default()
        };
        let answer = client.ask(Target::Broker(broker), &request)?;
        if older_than_ms.is_some() && answer.version < DURATION_FROM {
            let what = format!(
                "{} cannot tell how long transactions are open: leave --older-than out",
                answer.broker
            );
            return Err(ClientError::Unsupported { what });
        }
        let response: ListTransactionsResponse<'_> = client.read(&answer)?;
        answer.check("", response.error_code, None)?;
        if let Some(unknown) = response.unknown_state_filters.first() {
            let what = format!("there is no state {unknown}; `ringlog txn list --help` names them");
            return Err(ClientError::Unsupported { what });
        }
        found.extend(response.transaction_states.iter().map(|it| Listed {
            transactional_id: it.transactional_id.to_owned(),
            coordinator: broker,
            producer_id: it.producer_id,
            state: it.transaction_state.to_owned(),
        }));
    }
    found.sort_by(|a, b| a.transactional_id.cmp(&b.transactional_id));
    Ok(found)
}
