//! One node: the production code of all its cores on one thread, and how it comes and goes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use broker::Mail;
use broker::broker::Broker;
use broker::config::{Given, Origin, ServerConfig};
use broker::metadata::controller::Controller;
use broker::node::{Node as Identity, PEER_LISTENER};
use net::ListenerIndex;
use protocol::Uuid;
use quorum::{Endpoint, Founding, NodeId, Voter};
use shard::memory::{Crash, MemoryIo, World};
use shard::{Io, Nanos, Pool, Shard, ShardId, mail};

use crate::event::Down;
use crate::node_log;

const DATA_DIR: &str = "/data";
const PORT: u16 = 9092;
/// Where other nodes connect.
const PEER_PORT: u16 = 9093;
/// Files that a core may hold open: few, so that the limit is met.
const OPEN_FILES_MAX: usize = 64;
/// A node that is told to stop and does not is killed after so long, as a supervisor would.
const STOP_MS_MAX: i64 = 10_000;

/// Settings with which a few seconds are enough to see a journal wrap, a session end and a transaction time out.
const SETTINGS: [(&str, &str); 11] = [
    ("log.dirs", DATA_DIR),
    ("ringlog.journal.bytes", "262144"),
    ("listeners", "PLAINTEXT://node.sim:9092"),
    ("offsets.topic.num.partitions", "2"),
    ("transaction.state.log.num.partitions", "2"),
    ("group.consumer.min.heartbeat.interval.ms", "500"),
    ("group.consumer.heartbeat.interval.ms", "500"),
    ("group.consumer.min.session.timeout.ms", "5000"),
    ("group.consumer.session.timeout.ms", "5000"),
    ("auto.create.topics.enable", "false"),
    ("ringlog.disk.reserve.bytes", "0"),
];

/// A node of a simulated cluster.
pub struct Node {
    number: usize,
    /// How many nodes the cluster has.
    nodes: usize,
    world: World,
    config: Arc<ServerConfig>,
    cores: Vec<Shard<MemoryIo, Broker>>,
    /// What it wants to be once it is down: on how many shards, and when.
    restart: Option<(u16, Nanos)>,
    stopping_until: Option<Nanos>,
    paused_until: Option<Nanos>,
}

/// What came of a node's turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turned {
    /// It has nothing to do at this moment.
    Idle,
    /// It has more to do.
    Busy,
    /// It has stopped, as it was told to.
    Stopped,
    /// The moment has come at which its disk was to end.
    Doomed,
}

/// The address of a node.
pub fn address_of(node: usize) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::new(10, 0, 0, node as u8), PORT))
}

/// Where the other nodes connect to a node.
pub fn peer_address_of(node: usize) -> SocketAddr {
    SocketAddr::new(address_of(node).ip(), PEER_PORT)
}

/// The address of a client.
pub fn address_of_client(client: usize) -> IpAddr {
    Ipv4Addr::new(10, 1, 0, client as u8).into()
}

fn settings_of(node: usize, nodes: usize) -> Vec<Given> {
    let own = [("node.id", node.to_string()), ("ringlog.peer.listen", peer_address_of(node).to_string())];
    // A node alone has no door for others.
    let own = own.into_iter().take(if nodes > 1 { 2 } else { 1 });
    let all = SETTINGS.iter().map(|(name, value)| (*name, (*value).to_owned())).chain(own);
    all.map(|(name, value)| Given { name: name.to_owned(), value, origin: Origin::Set }).collect()
}

impl Node {
    /// A node that does not run yet, on a machine of its own; one of so many.
    pub fn new(number: usize, world: &World, nodes: usize) -> Node {
        let config = ServerConfig::new(settings_of(number, nodes), "node.sim");
        Node {
            number,
            nodes,
            world: world.machine(number),
            config: Arc::new(config.expect("settings that are in order")),
            cores: Vec::new(),
            restart: None,
            stopping_until: None,
            paused_until: None,
        }
    }

    /// Its machine.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// On how many shards it runs; none while it is down.
    pub fn shards(&self) -> u16 {
        self.cores.len() as u16
    }

    /// Whether it runs and is not about to stop.
    pub fn is_up(&self) -> bool {
        !self.cores.is_empty() && self.stopping_until.is_none()
    }

    /// Brings it up on what its disk holds; the reason if that cannot be.
    pub fn start(&mut self, shards: u16) -> Result<(), String> {
        assert!(self.cores.is_empty(), "the node runs already");
        self.restart = None;
        let identity = Arc::new(self.identity(shards));
        let pool = Pool::new(8 << 20);
        let mailboxes = mail::connect::<Mail>(shards).map_err(|error| error.to_string())?;
        for mailbox in mailboxes {
            let core = self.core_of(mailbox, &identity, &pool)?;
            self.cores.push(core);
        }
        for core in &mut self.cores {
            core.start();
        }
        Ok(())
    }

    /// One of its cores, to be looked at between turns; none while it is down.
    pub fn core(&mut self, ShardId(shard): ShardId) -> Option<&mut Broker> {
        self.cores.get_mut(usize::from(shard)).map(Shard::app)
    }

