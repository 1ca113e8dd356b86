//! This broker's part in the cluster, and, where its controller is the active one, what is heard of all brokers' (KIP-631). On
//! the first core, at each tick of the quorum; a node that is alone has no ticks and needs none of it.

use net::Reply;
use protocol::messages::broker_heartbeat_request::BrokerHeartbeatRequest;
use protocol::messages::broker_heartbeat_response::BrokerHeartbeatResponse;
use protocol::messages::broker_registration_request::{BrokerRegistrationRequest, Feature, Listener};
use protocol::messages::broker_registration_response::BrokerRegistrationResponse;
use protocol::{ApiKey, ErrorCode};
use shard::Nanos;

use super::Broker;
use crate::mail::Turn;
use crate::metadata::lifecycle::plan_fencing;
use crate::metadata::sessions::BrokerSessions;
use crate::own_requests::{self, Purpose};

/// The versions that are asked with.
const REGISTRATION_VERSION: i16 = 4;
const HEARTBEAT_VERSION: i16 = 1;

/// After a failure, and while the broker is fenced, the controller is asked again this much later, in ms.
const AGAIN_MS: i64 = 100;

/// After a refusal that will not pass by itself, in ms.
const REFUSED_MS: i64 = 2_000;

/// A stopping broker waits so long for the controller to let it go, in ms.
const LEAVE_MS_MAX: i64 = 2_000;

/// What the first core knows of it.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    /// What is heard of brokers; only while this node is the active controller.
    sessions: Option<BrokerSessions>,
    /// The registration that is in force, as far as is known.
    epoch: Option<i64>,
    /// Whether a registration or a heartbeat is under way.
    is_asking: bool,
    /// When the next one is due.
    due: Nanos,
    /// Until when the broker waits to be let go, once it is told to stop.
    leaving_until: Option<Nanos>,
}

/// Monotonic time in ms.
fn ms(now: Nanos) -> i64 {
    i64::try_from(now.0 / 1_000_000).unwrap_or(i64::MAX)
}

impl Broker {
    /// Some time has passed in a cluster.
    pub(super) fn on_lifecycle_tick(&mut self, turn: &mut Turn<'_>) {
        self.watch_sessions(turn);
        if self.lifecycle.is_asking || turn.now < self.lifecycle.due {
            return;
        }
        match self.lifecycle.epoch {
            None if self.lifecycle.leaving_until.is_some() => {}
            None => self.register(turn),
            Some(epoch) => self.send_heartbeat(turn, epoch),
        }
    }

    // --- the active controller's side ---------------------------------------------------------------------------------

    /// Fences who is not heard of any more.
    fn watch_sessions(&mut self, turn: &mut Turn<'_>) {
        if !self.controller().is_active() {
            self.lifecycle.sessions = None;
            return;
        }
        let image = self.controller().image().clone();
        let now_ms = ms(turn.now);
        let sessions = self.lifecycle.sessions.get_or_insert_with(|| {
            let mut sessions = BrokerSessions::default();
            sessions.begin(&image, now_ms);
            sessions
        });
        let session_ms = i64::from(image.server.values().broker_session_timeout_ms());
        let expired = sessions.expired(&image, session_ms, now_ms);
        if expired.is_empty() || !self.controller().is_ready() {
            return;
        }
        tracing::warn!(brokers = ?expired, "nothing is heard of brokers: they are fenced");
        let records = plan_fencing(&image, &expired);
        let effects = self.controller().propose_own(turn.disk, &records, turn.wall_ms);
        self.carry_out(turn, effects);
    }

    /// The active controller has heard of a broker.
    pub(crate) fn on_heard_of(&mut self, now: Nanos, id: i32) {
        if let Some(sessions) = &mut self.lifecycle.sessions {
            sessions.on_heard(id, ms(now));
        }
    }

    /// Whether the active controller has heard of a broker within its session.
    pub(crate) fn is_heard_of(&self, now: Nanos, id: i32) -> bool {
        let session_ms = i64::from(self.image.server.values().broker_session_timeout_ms());
        self.lifecycle.sessions.as_ref().is_some_and(|sessions| sessions.is_alive(id, session_ms, ms(now)))
    }

    // --- the broker's side --------------------------------------------------------------------------------------------

    /// A node that has started as a quorum alone has registered itself with that.
    pub(super) fn begin_lifecycle(&mut self) {
        let image = self.controller().image().clone();
        if !self.controller().needs_ticks() {
            self.lifecycle.epoch = image.broker(self.node.id).map(|broker| broker.epoch);
        }
    }

