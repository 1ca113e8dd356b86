//! `ringlog topic delete`: deletes topics, after asking.

use clap::Args;
use net::client::{Client, ClientError, Target};
use protocol::ErrorCode;
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::delete_topics_response::DeleteTopicsResponse;

use super::distinct;
use crate::cli::cluster_args::{ClusterArgs, confirm};
use crate::cli::failure::{Failure, tell};
use crate::cli::json::{Json, object};

/// What `ringlog topic delete` takes.
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Topics to delete
    #[arg(required = true, value_name = "TOPIC")]
    names: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Be content where there is no such topic
    #[arg(long)]
    if_exists: bool,
}

/// Does what was asked.
pub fn run(args: &DeleteArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let names = distinct(&args.names);
    if !args.yes {
        confirm(&format!("Deleting {} with all records", names.join(", ")))?;
    }
    let mut client = cluster.connect()?;
    let results = client.until_done(|client| delete(client, &names, cluster.timeout_ms()))?;
    let mut deleted: Vec<&str> = Vec::new();
    let mut is_whole = true;
    for (name, error) in names.iter().zip(results) {
        match error {
            None => deleted.push(name),
            Some(error) if args.if_exists && error.code() == Some(ErrorCode::UnknownTopicOrPartition) => {}
            Some(error) => {
                tell(&error);
                is_whole = false;
            }
        }
    }
    let json = || object([("deleted", Json::from(&deleted[..]))]);
    cluster.print(json, || deleted.iter().map(|name| format!("deleted topic {name}\n")).collect())?;
    if is_whole { Ok(()) } else { Err(Failure::Told) }
}

fn delete(
    client: &mut Client,
    names: &[&str],
    timeout_ms: i32,
) -> Result<Vec<Option<ClientError>>, ClientError> {
    let topics = names.iter().map(|name| DeleteTopicState { name: Some(name), ..Default::default() });
    let request = DeleteTopicsRequest { topics: topics.collect(), topic_names: names.to_vec(), timeout_ms };
    let answer = client.ask(Target::Controller, &request)?;
    let response: DeleteTopicsResponse<'_> = client.read(&answer)?;
    let mut refused = Vec::new();
    for name in names {
        let result = response.responses.iter().find(|result| result.name == Some(name));
        let code = result.map_or(ErrorCode::UnknownServerError.code(), |result| result.error_code);
        let message = result.and_then(|result| result.error_message);
        refused.push(answer.check(&format!("topic {name}"), code, message).err());
    }
    Ok(refused)
}
