//! Connections in memory: byte streams with a bounded window each way, between two cores, or between a core and a
//! [`Peer`](super::Peer) that a test holds.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::link::{Cargo, Link, Way};
use super::{Machine, MemoryIo, State};
use crate::buffer::{BufMut, Pool, skip_parts};
use crate::clock::Nanos;
use crate::io::{Completion, IoError, ListenerId, Op, Outcome, SocketId, Token};
use crate::native::names::literal;
use crate::random::Random;

/// Bytes that a connection holds in each direction before its sender has to wait.
const WINDOW_BYTES: usize = 256 << 10;

/// The ends of a connection, as indices.
pub(super) const CONNECTOR: usize = 0;
pub(super) const ACCEPTOR: usize = 1;

/// A core, by its machine and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CoreAt {
    pub(super) machine: usize,
    pub(super) core: usize,
}

/// A core that accepts at some address.
pub(crate) struct Accepting {
    pub(super) at: CoreAt,
    token: Option<Token>,
}

impl Accepting {
    pub(super) fn new(at: CoreAt) -> Accepting {
        Accepting { at, token: None }
    }
}

/// One connection: its ends, and what is on its way to each of them.
pub(crate) struct Connection {
    /// Tells it from an earlier one in the same place.
    pub(super) number: u64,
    ends: [End; 2],
    pub(super) ways: [Way; 2],
}

/// One end of a connection, with what its core has under way there.
pub(super) struct End {
    at: IpAddr,
    holder: Holder,
    /// When the core hears that it came in, and by which token.
    accepted: Option<(Nanos, Token)>,
    connecting: Option<Token>,
    receive: Option<Receive>,
    send: Option<(Token, Vec<crate::buffer::Buf>)>,
    closing: Option<Token>,
}

/// Who has an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Test,
    Core(CoreAt),
    /// Nobody any more: it was closed, or its machine has crashed. The machine, if it had one, resets what still comes.
    Nobody(Option<usize>),
}

enum Receive {
    Many { token: Token, is_cancelled: bool },
    Once { token: Token, buffer: BufMut, is_cancelled: bool },
}

/// What a core's turn brings along.
struct Moment<'a> {
    now: Nanos,
    random: &'a mut Random,
    machines: &'a [Machine],
    pool: &'a Pool,
}

impl MemoryIo {
    fn me(&self) -> CoreAt {
        CoreAt { machine: self.machine, core: self.core }
    }

