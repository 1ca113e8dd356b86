//! The nodes, the letters between them, and how time goes on: tick by tick.

use std::collections::BTreeMap;
use std::path::Path;

use protocol::Uuid;
use quorum::{
    Config, Endpoint, Founding, Measures, NodeId, OpenError, Output, Proposal, Quorum, ReadId, Role, Voter,
};
use shard::memory::{Crash, MemoryIo, World};
use shard::random::Random;
use shard::{Io, WallMs};

use crate::ledger::{Ledger, Replica, encode, records_of};

const DATA_DIR: &str = "/data";
/// Small, so that logs are cut and followers need checkpoints all the time.
const MEASURES: Measures = Measures { cache_bytes: 2000, cut_bytes_min: 4000 };

pub struct Node {
    pub id: NodeId,
    pub world: World,
    pub founding: Founding,
    io: MemoryIo,
    pub quorum: Option<Quorum>,
    pub replica: Replica,
    /// It starts again at this tick, if it is down.
    pub restart_at: Option<u64>,
    /// It gets no turns until this tick.
    pub paused_until: u64,
    /// What it proposed and was not told of yet.
    proposals: Vec<Proposal>,
    /// Reads, and how much was committed when they were asked for.
    reads: BTreeMap<ReadId, u64>,
    /// How its changes of the voters ended.
    pub changes: Vec<(NodeId, Option<String>)>,
}

/// A message on its way.
struct Letter {
    due: u64,
    from: NodeId,
    to: NodeId,
    bytes: Vec<u8>,
}

/// How letters fare.
#[derive(Default, Clone, Copy)]
pub struct Weather {
    pub drop_percent: u64,
    pub double_percent: u64,
    /// Ticks that a letter takes at most, beyond the one that it always takes.
    pub delay_max: u64,
}

pub struct Cluster {
    pub nodes: Vec<Node>,
    pub random: Random,
    pub ledger: Ledger,
    pub weather: Weather,
    pub tick: u64,
    /// Which side of a cut each node is on; letters do not cross.
    pub sides: BTreeMap<NodeId, u8>,
    pub acknowledged: u64,
    pub reads_answered: u64,
    letters: Vec<Letter>,
    value_count: u64,
}

pub fn voter(id: NodeId) -> Voter {
    let endpoint = Endpoint { name: "PEER".into(), host: format!("10.0.0.{}", id.0), port: 9093 };
    Voter { id, directory_id: Uuid::from_u128(id.0 as u128 + 1), endpoints: vec![endpoint] }
}

impl Cluster {
    /// A quorum of `founders` nodes, and `others` that may join it.
    pub fn new(seed: u64, founders: i32, others: i32) -> Cluster {
        let world = World::new(seed);
        let voters: Vec<Voter> = (0..founders).map(|id| voter(NodeId(id))).collect();
        let founding = |id: i32| match (founders, id < founders) {
            (1, true) => Founding::Alone,
            (_, true) => Founding::Together(voters.clone()),
            (_, false) => Founding::Join,
        };
        let nodes = (0..founders + others).map(|id| Node::new(&world, NodeId(id), founding(id)));
        let mut cluster = Cluster {
            nodes: nodes.collect(),
            random: Random::from_seed(seed ^ 0x00c1_0537),
            ledger: Ledger::default(),
            weather: Weather::default(),
            tick: 0,
            sides: BTreeMap::new(),
            acknowledged: 0,
            reads_answered: 0,
            letters: Vec::new(),
            value_count: 0,
        };
        for number in 0..cluster.nodes.len() {
            cluster.start(number).expect("an empty directory opens");
        }
        cluster
    }

    /// Opens a node on what its disk holds.
    pub fn start(&mut self, number: usize) -> Result<(), OpenError> {
        let seed = self.random.next_u64();
        let node = &mut self.nodes[number];
        assert!(node.quorum.is_none(), "the node runs already");
        let config = Config {
            me: voter(node.id),
            cluster_id: "c".into(),
            founding: node.founding.clone(),
            seed,
            measures: MEASURES,
        };
        node.io = node.world.io();
        node.replica = Replica::default();
        (node.restart_at, node.paused_until) = (None, 0);
        let wall_ms = node.io.wall_ms();
        node.quorum = Some(Quorum::open(node.io.disk(), Path::new(DATA_DIR), config, wall_ms)?);
        self.settle(number);
        Ok(())
    }

