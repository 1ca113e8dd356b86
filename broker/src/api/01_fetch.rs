//! Fetch (1), versions 4–18: reads record batches from partitions, waiting for them if asked to.
//!
//! Order of checks: session (Q61) → then per partition: topic known (by name, by id from 13) → partition exists → at its
//! home: leader epoch (Q65), offset (Q63).
//! - A round asks all partitions. It is answered if enough bytes came, if nothing more can come (C15), on any error, or
//!   when the wait is over; else the fetch is parked without what it read, and a partition that grows begins another round
//!   (Q59). A fetch that wants more than any byte then asks for amounts first, so that waiting costs no reading.
//! - Limits: the request's `max_bytes`, `fetch.max.bytes` (Q60), a bound of our own, and what reads and unsent
//!   replies leave of this core's memory (C17).
//!   The first batch is given all the same (Q57). Partitions are served in the order of the request (Q58).
//! - A batch is given whole, from the one that holds the offset (Q56).
//! - read_committed reads up to the last stable offset (Q54), and is told which transactions among its records were aborted
//!   (Q55): clients leave those out. Markers are given like all batches (Q51).
//! - A client that knows another leader epoch is told ours (KIP-951).
//! - A topic whose `compression.type` is zstd needs version 10; what its batches hold is not looked at, as in Kafka (Q67).
//! - Not done: reading from followers (racks), down-conversion (gone with Kafka 4).

use std::sync::Arc;

use net::{ConnectionId, Reply};
use protocol::messages::fetch_response::{
    AbortedTransaction, EpochEndOffset, LeaderIdAndEpoch, NodeEndpoint,
};
use protocol::{
    ApiKey, ErrorCode, FetchHead, FetchPartitionHead, FetchResponseWriter, FetchView, Part, Records, Uuid,
};
use shard::timer::TimerId;
use shard::{Buf, Nanos, ShardId, Token};
use storage::{AbortedTxn, BatchHeader, Offset};

use super::Api;
use super::addresses::{self, Address};
use crate::answer::{Answer, Fetched};
use crate::broker::Broker;
use crate::config::CompressionType;
use crate::fetch_session::{FetchKey, SessionChoice, Wanted};
use crate::mail::{Ask, FetchAsk, PartitionId, PendingId, Question, Turn};
use crate::metadata::partition_state::NO_LEADER;
use crate::metadata::{Image, Topic};
use crate::request::{Request, body_of};

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::Fetch, 4..=18, on_fetch, on_round_done);

/// The first version that names topics by id.
const TOPIC_ID_FROM: i16 = 13;

/// The first version that may carry zstd (Q67).
const ZSTD_FROM: i16 = 10;

/// About what a reply takes without its records: its head with one topic, and each partition.
const HEAD_BYTES: usize = 96;
const PARTITION_BYTES: usize = 64;

/// What one fetch gets at most, whatever it asks for: more at once would keep its core from the others for too long.
const FETCH_BYTES_MAX: u32 = 16 << 20;

/// Reads under way and unsent replies of one core hold at most about this many bytes; fetches get less when it is used
/// up, but always a batch.
const REPLY_BYTES_MAX: usize = 64 << 20;

/// The longest wait, in ms; who asks for more is answered then, and may ask again. A connection whose next request waits
/// unread behind a fetch is not seen to close, so a fetch must not wait for the 24 days that the protocol can say.
const WAIT_MS_MAX: i32 = 10 * 60 * 1000;

/// What a fetch remembers between its rounds.
#[derive(Debug)]
pub struct FetchState {
    max_bytes: u32,
    min_bytes: u32,
    is_committed: bool,
    deadline: Nanos,
    timer: Option<TimerId>,
    /// All partitions, in the order to serve.
    wanted: Vec<Wanted>,
    /// Where each is, by its place in `wanted`.
    homes: Vec<Home>,
    session: SessionChoice,
    /// Whether a round is under way.
    is_asking: bool,
    is_first_round: bool,
    /// Whether partitions may know of it.
    is_watching: bool,
    /// Whether the last round asked for amounts alone.
    is_probe: bool,
    /// Whether the next round's answers are the reply, whatever they are.
    is_final: bool,
    /// Whether a partition grew while a round was under way.
    is_woken: bool,
}

