//! One core's partitions: opened as the metadata says, asked by requests, written at each turn's end.
//!
//! A question comes to its partition's home ([`Partitions::on_ask`]) and is answered at once, or when what it waits for has
//! happened: an append when its bytes are in the file, a fetch when its bytes are read.

mod append;
mod closing;
mod compaction;
mod durable;
pub mod facts;
mod leftovers;
mod lookup;
mod open;
mod opening;
mod own;
mod read;
mod rest;
mod space;
mod transactions;
mod upkeep;
mod watch;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use protocol::ErrorCode;
use rustc_hash::FxHashMap;
use shard::{Completion, Nanos, Outcome, ShardId, Token, WallMs};
use slab::Slab;
use storage::{Log, Offset, OpenFiles, Opening, Progress};

use crate::answer::{Answer, Appended, EpochEnd, Fetched, FoundOffset, Trimmed};
use crate::groups::ask::GroupQuestion;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::metadata::partition_state::NO_LEADER;
use crate::metadata::{Image, Topic};
use crate::node::Node;
use crate::transactions::Unsure;
use crate::transactions::ask::TxnQuestion;
use append::Waiting;
use closing::Closing;
use compaction::Compactions;
use durable::Durability;
pub use durable::{JournalFacts, log_id, partition_id};
use facts::Facts;
pub use leftovers::{IMPORT_DIR, IMPORT_MARK, remove_leftovers, remove_unfinished_import};
pub use open::{open_log, partition_dir, replay_journals};
use opening::Openings;
pub use own::{OwnRead, OwnTransaction};
use read::{Budget, PendingRead};
use rest::Resting;
pub use space::DiskFacts;
use space::DiskSpace;
use upkeep::Upkeep;
use watch::Watches;

/// The kinds of operation, as the top byte of their tokens; the server's are below.
const WRITE: u64 = 16;
const READ: u64 = 17;
const JOURNAL: u64 = 18;
const COMPACT: u64 = 19;
const OPEN: u64 = 20;

/// A generation fits between a token's kind and its key.
const GENERATION_MASK: u32 = 0xff_ffff;

/// A partition that this core owns.
#[derive(Debug)]
struct Partition {
    topic: Arc<Topic>,
    number: i32,
    /// Its log, or why there is none at hand.
    log: Result<Log, NoLog>,
    /// Questions that wait for the log to be open, in the order in which they came.
    asked: VecDeque<(PendingId, Question)>,
    /// Appends whose bytes are on their way, in the order of their offsets.
    waiting: VecDeque<Waiting>,
    watches: Watches,
    /// Whether it stands in the list of partitions with something to write.
    is_listed: bool,
    /// Whether the broker itself writes here, and wants to hear of it.
    is_own: bool,
    /// Whether it stands in the list of partitions with something unsynced.
    is_unsynced: bool,
    /// Whether the journal that this core took over has records of it that no segment is known to be synced for.
    is_inherited: bool,
    /// Whether it is being compacted or waits for it.
    is_compacting: bool,
    /// Transactions that its log has open and that may have ended.
    unsure: Vec<Unsure>,
    /// What is told of it.
    facts: Facts,
    /// When it was asked something last.
    used_at: Nanos,
    /// When its log is looked at next, if it stands in the queue of upkeep.
    upkeep_at: Option<WallMs>,
    /// Tells it from an earlier partition in the same place, whose operations may still complete.
    generation: u32,
}

/// Why a partition has no log at hand.
#[derive(Debug)]
enum NoLog {
    /// Nobody has needed it yet.
    Closed,
    /// It is being read, a step at a time.
    Opening(Box<Opening>),
    /// It cannot be opened, for this reason: the partition alone is offline.
    Offline(String),
}

impl NoLog {
    fn why(&self) -> String {
        match self {
            NoLog::Closed | NoLog::Opening(_) => "the partition's log is not open yet".to_owned(),
            NoLog::Offline(why) => why.clone(),
        }
    }
}

/// One core's partitions.
#[derive(Debug)]
pub struct Partitions {
    data_dir: PathBuf,
    slots: Slab<Partition>,
    by_id: FxHashMap<PartitionId, usize>,
    /// The metadata, to tell a partition that is elsewhere from one that is not.
    image: Option<Arc<Image>>,
    node_id: i32,
    files: OpenFiles,
    reads: Slab<PendingRead>,
    /// Bytes that the reads under way may bring.
    reading_bytes: usize,
    /// Partitions with something to write at the turn's end.
    listed: Vec<usize>,
    openings: Openings,
    resting: Resting,
    closing: Option<Closing>,
    upkeep: Upkeep,
    durability: Durability,
    space: DiskSpace,
    compactions: Compactions,
    /// Transactions that logs were not sure of when they were opened, for those who find out.
    unsure: Vec<Unsure>,
    generation: u32,
}

