//! One core of the broker: what connects requests, partitions, metadata and other cores.
//!
//! ```text
//! frame ─► header, key, version ─► handler ─┬─► reply
//!                                           ├─► questions to partitions, here or on other cores ─► answers ─► reply
//!                                           └─► the controller, on the first core ─► records, image ─► reply
//! ```
//! Down by call, up by completion. Nothing here blocks, and every reply leaves in the order of its connection's requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use net::peers::Peers;
use net::{CloseReason, ConnectionId, Event, ListenerIndex, NetTurn, Reply, ReplySlot, Server};
use protocol::{
    ApiKey, DecodeError, Decoder, ErrorCode, Message, RequestHeader, Uuid, controller_message,
    encode_response,
};
use rustc_hash::FxHashMap;
use shard::random::Random;
use shard::{App, Buf, Completion, ListenerId, Nanos, ShardId, Token};

use crate::answer::Answer;
use crate::api::{self, ServedTo};
use crate::closing_log::ClosingLog;
use crate::fetch_session::FetchSessions;
use crate::groups::GroupCoordinators;
use crate::groups::ask::GroupQuestion;
use crate::mail::{Mail, PartitionId, PendingId, Question, Turn};
use crate::metadata::Image;
use crate::metadata::controller::{Committed, Controller};
use crate::metadata::record::Record;
use crate::node::{Audience, Node};
use crate::own_requests::OwnRequests;
use crate::partition::{Outbound, Partitions};
use crate::pending::PendingRequests;
use crate::request::{ReplyTo, Request};
use crate::transactions::TxnCoordinators;
use crate::transactions::ask::TxnQuestion;

mod creation;
mod forward;
mod inspect;
pub mod lifecycle;
pub mod peers;
mod producer_ids;
mod quorum;
use forward::Forwards;
use inspect::Inspection;
use lifecycle::Lifecycle;
use peers::{PeersHere, peer_turn};
use producer_ids::ProducerIds;

/// How often connections are looked over, in ms.
const TICK_MS: i64 = 1000;

/// Partitions that one Produce or Fetch may name.
const REQUEST_PARTITIONS_MAX: usize = 100_000;

/// A stopping core waits this long for replies and writes that are under way, in ms.
const STOP_MS_MAX: i64 = 5000;

/// Then it has this long to close its logs, in ms.
const CLOSE_MS_MAX: i64 = 5000;

/// The kinds of timer, as the top byte of their tokens.
const TIMER_TICK: u64 = 1;
const TIMER_FETCH: u64 = 2;
const TIMER_GROUPS: u64 = 3;
const TIMER_TXNS: u64 = 4;
const TIMER_REPORT: u64 = 5;
const TIMER_PEERS: u64 = 6;
const TIMER_QUORUM: u64 = 7;

/// One core.
#[derive(Debug)]
pub struct Broker {
    /// What the process is: settings, ids, addresses.
    pub node: Arc<Node>,
    /// The metadata as this core knows it.
    pub image: Arc<Image>,
    /// Fetch sessions of this core's connections.
    pub sessions: FetchSessions,
    /// Requests that wait for answers.
    pub pending: PendingRequests,
    /// Fetches that wait for more to read, by their connections; one a connection at most.
    pub parked: FxHashMap<ConnectionId, PendingId>,
    pub(crate) server: Server,
    pub(crate) partitions: Partitions,
    /// The coordinators of groups that live here.
    pub groups: GroupCoordinators,
    /// The coordinators of transactions that live here.
    pub transactions: TxnCoordinators,
    /// The connections to other nodes.
    peers: PeersHere,
    controller: Option<Controller>,
    /// Whether the quorum's timer is set.
    is_quorum_ticking: bool,
    /// How long a stop waits for another node to lead the quorum, if this one does.
    handover_until: Nanos,
    listeners: Vec<(ListenerId, ListenerIndex)>,
    /// What handling leaves to be told; empty between events.
    out: Outbound,
    /// Memory for the next of it.
    spare: Outbound,
    /// Memory for a turn's events.
    events: Vec<Event>,
    closings: ClosingLog,
    /// What this broker asks of the controller.
    own_requests: OwnRequests,
    /// Ids for producers; on the first core.
    pub producer_ids: ProducerIds,
    /// Requests that are on their way to the active controller; on the first core.
    forwards: Forwards,
    /// This broker's part in the cluster, and what the active controller knows of the others'; on the first core.
    lifecycle: Lifecycle,
    /// Errors that requests were answered with, by API key and code.
    errors: FxHashMap<(i16, i16), u64>,
    /// The report that is being told to the control thread.
    inspection: Option<Inspection>,
    id_count: u64,
    phase: Phase,
}