    fn identity(&self, shards: u16) -> Identity {
        let values = self.config.values();
        let (all, per_ip) = (values.max_connections() as usize, values.max_connections_per_ip() as usize);
        Identity {
            admission: net::Admission::new(all, per_ip),
            id: self.number as i32,
            open_files_max: OPEN_FILES_MAX,
            // No two nodes have the same: what they draw by chance is drawn from it.
            incarnation: Uuid::from_u128(u128::from(self.world.random_u64())),
            directory_id: Uuid::from_u128(self.number as u128 + 1),
            cluster_id: "sim-cluster-AAAAAAAAAA".to_owned(),
            data_dir: PathBuf::from(DATA_DIR),
            data_dir_text: DATA_DIR.to_owned(),
            core_count: shards,
            advertised: vec![("node.sim".to_owned(), PORT)],
            peer_listener: (self.nodes > 1).then_some(ListenerIndex(1)),
            peer_admission: broker::node::peer_admission(),
            founding: self.founding(),
            started: Instant::now(),
            config: Arc::clone(&self.config),
        }
    }

    /// Nodes that are founded together vote all.
    fn founding(&self) -> Founding {
        if self.nodes < 2 {
            return Founding::Alone;
        }
        let voters = (0..self.nodes).map(|node| {
            let at = peer_address_of(node);
            let endpoint =
                Endpoint { name: PEER_LISTENER.to_owned(), host: at.ip().to_string(), port: at.port() };
            Voter { id: NodeId(node as i32), directory_id: Uuid::ZERO, endpoints: vec![endpoint] }
        });
        Founding::Together(voters.collect())
    }

    fn core_of(
        &self,
        mailbox: mail::Mailbox<Mail>,
        identity: &Arc<Identity>,
        pool: &Pool,
    ) -> Result<Shard<MemoryIo, Broker>, String> {
        let me = mailbox.me();
        node_log::stand_on(self.number, me);
        let mut io = self.world.io();
        let mut listeners = vec![(io.listen(address_of(self.number)), ListenerIndex(0))];
        listeners
            .extend(identity.peer_listener.map(|index| (io.listen(peer_address_of(self.number)), index)));
        let controller = if me == ShardId(0) { Some(self.controller(&mut io, identity)?) } else { None };
        Ok(Shard::new(
            io,
            Broker::new(me, Arc::clone(identity), controller, listeners),
            mailbox,
            pool.clone(),
        ))
    }

    fn controller(&self, io: &mut MemoryIo, identity: &Identity) -> Result<Controller, String> {
        let (now, dir) = (io.wall_ms(), Path::new(DATA_DIR));
        io.disk().create_dir(dir).map_err(|error| error.to_string())?;
        let controller = Controller::open(io.disk(), identity, now).map_err(|error| error.to_string())?;
        broker::replay_journals(io.disk(), dir, controller.image(), identity.core_count)
            .map_err(|error| error.to_string())?;
        Ok(controller)
    }

    /// Begins to end it as an operator does; it starts again on `shards` when it has stopped.
    pub fn stop(&mut self, shards: u16, down_ms: i64) {
        let now = self.world.now();
        self.restart = Some((shards, now.plus_ms(down_ms)));
        self.stopping_until = Some(now.plus_ms(STOP_MS_MAX));
        self.cores.iter_mut().for_each(Shard::stop);
    }

    /// Ends it; it starts again on `shards` after `down_ms`.
    pub fn end(&mut self, how: Down, shards: u16, down_ms: i64) {
        self.cores.clear();
        self.stopping_until = None;
        self.paused_until = None;
        self.world.crash(match how {
            Down::Stopped | Down::Killed => Crash::Process,
            Down::PowerLost => Crash::Power,
        });
        self.restart = Some((shards, self.world.now().plus_ms(down_ms)));
    }

    /// Takes note that it has stopped by itself.
    pub fn on_stopped(&mut self) {
        let (shards, at) = self.restart.expect("who stops a node says how it goes on");
        self.end(Down::Stopped, shards, 0);
        self.restart = Some((shards, at.max(self.world.now())));
    }

    /// Gives it no turns for a while.
    pub fn pause(&mut self, ms: i64) {
        self.paused_until = Some(self.world.now().plus_ms(ms));
    }

    /// On how many shards it is to start now, if it is.
    pub fn is_due(&self) -> Option<u16> {
        let (shards, at) = self.restart.filter(|_| self.cores.is_empty())?;
        (at <= self.world.now()).then_some(shards)
    }

    /// When it has something to do next.
    pub fn next(&self) -> Option<Nanos> {
        match (self.restart, self.paused_until) {
            (Some((_, at)), _) if self.cores.is_empty() => Some(at),
            (_, Some(until)) if until > self.world.now() => Some(until),
            _ => self.world.next_on_machine(),
        }
    }

    /// One turn of each core, from `first` on.
    pub fn turn(
        &mut self,
        first: usize,
        mut on_turn: impl FnMut(ShardId, &mut Shard<MemoryIo, Broker>),
    ) -> Turned {
        let now = self.world.now();
        if self.cores.is_empty() || self.paused_until.is_some_and(|until| until > now) {
            return Turned::Idle;
        }
        self.paused_until = None;
        let count = self.cores.len();
        for index in (0..count).map(|index| (index + first) % count) {
            node_log::stand_on(self.number, ShardId(index as u16));
            self.cores[index].turn();
            on_turn(ShardId(index as u16), &mut self.cores[index]);
            if self.world.is_doomed() {
                return Turned::Doomed;
            }
        }
        let is_stopped = self.cores.iter().all(Shard::is_stopped);
        if self.stopping_until.is_some_and(|until| is_stopped || until <= now) {
            return Turned::Stopped;
        }
        let is_idle = self.cores.iter().all(Shard::is_idle);
        if is_idle && self.world.next_on_machine().is_none_or(|next| next > now) {
            Turned::Idle
        } else {
            Turned::Busy
        }
    }
}
