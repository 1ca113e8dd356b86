//! AlterConfigs (33), versions 0–2: replaces ALL settings of a resource; what is not named gets its default again (C73).
//!
//! Deprecated by Kafka in favour of IncrementalAlterConfigs. Order of checks as there. This file also holds what both share.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::messages::alter_configs_request::{AlterConfigsRequest, AlterConfigsResource};
use protocol::messages::alter_configs_response::{AlterConfigsResourceResponse, AlterConfigsResponse};
use protocol::{ApiKey, ErrorCode, encode_response};

use super::Api;
use crate::broker::{Broker, Turn};
use crate::config::{InvalidSetting, TopicConfig, differences};
use crate::metadata::controller::Committed;
use crate::metadata::record::Record;
use crate::metadata::{Image, Topic};
use crate::request::Request;
use crate::resource::Resource;
use crate::start::Node;

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

/// The topic that a resource is, if its settings can be changed.
pub fn changed_topic<'a>(
    image: &'a Image,
    node: &Node,
    kind: i8,
    name: &str,
    is_first: bool,
) -> Result<&'a Arc<Topic>, Refusal> {
    let refuse = |error, why: &str| Err(Refusal { error, why: why.to_owned() });
    if !is_first {
        return refuse(ErrorCode::InvalidRequest, "the request names this resource more than once");
    }
    match Resource::parse(kind, name, node.id) {
        Resource::Topic(name) => image.topic(name).ok_or_else(|| {
            let error = ErrorCode::UnknownTopicOrPartition;
            Refusal { error, why: error.text().to_owned() }
        }),
        Resource::ThisBroker | Resource::AllBrokers => refuse(
            ErrorCode::InvalidRequest,
            "settings of the broker are read when it starts: change its file, or --set, and start it again",
        ),
        Resource::Other(why) => refuse(ErrorCode::InvalidRequest, &why),
    }
}

/// The records that give a topic other settings.
pub fn records_of(topic: &Topic, after: &TopicConfig) -> Vec<Record> {
    differences(topic.config.overrides(), after.overrides())
        .into_iter()
        .map(|(name, value)| Record::TopicConfig { topic: topic.name.to_string(), name, value })
        .collect()
}

fn on_alter_configs(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: AlterConfigsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let mut seen = HashSet::new();
    let (mut records, mut refusals) = (Vec::new(), Vec::new());
    for resource in &asked.resources {
        let is_first = seen.insert((resource.resource_type, resource.resource_name));
        match plan(&image, &broker.node, resource, is_first) {
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
    if records.is_empty() || asked.validate_only {
        return broker.reply_frame(turn, &request, reply);
    }
    drop(asked);
    if let Err((_, Committed { request, .. })) = broker.commit(turn, &records, Committed { request, reply }) {
        broker.reply_frame(turn, &request, failure);
    }
}

/// Decides what changes; touches nothing.
fn plan(
    image: &Image,
    node: &Node,
    resource: &AlterConfigsResource<'_>,
    is_first: bool,
) -> Result<Vec<Record>, Refusal> {
    let topic = changed_topic(image, node, resource.resource_type, resource.resource_name, is_first)?;
    let settings = resource.configs.iter().map(|config| (config.name, config.value));
    let after = TopicConfig::new(settings, &image.server).map_err(|invalid| Refusal::of(&invalid))?;
    Ok(records_of(topic, &after))
}
