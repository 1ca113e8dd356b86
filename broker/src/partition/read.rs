//! Reading for fetches: what is asked is planned at once and read by the ring; a reader's bytes are whole batches.

use protocol::ErrorCode;
use shard::{Op, Outcome, Token};
use storage::mutation::{Mutation, is_on};
use storage::{BatchHeader, LeaderEpoch, Log, Offset, ReadDone, ReadPlan, ReadRange, ReadWant, StorageError};

use super::lookup::end_of_epoch;
use super::{Outbound, Partitions, READ};
use crate::answer::{Answer, Fetched};
use crate::mail::{FetchAsk, PendingId, Turn};

/// A read that the ring has.
#[derive(Debug)]
pub(super) struct PendingRead {
    slot: usize,
    generation: u32,
    request: PendingId,
    number: u32,
    range: ReadRange,
    /// Where the reader begins, if it wants to know what was aborted from there on.
    aborted_from: Option<Offset>,
    /// Batches from here on are not for the reader.
    up_to: Offset,
    /// The answer, but for its records.
    answer: Fetched,
}

impl PendingRead {
    /// Whether it reads that partition.
    pub(super) fn is_of(&self, slot: usize) -> bool {
        self.slot == slot
    }
}

/// What a fetch may still take on one core.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) bytes: u32,
    /// Whether nothing is being read yet: the first batch is given whatever its size (Q57).
    pub(super) is_first: bool,
}

impl Budget {
    fn is_used_up(&self) -> bool {
        self.bytes == 0 && !self.is_first
    }
}

impl Partitions {
    /// Plans a fetch's read of one partition; the answer, unless bytes have to be read for it.
    pub(super) fn fetch(
        &mut self,
        turn: &mut Turn<'_>,
        slot: usize,
        (request, number): (PendingId, u32),
        ask: FetchAsk,
        budget: &mut Budget,
    ) -> Option<Answer> {
        let partition = &mut self.slots[slot];
        let (leader_epoch, generation) = (partition.leader_epoch(), partition.generation);
        let Ok(log) = &mut partition.log else {
            return Some(Answer::Fetched(Fetched::refused(ErrorCode::KafkaStorageError)));
        };
        let mut answer = answer_of(log, leader_epoch);
        match diverging_epoch(log, leader_epoch, &ask) {
            Ok(None) => {}
            Ok(diverging) => return Some(Answer::Fetched(Fetched { diverging, ..answer })),
            Err(error) => return Some(Answer::Fetched(Fetched::refused(error))),
        }
        let offsets = log.offsets();
        let is_bounded = ask.is_committed && !is_on(Mutation::ServePastLastStable);
        let up_to = if is_bounded { offsets.last_stable } else { offsets.high_watermark };
        // Each read may need a file: a fetch of thousands of partitions is answered in parts.
        let is_cut = budget.is_used_up() || (self.files.is_used_up() && !budget.is_first);
        if is_cut && (offsets.log_start..=offsets.end).contains(&ask.offset) {
            answer.is_full = ask.offset < up_to;
            return Some(Answer::Fetched(answer));
        }
        let bytes_max = ask.bytes_max.min(budget.bytes);
        let want = ReadWant { offset: ask.offset, bytes_max, up_to, at_least_one: budget.is_first };
        let planned = log.plan_read(turn.disk, &mut self.files, want);
        tell_reindexed(log);
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => return Some(Answer::Fetched(on_error(&error))),
        };
        match plan {
            ReadPlan::OutOfRange => Some(Answer::Fetched(Fetched::refused(ErrorCode::OffsetOutOfRange))),
            ReadPlan::Empty => {
                if ask.is_watched {
                    partition.watches.add(request);
                }
                Some(Answer::Fetched(answer))
            }
            ReadPlan::Range(range) => {
                let len = u32::try_from(range.len).unwrap_or(u32::MAX);
                budget.is_first = false;
                budget.bytes = budget.bytes.saturating_sub(len);
                if ask.is_probe {
                    if ask.is_watched {
                        partition.watches.add(request);
                    }
                    answer.available_bytes = len.min(bytes_max.max(1));
                    answer.is_full = len >= bytes_max;
                    return Some(Answer::Fetched(answer));
                }
                let aborted_from = ask.is_committed.then_some(ask.offset);
                let read =
                    PendingRead { slot, generation, request, number, range, aborted_from, up_to, answer };
                self.push_read(turn, read);
                None
            }
        }
    }

    fn push_read(&mut self, turn: &mut Turn<'_>, read: PendingRead) {
        let ReadRange { file, position: offset, len, .. } = read.range;
        self.reading_bytes += len;
        let token = Token((READ << 56) | self.reads.insert(read) as u64);
        turn.ops.push(token, Op::Read { file, offset, len });
    }

    fn log_start_of(&self, slot: usize) -> Offset {
        self.slots[slot].log.as_ref().map_or(Offset::ZERO, |log| log.offsets().log_start)
    }

    pub(super) fn on_read(&mut self, turn: &mut Turn<'_>, key: usize, outcome: Outcome, out: &mut Outbound) {
        let mut read = self.reads.remove(key);
        self.reading_bytes -= read.range.len;
        let done = match (
            outcome,
            self.slots
                .get_mut(read.slot)
                .filter(|partition| partition.generation == read.generation)
                .map(|partition| &mut partition.log),
        ) {
            (Outcome::Read(bytes), Some(Ok(log))) => {
                let done = log.on_read(turn.disk, &mut self.files, &read.range, bytes);
                tell_reindexed(log);
                done.map_err(|error| on_error(&error))
            }
            (Outcome::Failed(error), _) => {
                tracing::error!(%error, "a log cannot be read");
                Err(Fetched::refused(ErrorCode::KafkaStorageError))
            }
            _ => Err(Fetched::refused(ErrorCode::UnknownTopicOrPartition)),
        };
        let answer = match done {
            Ok(ReadDone::More(range)) => {
                read.range = range;
                return self.push_read(turn, read);
            }
            // What was aborted of it went with it: nobody could tell what to skip.
            Ok(ReadDone::Batches(_))
                if read.aborted_from.is_some_and(|from| from < self.log_start_of(read.slot)) =>
            {
                Fetched::refused(ErrorCode::OffsetOutOfRange)
            }
            Ok(ReadDone::Batches(records)) => {
                let (end, record_count) = end_of(&records);
                self.slots[read.slot].facts.on_fetched(record_count, &records);
                let mut answer = read.answer;
                answer.is_full = end < read.up_to;
                answer.available_bytes = u32::try_from(records.len()).unwrap_or(u32::MAX);
                answer.records = records;
                let log = self.slots[read.slot].log.as_ref().ok();
                match log.zip(read.aborted_from).map(|(log, from)| log.aborted_in(turn.disk, from, end)) {
                    None => answer,
                    Some(Ok(aborted)) => Fetched { aborted, ..answer },
                    Some(Err(error)) => on_error(&error),
                }
            }
            Ok(ReadDone::Empty) => Fetched { is_full: true, ..read.answer },
            Err(refused) => refused,
        };
        out.answers.push((read.request, read.number, Answer::Fetched(answer)));
    }
}

