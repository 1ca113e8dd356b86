//! `ringlog topic describe`: partitions with leaders and offsets, sizes on disk, and the settings that are not the default.

use std::collections::HashMap;

use clap::Args;
use net::client::{Client, ClientError, PartitionMap, Target, TopicMap, WantedTopics};
use protocol::ErrorCode;
use protocol::messages::describe_log_dirs_request::{DescribableLogDirTopic, DescribeLogDirsRequest};
use protocol::messages::describe_log_dirs_response::DescribeLogDirsResponse;

use super::{distinct, find_topics};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::{Json, list, object};
use crate::cli::offsets::{Answers, EARLIEST, Isolation, LATEST, Want, look_up};
use crate::cli::settings::{Kind, Setting, Source, settings_of};
use crate::cli::table::{Table, numbers, or_dash, size_text};

/// What `ringlog topic describe` takes.
#[derive(Debug, Args)]
pub struct DescribeArgs {
    /// Topics to describe [default: all but the cluster's own]
    #[arg(value_name = "TOPIC")]
    names: Vec<String>,
}

/// A topic with all that is known about it.
struct Description {
    topic: TopicMap,
    partitions: Vec<PartitionState>,
    /// On all brokers; `None` where they do not say.
    size_bytes: Option<i64>,
    settings: Vec<Setting>,
}

struct PartitionState {
    map: PartitionMap,
    start: Option<i64>,
    end: Option<i64>,
    /// At its leader.
    size_bytes: Option<i64>,
}

impl PartitionState {
    /// Offsets between start and end: compaction and markers make the records fewer.
    fn records(&self) -> Option<i64> {
        Some(self.end? - self.start?)
    }
}

/// Does what was asked.
pub fn run(args: &DescribeArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let names = distinct(&args.names);
    let topics: Vec<TopicMap> = match names.is_empty() {
        true => {
            let map = client.until_done(|client| client.metadata(WantedTopics::All))?;
            map.topics.into_iter().filter(|topic| !topic.is_internal).collect()
        }
        false => find_topics(&mut client, &names)?,
    };
    let descriptions = client.until_done(|client| describe(client, &topics))?;
    let json = || object([("topics", list(&descriptions, json_of))]);
    cluster.print(json, || descriptions.iter().map(text_of).collect::<Vec<_>>().join("\n"))
}

fn describe(client: &mut Client, topics: &[TopicMap]) -> Result<Vec<Description>, ClientError> {
    let starts = offsets(client, topics, EARLIEST)?;
    let ends = offsets(client, topics, LATEST)?;
    let sizes = sizes(client, topics)?;
    let names: Vec<(Kind, &str)> = topics.iter().map(|topic| (Kind::Topic, topic.name.as_str())).collect();
    let mut settings = settings_of(client, &names, false)?.into_iter();
    let mut offsets = starts.into_iter().zip(ends);
    let mut descriptions = Vec::new();
    for topic in topics {
        let of_topic = |index, broker| sizes.as_ref()?.get(&(topic.name.as_str(), index, broker)).copied();
        let mut states = Vec::new();
        for partition in &topic.partitions {
            let (start, end) = offsets.next().expect("every partition has its answer");
            states.push(PartitionState {
                start: start.ok().and_then(|found| found.offset),
                end: end.ok().and_then(|found| found.offset),
                size_bytes: partition.leader.and_then(|leader| of_topic(partition.index, leader)),
                map: partition.clone(),
            });
        }
        let replicas = topic.partitions.iter().flat_map(|partition| {
            partition.replicas.iter().filter_map(move |broker| of_topic(partition.index, *broker))
        });
        let size_bytes = sizes.as_ref().map(|_| replicas.sum());
        let settings = settings.next().unwrap_or_default();
        let settings = settings.into_iter().filter(|setting| setting.source == Source::Topic).collect();
        descriptions.push(Description { topic: topic.clone(), partitions: states, size_bytes, settings });
    }
    Ok(descriptions)
}

fn offsets(client: &mut Client, topics: &[TopicMap], timestamp: i64) -> Result<Answers, ClientError> {
    let want = |topic: &TopicMap, partition: &PartitionMap| Want {
        topic: topic.name.clone(),
        partition: partition.index,
        timestamp,
    };
    let wants: Vec<Want> =
        topics.iter().flat_map(|topic| topic.partitions.iter().map(move |it| want(topic, it))).collect();
    look_up(client, &wants, Isolation::ReadUncommitted)
}

