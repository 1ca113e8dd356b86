//! A node of several cores in a world of memory, on one thread, in virtual time; and clients at its wires.
//!
//! Nothing here sleeps. [`Client::receive`] lets time pass only when no core has anything left to do, so a test can tell
//! an answer that came at once from one that waited.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use broker::Mail;
use broker::broker::Broker;
use broker::config::{Given, Origin, ServerConfig};
use broker::metadata::controller::Controller;
use broker::node::Node;
use broker::report::{Inspect, Report};
use net::ListenerIndex;
use protocol::{ApiKey, Decoder, Message, RequestHeader, Uuid, decode_response_header, encode_request};
use shard::memory::{Crash, Faults, MemoryIo, Peer, World};
use shard::{Guest, Io, Pool, Shard, ShardId, WallMs, mail};

/// Where the node keeps its data.
pub const DATA_DIR: &str = "/data";

/// Files that a core may hold open: few, so that tests meet the limit.
pub const OPEN_FILES_MAX: usize = 64;

/// The calendar when a world begins, in ms.
pub const WALL_MS: i64 = 1_700_000_000_000;

/// Turns of all cores within which everything settles that needs no time to pass.
const ROUNDS: usize = 24;

/// A reply that has not come after this much virtual time never will.
const PATIENCE_MS: u64 = 120_000;

/// A node that is told to stop has stopped after this long.
const STOP_MS_MAX: u64 = 6000;

/// How finely time passes.
const STEP_MS: u64 = 50;

/// The port of the first listener; each further one has the next.
const PORT: u16 = 9092;

/// Each core also listens alone, so that a test can choose the core that takes its connection.
const CORE_PORT: u16 = 20_000;

/// A node and its world. Clones are handles to the same.
#[derive(Clone)]
pub struct Rig {
    inner: Rc<RefCell<Inner>>,
    pub world: World,
}

struct Inner {
    world: World,
    cores: Vec<Shard<MemoryIo, Broker>>,
    /// In the place of the control thread.
    guest: Option<Guest<Mail>>,
    config: Arc<ServerConfig>,
}

impl Rig {
    /// Two cores and no settings.
    pub fn new() -> Rig {
        Rig::with(2, &[])
    }

    /// A node that has started.
    pub fn with(core_count: u16, settings: &[(&str, &str)]) -> Rig {
        let world = World::new(1);
        let config = Arc::new(config_of(settings));
        let inner = Inner { world: world.clone(), cores: Vec::new(), guest: None, config };
        let rig = Rig { inner: Rc::new(RefCell::new(inner)), world };
        rig.start(core_count);
        rig
    }

    /// Brings the node up on what the world's disk holds.
    pub fn start(&self, core_count: u16) {
        self.start_unsettled(core_count);
        self.settle();
    }

    /// Brings the node up without giving it a turn.
    pub fn start_unsettled(&self, core_count: u16) {
        let mut inner = self.inner.borrow_mut();
        assert!(inner.cores.is_empty(), "the node runs already");
        let node = Arc::new(node_of(&inner.config, core_count));
        let pool = Pool::new(8 << 20);
        let mut boxes = mail::connect::<Mail>(core_count + 1).unwrap();
        inner.guest = boxes.pop().map(Guest::new);
        for mailbox in boxes {
            let io = inner.world.io();
            let core = core_of(io, mailbox, &node, &pool);
            inner.cores.push(core);
        }
        inner.cores.iter_mut().for_each(Shard::start);
    }

    /// Ends the node as an operator does, and all its connections with it.
    pub fn stop(&self) {
        self.inner.borrow_mut().cores.iter_mut().for_each(Shard::stop);
        self.settle();
        let until = self.now_ms() + STOP_MS_MAX;
        while !self.inner.borrow().cores.iter().all(Shard::is_stopped) {
            assert!(self.now_ms() < until, "a core does not stop");
            self.step();
        }
        self.inner.borrow_mut().cores.clear();
        self.world.crash(Crash::Process);
    }

