//! AlterConfigs (33), versions 0–2: replaces ALL settings of a resource; what is not named gets its default again (C73).
//!
//! Deprecated by Kafka in favour of IncrementalAlterConfigs. Order of checks as there. This file also holds what both share.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::messages::alter_configs_request::{AlterConfigsRequest, AlterConfigsResource};
use protocol::messages::alter_configs_response::{AlterConfigsResourceResponse, AlterConfigsResponse};
use protocol::{ApiKey, ErrorCode, encode_response};

use super::Api;
use crate::broker::Broker;
use crate::config::{
    Alteration, GroupConfig, InvalidSetting, Operation, Reach, ServerConfig, TopicConfig, differences,
};
use crate::mail::Turn;
use crate::metadata::controller::Committed;
use crate::metadata::record::Record;
use crate::metadata::{Image, Topic};
use crate::node::Node;
use crate::request::Request;
use crate::resource::{self, Resource};
use crate::topic_name;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::AlterConfigs, 0..=2, on_alter_configs);

/// Why a resource is not changed.
#[derive(Debug)]
pub struct Refusal {
    /// Kafka's error.
    pub error: ErrorCode,
    /// The reason in words.
    pub why: String,
}

impl Refusal {
    /// A setting is at fault.
    pub fn of(invalid: &InvalidSetting) -> Refusal {
        let error = match invalid {
            InvalidSetting::Unknown { .. }
            | InvalidSetting::Absent { .. }
            | InvalidSetting::Value { .. }
            | InvalidSetting::Refused { .. }
            | InvalidSetting::Conflict { .. }
            | InvalidSetting::NotAList { .. } => ErrorCode::InvalidConfig,
            InvalidSetting::Duplicate { .. }
            | InvalidSetting::NullValue { .. }
            | InvalidSetting::ReadOnly { .. } => ErrorCode::InvalidRequest,
        };
        Refusal { error, why: invalid.to_string() }
    }
}

/// What a resource's settings are to become.
pub enum Changed<'a> {
    /// A topic.
    Topic(&'a Arc<Topic>),
    /// One broker, or all.
    Broker(ChangedBroker),
    /// A group, whether it is there or not.
    Group(String, Arc<GroupConfig>),
}

/// A broker, or all, as a resource.
pub struct ChangedBroker {
    /// Whether it is one or all.
    pub reach: Reach,
    /// Its number as records name it; empty for all.
    pub name: String,
    /// Its settings, as far as they are known here: what another broker was started with is not.
    pub server: Arc<ServerConfig>,
}

/// What a resource is, if its settings can be changed. A broker may be another one than this: whoever is the active controller
/// changes the settings of all.
pub fn find_changed<'a>(
    image: &'a Image,
    node: &Node,
    kind: i8,
    name: &str,
    is_alone: bool,
) -> Result<Changed<'a>, Refusal> {
    let refuse = |error, why: &str| Err(Refusal { error, why: why.to_owned() });
    if !is_alone {
        return refuse(ErrorCode::InvalidRequest, "the request names this resource more than once");
    }
    match Resource::parse(kind, name, node.id) {
        Resource::Topic(name) => {
            topic_name::check(name)
                .map_err(|bad| Refusal { error: ErrorCode::InvalidTopicException, why: bad.to_string() })?;
            let error = ErrorCode::UnknownTopicOrPartition;
            let unknown = || Refusal { error, why: error.text().to_owned() };
            image.topic(name).map(Changed::Topic).ok_or_else(unknown)
        }
        Resource::ThisBroker => Ok(changed_broker(image, Reach::ThisBroker, node.id)),
        Resource::AllBrokers => Ok(changed_broker(image, Reach::AllBrokers, node.id)),
        Resource::Group(name) => {
            let config = image.group_config(name).cloned().unwrap_or_default();
            Ok(Changed::Group(name.to_owned(), config))
        }
        Resource::Other(why) => match other_broker(image, kind, name) {
            Some(id) => Ok(changed_broker(image, Reach::ThisBroker, id)),
            None => refuse(ErrorCode::InvalidRequest, &why),
        },
    }
}

/// Another broker that has registered.
fn other_broker(image: &Image, kind: i8, name: &str) -> Option<i32> {
    let id = name.parse().ok().filter(|_| kind == resource::BROKER)?;
    image.broker(id).map(|broker| broker.id)
}

fn changed_broker<'a>(image: &Image, reach: Reach, id: i32) -> Changed<'a> {
    let (name, server) = match reach {
        Reach::ThisBroker => (id.to_string(), image.server_of(id)),
        Reach::AllBrokers => (String::new(), Arc::clone(&image.server)),
    };
    Changed::Broker(ChangedBroker { reach, name, server })
}

/// Resources that a request names more than once: none of them is changed.
pub fn repeated<'a>(named: impl Iterator<Item = (i8, &'a str)>) -> HashSet<(i8, &'a str)> {
    let mut seen = HashSet::new();
    named.filter(|resource| !seen.insert(*resource)).collect()
}

