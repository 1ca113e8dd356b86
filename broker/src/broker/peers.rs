//! Other nodes of the cluster: this core's connections to them, and messages among controllers in both directions.
//!
//! ```text
//!   Broker::tell_controller ─► Peers ─► … ─► the other node's peer listener, any core ─► its controller's core
//!                                                                                            │
//!   a line in the log, if it was refused ◄──────────────── an error code and a text ◄────────┘
//! ```
//! An answer says that a message has come to the controller, not what it makes of it. A message that does not come is lost:
//! whoever sends it says it again, as consensus does by itself.

use std::collections::BTreeMap;

use net::client::Address;
use net::peers::{
    AskRefusal, PeerAnswer, PeerEvent, PeerFault, PeerId, PeerLimits, PeerTurn, Peers, Question,
};
use net::{Reply, ReplySlot};
use protocol::controller_message::{self, ControllerMessage, ControllerMessageAnswer};
use protocol::{Decoder, ErrorCode};
use shard::timer::TimerId;
use shard::{Buf, Nanos, ShardId, Token};

use super::{Broker, CONTROLLER, TIMER_PEERS};
use crate::mail::{Mail, Turn};
use crate::request::ReplyTo;

/// A message that is not taken within so long is lost, and its connection with it.
const MESSAGE_MS_MAX: i64 = 1_000;

/// Lines in the log about one peer are at least so far apart, ms.
const LINE_MS_MIN: u128 = 5_000;

/// Which of the connections to a node: what goes by one does not wait for what goes by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Lane {
    /// Messages among controllers.
    Controllers = 0,
    /// Requests in Kafka's words.
    Requests = 1,
}

impl Lane {
    /// The connection of this lane to a node.
    pub fn to(self, node: i32) -> PeerId {
        PeerId { node, lane: self as u8 }
    }
}

/// One core's side of it.
#[derive(Debug)]
pub(super) struct PeersHere {
    pub(super) peers: Peers,
    /// The timer that is set for them.
    timer: Option<(Nanos, TimerId)>,
    /// When the log last had a line about a peer, and what it was not told since.
    told: BTreeMap<PeerId, (Nanos, u64)>,
}

/// A message from another controller, on its way to this node's.
#[derive(Debug)]
pub struct ControllerLetter {
    /// The core that took it in.
    pub origin: ShardId,
    /// Where the answer goes.
    pub slot: ReplySlot,
    /// Returned in the answer.
    pub correlation_id: i32,
    /// The node that says it.
    pub from: i32,
    /// What it says.
    pub content: Buf,
}

/// Why a message is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageRefusal {
    /// The sender belongs to another cluster.
    WrongCluster,
    /// Another node was meant.
    WrongNode,
    /// The sender is no controller of this cluster.
    UnknownSender,
    /// What it says makes no sense here.
    Invalid,
    /// The two controllers contradict each other about what is committed, or this one has failed.
    Unable,
}

impl MessageRefusal {
    /// The same as the quorum says it.
    fn of_quorum(refusal: &quorum::MessageRefusal) -> MessageRefusal {
        match refusal {
            quorum::MessageRefusal::OtherCluster(_) => MessageRefusal::WrongCluster,
            quorum::MessageRefusal::OtherNode(_) => MessageRefusal::WrongNode,
            quorum::MessageRefusal::UnknownSender(_) => MessageRefusal::UnknownSender,
            quorum::MessageRefusal::Malformed(_)
            | quorum::MessageRefusal::Absurd(_)
            | quorum::MessageRefusal::UnknownVersion(_)
            | quorum::MessageRefusal::OtherSender(_) => MessageRefusal::Invalid,
            quorum::MessageRefusal::Contradicts(_) | quorum::MessageRefusal::Offline => {
                MessageRefusal::Unable
            }
        }
    }

    fn code(self) -> ErrorCode {
        match self {
            MessageRefusal::WrongCluster => ErrorCode::InconsistentClusterId,
            MessageRefusal::WrongNode => ErrorCode::InvalidVoterKey,
            MessageRefusal::UnknownSender => ErrorCode::UnknownControllerId,
            MessageRefusal::Invalid => ErrorCode::InvalidRequest,
            MessageRefusal::Unable => ErrorCode::KafkaStorageError,
        }
    }
}

