//! ConsumerGroupHeartbeat (68), versions 0–1: members of consumer groups (KIP-848) join, live and leave (Q95–Q97).
//!
//! Order of checks: names not empty → epoch known → what a member that joins must tell → assignor → then see
//! `groups::consumer`. From version 1 the client makes its member id (KIP-1082) and may subscribe by an expression.

use protocol::messages::consumer_group_heartbeat_request::ConsumerGroupHeartbeatRequest;
use protocol::messages::consumer_group_heartbeat_response::{
    Assignment as ResponseAssignment, ConsumerGroupHeartbeatResponse, TopicPartitions,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::groups::{ask_one, client_host, take_one};
use crate::broker::Broker;
use crate::groups::ask::{Beaten, ConsumerHeartbeat, GroupAnswer, GroupAsk};
use crate::groups::consumer::{JOINING, LEAVING_FOR_A_WHILE};
use crate::groups::record::Assignment;
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::ConsumerGroupHeartbeat, 0..=1, on_heartbeat, finish);

/// The first version whose clients make their member ids.
const OWN_ID_FROM: i16 = 1;

fn on_heartbeat(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: ConsumerGroupHeartbeatRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    if let Err(why) = check(&asked, request.version) {
        return broker.reply(turn, &request, &refusal(ErrorCode::InvalidRequest, why));
    }
    let owned = asked.topic_partitions.as_ref().map(|topics| {
        let mut owned = Assignment::new();
        for topic in topics {
            owned.entry(topic.topic_id).or_default().extend(&topic.partitions);
        }
        owned
    });
    let text = |text: Option<&str>| text.map(str::to_owned);
    let names = asked.subscribed_topic_names.as_ref();
    let heartbeat = ConsumerHeartbeat {
        member: asked.member_id.to_owned(),
        epoch: asked.member_epoch,
        instance: text(asked.instance_id),
        rack: text(asked.rack_id),
        rebalance_timeout_ms: asked.rebalance_timeout_ms,
        topics: names.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        regex: text(asked.subscribed_topic_regex),
        assignor: text(asked.server_assignor),
        owned,
        client_id: request.client_id().to_owned(),
        client_host: client_host(&request),
    };
    let group = asked.group_id.to_owned();
    ask_one(broker, turn, request, &group, GroupAsk::ConsumerHeartbeat(Box::new(heartbeat)));
}

fn check(asked: &ConsumerGroupHeartbeatRequest<'_>, version: i16) -> Result<(), &'static str> {
    let is_joining = asked.member_epoch == JOINING;
    if asked.group_id.is_empty() {
        return Err("the group id cannot be empty");
    }
    if asked.member_id.is_empty() && (version >= OWN_ID_FROM || !is_joining) {
        return Err("the member id cannot be empty");
    }
    if asked.instance_id == Some("") {
        return Err("the instance id cannot be empty");
    }
    if asked.rack_id == Some("") {
        return Err("the rack id cannot be empty");
    }
    if asked.server_assignor == Some("") {
        return Err("the assignor's name cannot be empty");
    }
    if asked.member_epoch < LEAVING_FOR_A_WHILE {
        return Err("there is no such member epoch");
    }
    if asked.member_epoch == LEAVING_FOR_A_WHILE && asked.instance_id.is_none() {
        return Err("only a member with an instance id can leave for a while");
    }
    if !is_joining {
        return Ok(());
    }
    if asked.rebalance_timeout_ms == -1 {
        return Err("a member that joins must tell its rebalance timeout");
    }
    if asked.topic_partitions.as_ref().is_none_or(|owned| !owned.is_empty()) {
        return Err("a member that joins has no partitions yet, and must say so");
    }
    let has_names = asked.subscribed_topic_names.is_some();
    if !has_names && asked.subscribed_topic_regex.is_none() {
        return Err("a member that joins must tell which topics it reads");
    }
    Ok(())
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    match reply {
        Ok(GroupAnswer::Beaten(beaten)) => broker.reply(turn, &request, &response_of(&beaten)),
        Ok(GroupAnswer::Refused(error, why)) => broker.reply(turn, &request, &refusal(error, &why)),
        Ok(other) => unreachable!("ConsumerGroupHeartbeat is not answered by {other:?}"),
        Err(error) => broker.reply(turn, &request, &refusal(error, error.text())),
    }
}

fn response_of(beaten: &Beaten) -> ConsumerGroupHeartbeatResponse<'_> {
    let assignment = beaten.assignment.as_ref().map(|assignment| {
        let topics = assignment.iter().map(|(topic_id, partitions)| TopicPartitions {
            topic_id: *topic_id,
            partitions: partitions.iter().copied().collect(),
            ..Default::default()
        });
        ResponseAssignment { topic_partitions: topics.collect(), ..Default::default() }
    });
    ConsumerGroupHeartbeatResponse {
        member_id: Some(&beaten.member),
        member_epoch: beaten.epoch,
        heartbeat_interval_ms: beaten.interval_ms,
        assignment,
        ..Default::default()
    }
}

fn refusal(error: ErrorCode, why: &str) -> ConsumerGroupHeartbeatResponse<'_> {
    ConsumerGroupHeartbeatResponse {
        error_code: error.code(),
        error_message: Some(why),
        ..Default::default()
    }
}
