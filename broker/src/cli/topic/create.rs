//! `ringlog topic create`: makes topics, and waits until they can be used.

use clap::Args;
use net::client::{Client, ClientError, Target, TopicMap, WantedTopics};
use protocol::ErrorCode;
use protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig, CreateTopicsRequest};
use protocol::messages::create_topics_response::CreateTopicsResponse;

use super::{distinct, parse_setting};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::{Failure, tell};
use crate::cli::json::{Json, list, object};

/// Lets the broker choose.
const BROKER_DEFAULT: i32 = -1;

/// What `ringlog topic create` takes.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// Topics to make
    #[arg(required = true, value_name = "TOPIC")]
    names: Vec<String>,
    /// How many partitions [default: the broker's num.partitions]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(i32).range(1..))]
    partitions: Option<i32>,
    /// How many replicas each has [default: the broker's default.replication.factor]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(i16).range(1..))]
    replication_factor: Option<i16>,
    /// A setting of the topic; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// Be content where the topic exists already, whatever it looks like
    #[arg(long)]
    if_not_exists: bool,
}

/// What became of a topic.
struct Made {
    topic: TopicMap,
    is_new: bool,
}

/// Does what was asked.
pub fn run(args: &CreateArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let names = distinct(&args.names);
    let refused = client.until_done(|client| create(client, args, &names, cluster.timeout_ms()))?;
    let mut wanted: Vec<(&str, bool)> = Vec::new();
    let mut is_whole = true;
    for (name, error) in names.iter().zip(refused) {
        match error {
            None => wanted.push((name, true)),
            Some(error) if args.if_not_exists && error.code() == Some(ErrorCode::TopicAlreadyExists) => {
                wanted.push((name, false));
            }
            Some(error) => {
                tell(&error);
                is_whole = false;
            }
        }
    }
    let made = client.until_done(|client| usable(client, &wanted))?;
    cluster.print(|| object([("topics", list(&made, json_of))]), || made.iter().map(text_of).collect())?;
    if is_whole { Ok(()) } else { Err(Failure::Told) }
}

/// Asks for all of them at once; gives each one's refusal.
fn create(
    client: &mut Client,
    args: &CreateArgs,
    names: &[&str],
    timeout_ms: i32,
) -> Result<Vec<Option<ClientError>>, ClientError> {
    let topics = names.iter().map(|name| CreatableTopic {
        name,
        num_partitions: args.partitions.unwrap_or(BROKER_DEFAULT),
        replication_factor: args.replication_factor.unwrap_or(BROKER_DEFAULT as i16),
        configs: args
            .set
            .iter()
            .map(|(name, value)| CreatableTopicConfig { name, value: Some(value), ..Default::default() })
            .collect(),
        ..Default::default()
    });
    let request = CreateTopicsRequest { topics: topics.collect(), timeout_ms, validate_only: false };
    let answer = client.ask(Target::Controller, &request)?;
    let response: CreateTopicsResponse<'_> = client.read(&answer)?;
    let mut refused = Vec::new();
    for name in names {
        let result = response.topics.iter().find(|topic| topic.name == *name);
        let code = result.map_or(ErrorCode::UnknownServerError.code(), |result| result.error_code);
        let message = result.and_then(|result| result.error_message);
        let error = answer.check(&format!("topic {name}"), code, message).err();
        if let Some(error) = error.as_ref().filter(|error| error.may_pass() && names.len() == 1) {
            return Err(error.clone());
        }
        refused.push(error);
    }
    Ok(refused)
}

/// The topics as the cluster has them, once every partition has a leader.
fn usable(client: &mut Client, wanted: &[(&str, bool)]) -> Result<Vec<Made>, ClientError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = wanted.iter().map(|(name, _)| *name).collect();
    let map = client.metadata(WantedTopics::Named(&names))?;
    let made = wanted.iter().map(|(name, is_new)| {
        let topic = map.topic(name).filter(|topic| topic.error_code == 0);
        let led = topic.filter(|topic| topic.partitions.iter().all(|partition| partition.leader.is_some()));
        let topic = led.cloned().ok_or_else(|| ClientError::NoBroker {
            what: format!("topic {name} was made, but not every partition has a leader yet"),
        })?;
        Ok(Made { topic, is_new: *is_new })
    });
    made.collect()
}

fn replication_factor(topic: &TopicMap) -> usize {
    topic.partitions.first().map_or(0, |partition| partition.replicas.len())
}

fn json_of(made: &Made) -> Json {
    object([
        ("name", made.topic.name.as_str().into()),
        ("id", made.topic.id.to_string().into()),
        ("partitions", made.topic.partitions.len().into()),
        ("replication_factor", replication_factor(&made.topic).into()),
        ("created", made.is_new.into()),
    ])
}

fn text_of(made: &Made) -> String {
    let what = if made.is_new { "created topic" } else { "there is already a topic" };
    let (count, factor) = (made.topic.partitions.len(), replication_factor(&made.topic));
    let plural = if count == 1 { "" } else { "s" };
    format!("{what} {}: {count} partition{plural}, replication factor {factor}\n", made.topic.name)
}