    /// Ends the node as a fault does.
    pub fn crash(&self, crash: Crash) {
        self.inner.borrow_mut().cores.clear();
        self.world.crash(crash);
    }

    /// Ends the node as a fault does, and starts it again on as many cores.
    pub fn crash_and_restart(&self, crash: Crash) {
        let core_count = self.core_count();
        self.crash(crash);
        self.start(core_count);
    }

    /// How many cores run.
    pub fn core_count(&self) -> u16 {
        self.inner.borrow().cores.len() as u16
    }

    /// One turn of each core.
    pub fn turn(&self) {
        self.inner.borrow_mut().cores.iter_mut().for_each(Shard::turn);
    }

    /// So many turns of each core.
    pub fn turns(&self, count: usize) {
        (0..count).for_each(|_| self.turn());
    }

    /// Turns until nothing is left to do at this moment.
    pub fn settle(&self) {
        self.turns(ROUNDS);
    }

    /// Lets time pass, in which the node does what it has to.
    pub fn pass_ms(&self, ms: u64) {
        self.settle();
        let mut left = ms;
        while left > 0 {
            let step = left.min(STEP_MS);
            self.world.pass_ms(step);
            self.settle();
            left -= step;
        }
    }

    /// Moves on to the next moment at which a core has something to do; says when that is.
    pub fn step(&self) -> u64 {
        self.settle();
        assert!(self.world.advance(), "no core will ever wake");
        self.settle();
        self.now_ms()
    }

    /// Monotonic time in ms.
    pub fn now_ms(&self) -> u64 {
        self.look(ShardId(0), |core| core.io().now().0 / 1_000_000)
    }

    /// The calendar, in ms.
    pub fn wall_ms(&self) -> i64 {
        let WallMs(now) = self.look(ShardId(0), |core| core.io().wall_ms());
        now
    }

    /// Looks at, or into, one core.
    pub fn look<R>(&self, core: ShardId, look: impl FnOnce(&mut Shard<MemoryIo, Broker>) -> R) -> R {
        look(&mut self.inner.borrow_mut().cores[usize::from(core.0)])
    }

    /// Asks a core as the control thread does; gives what it answers within a turn.
    pub fn inspect(&self, core: ShardId, asked: Inspect) -> Vec<Report> {
        self.inner.borrow_mut().guest.as_mut().unwrap().send(core, Mail::Inspect(asked));
        self.turn();
        self.reports(core)
    }

    /// What a core has told since it was looked at last.
    pub fn reports(&self, core: ShardId) -> Vec<Report> {
        let letters = self.inner.borrow_mut().guest.as_mut().unwrap().receive_all();
        let of_core = letters.into_iter().filter(|(from, _)| *from == core);
        of_core
            .map(|(_, mail)| match mail {
                Mail::Report(report) => report,
                other => panic!("no letter for a guest: {other:?}"),
            })
            .collect()
    }

    /// Adds up what is counted on every core.
    pub fn sum(&self, count: impl Fn(&Broker) -> usize) -> usize {
        self.inner.borrow_mut().cores.iter_mut().map(|core| count(core.app())).sum()
    }

    /// The core that owns a partition.
    pub fn home(&self, topic: &str, partition: i32) -> ShardId {
        self.look(ShardId(0), |core| {
            let image = core.app().image.clone();
            image.topic(topic).unwrap().partition(partition).unwrap().home
        })
    }

    /// A partition's directory.
    pub fn dir(&self, topic: &str, partition: i32) -> PathBuf {
        Path::new(DATA_DIR).join(format!("{topic}-{partition}"))
    }

    /// Changes what goes wrong from now on.
    pub fn faults(&self, faults: Faults) {
        self.world.set_faults(faults);
    }

    /// A connection to whichever core takes it.
    pub fn connect(&self) -> Client {
        self.connect_port(PORT)
    }

