//! One core's connections to other nodes: made when first needed, remade when lost, and bounded in all that they hold.
//!
//! ```text
//!             ask                                             sent                    its answer
//!   question ────► waits for the connection, or for the send ─────► waits for its answer ───────► Answered
//!                        │ its deadline                                   │ its deadline, or the connection's end
//!                        └──────────────► Failed ◄────────────────────────┘
//! ```
//! Answers come in the order of their questions, so what must not wait for the other goes by another *lane*: a connection of
//! its own to the same node. A connection begins with ApiVersions, though both ends may be ours: nodes of two versions meet
//! while a cluster is replaced one by one, and a listener for clients that was given as one for peers is found out.
//!
//! Nothing happens but in [`Peers::on_completion`] and [`Peers::flush`]; call the latter at the end of each turn, and again
//! at [`Peers::next_deadline`].

mod fault;
mod link;
mod question;

use std::collections::BTreeMap;

use protocol::ApiKey;
use shard::random::Random;
use shard::{Completion, Nanos, Op, Ops, Outcome, Pool, SocketId, Token};
use slab::Slab;

use crate::client::Address;
use link::{Link, Step};

pub use fault::PeerFault;
pub use question::{PeerAnswer, Question, QuestionId};

/// The kinds of operation, as the top byte of their tokens.
const RESOLVE: u64 = 8;
const CONNECT: u64 = 9;
const RECEIVE: u64 = 10;
const SEND: u64 = 11;
const CLOSE: u64 = 12;

/// Bits of a link's generation that a token carries.
const GENERATION_MASK: u32 = (1 << 24) - 1;

/// Another node, by one of the connections to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerId {
    /// Its node id.
    pub node: i32,
    /// Which of the connections: what the numbers mean is the caller's.
    pub lane: u8,
}

/// What each connection may take, and how long.
#[derive(Debug, Clone)]
pub struct PeerLimits {
    /// Questions that may wait, for the connection or for their answers.
    pub questions_max: usize,
    /// Their bytes.
    pub question_bytes_max: usize,
    /// The largest answer, bytes.
    pub answer_bytes_max: usize,
    /// How long a connection may take to come about, ms; and then ApiVersions.
    pub connect_ms_max: i64,
    /// The pause after a first failure, ms; each further one doubles it.
    pub pause_ms_min: u64,
    /// The longest pause, ms.
    pub pause_ms_max: u64,
}

impl Default for PeerLimits {
    fn default() -> PeerLimits {
        PeerLimits {
            questions_max: 256,
            question_bytes_max: 64 << 20,
            answer_bytes_max: 64 << 20,
            connect_ms_max: 1_000,
            pause_ms_min: 20,
            pause_ms_max: 500,
        }
    }
}

/// What happened.
#[derive(Debug)]
pub enum PeerEvent {
    /// A connection is there.
    Connected {
        /// To whom.
        peer: PeerId,
    },
    /// A connection, or an attempt at one, has ended.
    Disconnected {
        /// To whom.
        peer: PeerId,
        /// Why.
        fault: PeerFault,
    },
    /// A question is answered.
    Answered {
        /// By whom.
        peer: PeerId,
        /// Which.
        question: QuestionId,
        /// The answer.
        answer: PeerAnswer,
    },
    /// A question will not be answered. Whether it was heard is not known.
    Failed {
        /// Who was asked.
        peer: PeerId,
        /// Which.
        question: QuestionId,
        /// Why not.
        fault: PeerFault,
    },
}

/// Why a question is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskRefusal {
    /// Nobody has said where this peer is.
    Unknown,
    /// As much waits for this peer as may.
    Full,
}

/// What the connections need of a turn.
pub struct PeerTurn<'a> {
    /// Where operations go.
    pub ops: &'a mut Ops,
    /// Where buffers come from.
    pub pool: &'a Pool,
    /// Now.
    pub now: Nanos,
    /// A random number of this turn's.
    pub random_u64: u64,
}

/// One core's connections to other nodes.
#[derive(Debug)]
pub struct Peers {
    limits: PeerLimits,
    links: Slab<Link>,
    by_id: BTreeMap<PeerId, usize>,
    events: Vec<PeerEvent>,
    question_count: u64,
    generation: u32,
}

