//! A whole cluster: finds brokers, leaders, the controller and coordinators, and asks each what it is there for.
//!
//! What may pass by itself (a moved leader, a coordinator that loads, a connection that broke) is tried again within a
//! time that the caller states ([`Client::until_done`]), with what is known about the cluster forgotten in between.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use protocol::Message;
use protocol::messages::find_coordinator_request::FindCoordinatorRequest;
use protocol::messages::find_coordinator_response::FindCoordinatorResponse;
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::metadata_response::MetadataResponse;

use super::address::Address;
use super::answer::Answer;
use super::connection::{Connection, Deadline};
use super::error::{ClientError, Refused};
use super::metadata::{ClusterMap, WantedTopics};
use super::versions::Versions;

/// Between two attempts at something; doubled each time.
const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The first version of FindCoordinator that takes a list of keys.
const COORDINATOR_LIST_FROM: i16 = 4;

/// Whom to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// Any broker.
    Any,
    /// The broker that takes requests for the controller.
    Controller,
    /// This broker.
    Broker(i32),
    /// The coordinator of a group or of a transactional id.
    Coordinator(CoordinatorKind, &'a str),
}

/// What a coordinator coordinates; the numbers are Kafka's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum CoordinatorKind {
    /// A consumer group.
    Group = 0,
    /// A transactional id.
    Transaction = 1,
}

/// A client of one cluster.
#[derive(Debug)]
pub struct Client {
    bootstrap: Vec<Address>,
    client_id: String,
    timeout: Duration,
    map: ClusterMap,
    first: Option<Connection>,
    connections: HashMap<i32, Connection>,
    coordinators: HashMap<(CoordinatorKind, String), i32>,
}

impl Client {
    /// Connects to the first broker of the list that answers, and asks it who else there is.
    pub fn connect(
        bootstrap: Vec<Address>,
        client_id: &str,
        timeout: Duration,
    ) -> Result<Client, ClientError> {
        let mut client = Client {
            bootstrap,
            client_id: client_id.to_owned(),
            timeout,
            map: ClusterMap::default(),
            first: None,
            connections: HashMap::new(),
            coordinators: HashMap::new(),
        };
        client.metadata(WantedTopics::None)?;
        Ok(client)
    }

    /// How long an answer may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The cluster as it was when Metadata was last asked for.
    pub fn map(&self) -> &ClusterMap {
        &self.map
    }

    /// What the broker that was reached first serves.
    pub fn versions(&mut self) -> Result<Versions, ClientError> {
        Ok(self.first()?.versions().clone())
    }

    /// Asks who is there, and about topics. Creates none.
    pub fn metadata(&mut self, wanted: WantedTopics<'_>) -> Result<ClusterMap, ClientError> {
        let topics = match wanted {
            WantedTopics::All => None,
            WantedTopics::None => Some(Vec::new()),
            WantedTopics::Named(names) => {
                let named = |name| MetadataRequestTopic { name: Some(name), ..Default::default() };
                Some(names.iter().copied().map(named).collect())
            }
        };
        let request = MetadataRequest { topics, allow_auto_topic_creation: false, ..Default::default() };
        let answer = self.ask(Target::Any, &request)?;
        let response: MetadataResponse<'_> = self.read(&answer)?;
        if response.error_code != 0 {
            return Err(refused(&answer, "", response.error_code, None));
        }
        self.map = ClusterMap::of(&response);
        Ok(self.map.clone())
    }

    /// Asks, and waits for the answer.
    pub fn ask<'a, M: Message<'a>>(
        &mut self,
        target: Target<'_>,
        request: &M,
    ) -> Result<Answer, ClientError> {
        self.ask_below(target, request, i16::MAX)
    }

    /// As [`Client::ask`], in a version that is not above `highest`.
    pub fn ask_below<'a, M: Message<'a>>(
        &mut self,
        target: Target<'_>,
        request: &M,
        highest: i16,
    ) -> Result<Answer, ClientError> {
        let deadline = Deadline::after(self.timeout);
        let node = self.find(target)?;
        let connection = self.connection(node)?;
        let answer = connection.ask(request, highest, deadline);
        if answer.is_err() {
            self.drop_connection(node);
        }
        answer
    }

    /// A connection of the caller's own to a broker, for many requests under way.
    pub fn own_connection(&mut self, id: i32) -> Result<Connection, ClientError> {
        let (address, broker) = self.address_of(id)?;
        Connection::open(&address, &broker, &self.client_id, Deadline::after(self.timeout))
    }

    /// Reads an answer.
    pub fn read<'a, M: Message<'a>>(&self, answer: &'a Answer) -> Result<M, ClientError> {
        answer.decode().map_err(|fault| ClientError::undecodable(&answer.broker, answer.key, fault))
    }