/// Where a wanted partition is.
#[derive(Debug, Clone, Copy)]
enum Home {
    Core(ShardId, PartitionId),
    Nowhere(ErrorCode),
}

fn on_fetch(broker: &mut Broker, turn: &mut Turn<'_>, mut request: Request) {
    let version = request.version;
    // A fetch that waits holds what it wants, not the bytes that said so.
    let frame = std::mem::replace(&mut request.frame, Buf::from_static(&[]));
    let view = match body_of(&frame, request.body_at).and_then(|mut d| FetchView::decode(&mut d, version)) {
        Ok(view) => view,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    if broker.refuse_too_many(turn, &request, view.partition_count()) {
        return;
    }
    let (session, wanted) = match broker.sessions.choose(turn, &view, version) {
        Ok(chosen) => chosen,
        Err(error) => return reply_error(broker, turn, &request, error),
    };
    let homes = wanted.iter().map(|wanted| home_of(&broker.image, &wanted.key, version)).collect();
    let bytes = |value: i32| u32::try_from(value).unwrap_or(0);
    let state = FetchState {
        max_bytes: bytes(view.max_bytes)
            .min(broker.image.server.values().fetch_max_bytes())
            .min(FETCH_BYTES_MAX),
        min_bytes: bytes(view.min_bytes),
        is_committed: view.isolation_level == 1,
        deadline: deadline_of(turn.now, view.max_wait_ms),
        timer: None,
        wanted,
        homes,
        session,
        is_asking: false,
        is_first_round: true,
        is_watching: false,
        is_probe: false,
        is_final: false,
        is_woken: false,
    };
    let id = broker.pending.insert(request, 0, Some(Box::new(state)));
    begin_round(broker, turn, id);
}

/// When a wait is over: not before the time asked for, and on a grid of up to 20 ms, so that the waits of many consumers
/// end together and cost one turn. Records that come end a wait at once.
fn deadline_of(now: Nanos, max_wait_ms: i32) -> Nanos {
    let max_wait_ms = max_wait_ms.min(WAIT_MS_MAX);
    if max_wait_ms <= 0 {
        return now;
    }
    let grid_ns = u64::from((max_wait_ms / 25).clamp(1, 20).unsigned_abs()) * 1_000_000;
    Nanos(now.plus_ms(i64::from(max_wait_ms)).0.next_multiple_of(grid_ns))
}

fn find_topic<'a>(image: &'a Image, key: &FetchKey) -> Result<&'a Arc<Topic>, ErrorCode> {
    match &key.name {
        Some(name) => image.topic(name).ok_or(ErrorCode::UnknownTopicOrPartition),
        None => image.topic_by_id(key.topic_id).ok_or(ErrorCode::UnknownTopicId),
    }
}

fn home_of(image: &Image, key: &FetchKey, version: i16) -> Home {
    match find_topic(image, key) {
        Err(error) => Home::Nowhere(error),
        Ok(topic)
            if version < ZSTD_FROM && topic.config.values().compression_type() == CompressionType::Zstd =>
        {
            Home::Nowhere(ErrorCode::UnsupportedCompressionType)
        }
        Ok(topic) => match topic.partition(key.partition) {
            None => Home::Nowhere(ErrorCode::UnknownTopicOrPartition),
            Some(meta) => Home::Core(meta.home, PartitionId { topic_id: topic.id, partition: key.partition }),
        },
    }
}