    /// A connection to a listener.
    pub fn connect_listener(&self, index: u16) -> Client {
        self.connect_port(PORT + index)
    }

    /// A connection to a core.
    pub fn connect_core(&self, core: ShardId) -> Client {
        self.connect_port(CORE_PORT + core.0)
    }

    fn connect_port(&self, port: u16) -> Client {
        let peer = self.world.connect(address(port)).expect("the node accepts connections");
        Client {
            rig: self.clone(),
            peer,
            correlation_id: 100,
            asked: VecDeque::new(),
            received: Vec::new(),
            client_id: Some("wire".to_owned()),
        }
    }
}

fn config_of(settings: &[(&str, &str)]) -> ServerConfig {
    let base = [
        ("log.dirs", DATA_DIR),
        ("node.id", "3"),
        ("ringlog.journal.bytes", "262144"),
        ("listeners", "PLAINTEXT://broker.test:9092"),
    ];
    let all = base.iter().filter(|(name, _)| settings.iter().all(|(other, _)| other != name));
    let given = all.chain(settings).map(|(name, value)| Given {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
        origin: Origin::Set,
    });
    ServerConfig::new(given.collect(), "machine.test").unwrap()
}

fn node_of(config: &Arc<ServerConfig>, core_count: u16) -> Node {
    let advertised = config.listeners().iter();
    let values = config.values();
    let (all, per_ip) = (values.max_connections() as usize, values.max_connections_per_ip() as usize);
    Node {
        admission: net::Admission::new(all, per_ip),
        id: config.values().node_id(),
        open_files_max: OPEN_FILES_MAX,
        incarnation: Uuid::from_u128(1),
        directory_id: Uuid::from_u128(2),
        cluster_id: "wire-cluster-AAAAAAAAA".to_owned(),
        data_dir: PathBuf::from(DATA_DIR),
        data_dir_text: DATA_DIR.to_owned(),
        core_count,
        advertised: advertised.map(|l| (l.advertised.host.clone(), l.advertised.port)).collect(),
        peer_listener: (!config.peer_listen().is_empty()).then_some(ListenerIndex(config.listeners().len())),
        peer_admission: broker::node::peer_admission(),
        founding: quorum::Founding::Alone,
        started: Instant::now(),
        config: Arc::clone(config),
    }
}

fn core_of(
    mut io: MemoryIo,
    mailbox: mail::Mailbox<Mail>,
    node: &Arc<Node>,
    pool: &Pool,
) -> Shard<MemoryIo, Broker> {
    let me = mailbox.me();
    let mut listeners = vec![(io.listen(address(CORE_PORT + me.0)), ListenerIndex(0))];
    for index in 0..node.advertised.len() + usize::from(node.peer_listener.is_some()) {
        listeners.push((io.listen(address(PORT + index as u16)), ListenerIndex(index)));
    }
    let controller = (me == ShardId(0)).then(|| {
        let now = io.wall_ms();
        let dir = Path::new(DATA_DIR);
        io.disk().create_dir(dir).unwrap();
        let controller = Controller::open(io.disk(), node, now).unwrap();
        broker::replay_journals(io.disk(), dir, controller.image(), node.core_count).unwrap();
        controller
    });
    Shard::new(io, Broker::new(me, Arc::clone(node), controller, listeners), mailbox, pool.clone())
}