/// Where a core is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Starting,
    Serving,
    Stopping {
        until: shard::Nanos,
    },
    /// Nothing is asked any more: logs are being closed.
    Closing {
        until: shard::Nanos,
    },
    Stopped,
}

impl Broker {
    /// A core that listens at `listeners` once all cores are ready. The first core brings the controller.
    pub fn new(
        me: ShardId,
        node: Arc<Node>,
        controller: Option<Controller>,
        listeners: Vec<(ListenerId, ListenerIndex)>,
    ) -> Broker {
        let image = Arc::new(Image::empty(Arc::clone(&node.config), &node.cluster_id));
        let slots = node.config.values().max_incremental_fetch_session_cache_slots();
        Broker {
            sessions: FetchSessions::new(slots as usize / usize::from(node.core_count).max(1)),
            pending: PendingRequests::new(me),
            parked: FxHashMap::default(),
            server: Server::new(node.limits()),
            partitions: Partitions::new(&node),
            groups: GroupCoordinators::default(),
            transactions: TxnCoordinators::default(),
            image,
            peers: PeersHere::new(),
            controller,
            is_quorum_ticking: false,
            handover_until: Nanos::default(),
            listeners,
            out: Outbound::default(),
            spare: Outbound::default(),
            events: Vec::new(),
            closings: ClosingLog::default(),
            own_requests: OwnRequests::default(),
            producer_ids: ProducerIds::default(),
            forwards: Forwards::default(),
            lifecycle: Lifecycle::default(),
            errors: FxHashMap::default(),
            inspection: None,
            id_count: 0,
            phase: Phase::Starting,
            node,
        }
    }

    /// How many connections this core has.
    pub fn connection_count(&self) -> usize {
        self.server.connection_count()
    }

    /// How many partitions this core owns.
    pub fn partition_count(&self) -> usize {
        self.partitions.count()
    }

    /// How many of them have their logs open.
    pub fn open_log_count(&self) -> usize {
        self.partitions.open_log_count()
    }

    /// How many of them have records in a journal that was taken over, and that their segments may lack.
    pub fn inherited_count(&self) -> usize {
        self.partitions.inherited_count()
    }

    /// How many watches fetches hold on this core's partitions.
    pub fn watch_count(&self) -> usize {
        self.partitions.watch_count()
    }

    // --- requests -----------------------------------------------------------------------------------------------------

    fn on_events(&mut self, turn: &mut Turn<'_>) {
        let mut events = std::mem::take(&mut self.events);
        self.server.take_events(&mut events);
        for event in events.drain(..) {
            match event {
                Event::Request { slot, frame } => self.on_frame(turn, slot, frame),
                Event::Closed { connection, peer, reason } => {
                    self.closings.on_closed(turn.now, peer, &reason);
                    self.on_connection_gone(turn, connection);
                }
            }
        }
        self.events = events;
    }

    fn on_connection_gone(&mut self, turn: &mut Turn<'_>, connection: ConnectionId) {
        api::fetch::on_connection_gone(self, turn, connection);
    }