impl PeersHere {
    pub(super) fn new() -> PeersHere {
        PeersHere { peers: Peers::new(PeerLimits::default()), timer: None, told: BTreeMap::new() }
    }

    /// Tells the log of something, unless it was told of this peer a moment ago.
    fn complain(&mut self, now: Nanos, peer: PeerId, what: &str) {
        match self.told.get_mut(&peer) {
            Some((at, untold)) if now.since(*at).as_millis() < LINE_MS_MIN => *untold += 1,
            told => {
                let untold = told.map_or(0, |(_, untold)| *untold);
                tracing::warn!(node = peer.node, untold, "{what}");
                self.told.insert(peer, (now, 0));
            }
        }
    }
}

impl Broker {
    /// Says where the peer listener of a node is.
    pub fn set_peer_address(&mut self, node: i32, address: &Address) {
        for lane in [Lane::Controllers, Lane::Requests] {
            self.peers.peers.set_address(lane.to(node), address.clone());
        }
    }

    /// Forgets a node that is not part of the cluster any more.
    pub fn forget_peer(&mut self, turn: &mut Turn<'_>, node: i32) {
        for lane in [Lane::Controllers, Lane::Requests] {
            self.peers.peers.forget(&mut peer_turn(turn), lane.to(node));
            self.peers.told.remove(&lane.to(node));
        }
    }

    /// Whether this core has a connection to another node, of one kind.
    pub fn is_connected(&self, node: i32, lane: Lane) -> bool {
        self.peers.peers.is_connected(lane.to(node))
    }

    /// Says something to the controller of another node: with the end of the turn, which needs to come. It may be lost.
    pub fn tell_controller(&mut self, now: Nanos, node: i32, content: &[u8]) -> Result<(), AskRefusal> {
        let message =
            ControllerMessage { cluster_id: &self.node.cluster_id, from: self.node.id, to: node, content };
        let question = Question::of_controllers(&message, now.plus_ms(MESSAGE_MS_MAX));
        self.peers.peers.ask(Lane::Controllers.to(node), question).map(drop)
    }

    /// A message of another controller's has come in by the peer listener. Whoever sends what is none loses the connection.
    pub(super) fn on_controller_message(
        &mut self,
        turn: &mut Turn<'_>,
        slot: ReplySlot,
        frame: &Buf,
        (version, correlation_id, body_at): (i16, i32, usize),
    ) {
        let mut d = Decoder::new(frame);
        let known = controller_message::VERSIONS.contains(&version);
        let decoded = d.take(body_at).and_then(|_| ControllerMessage::decode(&mut d));
        let message = match decoded {
            Ok(message) if known => message,
            Ok(_) => {
                return self
                    .refuse(slot, format!("version {version} of a controller's message is not served"));
            }
            Err(error) => {
                return self.refuse(slot, format!("a controller's message cannot be read: {error}"));
            }
        };
        let (from, end) = (message.from, d.position());
        let content = frame.slice(end - message.content.len()..end);
        let letter = ControllerLetter { origin: turn.shard, slot, correlation_id, from, content };
        if message.cluster_id != self.node.cluster_id {
            let why = format!("this is cluster {}, not {}", self.node.cluster_id, message.cluster_id);
            return self.answer_controller(turn, &letter, Err((MessageRefusal::WrongCluster, why)));
        }
        if message.to != self.node.id {
            let why =
                format!("this is node {}, not {}: is the address the right one?", self.node.id, message.to);
            return self.answer_controller(turn, &letter, Err((MessageRefusal::WrongNode, why)));
        }
        if self.is_controller() {
            self.on_controller_letter(turn, letter);
        } else {
            turn.mail.send(CONTROLLER, Mail::ControllerMessage(Box::new(letter)));
        }
    }

    /// Hands a message to the controller, on its core.
    pub(super) fn on_controller_letter(&mut self, turn: &mut Turn<'_>, mut letter: ControllerLetter) {
        let content = std::mem::replace(&mut letter.content, Buf::from_static(&[]));
        let taken = self.heed_letter(turn, letter.from, &content);
        let taken = taken.map_err(|refusal| (MessageRefusal::of_quorum(&refusal), refusal.to_string()));
        self.answer_controller(turn, &letter, taken);
    }

