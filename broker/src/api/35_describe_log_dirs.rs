//! DescribeLogDirs (35), versions 1–5: the directory of all data, its partitions with their sizes, the space around it.
//!
//! - Null topics means all (Q14). A topic or partition that is not there is left out, as in Kafka.
//! - Total and usable bytes from version 4, of the whole file system; -1 if it does not tell (Q107).
//! - The lag of a partition with one replica is 0.

use std::collections::{BTreeMap, BTreeSet};

use protocol::ApiKey;
use protocol::messages::describe_log_dirs_request::DescribeLogDirsRequest;
use protocol::messages::describe_log_dirs_response::{
    DescribeLogDirsPartition, DescribeLogDirsResponse, DescribeLogDirsResult, DescribeLogDirsTopic,
};

use super::Api;
use crate::answer::Answer;
use crate::broker::Broker;
use crate::mail::{Ask, PartitionId, PendingId, Question, Turn};
use crate::metadata::Image;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::DescribeLogDirs, 1..=5, on_describe_log_dirs, finish);

fn on_describe_log_dirs(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let image = broker.image.clone();
    let partitions = match request.decode() {
        Ok(asked) => wanted(&image, &asked),
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let questions: Vec<_> = partitions
        .iter()
        .zip(0..)
        .filter_map(|(&(name, number), place)| {
            let topic = image.topic(name)?;
            let partition = PartitionId { topic_id: topic.id, partition: number };
            let question = Question { number: place, partition, current_leader_epoch: -1, ask: Ask::Size };
            Some((topic.partition(number)?.home, question))
        })
        .collect();
    let id = broker.pending.insert(request, questions.len(), None);
    if let Some(pending) = broker.pending.get_mut(id) {
        // The metadata may have changed when the answers come: what was asked is what is answered.
        pending.image = Some(image.clone());
    }
    if questions.is_empty() {
        return finish(broker, turn, id);
    }
    broker.ask(turn, id, questions);
}

/// The partitions that are asked for and on this broker, in order.
fn wanted<'a>(image: &'a Image, asked: &DescribeLogDirsRequest<'_>) -> Vec<(&'a str, i32)> {
    let all = |name: &str| image.topic(name).map_or(0, |topic| topic.partitions.len() as i32);
    let partitions: BTreeSet<(&str, i32)> = match &asked.topics {
        None => image
            .topics()
            .flat_map(|topic| (0..all(&topic.name)).map(|number| (&*topic.name, number)))
            .collect(),
        Some(topics) => topics
            .iter()
            .filter_map(|topic| Some((image.topic(topic.topic)?, &topic.partitions)))
            .flat_map(|(topic, numbers)| numbers.iter().map(|&number| (&*topic.name, number)))
            .filter(|(name, number)| (0..all(name)).contains(number))
            .collect(),
    };
    let is_here = |&(name, number): &(&str, i32)| {
        let meta = image.topic(name).and_then(|topic| topic.partition(number));
        meta.is_some_and(|meta| meta.is_on(image.node_id()))
    };
    partitions.into_iter().filter(is_here).collect()
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some(mut pending) = broker.pending.remove(id) else { return };
    let sizes: Vec<u64> = pending.take_answers().map(Answer::size).collect();
    let request = pending.request;
    let image = pending.image.expect("the image was kept");
    let asked: DescribeLogDirsRequest<'_> = request.decode().expect("the request was decoded before");
    let mut topics: BTreeMap<&str, Vec<DescribeLogDirsPartition>> = BTreeMap::new();
    for ((name, number), size) in wanted(&image, &asked).into_iter().zip(sizes) {
        let partition = DescribeLogDirsPartition {
            partition_index: number,
            partition_size: i64::try_from(size).unwrap_or(i64::MAX),
            ..Default::default()
        };
        topics.entry(name).or_default().push(partition);
    }
    let space = turn.disk.space(&broker.node.data_dir).ok();
    let bytes = |bytes: Option<u64>| bytes.map_or(-1, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    let node = broker.node.clone();
    let result = DescribeLogDirsResult {
        log_dir: &node.data_dir_text,
        topics: topics
            .into_iter()
            .map(|(name, partitions)| DescribeLogDirsTopic { name, partitions, ..Default::default() })
            .collect(),
        total_bytes: bytes(space.map(|space| space.total)),
        usable_bytes: bytes(space.map(|space| space.usable)),
        ..Default::default()
    };
    broker.reply(turn, &request, &DescribeLogDirsResponse { results: vec![result], ..Default::default() });
}
