//! Connections in memory: byte streams with a bounded window each way, and a [`Peer`] for the test at the other end.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;

use super::{MemoryIo, State, World};
use crate::buffer::{BufMut, skip_parts};
use crate::io::{Completion, IoError, ListenerId, Op, Outcome, SocketId, Token};

/// Bytes that a connection holds in each direction before its sender has to wait.
const WINDOW_BYTES: usize = 256 << 10;

/// A core that accepts at some address.
pub(crate) struct Accepting {
    core: usize,
    token: Option<Token>,
}

impl Accepting {
    pub(super) fn new(core: usize) -> Accepting {
        Accepting { core, token: None }
    }
}

/// One connection; "in" is toward the core.
pub(crate) struct Connection {
    /// Tells it from an earlier one in the same place.
    number: u64,
    core: usize,
    accepted: Option<Token>,
    inward: VecDeque<u8>,
    outward: VecDeque<u8>,
    peer_closed: bool,
    is_reset: bool,
    closing: Option<Token>,
    receive: Option<Receive>,
    send: Option<(Token, Vec<crate::buffer::Buf>)>,
}

enum Receive {
    Many { token: Token, is_cancelled: bool },
    Once { token: Token, buffer: BufMut, is_cancelled: bool },
}

/// The far end of a connection, held by a test.
#[derive(Clone)]
pub struct Peer {
    state: Rc<RefCell<State>>,
    key: usize,
    number: u64,
}

impl World {
    /// Connects to a listener; `None` if no core accepts there. Cores that share an address take turns.
    pub fn connect(&self, address: SocketAddr) -> Option<Peer> {
        let mut state = self.state.borrow_mut();
        let turn = state.connections.len();
        let accepting = state.accepting.get(&address)?;
        let ready: Vec<_> = accepting.iter().filter_map(|a| a.token.map(|token| (a.core, token))).collect();
        let (core, token) = *ready.get(turn % ready.len().max(1))?;
        state.connection_count += 1;
        let number = state.connection_count;
        let key = state.connections.insert(Connection {
            number,
            core,
            accepted: Some(token),
            inward: VecDeque::new(),
            outward: VecDeque::new(),
            peer_closed: false,
            is_reset: false,
            closing: None,
            receive: None,
            send: None,
        });
        Some(Peer { state: Rc::clone(&self.state), key, number })
    }
}

impl Peer {
    /// Sends bytes; the window does not hold a test back.
    pub fn send(&self, bytes: &[u8]) {
        self.with(|connection| connection.inward.extend(bytes));
    }

    /// Takes up to `count` bytes that have arrived.
    pub fn receive(&self, count: usize) -> Vec<u8> {
        let taken = self.with(|connection| {
            let count = count.min(connection.outward.len());
            connection.outward.drain(..count).collect()
        });
        taken.unwrap_or_default()
    }

    /// Ends the connection politely.
    pub fn close(&self) {
        self.with(|connection| connection.peer_closed = true);
    }

    /// Ends the connection rudely.
    pub fn reset(&self) {
        self.with(|connection| connection.is_reset = true);
    }

    /// Whether the core has closed the connection.
    pub fn is_closed(&self) -> bool {
        self.with(|_| ()).is_none()
    }

    /// Does something with the connection, unless it is gone.
    fn with<R>(&self, act: impl FnOnce(&mut Connection) -> R) -> Option<R> {
        let mut state = self.state.borrow_mut();
        let connection = state.connections.get_mut(self.key)?;
        (connection.number == self.number).then(|| act(connection))
    }
}

impl MemoryIo {
    pub(super) fn perform_net(&mut self, token: Token, op: Op, done: &mut Vec<Completion>) {
        let mut state = self.state.borrow_mut();
        let resets = state.faults.reset_percent;
        let resets = state.random.chance(resets);
        let mut fail = |error| done.push(Completion { token, outcome: Outcome::Failed(error), more: false });
        match op {
            Op::Accept { listener: ListenerId(id) } => {
                let address =
                    state.accepting.keys().find(|address| u32::from(address.port()) == id >> 16).copied();
                let listeners = address.and_then(|address| state.accepting.get_mut(&address));
                if let Some(accepting) = listeners.and_then(|all| all.get_mut((id & 0xffff) as usize)) {
                    accepting.token = Some(token);
                }
            }
            Op::Receive { socket } => match state.usable(socket, resets) {
                Some(connection) => connection.receive = Some(Receive::Many { token, is_cancelled: false }),
                None => fail(IoError::CANCELLED),
            },
            Op::ReceiveInto { socket, buffer } => match state.usable(socket, resets) {
                Some(connection) => {
                    connection.receive = Some(Receive::Once { token, buffer, is_cancelled: false })
                }
                None => fail(IoError::CANCELLED),
            },
            Op::Send { socket, parts } => match state.usable(socket, resets) {
                Some(connection) => connection.send = Some((token, parts)),
                None => fail(IoError::CANCELLED),
            },
            Op::CancelReceive { socket: SocketId(key) } => {
                let receive = state.connections.get_mut(key as usize).and_then(|c| c.receive.as_mut());
                if let Some(Receive::Many { is_cancelled, .. } | Receive::Once { is_cancelled, .. }) = receive
                {
                    *is_cancelled = true;
                }
            }
            Op::Close { socket: SocketId(key) } => match state.connections.get_mut(key as usize) {
                Some(connection) => connection.closing = Some(token),
                None => done.push(Completion { token, outcome: Outcome::Closed, more: false }),
            },
            Op::Write { .. }
            | Op::WriteDurable { .. }
            | Op::Read { .. }
            | Op::Sync { .. }
            | Op::BeginWriteback { .. } => {
                unreachable!("file operations are done elsewhere")
            }
        }
    }

