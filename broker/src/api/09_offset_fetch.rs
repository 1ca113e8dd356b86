//! OffsetFetch (9), versions 1–10: the offsets that groups have committed (Q89).
//!
//! - No commit is offset -1 and no error, in an unknown group as well; metadata comes back as it was given.
//! - From version 2 a null list of topics means all that have an offset; from 8 many groups at once (KIP-709), each with its
//!   own error; from 9 a member of a consumer group says who it is (KIP-848); from 10 topics go by id.
//! - `require_stable` (from 7) asks for no offset that a transaction holds back. There are no transactions, so none is.
//! - Before version 2 an error stands with every partition, from then on with the group.

use std::sync::Arc;

use protocol::messages::offset_fetch_request::{OffsetFetchRequest, OffsetFetchRequestGroup};
use protocol::messages::offset_fetch_response::{
    OffsetFetchResponse, OffsetFetchResponseGroup, OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions, OffsetFetchResponseTopic, OffsetFetchResponseTopics,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_many, take};
use crate::broker::Broker;
use crate::groups::ask::{FetchOffsets, FoundCommit, GroupAnswer, GroupAsk, GroupReply};
use crate::mail::{PendingId, Turn};
use crate::metadata::Image;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::OffsetFetch, 1..=10, on_offset_fetch, finish);

/// The first version with many groups.
const BATCH_FROM: i16 = 8;

/// The first version that names topics by id.
const TOPIC_ID_FROM: i16 = 10;

fn on_offset_fetch(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: OffsetFetchRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let image = broker.image.clone();
    let asks = if request.version >= BATCH_FROM {
        let groups = asked.groups.iter();
        groups
            .map(|group| {
                (group.group_id.into(), Ok(ask_of(&image, group, asked.require_stable, request.version)))
            })
            .collect()
    } else {
        let partitions = asked.topics.as_ref().map(|topics| {
            let partitions = topics.iter().flat_map(|topic| {
                let name: Arc<str> = topic.name.into();
                topic
                    .partition_indexes
                    .iter()
                    .map(move |&partition| (name.clone(), partition, ErrorCode::None))
            });
            partitions.collect()
        });
        let asked_of = FetchOffsets { who: None, is_stable: asked.require_stable, partitions };
        vec![(asked.group_id.into(), Ok(GroupAsk::FetchOffsets(asked_of)))]
    };
    ask_many(broker, turn, request, asks);
}

fn ask_of(image: &Image, group: &OffsetFetchRequestGroup<'_>, is_stable: bool, version: i16) -> GroupAsk {
    // Neither is told by administrators and by members of the classic protocol.
    let is_told = group.member_id.is_some() || group.member_epoch >= 0;
    let who = is_told.then(|| (group.member_id.unwrap_or_default().to_owned(), group.member_epoch));
    let partitions = group.topics.as_ref().map(|topics| {
        let mut partitions = Vec::new();
        for topic in topics {
            let known = if version >= TOPIC_ID_FROM {
                let known = image.topic_by_id(topic.topic_id).map(|topic| topic.name.clone());
                known.ok_or(ErrorCode::UnknownTopicId)
            } else {
                Ok(topic.name.into())
            };
            let error = known.as_ref().err().copied().unwrap_or(ErrorCode::None);
            let name: Arc<str> = known.unwrap_or_else(|_| "".into());
            partitions.extend(topic.partition_indexes.iter().map(|&index| (name.clone(), index, error)));
        }
        partitions
    });
    GroupAsk::FetchOffsets(FetchOffsets { who, is_stable, partitions })
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, replies)) = take(broker, id) else { return };
    let asked: OffsetFetchRequest<'_> = request.decode().expect("the request was decoded before");
    let image = broker.image.clone();
    let found: Vec<Result<Vec<FoundCommit>, ErrorCode>> = replies.into_iter().map(offsets_of).collect();
    if request.version >= BATCH_FROM {
        let groups = asked.groups.iter().zip(&found);
        let groups = groups.map(|(group, found)| group_response(&image, group, found, request.version));
        let response = OffsetFetchResponse { groups: groups.collect(), ..Default::default() };
        return broker.reply(turn, &request, &response);
    }
    let response = single_response(&asked, &found[0], request.version);
    broker.reply(turn, &request, &response);
}