    /// Reads a request's header and hands it to its handler. What is not served closes the connection, as in Kafka (Q3).
    fn on_frame(&mut self, turn: &mut Turn<'_>, slot: ReplySlot, frame: Buf) {
        let (Some(peer), Some(listener)) =
            (self.server.peer(slot.connection()), self.server.listener(slot.connection()))
        else {
            return;
        };
        let mut d = Decoder::new(&frame);
        let header = match RequestHeader::decode(&mut d) {
            Ok(header) => header,
            Err(error) => return self.refuse(slot, format!("its header cannot be read: {error}")),
        };
        let (key, version, correlation_id) = (header.api_key, header.api_version, header.correlation_id);
        let body_at = d.position();
        let audience = self.node.audience(listener);
        if key == controller_message::KEY && audience == Audience::Peers {
            return self.on_controller_message(turn, slot, &frame, (version, correlation_id, body_at));
        }
        let Some(api) = ApiKey::from_code(key).and_then(|key| api::find_for(key, audience)) else {
            return self.refuse(slot, format!("API key {key} is not served"));
        };
        let is_known = api.versions.contains(&version);
        if !is_known && api.key != ApiKey::ApiVersions {
            return self.refuse(slot, format!("version {version} of {} is not served", api.key.name()));
        }
        let origin = turn.shard;
        let request = Request {
            origin,
            to: ReplyTo::Client(slot),
            key: api.key,
            version,
            correlation_id,
            listener,
            peer,
            frame,
            body_at,
            is_retried: false,
        };
        if api.is_controllers && self.controller.is_none() {
            return turn.mail.send(CONTROLLER, Mail::Forward(Box::new(request)));
        }
        if api.is_controllers {
            return self.on_controller_request(turn, request);
        }
        (api.handle)(self, turn, request);
    }

    /// Carries a request out on the controller's core, or keeps it until the change before it is in force.
    fn on_controller_request(&mut self, turn: &mut Turn<'_>, request: Request) {
        let controller = self.controller.as_mut().expect("only the controller's core gets here");
        let api = api::find(request.key).expect("the key was found before");
        // What other nodes ask, the handler refuses itself where this node is not the one to ask.
        let is_from_peer = api.served_to == ServedTo::Peers && matches!(request.to, ReplyTo::Client(_));
        if !controller.is_active() && controller.needs_ticks() && !is_from_peer {
            return self.pass_on(turn, request);
        }
        if controller.is_ready() {
            return (api.handle)(self, turn, request);
        }
        self.enqueue_for_controller(turn, request);
    }

    /// Hands a request to the controller; for handlers that find out late that they need it.
    pub fn forward_to_controller(&mut self, turn: &mut Turn<'_>, request: Request) {
        if self.controller.is_some() {
            self.on_controller_request(turn, request);
        } else {
            turn.mail.send(CONTROLLER, Mail::Forward(Box::new(request)));
        }
    }

    /// Whether this core is the controller's.
    pub fn is_controller(&self) -> bool {
        self.controller.is_some()
    }

    /// The controller; only on its core.
    pub fn controller(&mut self) -> &mut Controller {
        self.controller.as_mut().expect("a controller's request is carried out on its core")
    }

    fn refuse(&mut self, slot: ReplySlot, why: String) {
        self.server.complete(slot, Reply::Close(CloseReason::Request(why.into())));
    }

    /// Whether a request names more partitions than one request may; its connection is closed then. A partition takes a
    /// few bytes in a frame and some hundred in memory.
    pub fn refuse_too_many(
        &mut self,
        turn: &mut Turn<'_>,
        request: &Request,
        partition_count: usize,
    ) -> bool {
        let is_refused = partition_count > REQUEST_PARTITIONS_MAX;
        if is_refused {
            let why = format!("it names {partition_count} partitions, and may name {REQUEST_PARTITIONS_MAX}");
            self.reply_or_close(turn, request, Reply::Close(CloseReason::Request(why.into())));
        }
        is_refused
    }

