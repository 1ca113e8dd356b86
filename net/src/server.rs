//! One core's connections: accepts them, cuts requests out of them, sends replies in order, closes them for a reason.
//!
//! A connection takes on at most [`Limits::requests_max`] requests that are not answered; then it stops receiving until
//! replies are out, so that a peer that asks much and reads nothing costs a bounded amount.

use std::net::SocketAddr;

use protocol::{ApiKey, controller_message};
use shard::{Buf, Completion, IoError, ListenerId, Nanos, Op, Ops, Outcome, Pool, SocketId, Token};
use slab::Slab;

use crate::admission::Admission;
use crate::close::CloseReason;
use crate::connection::{Connection, Receiving};
use crate::counts::{Arrival, NetCounts};
use crate::frame::FrameReader;
use crate::replies::{Replies, Reply};

/// A send takes about this many bytes at most, so that one reader's backlog does not fill the kernel's memory.
const SEND_BYTES_MAX: usize = 4 << 20;

/// A connection that receives in place goes back to small pieces after this long without a byte.
const LARGE_IDLE_MS: i64 = 5_000;

/// A connection that is to close after its last reply waits this long for the peer to take it.
const CLOSE_WAIT_MS: i64 = 5_000;

/// After a failed accept (descriptors used up, say) the listener rests this long, and until the next tick.
const ACCEPT_REST_MS: i64 = 100;

/// Which of the broker's listeners, in the order of its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListenerIndex(pub usize);

/// A connection, never confused with a later one in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionId {
    key: u32,
    generation: u32,
}

/// A request's place in the order of its connection's replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplySlot {
    connection: ConnectionId,
    sequence: u64,
}

impl ReplySlot {
    /// Whose request it is.
    pub fn connection(&self) -> ConnectionId {
        self.connection
    }
}

/// What one core allows.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Largest request in bytes (`socket.request.max.bytes`).
    pub request_bytes_max: usize,
    /// Requests of one connection that may be unanswered.
    pub requests_max: usize,
    /// Idle connections are closed after this long (`connections.max.idle.ms`).
    pub idle_ms_max: i64,
    /// How many connections the node may have.
    pub admission: Admission,
    /// The listener that other nodes come in by, if there is one, and how many connections may: clients cannot take their
    /// places.
    pub peers: Option<(ListenerIndex, Admission)>,
}

impl Limits {
    fn admission_of(&self, listener: ListenerIndex) -> &Admission {
        match &self.peers {
            Some((peers, admission)) if *peers == listener => admission,
            _ => &self.admission,
        }
    }
}

/// What happened on the connections.
#[derive(Debug)]
pub enum Event {
    /// A request came in, whole; the reply goes into the slot.
    Request {
        /// Where the reply goes.
        slot: ReplySlot,
        /// The frame without its size.
        frame: Buf,
    },
    /// A connection ended; replies to it are dropped from now on.
    Closed {
        /// Which.
        connection: ConnectionId,
        /// Whose.
        peer: SocketAddr,
        /// Why.
        reason: CloseReason,
    },
}

/// What the server needs of a turn.
pub struct NetTurn<'a> {
    /// Where operations go.
    pub ops: &'a mut Ops,
    /// Where buffers come from.
    pub pool: &'a Pool,
    /// Now.
    pub now: Nanos,
}

/// The kinds of operation, as the top byte of their tokens.
const ACCEPT: u64 = 1;
const RECEIVE: u64 = 2;
const SEND: u64 = 3;
const CLOSE: u64 = 4;

fn token(kind: u64, key: usize) -> Token {
    Token((kind << 56) | key as u64)
}

/// The API key that a request begins with; -1 if it is too short for one.
fn key_of(frame: &[u8]) -> i16 {
    frame.first_chunk().map_or(-1, |key| i16::from_be_bytes(*key))
}

/// Whether a request's reply can be large: any but that of Produce, which is also the one that clients send in a row, and of
/// messages among controllers.
fn has_bulky_reply(frame: &[u8]) -> bool {
    let key = key_of(frame);
    key != ApiKey::Produce.code() && key != controller_message::KEY
}