    /// Does something until it is done, fails for good, or the timeout is over.
    pub fn until_done<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Client) -> Result<T, ClientError>,
    ) -> Result<T, ClientError> {
        let deadline = Deadline::after(self.timeout);
        let mut pause = PAUSE_FIRST;
        loop {
            let error = match attempt(self) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let Some(left) = deadline.left().filter(|left| error.may_pass() && pause < *left) else {
                return Err(error);
            };
            self.forget();
            thread::sleep(pause.min(left));
            pause = (2 * pause).min(PAUSE_MAX);
            // Who leads what may be what changed.
            let _ = self.metadata(WantedTopics::None);
        }
    }

    /// Forgets who coordinates what, so that it is asked anew. Connections stay: those that broke are gone already.
    pub fn forget(&mut self) {
        self.coordinators.clear();
    }

    /// The broker that coordinates a group or a transactional id.
    pub fn coordinator(&mut self, kind: CoordinatorKind, key: &str) -> Result<i32, ClientError> {
        if let Some(id) = self.coordinators.get(&(kind, key.to_owned())) {
            return Ok(*id);
        }
        let request = FindCoordinatorRequest {
            key,
            key_type: kind as i8,
            coordinator_keys: vec![key],
            ..Default::default()
        };
        let answer = self.ask(Target::Any, &request)?;
        let response: FindCoordinatorResponse<'_> = self.read(&answer)?;
        let (id, code, message) = match response.coordinators.first() {
            Some(found) if answer.version >= COORDINATOR_LIST_FROM => {
                (found.node_id, found.error_code, found.error_message)
            }
            _ => (response.node_id, response.error_code, response.error_message),
        };
        if code != 0 {
            let about = match kind {
                CoordinatorKind::Group => format!("group {key}"),
                CoordinatorKind::Transaction => format!("transactional id {key}"),
            };
            return Err(refused(&answer, &about, code, message));
        }
        self.coordinators.insert((kind, key.to_owned()), id);
        Ok(id)
    }

    /// The number of the broker to ask; `None` is whichever was reached first.
    fn find(&mut self, target: Target<'_>) -> Result<Option<i32>, ClientError> {
        match target {
            Target::Any => Ok(None),
            Target::Controller => Ok(self.map.controller_id),
            Target::Broker(id) => Ok(Some(id)),
            Target::Coordinator(kind, key) => self.coordinator(kind, key).map(Some),
        }
    }

    fn connection(&mut self, node: Option<i32>) -> Result<&mut Connection, ClientError> {
        let Some(id) = node else { return self.first() };
        if !self.connections.contains_key(&id) {
            let connection = self.own_connection(id)?;
            self.connections.insert(id, connection);
        }
        Ok(self.connections.get_mut(&id).expect("it was just put there"))
    }

    /// A connection to anybody: of the list, or of those that the cluster named since.
    fn first(&mut self) -> Result<&mut Connection, ClientError> {
        if self.first.is_none() {
            let known = self.map.brokers.iter().map(|broker| broker.address.clone());
            let addresses: Vec<Address> = self.bootstrap.iter().cloned().chain(known).collect();
            self.first = Some(self.open_one_of(&addresses)?);
        }
        Ok(self.first.as_mut().expect("it was just put there"))
    }

    fn open_one_of(&self, addresses: &[Address]) -> Result<Connection, ClientError> {
        let mut tried: Vec<String> = Vec::new();
        for (index, address) in addresses.iter().enumerate() {
            if addresses[..index].contains(address) {
                continue;
            }
            let broker = format!("the broker at {address}");
            match Connection::open(address, &broker, &self.client_id, Deadline::after(self.timeout)) {
                Ok(connection) => return Ok(connection),
                Err(ClientError::Unreachable { why, .. }) => tried.push(format!("{address}: {why}")),
                Err(error) => tried.push(error.to_string()),
            }
        }
        Err(ClientError::NoneReachable { tried })
    }

    fn drop_connection(&mut self, node: Option<i32>) {
        match node {
            None => self.first = None,
            Some(id) => drop(self.connections.remove(&id)),
        }
    }

    fn address_of(&self, id: i32) -> Result<(Address, String), ClientError> {
        let broker = self.map.brokers.iter().find(|broker| broker.id == id);
        let broker = broker.ok_or_else(|| {
            let known: Vec<String> = self.map.brokers.iter().map(|broker| broker.id.to_string()).collect();
            ClientError::NoBroker {
                what: format!("there is no broker {id}; the cluster has {}", known.join(", ")),
            }
        })?;
        Ok((broker.address.clone(), format!("broker {id} at {}", broker.address)))
    }
}

/// The error that an answer holds.
pub(super) fn refused(answer: &Answer, about: &str, code: i16, message: Option<&str>) -> ClientError {
    ClientError::Refused(Refused {
        request: answer.key,
        broker: answer.broker.to_string(),
        about: about.to_owned(),
        code,
        message: message.map(str::to_owned),
    })
}

impl Answer {
    /// Nothing if `code` is 0, or else the refusal of what this answers.
    pub fn check(&self, about: &str, code: i16, message: Option<&str>) -> Result<(), ClientError> {
        if code == 0 { Ok(()) } else { Err(refused(self, about, code, message)) }
    }
}