    /// Closes the connection of a request whose body makes no sense.
    pub fn refuse_undecodable(&mut self, turn: &mut Turn<'_>, request: &Request, error: DecodeError) {
        let why =
            format!("the body of {} version {} cannot be read: {error}", request.key.name(), request.version);
        self.reply_or_close(turn, request, Reply::Close(CloseReason::Request(why.into())));
    }

    /// Answers a request.
    pub fn reply<'a>(&mut self, turn: &mut Turn<'_>, request: &Request, body: &impl Message<'a>) {
        let frame = self.encode_reply(request, body);
        self.reply_frame(turn, request, frame);
    }

    /// The frame of a reply; its errors are counted.
    pub fn encode_reply<'a>(&mut self, request: &Request, body: &impl Message<'a>) -> Vec<u8> {
        body.each_error(&mut |code| self.note_error(request.key, code));
        encode_response(request.key, request.version, request.correlation_id, body)
    }

    /// Counts an error that a request is answered with.
    pub fn note_error(&mut self, key: ApiKey, code: i16) {
        if code != ErrorCode::None.code() {
            *self.errors.entry((key.code(), code)).or_default() += 1;
        }
    }

    /// Answers a request with a whole frame.
    pub fn reply_frame(&mut self, turn: &mut Turn<'_>, request: &Request, frame: Vec<u8>) {
        self.reply_or_close(turn, request, Reply::Send(vec![Buf::from(frame)]));
    }

    /// Answers a request with a reply of any kind, wherever it was taken in.
    pub fn reply_or_close(&mut self, turn: &mut Turn<'_>, request: &Request, reply: Reply) {
        if request.origin == turn.shard {
            self.on_reply(turn, request.to, reply);
        } else {
            turn.mail.send(request.origin, Mail::Reply(request.to, reply));
        }
    }

    /// Brings a reply to who asked.
    fn on_reply(&mut self, turn: &mut Turn<'_>, to: ReplyTo, reply: Reply) {
        match to {
            ReplyTo::Client(slot) => self.server.complete(slot, reply),
            ReplyTo::Own(number) => self.on_own_reply(turn, number, &reply),
            ReplyTo::Envelope { slot, correlation_id } => {
                self.server.complete(slot, forward::enveloped(correlation_id, reply));
            }
        }
    }

    // --- questions and answers ----------------------------------------------------------------------------------------

    /// Asks partitions, each at its home. All answers come to [`Broker::on_answer`], perhaps before this returns.
    pub fn ask(&mut self, turn: &mut Turn<'_>, id: PendingId, questions: Vec<(ShardId, Question)>) {
        if questions.iter().all(|(home, _)| *home == turn.shard) {
            let questions = questions.into_iter().map(|(_, question)| question);
            self.partitions.on_ask(turn, id, questions, &mut self.out);
            return self.settle(turn);
        }
        let mut by_home: Vec<(ShardId, Vec<Question>)> = Vec::new();
        for (home, question) in questions {
            match by_home.iter_mut().find(|(core, _)| *core == home) {
                Some((_, asked)) => asked.push(question),
                None => by_home.push((home, vec![question])),
            }
        }
        for (home, questions) in by_home {
            if home == turn.shard {
                self.partitions.on_ask(turn, id, questions, &mut self.out);
            } else {
                turn.mail.send(home, Mail::Ask(id, questions));
            }
        }
        self.settle(turn);
    }

    /// Asks groups, each at its coordinator. All answers come to [`Broker::on_answer`], perhaps before this returns.
    pub fn ask_groups(
        &mut self,
        turn: &mut Turn<'_>,
        id: PendingId,
        questions: Vec<(ShardId, GroupQuestion)>,
    ) {
        let mut by_home: BTreeMap<ShardId, Vec<GroupQuestion>> = BTreeMap::new();
        for (home, question) in questions {
            by_home.entry(home).or_default().push(question);
        }
        for (home, questions) in by_home {
            if home == turn.shard {
                self.groups.on_ask(turn, &mut self.partitions, id, questions, &mut self.out);
            } else {
                turn.mail.send(home, Mail::AskGroups(id, questions));
            }
        }
        self.settle(turn);
    }

    /// Asks transactional ids, each at its coordinator. All answers come to [`Broker::on_answer`], perhaps before this
    /// returns.
    pub fn ask_transactions(
        &mut self,
        turn: &mut Turn<'_>,
        id: PendingId,
        questions: Vec<(ShardId, TxnQuestion)>,
    ) {
        let mut by_home: BTreeMap<ShardId, Vec<TxnQuestion>> = BTreeMap::new();
        for (home, question) in questions {
            by_home.entry(home).or_default().push(question);
        }
        for (home, questions) in by_home {
            if home == turn.shard {
                self.transactions.on_ask(turn, &mut self.partitions, id, questions, &mut self.out);
            } else {
                turn.mail.send(home, Mail::AskTxns(id, questions));
            }
        }
        self.settle(turn);
    }

    /// Takes an answer in; the last one finishes the request, or its round.
    pub fn on_answer(&mut self, turn: &mut Turn<'_>, id: PendingId, number: u32, answer: Answer) {
        if id.is_internal() {
            let (partitions, out) = (&mut self.partitions, &mut self.out);
            return self.transactions.on_round_answer(turn, partitions, (id, number), answer, out);
        }
        if !self.pending.on_answer(id, number, answer) {
            return;
        }
        let key = self.pending.key_of(id);
        let finish =
            key.and_then(api::find).and_then(|api| api.finish).expect("only such APIs ask partitions");
        finish(self, turn, id);
    }

    /// Carries answers and wake-ups to where they belong, until there are none left.
    fn settle(&mut self, turn: &mut Turn<'_>) {
        while !self.out.is_empty() {
            std::mem::swap(&mut self.out, &mut self.spare);
            let Outbound { mut answers, mut woken, mut logs, mut asks, mut traces } =
                std::mem::take(&mut self.spare);
            for (partition, end) in logs.drain(..) {
                self.groups.on_log(partition, end, &mut self.out);
                self.transactions.on_log(turn, partition, end, &mut self.out);
            }
            for (id, questions, of_groups) in asks.drain(..) {
                self.ask(turn, id, questions);
                self.ask_groups(turn, id, of_groups);
            }
            for (id, questions) in traces.drain(..) {
                self.ask_transactions(turn, id, questions);
            }
            let mut letters: Vec<(PendingId, Vec<(u32, Answer)>)> = Vec::new();
            for (id, number, answer) in answers.drain(..) {
                if id.origin == turn.shard {
                    self.on_answer(turn, id, number, answer);
                } else if let Some((_, answers)) = letters.last_mut().filter(|(last, _)| *last == id) {
                    answers.push((number, answer));
                } else {
                    letters.push((id, vec![(number, answer)]));
                }
            }
            for (id, answers) in letters {
                turn.mail.send(id.origin, Mail::Answers(id, answers));
            }
            for id in woken.drain(..) {
                if id.origin == turn.shard {
                    api::fetch::on_woken(self, turn, id);
                } else {
                    turn.mail.send(id.origin, Mail::Woken(id));
                }
            }
            self.spare = Outbound { answers, woken, logs, asks, traces };
        }
    }

    /// Tells homes that a fetch watches nothing any more.
    pub fn unwatch(
        &mut self,
        turn: &mut Turn<'_>,
        id: PendingId,
        watched: impl Iterator<Item = (ShardId, PartitionId)>,
    ) {
        let mut by_home: Vec<(ShardId, Vec<PartitionId>)> = Vec::new();
        for (home, partition) in watched {
            if home == turn.shard {
                self.partitions.unwatch(id, &partition);
                continue;
            }
            match by_home.iter_mut().find(|(core, _)| *core == home) {
                Some((_, partitions)) => partitions.push(partition),
                None => by_home.push((home, vec![partition])),
            }
        }
        for (home, partitions) in by_home {
            turn.mail.send(home, Mail::Unwatch(id, partitions));
        }
    }

    /// The timer token of a parked fetch.
    pub fn fetch_timer(id: PendingId) -> Token {
        // A number has its sequence in the upper half; 24 bits of it are enough to tell a late timer from its successor.
        Token((TIMER_FETCH << 56) | (id.number & crate::pending::TIMER_BITS))
    }

    /// An id for a new topic.
    pub fn new_topic_id(&mut self, turn: &Turn<'_>) -> Uuid {
        self.id_count += 1;
        let mut random =
            Random::from_seed(turn.random_u64 ^ self.id_count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        // A version-4 UUID, as Java makes them: never zero, never one of the ids that Kafka keeps for itself.
        let bits = (u128::from(random.next_u64()) << 64) | u128::from(random.next_u64());
        Uuid::from_u128((bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62))
    }

    // --- metadata -----------------------------------------------------------------------------------------------------

    /// Makes a change durable and carries it to all cores; the reply goes out when all have applied it.
    pub fn commit(&mut self, turn: &mut Turn<'_>, records: &[Record], committed: Committed) {
        let controller = self.controller.as_mut().expect("only the controller's core commits");
        let effects = controller.propose(turn.disk, records, committed, turn.wall_ms);
        self.carry_out(turn, effects);
    }

    fn publish(&mut self, turn: &mut Turn<'_>, image: &Arc<Image>) {
        for core in (0..self.node.core_count).map(ShardId).filter(|&core| core != turn.shard) {
            turn.mail.send(core, Mail::Image(Arc::clone(image)));
        }
        self.apply_image(turn, Arc::clone(image));
    }

    fn apply_image(&mut self, turn: &mut Turn<'_>, image: Arc<Image>) {
        self.partitions.apply(turn, &self.image, &image, &mut self.out);
        if self.image.version == 0 {
            tracing::info!(core = turn.shard.0, partitions = self.partitions.count(), "partitions are known");
        }
        self.groups.apply(turn, &mut self.partitions, &self.image, &image, &mut self.out);
        self.transactions.apply(turn, &mut self.partitions, &image, &mut self.out);
        self.image = Arc::clone(&image);
        self.settle(turn);
        if self.controller.is_some() {
            self.on_applied(turn, turn.shard, image.version);
        } else {
            turn.mail.send(CONTROLLER, Mail::Applied(image.version));
        }
    }

    fn on_applied(&mut self, turn: &mut Turn<'_>, core: ShardId, version: i64) {
        let controller = self.controller.as_mut().expect("cores report to the controller");
        for Committed { request, reply, .. } in controller.on_applied(core, version) {
            self.reply_frame(turn, &request, reply);
        }
        self.finish_forwards(turn);
        if self.phase == Phase::Starting && self.controller().is_applied() {
            for core in (0..self.node.core_count).map(ShardId).filter(|&core| core != turn.shard) {
                turn.mail.send(core, Mail::Serve);
            }
            self.serve(turn);
            self.node.on_ready();
        }
        if self.controller().is_applied() {
            self.controller().cut_log(turn.disk, turn.wall_ms);
        }
        while let Some(request) = self.controller().take_ready() {
            self.on_controller_request(turn, *request);
        }
    }

    /// Ends a stopping core step by step: writes and their replies, then connections, then logs; or all at the deadline.
    /// `true` if the next turn is to come at once.
    fn end_if_stopped(&mut self, turn: &mut Turn<'_>) -> bool {
        if let Phase::Stopping { until } = self.phase {
            // Fetches that wait for records need not be waited for.
            let is_answered = self.pending.len() == self.parked.len();
            let may_leave = self.has_left(turn.now) && self.has_handed_over(turn.now);
            let is_written = !self.partitions.has_flights() && is_answered && may_leave;
            if is_written && self.server.connection_count() > 0 && turn.now < until {
                self.server.stop();
                self.server.flush(&mut net_turn(turn));
                return false;
            }
            if is_written {
                self.stop_peers(turn);
                self.phase = Phase::Closing { until: turn.now.plus_ms(CLOSE_MS_MAX) };
                turn.timers.set(turn.now.plus_ms(CLOSE_MS_MAX), Token(TIMER_TICK << 56));
            } else if turn.now >= until {
                self.phase = Phase::Stopped;
            }
        }
        let Phase::Closing { until } = self.phase else { return false };
        let is_closed = self.partitions.close_on(turn);
        if is_closed || turn.now >= until {
            self.partitions.close_journal(turn);
            self.phase = Phase::Stopped;
        }
        !is_closed
    }

    fn serve(&mut self, turn: &mut Turn<'_>) {
        if self.phase != Phase::Starting {
            return;
        }
        self.phase = Phase::Serving;
        for (listener, index) in self.listeners.clone() {
            self.server.accept(listener, index, turn.ops);
        }
    }
}

