//! OffsetDelete (47), version 0: offsets of a group go (KIP-496).
//!
//! Order of checks: group known, and without members unless they are consumers → per partition: topic and partition known →
//! not read by a member (GROUP_SUBSCRIBED_TO_TOPIC, Q92). An offset that was never committed is deleted with success.

use protocol::messages::offset_delete_request::OffsetDeleteRequest;
use protocol::messages::offset_delete_response::{
    OffsetDeleteResponse, OffsetDeleteResponsePartition, OffsetDeleteResponseTopic,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_many, check_name, check_partition, take_one};
use crate::broker::Broker;
use crate::groups::ask::{GroupAnswer, GroupAsk};
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::OffsetDelete, 0..=0, on_offset_delete, finish);

fn on_offset_delete(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: OffsetDeleteRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let image = broker.image.clone();
    let partitions = asked
        .topics
        .iter()
        .flat_map(|topic| topic.partitions.iter().map(|partition| (topic.name, partition.partition_index)));
    let checked = partitions.map(|(topic, partition)| {
        (topic.into(), partition, check_partition(&image, topic, partition).err().unwrap_or(ErrorCode::None))
    });
    let ask = GroupAsk::DeleteOffsets(checked.collect());
    let (group, ask) = (asked.group_id.into(), check_name(asked.group_id).map(|()| ask));
    ask_many(broker, turn, request, vec![(group, ask)]);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let asked: OffsetDeleteRequest<'_> = request.decode().expect("the request was decoded before");
    let errors = match reply {
        Ok(GroupAnswer::PerPartition(errors)) => errors,
        Ok(other) => unreachable!("OffsetDelete is not answered by {other:?}"),
        Err(error) => {
            let error_code = error.code();
            return broker.reply(turn, &request, &OffsetDeleteResponse { error_code, ..Default::default() });
        }
    };
    let mut errors = errors.into_iter();
    let topics = asked.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().zip(errors.by_ref());
        let partitions = partitions.map(|(partition, error)| OffsetDeleteResponsePartition {
            partition_index: partition.partition_index,
            error_code: error.code(),
            ..Default::default()
        });
        OffsetDeleteResponseTopic { name: topic.name, partitions: partitions.collect(), ..Default::default() }
    });
    let response = OffsetDeleteResponse { topics: topics.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