    /// Ends a node; what it was told and had not carried out is lost with it.
    pub fn crash(&mut self, number: usize, crash: Crash, restart_at: u64) {
        let node = &mut self.nodes[number];
        node.world.crash(crash);
        node.quorum = None;
        node.proposals.clear();
        node.reads.clear();
        node.restart_at = Some(restart_at);
    }

    /// Does something with a node's quorum, and carries out what comes of it.
    pub fn with<T>(
        &mut self,
        number: usize,
        act: impl FnOnce(&mut Quorum, &mut MemoryIo, WallMs) -> T,
    ) -> Option<T> {
        let node = &mut self.nodes[number];
        let wall_ms = node.io.wall_ms();
        let outcome = act(node.quorum.as_mut()?, &mut node.io, wall_ms);
        self.settle(number);
        Some(outcome)
    }

    /// Carries out what a node's quorum wants done.
    fn settle(&mut self, number: usize) {
        loop {
            let node = &mut self.nodes[number];
            if node.world.is_doomed() {
                // What it did after that moment it did in vain.
                let restart_at = self.tick + 1 + self.random.below(40);
                return self.crash(number, Crash::Power, restart_at);
            }
            let Some(quorum) = node.quorum.as_mut() else { return };
            let outputs = quorum.take_outputs();
            let is_quiet = outputs.is_empty();
            for output in outputs {
                self.carry_out(number, output);
            }
            let node = &mut self.nodes[number];
            let Some(quorum) = node.quorum.as_mut() else { return };
            if quorum.wants_checkpoint() {
                let wall_ms = node.io.wall_ms();
                quorum.take_checkpoint(node.io.disk(), wall_ms, records_of(&node.replica.state));
            } else if is_quiet {
                return;
            }
        }
    }

    fn carry_out(&mut self, number: usize, output: Output) {
        let node = &mut self.nodes[number];
        match output {
            Output::Send { to, bytes } => self.post(self.nodes[number].id, to, bytes),
            Output::Committed(committed) => {
                let (index, term) = (committed.index, committed.term);
                self.ledger.on_committed(node.id, &mut node.replica, committed);
                self.acknowledged +=
                    node.proposals.iter().filter(|own| (own.index, own.term) == (index, term)).count() as u64;
                node.proposals.retain(|own| own.index > index);
            }
            Output::Restored(restored) => self.ledger.on_restored(node.id, &mut node.replica, restored),
            Output::Role(Role::Leader { term }) => self.ledger.on_leader(term, node.id),
            Output::Role(Role::Follower { .. }) => node.proposals.clear(),
            Output::Role(Role::Offline) => {
                let restart_at = self.tick + 1 + self.random.below(20);
                self.crash(number, Crash::Process, restart_at);
            }
            Output::Members(_) => {}
            Output::ReadReady(id) => {
                let committed = node.reads.remove(&id).expect("a read is answered once");
                assert!(node.replica.index >= committed, "a read is stale");
                self.reads_answered += 1;
            }
            Output::ReadLost(id) => drop(node.reads.remove(&id)),
            Output::ChangeEnded { voter, failure } => node.changes.push((voter, failure)),
        }
    }

    fn post(&mut self, from: NodeId, to: NodeId, bytes: Vec<u8>) {
        let copies = 1 + u64::from(self.random.chance(self.weather.double_percent));
        for _ in 0..copies {
            let due = self.tick + 1 + self.random.below(self.weather.delay_max + 1);
            if !self.random.chance(self.weather.drop_percent) {
                self.letters.push(Letter { due, from, to, bytes: bytes.clone() });
            }
        }
    }

    /// One tick: letters arrive, in an order that is drawn, and every node ticks.
    pub fn step(&mut self) {
        self.tick += 1;
        for number in 0..self.nodes.len() {
            let is_due = self.nodes[number].restart_at.is_some_and(|at| at <= self.tick);
            if is_due && let Err(error) = self.start(number) {
                let world = &self.nodes[number].world;
                let is_hurt = world.is_doomed() || world.faults().failed_sync_percent > 0;
                assert!(is_hurt, "node {number} does not open: {error}");
                self.crash(number, Crash::Power, self.tick + 5);
            }
        }
        self.deliver();
        for number in 0..self.nodes.len() {
            if self.nodes[number].paused_until <= self.tick {
                self.with(number, |quorum, io, now| quorum.on_tick(io.disk(), now));
            }
        }
    }

