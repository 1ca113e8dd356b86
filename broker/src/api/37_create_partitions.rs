//! CreatePartitions (37), versions 0–3: gives topics more partitions; each succeeds or fails alone.
//!
//! Order of checks, per topic: named once → there → more partitions than now, within bounds → assignment, if any: one entry
//! for each new partition, naming one broker that is alive. Every topic of the request is answered (Q102). `validate_only` makes
//! nothing. The answer comes when every core has the new partitions open (C65).

use std::collections::HashSet;

use protocol::messages::create_partitions_request::{CreatePartitionsRequest, CreatePartitionsTopic};
use protocol::messages::create_partitions_response::{CreatePartitionsResponse, CreatePartitionsTopicResult};
use protocol::{ApiKey, ErrorCode, encode_response};

use super::Api;
use super::create_topics::PARTITIONS_MAX;
use crate::broker::Broker;
use crate::groups;
use crate::mail::Turn;
use crate::metadata::controller::Committed;
use crate::metadata::record::Record;
use crate::metadata::replica_placement::{candidates, place_new};
use crate::metadata::{Image, PartitionState};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::CreatePartitions, 0..=3, on_create_partitions);

/// Why a topic gets no partitions.
struct Refusal(ErrorCode, String);

fn on_create_partitions(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: CreatePartitionsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let (mut seen, mut twice) = (HashSet::new(), HashSet::new());
    twice.extend(asked.topics.iter().map(|topic| topic.name).filter(|name| !seen.insert(*name)));
    // A topic that is named more than once is answered once, and does not grow.
    let topics: Vec<_> = asked.topics.iter().filter(|topic| seen.remove(topic.name)).collect();
    let (mut records, mut refusals) = (Vec::new(), Vec::new());
    for topic in &topics {
        let planned = if twice.contains(topic.name) {
            Err(Refusal(ErrorCode::InvalidRequest, "the request names this topic more than once".to_owned()))
        } else {
            plan_growth(&image, topic, PARTITIONS_MAX - records.len() as i32)
        };
        match planned {
            Ok(growth) => {
                refusals.push(None);
                records.extend(growth);
            }
            Err(refusal) => refusals.push(Some(refusal)),
        }
    }
    let encode = |on_success: ErrorCode| {
        let results = topics.iter().zip(&refusals).map(|(topic, refusal)| CreatePartitionsTopicResult {
            name: topic.name,
            error_code: refusal.as_ref().map_or(on_success, |Refusal(error, _)| *error).code(),
            error_message: refusal.as_ref().map(|Refusal(_, why)| why.as_str()),
            ..Default::default()
        });
        let response = CreatePartitionsResponse { results: results.collect(), ..Default::default() };
        encode_response(request.key, request.version, request.correlation_id, &response)
    };
    let (reply, failure) = (encode(ErrorCode::None), encode(ErrorCode::KafkaStorageError));
    let not_controller = encode(ErrorCode::NotController);
    refusals.iter().flatten().for_each(|Refusal(error, _)| broker.note_error(request.key, error.code()));
    if records.is_empty() || asked.validate_only {
        return broker.reply_frame(turn, &request, reply);
    }
    drop(topics);
    drop(asked);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}

/// Decides which partitions a topic gets; touches nothing.
fn plan_growth(
    image: &Image,
    asked: &CreatePartitionsTopic<'_>,
    count_max: i32,
) -> Result<Vec<Record>, Refusal> {
    let Some(topic) = image.topic(asked.name) else {
        let error = ErrorCode::UnknownTopicOrPartition;
        return Err(Refusal(error, error.text().to_owned()));
    };
    if asked.name == groups::TOPIC {
        let why =
            "which partition has a group follows from their number, which is fixed when the topic is made";
        return Err(Refusal(ErrorCode::InvalidPartitions, why.to_owned()));
    }
    let before = topic.partitions.len() as i32;
    if asked.count <= before || asked.count - before > count_max {
        let why = format!(
            "the topic has {before} partitions: one request adds 1 to {PARTITIONS_MAX}, and {} are asked for",
            asked.count
        );
        return Err(Refusal(ErrorCode::InvalidPartitions, why));
    }
    let added = asked.count - before;
    let states = match &asked.assignments {
        Some(assignments) => {
            let only = |replicas: &[i32]| match replicas {
                [broker] => candidates(image).find(|id| id == broker).map(PartitionState::of_one),
                _ => None,
            };
            let states: Option<Vec<_>> = assignments.iter().map(|one| only(&one.broker_ids)).collect();
            states.filter(|states| states.len() as i32 == added).ok_or_else(|| {
                let why =
                    format!("the assignment must have {added} entries, each naming one broker that is alive");
                Refusal(ErrorCode::InvalidReplicaAssignment, why)
            })?
        }
        None => place_new(image, topic.id, before, added).ok_or_else(|| {
            let why = "no broker is alive that could take partitions: try again when one is";
            Refusal(ErrorCode::InvalidReplicationFactor, why.to_owned())
        })?,
    };
    let records = states.into_iter().zip(before..);
    Ok(records.map(|(state, partition)| Record::Partition { topic_id: topic.id, partition, state }).collect())
}