    /// Moves every connection of this core on as far as it goes.
    pub(super) fn poll_net(&mut self, done: &mut Vec<Completion>) {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let (core, pool) = (self.core, state.pool.clone());
        state.connections.retain(|key, connection| {
            if connection.core != core {
                return true;
            }
            let socket = SocketId(key as u32);
            if let Some(token) = connection.accepted.take() {
                let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 40_000 + (key % 20_000) as u16));
                done.push(Completion { token, outcome: Outcome::Accepted { socket, peer }, more: true });
            }
            connection.poll_receive(&pool, done);
            connection.poll_send(done);
            let Some(token) = connection.closing else { return true };
            done.push(Completion { token, outcome: Outcome::Closed, more: false });
            false
        });
    }
}

/// The socket that an operation is about.
pub(super) fn socket_of(op: &Op) -> Option<SocketId> {
    match op {
        Op::Receive { socket }
        | Op::ReceiveInto { socket, .. }
        | Op::CancelReceive { socket }
        | Op::Send { socket, .. }
        | Op::Close { socket } => Some(*socket),
        Op::Accept { .. }
        | Op::Write { .. }
        | Op::WriteDurable { .. }
        | Op::Read { .. }
        | Op::Sync { .. }
        | Op::BeginWriteback { .. } => None,
    }
}

impl State {
    fn usable(&mut self, SocketId(key): SocketId, resets: bool) -> Option<&mut Connection> {
        let connection = self.connections.get_mut(key as usize).filter(|c| c.closing.is_none())?;
        connection.is_reset |= resets;
        Some(connection)
    }
}

impl Connection {
    fn broken(&self) -> Option<IoError> {
        if self.closing.is_some() {
            return Some(IoError::CANCELLED);
        }
        self.is_reset.then_some(IoError::RESET)
    }

    fn poll_receive(&mut self, pool: &crate::buffer::Pool, done: &mut Vec<Completion>) {
        let broken = self.broken();
        match self.receive.take() {
            None => {}
            Some(Receive::Many { token, is_cancelled }) => {
                let error = broken.or(is_cancelled.then_some(IoError::CANCELLED));
                if let Some(error) = error {
                    return done.push(Completion { token, outcome: Outcome::Failed(error), more: false });
                }
                let bytes: Vec<u8> = self.inward.drain(..).collect();
                let ended = bytes.is_empty() && self.peer_closed;
                if !bytes.is_empty() || ended {
                    let outcome = Outcome::Received(pool.copy(&bytes));
                    done.push(Completion { token, outcome, more: !ended });
                }
                if !ended {
                    self.receive = Some(Receive::Many { token, is_cancelled });
                }
            }
            Some(Receive::Once { token, mut buffer, is_cancelled }) => {
                if let Some(error) = broken.or(is_cancelled.then_some(IoError::CANCELLED)) {
                    return done.push(Completion { token, outcome: Outcome::Failed(error), more: false });
                }
                let count = self.inward.len().min(buffer.spare_mut().len());
                if count == 0 && !self.peer_closed {
                    self.receive = Some(Receive::Once { token, buffer, is_cancelled });
                    return;
                }
                let bytes: Vec<u8> = self.inward.drain(..count).collect();
                buffer.put(&bytes);
                done.push(Completion { token, outcome: Outcome::ReceivedInto(buffer), more: false });
            }
        }
    }

    fn poll_send(&mut self, done: &mut Vec<Completion>) {
        let Some((token, mut parts)) = self.send.take() else { return };
        if let Some(error) = self.broken() {
            return done.push(Completion { token, outcome: Outcome::Failed(error), more: false });
        }
        while let Some(part) = parts.first() {
            let count = part.len().min(WINDOW_BYTES.saturating_sub(self.outward.len()));
            if count == 0 && !part.is_empty() {
                self.send = Some((token, parts));
                return;
            }
            self.outward.extend(&part[..count]);
            skip_parts(&mut parts, count);
        }
        done.push(Completion { token, outcome: Outcome::Sent, more: false });
    }
}
