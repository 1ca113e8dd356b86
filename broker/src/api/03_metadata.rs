//! Metadata (3), versions 0–13: which brokers there are, which topics, who leads their partitions; creates topics on the way.
//!
//! - Version 0: an empty list means all topics; later null means all and empty none (Q14).
//! - By name; from version 12 also by id, with a null name. A null name before that is INVALID_REQUEST (Q20).
//! - A topic that does not exist is created if the client and `auto.create.topics.enable` allow it, never when all are
//!   asked for (Q18). The answer waits until it is ready on every core, where Kafka answers UNKNOWN_TOPIC_OR_PARTITION and
//!   lets the client ask again: so a first produce finds it (C65).
//! - A topic that is asked for more than once is told once.
//! - A name that no topic may have is INVALID_TOPIC_EXCEPTION (Q19).
//! - Brokers are listed by the address that belongs to the listener of the connection (Q23, C109).
//! - `include_*_authorized_operations` answer "unknown": there is no authorizer.

use std::collections::BTreeSet;

use protocol::messages::create_topics_request::CreatableTopic;
use protocol::messages::metadata_request::MetadataRequest;
use protocol::messages::metadata_response::{
    MetadataResponse, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use protocol::{ApiKey, ErrorCode, Uuid};

use super::Api;
use super::addresses::{self, Address};
use super::create_topics::PARTITIONS_MAX;
use crate::broker::Broker;
use crate::internal_topics::{self, InternalTopic};
use crate::mail::Turn;
use crate::metadata::partition_state::NO_LEADER;
use crate::metadata::{Image, PartitionMeta, Topic};
use crate::node::Node;
use crate::request::Request;
use crate::topic_name;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::Metadata, 0..=13, on_metadata);

/// The first version that can name topics by id.
const TOPIC_ID_FROM: i16 = 12;

fn on_metadata(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: MetadataRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let missing = plan_creations(&image, &asked, request.version);
    if missing.is_empty() || request.is_retried {
        let node = broker.node.clone();
        let response = answer(&image, &node, &asked, &request);
        return broker.reply(turn, &request, &response);
    }
    let names: Vec<String> = missing.into_iter().map(str::to_owned).collect();
    drop(asked);
    let internal: Vec<InternalTopic> =
        names.iter().filter_map(|name| internal_topics::find(&image, name)).collect();
    let plain = names.iter().filter(|name| !internal.iter().any(|topic| topic.name == **name));
    let plain = plain.map(|name| CreatableTopic {
        name,
        num_partitions: -1,
        replication_factor: -1,
        ..CreatableTopic::default()
    });
    let topics = plain.chain(internal.iter().map(InternalTopic::creatable)).collect();
    broker.create_topics_for(turn, request, topics);
}

/// The topics to create: asked for by name, not there, allowed.
fn plan_creations<'a>(image: &Image, asked: &MetadataRequest<'a>, version: i16) -> Vec<&'a str> {
    let values = image.server.values();
    // Before version 4 a client could not say, and wanted it.
    let is_allowed = values.auto_create_topics_enable() && (version < 4 || asked.allow_auto_topic_creation);
    if !is_allowed {
        return Vec::new();
    }
    let names: BTreeSet<&str> = asked.topics.iter().flatten().filter_map(|topic| topic.name).collect();
    let can_be = |name: &&str| {
        image.topic(name).is_none()
            && topic_name::check(name).is_ok()
            && image.colliding_topic(name).is_none()
    };
    // What one request cannot make, the client asks for again.
    let count_max = (PARTITIONS_MAX / values.num_partitions().max(1)).max(1) as usize;
    names.into_iter().filter(can_be).take(count_max).collect()
}

fn answer<'a>(
    image: &'a Image,
    node: &'a Node,
    asked: &MetadataRequest<'a>,
    request: &Request,
) -> MetadataResponse<'a> {
    let is_all = match &asked.topics {
        None => true,
        Some(topics) => request.version == 0 && topics.is_empty(),
    };
    let topics = if is_all {
        image.topics().map(|topic| describe(image, topic)).collect()
    } else {
        let topics = asked.topics.as_deref().unwrap_or_default();
        let mut seen = BTreeSet::new();
        topics
            .iter()
            .filter(|topic| seen.insert((topic.name, topic.topic_id)))
            .map(|topic| describe_asked(image, topic.name, topic.topic_id, request.version))
            .collect()
    };
    MetadataResponse {
        brokers: addresses::live(image, node, request.listener)
            .map(|Address { id, host, port, rack, .. }| MetadataResponseBroker {
                node_id: id,
                host,
                port: i32::from(port),
                rack,
                ..Default::default()
            })
            .collect(),
        cluster_id: Some(&node.cluster_id),
        controller_id: node.id,
        topics,
        ..Default::default()
    }
}

fn describe_asked<'a>(
    image: &'a Image,
    name: Option<&'a str>,
    topic_id: Uuid,
    version: i16,
) -> MetadataResponseTopic<'a> {
    let (found, error) = match name {
        Some(name) if topic_name::check(name).is_err() => (None, ErrorCode::InvalidTopicException),
        Some(name) => (image.topic(name), ErrorCode::UnknownTopicOrPartition),
        None if version < TOPIC_ID_FROM => (None, ErrorCode::InvalidRequest),
        None => (image.topic_by_id(topic_id), ErrorCode::UnknownTopicId),
    };
    match found {
        Some(topic) => describe(image, topic),
        None => {
            // Before version 12 a name cannot be null.
            let name = name.or(if version < TOPIC_ID_FROM { Some("") } else { None });
            MetadataResponseTopic { error_code: error.code(), name, topic_id, ..Default::default() }
        }
    }
}

fn describe<'a>(image: &Image, topic: &'a Topic) -> MetadataResponseTopic<'a> {
    let partitions =
        topic.partitions.iter().zip(0..).map(|(PartitionMeta { state, .. }, partition_index)| {
            let error =
                if state.leader == NO_LEADER { ErrorCode::LeaderNotAvailable } else { ErrorCode::None };
            MetadataResponsePartition {
                error_code: error.code(),
                partition_index,
                leader_id: state.leader,
                leader_epoch: state.leader_epoch,
                replica_nodes: state.replicas.to_vec(),
                isr_nodes: state.isr.to_vec(),
                offline_replicas: image.offline_of(state),
                ..Default::default()
            }
        });
    MetadataResponseTopic {
        name: Some(&topic.name),
        topic_id: topic.id,
        is_internal: topic_name::is_internal(&topic.name),
        partitions: partitions.collect(),
        ..Default::default()
    }
}
