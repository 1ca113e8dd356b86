//! CreateTopics (19), versions 2–7: makes topics; each succeeds or fails alone.
//!
//! Order of checks, per topic: named once in the request → legal name → not there, and no other that differs only in '.'
//! and '_' → partitions and replicas, by count or by assignment → settings.
//! - Partitions -1 and replication factor -1 mean the broker's defaults (KIP-464).
//! - A manual assignment needs both to be -1 and partitions 0..n-1, each on this node alone (Q99).
//! - A request makes 10,000 partitions at most; the topics beyond are POLICY_VIOLATION.
//! - `validate_only` answers the same and makes nothing.
//! - From version 5 the answer has the counts and all settings in force; from 7 the topic's id.
//! - The answer comes when every core has the topic's partitions open (C65).
//! - Not checked on purpose: `timeout_ms`. The answer needs this node's disk alone.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use protocol::messages::create_topics_request::{CreatableTopic, CreateTopicsRequest};
use protocol::messages::create_topics_response::{
    CreatableTopicConfigs, CreatableTopicResult, CreateTopicsResponse,
};
use protocol::{ApiKey, ErrorCode, Uuid, encode_response};

use super::Api;
use crate::broker::Broker;
use crate::config::{Entry, TopicConfig};
use crate::mail::Turn;
use crate::metadata::controller::Committed;
use crate::metadata::record::Record;
use crate::metadata::replica_placement::{candidates, place_new};
use crate::metadata::{Image, PartitionState};
use crate::request::Request;
use crate::topic_name::{self, BadName};

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::CreateTopics, 2..=7, on_create_topics);

/// Partitions that one request may make, as in Kafka: what some bytes can cost stays bounded.
pub const PARTITIONS_MAX: i32 = 10_000;

/// A topic that can be created.
struct Plan {
    partition_count: i32,
    /// The broker of each partition, if the client chooses them.
    assigned: Option<Vec<i32>>,
    config: TopicConfig,
}

/// Why a topic is not created.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request names it twice.
    Twice,
    /// No topic may have this name.
    BadName(BadName),
    /// It is there.
    Exists,
    /// Another one is there that Kafka takes for the same in metrics.
    Collides(String),
    /// Not a number of partitions.
    Partitions(String),
    /// Together with the topics before it, more than one request may make.
    TooMany,
    /// Not a number of replicas that one node can have.
    Replicas(i16, usize),
    /// No broker can take partitions.
    NoBroker,
    /// An assignment to other nodes, or with gaps.
    Assignment(&'static str),
    /// Counts and an assignment together.
    CountsWithAssignment,
    /// A setting.
    Config(String),
    /// The metadata cannot be written.
    Storage,
    /// This node does not lead the metadata quorum.
    NotController,
}

impl Refusal {
    /// Kafka's error.
    pub fn code(&self) -> ErrorCode {
        match self {
            Refusal::Twice | Refusal::CountsWithAssignment => ErrorCode::InvalidRequest,
            Refusal::BadName(_) | Refusal::Collides(_) => ErrorCode::InvalidTopicException,
            Refusal::Exists => ErrorCode::TopicAlreadyExists,
            Refusal::Partitions(_) => ErrorCode::InvalidPartitions,
            Refusal::TooMany => ErrorCode::PolicyViolation,
            Refusal::Replicas(..) | Refusal::NoBroker => ErrorCode::InvalidReplicationFactor,
            Refusal::Assignment(_) => ErrorCode::InvalidReplicaAssignment,
            Refusal::Config(_) => ErrorCode::InvalidConfig,
            Refusal::Storage => ErrorCode::KafkaStorageError,
            Refusal::NotController => ErrorCode::NotController,
        }
    }