/// Asks all partitions once more: for records, or for amounts alone.
fn begin_round(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let unsent = broker.server.reply_bytes() + broker.partitions.reading_bytes();
    let Some(pending) = broker.pending.get_mut(id) else { return };
    let Some(state) = pending.fetch.as_mut() else { return };
    state.is_asking = true;
    state.is_woken = false;
    state.is_probe = !state.is_first_round && !state.is_final && state.min_bytes > 1;
    state.is_first_round = false;
    let room = u32::try_from(REPLY_BYTES_MAX.saturating_sub(unsent)).unwrap_or(u32::MAX);
    let budget_bytes = state.max_bytes.min(room);
    let may_wait = turn.now < state.deadline;
    let mut questions = Vec::with_capacity(state.wanted.len());
    let mut nowhere = Vec::new();
    for ((wanted, home), number) in state.wanted.iter().zip(&state.homes).zip(0..) {
        match *home {
            Home::Nowhere(error) => nowhere.push((number, error)),
            Home::Core(core, partition) => {
                let ask = Ask::Fetch(FetchAsk {
                    offset: Offset(wanted.offset),
                    bytes_max: u32::try_from(wanted.max_bytes).unwrap_or(0),
                    is_committed: state.is_committed,
                    is_watched: may_wait,
                    last_fetched_epoch: wanted.last_fetched_epoch,
                    budget_bytes,
                    is_probe: state.is_probe,
                });
                let current_leader_epoch = wanted.current_leader_epoch;
                questions.push((core, Question { number, partition, current_leader_epoch, ask }));
            }
        }
    }
    pending.left = state.wanted.len();
    pending.answers = (0..pending.left).map(|_| None).collect();
    if pending.left == 0 {
        return on_round_done(broker, turn, id);
    }
    for (number, error) in nowhere {
        broker.on_answer(turn, id, number, Answer::Fetched(Fetched::refused(error)));
    }
    broker.ask(turn, id, questions);
}

/// All partitions have answered: reply, read what a probe found, park, or go on.
fn on_round_done(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(pending) = broker.pending.get_mut(id) else { return };
    let Some(state) = pending.fetch.as_mut() else { return };
    state.is_asking = false;
    // A partition that had nothing to read watches for the fetch, whatever the others had.
    let has_nothing =
        |answer: &Answer| matches!(answer, Answer::Fetched(fetched) if fetched.records.is_empty());
    state.is_watching |= pending.answers.iter().flatten().any(has_nothing);
    if state.is_final || turn.now >= state.deadline || is_enough(state, &pending.answers) {
        if !state.is_probe {
            return finish(broker, turn, id);
        }
        state.is_final = true;
        return begin_round(broker, turn, id);
    }
    let has_read =
        |answer: &Answer| matches!(answer, Answer::Fetched(fetched) if !fetched.records.is_empty());
    // What was read is too little, and its partitions are not watched yet: the next round does that.
    if state.is_woken || pending.answers.iter().flatten().any(has_read) {
        return begin_round(broker, turn, id);
    }
    park(broker, turn, id);
}

fn park(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(pending) = broker.pending.get_mut(id) else { return };
    let connection = pending.request.connection();
    let Some(state) = pending.fetch.as_mut().filter(|state| state.timer.is_none()) else { return };
    if broker.server.peer(connection).is_none() {
        // It went while the partitions were asked.
        return abandon(broker, turn, id);
    }
    state.timer = Some(turn.timers.set(state.deadline, Broker::fetch_timer(id)));
    broker.parked.insert(connection, id);
}

/// Whether there is no reason to wait (Q59): enough bytes, an error, or nothing that waiting could add (C15).
fn is_enough(state: &FetchState, answers: &[Option<Answer>]) -> bool {
    if state.wanted.is_empty() {
        return true;
    }
    let (mut bytes, mut can_grow) = (0_u64, false);
    for answer in answers.iter().flatten() {
        let Answer::Fetched(fetched) = answer else { continue };
        if !fetched.error.is_none() || fetched.diverging.is_some() {
            return true;
        }
        bytes += u64::from(fetched.available_bytes);
        can_grow |= !fetched.is_full;
    }
    bytes >= u64::from(state.min_bytes) || bytes >= u64::from(state.max_bytes) || (bytes > 0 && !can_grow)
}

/// A partition that a fetch watches has grown.
pub fn on_woken(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(state) = broker.pending.get_mut(id).and_then(|pending| pending.fetch.as_mut()) else { return };
    if state.is_asking {
        state.is_woken = true;
    } else {
        begin_round(broker, turn, id);
    }
}

