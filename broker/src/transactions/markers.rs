//! Writing markers: each partition of a transaction is asked at its home until it has its marker, or is gone.
//!
//! What cannot be reached is tried again every [`RETRY_MS`], for as long as it takes: the transaction stays as it is decided
//! meanwhile, and readers of what is stable wait.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use protocol::ErrorCode;
use shard::ShardId;
use storage::{Marker, ProducerEpoch, ProducerId};

use super::ask::Producer;
use super::coordinator::Markers;
use super::record::Partition;
use super::{Outbound, Partitions, TxnCoordinators, now_ms};
use crate::answer::{Answer, Appended};
use crate::groups::ask::{GroupAsk, GroupQuestion};
use crate::groups::{self};
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::metadata::Image;

/// How long after a failure a partition is asked again.
pub(super) const RETRY_MS: i64 = 500;

/// Questions that partitions have not answered, and what is to be asked.
#[derive(Debug, Default)]
pub(super) struct MarkerRounds {
    sequence: u32,
    asked: BTreeMap<u32, Round>,
    /// Not asked yet.
    fresh: Vec<(i32, Markers)>,
    /// What failed, by the time at which it is asked again, monotonic ms.
    failed: VecDeque<(i64, i32, Markers)>,
}

/// One transaction's markers on their way.
#[derive(Debug)]
struct Round {
    /// The partition of `__transaction_state`.
    home: i32,
    markers: Markers,
    /// Questions without an answer.
    left: usize,
    /// Partitions to be asked again.
    failed: Vec<Partition>,
}

/// A partition that has its marker.
struct Marked {
    /// The partition of `__transaction_state`.
    home: i32,
    id: Arc<str>,
    producer: Producer,
    partition: Partition,
}

/// A marker's question to where its partition lives.
enum Plan {
    Log(ShardId, Question),
    Group(ShardId, GroupQuestion),
    /// The partition is gone.
    Nowhere,
}

impl MarkerRounds {
    pub(super) fn add(&mut self, home: i32, markers: Markers) {
        self.fresh.push((home, markers));
    }

    /// A number for a round of questions.
    pub(super) fn next_number(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    pub(super) fn next_retry(&self) -> Option<i64> {
        self.failed.front().map(|(at_ms, ..)| *at_ms)
    }

    pub(super) fn retry(&mut self, now_ms: i64) {
        while self.failed.front().is_some_and(|(at_ms, ..)| *at_ms <= now_ms) {
            let due = self.failed.pop_front();
            self.fresh.extend(due.map(|(_, home, markers)| (home, markers)));
        }
    }

    /// Takes the answer of one partition of a round: the partition, if it is done with. If not it is asked again, with the
    /// others of its round that failed.
    fn take_answer(&mut self, now_ms: i64, (number, place): (u32, u32), answer: &Answer) -> Option<Marked> {
        let round = self.asked.get_mut(&number)?;
        let partition = round.markers.partitions.get(place as usize)?.clone();
        let (home, id, producer) = (round.home, round.markers.id.clone(), round.markers.producer);
        let is_marked = is_done(answer);
        if !is_marked {
            tracing::warn!(%id, topic = %partition.0, partition = partition.1, ?answer, "a marker is tried again");
            round.failed.push(partition.clone());
        }
        round.left -= 1;
        if round.left == 0 {
            let Round { markers, failed, .. } = self.asked.remove(&number).expect("it was found just now");
            if !failed.is_empty() {
                self.failed.push_back((now_ms + RETRY_MS, home, Markers { partitions: failed, ..markers }));
            }
        }
        is_marked.then_some(Marked { home, id, producer, partition })
    }
}

impl TxnCoordinators {
    /// Asks the partitions of all transactions that are to be marked. Partitions that are gone need no marker: their answer
    /// is made here.
    pub(super) fn send_markers(&mut self, turn: &Turn<'_>, out: &mut Outbound) {
        let Some(image) = self.homes.image().cloned() else { return };
        for (home, markers) in std::mem::take(&mut self.rounds.fresh) {
            let round = self.rounds.next_number();
            let id = PendingId::internal(turn.shard, round);
            let (mut questions, mut groups) = (Vec::new(), Vec::new());
            for (partition, number) in markers.partitions.iter().zip(0..) {
                match plan(&image, &markers, partition, number) {
                    Plan::Log(core, question) => questions.push((core, question)),
                    Plan::Group(core, question) => groups.push((core, question)),
                    Plan::Nowhere => {
                        let nothing_to_do = Appended::refused(ErrorCode::None, "the partition is gone");
                        out.answers.push((id, number, Answer::Appended(nothing_to_do)));
                    }
                }
            }
            let left = markers.partitions.len();
            self.rounds.asked.insert(round, Round { home, markers, left, failed: Vec::new() });
            out.asks.push((id, questions, groups));
        }
    }

