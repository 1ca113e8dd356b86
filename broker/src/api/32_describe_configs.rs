//! DescribeConfigs (32), versions 1–4: settings in force, where they come from, and what else would give them.
//!
//! - Topics: every setting of the topic, or those asked for; null and an empty list both mean all (Q14, Q100).
//! - Brokers: this one by its id; an empty name means what is set for all brokers. Another id is INVALID_REQUEST, for only
//!   a broker itself knows its settings.
//! - Groups: what a group may set itself, whether there is such a group or not, as in Kafka.
//! - Other kinds of resource are INVALID_REQUEST with a reason: there are none here.
//! - What is asked for more than once is answered once, where Kafka repeats itself: a few bytes each must not cost kilobytes.
//! - Synonyms if asked for; types and documentation from version 3, documentation only if asked for (KIP-569).

use std::collections::HashSet;

use protocol::messages::describe_configs_request::{DescribeConfigsRequest, DescribeConfigsResource};
use protocol::messages::describe_configs_response::{
    DescribeConfigsResourceResult, DescribeConfigsResponse, DescribeConfigsResult, DescribeConfigsSynonym,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::config::{Entry, GroupConfig};
use crate::mail::Turn;
use crate::metadata::Image;
use crate::node::Node;
use crate::request::Request;
use crate::resource::Resource;
use crate::topic_name;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::DescribeConfigs, 1..=4, on_describe_configs);

/// Why a resource is not described.
struct Refusal(ErrorCode, String);

/// A resource's settings, with their documentation if it is asked for.
struct Described {
    entries: Result<Vec<Entry>, Refusal>,
    texts: Vec<String>,
}

fn on_describe_configs(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let mut asked: DescribeConfigsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let mut seen = HashSet::new();
    asked.resources.retain(|resource| {
        let parsed = Resource::parse(resource.resource_type, resource.resource_name, broker.node.id);
        seen.insert((parsed, resource.configuration_keys.clone()))
    });
    let described: Vec<Described> = asked
        .resources
        .iter()
        .map(|resource| {
            let entries = describe(&image, &broker.node, resource);
            let texts = match &entries {
                Ok(entries) if asked.include_documentation => {
                    entries.iter().map(Entry::documentation).collect()
                }
                _ => Vec::new(),
            };
            Described { entries, texts }
        })
        .collect();
    let results = asked.resources.iter().zip(&described).map(|(resource, described)| {
        let result = DescribeConfigsResult {
            resource_type: resource.resource_type,
            resource_name: resource.resource_name,
            ..Default::default()
        };
        match &described.entries {
            Ok(entries) => DescribeConfigsResult {
                configs: entries
                    .iter()
                    .enumerate()
                    .map(|(index, entry)| {
                        result_of(entry, described.texts.get(index), asked.include_synonyms)
                    })
                    .collect(),
                ..result
            },
            Err(Refusal(error, why)) => {
                DescribeConfigsResult { error_code: error.code(), error_message: Some(why), ..result }
            }
        }
    });
    let response = DescribeConfigsResponse { results: results.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn describe(image: &Image, node: &Node, asked: &DescribeConfigsResource<'_>) -> Result<Vec<Entry>, Refusal> {
    let wanted = asked.configuration_keys.as_deref().filter(|keys| !keys.is_empty());
    match Resource::parse(asked.resource_type, asked.resource_name, node.id) {
        Resource::Topic(name) => {
            topic_name::check(name)
                .map_err(|why| Refusal(ErrorCode::InvalidTopicException, why.to_string()))?;
            let topic = image.topic(name).ok_or_else(|| {
                let error = ErrorCode::UnknownTopicOrPartition;
                Refusal(error, error.text().to_owned())
            })?;
            Ok(topic.config.describe(&image.server, wanted))
        }
        Resource::ThisBroker => Ok(image.server.describe(wanted)),
        Resource::AllBrokers => Ok(image.server.describe_all_brokers(wanted)),
        Resource::Group(name) => {
            let none = GroupConfig::default();
            let config = image.group_config(name).map_or(&none, |config| config);
            Ok(config.describe(&image.server, wanted))
        }
        Resource::Other(why) => Err(Refusal(ErrorCode::InvalidRequest, why)),
    }
}

fn result_of<'a>(
    entry: &'a Entry,
    documentation: Option<&'a String>,
    has_synonyms: bool,
) -> DescribeConfigsResourceResult<'a> {
    let synonyms = entry.synonyms.iter().filter(|_| has_synonyms).map(|synonym| DescribeConfigsSynonym {
        name: synonym.name,
        value: synonym.value.as_deref(),
        source: synonym.source.code(),
        ..Default::default()
    });
    DescribeConfigsResourceResult {
        name: entry.name,
        value: entry.value.as_deref(),
        read_only: entry.read_only,
        config_source: entry.source.code(),
        is_sensitive: entry.sensitive,
        synonyms: synonyms.collect(),
        config_type: entry.kind.code(),
        documentation: documentation.map(String::as_str),
        ..Default::default()
    }
}
