//! Appending: a client's records are checked, get their offsets, and are answered when they are in the file.

use protocol::ErrorCode;
use shard::Buf;
use storage::batch::{RecordErrorKind, Refusal, validate};
use storage::mutation::{Mutation, is_on};
use storage::{
    AppendRefusal, Appended as LogAppended, LeaderEpoch, Log, Offset, Promise, Sequence, SequenceRefusal,
    ValidBatch,
};

use super::{Outbound, Partition, Partitions};
use crate::answer::{Answer, Appended};
use crate::mail::{PendingId, Turn, Verified};
use crate::topic_name;

/// Holds the first batch of a transaction against what its coordinator has confirmed (KIP-890); what is to be confirmed, if
/// nothing was yet.
fn check_verified(
    log: &Log,
    batch: &ValidBatch,
    verified: Option<Verified>,
) -> Result<Option<Offset>, Appended> {
    let Some(Verified { guard, has_own_epoch }) = verified else { return Ok(Some(log.verification_guard())) };
    // With an epoch of its own a transaction that has ended is known by its marker's epoch, and the marker of the one before
    // may come late.
    if !has_own_epoch && !log.is_still_verified(batch, guard) {
        let why = "the transaction has ended meanwhile";
        return Err(Appended::refused(ErrorCode::InvalidTxnState, why));
    }
    let header = batch.header();
    // Each transaction of version 2 has an epoch of its own, so its first batch here is the producer's first.
    if has_own_epoch && !log.producers().knows(header.producer_id) && header.base_sequence != Sequence::ZERO {
        let (expected, found) = (Sequence::ZERO, header.base_sequence);
        return Err(of_sequence(&SequenceRefusal::OutOfOrder { expected, found }));
    }
    Ok(None)
}

/// An append that has its offsets and waits for its bytes to be where it was promised.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) request: PendingId,
    pub(super) number: u32,
    pub(super) last_offset: Offset,
    pub(super) promise: Promise,
    pub(super) answer: Appended,
}

impl Partitions {
    /// Checks and appends; the answer, unless it has to wait.
    pub(super) fn append(
        &mut self,
        turn: &mut Turn<'_>,
        slot: usize,
        (request, number): (PendingId, u32),
        records: Buf,
        (promise, verified): (Promise, Option<Verified>),
    ) -> Option<Answer> {
        let partition = &mut self.slots[slot];
        let leader_epoch = LeaderEpoch(partition.leader_epoch());
        let log = match &mut partition.log {
            Ok(log) => log,
            Err(no_log) => return Some(offline(no_log.why())),
        };
        let batch = match validate(records, log.settings(), turn.wall_ms) {
            Ok(batch) => batch,
            Err(refusal) => return Some(Answer::Appended(of_refusal(&refusal))),
        };
        if partition.unsure.iter().any(|unsure| unsure.producer.id == batch.header().producer_id.0) {
            let why = "whether the producer's last transaction here has ended is being found out";
            return Some(Answer::Appended(Appended::refused(ErrorCode::NotEnoughReplicas, why)));
        }
        if log.needs_verification(&batch) {
            match check_verified(log, &batch, verified) {
                Ok(None) => {}
                Ok(Some(guard)) => return Some(Answer::Unverified(guard)),
                Err(refused) => return Some(Answer::Appended(refused)),
            }
        }
        // The broker's own topics may use the reserve: groups go on when producers have to stop.
        if !topic_name::is_internal(&partition.topic.name)
            && let Err(why) = self.space.take(turn.disk, &self.data_dir, batch.bytes().len())
        {
            return Some(Answer::Appended(Appended::refused(ErrorCode::KafkaStorageError, why)));
        }
        let mut answer = accepted(&batch, log);
        let segment_count = log.segment_count();
        let (last_offset, promise) = match log.append(&batch, leader_epoch, turn.wall_ms, promise) {
            Ok(LogAppended::Fresh { base_offset, last_offset, promise }) => {
                answer.base_offset = base_offset.0;
                partition.facts.on_appended(&batch, base_offset, turn.wall_ms);
                (last_offset, promise)
            }
            Ok(LogAppended::Duplicate(first_try, promise)) => {
                // Success, with what the first attempt was answered (Q41).
                answer.base_offset = first_try.base_offset.0;
                if answer.log_append_time_ms != -1 {
                    answer.log_append_time_ms = first_try.timestamp;
                }
                (first_try.last_offset, promise)
            }
            Err(AppendRefusal::Sequence(refusal)) => return Some(Answer::Appended(of_sequence(&refusal))),
            Err(AppendRefusal::Offline(reason)) => {
                return Some(offline(format!("the log is offline: {reason:?}")));
            }
        };
        let is_due_anew = log.segment_count() > segment_count
            || partition.upkeep_at.is_none_or(|known| log.flush_due().is_some_and(|due| due < known));
        if last_offset < kept_end(log, promise) {
            return Some(Answer::Appended(answer));
        }
        partition.waiting.push_back(Waiting { request, number, last_offset, promise, answer });
        if is_due_anew {
            self.schedule_upkeep(slot);
        }
        self.list_if_dirty(slot);
        None
    }
}