/// The core that has the controller.
const CONTROLLER: ShardId = ShardId(0);

/// The token of the timer for groups.
pub fn groups_timer() -> Token {
    Token(TIMER_GROUPS << 56)
}

/// The token of the timer for the metadata quorum.
fn quorum_timer() -> Token {
    Token(TIMER_QUORUM << 56)
}

/// The token of the timer for transactions.
pub fn transactions_timer() -> Token {
    Token(TIMER_TXNS << 56)
}

fn net_turn<'a>(turn: &'a mut Turn<'_>) -> NetTurn<'a> {
    NetTurn { ops: turn.ops, pool: turn.pool, now: turn.now }
}

impl App for Broker {
    type Mail = Mail;

    fn on_start(&mut self, turn: &mut Turn<'_>) {
        turn.timers.set(turn.now.plus_ms(TICK_MS), Token(TIMER_TICK << 56));
        if self.controller.is_none() {
            return;
        }
        self.begin_lifecycle();
        let effects = self.controller().effects_of_start();
        self.carry_out(turn, effects);
        let controller = self.controller();
        let image = Arc::clone(controller.image());
        let removed = controller.removed().clone();
        let left = crate::partition::remove_leftovers(turn.disk, &self.node.data_dir, &image, &removed);
        if let Err(error) = left {
            tracing::error!(%error, "the data directory cannot be listed: deletions that a crash cut short stay unfinished");
        }
        self.controller().cut_log(turn.disk, turn.wall_ms);
        self.publish(turn, &image);
    }