impl Peers {
    /// Nobody is known yet.
    pub fn new(limits: PeerLimits) -> Peers {
        let (links, by_id, events) = (Slab::new(), BTreeMap::new(), Vec::new());
        Peers { limits, links, by_id, events, question_count: 0, generation: 0 }
    }

    /// Whether a completion with this token belongs here.
    pub fn owns(token: Token) -> bool {
        (RESOLVE..=CLOSE).contains(&(token.0 >> 56))
    }

    /// Says where a peer is. A connection to where it was before ends with the next [`Peers::flush`].
    pub fn set_address(&mut self, peer: PeerId, address: Address) {
        match self.by_id.get(&peer) {
            Some(&key) => self.links[key].set_address(address),
            None => {
                let key = self.links.insert(Link::new(peer, address, self.limits.answer_bytes_max));
                self.by_id.insert(peer, key);
            }
        }
    }

    /// Ends what there is with a peer; its questions fail.
    pub fn forget(&mut self, turn: &mut PeerTurn<'_>, peer: PeerId) {
        let Some(key) = self.by_id.remove(&peer) else { return };
        self.fail(turn, key, PeerFault::Forgotten);
        let mut link = self.links.remove(key);
        link.fail_waiting(&PeerFault::Forgotten, &mut self.events);
    }

