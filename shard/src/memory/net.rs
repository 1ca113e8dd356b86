//! Connections in memory: byte streams with a bounded window each way, and a [`Peer`] for the test at the other end.

use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use super::link::{Cargo, Link, Way};
use super::{MemoryIo, State, World};
use crate::buffer::{BufMut, skip_parts};
use crate::clock::Nanos;
use crate::io::{Completion, IoError, ListenerId, Op, Outcome, SocketId, Token};
use crate::random::Random;

/// Bytes that a connection holds in each direction before its sender has to wait.
const WINDOW_BYTES: usize = 256 << 10;

/// A core that accepts at some address.
pub(crate) struct Accepting {
    pub(super) machine: usize,
    core: usize,
    token: Option<Token>,
}

impl Accepting {
    pub(super) fn new(machine: usize, core: usize) -> Accepting {
        Accepting { machine, core, token: None }
    }
}

/// One connection; "in" is toward the core.
pub(crate) struct Connection {
    /// Tells it from an earlier one in the same place.
    number: u64,
    pub(super) machine: usize,
    core: usize,
    /// The core's address and the peer's.
    at: IpAddr,
    peer: IpAddr,
    /// When the core hears of it, and by which token.
    accepted: Option<(Nanos, Token)>,
    inward: Way,
    outward: Way,
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
        self.connect_from(Ipv4Addr::LOCALHOST.into(), address)
    }

    /// The same from an address of the peer's, whose links may have their faults.
    pub fn connect_from(&self, peer: IpAddr, address: SocketAddr) -> Option<Peer> {
        let mut state = self.state.borrow_mut();
        let turn = state.connections.len();
        let accepting = state.accepting.get(&address)?;
        let ready = accepting.iter().filter_map(|a| a.token.map(|token| (a.machine, a.core, token)));
        let ready: Vec<_> = ready.collect();
        let (machine, core, token) = *ready.get(turn % ready.len().max(1))?;
        state.connection_count += 1;
        let number = state.connection_count;
        let (toward, back) = (state.link(peer, address.ip()), state.link(address.ip(), peer));
        let due = state.arrival(toward);
        let key = state.connections.insert(Connection {
            number,
            machine,
            core,
            at: address.ip(),
            peer,
            accepted: Some((due, token)),
            inward: Way::new(toward),
            outward: Way::new(back),
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
        self.dispatch(Cargo::Bytes(bytes.to_vec()));
    }

    /// Takes up to `count` bytes that have arrived.
    pub fn receive(&self, count: usize) -> Vec<u8> {
        let now = self.state.borrow().now;
        let taken = self.with(|connection| {
            connection.outward.land(now);
            let arrived = &mut connection.outward.arrived;
            arrived.drain(..count.min(arrived.len())).collect()
        });
        taken.unwrap_or_default()
    }

    /// Ends the connection politely.
    pub fn close(&self) {
        self.dispatch(Cargo::End);
    }

    /// Ends the connection rudely.
    pub fn reset(&self) {
        self.dispatch(Cargo::Reset);
    }

    /// Whether the core has closed the connection.
    pub fn is_closed(&self) -> bool {
        self.with(|_| ()).is_none()
    }

    /// Sends something toward the core.
    fn dispatch(&self, cargo: Cargo) {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let Some(connection) = state.connections.get(self.key).filter(|it| it.number == self.number) else {
            return;
        };
        let link = connection.inward.link;
        let (due, now, resets) = (state.arrival(link), state.now, state.random.chance(link.reset_percent));
        let connection = &mut state.connections[self.key];
        connection.inward.send(cargo, due, now);
        connection.inward.is_reset |= resets;
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
        let resets = state.strikes(self.machine, |faults| faults.reset_percent);
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
        let (machine, core, now, pool) = (self.machine, self.core, state.now, state.pool.clone());
        let State { connections, random, .. } = state;
        connections.retain(|key, connection| {
            if (connection.machine, connection.core) != (machine, core) {
                return true;
            }
            let is_cut = connection.inward.link.is_cut;
            let socket = SocketId(key as u32);
            if let Some((_, token)) = connection.accepted.take_if(|(due, _)| *due <= now && !is_cut) {
                let peer = SocketAddr::from((connection.peer, 40_000 + (key % 20_000) as u16));
                done.push(Completion { token, outcome: Outcome::Accepted { socket, peer }, more: true });
            }
            connection.inward.land(now);
            connection.poll_receive(&pool, done);
            connection.poll_send((now, random), done);
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
        connection.inward.is_reset |= resets;
        Some(connection)
    }

    /// When something arrives at a machine; now, if something has that a core takes with its next turn.
    pub(super) fn next_inward(&self, machine: usize) -> Option<Nanos> {
        let here = self.connections.iter().filter(|(_, connection)| connection.machine == machine);
        let moments = here.filter_map(|(_, connection)| {
            let is_cut = connection.inward.link.is_cut;
            let accepted = connection.accepted.map(|(due, _)| due).filter(|_| !is_cut);
            let at_once = connection.is_ready().then_some(self.now);
            [accepted, connection.inward.next(), at_once].into_iter().flatten().min()
        });
        moments.min()
    }

    /// When something arrives at a peer.
    pub(super) fn next_landing(&self) -> Option<Nanos> {
        self.connections.iter().filter_map(|(_, connection)| connection.outward.next()).min()
    }
}

impl Connection {
    pub(super) fn change_link(&mut self, from: IpAddr, to: IpAddr, link: Link) {
        if (from, to) == (self.peer, self.at) {
            self.inward.link = link;
        }
        if (from, to) == (self.at, self.peer) {
            self.outward.link = link;
        }
    }

    /// Whether the core's next turn hears of something.
    fn is_ready(&self) -> bool {
        let receives = self.receive.is_some()
            && (!self.inward.arrived.is_empty() || self.inward.has_ended || self.broken().is_some());
        let sends = self.send.is_some() && (self.outward.len() < WINDOW_BYTES || self.broken().is_some());
        receives || sends || self.closing.is_some()
    }

    fn broken(&self) -> Option<IoError> {
        if self.closing.is_some() {
            return Some(IoError::CANCELLED);
        }
        self.inward.is_reset.then_some(IoError::RESET)
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
                let bytes: Vec<u8> = self.inward.arrived.drain(..).collect();
                let ended = bytes.is_empty() && self.inward.has_ended;
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
                let count = self.inward.arrived.len().min(buffer.spare_mut().len());
                if count == 0 && !self.inward.has_ended {
                    self.receive = Some(Receive::Once { token, buffer, is_cancelled });
                    return;
                }
                let bytes: Vec<u8> = self.inward.arrived.drain(..count).collect();
                buffer.put(&bytes);
                done.push(Completion { token, outcome: Outcome::ReceivedInto(buffer), more: false });
            }
        }
    }

    fn poll_send(&mut self, (now, random): (Nanos, &mut Random), done: &mut Vec<Completion>) {
        let link = self.outward.link;
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
            let due = now + Duration::from_nanos(random.below(link.delay_ns_max + 1));
            self.outward.send(Cargo::Bytes(part[..count].to_vec()), due, now);
            self.inward.is_reset |= random.chance(link.reset_percent);
            skip_parts(&mut parts, count);
        }
        done.push(Completion { token, outcome: Outcome::Sent, more: false });
    }
}
