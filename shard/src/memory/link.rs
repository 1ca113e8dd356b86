//! What lies between the two ends of a connection: bytes take their time, a connection's in order, those of different
//! connections in any; and a link may be cut, one way or both, in which case nothing gets through until it is healed.

use std::collections::VecDeque;
use std::net::IpAddr;

use super::{State, World};
use crate::clock::Nanos;

/// What is not as it should be on the way from one address to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    /// The longest that bytes take, in nanoseconds of virtual time.
    pub delay_ns_max: u64,
    /// Nothing gets through; what was sent waits, and arrives when the link is healed.
    pub is_cut: bool,
    /// Sends that find the connection reset, in percent.
    pub reset_percent: u64,
}

/// One direction of a connection.
#[derive(Default)]
pub(super) struct Way {
    pub(super) link: Link,
    /// What has arrived and was not taken yet.
    pub(super) arrived: VecDeque<u8>,
    flying: VecDeque<(Nanos, Cargo)>,
    /// The peer has taken the connection that was asked for.
    pub(super) is_open: bool,
    /// The peer has ended this direction, and all before has arrived.
    pub(super) has_ended: bool,
    /// The connection was reset from this end.
    pub(super) is_reset: bool,
}

/// What is on its way.
pub(super) enum Cargo {
    Opened,
    Bytes(Vec<u8>),
    End,
    Reset,
}

impl Way {
    pub(super) fn new(link: Link) -> Way {
        Way { link, ..Way::default() }
    }

    /// Sends something that arrives at `due`, or when what was sent before it does if that is later.
    pub(super) fn send(&mut self, cargo: Cargo, due: Nanos, now: Nanos) {
        if due <= now && self.flying.is_empty() && !self.link.is_cut {
            return self.take_in(cargo);
        }
        let due = self.flying.back().map_or(due, |(before, _)| due.max(*before));
        self.flying.push_back((due, cargo));
    }

    /// Lets arrive what is due.
    pub(super) fn land(&mut self, now: Nanos) {
        while !self.link.is_cut && self.flying.front().is_some_and(|(due, _)| *due <= now) {
            let (_, cargo) = self.flying.pop_front().expect("it was looked at just now");
            self.take_in(cargo);
        }
    }

    fn take_in(&mut self, cargo: Cargo) {
        match cargo {
            Cargo::Opened => self.is_open = true,
            Cargo::Bytes(bytes) => self.arrived.extend(bytes),
            Cargo::End => self.has_ended = true,
            Cargo::Reset => self.is_reset = true,
        }
    }

    /// When the next of what is on its way arrives.
    pub(super) fn next(&self) -> Option<Nanos> {
        self.flying.front().map(|(due, _)| *due).filter(|_| !self.link.is_cut)
    }

    /// Bytes that were sent and not taken yet.
    pub(super) fn len(&self) -> usize {
        let flying = self.flying.iter().map(|(_, cargo)| match cargo {
            Cargo::Bytes(bytes) => bytes.len(),
            Cargo::Opened | Cargo::End | Cargo::Reset => 0,
        });
        self.arrived.len() + flying.sum::<usize>()
    }
}

impl World {
    /// The way from one address to another.
    pub fn link(&self, from: IpAddr, to: IpAddr) -> Link {
        self.state.borrow().link(from, to)
    }

    /// Changes the way from one address to another, in this direction only.
    pub fn set_link(&self, from: IpAddr, to: IpAddr, link: Link) {
        let mut state = self.state.borrow_mut();
        state.links.insert((from, to), link);
        state.connections.iter_mut().for_each(|(_, connection)| connection.change_link(from, to, link));
    }
}

impl State {
    pub(super) fn link(&self, from: IpAddr, to: IpAddr) -> Link {
        self.links.get(&(from, to)).copied().unwrap_or_default()
    }

    /// When something that is sent now arrives.
    pub(super) fn arrival(&mut self, link: Link) -> Nanos {
        self.now + std::time::Duration::from_nanos(self.random.below(link.delay_ns_max + 1))
    }
}