/// A parked fetch has waited long enough: what is there is the answer.
pub fn on_deadline(broker: &mut Broker, turn: &mut Turn<'_>, token: Token) {
    let Some(id) = broker.pending.by_timer(token) else { return };
    let Some(pending) = broker.pending.get_mut(id) else { return };
    let Some(state) = pending.fetch.as_mut() else { return };
    state.timer = None;
    if state.is_asking {
        return;
    }
    let has_some =
        |answer: &Answer| matches!(answer, Answer::Fetched(fetched) if fetched.available_bytes > 0);
    if !pending.answers.iter().flatten().any(has_some) {
        return finish(broker, turn, id);
    }
    state.is_final = true;
    begin_round(broker, turn, id);
}

/// A connection is gone: its parked fetch is forgotten.
pub fn on_connection_gone(broker: &mut Broker, turn: &mut Turn<'_>, connection: ConnectionId) {
    if let Some(id) = broker.parked.remove(&connection) {
        abandon(broker, turn, id);
    }
}

/// Forgets a fetch that nobody waits for.
fn abandon(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(pending) = broker.pending.remove(id) else { return };
    if let Some(state) = pending.fetch {
        forget(broker, turn, id, &state);
    }
}

/// Takes a fetch's timer and watches back.
fn forget(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId, state: &FetchState) {
    if let Some(timer) = state.timer {
        turn.timers.cancel(timer);
    }
    if !state.is_watching {
        return;
    }
    let watched = state.homes.iter().filter_map(|home| match home {
        Home::Core(core, partition) => Some((*core, *partition)),
        Home::Nowhere(_) => None,
    });
    broker.unwatch(turn, id, watched);
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(mut pending) = broker.pending.remove(id) else { return };
    broker.parked.remove(&pending.request.connection());
    let mut state = pending.fetch.take().expect("a fetch has its state");
    forget(broker, turn, id, &state);
    let mut fetched: Vec<Fetched> = pending.take_answers().map(Answer::fetched).collect();
    fetched.iter().for_each(|one| broker.note_error(ApiKey::Fetch, one.error.code()));
    keep_within(&mut fetched, &state.wanted, state.max_bytes);
    let shown = broker.sessions.on_answered(turn, &mut state.session, &state.wanted, &fetched);
    let reply = write_reply(broker, &pending.request, &state, &fetched, &shown);
    broker.reply_or_close(turn, &pending.request, Reply::Send(reply));
}

/// Cores read side by side, each up to the whole limit and with a first batch of its own: what they found together is
/// brought within the limits, in order, and only the first batch of all may exceed its partition's (Q57).
fn keep_within(fetched: &mut [Fetched], wanted: &[Wanted], max_bytes: u32) {
    let mut left = max_bytes as usize;
    let mut is_first = true;
    for (fetched, wanted) in fetched.iter_mut().zip(wanted) {
        let room = left.min(usize::try_from(wanted.max_bytes).unwrap_or(0));
        if fetched.records.len() > room && !is_first {
            fetched.records = fetched.records.slice(0..whole_batches_len(&fetched.records, room));
        }
        left = left.saturating_sub(fetched.records.len());
        is_first &= fetched.records.is_empty();
    }
}

/// How many bytes the first batches have that fit in `room` together.
fn whole_batches_len(records: &[u8], room: usize) -> usize {
    let mut len = 0;
    while let Some(size) = records.get(len..).and_then(BatchHeader::parse).and_then(|header| header.size())
        && len + size <= room
    {
        len += size;
    }
    len
}

