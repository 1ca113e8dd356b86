//! DeleteTopics (20), versions 1–6: removes topics, by name or from version 6 by id; each succeeds or fails alone.
//!
//! Order of checks, per topic: `delete.topic.enable` → named by name or by id, not both → named once → there.
//! - An unknown id answers UNKNOWN_TOPIC_ID with a null name (Q103).
//! - The answer comes when every core has let the partitions go: a topic of the same name can be made at once, with a new
//!   id and without the old files.

use std::collections::BTreeSet;

use protocol::messages::delete_topics_request::DeleteTopicsRequest;
use protocol::messages::delete_topics_response::{DeletableTopicResult, DeleteTopicsResponse};
use protocol::{ApiKey, ErrorCode, Uuid, encode_response};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::Image;
use crate::metadata::controller::Committed;
use crate::metadata::record::Record;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::DeleteTopics, 1..=6, on_delete_topics);

/// The first version that knows the error TOPIC_DELETION_DISABLED (KIP-322).
const DISABLED_FROM: i16 = 3;

/// The first version that names topics one by one, with ids.
const TOPIC_ID_FROM: i16 = 6;

fn on_delete_topics(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: DeleteTopicsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let named: Vec<(Option<&str>, Uuid)> = if request.version >= TOPIC_ID_FROM {
        asked.topics.iter().map(|topic| (topic.name, topic.topic_id)).collect()
    } else {
        asked.topic_names.iter().map(|name| (Some(*name), Uuid::ZERO)).collect()
    };
    let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
    twice.extend(named.iter().filter(|topic| !seen.insert(**topic)).copied());
    let mut removed = BTreeSet::new();
    let mut results = Vec::new();
    // What is named more than once is answered once, and stays; so does a topic named both ways.
    for (name, topic_id) in named.into_iter().filter(|topic| seen.remove(topic)) {
        let planned = match plan_removal(&image, name, topic_id) {
            Err(ErrorCode::TopicDeletionDisabled) if request.version < DISABLED_FROM => {
                Err(ErrorCode::InvalidRequest)
            }
            Ok(_) if twice.contains(&(name, topic_id)) => Err(ErrorCode::InvalidRequest),
            Ok(id) if !removed.insert(id) => Err(ErrorCode::InvalidRequest),
            planned => planned,
        };
        let mut result = DeletableTopicResult { name, topic_id, ..Default::default() };
        match planned {
            Ok(id) => {
                result.topic_id = id;
                result.name = image.topic_by_id(id).map(|topic| &*topic.name);
            }
            Err(error) => {
                result.error_code = error.code();
                result.error_message = Some(error.text());
            }
        }
        results.push(result);
    }
    let records: Vec<Record> = removed.iter().map(|&id| Record::RemoveTopic { id }).collect();
    let mut response = DeleteTopicsResponse { responses: results, ..Default::default() };
    let reply = broker.encode_reply(&request, &response);
    if records.is_empty() {
        return broker.reply_frame(turn, &request, reply);
    }
    for result in response.responses.iter_mut().filter(|result| result.error_code == 0) {
        result.error_code = ErrorCode::KafkaStorageError.code();
        result.error_message = Some(ErrorCode::KafkaStorageError.text());
    }
    let failure = encode_response(request.key, request.version, request.correlation_id, &response);
    for result in &mut response.responses {
        if result.error_code == ErrorCode::KafkaStorageError.code() {
            result.error_code = ErrorCode::NotController.code();
            result.error_message = Some(ErrorCode::NotController.text());
        }
    }
    let not_controller = encode_response(request.key, request.version, request.correlation_id, &response);
    drop(response);
    drop(asked);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}

/// Decides which topic is meant; touches nothing.
fn plan_removal(image: &Image, name: Option<&str>, topic_id: Uuid) -> Result<Uuid, ErrorCode> {
    if !image.server.values().delete_topic_enable() {
        return Err(ErrorCode::TopicDeletionDisabled);
    }
    match name {
        Some(_) if !topic_id.is_zero() => Err(ErrorCode::InvalidRequest),
        Some(name) => image.topic(name).map(|topic| topic.id).ok_or(ErrorCode::UnknownTopicOrPartition),
        None if topic_id.is_zero() => Err(ErrorCode::InvalidRequest),
        None => image.topic_by_id(topic_id).map(|topic| topic.id).ok_or(ErrorCode::UnknownTopicId),
    }
}