/// Bytes by topic, partition and broker; `None` where brokers do not tell.
type Sizes<'a> = HashMap<(&'a str, i32, i32), i64>;

fn sizes<'a>(client: &mut Client, topics: &'a [TopicMap]) -> Result<Option<Sizes<'a>>, ClientError> {
    let mut sizes = Sizes::new();
    let brokers: Vec<i32> = client.map().brokers.iter().map(|broker| broker.id).collect();
    for broker in brokers {
        let here: Vec<DescribableLogDirTopic<'_>> = topics
            .iter()
            .map(|topic| DescribableLogDirTopic {
                topic: &topic.name,
                partitions: topic.partitions.iter().map(|partition| partition.index).collect(),
                ..Default::default()
            })
            .collect();
        let request = DescribeLogDirsRequest { topics: Some(here), ..Default::default() };
        let answer = match client.ask(Target::Broker(broker), &request) {
            Err(ClientError::Session { .. }) => return Ok(None),
            answer => answer?,
        };
        let response: DescribeLogDirsResponse<'_> = client.read(&answer)?;
        if response.error_code == ErrorCode::ClusterAuthorizationFailed.code() {
            return Ok(None);
        }
        let live = response.results.iter().filter(|dir| dir.error_code == 0);
        for found in live.flat_map(|dir| &dir.topics) {
            let Some(topic) = topics.iter().find(|topic| topic.name == found.name) else { continue };
            for partition in found.partitions.iter().filter(|partition| !partition.is_future_key) {
                sizes.insert((&topic.name, partition.partition_index, broker), partition.partition_size);
            }
        }
    }
    Ok(Some(sizes))
}

fn json_of(it: &Description) -> Json {
    let setting = |setting: &Setting| (setting.name.clone(), setting.value.clone().into());
    let partition = |it: &PartitionState| {
        object([
            ("partition", it.map.index.into()),
            ("leader", it.map.leader.into()),
            ("leader_epoch", it.map.leader_epoch.into()),
            ("replicas", it.map.replicas[..].into()),
            ("isr", it.map.isr[..].into()),
            ("start_offset", it.start.into()),
            ("end_offset", it.end.into()),
            ("records", it.records().into()),
            ("size_bytes", it.size_bytes.into()),
        ])
    };
    object([
        ("name", it.topic.name.as_str().into()),
        ("id", it.topic.id.to_string().into()),
        ("internal", it.topic.is_internal.into()),
        ("records", records_of(it).into()),
        ("size_bytes", it.size_bytes.into()),
        ("settings", Json::Object(it.settings.iter().map(setting).collect())),
        ("partitions", list(&it.partitions, partition)),
    ])
}

/// Of all partitions; `None` if one does not say.
fn records_of(it: &Description) -> Option<i64> {
    it.partitions.iter().map(PartitionState::records).sum()
}

fn text_of(it: &Description) -> String {
    let setting = |setting: &Setting| format!("{}={}", setting.name, or_dash(setting.value.as_deref()));
    let settings: Vec<String> = it.settings.iter().map(setting).collect();
    let mut table =
        Table::new(&["PARTITION", "LEADER", "REPLICAS", "ISR", "START", "END", "RECORDS", "SIZE"]);
    for partition in &it.partitions {
        table.push([
            partition.map.index.to_string(),
            partition.map.leader.map_or("none".to_owned(), |leader| leader.to_string()),
            numbers(&partition.map.replicas),
            numbers(&partition.map.isr),
            or_dash(partition.start),
            or_dash(partition.end),
            or_dash(partition.records()),
            or_dash(partition.size_bytes.map(size_text)),
        ]);
    }
    format!(
        "topic {}\n  id            {}\n  records       {}\n  size on disk  {}\n  settings      {}\n\n{}",
        it.topic.name,
        it.topic.id,
        or_dash(records_of(it)),
        or_dash(it.size_bytes.map(size_text)),
        if settings.is_empty() { "all as the broker has them".to_owned() } else { settings.join(" ") },
        table.text("  ")
    )
}
