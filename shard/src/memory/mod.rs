//! The back end in memory: deterministic, in virtual time, with faults on demand. For tests and simulation.
//!
//! A [`World`] holds files, connections and the clock; each core's [`MemoryIo`] is a handle to it. Nothing ever sleeps:
//! the driver runs turns and moves time on with [`World::advance`] when no core has anything left to do.
//!
//! Each machine of a world has its own disk, calendar and faults; [`World::machine`] is the world as seen from one of them.

mod crash;
mod disk;
mod link;
mod net;
mod peer;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;

use slab::Slab;

use crate::buffer::{AlignedBuf, Buf, Pool, skip_parts};
use crate::clock::{Nanos, WallMs};
use crate::disk::{Disk, FileId};
use crate::io::{Completion, Io, IoError, ListenerId, Op, Outcome, Token, Wait};
use crate::random::Random;

pub use crash::Crash;
use crash::Doom;
use disk::FileState;
pub use link::Link;
use net::{Accepting, Connection, CoreAt};
pub use peer::Peer;

/// What goes wrong, in percent of the operations concerned; all zero at first.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// Writes that the device takes in pieces, with a crash possible in between.
    pub short_write_percent: u64,
    /// Writes that fail, a part of them having reached the file.
    pub failed_write_percent: u64,
    /// Syncs that fail; what they should have made durable is not.
    pub failed_sync_percent: u64,
    /// Reads that fail.
    pub failed_read_percent: u64,
    /// Sends and receives that find the connection reset.
    pub reset_percent: u64,
    /// Bytes that fit on the disk; none means no limit.
    pub disk_bytes_max: Option<u64>,
    /// The longest that an operation takes, in nanoseconds of virtual time.
    pub latency_ns_max: u64,
    /// How much longer what has to wait for the device may take: syncs, durable writes and reads.
    pub disk_latency_ns_max: u64,
}

/// Everything outside the cores, as seen from one machine. Clones are handles to the same.
#[derive(Clone)]
pub struct World {
    state: Rc<RefCell<State>>,
    machine: usize,
}

pub(crate) struct State {
    now: Nanos,
    random: Random,
    machines: Vec<Machine>,
    connections: Slab<Connection>,
    /// Connections that were ever made.
    connection_count: u64,
    accepting: BTreeMap<SocketAddr, Vec<Accepting>>,
    /// What is not as it should be between two addresses, one way.
    links: BTreeMap<(IpAddr, IpAddr), Link>,
    pool: Pool,
}

/// One machine: what its cores share.
struct Machine {
    wall_ms: WallMs,
    faults: Faults,
    files: BTreeMap<PathBuf, Rc<RefCell<FileState>>>,
    dirs: std::collections::BTreeSet<PathBuf>,
    cores: Vec<Core>,
    doom: Option<Doom>,
    /// Where its connections come from: the address that it listened at last.
    address: IpAddr,
    /// It has lost power, and says nothing until a core of it runs again.
    is_dark: bool,
}

impl Machine {
    fn new() -> Machine {
        Machine {
            wall_ms: WallMs(1_700_000_000_000),
            faults: Faults::default(),
            files: BTreeMap::new(),
            dirs: std::collections::BTreeSet::new(),
            cores: Vec::new(),
            doom: None,
            address: Ipv4Addr::LOCALHOST.into(),
            is_dark: false,
        }
    }
}

/// What one core has under way.
#[derive(Default)]
struct Core {
    pending: Vec<Pending>,
    open: Slab<Rc<RefCell<FileState>>>,
    wake: Option<Nanos>,
    sequence: u64,
}

struct Pending {
    due: Nanos,
    sequence: u64,
    token: Token,
    op: Op,
    /// The file that the operation is about, found when it was pushed: closing the file does not stop it.
    file: Option<Rc<RefCell<FileState>>>,
}

impl World {
    /// A world of one empty machine. The seed decides all that is left to chance.
    pub fn new(seed: u64) -> World {
        let state = State {
            now: Nanos(1_000_000_000),
            random: Random::from_seed(seed),
            machines: vec![Machine::new()],
            connections: Slab::new(),
            connection_count: 0,
            accepting: BTreeMap::new(),
            links: BTreeMap::new(),
            pool: Pool::new(64 << 20),
        };
        World { state: Rc::new(RefCell::new(state)), machine: 0 }
    }

    /// The same world as seen from another machine, which is made with those before it if there is none of that number.
    pub fn machine(&self, number: usize) -> World {
        let mut state = self.state.borrow_mut();
        while state.machines.len() <= number {
            state.machines.push(Machine::new());
        }
        World { state: Rc::clone(&self.state), machine: number }
    }

    /// A back end for one more core of this machine.
    pub fn io(&self) -> MemoryIo {
        let mut state = self.state.borrow_mut();
        let machine = &mut state.machines[self.machine];
        machine.is_dark = false;
        machine.cores.push(Core::default());
        let core = machine.cores.len() - 1;
        MemoryIo { state: Rc::clone(&self.state), machine: self.machine, core }
    }

