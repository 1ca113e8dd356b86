//! Requests that only the active controller can carry out, on a node that is not it: passed on in Kafka's Envelope (KIP-590), on
//! the first core.
//!
//! ```text
//! request ─► waits for a leader ─► Envelope ─► its answer ─► a fresh read ─► all cores have that image ─► reply
//! ```
//! The last two steps are what makes a change visible here before it is answered for (C65). A request that may have been heard
//! before its connection broke is not sent again: its client is cut off, as it would have been by the controller, and decides for
//! itself.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use net::peers::{PeerAnswer, Question, QuestionId};
use net::{CloseReason, Reply};
use protocol::messages::envelope_request::EnvelopeRequest;
use protocol::messages::envelope_response::EnvelopeResponse;
use protocol::{ApiKey, ErrorCode, encode_response};
use quorum::ReadId;
use shard::{Buf, Nanos};

use super::Broker;
use super::peers::Lane;
use crate::api::{self, ServedTo};
use crate::mail::Turn;
use crate::request::{ReplyTo, Request};

/// The version of Envelope.
const VERSION: i16 = 0;

/// A request waits so long for a controller that takes it, in ms; and then for its answer, which an election may hold up.
const LEADER_MS_MAX: i64 = 5_000;
const ANSWER_MS_MAX: i64 = 30_000;

/// What brokers themselves ask is answered within so long or asked again, in ms: a heartbeat must not wait for a dead connection.
const BARE_MS_MAX: i64 = 2_000;

/// Requests that may be on their way.
const FORWARDS_MAX: usize = 10_000;

/// Those of one node that are on their way.
#[derive(Debug, Default)]
pub(super) struct Forwards {
    /// Without a controller to be sent to, each until when.
    unsent: VecDeque<(Nanos, Box<Request>)>,
    sent: BTreeMap<QuestionId, Sent>,
    /// Answered, and not yet known to be visible here.
    reading: BTreeMap<ReadId, (Box<Request>, Reply)>,
    /// Visible when all cores have applied this version.
    applying: Vec<(i64, Box<Request>, Reply)>,
}

/// A request that is on its way.
#[derive(Debug)]
struct Sent {
    request: Box<Request>,
    /// Until when it may look for another controller.
    until: Nanos,
    /// Whether it went as it is, for what brokers themselves ask needs no Envelope.
    is_bare: bool,
}

impl Forwards {
    fn len(&self) -> usize {
        self.unsent.len() + self.sent.len() + self.reading.len() + self.applying.len()
    }
}

impl Broker {
    /// Passes a request on to the active controller, on the first core.
    pub(super) fn pass_on(&mut self, turn: &mut Turn<'_>, request: Request) {
        if let ReplyTo::Envelope { slot, correlation_id } = request.to {
            // It was passed on to this node, which is no longer the controller: the sender finds the one that is.
            let reply = envelope_answer(correlation_id, Err(ErrorCode::NotController));
            let sender = Request { to: ReplyTo::Client(slot), ..request };
            return self.reply_or_close(turn, &sender, reply);
        }
        if self.forwards.len() >= FORWARDS_MAX {
            return self.give_up(turn, &request, "too many changes of the metadata are waiting");
        }
        self.forwards.unsent.push_back((turn.now.plus_ms(LEADER_MS_MAX), Box::new(request)));
        self.send_forwards(turn);
    }

    /// Sends what waits for a controller, if one is known; carries it out if it is this node.
    pub(super) fn send_forwards(&mut self, turn: &mut Turn<'_>) {
        while !self.forwards.unsent.is_empty() {
            if self.controller().is_active() {
                let (_, request) = self.forwards.unsent.pop_front().expect("there is one");
                self.on_controller_request(turn, *request);
                continue;
            }
            let Some(leader) = self.controller().leader().filter(|id| *id != self.node.id) else { return };
            let (until, request) = self.forwards.unsent.pop_front().expect("there is one");
            let is_bare = api::find(request.key).is_some_and(|api| api.served_to == ServedTo::Peers);
            let wait_ms = if is_bare { BARE_MS_MAX } else { ANSWER_MS_MAX };
            let question = question_of(&request, is_bare, turn.now.plus_ms(wait_ms));
            match self.peers.peers.ask(Lane::Requests.to(leader), question) {
                Ok(id) => _ = self.forwards.sent.insert(id, Sent { request, until, is_bare }),
                Err(_) => {
                    self.forwards.unsent.push_front((until, request));
                    return;
                }
            }
        }
    }

    /// Gives up what has waited too long for a controller.
    pub(super) fn expire_forwards(&mut self, turn: &mut Turn<'_>) {
        let (late, left) = std::mem::take(&mut self.forwards.unsent)
            .into_iter()
            .partition(|(until, _): &(Nanos, Box<Request>)| *until <= turn.now);
        self.forwards.unsent = left;
        let late: VecDeque<(Nanos, Box<Request>)> = late;
        for (_, request) in late {
            self.give_up(turn, &request, "no active controller could be reached");
        }
    }

