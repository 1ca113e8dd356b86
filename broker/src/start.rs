//! Bringing a node up: its directory, its addresses, its cores; and telling what it is.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use net::{Admission, ListenerIndex};
use protocol::Uuid;
use quorum::{Founding, NodeId, OpenError, Voter};
use shard::boot::{self, BootError, DirLock, Running};
use shard::native::Files;
use shard::ring::RingError;
use shard::{Disk, DurableWrites, Guest, HostChoices, Io, Kind, ListenerId, Native, Pool, ShardId, Writes};

use storage::{StorageError, journal};

use crate::broker::Broker;
use crate::config::listener::Endpoint;
use crate::config::{Cores, ServerConfig};
use crate::control::Control;
use crate::data_dir::{self, DataDirError};
use crate::mail::Mail;
use crate::metadata::controller::Controller;
use crate::metadata::placement;
use crate::node::{Node, PEER_LISTENER, peer_admission};
use crate::partition::replay_journals;

/// Files that a core holds open at most, and at least, whatever the limit of descriptors is.
const OPEN_FILES_MAX: usize = 4096;
const OPEN_FILES_MIN: usize = 64;

/// The least time that a client is given to take something of an answer.
const STUCK_MIN: Duration = Duration::from_secs(60);

/// Why a node does not start: one line that says what to do.
#[derive(Debug)]
pub enum StartError {
    /// Another process has the directory.
    Locked(PathBuf),
    /// The directory cannot be used.
    DataDir(DataDirError),
    /// The directory cannot be locked.
    Lock(PathBuf, io::Error),
    /// The metadata cannot be read.
    Metadata(OpenError),
    /// A journal cannot be replayed.
    Journal(StorageError),
    /// An address cannot be listened on.
    Listen {
        /// Which.
        address: String,
        /// Why not.
        error: io::Error,
    },
    /// An address for metrics and health cannot be listened on.
    Http {
        /// Which.
        address: String,
        /// Why not.
        error: io::Error,
    },
    /// A core that was asked for is not there.
    Core {
        /// Which.
        core: usize,
        /// What there is.
        allowed: Vec<usize>,
    },
    /// More cores are asked for than there are.
    CoreCount {
        /// How many.
        wanted: usize,
        /// What there is.
        allowed: usize,
    },
    /// No io_uring, which was asked for.
    Ring(RingError),
    /// Writes through the ring, and no ring.
    NoRing,
    /// Something of the operating system's.
    System(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Locked(dir) => write!(
                f,
                "{}: another broker uses this directory: stop it, or start with another --data-dir",
                dir.display()
            ),
            StartError::DataDir(error) => error.fmt(f),
            StartError::Lock(dir, error) => write!(f, "{}: {error}", dir.display()),
            StartError::Metadata(error) => error.fmt(f),
            StartError::Journal(error) => write!(f, "the journal cannot be replayed: {error}"),
            StartError::Listen { address, error } => {
                write!(
                    f,
                    "cannot listen on {address}: {error}: stop what does, or start with another --listen or \
                     --peer-listen"
                )
            }
            StartError::Http { address, error } => {
                write!(
                    f,
                    "cannot serve metrics on {address}: {error}: stop what listens there, or start with another --http"
                )
            }
            StartError::Core { core, allowed } => {
                write!(f, "core {core} is not one that this process may use: they are {allowed:?}")
            }
            StartError::CoreCount { wanted, allowed } => {
                write!(f, "{wanted} cores are asked for, and this process may use {allowed}")
            }
            StartError::Ring(error) => write!(f, "{error}; or start with --set ringlog.io.backend=auto"),
            StartError::NoRing => f.write_str(
                "ringlog.io.writes=ring needs io_uring, and the broker would run on epoll: leave it at auto",
            ),
            StartError::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

/// A node that runs.
pub struct RunningNode {
    /// What it is.
    pub node: Arc<Node>,
    /// Where it listens, by listener; that of other nodes comes last.
    pub addresses: Vec<Vec<SocketAddr>>,
    /// The CPUs of its cores.
    pub cpus: Vec<usize>,
    /// What its cores do their I/O with.
    pub backend: Kind,
    /// How its journals become durable.
    pub durable_writes: DurableWrites,
    /// Its cores.
    pub running: Running,
    /// What serves metrics and health, if that was asked for.
    pub control: Option<Control>,
    /// Keeps other processes out of its directory.
    pub lock: DirLock,
}

/// Brings a node up; returns when its cores run. They serve as soon as their partitions are open.
pub fn start(config: ServerConfig, started: Instant) -> Result<RunningNode, StartError> {
    let config = Arc::new(config);
    let cpus = choose_cpus(config.cores())?;
    let data_dir = config.log_dir().to_path_buf();
    let lock = match boot::lock_dir(&data_dir) {
        Ok(Some(lock)) => lock,
        Ok(None) => return Err(StartError::Locked(data_dir)),
        Err(error) => return Err(StartError::Lock(data_dir, error)),
    };
    check_versions(&data_dir)?;
    let addresses = find_addresses(&config)?;
    let http = bind_http(&config)?;
    let id = config.values().node_id();
    let random = [boot::random_seed(), boot::random_seed()];
    let incarnation = u128::from(boot::random_seed()) << 64 | u128::from(boot::random_seed());
    let identity = data_dir::open(&mut Files::default(), &data_dir, id, cluster_of(&config), random)
        .map_err(StartError::DataDir)?;
    let advertised = config.listeners().iter().zip(&addresses).map(|(listener, bound)| {
        let advertised = &listener.advertised;
        let port =
            if advertised.port == 0 { bound.first().map_or(0, SocketAddr::port) } else { advertised.port };
        (advertised.host.clone(), port)
    });
    let values = config.values();
    let admission =
        Admission::new(values.max_connections() as usize, values.max_connections_per_ip() as usize);
    let node = Arc::new(Node {
        admission,
        id,
        cluster_id: identity.cluster_id,
        data_dir_text: std::path::absolute(&data_dir)
            .unwrap_or_else(|_| data_dir.clone())
            .display()
            .to_string(),
        data_dir,
        core_count: cpus.len() as u16,
        open_files_max: open_files_max(cpus.len())?,
        incarnation: Uuid::from_u128(incarnation),
        directory_id: identity.directory_id,
        founding: founding(&config),
        advertised: advertised.collect(),
        peer_listener: (addresses.len() > config.listeners().len())
            .then_some(ListenerIndex(config.listeners().len())),
        peer_admission: peer_admission(),
        started,
        config,
    });
    let pool = Pool::new(node.config.values().ringlog_pool_bytes() as usize);
    let durable_writes = probe_journal(&node)?;
    let backend = choose_backend(&node.config);
    let host = node.config.host_choices(backend);
    if host.writes == Writes::Ring && backend == Kind::Poll {
        return Err(StartError::NoRing);
    }
    let (running, guest) = boot_cores(host, &node, &addresses, &cpus, &pool, !http.is_empty())?;
    let control = match guest.map(|guest| start_control(http, guest, &node)).transpose() {
        Ok(control) => control,
        Err(error) => {
            running.stopper().stop();
            running.join();
            return Err(error);
        }
    };
    Ok(RunningNode { node, addresses, cpus, backend, durable_writes, running, control, lock })
}

/// The cluster that this node is to found, if it founds one with others.
fn cluster_of(config: &ServerConfig) -> Option<Uuid> {
    let founders = config.founders();
    (!founders.is_empty()).then(|| data_dir::id_of_founders(&founders))
}

/// Who the metadata quorum begins with.
fn founding(config: &ServerConfig) -> Founding {
    let founders = config.founders();
    if founders.is_empty() {
        return Founding::Alone;
    }
    let voters = founders.into_iter().map(|founder| Voter {
        id: NodeId(founder.id),
        directory_id: Uuid::ZERO,
        endpoints: vec![quorum::Endpoint {
            name: PEER_LISTENER.to_owned(),
            host: founder.endpoint.host,
            port: founder.endpoint.port,
        }],
    });
    Founding::Together(voters.collect())
}

/// A core holds at most so many files open for its partitions, and as many that it is about to close: together a half of
/// what the process may have. The rest is for connections.
fn open_files_max(core_count: usize) -> Result<usize, StartError> {
    let descriptors = boot::raise_descriptor_limit().map_err(StartError::System)?;
    let share = descriptors / 4 / core_count.max(1) as u64;
    Ok(usize::try_from(share).unwrap_or(OPEN_FILES_MAX).clamp(OPEN_FILES_MIN, OPEN_FILES_MAX))
}

/// Refuses a directory that a newer version wrote, before anything in it is changed. The metadata log and each partition
/// say so for themselves.
pub(crate) fn check_versions(data_dir: &Path) -> Result<(), StartError> {
    let files = &mut Files::default();
    journal::check(files, data_dir).map_err(StartError::Journal)?;
    placement::check_version(files, data_dir).map_err(StartError::Metadata)
}

/// Finds out how durable writes work where the data lies.
fn probe_journal(node: &Node) -> Result<DurableWrites, StartError> {
    let path = journal::path_of(&node.data_dir, 0);
    let mut files = Files::default();
    let dir = path.parent().unwrap_or(&node.data_dir);
    let opened = files.create_dir(dir).and_then(|()| files.open_durable(&path));
    let io = |error| StartError::Lock(path.clone(), io::Error::from_raw_os_error(error));
    opened.map(|(_, writes)| writes).map_err(|shard::IoError(error)| io(error))
}

/// Epoll only where io_uring is not to be had, and never without a word.
fn choose_backend(config: &ServerConfig) -> Kind {
    let (kind, refusal) = config.io_backend().map_or_else(Kind::choose, |kind| (kind, None));
    if let Some(refusal) = refusal {
        tracing::warn!("running on epoll, which costs more CPU: {refusal}");
    }
    kind
}

fn boot_cores(
    host: HostChoices,
    node: &Arc<Node>,
    addresses: &[Vec<SocketAddr>],
    cpus: &[usize],
    pool: &Pool,
    has_guest: bool,
) -> Result<(Running, Option<Guest<Mail>>), StartError> {
    let pins: Vec<Option<usize>> = cpus.iter().map(|&cpu| Some(cpu)).collect();
    let (node, addresses) = (Arc::clone(node), addresses.to_vec());
    let build = move |me: ShardId, native: &mut Native| {
        let listeners = listen(native, &addresses, stuck_max(&node.config))?;
        let controller = if me == ShardId(0) { Some(open_controller(native, &node)?) } else { None };
        Ok::<_, StartError>(Broker::new(me, Arc::clone(&node), controller, listeners))
    };
    boot::run_with_guest(host, &pins, pool, has_guest, build).map_err(|error| match error {
        BootError::Ring(error) => StartError::Ring(error),
        BootError::System(error) => StartError::System(error),
        BootError::App(error) => error,
    })
}

/// The sockets for metrics and health. Nobody shares them, so they are bound once and kept.
fn bind_http(config: &ServerConfig) -> Result<Vec<TcpListener>, StartError> {
    let mut listeners = Vec::new();
    for endpoint in config.http_listen() {
        let fault = |error| StartError::Http { address: endpoint.to_string(), error };
        for address in boot::free_addresses(&endpoint.host, endpoint.port).map_err(fault)? {
            listeners.push(TcpListener::bind(address).map_err(fault)?);
        }
    }
    Ok(listeners)
}

fn start_control(
    http: Vec<TcpListener>,
    guest: Guest<Mail>,
    node: &Arc<Node>,
) -> Result<Control, StartError> {
    let descriptors_max = boot::raise_descriptor_limit().map_err(StartError::System)?;
    Control::start(http, guest, Arc::clone(node), descriptors_max).map_err(StartError::System)
}

/// How long a client may take nothing of its answers, as long as it may be silent: they hold memory, and the space of deleted
/// segments. Never less than a minute, which a network may be away.
fn stuck_max(config: &ServerConfig) -> Option<Duration> {
    let ms = config.values().connections_max_idle_ms().and_then(|ms| u64::try_from(ms).ok())?;
    Some(Duration::from_millis(ms).max(STUCK_MIN))
}

fn listen(
    native: &mut Native,
    addresses: &[Vec<SocketAddr>],
    stuck_max: Option<Duration>,
) -> Result<Vec<(ListenerId, ListenerIndex)>, StartError> {
    let mut listeners = Vec::new();
    for (index, addresses) in addresses.iter().enumerate() {
        for &address in addresses {
            let (listener, _) = native
                .listen(address, stuck_max)
                .map_err(|error| StartError::Listen { address: address.to_string(), error })?;
            listeners.push((listener, ListenerIndex(index)));
        }
    }
    Ok(listeners)
}

fn open_controller(native: &mut Native, node: &Node) -> Result<Controller, StartError> {
    let now = native.wall_ms();
    let controller = Controller::open(native.disk(), node, now).map_err(StartError::Metadata)?;
    replay_journals(native.disk(), &node.data_dir, controller.image(), node.core_count)
        .map_err(StartError::Journal)?;
    Ok(controller)
}

fn choose_cpus(wanted: &Cores) -> Result<Vec<usize>, StartError> {
    let allowed = boot::allowed_cpus().map_err(StartError::System)?;
    match wanted {
        Cores::All => Ok(allowed),
        Cores::Count(count) if *count <= allowed.len() => Ok(allowed[..*count].to_vec()),
        Cores::Count(wanted) => Err(StartError::CoreCount { wanted: *wanted, allowed: allowed.len() }),
        Cores::List(cores) => match cores.iter().find(|core| !allowed.contains(core)) {
            Some(&core) => Err(StartError::Core { core, allowed }),
            None => Ok(cores.clone()),
        },
    }
}

/// Where each listener of clients listens, and then that of other nodes if there is one.
fn find_addresses(config: &ServerConfig) -> Result<Vec<Vec<SocketAddr>>, StartError> {
    let mut binds: Vec<Vec<Endpoint>> =
        config.listeners().iter().map(|listener| listener.binds.clone()).collect();
    binds.extend(Some(config.peer_listen()).filter(|peers| !peers.is_empty()));
    let mut found = Vec::new();
    for listener in binds {
        let mut addresses = Vec::new();
        for bind in listener {
            let free = boot::free_addresses(&bind.host, bind.port);
            addresses.extend(free.map_err(|error| StartError::Listen { address: bind.to_string(), error })?);
        }
        found.push(addresses);
    }
    Ok(found)
}
