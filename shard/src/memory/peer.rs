//! The far end of a connection to a core, held by a test.

use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;

use super::link::Cargo;
use super::net::{ACCEPTOR, CONNECTOR, Connection, End};
use super::{State, World};

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
        let acceptor = state.choose_acceptor(address)?;
        let key = state.add_connection(End::of_test(peer), address, Some(acceptor));
        let number = state.connections[key].number;
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
            let way = &mut connection.ways[CONNECTOR];
            way.land(now);
            way.arrived.drain(..count.min(way.arrived.len())).collect()
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
        let link = connection.ways[ACCEPTOR].link;
        let (due, now, resets) = (state.arrival(link), state.now, state.random.chance(link.reset_percent));
        let way = &mut state.connections[self.key].ways[ACCEPTOR];
        way.send(cargo, due, now);
        way.is_reset |= resets;
    }

    /// Does something with the connection, unless it is gone.
    fn with<R>(&self, act: impl FnOnce(&mut Connection) -> R) -> Option<R> {
        let mut state = self.state.borrow_mut();
        let connection = state.connections.get_mut(self.key)?;
        (connection.number == self.number).then(|| act(connection))
    }
}