    /// Who is known.
    pub fn ids(&self) -> impl Iterator<Item = PeerId> + '_ {
        self.by_id.keys().copied()
    }

    /// Whether a connection to a peer is there.
    pub fn is_connected(&self, peer: PeerId) -> bool {
        self.by_id.get(&peer).is_some_and(|&key| self.links[key].is_up())
    }

    /// The best version of a request that a peer and we speak: the newest of ours as long as it has not said what it serves,
    /// none if it serves none of ours.
    pub fn version_for(&self, peer: PeerId, key: ApiKey, ours: std::ops::RangeInclusive<i16>) -> Option<i16> {
        match self.by_id.get(&peer).and_then(|&key| self.links[key].versions()) {
            Some(theirs) => theirs.choose(key, ours, i16::MAX).ok(),
            None => Some(*ours.end()),
        }
    }

    /// Takes a question on. What became of it is told by an event.
    pub fn ask(&mut self, peer: PeerId, question: Question) -> Result<QuestionId, AskRefusal> {
        let key = *self.by_id.get(&peer).ok_or(AskRefusal::Unknown)?;
        let id = QuestionId(self.question_count + 1);
        self.links[key].ask(id, question, &self.limits)?;
        self.question_count += 1;
        Ok(id)
    }

    /// Moves what happened since the last call into `events`, which is empty; its memory is used again.
    pub fn take_events(&mut self, events: &mut Vec<PeerEvent>) {
        debug_assert!(events.is_empty(), "events are handled before more are taken");
        std::mem::swap(&mut self.events, events);
    }

    /// When [`Peers::flush`] has something to do though nothing comes.
    pub fn next_deadline(&self) -> Option<Nanos> {
        self.links.iter().filter_map(|(_, link)| link.next_deadline()).min()
    }

    /// Takes a completion in that [`Peers::owns`].
    pub fn on_completion(&mut self, turn: &mut PeerTurn<'_>, completion: Completion) {
        let kind = completion.token.0 >> 56;
        let key = (completion.token.0 & u64::from(u32::MAX)) as usize;
        let is_current = self.links.get(key).is_some_and(|link| {
            u64::from(link.generation & GENERATION_MASK)
                == (completion.token.0 >> 32) & u64::from(GENERATION_MASK)
        });
        match completion.outcome {
            // Given up before it had a name.
            Outcome::Connecting { socket } if !is_current => self.push_close(turn, socket, key),
            _ if !is_current => {}
            Outcome::Connecting { socket } => self.links[key].socket = Some(socket),
            Outcome::Resolved(addresses) => self.on_resolved(turn, key, addresses),
            Outcome::Connected => {
                self.links[key].greet(turn.now, &self.limits);
                let socket = self.links[key].socket.expect("a socket is told before it is connected");
                turn.ops.push(self.token(RECEIVE, key), Op::Receive { socket });
            }
            Outcome::Received(bytes) if bytes.is_empty() => self.fail(turn, key, PeerFault::PeerClosed),
            Outcome::Received(bytes) => {
                let step = self.links[key].on_bytes(bytes, turn.pool, &mut self.events);
                self.take_step(turn, key, step);
            }
            Outcome::Sent => self.links[key].is_sending = false,
            Outcome::Failed(error) => {
                let fault = match kind {
                    RESOLVE => PeerFault::Unresolved(error),
                    CONNECT => PeerFault::Unreachable(error),
                    _ => PeerFault::Broken(error),
                };
                self.fail(turn, key, fault);
            }
            Outcome::Closed => {}
            Outcome::Accepted { .. }
            | Outcome::ReceivedInto(_)
            | Outcome::Written
            | Outcome::WrittenDurable(_)
            | Outcome::Read(_)
            | Outcome::Synced
            | Outcome::WritebackBegun => unreachable!("nothing of the kind was asked for"),
        }
    }

    fn on_resolved(&mut self, turn: &mut PeerTurn<'_>, key: usize, addresses: Vec<std::net::SocketAddr>) {
        self.links[key].addresses = addresses.into();
        self.begin(turn, key);
    }

    /// Ends the turn: ends what has taken too long, begins connections that are needed, sends what waits.
    pub fn flush(&mut self, turn: &mut PeerTurn<'_>) {
        let keys: Vec<usize> = self.links.iter().map(|(key, _)| key).collect();
        for key in keys {
            let step = self.links[key].on_time(turn.now, &mut self.events);
            self.take_step(turn, key, step);
            let frames = self.links[key].take_frames(&mut self.events);
            if !frames.is_empty() {
                self.push_send(turn, key, frames);
            }
        }
    }

    /// Ends all connections, for the core is about to end.
    pub fn stop(&mut self, turn: &mut PeerTurn<'_>) {
        let known: Vec<PeerId> = self.ids().collect();
        known.into_iter().for_each(|peer| self.forget(turn, peer));
    }

    fn take_step(&mut self, turn: &mut PeerTurn<'_>, key: usize, step: Step) {
        match step {
            Step::None => {}
            Step::Begin => self.begin(turn, key),
            Step::Fail(fault) => self.fail(turn, key, fault),
        }
    }

    /// Begins, or goes on, to make a connection.
    fn begin(&mut self, turn: &mut PeerTurn<'_>, key: usize) {
        self.generation = self.generation.wrapping_add(1);
        let op = self.links[key].begin(self.generation, turn.now, &self.limits);
        let kind = if matches!(op, Op::Connect { .. }) { CONNECT } else { RESOLVE };
        turn.ops.push(self.token(kind, key), op);
    }

    /// Ends a connection or the attempt at one. What was asked on it fails; what waits goes on waiting.
    fn fail(&mut self, turn: &mut PeerTurn<'_>, key: usize, fault: PeerFault) {
        self.generation = self.generation.wrapping_add(1);
        let mut random = Random::from_seed(turn.random_u64 ^ u64::from(self.generation));
        let jitter = random.next_u64();
        let link = &mut self.links[key];
        let socket = link.fail(self.generation, &fault, &mut self.events);
        link.rest(turn.now, jitter, &self.limits);
        if let Some(socket) = socket {
            self.push_close(turn, socket, key);
        }
    }

    fn push_send(&mut self, turn: &mut PeerTurn<'_>, key: usize, frames: Vec<Vec<u8>>) {
        let link = &mut self.links[key];
        let socket = link.socket.expect("only a connection is sent on");
        link.is_sending = true;
        let parts = frames.into_iter().map(shard::Buf::from).collect();
        turn.ops.push(self.token(SEND, key), Op::Send { socket, parts });
    }

    fn push_close(&self, turn: &mut PeerTurn<'_>, socket: SocketId, key: usize) {
        turn.ops.push(Token((CLOSE << 56) | key as u64), Op::Close { socket });
    }

    fn token(&self, kind: u64, key: usize) -> Token {
        let generation = self.links[key].generation & GENERATION_MASK;
        Token((kind << 56) | (u64::from(generation) << 32) | key as u64)
    }
}

#[cfg(test)]
mod tests;