    /// A peer has answered a question on the lane of requests; `false` if it is not one of these.
    pub(super) fn on_forward_answer(
        &mut self,
        turn: &mut Turn<'_>,
        id: QuestionId,
        answer: &PeerAnswer,
    ) -> bool {
        let Some(Sent { request, until, is_bare }) = self.forwards.sent.remove(&id) else { return false };
        if is_bare {
            let reply = Reply::Send(vec![framed(answer.frame())]);
            self.reply_or_close(turn, &request, reply);
            return true;
        }
        match answer.read::<EnvelopeResponse<'_>>() {
            Ok(EnvelopeResponse { response_data: Some(data), .. }) => {
                self.read_for(turn, request, Reply::Send(vec![framed(data)]));
            }
            Ok(EnvelopeResponse { error_code, .. }) if error_code == ErrorCode::NotController.code() => {
                // It was not carried out: once more, when another leader is known. The next tick tries.
                self.forwards.unsent.push_back((until, request));
            }
            Ok(EnvelopeResponse { error_code, .. }) => {
                let name = ErrorCode::from_code(error_code).map_or("an unknown error", ErrorCode::name);
                self.give_up(turn, &request, &format!("the controller does not take it: {name}"));
            }
            Err(error) => {
                self.give_up(turn, &request, &format!("the controller's answer cannot be read: {error}"));
            }
        }
        true
    }

    /// A question on the lane of requests has failed; `false` if it is not one of these.
    pub(super) fn on_forward_failed(&mut self, turn: &mut Turn<'_>, id: QuestionId, why: &str) -> bool {
        let Some(Sent { request, .. }) = self.forwards.sent.remove(&id) else { return false };
        self.give_up(turn, &request, &format!("the controller did not answer: {why}"));
        true
    }

    /// What the controller has changed is not answered for before it is seen here.
    fn read_for(&mut self, turn: &mut Turn<'_>, request: Box<Request>, reply: Reply) {
        let (id, effects) = self.controller().read(turn.disk, turn.wall_ms);
        match id {
            Some(id) => _ = self.forwards.reading.insert(id, (request, reply)),
            None => self.give_up(turn, &request, "too many wait to see their changes"),
        }
        self.carry_out(turn, effects);
    }

    /// A fresh read has ended.
    pub(super) fn on_read(&mut self, turn: &mut Turn<'_>, id: ReadId, is_fresh: bool) {
        let Some((request, reply)) = self.forwards.reading.remove(&id) else { return };
        if is_fresh {
            let version = self.controller().image().version;
            self.forwards.applying.push((version, request, reply));
            self.finish_forwards(turn);
        } else {
            self.give_up(turn, &request, "the change is made, but did not become visible here in time");
        }
    }

    /// Answers what all cores see.
    pub(super) fn finish_forwards(&mut self, turn: &mut Turn<'_>) {
        let applied = self.controller().applied_version();
        let is_seen = |(version, ..): &(i64, Box<Request>, Reply)| *version <= applied;
        let (seen, left) = std::mem::take(&mut self.forwards.applying).into_iter().partition(is_seen);
        self.forwards.applying = left;
        let seen: Vec<(i64, Box<Request>, Reply)> = seen;
        for (_, request, reply) in seen {
            self.reply_or_close(turn, &request, reply);
        }
    }

    fn give_up(&mut self, turn: &mut Turn<'_>, request: &Request, why: &str) {
        self.reply_or_close(turn, request, Reply::Close(CloseReason::Request(why.to_owned().into())));
    }
}

/// What the controller is asked.
fn question_of(request: &Request, is_bare: bool, until: Nanos) -> Question {
    if is_bare {
        return Question::of_frame(request.key, request.version, &request.frame, until);
    }
    let address = match request.peer.ip().to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    let envelope =
        EnvelopeRequest { request_data: &request.frame, client_host_address: &address, ..Default::default() };
    Question::of(&envelope, VERSION, until)
}

/// A frame with its size before it.
fn framed(frame: &[u8]) -> Buf {
    let size = i32::try_from(frame.len()).expect("a frame is smaller than what brought it");
    Buf::from([&size.to_be_bytes()[..], frame].concat())
}

/// The answer to an Envelope.
pub(super) fn envelope_answer(correlation_id: i32, outcome: Result<&[u8], ErrorCode>) -> Reply {
    let response = EnvelopeResponse {
        response_data: outcome.ok(),
        error_code: outcome.err().unwrap_or(ErrorCode::None).code(),
        ..Default::default()
    };
    let frame = encode_response(ApiKey::Envelope, VERSION, correlation_id, &response);
    Reply::Send(vec![Buf::from(frame)])
}

/// What goes into the answer to an Envelope: the reply's frame without its size, or that there is none.
pub(super) fn enveloped(correlation_id: i32, reply: Reply) -> Reply {
    match reply {
        Reply::Send(parts) => {
            let frame = parts.iter().map(|part| &part[..]).collect::<Vec<_>>().concat();
            envelope_answer(correlation_id, Ok(frame.get(size_of::<i32>()..).unwrap_or_default()))
        }
        Reply::Silent | Reply::Close(_) => {
            envelope_answer(correlation_id, Err(ErrorCode::UnknownServerError))
        }
    }
}