    fn on_turn_start(&mut self, turn: &mut Turn<'_>) {
        self.partitions.on_turn_start(turn);
    }

    fn on_completion(&mut self, turn: &mut Turn<'_>, completion: Completion) {
        if Server::owns(completion.token) {
            self.server.on_completion(&mut net_turn(turn), completion);
            self.on_events(turn);
        } else if Peers::owns(completion.token) {
            self.peers.peers.on_completion(&mut peer_turn(turn), completion);
            self.on_peer_events(turn);
        } else {
            self.partitions.on_completion(turn, completion, &mut self.out);
        }
        self.settle(turn);
    }

    fn on_mail(&mut self, turn: &mut Turn<'_>, from: ShardId, mail: Mail) {
        match mail {
            Mail::Image(image) => self.apply_image(turn, image),
            Mail::Applied(version) => self.on_applied(turn, from, version),
            Mail::Forward(request) => self.on_controller_request(turn, *request),
            Mail::ControllerMessage(letter) => self.on_controller_letter(turn, *letter),
            Mail::Reply(to, reply) => self.on_reply(turn, to, reply),
            Mail::Ask(id, questions) => self.partitions.on_ask(turn, id, questions, &mut self.out),
            Mail::AskGroups(id, questions) => {
                self.groups.on_ask(turn, &mut self.partitions, id, questions, &mut self.out);
            }
            Mail::AskTxns(id, questions) => {
                self.transactions.on_ask(turn, &mut self.partitions, id, questions, &mut self.out);
            }
            Mail::Answers(id, answers) => {
                for (number, answer) in answers {
                    self.on_answer(turn, id, number, answer);
                }
            }
            Mail::Woken(id) => api::fetch::on_woken(self, turn, id),
            Mail::Unwatch(id, partitions) => {
                partitions.iter().for_each(|partition| self.partitions.unwatch(id, partition));
            }
            Mail::Serve => self.serve(turn),
            Mail::Inspect(asked) => self.on_inspect(turn, from, asked),
            Mail::Report(_) => unreachable!("reports go to the control thread"),
        }
        self.settle(turn);
    }