    pub(super) fn perform_net(&mut self, token: Token, op: Op, done: &mut Vec<Completion>) {
        let me = self.me();
        let mut state = self.state.borrow_mut();
        let resets = state.strikes(self.machine, |faults| faults.reset_percent);
        let mut fail = |error| done.push(Completion { token, outcome: Outcome::Failed(error), more: false });
        match op {
            Op::Accept { listener: ListenerId(id) } => {
                let (port, index) = (id >> 16, (id & 0xffff) as usize);
                let at_port = state.accepting.iter_mut().filter(|(at, _)| u32::from(at.port()) == port);
                let own = at_port.filter_map(|(_, all)| all.get_mut(index)).find(|it| it.at == me);
                own.into_iter().for_each(|accepting| accepting.token = Some(token));
            }
            // This world has no names but addresses.
            Op::Resolve { host, port } => {
                let outcome = literal(&host, port).unwrap_or(Outcome::Failed(IoError::NOT_FOUND));
                done.push(Completion { token, outcome, more: false });
            }
            Op::Connect { address, .. } => {
                let socket = state.connect(me, token, address);
                let outcome = Outcome::Connecting { socket };
                done.push(Completion { token, outcome, more: true });
            }
            Op::Receive { socket } => match state.usable(socket, resets) {
                Some(end) => end.receive = Some(Receive::Many { token, is_cancelled: false }),
                None => fail(IoError::CANCELLED),
            },
            Op::ReceiveInto { socket, buffer } => match state.usable(socket, resets) {
                Some(end) => end.receive = Some(Receive::Once { token, buffer, is_cancelled: false }),
                None => fail(IoError::CANCELLED),
            },
            Op::Send { socket, parts } => match state.usable(socket, resets) {
                Some(end) => end.send = Some((token, parts)),
                None => fail(IoError::CANCELLED),
            },
            Op::CancelReceive { socket } => {
                let receive = state.end_mut(socket).and_then(|end| end.receive.as_mut());
                if let Some(Receive::Many { is_cancelled, .. } | Receive::Once { is_cancelled, .. }) = receive
                {
                    *is_cancelled = true;
                }
            }
            Op::Close { socket } => match state.end_mut(socket) {
                Some(end) => end.closing = Some(token),
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
        let me = Holder::Core(self.me());
        let mut state = self.state.borrow_mut();
        let pool = state.pool.clone();
        let State { connections, random, machines, now, .. } = &mut *state;
        let mut moment = Moment { now: *now, random, machines, pool: &pool };
        connections.retain(|key, connection| {
            for side in [CONNECTOR, ACCEPTOR] {
                if connection.ends[side].holder == me {
                    connection.poll(key, side, &mut moment, done);
                }
            }
            connection.is_held()
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
        | Op::Resolve { .. }
        | Op::Connect { .. }
        | Op::Write { .. }
        | Op::WriteDurable { .. }
        | Op::Read { .. }
        | Op::Sync { .. }
        | Op::BeginWriteback { .. } => None,
    }
}

/// An end's name for its core.
fn socket_at(key: usize, side: usize) -> SocketId {
    SocketId((key * 2 + side) as u32)
}

impl State {
    /// The core that accepts the next connection to an address.
    pub(super) fn choose_acceptor(&self, address: SocketAddr) -> Option<(CoreAt, Token)> {
        let accepting = self.accepting.get(&address)?.iter();
        let ready: Vec<_> = accepting.filter_map(|it| it.token.map(|token| (it.at, token))).collect();
        ready.get(self.connections.len() % ready.len().max(1)).copied()
    }

    pub(super) fn add_connection(
        &mut self,
        connector: End,
        address: SocketAddr,
        acceptor: Option<(CoreAt, Token)>,
    ) -> usize {
        self.connection_count += 1;
        let (there, here) = (address.ip(), connector.at);
        let (toward, back) = (self.link(here, there), self.link(there, here));
        let due = self.arrival(toward);
        let mut other = End::new(there, Holder::Nobody(self.machine_at(there)));
        if let Some((core, token)) = acceptor {
            other.holder = Holder::Core(core);
            other.accepted = Some((due, token));
        }
        let number = self.connection_count;
        let ways = [Way::new(back), Way::new(toward)];
        self.connections.insert(Connection { number, ends: [connector, other], ways })
    }

    /// Begins to connect a core to an address. Where nobody listens the attempt is refused; a machine without power, and one
    /// that cannot be reached, says nothing.
    fn connect(&mut self, from: CoreAt, token: Token, address: SocketAddr) -> SocketId {
        let mut end = End::new(self.machines[from.machine].address, Holder::Core(from));
        end.connecting = Some(token);
        let acceptor = self.choose_acceptor(address);
        let key = self.add_connection(end, address, acceptor);
        let State { connections, random, machines, now, pool, .. } = self;
        let mut moment = Moment { now: *now, random, machines, pool };
        if acceptor.is_none() {
            connections[key].rebuff(CONNECTOR, &mut moment);
        }
        socket_at(key, CONNECTOR)
    }

    fn machine_at(&self, address: IpAddr) -> Option<usize> {
        self.machines.iter().position(|machine| machine.address == address)
    }

    fn end_mut(&mut self, SocketId(id): SocketId) -> Option<&mut End> {
        let (key, side) = (id as usize / 2, id as usize % 2);
        let end = &mut self.connections.get_mut(key)?.ends[side];
        matches!(end.holder, Holder::Core(_)).then_some(end)
    }

    fn usable(&mut self, socket: SocketId, resets: bool) -> Option<&mut End> {
        self.end_mut(socket).filter(|end| end.closing.is_none())?;
        let (key, side) = (socket.0 as usize / 2, socket.0 as usize % 2);
        if resets {
            let State { connections, random, machines, now, pool, .. } = self;
            connections[key].reset(side, &mut Moment { now: *now, random, machines, pool });
        }
        self.end_mut(socket)
    }

    /// When something arrives at a machine; now, if something has that a core takes with its next turn.
    pub(super) fn next_inward(&self, machine: usize) -> Option<Nanos> {
        let all = self.connections.iter().map(|(_, connection)| connection);
        let here =
            all.flat_map(|connection| connection.sides_on(machine).map(move |side| (connection, side)));
        let moments = here.filter_map(|(connection, side)| {
            let (end, way) = (&connection.ends[side], &connection.ways[side]);
            let accepted = end.accepted.map(|(due, _)| due).filter(|_| !way.link.is_cut);
            let at_once = connection.is_ready(side).then_some(self.now);
            [accepted, way.next(), at_once].into_iter().flatten().min()
        });
        moments.min()
    }

    /// When something arrives at a peer that a test holds.
    pub(super) fn next_landing(&self) -> Option<Nanos> {
        let all = self.connections.iter().map(|(_, connection)| connection);
        let held = all.filter(|connection| connection.ends[CONNECTOR].holder == Holder::Test);
        held.filter_map(|connection| connection.ways[CONNECTOR].next()).min()
    }

    /// Takes the connections of a machine that ends. The kernel of a killed process ends them; one that has lost power cannot.
    pub(super) fn drop_connections_of(&mut self, crashed: usize, is_told: bool) {
        let State { connections, random, machines, now, pool, .. } = self;
        let mut moment = Moment { now: *now, random, machines, pool };
        connections.retain(|_, connection| {
            for side in connection.sides_on(crashed) {
                if is_told {
                    connection.let_go(side, &mut moment);
                }
                connection.ends[side].abandon(Some(crashed));
            }
            connection.is_held()
        });
    }
}

impl Connection {
    pub(super) fn change_link(&mut self, from: IpAddr, to: IpAddr, link: Link) {
        for side in [CONNECTOR, ACCEPTOR] {
            if (from, to) == (self.ends[1 - side].at, self.ends[side].at) {
                self.ways[side].link = link;
            }
        }
    }

    /// Whether a core has it; a test alone has it no longer.
    fn is_held(&self) -> bool {
        self.ends.iter().any(|end| matches!(end.holder, Holder::Core(_)))
    }

    fn sides_on(&self, machine: usize) -> impl Iterator<Item = usize> + use<> {
        let is_here = |end: &End| matches!(end.holder, Holder::Core(at) if at.machine == machine);
        let here = [is_here(&self.ends[CONNECTOR]), is_here(&self.ends[ACCEPTOR])];
        [CONNECTOR, ACCEPTOR].into_iter().filter(move |side| here[*side])
    }

    /// Whether the core's next turn hears of something at its end.
    fn is_ready(&self, side: usize) -> bool {
        let (end, way) = (&self.ends[side], &self.ways[side]);
        let is_broken = end.broken(way).is_some();
        let connects = end.connecting.is_some() && (way.is_open || is_broken);
        let receives = end.receive.is_some() && (!way.arrived.is_empty() || way.has_ended || is_broken);
        let sends = end.send.is_some() && (self.ways[1 - side].len() < WINDOW_BYTES || is_broken);
        connects || receives || sends || end.closing.is_some()
    }

    /// A turn of the core that holds the end at `side`.
    fn poll(&mut self, key: usize, side: usize, moment: &mut Moment<'_>, done: &mut Vec<Completion>) {
        let is_cut = self.ways[side].link.is_cut;
        let socket = socket_at(key, side);
        if let Some((_, token)) = self.ends[side].accepted.take_if(|(due, _)| *due <= moment.now && !is_cut) {
            let peer = SocketAddr::from((self.ends[1 - side].at, 40_000 + (key % 20_000) as u16));
            done.push(Completion { token, outcome: Outcome::Accepted { socket, peer }, more: true });
            self.tell(1 - side, Cargo::Opened, moment);
        }
        let way = &mut self.ways[side];
        way.land(moment.now);
        self.ends[side].end_connect(way, done);
        self.ends[side].poll_receive(way, moment.pool, done);
        self.poll_send(side, moment, done);
        if let Some(token) = self.ends[side].closing {
            done.push(Completion { token, outcome: Outcome::Closed, more: false });
            let Holder::Core(CoreAt { machine, .. }) = self.ends[side].holder else { return };
            self.let_go(side, moment);
            self.ends[side].abandon(Some(machine));
        }
    }

    fn poll_send(&mut self, side: usize, moment: &mut Moment<'_>, done: &mut Vec<Completion>) {
        let other = 1 - side;
        let Some((token, mut parts)) = self.ends[side].send.take() else { return };
        if let Some(error) = self.ends[side].broken(&self.ways[side]) {
            return done.push(Completion { token, outcome: Outcome::Failed(error), more: false });
        }
        if matches!(self.ends[other].holder, Holder::Nobody(_)) {
            // The kernel takes what nobody will get, and hears so when it has arrived.
            self.rebuff(side, moment);
            parts.clear();
        }
        let link = self.ways[other].link;
        while let Some(part) = parts.first() {
            let count = part.len().min(WINDOW_BYTES.saturating_sub(self.ways[other].len()));
            if count == 0 && !part.is_empty() {
                self.ends[side].send = Some((token, parts));
                return;
            }
            let due = moment.after(link);
            self.ways[other].send(Cargo::Bytes(part[..count].to_vec()), due, moment.now);
            if moment.random.chance(link.reset_percent) {
                self.reset(side, moment);
            }
            skip_parts(&mut parts, count);
        }
        done.push(Completion { token, outcome: Outcome::Sent, more: false });
    }

    /// Sends something to a core's end. A test's hears of none of it.
    fn tell(&mut self, side: usize, cargo: Cargo, moment: &mut Moment<'_>) {
        if matches!(self.ends[side].holder, Holder::Core(_)) {
            let due = moment.after(self.ways[side].link);
            self.ways[side].send(cargo, due, moment.now);
        }
    }

    /// Resets the connection, as something between its ends may do.
    fn reset(&mut self, side: usize, moment: &mut Moment<'_>) {
        if !std::mem::replace(&mut self.ways[side].is_reset, true) {
            self.tell(1 - side, Cargo::Reset, moment);
        }
    }

    /// What a kernel says to the peer when it closes an end: that it is over, or, if bytes were never read, a reset.
    fn let_go(&mut self, side: usize, moment: &mut Moment<'_>) {
        let way = &self.ways[side];
        if !way.is_reset {
            let cargo = if way.arrived.is_empty() { Cargo::End } else { Cargo::Reset };
            self.tell(1 - side, cargo, moment);
        }
    }

    /// What was sent from `side` finds nobody: a reset comes back, if it can get there and somebody is there to send it.
    fn rebuff(&mut self, side: usize, moment: &mut Moment<'_>) {
        let toward = self.ways[1 - side].link;
        let Holder::Nobody(machine) = self.ends[1 - side].holder else { return };
        let is_dark = machine.is_some_and(|machine| moment.machines[machine].is_dark);
        if !toward.is_cut && !is_dark {
            let arrival = moment.after(toward);
            let due = arrival + moment.after(self.ways[side].link).since(moment.now);
            self.ways[side].send(Cargo::Reset, due, moment.now);
        }
    }
}

impl Moment<'_> {
    /// When something that is sent now arrives.
    fn after(&mut self, link: Link) -> Nanos {
        self.now + Duration::from_nanos(self.random.below(link.delay_ns_max + 1))
    }
}

impl End {
    /// The end that a test holds.
    pub(super) fn of_test(at: IpAddr) -> End {
        End::new(at, Holder::Test)
    }

    fn new(at: IpAddr, holder: Holder) -> End {
        End { at, holder, accepted: None, connecting: None, receive: None, send: None, closing: None }
    }

    /// Forgets all that was under way, for nobody has it any more.
    fn abandon(&mut self, machine: Option<usize>) {
        *self = End::new(self.at, Holder::Nobody(machine));
    }

    fn broken(&self, way: &Way) -> Option<IoError> {
        if self.closing.is_some() {
            return Some(IoError::CANCELLED);
        }
        way.is_reset.then_some(IoError::RESET)
    }

    fn end_connect(&mut self, way: &Way, done: &mut Vec<Completion>) {
        let Some(token) = self.connecting else { return };
        let outcome = match self.broken(way) {
            None if !way.is_open => return,
            Some(error) if error == IoError::CANCELLED => Outcome::Failed(error),
            Some(_) if !way.is_open => Outcome::Failed(IoError::REFUSED),
            _ => Outcome::Connected,
        };
        self.connecting = None;
        done.push(Completion { token, outcome, more: false });
    }

    fn poll_receive(&mut self, way: &mut Way, pool: &Pool, done: &mut Vec<Completion>) {
        let broken = self.broken(way);
        match self.receive.take() {
            None => {}
            Some(Receive::Many { token, is_cancelled }) => {
                let error = broken.or(is_cancelled.then_some(IoError::CANCELLED));
                if let Some(error) = error {
                    return done.push(Completion { token, outcome: Outcome::Failed(error), more: false });
                }
                let bytes: Vec<u8> = way.arrived.drain(..).collect();
                let ended = bytes.is_empty() && way.has_ended;
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
                let count = way.arrived.len().min(buffer.spare_mut().len());
                if count == 0 && !way.has_ended {
                    self.receive = Some(Receive::Once { token, buffer, is_cancelled });
                    return;
                }
                let bytes: Vec<u8> = way.arrived.drain(..count).collect();
                buffer.put(&bytes);
                done.push(Completion { token, outcome: Outcome::ReceivedInto(buffer), more: false });
            }
        }
    }
}
