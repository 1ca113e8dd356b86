//! The second half of a transactional Produce (KIP-890): what its partitions have no open transaction for is confirmed by the
//! coordinator, all partitions in one question, and appended then.
//!
//! ```text
//! append ─► unverified, with a guard ─► the coordinator: is it in the transaction? add it! ─► append, with the guard
//! ```
//! All three go over the same ways in their order, so that batches that a client sent one after another stay in order.

use protocol::ErrorCode;
use storage::{BatchHeader, Promise};

use super::produce::{decode, find_topic};
use super::transactions::{Verification, confirmed, verify};
use crate::answer::{Answer, Appended};
use crate::broker::Broker;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn, Verified};
use crate::transactions::ask::Producer;

/// The first version of clients that leave adding partitions to the broker.
const ADDS_FROM: i16 = 12;

/// The first version that knows TRANSACTION_ABORTABLE.
const ABORTABLE_FROM: i16 = 11;

/// Goes on with what is not verified: asks the coordinator, or appends what it has confirmed. `false` if nothing is left.
pub(super) fn begin_round(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) -> bool {
    if let Some(said) = confirmed(broker, id) {
        return append_confirmed(broker, turn, id, said);
    }
    match plan(broker, id) {
        None => false,
        Some(Ok(asked)) => {
            verify(broker, turn, id, asked);
            true
        }
        Some(Err(error)) => {
            let Some(pending) = broker.pending.get_mut(id) else { return true };
            for answer in pending.answers.iter_mut().flatten() {
                if matches!(answer, Answer::Unverified(_)) {
                    *answer = Answer::Appended(Appended::refused(error, error.text()));
                }
            }
            false
        }
    }
}

/// What the coordinator is to be asked, if anything: one producer a request.
fn plan(broker: &mut Broker, id: PendingId) -> Option<Result<Verification, ErrorCode>> {
    let image = broker.image.clone();
    let pending = broker.pending.get_mut(id)?;
    let is_unverified = |answer: &Option<Answer>| matches!(answer, Some(Answer::Unverified(_)));
    if !pending.answers.iter().any(is_unverified) {
        return None;
    }
    let request = &pending.request;
    let view = decode(request, &request.frame).expect("the request was decoded before");
    let (mut producer, mut writes, mut number) = (None, Vec::new(), 0);
    for topic in view.topics() {
        let name = find_topic(&image, &topic).map(|topic| topic.name.clone());
        for partition in topic.partitions() {
            if let Some(Answer::Unverified(guard)) = &pending.answers[number as usize] {
                let Ok(name) = &name else { return Some(Err(ErrorCode::UnknownTopicOrPartition)) };
                let header = partition.records.and_then(BatchHeader::parse)?;
                let own = Producer { id: header.producer_id.0, epoch: header.producer_epoch.0 };
                if *producer.get_or_insert(own) != own {
                    return Some(Err(ErrorCode::InvalidProducerIdMapping));
                }
                writes.push((number, (name.clone(), partition.index), *guard));
            }
            number += 1;
        }
    }
    Some(Ok(Verification {
        transactional_id: view.transactional_id.unwrap_or_default().into(),
        producer: producer?,
        adds: request.version >= ADDS_FROM,
        writes,
    }))
}

/// Appends what was confirmed, and answers the rest; `false` if nothing was confirmed.
fn append_confirmed(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    id: PendingId,
    said: Vec<(u32, Result<storage::Offset, ErrorCode>)>,
) -> bool {
    let image = broker.image.clone();
    let Some(pending) = broker.pending.get_mut(id) else { return true };
    let version = pending.request.version;
    let frame = pending.request.frame.clone();
    let view = decode(&pending.request, &frame).expect("the request was decoded before");
    let promise = if view.acks == -1 { Promise::Disk } else { Promise::PageCache };
    let has_own_epoch = version >= ADDS_FROM;
    let mut said = said.into_iter().peekable();
    let (mut questions, mut number) = (Vec::new(), 0);
    for topic in view.topics() {
        for partition in topic.partitions() {
            if let Some((_, said)) = said.next_if(|(asked, _)| *asked == number) {
                let found = find_topic(&image, &topic).ok();
                let home = found.and_then(|topic| Some((topic.id, topic.partition(partition.index)?.home)));
                match said
                    .and_then(|guard| home.ok_or(ErrorCode::UnknownTopicOrPartition).map(|h| (guard, h)))
                {
                    Err(error) => {
                        pending.answers[number as usize] = Some(Answer::Appended(refusal(error, version)));
                    }
                    Ok((guard, (topic_id, home))) => {
                        let records = frame.slice(partition.range.clone());
                        let verified = Some(Verified { guard, has_own_epoch });
                        let ask = Ask::Append(records, promise, verified);
                        let partition = PartitionId { topic_id, partition: partition.index };
                        questions.push((home, Question { number, partition, current_leader_epoch: -1, ask }));
                    }
                }
            }
            number += 1;
        }
    }
    questions.iter().for_each(|(_, question)| pending.reopen(question.number));
    let is_asking = !questions.is_empty();
    if is_asking {
        broker.ask(turn, id, questions);
    }
    is_asking
}

/// What a producer is told when its coordinator did not confirm: what passes by itself it tries again.
fn refusal(error: ErrorCode, version: i16) -> Appended {
    let told = match error {
        ErrorCode::ConcurrentTransactions
        | ErrorCode::CoordinatorLoadInProgress
        | ErrorCode::CoordinatorNotAvailable
        | ErrorCode::NotCoordinator => ErrorCode::NotEnoughReplicas,
        ErrorCode::ProducerFenced => ErrorCode::InvalidProducerEpoch,
        ErrorCode::TransactionAbortable if version < ABORTABLE_FROM => ErrorCode::InvalidTxnState,
        error => error,
    };
    let why = format!("the partition was not confirmed to be in the transaction: {}", error.text());
    Appended::refused(told, why)
}