/// The records that give a topic other settings. Topics of the broker's own stay on disk.
pub fn topic_records_of(topic: &Topic, after: &TopicConfig) -> Result<Vec<Record>, Refusal> {
    let durability = after.overrides().get("ringlog.durability");
    if topic_name::is_internal(&topic.name) && durability.is_some_and(|asked| asked != "disk") {
        let why = format!("ringlog.durability of {} is always disk: coordinators rely on it", topic.name);
        return Err(Refusal { error: ErrorCode::InvalidConfig, why });
    }
    Ok(differences(topic.config.overrides(), after.overrides())
        .into_iter()
        .map(|(name, value)| Record::TopicConfig { topic: topic.name.to_string(), name, value })
        .collect())
}

/// The records that give a group other settings.
pub fn group_records_of(group: &str, before: &GroupConfig, after: &GroupConfig) -> Vec<Record> {
    differences(before.overrides(), after.overrides())
        .into_iter()
        .map(|(name, value)| Record::GroupConfig { group: group.to_owned(), name, value })
        .collect()
}

/// The records that give a broker, or all, other settings.
pub fn broker_records_of(changed: &ChangedBroker, after: &ServerConfig) -> Vec<Record> {
    let texts = |config: &ServerConfig| match changed.reach {
        Reach::ThisBroker => config.layers().dynamic_broker.clone(),
        Reach::AllBrokers => config.layers().dynamic_default.clone(),
    };
    differences(&texts(&changed.server), &texts(after))
        .into_iter()
        .map(|(name, value)| Record::BrokerConfig { broker: changed.name.clone(), name, value })
        .collect()
}

fn on_alter_configs(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: AlterConfigsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let twice = repeated(asked.resources.iter().map(|r| (r.resource_type, r.resource_name)));
    let (mut records, mut refusals) = (Vec::new(), Vec::new());
    for resource in &asked.resources {
        let is_alone = !twice.contains(&(resource.resource_type, resource.resource_name));
        match plan(&image, &broker.node, resource, is_alone) {
            Ok(planned) => {
                records.extend(planned);
                refusals.push(None);
            }
            Err(refusal) => refusals.push(Some(refusal)),
        }
    }
    let encode = |on_success: ErrorCode| {
        let responses =
            asked.resources.iter().zip(&refusals).map(|(resource, refusal)| AlterConfigsResourceResponse {
                error_code: refusal.as_ref().map_or(on_success, |refusal| refusal.error).code(),
                error_message: refusal.as_ref().map(|refusal| refusal.why.as_str()),
                resource_type: resource.resource_type,
                resource_name: resource.resource_name,
                ..Default::default()
            });
        let response = AlterConfigsResponse { responses: responses.collect(), ..Default::default() };
        encode_response(request.key, request.version, request.correlation_id, &response)
    };
    let (reply, failure) = (encode(ErrorCode::None), encode(ErrorCode::KafkaStorageError));
    let not_controller = encode(ErrorCode::NotController);
    refusals.iter().flatten().for_each(|refusal| broker.note_error(request.key, refusal.error.code()));
    if records.is_empty() || asked.validate_only {
        return broker.reply_frame(turn, &request, reply);
    }
    drop(asked);
    broker.commit(turn, &records, Committed { request, reply, failure, not_controller });
}

/// Decides what changes; touches nothing.
fn plan(
    image: &Image,
    node: &Node,
    resource: &AlterConfigsResource<'_>,
    is_alone: bool,
) -> Result<Vec<Record>, Refusal> {
    let settings = || resource.configs.iter().map(|config| (config.name, config.value));
    match find_changed(image, node, resource.resource_type, resource.resource_name, is_alone)? {
        Changed::Topic(topic) => {
            let after =
                TopicConfig::new(settings(), &image.server).map_err(|invalid| Refusal::of(&invalid))?;
            topic_records_of(topic, &after)
        }
        Changed::Group(name, before) => {
            let after =
                GroupConfig::new(settings(), &image.server).map_err(|invalid| Refusal::of(&invalid))?;
            Ok(group_records_of(&name, &before, &after))
        }
        Changed::Broker(changed) => {
            let layers = changed.server.layers();
            let before = match changed.reach {
                Reach::ThisBroker => &layers.dynamic_broker,
                Reach::AllBrokers => &layers.dynamic_default,
            };
            let named: HashSet<&str> = settings().map(|(name, _)| name).collect();
            let deleted = before
                .keys()
                .filter(|name| !named.contains(name.as_str()))
                .map(|name| Alteration { name, operation: Operation::Delete, value: None });
            let set = settings().map(|(name, value)| Alteration { name, operation: Operation::Set, value });
            let alterations: Vec<Alteration<'_>> = deleted.chain(set).collect();
            let after = changed.server.altered(changed.reach, &alterations);
            Ok(broker_records_of(&changed, &after.map_err(|invalid| Refusal::of(&invalid))?))
        }
    }
}
