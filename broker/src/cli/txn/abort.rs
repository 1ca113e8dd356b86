//! `ringlog txn abort`: writes the marker that is missing in a partition.

use clap::Args;
use net::client::{Client, ClientError, Target};
use protocol::messages::write_txn_markers_request::{
    WritableTxnMarker, WritableTxnMarkerTopic, WriteTxnMarkersRequest,
};
use protocol::messages::write_txn_markers_response::WriteTxnMarkersResponse;

use super::list::listed;
use super::producers::{OpenTransaction, open_transactions};
use crate::cli::cluster_args::{ClusterArgs, confirm};
use crate::cli::failure::Failure;
use crate::cli::json::object;
use crate::cli::topic::find_topics;
use crate::cli::when::{duration_text, now_ms};

/// What `ringlog txn abort` takes.
#[derive(Debug, Args)]
pub struct AbortArgs {
    /// The topic
    #[arg(value_name = "TOPIC")]
    topic: String,
    /// The partition
    #[arg(value_name = "PARTITION")]
    partition: i32,
    /// The transaction's first offset there, as find-hanging shows it
    #[arg(long, value_name = "OFFSET")]
    start_offset: i64,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Does what was asked.
pub fn run(args: &AbortArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let open = find(&mut client, args)?;
    let known = client.until_done(|client| listed(client, &["Ongoing"], &[open.producer_id], None))?;
    let warning = match known.first() {
        Some(it) => format!(" (its coordinator has {} open and may still commit it)", it.transactional_id),
        None => String::new(),
    };
    if !args.yes {
        let quiet = duration_text((now_ms() - open.last_write_ms).max(0));
        confirm(&format!(
            "Aborting the transaction of producer {} at offset {} of partition {} of {}, quiet for {quiet}{warning}",
            open.producer_id, open.start_offset, open.partition, open.topic
        ))?;
    }
    client.until_done(|client| write_marker(client, &open))?;
    let json = || {
        object([
            ("topic", open.topic.as_str().into()),
            ("partition", open.partition.into()),
            ("start_offset", open.start_offset.into()),
            ("producer_id", open.producer_id.into()),
            ("producer_epoch", open.producer_epoch.into()),
            ("aborted", true.into()),
        ])
    };
    cluster.print(json, || {
        format!(
            "aborted the transaction of producer {} at offset {} of partition {} of {}\n",
            open.producer_id, open.start_offset, open.partition, open.topic
        )
    })
}

fn find(client: &mut Client, args: &AbortArgs) -> Result<OpenTransaction, Failure> {
    let topics = find_topics(client, &[&args.topic])?;
    if topics.first().is_some_and(|topic| topic.partition(args.partition).is_none()) {
        return Err(Failure::Refused(format!("topic {} has no partition {}", args.topic, args.partition)));
    }
    let open = client.until_done(|client| {
        open_transactions(client, &topics, |_, partition| partition == args.partition)
    })?;
    let starts: Vec<String> = open.iter().map(|it| it.start_offset.to_string()).collect();
    let found = open.into_iter().find(|it| it.start_offset == args.start_offset);
    found.ok_or_else(|| {
        let others = match starts.is_empty() {
            true => "none is open there".to_owned(),
            false => format!("open ones begin at {}", starts.join(", ")),
        };
        Failure::Refused(format!(
            "no transaction begins at offset {} of partition {} of {}: {others}",
            args.start_offset, args.partition, args.topic
        ))
    })
}

fn write_marker(client: &mut Client, open: &OpenTransaction) -> Result<(), ClientError> {
    let topic = WritableTxnMarkerTopic {
        name: &open.topic,
        partition_indexes: vec![open.partition],
        ..Default::default()
    };
    let marker = WritableTxnMarker {
        producer_id: open.producer_id,
        producer_epoch: open.producer_epoch,
        transaction_result: false,
        topics: vec![topic],
        // A partition where no marker was ever written has no epoch yet; any coordinator's is new to it.
        coordinator_epoch: open.coordinator_epoch.max(0),
        ..Default::default()
    };
    let request = WriteTxnMarkersRequest { markers: vec![marker], ..Default::default() };
    let answer = client.ask(Target::Broker(open.leader), &request)?;
    let response: WriteTxnMarkersResponse<'_> = client.read(&answer)?;
    for topic in response.markers.iter().flat_map(|marker| &marker.topics) {
        for partition in &topic.partitions {
            let about = format!("partition {} of {}", partition.partition_index, topic.name);
            answer.check(&about, partition.error_code, None)?;
        }
    }
    Ok(())
}