    fn on_timer(&mut self, turn: &mut Turn<'_>, token: Token) {
        if token.0 >> 56 == TIMER_FETCH {
            return api::fetch::on_deadline(self, turn, token);
        }
        if token == groups_timer() {
            self.groups.on_timer(turn, &mut self.partitions, &mut self.out);
            return self.settle(turn);
        }
        if token == transactions_timer() {
            self.transactions.on_timer(turn, &mut self.partitions, &mut self.out);
            return self.settle(turn);
        }
        if token == quorum_timer() {
            return self.on_quorum_tick(turn);
        }
        if token.0 >> 56 != TIMER_TICK {
            // It only wakes the core for its background work.
            return;
        }
        turn.timers.set(turn.now.plus_ms(TICK_MS), token);
        self.server.on_tick(&mut net_turn(turn));
        self.partitions.on_tick(turn);
        self.groups.on_tick(turn, &mut self.partitions, &mut self.out);
        self.transactions.on_tick(turn, &mut self.partitions, &mut self.out);
        self.settle(turn);
        self.closings.on_tick(turn.now);
    }

    fn on_background(&mut self, turn: &mut Turn<'_>) -> bool {
        let mut has_more = self.groups.on_background(turn, &mut self.partitions, &mut self.out);
        has_more |= self.transactions.on_background(turn, &mut self.partitions, &mut self.out);
        self.settle(turn);
        let is_busy = self.partitions.on_background(turn, &mut self.out);
        self.settle(turn);
        has_more |= self.report_on(turn);
        is_busy || has_more
    }