/// Why a partition does not answer, and the leader epoch that it has.
#[derive(Debug, Clone, Copy)]
struct Refusal {
    error: ErrorCode,
    leader_epoch: i32,
}

/// What a core has to tell others after some work on its partitions.
#[derive(Debug, Default)]
pub struct Outbound {
    /// Answers for pending requests.
    pub answers: Vec<(PendingId, u32, Answer)>,
    /// Fetches that may read more now.
    pub woken: Vec<PendingId>,
    /// The broker's own partitions whose logs have grown to this offset, or failed.
    pub logs: Vec<(PartitionId, Result<Offset, ()>)>,
    /// What coordinators of transactions ask partitions and groups.
    pub asks: Vec<CoordinatorAsk>,
    /// What all coordinators of transactions are asked about those that a log has open.
    pub traces: Vec<(PendingId, Vec<(ShardId, TxnQuestion)>)>,
}

/// Questions of a coordinator of transactions.
pub type CoordinatorAsk = (PendingId, Vec<(ShardId, Question)>, Vec<(ShardId, GroupQuestion)>);

impl Outbound {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
            && self.woken.is_empty()
            && self.logs.is_empty()
            && self.asks.is_empty()
            && self.traces.is_empty()
    }
}

impl Partitions {
    /// No partitions yet; their directories will lie in the node's data directory. So many files are held open at most as it
    /// says; logs beyond open theirs anew when they need them.
    pub fn new(node: &Node) -> Partitions {
        let settings = node.config.values();
        Partitions {
            data_dir: node.data_dir.clone(),
            slots: Slab::new(),
            by_id: FxHashMap::default(),
            image: None,
            node_id: node.id,
            files: OpenFiles::new(node.open_files_max),
            reads: Slab::new(),
            reading_bytes: 0,
            listed: Vec::new(),
            openings: Openings::default(),
            resting: Resting::default(),
            closing: None,
            upkeep: Upkeep::default(),
            durability: Durability::new(settings.ringlog_journal_bytes()),
            compactions: Compactions::new(
                settings.log_cleaner_dedupe_buffer_size() / u64::from(node.core_count.max(1)),
            ),
            space: DiskSpace::new(settings.ringlog_disk_reserve_bytes(), node.core_count),
            unsure: Vec::new(),
            generation: 0,
        }
    }

    /// Bytes that the reads under way may bring.
    pub fn reading_bytes(&self) -> usize {
        self.reading_bytes
    }

    /// How many partitions are here, open or not.
    pub fn count(&self) -> usize {
        self.by_id.len()
    }

    /// How many logs are open.
    pub fn open_log_count(&self) -> usize {
        self.slots.iter().filter(|(_, partition)| partition.log.is_ok()).count()
    }

    /// How many watches fetches hold here, each partition's counted.
    pub fn watch_count(&self) -> usize {
        self.slots.iter().map(|(_, partition)| partition.watches.count()).sum()
    }

    /// Begins a turn: files that were evicted in the last one are closed now that its operations are with the back end.
    pub fn on_turn_start(&mut self, turn: &mut Turn<'_>) {
        self.files.close_evicted(turn.disk);
        self.openings.on_turn_start();
    }

    /// Takes questions in, all of one request, in the request's order.
    pub fn on_ask(
        &mut self,
        turn: &mut Turn<'_>,
        request: PendingId,
        questions: impl IntoIterator<Item = Question>,
        out: &mut Outbound,
    ) {
        self.compactions.on_used();
        let (mut budget, mut parked) = (None, 0);
        for question in questions {
            match self.find(&question) {
                Err(refusal) => {
                    out.answers.push((request, question.number, refused(&question.ask, refusal)));
                }
                Ok(slot) if self.is_at_hand(turn, slot) => {
                    self.answer(turn, slot, request, question, &mut budget, out);
                }
                Ok(slot) => {
                    self.slots[slot].asked.push_back((request, question));
                    parked += 1;
                }
            }
        }
        self.openings.keep_budget(request, budget, parked);
    }