impl Partition {
    /// Answers the appends whose bytes are where they were promised.
    pub(super) fn complete_appends(&mut self, out: &mut Outbound) {
        let Ok(log) = &self.log else { return };
        // Duplicates wait out of order, so every waiter is looked at; there are a few per connection.
        self.waiting.retain_mut(|waiting| {
            if waiting.last_offset >= kept_end(log, waiting.promise) {
                return true;
            }
            let empty = Appended::refused(ErrorCode::None, "");
            let answer = std::mem::replace(&mut waiting.answer, empty);
            out.answers.push((waiting.request, waiting.number, Answer::Appended(answer)));
            false
        });
    }

    /// Answers every append that waits: what became of its bytes is not known.
    pub(super) fn fail_appends(&mut self, why: &str, out: &mut Outbound) {
        if self.is_own {
            out.logs.push((self.id(), Err(())));
        }
        for waiting in self.waiting.drain(..) {
            out.answers.push((waiting.request, waiting.number, offline(why.to_owned())));
        }
    }
}

/// Before it everything is kept as promised, and can be read: the journal may be faster than the page cache, and who is told
/// that a record is there looks for it.
pub(super) fn kept_end(log: &Log, promise: Promise) -> Offset {
    match promise {
        Promise::PageCache => log.offsets().end,
        Promise::Disk if is_on(Mutation::AckBeforeDurable) => log.offsets().end,
        Promise::Disk => log.durable_end().min(log.offsets().end),
    }
}

/// The answer to a batch that is taken, but for its offset.
fn accepted(batch: &ValidBatch, log: &Log) -> Appended {
    Appended {
        error: ErrorCode::None,
        base_offset: -1,
        log_append_time_ms: batch.log_append_time(),
        log_start_offset: log.offsets().log_start.0,
        record_errors: Vec::new(),
        message: None,
    }
}

pub(super) fn offline(why: String) -> Answer {
    Answer::Appended(Appended::refused(ErrorCode::KafkaStorageError, why))
}

fn of_refusal(refusal: &Refusal) -> Appended {
    let error = match refusal {
        Refusal::CorruptLength(_) | Refusal::CorruptCrc { .. } => ErrorCode::CorruptMessage,
        Refusal::Invalid(_) => ErrorCode::InvalidRecord,
        Refusal::Records(errors) if errors.iter().any(|error| is_about_time(error.kind)) => {
            ErrorCode::InvalidTimestamp
        }
        Refusal::Records(_) => ErrorCode::InvalidRecord,
        Refusal::TimestampType => ErrorCode::InvalidTimestamp,
        Refusal::TooLarge { .. } | Refusal::UnpacksTooLarge { .. } => ErrorCode::MessageTooLarge,
        Refusal::BeyondSegment { .. } => ErrorCode::RecordListTooLarge,
        Refusal::UnknownCodec => ErrorCode::UnsupportedCompressionType,
    };
    let mut answer = Appended::refused(error, refusal.to_string());
    if let Refusal::Records(errors) = refusal {
        answer.record_errors = errors.iter().map(|error| (error.index, error.kind.to_string())).collect();
    }
    answer
}

fn is_about_time(kind: RecordErrorKind) -> bool {
    match kind {
        RecordErrorKind::Timestamp(_) => true,
        RecordErrorKind::NullKey => false,
    }
}

fn of_sequence(refusal: &SequenceRefusal) -> Appended {
    match refusal {
        SequenceRefusal::OutOfOrder { expected, found } => Appended::refused(
            ErrorCode::OutOfOrderSequenceNumber,
            format!("sequence {} was expected, not {}", expected.0, found.0),
        ),
        SequenceRefusal::StaleEpoch { current } => Appended::refused(
            ErrorCode::InvalidProducerEpoch,
            format!("the producer's epoch is {} by now", current.0),
        ),
        SequenceRefusal::OutsideTransaction => Appended::refused(
            ErrorCode::InvalidTxnState,
            "the producer has a transaction open here, and the batch does not belong to it",
        ),
    }
}
