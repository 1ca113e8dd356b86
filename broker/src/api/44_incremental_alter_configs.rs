//! IncrementalAlterConfigs (44), versions 0–1: sets, deletes, appends to or subtracts from single settings (KIP-339).
//!
//! Order of checks, per resource: named once → of a kind that has settings → there → each setting once, known, its value
//! allowed, together without contradiction (Q101), and borne by the broker's own topics. A resource is changed whole or not
//! at all. `validate_only` changes nothing.
//! - A group's settings, whether there is such a group or not; its members learn of them with their next heartbeat.
//! - A broker's settings: this one's by its id, those of all by an empty name; what is read at the start alone is refused.

use protocol::messages::incremental_alter_configs_request::{
    AlterConfigsResource, IncrementalAlterConfigsRequest,
};
use protocol::messages::incremental_alter_configs_response::{
    AlterConfigsResourceResponse, IncrementalAlterConfigsResponse,
};
use protocol::{ApiKey, ErrorCode, encode_response};

use super::Api;
use super::alter_configs::{
    Changed, Refusal, broker_records_of, find_changed, group_records_of, repeated, topic_records_of,
};
use crate::broker::Broker;
use crate::config::{Alteration, Operation};
use crate::mail::Turn;
use crate::metadata::Image;
use crate::metadata::controller::Committed;
use crate::metadata::record::Record;
use crate::node::Node;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::IncrementalAlterConfigs, 0..=1, on_incremental_alter_configs);

fn on_incremental_alter_configs(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let asked: IncrementalAlterConfigsRequest<'_> = match request.decode() {
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
        let response =
            IncrementalAlterConfigsResponse { responses: responses.collect(), ..Default::default() };
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
    let changed = find_changed(image, node, resource.resource_type, resource.resource_name, is_alone)?;
    let mut alterations = Vec::new();
    for config in &resource.configs {
        let operation = Operation::from_code(config.config_operation).ok_or_else(|| Refusal {
            error: ErrorCode::InvalidRequest,
            why: format!("operation {} is not known", config.config_operation),
        })?;
        alterations.push(Alteration { name: config.name, operation, value: config.value });
    }
    match changed {
        Changed::Topic(topic) => {
            let after = topic.config.altered(&alterations, &image.server);
            topic_records_of(topic, &after.map_err(|invalid| Refusal::of(&invalid))?)
        }
        Changed::Group(name, before) => {
            let after = before.altered(&alterations, &image.server);
            Ok(group_records_of(&name, &before, &after.map_err(|invalid| Refusal::of(&invalid))?))
        }
        Changed::Broker(changed) => {
            let after = changed.server.altered(changed.reach, &alterations);
            Ok(broker_records_of(&changed, &after.map_err(|invalid| Refusal::of(&invalid))?))
        }
    }
}