    /// Changes what goes wrong on this machine from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.state.borrow_mut().machines[self.machine].faults = faults;
    }

    /// What goes wrong on this machine.
    pub fn faults(&self) -> Faults {
        self.state.borrow().machines[self.machine].faults.clone()
    }

    /// Monotonic time now.
    pub fn now(&self) -> Nanos {
        self.state.borrow().now
    }

    /// Moves time on to the next moment at which something can happen; `false` if nothing ever will.
    pub fn advance(&self) -> bool {
        let mut state = self.state.borrow_mut();
        let of_machines = (0..state.machines.len()).filter_map(|machine| state.next_on(machine));
        let Some(next) = of_machines.chain(state.next_landing()).min() else { return false };
        let step = next.since(state.now);
        state.pass(step);
        true
    }

    /// When this machine has something to do next; not later than now if it has something to do at once.
    pub fn next_on_machine(&self) -> Option<Nanos> {
        self.state.borrow().next_on(self.machine)
    }

    /// When the next bytes arrive at an end of a connection that a test holds.
    pub fn next_at_peers(&self) -> Option<Nanos> {
        self.state.borrow().next_landing()
    }

    /// Lets time pass.
    pub fn pass_ms(&self, ms: u64) {
        self.pass(std::time::Duration::from_millis(ms));
    }

    /// Lets time pass.
    pub fn pass(&self, step: std::time::Duration) {
        self.state.borrow_mut().pass(step);
    }

    /// Sets this machine's calendar, which may jump, unlike the monotonic clock.
    pub fn set_wall_ms(&self, wall_ms: WallMs) {
        self.state.borrow_mut().machines[self.machine].wall_ms = wall_ms;
    }

    /// This machine's calendar.
    pub fn wall_ms(&self) -> WallMs {
        self.state.borrow().machines[self.machine].wall_ms
    }

    /// A random number from the world's seed.
    pub fn random_u64(&self) -> u64 {
        self.state.borrow_mut().random.next_u64()
    }
}

impl State {
    fn pass(&mut self, step: std::time::Duration) {
        let before_ms = self.now.0 / 1_000_000;
        self.now = self.now + step;
        let passed_ms = (self.now.0 / 1_000_000 - before_ms) as i64;
        self.machines.iter_mut().for_each(|machine| machine.wall_ms.0 += passed_ms);
    }

    /// When something ends, or wakes a core, on a machine.
    fn next_on(&self, machine: usize) -> Option<Nanos> {
        let cores = self.machines[machine].cores.iter();
        let of_cores = cores.flat_map(|core| core.pending.iter().map(|pending| pending.due).chain(core.wake));
        of_cores.chain(self.next_inward(machine)).min()
    }

    fn latency(&mut self, machine: usize, is_device: bool) -> std::time::Duration {
        let faults = &self.machines[machine].faults;
        let bound = faults.latency_ns_max + if is_device { faults.disk_latency_ns_max } else { 0 } + 1;
        std::time::Duration::from_nanos(self.random.below(bound))
    }

    /// Whether a fault comes about; the percentage is one of the machine's.
    fn strikes(&mut self, machine: usize, percent: impl FnOnce(&Faults) -> u64) -> bool {
        let percent = percent(&self.machines[machine].faults);
        self.random.chance(percent)
    }
}

/// One core's back end.
pub struct MemoryIo {
    state: Rc<RefCell<State>>,
    machine: usize,
    core: usize,
}

impl MemoryIo {
    /// Listens on an address, as one of possibly many cores.
    pub fn listen(&mut self, address: SocketAddr) -> ListenerId {
        let mut state = self.state.borrow_mut();
        state.machines[self.machine].address = address.ip();
        let listeners = state.accepting.entry(address).or_default();
        listeners.push(Accepting::new(CoreAt { machine: self.machine, core: self.core }));
        ListenerId((u32::from(address.port()) << 16) | (listeners.len() as u32 - 1))
    }

    fn perform(&mut self, pending: Pending, done: &mut Vec<Completion>) {
        let Pending { token, op, file, .. } = pending;
        let mut finish = |outcome| done.push(Completion { token, outcome, more: false });
        match (op, file) {
            (Op::Write { file: id, offset, parts }, Some(file)) => {
                self.write_some(token, (id, file), offset, parts, done);
            }
            (Op::WriteDurable { offset, buffer, .. }, Some(file)) => {
                finish(self.write_durable(&file, offset, buffer));
            }
            (Op::Read { offset, len, .. }, Some(file)) => finish(self.read_whole(&file, offset, len)),
            (Op::Sync { .. }, Some(file)) => finish(match self.sync_file(&file) {
                Ok(()) => Outcome::Synced,
                Err(error) => Outcome::Failed(error),
            }),
            (Op::BeginWriteback { .. }, _) => finish(Outcome::WritebackBegun),
            (Op::Write { .. } | Op::WriteDurable { .. } | Op::Read { .. } | Op::Sync { .. }, None) => {
                finish(Outcome::Failed(IoError(libc::EBADF)));
            }
            (other, _) => self.perform_net(token, other, done),
        }
    }

