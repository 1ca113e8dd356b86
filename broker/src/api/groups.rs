//! What requests about groups have in common: finding the coordinator, asking it, and where a client is.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::ErrorCode;

use crate::answer::Answer;
use crate::broker::Broker;
use crate::groups::ask::{GroupAsk, GroupQuestion, GroupReply};
use crate::groups::{self, TOPIC};
use crate::mail::{PendingId, Turn};
use crate::metadata::Image;
use crate::request::Request;

/// Asks one group; the answer comes to the request's `finish`.
pub(super) fn ask_one(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    request: Request,
    group: &str,
    ask: GroupAsk,
) {
    ask_many(broker, turn, request, vec![(group.into(), Ok(ask))]);
}

/// Asks some groups, each by itself; what is refused beforehand is answered with its error.
pub(super) fn ask_many(
    broker: &mut Broker,
    turn: &mut Turn<'_>,
    request: Request,
    asks: Vec<(Arc<str>, Result<GroupAsk, ErrorCode>)>,
) {
    let image = broker.image.clone();
    let key = request.key;
    let id = broker.pending.insert(request, asks.len(), None);
    if asks.is_empty() {
        let finish = super::find(key).and_then(|api| api.finish).expect("only such APIs ask groups");
        return finish(broker, turn, id);
    }
    let (mut questions, mut refused) = (Vec::new(), Vec::new());
    for ((group, ask), number) in asks.into_iter().zip(0..) {
        let planned = ask.and_then(|ask| Ok((ask, groups::home_of(&image, &group)?)));
        match planned {
            Ok((ask, (home, partition))) => {
                questions.push((home, GroupQuestion { number, partition, group, ask }));
            }
            Err(error) => refused.push((number, error)),
        }
    }
    for (number, error) in refused {
        broker.on_answer(turn, id, number, Answer::Group(Err(error)));
    }
    broker.ask_groups(turn, id, questions);
}

/// Asks all coordinators the same.
pub(super) fn ask_all(broker: &mut Broker, turn: &mut Turn<'_>, request: Request, ask: &GroupAsk) {
    let image = broker.image.clone();
    let homes = image.topic(TOPIC).into_iter().flat_map(|topic| topic.partitions.iter().zip(0..));
    let questions: Vec<_> = homes
        .zip(0..)
        .map(|((meta, partition), number)| {
            let group = Arc::from("");
            (meta.home, GroupQuestion { number, partition, group, ask: ask.clone() })
        })
        .collect();
    let key = request.key;
    let id = broker.pending.insert(request, questions.len(), None);
    if questions.is_empty() {
        let finish = super::find(key).and_then(|api| api.finish).expect("only such APIs ask groups");
        return finish(broker, turn, id);
    }
    broker.ask_groups(turn, id, questions);
}

/// The request and all answers, when they are there.
pub(super) fn take(broker: &mut Broker, id: PendingId) -> Option<(Request, Vec<GroupReply>)> {
    let mut pending = broker.pending.remove(id)?;
    let replies = pending.take_answers().map(Answer::group).collect();
    Some((pending.request, replies))
}

/// The same where one group was asked.
pub(super) fn take_one(broker: &mut Broker, id: PendingId) -> Option<(Request, GroupReply)> {
    let (request, mut replies) = take(broker, id)?;
    assert_eq!(replies.len(), 1, "one question, one answer");
    replies.pop().map(|reply| (request, reply))
}

/// Where a client is, in Java's words.
pub(super) fn client_host(request: &Request) -> String {
    format!("/{}", request.peer.ip().to_canonical())
}

/// Whether a topic has such a partition.
pub(super) fn check_partition(image: &Image, topic: &str, partition: i32) -> Result<(), ErrorCode> {
    let found = image.topic(topic).and_then(|topic| topic.partition(partition));
    found.map(|_| ()).ok_or(ErrorCode::UnknownTopicOrPartition)
}

/// Leaves out names that came before: a small request must not ask for a thousand copies of much.
pub(super) fn drop_repeated(names: &mut Vec<&str>) {
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
}

/// Groups of this protocol have names.
pub(super) fn check_name(group: &str) -> Result<(), ErrorCode> {
    if group.is_empty() { Err(ErrorCode::InvalidGroupId) } else { Ok(()) }
}