    /// The reason in words.
    pub fn text(&self) -> String {
        match self {
            Refusal::Twice => "the request names this topic more than once".to_owned(),
            Refusal::BadName(why) => why.to_string(),
            Refusal::Exists => "a topic of this name is there already".to_owned(),
            Refusal::Collides(other) => {
                format!(
                    "the name differs from that of the topic {other} only in '.' and '_', which metrics do not tell apart"
                )
            }
            Refusal::Partitions(why) => why.clone(),
            Refusal::TooMany => {
                format!("one request makes {PARTITIONS_MAX} partitions at most: send more requests")
            }
            Refusal::Replicas(wanted, 1) => {
                format!(
                    "the replication factor is {wanted}, and there is 1 broker: it must be 1, or -1 for the default"
                )
            }
            Refusal::Replicas(wanted, _) => {
                format!(
                    "the replication factor is {wanted}, and must be 1, or -1 for the default: a partition has one replica here"
                )
            }
            Refusal::NoBroker => {
                "no broker is alive that could take partitions: try again when one is".to_owned()
            }
            Refusal::Assignment(why) => (*why).to_owned(),
            Refusal::CountsWithAssignment => {
                "with an assignment, the number of partitions and the replication factor must be -1"
                    .to_owned()
            }
            Refusal::Config(why) => why.clone(),
            Refusal::Storage => "the metadata log cannot be written: see the broker's log".to_owned(),
            Refusal::NotController => ErrorCode::NotController.text().to_owned(),
        }
    }
}

fn on_create_topics(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: CreateTopicsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let twice = repeated(&asked);
    let (mut records, mut results, mut partition_count) = (Vec::new(), Vec::new(), 0_i32);
    results.extend(twice.iter().map(|name| (*name, Uuid::ZERO, Err(Refusal::Twice))));
    for topic in asked.topics.iter().filter(|topic| !twice.contains(topic.name)) {
        let planned = plan_topic(&image, topic).and_then(|plan| {
            partition_count = plan.partition_count.saturating_add(partition_count);
            if partition_count > PARTITIONS_MAX { Err(Refusal::TooMany) } else { Ok(plan) }
        });
        let mut topic_id = Uuid::ZERO;
        if let Ok(plan) = &planned
            && !asked.validate_only
        {
            topic_id = broker.new_topic_id(turn);
            let overrides =
                plan.config.overrides().iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let states = match &plan.assigned {
                Some(brokers) => brokers.iter().map(|&broker| PartitionState::of_one(broker)).collect(),
                None => place_new(&image, topic_id, 0, plan.partition_count).expect("the plan found brokers"),
            };
            records.extend(topic_records(topic.name, topic_id, states, overrides));
        }
        results.push((topic.name, topic_id, planned));
    }
    let reply_of = |results: &[(&str, Uuid, Result<Plan, Refusal>)]| {
        let entries = describe_all(results, &image);
        let response = response_of(results, &entries);
        encode_response(request.key, request.version, request.correlation_id, &response)
    };
    let reply = reply_of(&results);
    let refused = results.iter().filter_map(|(.., planned)| planned.as_ref().err());
    refused.for_each(|refusal| broker.note_error(request.key, refusal.code().code()));
    if records.is_empty() {
        return broker.reply_frame(turn, &request, reply);
    }
    for (_, topic_id, plan) in results.iter_mut().filter(|(.., plan)| plan.is_ok()) {
        (*topic_id, *plan) = (Uuid::ZERO, Err(Refusal::Storage));
    }
    let failure = reply_of(&results);
    for (.., plan) in results.iter_mut().filter(|(.., plan)| matches!(plan, Err(Refusal::Storage))) {
        *plan = Err(Refusal::NotController);
    }
    let not_controller = reply_of(&results);
    drop(results);
    drop(asked);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}

/// Names that stand in the request more than once: such a topic is answered once, and not made.
fn repeated<'a>(asked: &CreateTopicsRequest<'a>) -> BTreeSet<&'a str> {
    let mut seen = HashSet::new();
    asked.topics.iter().map(|topic| topic.name).filter(|name| !seen.insert(*name)).collect()
}

/// Decides what a topic will be; touches nothing.
fn plan_topic(image: &Image, topic: &CreatableTopic<'_>) -> Result<Plan, Refusal> {
    topic_name::check(topic.name).map_err(Refusal::BadName)?;
    if image.topic(topic.name).is_some() {
        return Err(Refusal::Exists);
    }
    if let Some(other) = image.colliding_topic(topic.name) {
        return Err(Refusal::Collides(other.name.to_string()));
    }
    let (partition_count, assigned) = if topic.assignments.is_empty() {
        (plan_counts(image, topic)?, None)
    } else {
        let assigned = plan_assignment(image, topic)?;
        (assigned.len() as i32, Some(assigned))
    };
    // Of a setting that is named twice the last counts, as in Kafka.
    let settings: BTreeMap<&str, Option<&str>> =
        topic.configs.iter().map(|config| (config.name, config.value)).collect();
    let config =
        TopicConfig::new(settings, &image.server).map_err(|invalid| Refusal::Config(invalid.to_string()))?;
    Ok(Plan { partition_count, assigned, config })
}

