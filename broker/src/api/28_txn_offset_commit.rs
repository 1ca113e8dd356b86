//! TxnOffsetCommit (28), versions 0–5: a group's offsets, committed with a transaction.
//!
//! Order of checks: per partition: topic and partition known → transactional id not empty → the group's partition belongs to
//! the producer's transaction (KIP-890: it is asked of the coordinator once a transaction; from version 5 it is added then) →
//! the group and the member (KIP-447, version 3) → length of the metadata. They count when the transaction is committed (Q48).
//! - Errors of the coordinator of transactions that pass by themselves are COORDINATOR_LOAD_IN_PROGRESS here, which every
//!   client asks again for.
//! - From version 5 TRANSACTION_ABORTABLE, before INVALID_TXN_STATE.

use std::sync::Arc;

use protocol::messages::txn_offset_commit_request::TxnOffsetCommitRequest;
use protocol::messages::txn_offset_commit_response::{
    TxnOffsetCommitResponse, TxnOffsetCommitResponsePartition, TxnOffsetCommitResponseTopic,
};
use protocol::{ApiKey, ErrorCode};
use storage::Offset;

use super::Api;
use super::groups::{ask_one, check_partition, take_one};
use super::transactions::{Verification, confirmed, verify};
use crate::answer::Answer;
use crate::broker::Broker;
use crate::groups::ask::{Commit, CommitOffset, GroupAnswer, GroupAsk, GroupQuestion, Membership, TxnCommit};
use crate::groups::{self, TOPIC};
use crate::mail::{PendingId, Turn};
use crate::metadata::Image;
use crate::request::Request;
use crate::transactions::ask::Producer;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::TxnOffsetCommit, 0..=5, on_txn_offset_commit, finish);

/// The first version of clients of transactions version 2.
const ADDS_FROM: i16 = 5;

/// The version of OffsetCommit whose errors its groups are to give.
const AS_VERSION: i16 = 9;

fn on_txn_offset_commit(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: TxnOffsetCommitRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    if broker.refuse_too_many(turn, &request, asked.topics.iter().map(|topic| topic.partitions.len()).sum()) {
        return;
    }
    let (group, commit) = (asked.group_id.to_owned(), plan(&broker.image, request.version, &asked, None));
    ask_one(broker, turn, request, &group, GroupAsk::CommitInTransaction(commit));
}

fn plan(image: &Image, version: i16, asked: &TxnOffsetCommitRequest<'_>, guard: Option<Offset>) -> TxnCommit {
    let mut offsets = Vec::new();
    for topic in &asked.topics {
        let (name, known) = (Arc::from(topic.name), image.topic(topic.name));
        offsets.extend(topic.partitions.iter().map(|one| CommitOffset {
            topic: Arc::clone(&name),
            topic_id: known.map(|topic| topic.id).unwrap_or_default(),
            partition: one.partition_index,
            offset: one.committed_offset,
            leader_epoch: one.committed_leader_epoch,
            metadata: one.committed_metadata.unwrap_or_default().to_owned(),
            error: check_partition(image, topic.name, one.partition_index).err().unwrap_or(ErrorCode::None),
        }));
    }
    let who = Membership {
        member: asked.member_id.to_owned(),
        generation: asked.generation_id,
        instance: asked.group_instance_id.map(str::to_owned),
    };
    TxnCommit {
        producer_id: asked.producer_id,
        producer_epoch: asked.producer_epoch,
        guard,
        has_own_epoch: version >= ADDS_FROM,
        commit: Commit { who, version: AS_VERSION, expire_ms: -1, offsets },
    }
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    if let Some(said) = confirmed(broker, id) {
        let [(number, said)] = said[..] else { unreachable!("one group, one verification") };
        return match said {
            Ok(guard) => ask_again(broker, turn, id, number, guard),
            Err(error) => {
                let Some(pending) = broker.pending.get_mut(id) else { return };
                let error = error_for(error, pending.request.version);
                pending.answers[number as usize] = Some(Answer::Group(Err(error)));
                finish_answered(broker, turn, id);
            }
        };
    }
    let Some(pending) = broker.pending.get_mut(id) else { return };
    if let Some(Answer::Group(Ok(GroupAnswer::Unverified(guard)))) = pending.answers[0] {
        return ask_coordinator(broker, turn, id, guard);
    }
    finish_answered(broker, turn, id);
}