/// One core's connections.
#[derive(Debug)]
pub struct Server {
    connections: Slab<Connection>,
    generation: u32,
    limits: Limits,
    listeners: Vec<(ListenerId, ListenerIndex)>,
    /// Listeners that rest after a failed accept, and until when.
    resting: Vec<(usize, Nanos)>,
    /// Connections with something to send, to close, or to take up again.
    listed: Vec<usize>,
    events: Vec<Event>,
    /// Bytes of replies that are made and not yet with the kernel.
    reply_bytes: usize,
    /// Whether no request is handed on for now, and the connections that have some.
    is_held: bool,
    held: Vec<usize>,
    is_stopping: bool,
    counts: NetCounts,
}

impl Server {
    /// A server without connections.
    pub fn new(limits: Limits) -> Server {
        Server {
            connections: Slab::new(),
            generation: 0,
            limits,
            listeners: Vec::new(),
            resting: Vec::new(),
            listed: Vec::new(),
            events: Vec::new(),
            reply_bytes: 0,
            is_held: false,
            held: Vec::new(),
            is_stopping: false,
            counts: NetCounts::default(),
        }
    }

    /// Whether a completion with this token is the server's.
    pub fn owns(token: Token) -> bool {
        (ACCEPT..=CLOSE).contains(&(token.0 >> 56))
    }

    /// Accepts connections at a listener.
    pub fn accept(&mut self, listener: ListenerId, index: ListenerIndex, ops: &mut Ops) {
        self.listeners.push((listener, index));
        ops.push(token(ACCEPT, self.listeners.len() - 1), Op::Accept { listener });
    }

    /// Connections that are open.
    pub fn connection_count(&self) -> usize {
        self.connections.len()
    }

    /// Bytes of replies that are made and not yet with the kernel, of all connections.
    pub fn reply_bytes(&self) -> usize {
        self.reply_bytes
    }

    /// What was counted so far.
    pub fn counts(&self) -> &NetCounts {
        &self.counts
    }

