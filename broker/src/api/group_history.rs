//! What DescribeGroups tells besides if it is asked for history (`protocol::group_history`): why groups rebalanced, and how far
//! behind they are, whatever their protocol.
//!
//! Two rounds: the groups tell their history and what they have committed; then the partitions that were committed in tell the
//! lag. The second round opens logs that nobody uses, for a client has asked.

use std::sync::Arc;

use protocol::ErrorCode;
use protocol::group_history::{self, GroupHistory, PartitionLag};
use shard::ShardId;
use storage::Offset;

use crate::answer::Answer;
use crate::broker::Broker;
use crate::groups::ask::{GroupAnswer, GroupAsk};
use crate::groups::facts::CommittedFacts;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::metadata::Image;
use crate::request::Request;

/// Partitions whose lag one request is told; for others it is unknown.
const LAGS_MAX: usize = 20_000;

/// Whether a request asks for history. Its body was decoded before.
pub(super) fn is_asked(request: &Request) -> bool {
    let asked = request.body().and_then(|mut d| group_history::is_asked(&mut d, request.version));
    asked.unwrap_or(false)
}

/// The questions for the history of these groups, one each.
pub(super) fn asks(groups: &[&str]) -> Vec<(Arc<str>, Result<GroupAsk, ErrorCode>)> {
    groups.iter().map(|&group| (group.into(), Ok(GroupAsk::History))).collect()
}

/// Where the partition of a committed offset is; `None` if it is gone, or was made anew since.
fn find(image: &Image, committed: &CommittedFacts) -> Option<(ShardId, PartitionId)> {
    let topic = image.topic(&committed.topic)?;
    let is_same = committed.topic_id.is_zero() || committed.topic_id == topic.id;
    let meta = topic.partition(committed.partition).filter(|_| is_same)?;
    Some((meta.home, PartitionId { topic_id: topic.id, partition: committed.partition }))
}

/// Begins the second round, if there is one; `true` then.
pub(super) fn begin_round(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) -> bool {
    let image = Arc::clone(&broker.image);
    let Some(pending) = broker.pending.get_mut(id) else { return false };
    if pending.image.is_some() || !is_asked(&pending.request) {
        return false;
    }
    let mut wanted = Vec::new();
    for answer in pending.answers.iter().flatten() {
        if let Answer::Group(Ok(GroupAnswer::History(_, committed))) = answer {
            wanted.extend(committed.iter().filter_map(|one| Some((find(&image, one)?, one.offset))));
        }
    }
    wanted.truncate(LAGS_MAX);
    pending.image = Some(image);
    let question = |((home, partition), offset)| {
        let ask = Ask::Lag { offset: Offset(offset) };
        (home, Question { number: pending.add_question(), partition, current_leader_epoch: -1, ask })
    };
    let questions: Vec<(ShardId, Question)> = wanted.into_iter().map(question).collect();
    let has_round = !questions.is_empty();
    if has_round {
        broker.ask(turn, id, questions);
    }
    has_round
}

/// The history of the groups of these names, from all answers: those of the first round that tell it, then the lags in the
/// order in which they were asked for.
pub(super) fn collect<'a>(
    image: &Image,
    groups: impl Iterator<Item = &'a str>,
    told: Vec<Answer>,
    lags: Vec<Answer>,
) -> Vec<GroupHistory> {
    let mut lags = lags.into_iter();
    let mut histories = Vec::new();
    for (group, answer) in groups.zip(told) {
        let Answer::Group(Ok(GroupAnswer::History(mut history, committed))) = answer else {
            histories.push(GroupHistory { group: group.to_owned(), ..Default::default() });
            continue;
        };
        for one in committed {
            let Some((_, partition)) = find(image, &one) else { continue };
            let lag = match lags.next() {
                Some(Answer::Lag(lag)) => lag,
                _ => None,
            };
            history.lags.push(PartitionLag {
                topic: one.topic.to_string(),
                topic_id: partition.topic_id,
                partition: one.partition,
                offset: one.offset,
                log_start: lag.map_or(-1, |lag| lag.log_start.0),
                last_stable: lag.map_or(-1, |lag| lag.last_stable.0),
                records: lag.map_or(-1, |lag| i64::try_from(lag.records).unwrap_or(i64::MAX)),
                age_ms: lag.and_then(|lag| lag.age_ms).unwrap_or(-1),
            });
        }
        histories.push(*history);
    }
    histories
}
