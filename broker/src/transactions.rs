//! One core's transaction coordinators: one for each partition of `__transaction_state` that lives here. How they come to be, and
//! how replies and markers wait for records, is [`crate::homes`]'s; the way of the markers stands here.

pub mod ask;
pub mod coordinator;
pub mod facts;
pub mod record;

mod commits;
mod hanging;
mod home;
mod markers;

use std::sync::Arc;

use protocol::ErrorCode;
use shard::ShardId;
use storage::Offset;

use crate::answer::Answer;
use crate::homes::{self, Homes, now_ms};
use crate::mail::{PartitionId, PendingId, Turn};
use crate::metadata::Image;
use crate::partition::{Outbound, Partitions};
use ask::TxnQuestion;
use coordinator::Coordinator;
use hanging::Traces;
pub use hanging::Unsure;
use markers::MarkerRounds;

/// The topic that transactions are kept in.
pub const TOPIC: &str = "__transaction_state";

/// Why transactions are refused where there are several brokers.
pub const NOT_SERVED: &str =
    "transactions are served by a broker that is alone: markers do not go to other brokers yet";

/// Transactions take one broker that has all partitions.
pub fn check_served(image: &Image) -> Result<(), ErrorCode> {
    if image.brokers().count() > 1 { Err(ErrorCode::UnsupportedVersion) } else { Ok(()) }
}

/// Which core has a transactional id, and in which partition.
pub fn home_of(image: &Image, id: &str) -> Result<(ShardId, i32), ErrorCode> {
    if id.len() > homes::ID_BYTES_MAX {
        return Err(ErrorCode::InvalidRequest);
    }
    homes::home_of(image, TOPIC, id)
}

/// One core's coordinators.
#[derive(Debug, Default)]
pub struct TxnCoordinators {
    homes: Homes<Coordinator>,
    rounds: MarkerRounds,
    traces: Traces,
}

impl TxnCoordinators {
    /// Makes the coordinators what the metadata says. Partitions must be open already.
    pub fn apply(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        after: &Arc<Image>,
        out: &mut Outbound,
    ) {
        self.homes.apply(turn, partitions, after, out);
        self.follow_up(turn, out);
    }

    /// Takes questions in.
    pub fn on_ask(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        request: PendingId,
        questions: Vec<TxnQuestion>,
        out: &mut Outbound,
    ) {
        for TxnQuestion { number, partition, id, ask } in questions {
            if let Err(error) = self.homes.check_active(partition) {
                out.answers.push((request, number, Answer::Txn(Err(error))));
                continue;
            }
            self.homes.run(turn, partitions, partition, out, |machine, env| {
                machine.on_ask(env, (request, number), &id, ask)
            });
        }
        self.follow_up(turn, out);
    }

    /// What every step ends with: markers whose records are in the log are sent, and the timer is set.
    fn follow_up(&mut self, turn: &mut Turn<'_>, out: &mut Outbound) {
        self.send_released(turn, out);
        let retries = [self.rounds.next_retry(), self.traces.next_retry()];
        self.homes.set_timer(turn, retries.into_iter().flatten().min());
    }

    fn send_released(&mut self, turn: &Turn<'_>, out: &mut Outbound) {
        for (home, markers) in self.homes.take_released() {
            self.rounds.add(home, markers);
        }
        self.send_markers(turn, out);
    }

    /// A partition's log has grown, or has failed.
    pub fn on_log(
        &mut self,
        turn: &mut Turn<'_>,
        id: PartitionId,
        end: Result<Offset, ()>,
        out: &mut Outbound,
    ) {
        self.homes.on_log(id, end, out);
        self.send_released(turn, out);
    }

    /// The timer has fired: does all that is due.
    pub fn on_timer(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        self.homes.on_timer(turn, partitions, out);
        self.rounds.retry(now_ms(turn));
        self.trace_open(turn, partitions, out);
        self.follow_up(turn, out);
    }

    /// Now and then: a slice of the look for what has expired.
    pub fn on_tick(&mut self, turn: &mut Turn<'_>, partitions: &mut Partitions, out: &mut Outbound) {
        self.homes.on_tick(turn, partitions, out);
        self.follow_up(turn, out);
    }

    /// A slice of loading; `true` if more is left.
    pub fn on_background(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        out: &mut Outbound,
    ) -> bool {
        let has_more = self.homes.on_background(turn, partitions, out);
        self.trace_open(turn, partitions, out);
        self.follow_up(turn, out);
        has_more
    }
}
