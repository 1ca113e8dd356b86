//! One core's group coordinators: one for each partition of `__consumer_offsets` that lives here. How they come to be, and how
//! replies wait for records, is [`crate::homes`]'s; what is theirs alone stands here.

pub mod ask;
pub mod classic;
pub mod consumer;
pub mod coordinator;
pub mod embedded;
pub mod facts;
pub mod history;
pub mod record;
pub mod step;

mod home;

use std::collections::BTreeSet;
use std::sync::Arc;

use protocol::ErrorCode;
use shard::ShardId;
use storage::{Offset, ProducerEpoch, ProducerId};

use crate::answer::Answer;
use crate::homes::{self, Homes};
use crate::mail::{PartitionId, PendingId, Turn};
use crate::metadata::Image;
use crate::partition::{Outbound, OwnTransaction, Partitions};
use ask::{GroupAnswer, GroupAsk, GroupQuestion, GroupReply, TxnCommit};
use coordinator::Coordinator;

/// The topic that groups are kept in.
pub const TOPIC: &str = "__consumer_offsets";

/// Which core has a group, and in which partition.
pub fn home_of(image: &Image, group: &str) -> Result<(ShardId, i32), ErrorCode> {
    if group.len() > homes::ID_BYTES_MAX {
        return Err(ErrorCode::InvalidGroupId);
    }
    homes::home_of(image, TOPIC, group)
}

/// One core's coordinators.
#[derive(Debug, Default)]
pub struct GroupCoordinators {
    homes: Homes<Coordinator>,
}

impl GroupCoordinators {
    /// Makes the coordinators what the metadata says. Partitions must be open already.
    pub fn apply(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        before: &Image,
        after: &Arc<Image>,
        out: &mut Outbound,
    ) {
        self.homes.apply(turn, partitions, after, out);
        let is_deleted = |id| after.topic_by_id(id).is_none();
        let deleted: BTreeSet<Arc<str>> =
            before.topics().filter(|topic| is_deleted(topic.id)).map(|topic| topic.name.clone()).collect();
        if !deleted.is_empty() {
            for number in self.homes.active() {
                self.homes
                    .run(turn, partitions, number, out, |machine, _| machine.on_topics_deleted(&deleted));
            }
        }
        self.homes.set_timer(turn, None);
    }

    /// Takes questions in.
    pub fn on_ask(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        request: PendingId,
        questions: Vec<GroupQuestion>,
        out: &mut Outbound,
    ) {
        for GroupQuestion { number, partition, group, ask } in questions {
            let to = (request, number);
            let id = match self.homes.check_active(partition) {
                Ok(id) => id,
                Err(error) => {
                    out.answers.push((request, number, Answer::Group(Err(error))));
                    continue;
                }
            };
            match ask {
                GroupAsk::Mark(marker, bumps_epoch) => {
                    let (marker, done) = ((&marker, bumps_epoch), Answer::Group(Ok(GroupAnswer::Done)));
                    self.homes.mark(turn, partitions, partition, to, marker, done, out);
                    continue;
                }
                GroupAsk::CommitInTransaction(ref commit) => {
                    if let Some(reply) = verify(partitions, id, commit) {
                        out.answers.push((request, number, Answer::Group(reply)));
                        continue;
                    }
                }
                _ => {}
            }
            self.homes
                .run(turn, partitions, partition, out, |machine, env| machine.on_ask(env, to, &group, ask));
        }
        self.homes.set_timer(turn, None);
    }

    /// A partition's log has grown, or has failed.
    pub fn on_log(&mut self, id: PartitionId, end: Result<Offset, ()>, out: &mut Outbound) {
        self.homes.on_log(id, end, out);
    }

    /// The timer has fired: does all that is due.
    pub fn on_timer(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        self.homes.on_timer(turn, partitions, out);
        self.homes.set_timer(turn, None);
    }

    /// Now and then: a slice of the look for what has expired.
    pub fn on_tick(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        self.homes.on_tick(turn, partitions, out);
    }

    /// A slice of loading; `true` if more is left.
    pub fn on_background(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        out: &mut Outbound,
    ) -> bool {
        let has_more = self.homes.on_background(turn, partitions, out);
        self.homes.set_timer(turn, None);
        has_more
    }

    /// How many groups this core coordinates.
    pub fn group_count(&self) -> usize {
        self.homes.machines().map(Coordinator::group_count).sum()
    }
}

/// What TxnOffsetCommit is answered if it may not write yet, or may not write at all.
fn verify(partitions: &Partitions, id: PartitionId, commit: &TxnCommit) -> Option<GroupReply> {
    let (producer, epoch) = (ProducerId(commit.producer_id), ProducerEpoch(commit.producer_epoch));
    match partitions.own_transaction(id, producer, epoch, commit.guard, commit.has_own_epoch) {
        Ok(OwnTransaction::Open) => None,
        Ok(OwnTransaction::Unverified(guard)) => Some(Ok(GroupAnswer::Unverified(guard))),
        Ok(OwnTransaction::Ended) => Some(Err(ErrorCode::InvalidTxnState)),
        Ok(OwnTransaction::Fenced) => Some(Err(ErrorCode::InvalidProducerEpoch)),
        Err(()) => Some(Err(ErrorCode::CoordinatorNotAvailable)),
    }
}
