//! Heartbeat (12), versions 0–4: a member of a classic group lives, and hears whether it must join again (Q87).

use protocol::ApiKey;
use protocol::messages::heartbeat_request::HeartbeatRequest;
use protocol::messages::heartbeat_response::HeartbeatResponse;

use super::Api;
use super::groups::{ask_many, check_name, take_one};
use crate::broker::Broker;
use crate::groups::ask::{GroupAsk, Membership};
use crate::mail::{PendingId, Turn};
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::Heartbeat, 0..=4, on_heartbeat, finish);

fn on_heartbeat(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: HeartbeatRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let who = Membership {
        member: asked.member_id.to_owned(),
        generation: asked.generation_id,
        instance: asked.group_instance_id.map(str::to_owned),
    };
    let (group, ask) = (asked.group_id.into(), check_name(asked.group_id).map(|()| GroupAsk::Heartbeat(who)));
    ask_many(broker, turn, request, vec![(group, ask)]);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let error_code = reply.err().map_or(0, |error| error.code());
    broker.reply(turn, &request, &HeartbeatResponse { error_code, ..Default::default() });
}
