//! `ringlog topic delete-records`: moves the start of a topic's logs up to an offset or a time.

use std::collections::BTreeMap;

use clap::Args;
use net::client::{Client, ClientError, Target, TopicMap};
use protocol::messages::delete_records_request::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic,
};
use protocol::messages::delete_records_response::DeleteRecordsResponse;

use super::find_topics;
use crate::cli::cluster_args::{ClusterArgs, confirm};
use crate::cli::failure::Failure;
use crate::cli::json::{list, object};
use crate::cli::offsets::{Isolation, LATEST, Want, look_up_all};
use crate::cli::position::Position;
use crate::cli::table::Table;

/// Asks for the high watermark.
const TO_HIGH_WATERMARK: i64 = -1;

/// What `ringlog topic delete-records` takes.
#[derive(Debug, Args)]
pub struct DeleteRecordsArgs {
    /// The topic
    #[arg(value_name = "TOPIC")]
    name: String,
    /// Delete what lies before: latest, offset:N, or a time
    #[arg(long, value_name = "latest|offset:N|TIME", allow_hyphen_values = true, value_parser = Position::parse_end)]
    before: Position,
    /// Only this partition; may be repeated
    #[arg(long, short, value_name = "N")]
    partition: Vec<i32>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Does what was asked.
pub fn run(args: &DeleteRecordsArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let topic = find_topics(&mut client, &[&args.name])?.remove(0);
    if let Some(missing) = args.partition.iter().find(|index| topic.partition(**index).is_none()) {
        return Err(Failure::Refused(format!("topic {} has no partition {missing}", args.name)));
    }
    if !args.yes {
        confirm(&format!("Deleting records of {} for good", args.name))?;
    }
    let is_meant = |index: &i32| args.partition.is_empty() || args.partition.contains(index);
    let indexes: Vec<i32> =
        topic.partitions.iter().map(|partition| partition.index).filter(is_meant).collect();
    let offsets = client.until_done(|client| targets(client, args, &indexes))?;
    let plan: Vec<(i32, i64)> = indexes.into_iter().zip(offsets).collect();
    let starts = client.until_done(|client| {
        let topic = find_topics(client, &[&args.name])?.remove(0);
        delete(client, &topic, &plan, cluster.timeout_ms())
    })?;
    let partition = |(index, start): (&i32, &i64)| {
        object([("partition", (*index).into()), ("start_offset", (*start).into())])
    };
    let json = || object([("topic", args.name.as_str().into()), ("partitions", list(&starts, partition))]);
    cluster.print(json, || {
        let mut table = Table::new(&["TOPIC", "PARTITION", "START"]);
        for (index, start) in &starts {
            table.push([args.name.clone(), index.to_string(), start.to_string()]);
        }
        table.text("")
    })
}

/// Before which offset each partition loses its records.
fn targets(client: &mut Client, args: &DeleteRecordsArgs, indexes: &[i32]) -> Result<Vec<i64>, ClientError> {
    let timestamp = match args.before {
        Position::Offset(offset) => return Ok(vec![offset; indexes.len()]),
        Position::Earliest | Position::Latest => return Ok(vec![TO_HIGH_WATERMARK; indexes.len()]),
        Position::Time(timestamp) => timestamp,
    };
    let wants = |timestamp| -> Vec<Want> {
        let want = |index: &i32| Want { topic: args.name.clone(), partition: *index, timestamp };
        indexes.iter().map(want).collect()
    };
    let found = look_up_all(client, &wants(timestamp), Isolation::ReadUncommitted)?;
    let ends = look_up_all(client, &wants(LATEST), Isolation::ReadUncommitted)?;
    // All of a log is older than a time that no record has reached.
    Ok(found
        .iter()
        .zip(ends)
        .map(|(found, end)| found.offset.or(end.offset).unwrap_or(TO_HIGH_WATERMARK))
        .collect())
}

fn delete(
    client: &mut Client,
    topic: &TopicMap,
    plan: &[(i32, i64)],
    timeout_ms: i32,
) -> Result<BTreeMap<i32, i64>, ClientError> {
    let mut by_leader: BTreeMap<i32, Vec<DeleteRecordsPartition>> = BTreeMap::new();
    for (index, offset) in plan {
        let leader = topic.partition(*index).and_then(|partition| partition.leader);
        let leader = leader.ok_or_else(|| ClientError::NoBroker {
            what: format!("partition {index} of topic {} has no leader at the moment", topic.name),
        })?;
        let partition =
            DeleteRecordsPartition { partition_index: *index, offset: *offset, ..Default::default() };
        by_leader.entry(leader).or_default().push(partition);
    }
    let mut starts = BTreeMap::new();
    for (leader, partitions) in by_leader {
        let topics = vec![DeleteRecordsTopic { name: &topic.name, partitions, ..Default::default() }];
        let answer = client.ask(Target::Broker(leader), &DeleteRecordsRequest { topics, timeout_ms })?;
        let response: DeleteRecordsResponse<'_> = client.read(&answer)?;
        for partition in response.topics.iter().flat_map(|topic| &topic.partitions) {
            let about = format!("partition {} of topic {}", partition.partition_index, topic.name);
            answer.check(&about, partition.error_code, None)?;
            starts.insert(partition.partition_index, partition.low_watermark);
        }
    }
    Ok(starts)
}
