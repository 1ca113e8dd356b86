//! What the process is: its number, its settings, its addresses. Made once, at the start, and shared by all cores.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use net::{Admission, Limits, ListenerIndex};
use protocol::Uuid;
use quorum::{Founding, Measures, NodeId, Voter};

use crate::config::ServerConfig;
use crate::metadata::Registration;
use crate::metadata::features;
use crate::metadata::registration::Endpoint;

/// Kafka's number of the only security protocol.
const PLAINTEXT: i16 = 0;

/// Requests of one connection that may be unanswered.
const REQUESTS_MAX: usize = 64;

/// What the listener of other nodes is called, where it needs a name.
pub const PEER_LISTENER: &str = "PEER";

/// Connections that other nodes may have, in all and from one address.
const PEER_CONNECTIONS_MAX: usize = 4096;

/// Whom a listener is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Clients.
    Clients,
    /// Other nodes of the cluster.
    Peers,
}

/// So many connections of other nodes, and none yet.
pub fn peer_admission() -> Admission {
    Admission::new(PEER_CONNECTIONS_MAX, PEER_CONNECTIONS_MAX)
}

/// What the process is; the same for all of its cores and for all of its life.
#[derive(Debug)]
pub struct Node {
    /// Its number in the cluster.
    pub id: i32,
    /// The cluster's id.
    pub cluster_id: String,
    /// Where all data lies.
    pub data_dir: PathBuf,
    /// The same, as clients are told.
    pub data_dir_text: String,
    /// How many cores it uses.
    pub core_count: u16,
    /// The settings it was started with.
    pub config: Arc<ServerConfig>,
    /// What clients are told to connect to, by listener.
    pub advertised: Vec<(String, u16)>,
    /// The listener of other nodes, which clients are never told of; it comes after theirs.
    pub peer_listener: Option<ListenerIndex>,
    /// Files that each core may hold open for its partitions.
    pub open_files_max: usize,
    /// How many connections there are, and may be.
    pub admission: Admission,
    /// The same of other nodes' connections, whom clients shall not keep out.
    pub peer_admission: Admission,
    /// Which process it is: drawn at the start (KIP-631).
    pub incarnation: Uuid,
    /// The id of the data directory.
    pub directory_id: Uuid,
    /// Who the metadata quorum begins with.
    pub founding: Founding,
    /// When the process was started.
    pub started: Instant,
}

impl Node {
    /// The address that belongs to the listener of a connection (Q23).
    pub fn advertised(&self, listener: ListenerIndex) -> (&str, u16) {
        let (host, port) = &self.advertised[listener.0];
        (host, *port)
    }

    /// The name of the listener of a connection: brokers call their listeners alike.
    pub fn listener_name(&self, listener: ListenerIndex) -> &str {
        &self.config.listeners()[listener.0].name
    }

    /// What this node tells the cluster of itself.
    pub fn registration(&self) -> Registration {
        let listeners = self.config.listeners().iter().zip(&self.advertised);
        let endpoints = listeners.map(|(listener, (host, port))| Endpoint {
            listener: listener.name.as_str().into(),
            host: host.as_str().into(),
            port: *port,
            security_protocol: PLAINTEXT,
        });
        Registration {
            id: self.id,
            epoch: 0,
            incarnation: self.incarnation,
            endpoints: endpoints.collect(),
            features: features::ranges(),
            rack: self.config.broker_rack().map(Into::into),
            log_dirs: vec![self.directory_id],
            is_fenced: false,
            is_shutting_down: false,
        }
    }

    /// This node as a part of the metadata quorum.
    pub fn quorum_config(&self) -> quorum::Config {
        let incarnation = self.incarnation.as_u128();
        quorum::Config {
            me: Voter {
                id: NodeId(self.id),
                directory_id: self.directory_id,
                endpoints: self.peer_endpoints(),
            },
            cluster_id: self.cluster_id.clone(),
            founding: self.founding.clone(),
            seed: (incarnation >> 64) as u64 ^ incarnation as u64,
            measures: Measures::default(),
        }
    }

    /// Where other nodes reach this one: what it was founded with, or else where it listens for them, if that is an address that means
    /// something elsewhere.
    fn peer_endpoints(&self) -> Vec<quorum::Endpoint> {
        if let Founding::Together(founders) = &self.founding {
            let own = founders.iter().find(|founder| founder.id == NodeId(self.id));
            return own.map_or(Vec::new(), |own| own.endpoints.clone());
        }
        let listens = self.config.peer_listen().into_iter();
        let named = listens.filter(|endpoint| endpoint.port != 0 && !endpoint.is_any_interface());
        let name = || PEER_LISTENER.to_owned();
        named
            .map(|endpoint| quorum::Endpoint { name: name(), host: endpoint.host, port: endpoint.port })
            .collect()
    }

    /// Whom a connection's listener is for.
    pub fn audience(&self, listener: ListenerIndex) -> Audience {
        if self.peer_listener == Some(listener) { Audience::Peers } else { Audience::Clients }
    }

    /// What each core allows on its connections.
    pub fn limits(&self) -> Limits {
        let values = self.config.values();
        Limits {
            request_bytes_max: values.socket_request_max_bytes() as usize,
            requests_max: REQUESTS_MAX,
            idle_ms_max: values.connections_max_idle_ms().unwrap_or(i64::MAX),
            admission: self.admission.clone(),
            peers: self.peer_listener.map(|listener| (listener, self.peer_admission.clone())),
        }
    }

    /// All cores are ready.
    pub fn on_ready(&self) {
        tracing::info!(ms = self.started.elapsed().as_millis() as u64, "ready");
    }
}
