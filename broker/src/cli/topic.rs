//! `ringlog topic`: topics of a running cluster, its own or any Kafka's.

mod alter;
mod create;
mod delete;
mod delete_records;
mod describe;
mod list;

use clap::{Args, Subcommand};
use net::client::{Client, ClientError, Refused, TopicMap, WantedTopics};
use protocol::{ApiKey, ErrorCode};

use super::cluster_args::ClusterArgs;
use super::failure::Failure;

/// What `ringlog topic` takes.
#[derive(Debug, Args)]
pub struct TopicArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(subcommand)]
    command: TopicCommand,
}

#[derive(Debug, Subcommand)]
enum TopicCommand {
    /// Make topics.
    Create(create::CreateArgs),
    /// Say which topics there are.
    List(list::ListArgs),
    /// Say everything about topics: partitions, offsets, sizes, settings.
    Describe(describe::DescribeArgs),
    /// Add partitions to a topic, or change its settings.
    Alter(alter::AlterArgs),
    /// Delete topics with all that is in them.
    Delete(delete::DeleteArgs),
    /// Delete a topic's oldest records.
    DeleteRecords(delete_records::DeleteRecordsArgs),
}

/// Does what was asked.
pub fn run(args: &TopicArgs) -> Result<(), Failure> {
    match &args.command {
        TopicCommand::Create(command) => create::run(command, &args.cluster),
        TopicCommand::List(command) => list::run(command, &args.cluster),
        TopicCommand::Describe(command) => describe::run(command, &args.cluster),
        TopicCommand::Alter(command) => alter::run(command, &args.cluster),
        TopicCommand::Delete(command) => delete::run(command, &args.cluster),
        TopicCommand::DeleteRecords(command) => delete_records::run(command, &args.cluster),
    }
}

/// Splits `key=value`, as `--set` takes it.
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.to_owned())),
        _ => Err("KEY=VALUE is needed".to_owned()),
    }
}

/// The topics of these names; an error names the first that does not exist.
pub fn find_topics(client: &mut Client, names: &[&str]) -> Result<Vec<TopicMap>, ClientError> {
    client.until_done(|client| {
        let map = client.metadata(WantedTopics::Named(names))?;
        let found = names.iter().map(|name| match map.topic(name) {
            Some(topic) if topic.error_code == 0 => Ok(topic.clone()),
            topic => {
                let unknown = ErrorCode::UnknownTopicOrPartition.code();
                Err(refusal(name, topic.map_or(unknown, |topic| topic.error_code)))
            }
        });
        found.collect()
    })
}

fn refusal(name: &str, code: i16) -> ClientError {
    let message = (code == ErrorCode::UnknownTopicOrPartition.code())
        .then(|| "there is no such topic; `ringlog topic list` shows those that exist".to_owned());
    ClientError::Refused(Refused {
        request: ApiKey::Metadata,
        broker: String::new(),
        about: format!("topic {name}"),
        code,
        message,
    })
}

/// Every name once, in the order given.
pub fn distinct(names: &[String]) -> Vec<&str> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if !seen.contains(&name.as_str()) {
            seen.push(name);
        }
    }
    seen
}
