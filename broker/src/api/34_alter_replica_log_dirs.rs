//! AlterReplicaLogDirs (34), versions 1–2: moves replicas between a broker's directories. There is one.
//!
//! Order of checks, per partition: known → the directory is ours. Moving to where it is already changes nothing and succeeds;
//! another directory is LOG_DIR_NOT_FOUND, as in Kafka (KIP-113).

use std::collections::BTreeMap;
use std::path::Path;

use protocol::messages::alter_replica_log_dirs_request::AlterReplicaLogDirsRequest;
use protocol::messages::alter_replica_log_dirs_response::{
    AlterReplicaLogDirPartitionResult, AlterReplicaLogDirTopicResult, AlterReplicaLogDirsResponse,
};
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::AlterReplicaLogDirs, 1..=2, on_alter_replica_log_dirs);

fn on_alter_replica_log_dirs(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let (image, node) = (broker.image.clone(), broker.node.clone());
    let asked: AlterReplicaLogDirsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let mut results: BTreeMap<&str, Vec<AlterReplicaLogDirPartitionResult>> = BTreeMap::new();
    for dir in &asked.dirs {
        let is_ours = Path::new(dir.path) == Path::new(&node.data_dir_text);
        for topic in &dir.topics {
            for &partition_index in &topic.partitions {
                let is_known =
                    image.topic(topic.name).is_some_and(|topic| topic.partition(partition_index).is_some());
                let error = match (is_known, is_ours) {
                    (false, _) => ErrorCode::UnknownTopicOrPartition,
                    (true, false) => ErrorCode::LogDirNotFound,
                    (true, true) => ErrorCode::None,
                };
                let result = AlterReplicaLogDirPartitionResult {
                    partition_index,
                    error_code: error.code(),
                    ..Default::default()
                };
                results.entry(topic.name).or_default().push(result);
            }
        }
    }
    let results = results.into_iter().map(|(topic_name, partitions)| AlterReplicaLogDirTopicResult {
        topic_name,
        partitions,
        ..Default::default()
    });
    let response = AlterReplicaLogDirsResponse { results: results.collect(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