fn plan_counts(image: &Image, topic: &CreatableTopic<'_>) -> Result<i32, Refusal> {
    if !matches!(topic.replication_factor, -1 | 1) {
        return Err(Refusal::Replicas(topic.replication_factor, image.live_brokers().count()));
    }
    if candidates(image).next().is_none() {
        return Err(Refusal::NoBroker);
    }
    match topic.num_partitions {
        -1 => Ok(image.server.values().num_partitions()),
        count if count >= 1 => Ok(count),
        count => Err(Refusal::Partitions(format!(
            "a topic has 1 partition or more, or -1 for the default, not {count}"
        ))),
    }
}

/// The broker of each partition.
fn plan_assignment(image: &Image, topic: &CreatableTopic<'_>) -> Result<Vec<i32>, Refusal> {
    if topic.num_partitions != -1 || topic.replication_factor != -1 {
        return Err(Refusal::CountsWithAssignment);
    }
    let assigned: BTreeMap<i32, &[i32]> = topic
        .assignments
        .iter()
        .map(|partition| (partition.partition_index, partition.broker_ids.as_slice()))
        .collect();
    if !assigned.keys().copied().eq(0..topic.assignments.len() as i32) {
        return Err(Refusal::Assignment("the assignment must have each partition from 0 on once"));
    }
    let only = |replicas: &[i32]| match replicas {
        [broker] if candidates(image).any(|id| id == *broker) => Ok(*broker),
        _ => Err(Refusal::Assignment("the assignment must name one broker that is alive for each partition")),
    };
    assigned.into_values().map(only).collect()
}

/// The records that make a topic.
fn topic_records<'a>(
    name: &str,
    id: Uuid,
    states: Vec<PartitionState>,
    overrides: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<Record> {
    let mut records = vec![Record::Topic { name: name.to_owned(), id }];
    let partitions = states.into_iter().zip(0..);
    records.extend(partitions.map(|(state, partition)| Record::Partition { topic_id: id, partition, state }));
    records.extend(overrides.into_iter().map(|(setting, value)| Record::TopicConfig {
        topic: name.to_owned(),
        name: setting.to_owned(),
        value: Some(value.to_owned()),
    }));
    records
}

fn describe_all(
    results: &[(&str, Uuid, Result<Plan, Refusal>)],
    image: &Image,
) -> Vec<Result<Vec<Entry>, String>> {
    let describe = |plan: &Result<Plan, Refusal>| match plan {
        Ok(plan) => Ok(plan.config.describe(&image.server, None)),
        Err(refusal) => Err(refusal.text()),
    };
    results.iter().map(|(_, _, plan)| describe(plan)).collect()
}

fn response_of<'a>(
    results: &[(&'a str, Uuid, Result<Plan, Refusal>)],
    described: &'a [Result<Vec<Entry>, String>],
) -> CreateTopicsResponse<'a> {
    let topics = results.iter().zip(described).map(|((name, topic_id, plan), described)| {
        let result = CreatableTopicResult { name, topic_id: *topic_id, ..Default::default() };
        match (plan, described) {
            (Ok(plan), Ok(entries)) => CreatableTopicResult {
                error_message: None,
                num_partitions: plan.partition_count,
                replication_factor: 1,
                configs: Some(entries.iter().map(config_result).collect()),
                ..result
            },
            (Err(refusal), described) => CreatableTopicResult {
                error_code: refusal.code().code(),
                error_message: described.as_ref().err().map(String::as_str),
                num_partitions: -1,
                replication_factor: -1,
                configs: None,
                ..result
            },
            (Ok(_), Err(_)) => unreachable!("a plan was described by its settings"),
        }
    });
    CreateTopicsResponse { topics: topics.collect(), ..Default::default() }
}

fn config_result(entry: &Entry) -> CreatableTopicConfigs<'_> {
    CreatableTopicConfigs {
        name: entry.name,
        value: entry.value.as_deref(),
        read_only: entry.read_only,
        config_source: entry.source.code(),
        is_sensitive: entry.sensitive,
        ..Default::default()
    }
}
