//! DescribeTopicPartitions (75), version 0: topics with their partitions, page by page (KIP-966).
//!
//! - Topics come in the order of their names; no topics asked for means all.
//! - A page has at most `response_partition_limit` partitions, and never more than 2,000; the cursor says where the next
//!   begins.
//! - Unknown and illegal names are answered in place, and count for nothing.

use std::collections::BTreeSet;

use protocol::messages::describe_topic_partitions_request::DescribeTopicPartitionsRequest;
use protocol::messages::describe_topic_partitions_response::{
    Cursor, DescribeTopicPartitionsResponse, DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
};
use protocol::{ApiKey, ErrorCode, Uuid};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::partition_state::NO_LEADER;
use crate::metadata::{Image, Topic};
use crate::request::Request;
use crate::topic_name;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::DescribeTopicPartitions, 0..=0, on_describe_topic_partitions);

/// Partitions on a page, as in Kafka (`max.request.partition.size.limit`).
const PARTITIONS_MAX: usize = 2000;

fn on_describe_topic_partitions(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: DescribeTopicPartitionsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let response = page(&image, &asked);
    broker.reply(turn, &request, &response);
}

fn page<'a>(
    image: &'a Image,
    asked: &DescribeTopicPartitionsRequest<'a>,
) -> DescribeTopicPartitionsResponse<'a> {
    let (from, mut first) =
        asked.cursor.as_ref().map_or(("", 0), |cursor| (cursor.topic_name, cursor.partition_index));
    let mut response = DescribeTopicPartitionsResponse::default();
    let mut left = usize::try_from(asked.response_partition_limit).unwrap_or(0).clamp(1, PARTITIONS_MAX);
    let names: BTreeSet<&str> = if asked.topics.is_empty() {
        image.topics_from(from).map(|topic| &*topic.name).collect()
    } else {
        asked.topics.iter().map(|topic| topic.name).filter(|name| *name >= from).collect()
    };
    for name in names {
        let start = if name == from { std::mem::take(&mut first) } else { 0 };
        let Some(topic) = image.topic(name) else {
            response.topics.push(unknown(name));
            continue;
        };
        let start = usize::try_from(start).unwrap_or(0).min(topic.partitions.len());
        if left == 0 {
            response.next_cursor =
                Some(Cursor { topic_name: name, partition_index: start as i32, ..Default::default() });
            break;
        }
        let end = (start + left).min(topic.partitions.len());
        left -= end - start;
        response.topics.push(describe(image, topic, start..end));
        if end < topic.partitions.len() {
            response.next_cursor =
                Some(Cursor { topic_name: name, partition_index: end as i32, ..Default::default() });
            break;
        }
    }
    response
}

fn unknown(name: &str) -> DescribeTopicPartitionsResponseTopic<'_> {
    let error = match topic_name::check(name) {
        Ok(()) => ErrorCode::UnknownTopicOrPartition,
        Err(_) => ErrorCode::InvalidTopicException,
    };
    DescribeTopicPartitionsResponseTopic {
        error_code: error.code(),
        name: Some(name),
        topic_id: Uuid::ZERO,
        ..Default::default()
    }
}

fn describe<'a>(
    image: &Image,
    topic: &'a Topic,
    range: std::ops::Range<usize>,
) -> DescribeTopicPartitionsResponseTopic<'a> {
    let partitions = range.map(|index| {
        let state = &topic.partitions[index].state;
        let error = if state.leader == NO_LEADER { ErrorCode::LeaderNotAvailable } else { ErrorCode::None };
        DescribeTopicPartitionsResponsePartition {
            error_code: error.code(),
            partition_index: index as i32,
            leader_id: state.leader,
            leader_epoch: state.leader_epoch,
            replica_nodes: state.replicas.to_vec(),
            isr_nodes: state.isr.to_vec(),
            offline_replicas: image.offline_of(state),
            eligible_leader_replicas: Some(Vec::new()),
            last_known_elr: Some(Vec::new()),
            ..Default::default()
        }
    });
    DescribeTopicPartitionsResponseTopic {
        name: Some(&topic.name),
        topic_id: topic.id,
        is_internal: topic_name::is_internal(&topic.name),
        partitions: partitions.collect(),
        ..Default::default()
    }
}
