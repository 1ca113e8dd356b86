//! WriteTxnMarkers (27), versions 1–2: ends producers' transactions in partitions, whatever their coordinators say.
//!
//! For administrators who end a hanging transaction (`kafka-transactions abort`), and for brokers among each other. Per
//! partition: topic and partition known → leader here → the producer's epoch (47) and the coordinator's (52) are not older
//! than what the partition knows (Q52). There is no authorisation yet.
//! - From version 2 (KIP-1228) the version of transactions comes along: from 2 on the marker's epoch must be a new one.
//! - Offsets that the transaction committed count or are dropped, if a partition of `__consumer_offsets` is named.

use protocol::messages::write_txn_markers_request::{WritableTxnMarker, WriteTxnMarkersRequest};
use protocol::messages::write_txn_markers_response::{
    WritableTxnMarkerPartitionResult, WritableTxnMarkerResult, WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
};
use protocol::{ApiKey, ErrorCode};
use storage::{Marker, ProducerEpoch, ProducerId};

use super::Api;
use crate::answer::{Answer, Appended};
use crate::broker::Broker;
use crate::groups;
use crate::groups::ask::{GroupAsk, GroupQuestion};
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::request::Request;
use crate::transactions::coordinator::BUMPS_EPOCH_FROM;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::WriteTxnMarkers, 1..=2, on_write_txn_markers, finish);

fn on_write_txn_markers(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let (mut questions, mut of_groups, mut refused, mut number) = (Vec::new(), Vec::new(), Vec::new(), 0);
    match request.decode::<WriteTxnMarkersRequest<'_>>() {
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
        Ok(asked) => {
            if broker.refuse_too_many(turn, &request, asked.markers.iter().flat_map(places).count()) {
                return;
            }
            for (marker, topic, index) in asked.markers.iter().flat_map(places) {
                let bumps_epoch = i16::from(marker.transaction_version) >= BUMPS_EPOCH_FROM;
                let known =
                    image.topic(topic).and_then(|topic| Some((topic.id, topic.partition(index)?.home)));
                match known {
                    None => refused.push(number),
                    Some((_, home)) if topic == groups::TOPIC => {
                        let ask = GroupAsk::Mark(marker_of(marker), bumps_epoch);
                        let question = GroupQuestion { number, partition: index, group: "".into(), ask };
                        of_groups.push((home, question));
                    }
                    Some((topic_id, home)) => {
                        let partition = PartitionId { topic_id, partition: index };
                        let ask = Ask::Mark(marker_of(marker), bumps_epoch);
                        questions.push((home, Question { number, partition, current_leader_epoch: -1, ask }));
                    }
                }
                number += 1;
            }
        }
    }
    let id = broker.pending.insert(request, number as usize, None);
    if number == 0 {
        return finish(broker, turn, id);
    }
    for number in refused {
        let error = ErrorCode::UnknownTopicOrPartition;
        broker.on_answer(turn, id, number, Answer::Appended(Appended::refused(error, error.text())));
    }
    broker.ask(turn, id, questions);
    broker.ask_groups(turn, id, of_groups);
}

/// All places that a marker is to be written to, in the order of the request.
fn places<'a, 'm>(
    marker: &'m WritableTxnMarker<'a>,
) -> impl Iterator<Item = (&'m WritableTxnMarker<'a>, &'a str, i32)> {
    marker
        .topics
        .iter()
        .flat_map(move |topic| topic.partition_indexes.iter().map(move |&index| (marker, topic.name, index)))
}

fn marker_of(marker: &WritableTxnMarker<'_>) -> Marker {
    Marker {
        producer_id: ProducerId(marker.producer_id),
        producer_epoch: ProducerEpoch(marker.producer_epoch),
        coordinator_epoch: marker.coordinator_epoch.max(0),
        is_commit: marker.transaction_result,
    }
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let errors: Vec<ErrorCode> = pending.take_answers().map(error_of).collect();
    let mut errors = errors.into_iter();
    let request = pending.request;
    let asked: WriteTxnMarkersRequest<'_> = request.decode().expect("the request was decoded before");
    let markers = asked.markers.iter().map(|marker| {
        let topics = marker.topics.iter().map(|topic| {
            let partitions = topic.partition_indexes.iter().map(|&partition_index| {
                let error = errors.next().expect("every partition has an answer");
                WritableTxnMarkerPartitionResult {
                    partition_index,
                    error_code: error.code(),
                    ..Default::default()
                }
            });
            WritableTxnMarkerTopicResult {
                name: topic.name,
                partitions: partitions.collect(),
                ..Default::default()
            }
        });
        WritableTxnMarkerResult {
            producer_id: marker.producer_id,
            topics: topics.collect(),
            ..Default::default()
        }
    });
    let response = WriteTxnMarkersResponse { markers: markers.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn error_of(answer: Answer) -> ErrorCode {
    match answer {
        Answer::Appended(appended) => appended.error,
        Answer::Group(reply) => reply.err().unwrap_or(ErrorCode::None),
        other => unreachable!("a marker was asked for, and answered by {other:?}"),
    }
}