    /// Who is at the other end; `None` if the connection is gone.
    pub fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.get(id).map(|connection| connection.peer)
    }

    /// The listener that a connection came in by; `None` if the connection is gone.
    pub fn listener(&self, id: ConnectionId) -> Option<ListenerIndex> {
        self.get(id).map(|connection| ListenerIndex(connection.listener))
    }

    fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.get(id.key as usize).filter(|connection| connection.generation == id.generation)
    }

    /// Moves what happened since the last call into `events`, which is empty; its memory is used again.
    pub fn take_events(&mut self, events: &mut Vec<Event>) {
        debug_assert!(events.is_empty(), "events are handled before more are taken");
        std::mem::swap(&mut self.events, events);
    }

    /// Takes a completion in that [`Server::owns`].
    pub fn on_completion(&mut self, turn: &mut NetTurn<'_>, completion: Completion) {
        let key = (completion.token.0 & u64::from(u32::MAX)) as usize;
        match completion.outcome {
            Outcome::Accepted { socket, peer } => self.on_accepted(turn, key, socket, peer, completion.more),
            Outcome::Received(bytes) if bytes.is_empty() => self.begin_close(key, CloseReason::PeerClosed),
            Outcome::Received(bytes) => self.on_piece(turn, key, bytes),
            Outcome::ReceivedInto(buffer) => self.on_filled(turn, key, buffer),
            Outcome::Sent => self.on_sent(turn, key),
            Outcome::Closed => self.on_closed(key),
            Outcome::Failed(error) => self.on_failed(turn, completion.token, key, error),
            Outcome::Resolved(_) | Outcome::Connecting { .. } | Outcome::Connected => {
                unreachable!("the server connects to nobody")
            }
            Outcome::Written
            | Outcome::WrittenDurable(_)
            | Outcome::Read(_)
            | Outcome::Synced
            | Outcome::WritebackBegun => {
                unreachable!("files are not the server's")
            }
        }
    }

    fn on_accepted(
        &mut self,
        turn: &mut NetTurn<'_>,
        listener: usize,
        socket: SocketId,
        peer: SocketAddr,
        more: bool,
    ) {
        if !more {
            self.accept_again(turn, listener);
        }
        self.counts.accepted += 1;
        self.generation = self.generation.wrapping_add(1);
        let connection = Connection {
            generation: self.generation,
            socket,
            peer,
            listener: self.listeners[listener].1.0,
            reader: FrameReader::new(self.limits.request_bytes_max),
            replies: Replies::default(),
            receiving: Receiving::Paused,
            room_filled: 0,
            is_sending: false,
            sending_bytes: 0,
            sending: Vec::new(),
            reply_bytes: 0,
            is_bulky: false,
            is_listed: false,
            closing: None,
            is_close_pushed: false,
            last_active: turn.now,
        };
        let key = self.connections.insert(connection);
        if !self.limits.admission_of(self.listeners[listener].1).enter(peer.ip()) {
            self.begin_close(key, CloseReason::TooMany);
        } else if self.is_stopping {
            self.begin_close(key, CloseReason::Stopping);
        } else {
            self.resume(turn, key);
        }
    }

    fn accept_again(&self, turn: &mut NetTurn<'_>, listener: usize) {
        let op = Op::Accept { listener: self.listeners[listener].0 };
        turn.ops.push(token(ACCEPT, listener), op);
    }

    fn on_piece(&mut self, turn: &mut NetTurn<'_>, key: usize, piece: Buf) {
        let connection = &mut self.connections[key];
        connection.last_active = turn.now;
        self.counts.received_bytes += piece.len() as u64;
        if connection.closing.is_some() {
            return;
        }
        if let Err(error) = connection.reader.push(piece, turn.pool) {
            return self.begin_close(key, CloseReason::Frame(error));
        }
        if connection.reader.is_large() && connection.receiving == Receiving::Small {
            connection.receiving = Receiving::Switching;
            turn.ops.push(token(RECEIVE, key), Op::CancelReceive { socket: connection.socket });
        }
        self.hand_on(turn, key);
    }

    fn on_filled(&mut self, turn: &mut NetTurn<'_>, key: usize, buffer: shard::BufMut) {
        let connection = &mut self.connections[key];
        connection.receiving = Receiving::Paused;
        connection.last_active = turn.now;
        self.counts.received_bytes += (buffer.len() - connection.room_filled) as u64;
        if connection.closing.is_some() {
            return self.list(key);
        }
        if buffer.len() == connection.room_filled {
            return self.begin_close(key, CloseReason::PeerClosed);
        }
        if let Err(error) = connection.reader.on_filled(buffer, turn.pool) {
            return self.begin_close(key, CloseReason::Frame(error));
        }
        self.hand_on(turn, key);
    }

    /// Hands whole requests on as far as the connection may ask, and receives on unless it must wait.
    fn hand_on(&mut self, turn: &mut NetTurn<'_>, key: usize) {
        let is_held = self.is_held && !self.is_heard_to_the_end(key);
        let connection = &mut self.connections[key];
        let id = ConnectionId { key: key as u32, generation: connection.generation };
        if is_held && connection.reader.has_frames() {
            self.held.push(key);
        }
        while !is_held && connection.may_ask(self.limits.requests_max) {
            let Some(frame) = connection.reader.pop() else { break };
            connection.is_bulky = has_bulky_reply(&frame);
            let arrival = Arrival { key: key_of(&frame), at: turn.now };
            let slot = ReplySlot { connection: id, sequence: connection.replies.open(arrival) };
            self.events.push(Event::Request { slot, frame });
        }
        if !connection.reader.has_frames() {
            self.resume(turn, key);
        } else if connection.receiving == Receiving::Small {
            connection.receiving = Receiving::Switching;
            turn.ops.push(token(RECEIVE, key), Op::CancelReceive { socket: connection.socket });
        }
    }

    /// Other nodes are heard while this one winds down: it could not hand over what it leads otherwise.
    fn is_heard_to_the_end(&self, key: usize) -> bool {
        let peers = self.limits.peers.as_ref().map(|(listener, _)| listener.0);
        self.is_stopping && peers == Some(self.connections[key].listener)
    }

    /// Starts a receive if none is under way.
    fn resume(&mut self, turn: &mut NetTurn<'_>, key: usize) {
        let connection = &mut self.connections[key];
        if connection.receiving != Receiving::Paused || connection.closing.is_some() {
            return;
        }
        let socket = connection.socket;
        if connection.reader.was_large() {
            connection.receiving = Receiving::Large;
            let buffer = connection.reader.take_room(turn.pool);
            connection.room_filled = buffer.len();
            turn.ops.push(token(RECEIVE, key), Op::ReceiveInto { socket, buffer });
        } else {
            connection.receiving = Receiving::Small;
            turn.ops.push(token(RECEIVE, key), Op::Receive { socket });
        }
    }

    fn on_sent(&mut self, turn: &mut NetTurn<'_>, key: usize) {
        let connection = &mut self.connections[key];
        connection.is_sending = false;
        connection.last_active = turn.now;
        let sent_bytes = std::mem::take(&mut connection.sending_bytes);
        self.reply_bytes -= sent_bytes;
        self.counts.sent_bytes += sent_bytes as u64;
        for arrival in connection.sending.drain(..) {
            self.counts.on_answered(arrival, turn.now);
        }
        if connection.replies.len() == 0 {
            connection.is_bulky = false;
        }
        if connection.replies.is_ready() || connection.closing.is_some() || connection.reader.has_frames() {
            self.list(key);
        }
    }

    fn on_closed(&mut self, key: usize) {
        let connection = self.connections.remove(key);
        self.reply_bytes -= connection.sending_bytes + connection.reply_bytes;
        self.limits.admission_of(ListenerIndex(connection.listener)).leave(connection.peer.ip());
        let id = ConnectionId { key: key as u32, generation: connection.generation };
        let reason = connection.closing.unwrap_or(CloseReason::PeerClosed);
        self.counts.on_closed(&reason);
        self.events.push(Event::Closed { connection: id, peer: connection.peer, reason });
    }

    fn on_failed(&mut self, turn: &mut NetTurn<'_>, failed: Token, key: usize, error: IoError) {
        match failed.0 >> 56 {
            ACCEPT => {
                self.counts.accept_failures += 1;
                self.resting.push((key, turn.now.plus_ms(ACCEPT_REST_MS)));
            }
            RECEIVE if error == IoError::CANCELLED && self.connections[key].closing.is_none() => {
                self.connections[key].receiving = Receiving::Paused;
                self.hand_on(turn, key);
            }
            RECEIVE => {
                self.connections[key].receiving = Receiving::Paused;
                self.begin_close(key, CloseReason::Broken(error));
            }
            _ => {
                self.connections[key].is_sending = false;
                self.begin_close(key, CloseReason::Broken(error));
            }
        }
    }

    /// Ends a connection; the first reason stands.
    fn begin_close(&mut self, key: usize, reason: CloseReason) {
        self.connections[key].closing.get_or_insert(reason);
        self.list(key);
    }

    fn list(&mut self, key: usize) {
        if !std::mem::replace(&mut self.connections[key].is_listed, true) {
            self.listed.push(key);
        }
    }

    /// Fills a request's place; without effect if its connection is gone.
    pub fn complete(&mut self, slot: ReplySlot, reply: Reply) {
        let ReplySlot { connection: id, sequence } = slot;
        if self.get(id).is_none_or(|connection| connection.closing.is_some()) {
            return;
        }
        let connection = &mut self.connections[id.key as usize];
        self.reply_bytes += connection.complete(sequence, reply);
        if connection.replies.is_ready() {
            self.list(id.key as usize);
        }
    }

    /// Ends the turn: one send for each connection with replies, closes what is to close, takes paused ones up again.
    pub fn flush(&mut self, turn: &mut NetTurn<'_>) {
        // A connection that is taken up again may hand requests on, whose replies belong to the next turn.
        for key in std::mem::take(&mut self.listed) {
            let Some(connection) = self.connections.get_mut(key) else { continue };
            connection.is_listed = false;
            if connection.is_close_pushed {
                continue;
            }
            // A peer that reads nothing would hold its connection for ever if its send had to end first.
            if connection.closing.as_ref().is_some_and(CloseReason::is_final) {
                self.push_close(turn, key);
                continue;
            }
            if connection.is_sending {
                continue;
            }
            let parts = connection.take_ready(SEND_BYTES_MAX);
            let socket = connection.socket;
            if !parts.is_empty() {
                connection.is_sending = true;
                connection.sending_bytes = parts.iter().map(|part| part.len()).sum();
                connection.reply_bytes -= connection.sending_bytes;
                turn.ops.push(token(SEND, key), Op::Send { socket, parts });
                if connection.closing.is_none() {
                    self.hand_on(turn, key);
                }
            } else if connection.closing.is_some() {
                self.push_close(turn, key);
            } else {
                // Requests that want no reply are done with.
                for arrival in connection.sending.drain(..) {
                    self.counts.on_answered(arrival, turn.now);
                }
                self.hand_on(turn, key);
            }
        }
    }

    fn push_close(&mut self, turn: &mut NetTurn<'_>, key: usize) {
        let connection = &mut self.connections[key];
        connection.is_close_pushed = true;
        turn.ops.push(token(CLOSE, key), Op::Close { socket: connection.socket });
    }

    /// Whether requests wait that [`Server::flush`] has handed on after the turn's events were taken.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Once a second or so: closes idle connections, frees buffers of quiet ones, wakes resting listeners.
    pub fn on_tick(&mut self, turn: &mut NetTurn<'_>) {
        let now = turn.now;
        for (listener, _) in self.resting.extract_if(.., |(_, until)| *until <= now) {
            turn.ops.push(token(ACCEPT, listener), Op::Accept { listener: self.listeners[listener].0 });
        }
        let (mut idle, mut overdue) = (Vec::new(), Vec::new());
        for (key, connection) in &mut self.connections {
            let quiet = now.since(connection.last_active).as_millis() as i64;
            if connection.closing.is_some() {
                if !connection.is_close_pushed && quiet >= CLOSE_WAIT_MS {
                    overdue.push(key);
                }
                continue;
            }
            if connection.replies.len() == 0 && quiet >= self.limits.idle_ms_max {
                idle.push(key);
            } else if connection.receiving == Receiving::Large
                && connection.room_filled == 0
                && quiet >= LARGE_IDLE_MS
            {
                // The room is empty, so that nothing is lost with it.
                connection.reader.forget_size();
                turn.ops.push(token(RECEIVE, key), Op::CancelReceive { socket: connection.socket });
            }
        }
        for key in idle {
            self.begin_close(key, CloseReason::Idle);
        }
        for key in overdue {
            self.push_close(turn, key);
        }
    }

    /// Whether requests are held back, so that the next turn must come at once to see whether they still have to be.
    pub fn is_holding(&self) -> bool {
        self.is_held && !self.is_stopping
    }

    /// Hands no request on while `is_held`; what comes waits in its connection.
    pub fn hold(&mut self, is_held: bool) {
        self.is_held = is_held || self.is_stopping;
        if !self.is_held {
            for key in std::mem::take(&mut self.held) {
                if self.connections.contains(key) {
                    self.list(key);
                }
            }
        }
    }

    /// Takes on no more connections, and no requests but those of other nodes; what is under way goes on. [`Server::stop`] ends it.
    pub fn wind_down(&mut self) {
        self.is_stopping = true;
        self.is_held = true;
    }

    /// Closes everything.
    pub fn stop(&mut self) {
        self.is_stopping = true;
        let keys: Vec<usize> = self.connections.iter().map(|(key, _)| key).collect();
        for key in keys {
            self.begin_close(key, CloseReason::Stopping);
        }
    }
}
