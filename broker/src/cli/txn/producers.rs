//! The producers that partitions know, from their leaders.

use std::collections::BTreeMap;

use net::client::{Client, ClientError, Target, TopicMap};
use protocol::messages::describe_producers_request::{DescribeProducersRequest, TopicRequest};
use protocol::messages::describe_producers_response::DescribeProducersResponse;

/// A transaction that is open in a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTransaction {
    pub topic: String,
    pub partition: i32,
    pub leader: i32,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub coordinator_epoch: i32,
    pub start_offset: i64,
    /// When the producer last wrote to the partition, ms since 1970.
    pub last_write_ms: i64,
}

/// The transactions that are open in these partitions. Partitions without a leader are left out.
pub fn open_transactions(
    client: &mut Client,
    topics: &[TopicMap],
    is_wanted: impl Fn(&str, i32) -> bool,
) -> Result<Vec<OpenTransaction>, ClientError> {
    let mut by_leader: BTreeMap<i32, Vec<TopicRequest<'_>>> = BTreeMap::new();
    for topic in topics {
        for partition in topic.partitions.iter().filter(|partition| is_wanted(&topic.name, partition.index)) {
            let Some(leader) = partition.leader else { continue };
            let requests = by_leader.entry(leader).or_default();
            match requests.last_mut().filter(|last| last.name == topic.name) {
                Some(last) => last.partition_indexes.push(partition.index),
                None => requests.push(TopicRequest {
                    name: &topic.name,
                    partition_indexes: vec![partition.index],
                    ..Default::default()
                }),
            }
        }
    }
    let mut found = Vec::new();
    for (leader, topics) in by_leader {
        let answer =
            client.ask(Target::Broker(leader), &DescribeProducersRequest { topics, ..Default::default() })?;
        let response: DescribeProducersResponse<'_> = client.read(&answer)?;
        for topic in &response.topics {
            for partition in &topic.partitions {
                let about = format!("partition {} of {}", partition.partition_index, topic.name);
                answer.check(&about, partition.error_code, partition.error_message)?;
                for it in partition.active_producers.iter().filter(|it| it.current_txn_start_offset >= 0) {
                    found.push(OpenTransaction {
                        topic: topic.name.to_owned(),
                        partition: partition.partition_index,
                        leader,
                        producer_id: it.producer_id,
                        producer_epoch: i16::try_from(it.producer_epoch).unwrap_or(i16::MAX),
                        coordinator_epoch: it.coordinator_epoch,
                        start_offset: it.current_txn_start_offset,
                        last_write_ms: it.last_timestamp,
                    });
                }
            }
        }
    }
    Ok(found)
}