/// Writes the partitions that are shown, grouped by topic in their order.
fn write_reply(
    broker: &Broker,
    request: &Request,
    state: &FetchState,
    fetched: &[Fetched],
    shown: &[usize],
) -> Vec<Buf> {
    let same_topic = |a: usize, b: usize| state.wanted[a].key.is_same_topic(&state.wanted[b].key);
    let groups: Vec<&[usize]> = shown.chunk_by(|&a, &b| same_topic(a, b)).collect();
    let head = FetchHead { session_id: state.session.id(), topic_count: groups.len(), ..Default::default() };
    let buffer = Vec::with_capacity(HEAD_BYTES + shown.len() * PARTITION_BYTES);
    let mut writer = FetchResponseWriter::begin(buffer, request.version, request.correlation_id, head);
    let mut leaders = Vec::new();
    for group in groups {
        let key = &state.wanted[group[0]].key;
        writer.begin_topic(key.name.as_deref().unwrap_or_default(), key.topic_id, group.len());
        for &index in group {
            let aborted: Vec<AbortedTransaction> = fetched[index].aborted.iter().map(aborted_of).collect();
            let aborted = state.is_committed.then_some(&aborted[..]);
            let head = partition_head(broker, &state.wanted[index].key, &fetched[index], aborted);
            leaders.extend(head.current_leader.as_ref().map(|leader| leader.leader_id));
            let records = fetched[index].records.clone();
            let len = records.len();
            writer.push_partition(&head, if len == 0 { Records::Empty } else { Records::One(records, len) });
        }
    }
    let found = addresses::each_once(&broker.image, &broker.node, request.listener, leaders);
    let endpoints: Vec<NodeEndpoint<'_>> = found
        .map(|Address { id, host, port, rack, .. }| NodeEndpoint {
            node_id: id,
            host,
            port: i32::from(port),
            rack,
        })
        .collect();
    let frame = writer.finish(&endpoints);
    let bytes = Buf::from(frame.bytes);
    let parts = frame.parts.into_iter().map(|part| match part {
        Part::Bytes(range) => bytes.slice(range),
        Part::External(records) => records,
    });
    parts.collect()
}

fn aborted_of(txn: &AbortedTxn) -> AbortedTransaction {
    AbortedTransaction {
        producer_id: txn.producer_id.0,
        first_offset: txn.first_offset.0,
        ..Default::default()
    }
}

fn partition_head<'a>(
    broker: &Broker,
    key: &FetchKey,
    fetched: &Fetched,
    aborted_transactions: Option<&'a [AbortedTransaction]>,
) -> FetchPartitionHead<'a> {
    let is_stale = matches!(fetched.error, ErrorCode::FencedLeaderEpoch | ErrorCode::NotLeaderOrFollower);
    let leader =
        || find_topic(&broker.image, key).ok()?.partition(key.partition).map(|meta| meta.state.leader);
    FetchPartitionHead {
        index: key.partition,
        error: fetched.error,
        high_watermark: fetched.high_watermark,
        last_stable_offset: fetched.last_stable_offset,
        log_start_offset: fetched.log_start_offset,
        diverging_epoch: fetched.diverging.map(|(epoch, end)| EpochEndOffset {
            epoch: epoch.0,
            end_offset: end.0,
            ..Default::default()
        }),
        current_leader: is_stale.then(|| LeaderIdAndEpoch {
            leader_id: leader().unwrap_or(NO_LEADER),
            leader_epoch: fetched.leader_epoch,
            ..Default::default()
        }),
        aborted_transactions,
        ..Default::default()
    }
}

/// An error of the whole request: no topics, no session.
fn reply_error(broker: &mut Broker, turn: &mut Turn<'_>, request: &Request, error: ErrorCode) {
    broker.note_error(ApiKey::Fetch, error.code());
    let head = FetchHead { error, ..Default::default() };
    let writer: FetchResponseWriter<Buf> =
        FetchResponseWriter::begin(Vec::new(), request.version, request.correlation_id, head);
    let frame = writer.finish(&[]);
    broker.reply_or_close(turn, request, Reply::Send(vec![Buf::from(frame.bytes)]));
}

/// A topic as a version names it: the name before 13, the id since.
pub fn key_of(version: i16, name: &str, topic_id: Uuid, partition: i32) -> FetchKey {
    let name = (version < TOPIC_ID_FROM).then(|| name.into());
    FetchKey { name, topic_id, partition }
}