    fn on_turn_end(&mut self, turn: &mut Turn<'_>) -> bool {
        // Letters that wait for room mean that another core cannot keep up: no more work for it until they are gone.
        self.server.hold(turn.mail.is_backlogged());
        // Sending makes room for requests that were waiting, whose appends and replies belong to this turn as well. Each
        // round uses up what was received, so the loop ends.
        let mut is_cut;
        loop {
            is_cut = self.partitions.push_writes(turn, &mut self.out);
            self.settle(turn);
            self.server.flush(&mut net_turn(turn));
            if !self.server.has_events() {
                break;
            }
            self.on_events(turn);
            self.settle(turn);
        }
        self.partitions.push_commit(turn);
        let has_answers = self.flush_peers(turn);
        let is_closing = self.end_if_stopped(turn);
        has_answers || is_closing || is_cut || self.server.is_holding()
    }

    fn on_stop(&mut self, turn: &mut Turn<'_>) {
        self.phase = Phase::Stopping { until: turn.now.plus_ms(STOP_MS_MAX) };
        turn.timers.set(turn.now.plus_ms(STOP_MS_MAX), Token(TIMER_TICK << 56));
        self.server.wind_down();
        self.begin_leaving(turn);
        self.stop_quorum(turn);
        self.partitions.on_stop();
    }

    fn is_stopped(&self) -> bool {
        self.phase == Phase::Stopped
    }
}