    /// Answers a question to a partition whose log is open or offline, now or when what it waits for has happened.
    fn answer(
        &mut self,
        turn: &mut Turn<'_>,
        slot: usize,
        request: PendingId,
        question: Question,
        budget: &mut Option<Budget>,
        out: &mut Outbound,
    ) {
        let number = question.number;
        self.slots[slot].used_at = turn.now;
        let answer = match question.ask {
            Ask::Append(records, promise, verified) => {
                self.append(turn, slot, (request, number), records, (promise, verified))
            }
            Ask::Mark(marker, bumps_epoch) => self.mark(turn, slot, (request, number), &marker, bumps_epoch),
            Ask::Producers => Some(Answer::Producers(self.producers(slot))),
            Ask::Fetch(ask) => {
                let budget = budget.get_or_insert(Budget { bytes: ask.budget_bytes, is_first: true });
                self.fetch(turn, slot, (request, number), ask, budget)
            }
            Ask::OffsetFor { timestamp, is_committed } => {
                Some(Answer::Offset(self.find_offset(turn, slot, timestamp, is_committed)))
            }
            Ask::EpochEnd(epoch) => Some(Answer::EpochEnd(self.epoch_end(slot, epoch))),
            Ask::Size => Some(Answer::Size(self.size_bytes(slot))),
            Ask::Lag { offset } => Some(Answer::Lag(self.slots[slot].lag(offset, turn.wall_ms))),
            Ask::Trim { offset } => Some(Answer::Trimmed(self.trim(turn, slot, offset))),
        };
        if let Some(answer) = answer {
            out.answers.push((request, number, answer));
        }
    }

    /// The partition's place, if it may answer at all: it is led here, and the client's leader epoch is ours (Q65).
    fn find(&self, question: &Question) -> Result<usize, Refusal> {
        let refuse = |error, leader_epoch| Err(Refusal { error, leader_epoch });
        let Some(&slot) = self.by_id.get(&question.partition) else {
            return Err(self.absence_of(&question.partition));
        };
        let ours = self.slots[slot].leader_epoch();
        // Its size is the disk's, whoever leads.
        if self.slots[slot].leader() != self.node_id && !matches!(question.ask, Ask::Size) {
            return refuse(ErrorCode::NotLeaderOrFollower, ours);
        }
        match question.current_leader_epoch {
            -1 => Ok(slot),
            known if known < ours => refuse(ErrorCode::FencedLeaderEpoch, ours),
            known if known > ours => refuse(ErrorCode::UnknownLeaderEpoch, ours),
            _ => Ok(slot),
        }
    }

    /// Why a partition that is not here does not answer.
    fn absence_of(&self, id: &PartitionId) -> Refusal {
        let topic = self.image.as_ref().and_then(|image| image.topic_by_id(id.topic_id));
        match topic.and_then(|topic| topic.partition(id.partition)) {
            Some(meta) => {
                Refusal { error: ErrorCode::NotLeaderOrFollower, leader_epoch: meta.state.leader_epoch }
            }
            None => Refusal { error: ErrorCode::UnknownTopicOrPartition, leader_epoch: -1 },
        }
    }

    /// Takes the completion of a write, a sync or a read.
    pub fn on_completion(&mut self, turn: &mut Turn<'_>, completion: Completion, out: &mut Outbound) {
        let key = (completion.token.0 & u64::from(u32::MAX)) as usize;
        match completion.token.0 >> 56 {
            WRITE => {
                let (slot, generation) = durable::split(completion.token);
                let known = self.slots.get_mut(slot).filter(|partition| partition.generation == generation);
                if let Some(Ok(log)) = known.map(|partition| &mut partition.log) {
                    let progress = log.on_outcome(turn.disk, &completion.outcome);
                    self.on_progress(slot, progress, out);
                    // A segment that was sealed can be compacted, or deleted.
                    if matches!(completion.outcome, Outcome::Synced) {
                        self.schedule_upkeep(slot);
                    }
                }
            }
            JOURNAL => self.on_journal(turn, completion, out),
            COMPACT => self.on_compaction_synced(turn, &completion),
            _ => self.on_read(turn, key, completion.outcome, out),
        }
    }

    /// What a completion meant for a partition.
    fn on_progress(&mut self, slot: usize, progress: Progress, out: &mut Outbound) {
        let partition = &mut self.slots[slot];
        match progress {
            Progress::Nothing => {}
            Progress::EndMoved | Progress::DurableMoved => {
                partition.complete_appends(out);
                if partition.advance_high_watermark() {
                    partition.watches.wake(out);
                    if let (true, Ok(log)) = (partition.is_own, &partition.log) {
                        out.logs.push((partition.id(), Ok(log.offsets().high_watermark)));
                    }
                }
            }
            Progress::Offline(reason) => {
                let (topic, number) = (&partition.topic.name, partition.number);
                tracing::error!(%topic, partition = number, ?reason, "the partition is offline: it takes no more records");
                partition.fail_appends(&format!("the partition's log is offline: {reason:?}"), out);
                partition.watches.wake(out);
            }
        }
        self.list_if_dirty(slot);
    }

    fn list_if_dirty(&mut self, slot: usize) {
        let partition = &mut self.slots[slot];
        if partition.log.as_ref().is_ok_and(Log::has_work)
            && !std::mem::replace(&mut partition.is_listed, true)
        {
            self.listed.push(slot);
        }
    }

