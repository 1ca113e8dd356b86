//! `ringlog topic list`: names, partitions and replicas.

use clap::Args;
use net::client::{TopicMap, WantedTopics};

use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::{Json, list, object};
use crate::cli::table::Table;

/// What `ringlog topic list` takes.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Show the cluster's own topics too
    #[arg(long)]
    internal: bool,
}

/// Does what was asked.
pub fn run(args: &ListArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let map = client.until_done(|client| client.metadata(WantedTopics::All))?;
    let topics: Vec<&TopicMap> =
        map.topics.iter().filter(|topic| args.internal || !topic.is_internal).collect();
    let json = || object([("topics", list(&topics, |topic| json_of(topic)))]);
    cluster.print(json, || text_of(&topics))
}

fn replication_factor(topic: &TopicMap) -> usize {
    topic.partitions.first().map_or(0, |partition| partition.replicas.len())
}

fn json_of(topic: &TopicMap) -> Json {
    object([
        ("name", topic.name.as_str().into()),
        ("id", topic.id.to_string().into()),
        ("internal", topic.is_internal.into()),
        ("partitions", topic.partitions.len().into()),
        ("replication_factor", replication_factor(topic).into()),
    ])
}

fn text_of(topics: &[&TopicMap]) -> String {
    if topics.is_empty() {
        return "there are no topics\n".to_owned();
    }
    let mut table = Table::new(&["TOPIC", "PARTITIONS", "REPLICATION"]);
    for topic in topics {
        let (count, factor) = (topic.partitions.len(), replication_factor(topic));
        table.push([topic.name.clone(), count.to_string(), factor.to_string()]);
    }
    table.text("")
}
