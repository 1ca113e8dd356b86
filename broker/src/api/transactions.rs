//! What requests about transactions have in common: finding the coordinator, asking it, and confirming with it that what a
//! producer writes belongs to its transaction (KIP-890).

use std::sync::Arc;

use protocol::ErrorCode;
use storage::Offset;

use crate::answer::Answer;
use crate::broker::Broker;
use crate::mail::{PendingId, Turn};
use crate::metadata::Image;
use crate::request::Request;
use crate::transactions::ask::{Add, Producer, TxnAnswer, TxnAsk, TxnQuestion, TxnReply};
use crate::transactions::record::Partition;
use crate::transactions::{self, TOPIC, coordinator::BUMPS_EPOCH_FROM};

/// Asks one transactional id; the answer comes to the request's `finish`.
pub(super) fn ask_one(broker: &mut Broker, turn: &mut Turn<'_>, request: Request, id: &str, ask: TxnAsk) {
    ask_many(broker, turn, request, vec![(id.into(), Ok(ask))]);
}

/// Asks some transactional ids, each by itself; what is refused beforehand is answered with its error.
pub(super) fn ask_many(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    request: Request,
    asks: Vec<(Arc<str>, Result<TxnAsk, ErrorCode>)>,
) {
    let key = request.key;
    let pending = broker.pending.insert(request, asks.len(), None);
    if asks.is_empty() {
        let finish = super::find(key).and_then(|api| api.finish).expect("only such APIs ask coordinators");
        return finish(broker, turn, pending);
    }
    for ((id, ask), number) in asks.into_iter().zip(0..) {
        match ask {
            Ok(ask) => ask_number(broker, turn, pending, number, id, ask),
            Err(error) => broker.on_answer(turn, pending, number, Answer::Txn(Err(error))),
        }
    }
}

/// Asks a transactional id as the question `number` of a request.
fn ask_number(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    pending: PendingId,
    number: u32,
    id: Arc<str>,
    ask: TxnAsk,
) {
    match transactions::home_of(&broker.image, &id) {
        Ok((home, partition)) => {
            let question = TxnQuestion { number, partition, id, ask };
            broker.ask_transactions(turn, pending, vec![(home, question)]);
        }
        Err(error) => broker.on_answer(turn, pending, number, Answer::Txn(Err(error))),
    }
}

/// Asks all coordinators the same.
pub(super) fn ask_all(broker: &mut Broker, turn: &mut Turn<'_>, request: Request, ask: &TxnAsk) {
    let image = broker.image.clone();
    let homes = image.topic(TOPIC).into_iter().flat_map(|topic| topic.partitions.iter().zip(0..));
    let questions: Vec<_> = homes
        .zip(0..)
        .map(|((meta, partition), number)| {
            (meta.home, TxnQuestion { number, partition, id: "".into(), ask: ask.clone() })
        })
        .collect();
    let key = request.key;
    let id = broker.pending.insert(request, questions.len(), None);
    if questions.is_empty() {
        let finish = super::find(key).and_then(|api| api.finish).expect("only such APIs ask coordinators");
        return finish(broker, turn, id);
    }
    broker.ask_transactions(turn, id, questions);
}

/// The request and all answers, when they are there.
pub(super) fn take(broker: &mut Broker, id: PendingId) -> Option<(Request, Vec<TxnReply>)> {
    let mut pending = broker.pending.remove(id)?;
    let replies = pending.take_answers().map(Answer::txn).collect();
    Some((pending.request, replies))
}

/// The same where one id was asked.
pub(super) fn take_one(broker: &mut Broker, id: PendingId) -> Option<(Request, TxnReply)> {
    let (request, mut replies) = take(broker, id)?;
    assert_eq!(replies.len(), 1, "one question, one answer");
    replies.pop().map(|reply| (request, reply))
}

/// An error as clients below a version know it: they were told INVALID_PRODUCER_EPOCH when they were fenced (Q43).
pub(super) fn error_for(error: ErrorCode, version: i16, fenced_from: i16) -> ErrorCode {
    match error {
        ErrorCode::ProducerFenced if version < fenced_from => ErrorCode::InvalidProducerEpoch,
        error => error,
    }
}

/// A producer id for a coordinator that needs one, on the first core, which has a block of them; elsewhere the request goes
/// there, to be begun anew, and so it is when the controller has been asked for another block.
pub(super) fn fresh_id(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    request: Request,
) -> Option<(Request, Result<i64, ErrorCode>)> {
    if !broker.is_controller() {
        broker.forward_to_controller(turn, request);
        return None;
    }
    match broker.producer_ids.next() {
        Some(id) => Some((request, Ok(id))),
        None if request.is_retried => Some((request, Err(ErrorCode::CoordinatorNotAvailable))),
        None => broker
            .allocate_producer_ids_for(turn, request)
            .map(|request| (request, Err(ErrorCode::CoordinatorNotAvailable))),
    }
}

/// Whether a topic has such a partition.
pub(super) fn check_partition(image: &Image, topic: &str, partition: i32) -> Result<(), ErrorCode> {
    let found = image.topic(topic).and_then(|topic| topic.partition(partition));
    found.map(|_| ()).ok_or(ErrorCode::UnknownTopicOrPartition)
}

/// What is to be confirmed before a request may write: who writes where, and what the partitions gave for it.
pub(super) struct Verification {
    pub(super) transactional_id: Arc<str>,
    pub(super) producer: Producer,
    /// Whether the client leaves adding partitions to the broker (version 2).
    pub(super) adds: bool,
    /// The question's number, the partition, and what the confirmation is held against.
    pub(super) writes: Vec<(u32, Partition, Offset)>,
}

/// Asks the coordinator; its answer comes as one more answer of the request, to be taken with [`confirmed`].
pub(super) fn verify(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId, asked: Verification) {
    let Some(pending) = broker.pending.get_mut(id) else { return };
    let number = pending.add_question();
    let Verification { transactional_id, producer, adds, writes } = asked;
    let partitions = writes.iter().map(|(_, partition, _)| partition.clone()).collect();
    pending.verifying = writes.into_iter().map(|(number, _, guard)| (number, guard)).collect();
    let ask = match adds {
        true => TxnAsk::Add(Add { producer, partitions, version: BUMPS_EPOCH_FROM, may_wait: true }),
        false => TxnAsk::Verify(producer, partitions),
    };
    ask_number(broker, turn, id, number, transactional_id, ask);
}

/// What the coordinator said about each write that waits for it; nothing if none was asked.
pub(super) fn confirmed(broker: &mut Broker, id: PendingId) -> Option<Vec<(u32, Result<Offset, ErrorCode>)>> {
    let pending = broker.pending.get_mut(id)?;
    let writes = std::mem::take(&mut pending.verifying);
    if writes.is_empty() {
        return None;
    }
    let reply = pending.take_question().txn();
    let errors: Vec<ErrorCode> = match reply {
        Ok(TxnAnswer::PerPartition(errors)) => errors,
        Ok(TxnAnswer::Done) => vec![ErrorCode::None; writes.len()],
        Ok(other) => unreachable!("a verification is not answered by {other:?}"),
        Err(error) => vec![error; writes.len()],
    };
    assert_eq!(errors.len(), writes.len(), "every write has an answer");
    let said = writes
        .into_iter()
        .zip(errors)
        .map(|((number, guard), error)| (number, if error.is_none() { Ok(guard) } else { Err(error) }));
    Some(said.collect())
}