fn offsets_of(reply: GroupReply) -> Result<Vec<FoundCommit>, ErrorCode> {
    match reply {
        Ok(GroupAnswer::Offsets(offsets)) => Ok(offsets),
        Ok(other) => unreachable!("OffsetFetch is not answered by {other:?}"),
        Err(error) => Err(error),
    }
}

/// Offsets that follow each other in one topic belong together.
fn by_topic(found: &[FoundCommit]) -> impl Iterator<Item = &[FoundCommit]> {
    found.chunk_by(|one, other| one.topic == other.topic)
}

fn group_response<'a>(
    image: &Image,
    group: &OffsetFetchRequestGroup<'a>,
    found: &'a Result<Vec<FoundCommit>, ErrorCode>,
    version: i16,
) -> OffsetFetchResponseGroup<'a> {
    let mut response = OffsetFetchResponseGroup { group_id: group.group_id, ..Default::default() };
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            response.error_code = error.code();
            return response;
        }
    };
    match &group.topics {
        Some(topics) => {
            let mut rest = found.iter();
            response.topics.extend(topics.iter().map(|topic| OffsetFetchResponseTopics {
                name: topic.name,
                topic_id: topic.topic_id,
                partitions:
                    rest.by_ref().take(topic.partition_indexes.len()).map(partition_response).collect(),
                ..Default::default()
            }));
        }
        None => {
            for found in by_topic(found) {
                let topic_id = image.topic(&found[0].topic).map(|topic| topic.id);
                if version >= TOPIC_ID_FROM && topic_id.is_none() {
                    // Deleted just now: there is no way to name it.
                    continue;
                }
                response.topics.push(OffsetFetchResponseTopics {
                    name: &found[0].topic,
                    topic_id: topic_id.unwrap_or_default(),
                    partitions: found.iter().map(partition_response).collect(),
                    ..Default::default()
                });
            }
        }
    }
    response
}

fn partition_response(found: &FoundCommit) -> OffsetFetchResponsePartitions<'_> {
    OffsetFetchResponsePartitions {
        partition_index: found.partition,
        committed_offset: found.offset,
        committed_leader_epoch: found.leader_epoch,
        metadata: Some(&found.metadata),
        error_code: found.error.code(),
        ..Default::default()
    }
}

fn single_response<'a>(
    asked: &OffsetFetchRequest<'a>,
    found: &'a Result<Vec<FoundCommit>, ErrorCode>,
    version: i16,
) -> OffsetFetchResponse<'a> {
    let mut response = OffsetFetchResponse::default();
    let one = |found: &'a FoundCommit| OffsetFetchResponsePartition {
        partition_index: found.partition,
        committed_offset: found.offset,
        committed_leader_epoch: found.leader_epoch,
        metadata: Some(&found.metadata),
        error_code: found.error.code(),
        ..Default::default()
    };
    match (found, &asked.topics) {
        (Ok(found), Some(topics)) => {
            let mut rest = found.iter();
            response.topics.extend(topics.iter().map(|topic| OffsetFetchResponseTopic {
                name: topic.name,
                partitions: rest.by_ref().take(topic.partition_indexes.len()).map(one).collect(),
                ..Default::default()
            }));
        }
        (Ok(found), None) => {
            response.topics.extend(by_topic(found).map(|found| OffsetFetchResponseTopic {
                name: &found[0].topic,
                partitions: found.iter().map(one).collect(),
                ..Default::default()
            }));
        }
        (Err(error), topics) => {
            response.error_code = error.code();
            let topics = topics.iter().flatten().filter(|_| version < 2);
            response.topics.extend(topics.map(|topic| OffsetFetchResponseTopic {
                name: topic.name,
                partitions: refused(&topic.partition_indexes, *error),
                ..Default::default()
            }));
        }
    }
    response
}

fn refused(partitions: &[i32], error: ErrorCode) -> Vec<OffsetFetchResponsePartition<'static>> {
    let one = |&partition_index: &i32| OffsetFetchResponsePartition {
        partition_index,
        committed_offset: -1,
        committed_leader_epoch: -1,
        metadata: Some(""),
        error_code: error.code(),
        ..Default::default()
    };
    partitions.iter().map(one).collect()
}