    fn register(&mut self, turn: &mut Turn<'_>) {
        let own = self.node.registration();
        let listeners = own.endpoints.iter().map(|endpoint| Listener {
            name: &endpoint.listener,
            host: &endpoint.host,
            port: endpoint.port,
            security_protocol: endpoint.security_protocol,
        });
        let features = own.features.iter().map(|feature| Feature {
            name: &feature.name,
            min_supported_version: feature.min,
            max_supported_version: feature.max,
        });
        let previous = self.image.broker(self.node.id).map_or(-1, |broker| broker.epoch);
        let node = self.node.clone();
        let asked = BrokerRegistrationRequest {
            broker_id: own.id,
            cluster_id: &node.cluster_id,
            incarnation_id: own.incarnation,
            listeners: listeners.collect(),
            features: features.collect(),
            rack: own.rack.as_deref(),
            log_dirs: own.log_dirs.clone(),
            previous_broker_epoch: previous,
            ..Default::default()
        };
        let Ok(number) = self.own_requests.begin(Purpose::Registration) else { return };
        let request = own_requests::request(
            turn.shard,
            number,
            ApiKey::BrokerRegistration,
            REGISTRATION_VERSION,
            &asked,
        );
        self.lifecycle.is_asking = true;
        self.forward_to_controller(turn, request);
    }

    fn send_heartbeat(&mut self, turn: &mut Turn<'_>, epoch: i64) {
        let asked = BrokerHeartbeatRequest {
            broker_id: self.node.id,
            broker_epoch: epoch,
            // A version is the offset of the next record.
            current_metadata_offset: self.controller().applied_version() - 1,
            want_shut_down: self.lifecycle.leaving_until.is_some(),
            ..Default::default()
        };
        let Ok(number) = self.own_requests.begin(Purpose::Heartbeat) else { return };
        let request =
            own_requests::request(turn.shard, number, ApiKey::BrokerHeartbeat, HEARTBEAT_VERSION, &asked);
        self.lifecycle.is_asking = true;
        self.forward_to_controller(turn, request);
    }

    /// The controller has answered a registration, or could not be asked.
    pub(super) fn on_registration_answer(&mut self, turn: &Turn<'_>, reply: &Reply) {
        let frame = own_requests::frame_of(reply);
        let answer = own_requests::read::<BrokerRegistrationResponse>(&frame, REGISTRATION_VERSION);
        let error = answer.as_ref().map(|answer| ErrorCode::from_code(answer.error_code));
        let (epoch, wait_ms) = match (answer, error) {
            (Some(answer), Some(Some(ErrorCode::None))) => (Some(answer.broker_epoch), 0),
            (_, None | Some(Some(ErrorCode::NotController))) => (None, AGAIN_MS),
            (_, Some(error)) => {
                let name = error.map_or("an unknown error", ErrorCode::name);
                tracing::error!("the controller does not let this broker take part: {name}");
                (None, REFUSED_MS)
            }
        };
        self.lifecycle.is_asking = false;
        self.lifecycle.epoch = epoch;
        self.lifecycle.due = turn.now.plus_ms(wait_ms);
    }

    /// The controller has answered a heartbeat, or could not be asked.
    pub(super) fn on_heartbeat_answer(&mut self, turn: &Turn<'_>, reply: &Reply) {
        let frame = own_requests::frame_of(reply);
        let answer = own_requests::read::<BrokerHeartbeatResponse>(&frame, HEARTBEAT_VERSION);
        self.lifecycle.is_asking = false;
        let interval_ms = i64::from(self.image.server.values().broker_heartbeat_interval_ms());
        let error = answer.as_ref().and_then(|answer| ErrorCode::from_code(answer.error_code));
        let wait_ms = match (answer, error) {
            (Some(answer), Some(ErrorCode::None)) => {
                if answer.should_shut_down {
                    self.lifecycle.leaving_until = self.lifecycle.leaving_until.map(|_| turn.now);
                }
                if answer.is_fenced { AGAIN_MS } else { interval_ms }
            }
            (_, Some(ErrorCode::StaleBrokerEpoch | ErrorCode::BrokerIdNotRegistered)) => {
                self.lifecycle.epoch = None;
                AGAIN_MS
            }
            _ => AGAIN_MS,
        };
        self.lifecycle.due = turn.now.plus_ms(wait_ms);
    }

    /// The process is about to end: the controller is told, so that nobody is sent here any more.
    pub(super) fn begin_leaving(&mut self, turn: &mut Turn<'_>) {
        if self.controller.is_none() || !self.controller().needs_ticks() {
            return;
        }
        self.lifecycle.leaving_until = Some(turn.now.plus_ms(LEAVE_MS_MAX));
        self.lifecycle.due = turn.now;
        self.on_lifecycle_tick(turn);
    }

    /// Whether a stopping broker need not wait for the controller, or not any longer. It need not when the metadata says that it is
    /// fenced: the answer may wait for a core that has stopped already.
    pub(super) fn has_left(&self, now: Nanos) -> bool {
        let Some(until) = self.lifecycle.leaving_until else { return true };
        until <= now || self.image.broker(self.node.id).is_none_or(|broker| broker.is_fenced)
    }
}