    /// A partition or a coordinator has answered.
    pub fn on_round_answer(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        (id, number): (PendingId, u32),
        answer: Answer,
        out: &mut Outbound,
    ) {
        let round = id.internal_number();
        if self.traces.is_asked(round) {
            self.on_traced(turn, partitions, round, &answer);
        } else if let Some(marked) = self.rounds.take_answer(now_ms(turn), (round, number), &answer) {
            self.homes.run(turn, partitions, marked.home, out, |machine, env| {
                machine.on_marked(env, &marked.id, marked.producer, &marked.partition)
            });
        }
        self.trace_open(turn, partitions, out);
        self.follow_up(turn, out);
    }
}

fn plan(image: &Image, markers: &Markers, (topic, partition): &Partition, number: u32) -> Plan {
    let marker = Marker {
        producer_id: ProducerId(markers.producer.id),
        producer_epoch: ProducerEpoch(markers.producer.epoch),
        coordinator_epoch: Marker::OWN_COORDINATOR,
        is_commit: markers.is_commit,
    };
    let bumps_epoch = markers.bumps_epoch;
    let known = image.topic(topic).and_then(|topic| Some((topic.id, topic.partition(*partition)?.home)));
    let Some((topic_id, home)) = known else { return Plan::Nowhere };
    if **topic == *groups::TOPIC {
        let ask = GroupAsk::Mark(marker, bumps_epoch);
        return Plan::Group(home, GroupQuestion { number, partition: *partition, group: "".into(), ask });
    }
    let partition = PartitionId { topic_id, partition: *partition };
    let ask = Ask::Mark(marker, bumps_epoch);
    Plan::Log(home, Question { number, partition, current_leader_epoch: -1, ask })
}

/// Whether nothing is left to do for a partition: it has its marker, the metadata has it no more, or it knows of a later
/// decision. A core that is stopping does not know its partitions any more, and they need their markers all the same.
fn is_done(answer: &Answer) -> bool {
    let error = match answer {
        Answer::Appended(appended) => appended.error,
        Answer::Group(Ok(_)) => ErrorCode::None,
        Answer::Group(Err(error)) => *error,
        other => unreachable!("a marker was asked for, and answered by {other:?}"),
    };
    matches!(error, ErrorCode::None | ErrorCode::InvalidProducerEpoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_does_not_know_a_partition_has_not_marked_it() {
        for (error, expected) in [
            (ErrorCode::None, true),
            // A later incarnation has begun there: what is to be ended has ended.
            (ErrorCode::InvalidProducerEpoch, true),
            // A core that stops answers so for all its partitions.
            (ErrorCode::UnknownTopicOrPartition, false),
            (ErrorCode::NotCoordinator, false),
            (ErrorCode::CoordinatorLoadInProgress, false),
            (ErrorCode::CoordinatorNotAvailable, false),
            (ErrorCode::NotLeaderOrFollower, false),
            (ErrorCode::KafkaStorageError, false),
        ] {
            assert_eq!(is_done(&Answer::Appended(Appended::refused(error, "why"))), expected, "{error:?}");
            if !error.is_none() {
                assert_eq!(is_done(&Answer::Group(Err(error))), expected, "{error:?}");
            }
        }
    }
}