    fn deliver(&mut self) {
        let is_due = |cluster: &Cluster, letter: &Letter| {
            let node = cluster.nodes.iter().find(|node| node.id == letter.to);
            letter.due <= cluster.tick && node.is_none_or(|node| node.paused_until <= cluster.tick)
        };
        let letters = std::mem::take(&mut self.letters);
        let (mut due, later): (Vec<Letter>, Vec<Letter>) =
            letters.into_iter().partition(|letter| is_due(self, letter));
        self.letters = later;
        while !due.is_empty() {
            let letter = due.swap_remove(self.random.below(due.len() as u64) as usize);
            let is_cut = self.sides.get(&letter.from) != self.sides.get(&letter.to);
            let receiver = self.nodes.iter().position(|node| node.id == letter.to);
            if let Some(number) = receiver.filter(|_| !is_cut) {
                let taken = self.with(number, |quorum, io, now| {
                    quorum.on_message(io.disk(), now, letter.from, &letter.bytes)
                });
                if let Some(Err(quorum::MessageRefusal::Contradicts(how))) = taken {
                    panic!("node {:?} contradicts node {:?}: {how}", letter.to, letter.from);
                }
            }
        }
    }

    pub fn run(&mut self, ticks: u64) {
        (0..ticks).for_each(|_| self.step());
    }

    /// The node that leads, if one does and no other believes so.
    pub fn leader(&self) -> Option<usize> {
        let leads = |node: &Node| node.quorum.as_ref().is_some_and(|quorum| quorum.is_active());
        let leaders: Vec<usize> =
            (0..self.nodes.len()).filter(|&number| leads(&self.nodes[number])).collect();
        match leaders[..] {
            [leader] => Some(leader),
            _ => None,
        }
    }

    /// Steps until `is_so`, and says whether it was within `ticks`.
    pub fn run_until(&mut self, ticks: u64, is_so: impl Fn(&Cluster) -> bool) -> bool {
        for _ in 0..ticks {
            if is_so(self) {
                return true;
            }
            self.step();
        }
        is_so(self)
    }

    /// Proposes a change of some keys at a node, if it leads.
    pub fn propose(&mut self, number: usize, count: u64) -> Option<Proposal> {
        let values = (0..count).map(|_| {
            self.value_count += 1;
            encode(self.random.below(20) as u32, self.value_count)
        });
        let values: Vec<Vec<u8>> = values.collect();
        let node = &mut self.nodes[number];
        let wall_ms = node.io.wall_ms();
        let proposed = node.quorum.as_mut()?.propose(node.io.disk(), wall_ms, &values).ok();
        node.proposals.extend(proposed);
        self.settle(number);
        proposed
    }

    /// Asks a node for a fresh read.
    pub fn read(&mut self, number: usize) {
        let committed = self.ledger.end();
        let node = &mut self.nodes[number];
        let wall_ms = node.io.wall_ms();
        let Some(quorum) = node.quorum.as_mut() else { return };
        if let Some(id) = quorum.read(node.io.disk(), wall_ms) {
            node.reads.insert(id, committed);
        }
        self.settle(number);
    }

    /// Whether all nodes that are members now have all that anybody was told.
    pub fn has_converged(&self) -> bool {
        let Some(leader) = self.leader() else { return false };
        let members = self.nodes[leader].quorum.as_ref().expect("it leads").members();
        let end = self.ledger.end();
        let of_members = self.nodes.iter().filter(|node| members.has(node.id));
        of_members.clone().count() > 0
            && of_members.clone().all(|node| node.quorum.is_some() && node.replica.index == end)
    }
}

impl Node {
    fn new(world: &World, id: NodeId, founding: Founding) -> Node {
        let world = world.machine(id.0 as usize);
        let io = world.io();
        Node {
            id,
            world,
            founding,
            io,
            quorum: None,
            replica: Replica::default(),
            restart_at: None,
            paused_until: 0,
            proposals: Vec::new(),
            reads: BTreeMap::new(),
            changes: Vec::new(),
        }
    }
}