fn answer_of(log: &Log, leader_epoch: i32) -> Fetched {
    let offsets = log.offsets();
    Fetched {
        high_watermark: offsets.high_watermark.0,
        last_stable_offset: offsets.last_stable.0,
        log_start_offset: offsets.log_start.0,
        leader_epoch,
        ..Fetched::refused(ErrorCode::None)
    }
}

/// Where a reader's log parts from this one: the epoch of its last record ended before its offset (KIP-595). An epoch that
/// never led here puts its offset out of range, as in Kafka.
fn diverging_epoch(
    log: &Log,
    leader_epoch: i32,
    ask: &FetchAsk,
) -> Result<Option<(LeaderEpoch, Offset)>, ErrorCode> {
    let asked = ask.last_fetched_epoch;
    if asked < 0 {
        return Ok(None);
    }
    let (epoch, end) = end_of_epoch(log, leader_epoch, asked).ok_or(ErrorCode::OffsetOutOfRange)?;
    Ok((epoch.0 != asked || end < ask.offset).then_some((epoch, end)))
}

/// The offset after the last of some whole batches, and how many records they have.
fn end_of(records: &[u8]) -> (Offset, u64) {
    let mut rest = records;
    let (mut end, mut record_count) = (Offset::ZERO, 0);
    while let Some((header, size)) =
        BatchHeader::parse(rest).and_then(|header| Some((header, header.size()?)))
    {
        end = header.last_offset().plus(1);
        record_count += header.record_count.max(0) as u64;
        rest = rest.get(size..).unwrap_or_default();
    }
    (end, record_count)
}

/// Says whose indexes were made anew: the device has given back other bits than it was given.
pub(super) fn tell_reindexed(log: &mut Log) {
    for segment in log.take_reindexed() {
        let dir = log.dir().display();
        tracing::warn!(%dir, segment = segment.0, "an index did not say what its segment holds, and was made anew: the disk may be failing");
    }
}

fn on_error(error: &StorageError) -> Fetched {
    tracing::error!(%error, "a log cannot be read");
    Fetched::refused(ErrorCode::KafkaStorageError)
}