    fn answer_controller(
        &mut self,
        turn: &mut Turn<'_>,
        letter: &ControllerLetter,
        taken: Result<(), (MessageRefusal, String)>,
    ) {
        let code = taken.as_ref().map_or_else(|(refusal, _)| refusal.code(), |()| ErrorCode::None);
        let message = taken.as_ref().err().map(|(_, why)| why.as_str());
        let answer = ControllerMessageAnswer { error_code: code.code(), message };
        let frame = answer.encode_response(letter.correlation_id);
        let reply = Reply::Send(vec![Buf::from(frame)]);
        if letter.origin == turn.shard {
            self.server.complete(letter.slot, reply);
        } else {
            turn.mail.send(letter.origin, Mail::Reply(ReplyTo::Client(letter.slot), reply));
        }
    }

    /// Takes note of what happened on the connections to other nodes; `true` if anything has.
    pub(super) fn on_peer_events(&mut self, turn: &mut Turn<'_>) -> bool {
        let mut events = Vec::new();
        self.peers.peers.take_events(&mut events);
        let has_any = !events.is_empty();
        for event in events {
            match event {
                PeerEvent::Connected { peer } => {
                    tracing::info!(node = peer.node, lane = peer.lane, "connected to a peer");
                    self.peers.told.remove(&peer);
                }
                PeerEvent::Disconnected { peer, fault } => {
                    self.peers.complain(turn.now, peer, &format!("no connection to the peer: {fault}"));
                }
                PeerEvent::Answered { peer, question, answer } if peer.lane == Lane::Requests as u8 => {
                    self.on_forward_answer(turn, question, &answer);
                }
                PeerEvent::Answered { peer, answer, .. } => self.on_peer_answer(turn, peer, &answer),
                PeerEvent::Failed { peer, question, fault } if peer.lane == Lane::Requests as u8 => {
                    self.on_forward_failed(turn, question, &fault.to_string());
                }
                // That the connection is gone was told once for all that waited for it.
                PeerEvent::Failed { peer, fault: fault @ PeerFault::NotServed { .. }, .. } => {
                    self.peers.complain(turn.now, peer, &format!("the peer cannot be asked: {fault}"));
                }
                PeerEvent::Failed { .. } => {}
            }
        }
        has_any
    }

    fn on_peer_answer(&mut self, turn: &Turn<'_>, peer: PeerId, answer: &PeerAnswer) {
        let mut body = answer.body();
        let read = body.as_mut().map_err(|error| *error).and_then(ControllerMessageAnswer::decode);
        let text = match read {
            Ok(ControllerMessageAnswer { error_code: 0, .. }) => return,
            Ok(ControllerMessageAnswer { error_code, message }) => {
                let name = ErrorCode::from_code(error_code).map_or("an unknown error", ErrorCode::name);
                format!("the peer refuses a controller's message: {} ({name})", message.unwrap_or_default())
            }
            Err(error) => format!("the peer's answer cannot be read: {error}"),
        };
        self.peers.complain(turn.now, peer, &text);
    }

    /// Ends the turn for the connections to other nodes, and sees to it that the next one comes in time; `true` if it has to come
    /// at once.
    pub(super) fn flush_peers(&mut self, turn: &mut Turn<'_>) -> bool {
        self.peers.peers.flush(&mut peer_turn(turn));
        let has_events = self.on_peer_events(turn);
        let due = self.peers.peers.next_deadline();
        if due == self.peers.timer.map(|(due, _)| due) {
            return has_events;
        }
        if let Some((_, timer)) = self.peers.timer.take() {
            turn.timers.cancel(timer);
        }
        self.peers.timer = due.map(|due| (due, turn.timers.set(due, Token(TIMER_PEERS << 56))));
        has_events
    }

    /// The core ends: so do its connections to other nodes.
    pub(super) fn stop_peers(&mut self, turn: &mut Turn<'_>) {
        self.peers.peers.stop(&mut peer_turn(turn));
    }
}

/// What the connections need of a turn.
pub(super) fn peer_turn<'a>(turn: &'a mut Turn<'_>) -> PeerTurn<'a> {
    PeerTurn { ops: turn.ops, pool: turn.pool, now: turn.now, random_u64: turn.random_u64 }
}
