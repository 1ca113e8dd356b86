//! OffsetCommit (8), versions 2–10: a group's offsets, kept with the group.
//!
//! Order of checks: per partition: topic and partition known (by id from 10) → the group and the member (Q88; one error for
//! all partitions) → length of the metadata. The answer has all partitions in the order of the request (C9).
//! - `retention_time_ms` (to version 4) makes the offsets expire after that time whatever the settings say.
//! - From 6 the leader epoch (KIP-320, C59), from 7 static members (KIP-345), from 9 member epochs of consumer groups
//!   (KIP-848), from 10 topic ids.

use std::sync::Arc;

use protocol::messages::offset_commit_request::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use protocol::messages::offset_commit_response::{
    OffsetCommitResponse, OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_one, check_partition, take_one};
use crate::broker::Broker;
use crate::groups::ask::{Commit, CommitOffset, GroupAnswer, GroupAsk, Membership};
use crate::mail::{PendingId, Turn};
use crate::metadata::{Image, Topic};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::OffsetCommit, 2..=10, on_offset_commit, finish);

/// The first version that names topics by id.
const TOPIC_ID_FROM: i16 = 10;

fn on_offset_commit(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: OffsetCommitRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let image = broker.image.clone();
    let mut offsets = Vec::new();
    for topic in &asked.topics {
        let known = find_topic(&image, topic, request.version);
        let name: Arc<str> = known.map_or_else(|_| topic.name.into(), |known| known.name.clone());
        offsets.extend(topic.partitions.iter().map(|one| offset(&image, &name, known, one)));
    }
    let expire_ms = match asked.retention_time_ms {
        kept_ms if kept_ms >= 0 && request.version <= 4 => turn.wall_ms.0.saturating_add(kept_ms),
        _ => -1,
    };
    let who = Membership {
        member: asked.member_id.to_owned(),
        generation: asked.generation_id_or_member_epoch,
        instance: asked.group_instance_id.map(str::to_owned),
    };
    let commit = Commit { who, version: request.version, expire_ms, offsets };
    let group = asked.group_id.to_owned();
    ask_one(broker, turn, request, &group, GroupAsk::Commit(commit));
}

fn find_topic<'a>(
    image: &'a Image,
    topic: &OffsetCommitRequestTopic<'_>,
    version: i16,
) -> Result<&'a Arc<Topic>, ErrorCode> {
    if version >= TOPIC_ID_FROM {
        image.topic_by_id(topic.topic_id).ok_or(ErrorCode::UnknownTopicId)
    } else {
        image.topic(topic.name).ok_or(ErrorCode::UnknownTopicOrPartition)
    }
}

fn offset(
    image: &Image,
    name: &Arc<str>,
    known: Result<&Arc<Topic>, ErrorCode>,
    asked: &OffsetCommitRequestPartition<'_>,
) -> CommitOffset {
    let checked = known.and_then(|_| check_partition(image, name, asked.partition_index));
    CommitOffset {
        topic: name.clone(),
        topic_id: known.map_or(protocol::Uuid::ZERO, |known| known.id),
        partition: asked.partition_index,
        offset: asked.committed_offset,
        leader_epoch: asked.committed_leader_epoch,
        metadata: asked.committed_metadata.unwrap_or_default().to_owned(),
        error: checked.err().unwrap_or(ErrorCode::None),
    }
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let asked: OffsetCommitRequest<'_> = request.decode().expect("the request was decoded before");
    let count = asked.topics.iter().map(|topic| topic.partitions.len()).sum();
    let errors = match reply {
        Ok(GroupAnswer::PerPartition(errors)) => errors,
        Ok(other) => unreachable!("OffsetCommit is not answered by {other:?}"),
        Err(error) => vec![error; count],
    };
    assert_eq!(errors.len(), count, "every partition has an answer");
    let mut errors = errors.into_iter();
    let topics = asked.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().zip(errors.by_ref());
        let partitions = partitions.map(|(partition, error)| OffsetCommitResponsePartition {
            partition_index: partition.partition_index,
            error_code: error.code(),
            ..Default::default()
        });
        OffsetCommitResponseTopic {
            name: topic.name,
            topic_id: topic.topic_id,
            partitions: partitions.collect(),
            ..Default::default()
        }
    });
    let response = OffsetCommitResponse { topics: topics.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