fn address(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// One connection. Replies are checked to come in the order of the requests (Q10).
pub struct Client {
    pub rig: Rig,
    pub peer: Peer,
    pub client_id: Option<String>,
    correlation_id: i32,
    asked: VecDeque<(i32, ApiKey, i16)>,
    received: Vec<u8>,
}

/// A whole response.
#[derive(Debug, Clone)]
pub struct Reply {
    pub key: ApiKey,
    pub version: i16,
    pub correlation_id: i32,
    /// The frame without its size.
    pub frame: Vec<u8>,
}

impl Reply {
    /// The body; nothing may be left over.
    pub fn read<'a, M: Message<'a>>(&'a self) -> M {
        assert_eq!(M::API_KEY, Some(self.key.code()), "{} is not what was asked for", M::NAME);
        let mut d = Decoder::new(&self.frame);
        let correlation_id = decode_response_header(&mut d, self.key, self.version).unwrap();
        assert_eq!(correlation_id, self.correlation_id);
        let message = M::decode(&mut d, self.version).unwrap();
        d.finish().unwrap();
        message
    }
}

impl Client {
    /// Sends a request and waits for its reply.
    pub fn ask<'a, M: Message<'a>>(&mut self, version: i16, body: &M) -> Reply {
        self.send(version, body);
        self.receive()
    }

    /// Sends a request that will be answered.
    pub fn send<'a, M: Message<'a>>(&mut self, version: i16, body: &M) {
        self.send_silent(version, body);
        let key = ApiKey::from_code(M::API_KEY.unwrap()).unwrap();
        self.asked.push_back((self.correlation_id, key, version));
    }

    /// Sends a request that has no answer (acks=0).
    pub fn send_silent<'a, M: Message<'a>>(&mut self, version: i16, body: &M) {
        let frame = self.frame(version, body);
        self.peer.send(&frame);
    }

    /// The frame of a request with the next correlation id.
    pub fn frame<'a, M: Message<'a>>(&mut self, version: i16, body: &M) -> Vec<u8> {
        self.correlation_id += 1;
        let header = RequestHeader {
            api_key: M::API_KEY.unwrap(),
            api_version: version,
            correlation_id: self.correlation_id,
            client_id: self.client_id.as_deref(),
        };
        encode_request(&header, body)
    }

    /// Sends bytes as they are; if they are a request, its reply is read as of this key and version.
    pub fn send_raw(&mut self, bytes: &[u8], reply: Option<(i32, ApiKey, i16)>) {
        self.peer.send(bytes);
        self.asked.extend(reply);
    }

    /// The next reply, however long it takes.
    pub fn receive(&mut self) -> Reply {
        let from = self.rig.now_ms();
        loop {
            if let Some(reply) = self.receive_now() {
                return reply;
            }
            assert!(!self.peer.is_closed(), "the node closed the connection");
            assert!(self.rig.now_ms() < from + PATIENCE_MS, "no reply came");
            self.rig.world.advance();
        }
    }

    /// The next reply, if it comes without time passing.
    pub fn receive_now(&mut self) -> Option<Reply> {
        for _ in 0..ROUNDS {
            if let Some(reply) = self.poll() {
                return Some(reply);
            }
            self.rig.turn();
        }
        self.poll()
    }

    /// Whether the node closes the connection now, having answered nothing more.
    pub fn is_closed(&mut self) -> bool {
        self.rig.settle();
        self.receive_bytes();
        assert!(self.received.is_empty(), "bytes came before the end");
        self.peer.is_closed()
    }

    /// Takes what has arrived, frames or not.
    pub fn receive_bytes(&mut self) {
        let bytes = self.peer.receive(usize::MAX);
        self.received.extend(bytes);
    }

    /// The next frame that has arrived, without its size, whatever it is.
    pub fn take_frame(&mut self) -> Option<Vec<u8>> {
        self.receive_bytes();
        let size = i32::from_be_bytes(*self.received.first_chunk()?) as usize;
        if self.received.len() < 4 + size {
            return None;
        }
        let frame = self.received[4..4 + size].to_vec();
        self.received.drain(..4 + size);
        Some(frame)
    }

    /// The next reply, if it has arrived.
    pub fn poll(&mut self) -> Option<Reply> {
        let frame = self.take_frame()?;
        let (correlation_id, key, version) = self.asked.pop_front().expect("nothing was asked");
        let got = i32::from_be_bytes(*frame.first_chunk().unwrap());
        assert_eq!(got, correlation_id, "replies come in the order of their requests");
        Some(Reply { key, version, correlation_id, frame })
    }
}