    fn push_with(&mut self, token: Token, op: Op, file: Option<Rc<RefCell<FileState>>>) {
        let mut state = self.state.borrow_mut();
        // Writes end in the page cache, whatever the device does.
        let is_device = file.is_some() && !matches!(op, Op::Write { .. });
        let due = state.now + state.latency(self.machine, is_device);
        let core = &mut state.machines[self.machine].cores[self.core];
        // What is asked of a socket begins in the order of asking: a close comes after all before it.
        let socket = net::socket_of(&op);
        let before = core.pending.iter().filter(|p| socket.is_some() && net::socket_of(&p.op) == socket);
        let due = before.map(|pending| pending.due).fold(due, Nanos::max);
        core.sequence += 1;
        let sequence = core.sequence;
        core.pending.push(Pending { due, sequence, token, op, file });
    }

    /// Writes what one attempt takes; the rest is queued again, as the ring does after a short write.
    fn write_some(
        &mut self,
        token: Token,
        (id, file): (FileId, Rc<RefCell<FileState>>),
        offset: u64,
        mut parts: Vec<crate::buffer::Buf>,
        done: &mut Vec<Completion>,
    ) {
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        let (is_short, fails, cut) = {
            let mut state = self.state.borrow_mut();
            let cut = state.random.below(bytes.len() as u64 + 1) as usize;
            let is_short = state.strikes(self.machine, |faults| faults.short_write_percent);
            (is_short, state.strikes(self.machine, |faults| faults.failed_write_percent), cut)
        };
        let count = if is_short || fails { cut } else { bytes.len() };
        let written = self.write_file(&file, offset, &bytes[..count]);
        let outcome = match written {
            Err(error) => Outcome::Failed(error),
            Ok(()) if fails => Outcome::Failed(IoError::DEVICE),
            Ok(()) if count < bytes.len() => {
                skip_parts(&mut parts, count);
                let op = Op::Write { file: id, offset: offset + count as u64, parts };
                return self.push_with(token, op, Some(file));
            }
            Ok(()) => Outcome::Written,
        };
        done.push(Completion { token, outcome, more: false });
    }

    fn write_durable(&mut self, file: &Rc<RefCell<FileState>>, offset: u64, buffer: AlignedBuf) -> Outcome {
        let fails = self.state.borrow_mut().strikes(self.machine, |faults| faults.failed_write_percent);
        if fails {
            let torn = self.state.borrow_mut().random.below(buffer.len() as u64) as usize;
            file.borrow_mut().write_durable(offset, &buffer.filled()[..torn]);
            return Outcome::Failed(IoError::DEVICE);
        }
        self.approach_doom();
        let offset = self.state.borrow_mut().landing_of(file, offset);
        file.borrow_mut().write_durable(offset, buffer.filled());
        Outcome::WrittenDurable(buffer)
    }

    fn read_whole(&mut self, file: &Rc<RefCell<FileState>>, offset: u64, len: usize) -> Outcome {
        let mut bytes = vec![0; len];
        match self.read_open(file, offset, &mut bytes) {
            Ok(count) => {
                bytes.truncate(count);
                Outcome::Read(Buf::from(bytes))
            }
            Err(error) => Outcome::Failed(error),
        }
    }
}

impl Io for MemoryIo {
    fn push(&mut self, token: Token, op: Op) {
        let file = match &op {
            Op::Write { file, .. }
            | Op::WriteDurable { file, .. }
            | Op::Read { file, .. }
            | Op::Sync { file } => self.open_file(*file).ok(),
            _ => None,
        };
        self.push_with(token, op, file);
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) {
        let due = {
            let mut state = self.state.borrow_mut();
            let now = state.now;
            let core = &mut state.machines[self.machine].cores[self.core];
            core.wake = match wait {
                Wait::Until(deadline) => Some(deadline),
                Wait::No | Wait::Forever => None,
            };
            let (mut due, later): (Vec<_>, Vec<_>) = core.pending.drain(..).partition(|p| p.due <= now);
            core.pending = later;
            due.sort_by_key(|pending| (pending.due, pending.sequence));
            due
        };
        for pending in due {
            self.perform(pending, done);
        }
        self.poll_net(done);
    }

    fn now(&self) -> Nanos {
        self.state.borrow().now
    }

    fn wall_ms(&self) -> WallMs {
        self.state.borrow().machines[self.machine].wall_ms
    }

    fn random_u64(&mut self) -> u64 {
        self.state.borrow_mut().random.next_u64()
    }

    fn disk(&mut self) -> &mut dyn Disk {
        self
    }
}