    /// Ends a turn: one write for each partition that was appended to. `true` if some are left to the next turn, because
    /// each may need a file.
    pub fn push_writes(&mut self, turn: &mut Turn<'_>, out: &mut Outbound) -> bool {
        let mut listed = std::mem::take(&mut self.listed).into_iter();
        while !self.files.is_used_up()
            && let Some(slot) = listed.next()
        {
            let Some(partition) = self.slots.get_mut(slot) else { continue };
            partition.is_listed = false;
            let Ok(log) = &mut partition.log else { continue };
            let token = Token((WRITE << 56) | (u64::from(partition.generation) << 32) | slot as u64);
            let journal = self.durability.journal.as_mut();
            if let Err(reason) = log.push_writes(turn.disk, &mut self.files, journal, turn.ops, token) {
                let (topic, number) = (&partition.topic.name, partition.number);
                tracing::error!(%topic, partition = number, ?reason, "the partition is offline: its log cannot be written");
                partition.fail_appends(&format!("the partition's log is offline: {reason:?}"), out);
                partition.watches.wake(out);
            }
            self.note_unsynced(slot);
        }
        self.listed.extend(listed);
        !self.listed.is_empty()
    }

    /// Deletes the records before `offset`; -1 stands for the high watermark (Q72).
    fn trim(&mut self, turn: &mut Turn<'_>, slot: usize, offset: i64) -> Trimmed {
        let Ok(log) = &mut self.slots[slot].log else {
            return Trimmed::refused(ErrorCode::KafkaStorageError);
        };
        let high_watermark = log.offsets().high_watermark;
        let offset = if offset == -1 { high_watermark } else { Offset(offset) };
        if !(Offset::ZERO..=high_watermark).contains(&offset) {
            return Trimmed::refused(ErrorCode::OffsetOutOfRange);
        }
        if let Err(error) = log.delete_records(turn.disk, offset) {
            tracing::error!(%error, "records cannot be deleted");
            return Trimmed::refused(ErrorCode::KafkaStorageError);
        }
        let low_watermark = log.offsets().log_start.0;
        self.schedule_upkeep(slot);
        Trimmed { error: ErrorCode::None, low_watermark }
    }

    fn size_bytes(&self, slot: usize) -> u64 {
        self.slots[slot].log.as_ref().map_or(0, Log::size_bytes)
    }

    /// A fetch watches a partition no longer.
    pub fn unwatch(&mut self, request: PendingId, partition: &PartitionId) {
        if let Some(slot) = self.by_id.get(partition) {
            self.slots[*slot].watches.remove(request);
        }
    }

    /// Whether bytes of appends are still on their way.
    pub fn has_flights(&self) -> bool {
        let is_busy = |log: &Log| log.has_flight() || log.has_work();
        // What waits for a log to be opened will be appended.
        let is_waited_for = |partition: &Partition| !partition.asked.is_empty();
        self.is_committing()
            || self
                .slots
                .iter()
                .any(|(_, partition)| is_waited_for(partition) || partition.log.as_ref().is_ok_and(is_busy))
    }
}

impl Partition {
    fn id(&self) -> PartitionId {
        PartitionId { topic_id: self.topic.id, partition: self.number }
    }

    /// A partition with one replica: what the leader has, as durably as was asked, all have. Says whether it moved.
    fn advance_high_watermark(&mut self) -> bool {
        let Ok(log) = &mut self.log else { return false };
        let before = log.offsets().high_watermark;
        log.advance_high_watermark(log.readable_end());
        log.offsets().high_watermark > before
    }

    fn leader(&self) -> i32 {
        self.topic.partition(self.number).map_or(NO_LEADER, |meta| meta.state.leader)
    }

    fn leader_epoch(&self) -> i32 {
        self.topic.partition(self.number).map_or(-1, |meta| meta.state.leader_epoch)
    }
}

/// The answer of a partition that cannot answer, in the words of the question.
fn refused(ask: &Ask, Refusal { error, leader_epoch }: Refusal) -> Answer {
    match ask {
        Ask::Append(..) | Ask::Mark(..) => Answer::Appended(Appended::refused(error, error.text())),
        Ask::Producers => Answer::Producers(Err(error)),
        Ask::Fetch(_) => Answer::Fetched(Fetched { leader_epoch, ..Fetched::refused(error) }),
        Ask::OffsetFor { .. } => Answer::Offset(FoundOffset::refused(error)),
        Ask::EpochEnd(_) => Answer::EpochEnd(EpochEnd { error, leader_epoch: -1, end_offset: -1 }),
        Ask::Size => Answer::Size(0),
        Ask::Lag { .. } => Answer::Lag(None),
        Ask::Trim { .. } => Answer::Trimmed(Trimmed::refused(error)),
    }
}