fn ask_coordinator(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId, guard: Offset) {
    let image = broker.image.clone();
    let Some(pending) = broker.pending.get_mut(id) else { return };
    let asked: TxnOffsetCommitRequest<'_> = pending.request.decode().expect("it was decoded before");
    let planned = match groups::home_of(&image, asked.group_id) {
        Ok(_) if asked.transactional_id.is_empty() => Err(ErrorCode::InvalidRequest),
        planned => planned,
    };
    let asked = planned.map(|(_, partition)| Verification {
        transactional_id: asked.transactional_id.into(),
        producer: Producer { id: asked.producer_id, epoch: asked.producer_epoch },
        adds: pending.request.version >= ADDS_FROM,
        writes: vec![(0, (TOPIC.into(), partition), guard)],
    });
    match asked {
        Ok(asked) => verify(broker, turn, id, asked),
        Err(error) => {
            pending.answers[0] = Some(Answer::Group(Err(error)));
            finish_answered(broker, turn, id);
        }
    }
}

/// The transaction has the group's partition: the group is asked once more.
fn ask_again(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId, number: u32, guard: Offset) {
    let image = broker.image.clone();
    let Some(pending) = broker.pending.get_mut(id) else { return };
    pending.reopen(number);
    let asked: TxnOffsetCommitRequest<'_> = pending.request.decode().expect("it was decoded before");
    let group: Arc<str> = asked.group_id.into();
    let version = pending.request.version;
    let ask = GroupAsk::CommitInTransaction(plan(&image, version, &asked, Some(guard)));
    match groups::home_of(&image, &group) {
        Ok((home, partition)) => {
            broker.ask_groups(turn, id, vec![(home, GroupQuestion { number, partition, group, ask })]);
        }
        Err(error) => broker.on_answer(turn, id, number, Answer::Group(Err(error))),
    }
}

fn error_for(error: ErrorCode, version: i16) -> ErrorCode {
    match error {
        ErrorCode::ConcurrentTransactions
        | ErrorCode::CoordinatorLoadInProgress
        | ErrorCode::CoordinatorNotAvailable
        | ErrorCode::NotCoordinator => ErrorCode::CoordinatorLoadInProgress,
        ErrorCode::ProducerFenced => ErrorCode::InvalidProducerEpoch,
        ErrorCode::TransactionAbortable if version < ADDS_FROM => ErrorCode::InvalidTxnState,
        error => error,
    }
}

fn finish_answered(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let asked: TxnOffsetCommitRequest<'_> = request.decode().expect("the request was decoded before");
    let count = asked.topics.iter().map(|topic| topic.partitions.len()).sum();
    let errors = match reply {
        Ok(GroupAnswer::PerPartition(errors)) => errors,
        Ok(other) => unreachable!("TxnOffsetCommit is not answered by {other:?}"),
        Err(error) => vec![error; count],
    };
    assert_eq!(errors.len(), count, "every partition has an answer");
    let mut errors = errors.into_iter();
    let topics = asked.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().zip(errors.by_ref());
        let partitions = partitions.map(|(partition, error)| TxnOffsetCommitResponsePartition {
            partition_index: partition.partition_index,
            error_code: error.code(),
            ..Default::default()
        });
        TxnOffsetCommitResponseTopic {
            name: topic.name,
            partitions: partitions.collect(),
            ..Default::default()
        }
    });
    let response = TxnOffsetCommitResponse { topics: topics.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
