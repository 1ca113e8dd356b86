//! The offsets that groups have committed: reading and writing them.

use std::collections::BTreeMap;

use net::client::{Client, ClientError, CoordinatorKind, Target};
use protocol::messages::offset_commit_request::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use protocol::messages::offset_commit_response::OffsetCommitResponse;
use protocol::messages::offset_fetch_request::{OffsetFetchRequest, OffsetFetchRequestGroup};
use protocol::messages::offset_fetch_response::OffsetFetchResponse;

/// The last version of both requests that names topics. From the next on an answer has ids only, which say nothing about
/// topics that were deleted.
const NAMES_UP_TO: i16 = 9;
/// The first version of OffsetFetch that asks about many groups.
const GROUPS_FROM: i16 = 8;

/// A partition of a topic.
pub type Place = (String, i32);

/// What a group committed for a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub offset: i64,
    /// -1 if the client did not say.
    pub leader_epoch: i32,
    pub metadata: String,
}

/// Who commits: a member in a generation, or nobody for a group without members.
#[derive(Debug, Clone, Copy)]
pub struct Committer<'a> {
    pub member_id: &'a str,
    pub generation: i32,
}

impl Committer<'static> {
    /// An administrator, which a group takes while it is empty.
    pub const NOBODY: Committer<'static> = Committer { member_id: "", generation: -1 };
}

/// All that `group` has committed.
pub fn committed(client: &mut Client, group: &str) -> Result<BTreeMap<Place, Commit>, ClientError> {
    let of_group = OffsetFetchRequestGroup {
        group_id: group,
        member_id: None,
        member_epoch: -1,
        topics: None,
        ..Default::default()
    };
    let request = OffsetFetchRequest {
        group_id: group,
        topics: None,
        groups: vec![of_group],
        require_stable: false,
        ..Default::default()
    };
    let answer =
        client.ask_below(Target::Coordinator(CoordinatorKind::Group, group), &request, NAMES_UP_TO)?;
    let response: OffsetFetchResponse<'_> = client.read(&answer)?;
    let about = format!("group {group}");
    let mut commits = BTreeMap::new();
    let mut put = |topic: &str, partition: i32, offset, leader_epoch, metadata: Option<&str>| {
        let commit = Commit { offset, leader_epoch, metadata: metadata.unwrap_or_default().to_owned() };
        if offset >= 0 {
            commits.insert((topic.to_owned(), partition), commit);
        }
    };
    if answer.version < GROUPS_FROM {
        answer.check(&about, response.error_code, None)?;
        for topic in &response.topics {
            for it in &topic.partitions {
                answer.check(&about, it.error_code, None)?;
                put(
                    topic.name,
                    it.partition_index,
                    it.committed_offset,
                    it.committed_leader_epoch,
                    it.metadata,
                );
            }
        }
        return Ok(commits);
    }
    for found in response.groups.iter().filter(|found| found.group_id == group) {
        answer.check(&about, found.error_code, None)?;
        for topic in &found.topics {
            for it in &topic.partitions {
                answer.check(&about, it.error_code, None)?;
                put(
                    topic.name,
                    it.partition_index,
                    it.committed_offset,
                    it.committed_leader_epoch,
                    it.metadata,
                );
            }
        }
    }
    Ok(commits)
}

/// Commits all of these, in order of topics.
pub fn commit(
    client: &mut Client,
    group: &str,
    committer: Committer<'_>,
    offsets: &BTreeMap<Place, Commit>,
) -> Result<(), ClientError> {
    let mut topics: Vec<OffsetCommitRequestTopic<'_>> = Vec::new();
    for ((topic, partition), commit) in offsets {
        let partition = OffsetCommitRequestPartition {
            partition_index: *partition,
            committed_offset: commit.offset,
            committed_leader_epoch: commit.leader_epoch,
            committed_metadata: Some(&commit.metadata),
            ..Default::default()
        };
        match topics.last_mut().filter(|last| last.name == topic) {
            Some(last) => last.partitions.push(partition),
            None => topics.push(OffsetCommitRequestTopic {
                name: topic,
                partitions: vec![partition],
                ..Default::default()
            }),
        }
    }
    let request = OffsetCommitRequest {
        group_id: group,
        generation_id_or_member_epoch: committer.generation,
        member_id: committer.member_id,
        topics,
        ..Default::default()
    };
    let answer =
        client.ask_below(Target::Coordinator(CoordinatorKind::Group, group), &request, NAMES_UP_TO)?;
    let response: OffsetCommitResponse<'_> = client.read(&answer)?;
    for topic in &response.topics {
        for partition in &topic.partitions {
            let about = format!("group {group}, partition {} of {}", partition.partition_index, topic.name);
            answer.check(&about, partition.error_code, None)?;
        }
    }
    Ok(())
}
