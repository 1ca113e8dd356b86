//! The records of `__consumer_offsets`, as owned values: Kafka's own, so that Kafka's tools can read them.
//!
//! A key without a value is a tombstone: what it told is gone. Records that other versions write and this one does not need
//! are skipped when read, never an error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use protocol::messages::consumer_group_current_member_assignment_key::ConsumerGroupCurrentMemberAssignmentKey;
use protocol::messages::consumer_group_current_member_assignment_value as current_value;
use protocol::messages::consumer_group_member_metadata_key::ConsumerGroupMemberMetadataKey;
use protocol::messages::consumer_group_member_metadata_value::{
    self as member_value, ConsumerGroupMemberMetadataValue,
};
use protocol::messages::consumer_group_metadata_key::ConsumerGroupMetadataKey;
use protocol::messages::consumer_group_metadata_value::ConsumerGroupMetadataValue;
use protocol::messages::consumer_group_regular_expression_key::ConsumerGroupRegularExpressionKey;
use protocol::messages::consumer_group_regular_expression_value::ConsumerGroupRegularExpressionValue;
use protocol::messages::consumer_group_target_assignment_member_key::ConsumerGroupTargetAssignmentMemberKey;
use protocol::messages::consumer_group_target_assignment_member_value as target_value;
use protocol::messages::consumer_group_target_assignment_metadata_key::ConsumerGroupTargetAssignmentMetadataKey;
use protocol::messages::consumer_group_target_assignment_metadata_value::ConsumerGroupTargetAssignmentMetadataValue;
use protocol::messages::group_metadata_key::GroupMetadataKey;
use protocol::messages::group_metadata_value::{GroupMetadataValue, MemberMetadata};
use protocol::messages::offset_commit_key::OffsetCommitKey;
use protocol::messages::offset_commit_value::OffsetCommitValue;
use protocol::record::{decode_value, encode_key, encode_value};
use protocol::{DecodeError, Decoder, Encoder, GroupKey, Message, Uuid};

/// Bytes that clients give and only clients understand.
pub type Bytes = Arc<[u8]>;

/// Partitions by topic id.
pub type Assignment = BTreeMap<Uuid, BTreeSet<i32>>;

/// The version that values of these kinds are written in: Kafka 4's.
const OFFSET_VERSION: i16 = 3;
const OFFSET_WITH_TOPIC_ID_VERSION: i16 = 4;
const CLASSIC_GROUP_VERSION: i16 = 3;

/// A committed offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The next record to read.
    pub offset: i64,
    /// The leader epoch of the last record that was read; -1 if the client did not say.
    pub leader_epoch: i32,
    /// The client's own words, returned as they are.
    pub metadata: Arc<str>,
    /// When it was committed, calendar ms.
    pub commit_ms: i64,
    /// When it expires whatever the settings say, calendar ms; -1 if the client did not say.
    pub expire_ms: i64,
    /// The topic's id; zero if it was not known.
    pub topic_id: Uuid,
}

/// A classic group as it is saved when its assignment is known, or when it has become empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedGroup {
    /// "consumer", "connect", …; empty in a group that never had members.
    pub protocol_type: String,
    /// How many rebalances it has seen.
    pub generation: i32,
    /// What its members agreed on.
    pub protocol: Option<String>,
    /// The member that assigns.
    pub leader: Option<String>,
    /// Since when it is as it is, calendar ms; -1 if not known.
    pub state_ms: i64,
    /// Its members.
    pub members: Vec<SavedMember>,
}

/// A member of a classic group as it is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMember {
    /// Its id.
    pub id: String,
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
    /// What its client calls itself.
    pub client_id: String,
    /// Where its client is.
    pub client_host: String,
    /// How long it may take to join again.
    pub rebalance_timeout_ms: i32,
    /// How long it may be silent.
    pub session_timeout_ms: i32,
    /// What it told of itself for the chosen protocol.
    pub subscription: Bytes,
    /// What it was given.
    pub assignment: Bytes,
}

/// What a member of a consumer group (KIP-848) told of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberData {
    /// Its name over restarts, if it has one.
    pub instance: Option<String>,
    /// Where it stands.
    pub rack: Option<String>,
    /// What its client calls itself.
    pub client_id: String,
    /// Where its client is.
    pub client_host: String,
    /// The topics it named, sorted.
    pub topics: Vec<String>,
    /// The expression that its topics match as well.
    pub regex: Option<String>,
    /// How long it may take to give partitions up.
    pub rebalance_timeout_ms: i32,
    /// The assignor it prefers.
    pub assignor: Option<String>,
    /// What it told besides if it speaks the classic protocol.
    pub classic: Option<ClassicData>,
}

/// What a member of a consumer group told that speaks the classic protocol: enough to make it a member of a classic group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassicData {
    /// How long it may be silent.
    pub session_timeout_ms: i32,
    /// The protocols that it can do, best first, with what it tells of itself for each.
    pub protocols: Vec<(String, Bytes)>,
}

/// A member on its way between the protocols (KIP-848).
#[derive(Debug, Clone)]
pub struct Migrant {
    /// Its id.
    pub id: Arc<str>,
    /// What it told of itself, what classic members tell included.
    pub data: MemberData,
    /// What it has, or is to have.
    pub assigned: Assignment,
}

/// What a member of a consumer group has at the moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Current {
    /// The group's epoch that it has caught up with.
    pub epoch: i32,
    /// The one before.
    pub previous_epoch: i32,
    /// Where it stands on its way to its target.
    pub state: MemberState,
    /// What it may read.
    pub assigned: Assignment,
    /// What it has been told to give up, and has not yet.
    pub revoking: Assignment,
    /// For each partition of both the epoch at which it was given: a commit of that epoch or a later one is its owner's
    /// (KIP-1251).
    pub since: BTreeMap<(Uuid, i32), i32>,
}

impl Current {
    /// All that it may still read: what it was given, and what it has not given up yet.
    pub fn held(&self) -> Assignment {
        let mut held = self.assigned.clone();
        for (topic, partitions) in &self.revoking {
            held.entry(*topic).or_default().extend(partitions);
        }
        held
    }

    /// Since when it has had each of these partitions, all of which it has.
    pub fn since_of(&self, held: &Assignment) -> BTreeMap<(Uuid, i32), i32> {
        partitions_of(held).map(|partition| (partition, self.since[&partition])).collect()
    }
}

/// All partitions, one by one.
pub fn partitions_of(assignment: &Assignment) -> impl Iterator<Item = (Uuid, i32)> + '_ {
    assignment.iter().flat_map(|(topic, partitions)| partitions.iter().map(|&partition| (*topic, partition)))
}

/// Where a member stands on its way to its target (KIP-848).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemberState {
    /// It has what it should have.
    #[default]
    Stable,
    /// It still has to give partitions up.
    Unrevoked,
    /// It waits for partitions that others have to give up.
    Unreleased,
}

/// One record: what it is about, and its value, or none for a tombstone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A group's offset in a partition.
    Offset(Arc<str>, Arc<str>, i32, Option<Committed>),
    /// A classic group.
    Classic(Arc<str>, Option<SavedGroup>),
    /// A consumer group: its epoch, and a hash of the topics that it subscribes to.
    GroupEpoch(Arc<str>, Option<(i32, i64)>),
    /// A member of a consumer group.
    Member(Arc<str>, Arc<str>, Option<MemberData>),
    /// The epoch that the targets of a consumer group belong to.
    TargetEpoch(Arc<str>, Option<i32>),
    /// What a member should have in the end.
    Target(Arc<str>, Arc<str>, Option<Assignment>),
    /// What a member has.
    Current(Arc<str>, Arc<str>, Option<Current>),
    /// The topics that an expression matches: sorted, with the image's version and the time.
    Regex(Arc<str>, Arc<str>, Option<(Vec<String>, i64, i64)>),
}

impl Record {
    /// Whether it says that something is gone.
    pub fn is_tombstone(&self) -> bool {
        match self {
            Record::Offset(.., value) => value.is_none(),
            Record::Classic(_, value) => value.is_none(),
            Record::GroupEpoch(_, value) => value.is_none(),
            Record::Member(.., value) => value.is_none(),
            Record::TargetEpoch(_, value) => value.is_none(),
            Record::Target(.., value) => value.is_none(),
            Record::Current(.., value) => value.is_none(),
            Record::Regex(.., value) => value.is_none(),
        }
    }

    /// The record's key and value as they stand in the log.
    pub fn encode(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        match self {
            Record::Offset(group, topic, partition, value) => (
                key(&OffsetCommitKey { group, topic, partition: *partition }),
                value.as_ref().map(encode_offset),
            ),
            Record::Classic(group, value) => {
                (key(&GroupMetadataKey { group }), value.as_ref().map(encode_classic))
            }
            Record::GroupEpoch(group_id, saved) => (
                key(&ConsumerGroupMetadataKey { group_id }),
                saved.map(|(epoch, metadata_hash)| {
                    value(&ConsumerGroupMetadataValue { epoch, metadata_hash, ..Default::default() }, 0)
                }),
            ),
            Record::Member(group_id, member_id, data) => (
                key(&ConsumerGroupMemberMetadataKey { group_id, member_id }),
                data.as_ref().map(encode_member),
            ),
            Record::TargetEpoch(group_id, epoch) => (
                key(&ConsumerGroupTargetAssignmentMetadataKey { group_id }),
                epoch.map(|assignment_epoch| {
                    let saved =
                        ConsumerGroupTargetAssignmentMetadataValue { assignment_epoch, ..Default::default() };
                    value(&saved, 0)
                }),
            ),
            Record::Target(group_id, member_id, assignment) => (
                key(&ConsumerGroupTargetAssignmentMemberKey { group_id, member_id }),
                assignment.as_ref().map(encode_target),
            ),
            Record::Current(group_id, member_id, current) => (
                key(&ConsumerGroupCurrentMemberAssignmentKey { group_id, member_id }),
                current.as_ref().map(encode_current),
            ),
            Record::Regex(group_id, regular_expression, found) => (
                key(&ConsumerGroupRegularExpressionKey { group_id, regular_expression }),
                found.as_ref().map(|(topics, version, timestamp)| {
                    let topics = topics.iter().map(String::as_str).collect();
                    let saved = ConsumerGroupRegularExpressionValue {
                        topics,
                        version: *version,
                        timestamp: *timestamp,
                        ..Default::default()
                    };
                    value(&saved, 0)
                }),
            ),
        }
    }

    /// Reads a record of the log; `None` for one of a kind that means nothing here.
    pub fn decode(key: &[u8], value: Option<&[u8]>) -> Result<Option<Record>, DecodeError> {
        let Some(key) = GroupKey::decode(&mut Decoder::new(key))? else { return Ok(None) };
        let record = match key {
            GroupKey::OffsetCommit(key) => {
                let committed = value.map(decode_offset).transpose()?;
                Record::Offset(key.group.into(), key.topic.into(), key.partition, committed)
            }
            // The key of old versions of Kafka: the same, under another number.
            GroupKey::LegacyOffsetCommit(key) => {
                let committed = value.map(decode_offset).transpose()?;
                Record::Offset(key.group.into(), key.topic.into(), key.partition, committed)
            }
            GroupKey::GroupMetadata(key) => {
                Record::Classic(key.group.into(), value.map(decode_classic).transpose()?)
            }
            GroupKey::ConsumerGroupMetadata(key) => {
                let saved: Option<ConsumerGroupMetadataValue> = value.map(read).transpose()?;
                Record::GroupEpoch(key.group_id.into(), saved.map(|saved| (saved.epoch, saved.metadata_hash)))
            }
            GroupKey::ConsumerGroupMemberMetadata(key) => Record::Member(
                key.group_id.into(),
                key.member_id.into(),
                value.map(decode_member).transpose()?,
            ),
            GroupKey::ConsumerGroupTargetAssignmentMetadata(key) => {
                let saved: Option<ConsumerGroupTargetAssignmentMetadataValue> =
                    value.map(read).transpose()?;
                Record::TargetEpoch(key.group_id.into(), saved.map(|saved| saved.assignment_epoch))
            }
            GroupKey::ConsumerGroupTargetAssignmentMember(key) => Record::Target(
                key.group_id.into(),
                key.member_id.into(),
                value.map(decode_target).transpose()?,
            ),
            GroupKey::ConsumerGroupCurrentMemberAssignment(key) => Record::Current(
                key.group_id.into(),
                key.member_id.into(),
                value.map(decode_current).transpose()?,
            ),
            GroupKey::ConsumerGroupRegularExpression(key) => {
                let saved: Option<ConsumerGroupRegularExpressionValue<'_>> = value.map(read).transpose()?;
                let found = saved.map(|saved| (owned(&saved.topics), saved.version, saved.timestamp));
                Record::Regex(key.group_id.into(), key.regular_expression.into(), found)
            }
            _ => return Ok(None),
        };
        Ok(Some(record))
    }
}

fn key<'a, M: Message<'a>>(key: &M) -> Vec<u8> {
    let mut e = Encoder::new();
    encode_key(&mut e, key);
    e.into_vec()
}

fn value<'a, M: Message<'a>>(value: &M, version: i16) -> Vec<u8> {
    let mut e = Encoder::new();
    encode_value(&mut e, value, version);
    e.into_vec()
}

fn read<'a, M: Message<'a>>(bytes: &'a [u8]) -> Result<M, DecodeError> {
    decode_value(&mut Decoder::new(bytes))
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn encode_offset(committed: &Committed) -> Vec<u8> {
    let saved = OffsetCommitValue {
        offset: committed.offset,
        leader_epoch: committed.leader_epoch,
        metadata: &committed.metadata,
        commit_timestamp: committed.commit_ms,
        expire_timestamp: committed.expire_ms,
        topic_id: committed.topic_id,
    };
    // Only version 1 has a time of expiry, only version 4 an id; Kafka chooses in the same way.
    let version = match (committed.expire_ms, committed.topic_id.is_zero()) {
        (-1, true) => OFFSET_VERSION,
        (-1, false) => OFFSET_WITH_TOPIC_ID_VERSION,
        _ => 1,
    };
    value(&saved, version)
}

fn decode_offset(bytes: &[u8]) -> Result<Committed, DecodeError> {
    let saved: OffsetCommitValue<'_> = read(bytes)?;
    Ok(Committed {
        offset: saved.offset,
        leader_epoch: saved.leader_epoch,
        metadata: saved.metadata.into(),
        commit_ms: saved.commit_timestamp,
        expire_ms: saved.expire_timestamp,
        topic_id: saved.topic_id,
    })
}

fn encode_classic(group: &SavedGroup) -> Vec<u8> {
    let members = group.members.iter().map(|member| MemberMetadata {
        member_id: &member.id,
        group_instance_id: member.instance.as_deref(),
        client_id: &member.client_id,
        client_host: &member.client_host,
        rebalance_timeout: member.rebalance_timeout_ms,
        session_timeout: member.session_timeout_ms,
        subscription: &member.subscription,
        assignment: &member.assignment,
    });
    let saved = GroupMetadataValue {
        protocol_type: &group.protocol_type,
        generation: group.generation,
        protocol: group.protocol.as_deref(),
        leader: group.leader.as_deref(),
        current_state_timestamp: group.state_ms,
        members: members.collect(),
    };
    value(&saved, CLASSIC_GROUP_VERSION)
}

fn decode_classic(bytes: &[u8]) -> Result<SavedGroup, DecodeError> {
    let saved: GroupMetadataValue<'_> = read(bytes)?;
    let members = saved.members.iter().map(|member| SavedMember {
        id: member.member_id.to_owned(),
        instance: member.group_instance_id.map(str::to_owned),
        client_id: member.client_id.to_owned(),
        client_host: member.client_host.to_owned(),
        // Version 0 has one timeout for both.
        rebalance_timeout_ms: if member.rebalance_timeout < 0 {
            member.session_timeout
        } else {
            member.rebalance_timeout
        },
        session_timeout_ms: member.session_timeout,
        subscription: member.subscription.into(),
        assignment: member.assignment.into(),
    });
    Ok(SavedGroup {
        protocol_type: saved.protocol_type.to_owned(),
        generation: saved.generation,
        protocol: saved.protocol.map(str::to_owned),
        leader: saved.leader.map(str::to_owned),
        state_ms: saved.current_state_timestamp,
        members: members.collect(),
    })
}

fn encode_member(data: &MemberData) -> Vec<u8> {
    let classic_member_metadata = data.classic.as_ref().map(|classic| {
        let protocols = classic.protocols.iter();
        let protocols = protocols.map(|(name, metadata)| member_value::ClassicProtocol { name, metadata });
        member_value::ClassicMemberMetadata {
            session_timeout_ms: classic.session_timeout_ms,
            supported_protocols: protocols.collect(),
        }
    });
    let saved = ConsumerGroupMemberMetadataValue {
        instance_id: data.instance.as_deref(),
        rack_id: data.rack.as_deref(),
        client_id: &data.client_id,
        client_host: &data.client_host,
        subscribed_topic_names: data.topics.iter().map(String::as_str).collect(),
        subscribed_topic_regex: data.regex.as_deref(),
        rebalance_timeout_ms: data.rebalance_timeout_ms,
        server_assignor: data.assignor.as_deref(),
        classic_member_metadata,
    };
    value(&saved, 0)
}

fn decode_member(bytes: &[u8]) -> Result<MemberData, DecodeError> {
    let saved: ConsumerGroupMemberMetadataValue<'_> = read(bytes)?;
    let classic = saved.classic_member_metadata.map(|classic| ClassicData {
        session_timeout_ms: classic.session_timeout_ms,
        protocols: classic
            .supported_protocols
            .iter()
            .map(|protocol| (protocol.name.to_owned(), protocol.metadata.into()))
            .collect(),
    });
    Ok(MemberData {
        instance: saved.instance_id.map(str::to_owned),
        rack: saved.rack_id.map(str::to_owned),
        client_id: saved.client_id.to_owned(),
        client_host: saved.client_host.to_owned(),
        topics: owned(&saved.subscribed_topic_names),
        regex: saved.subscribed_topic_regex.map(str::to_owned),
        rebalance_timeout_ms: saved.rebalance_timeout_ms,
        assignor: saved.server_assignor.map(str::to_owned),
        classic,
    })
}

fn encode_target(assignment: &Assignment) -> Vec<u8> {
    let topic_partitions = assignment.iter().map(|(topic_id, partitions)| target_value::TopicPartition {
        topic_id: *topic_id,
        partitions: partitions.iter().copied().collect(),
    });
    let saved = target_value::ConsumerGroupTargetAssignmentMemberValue {
        topic_partitions: topic_partitions.collect(),
        ..Default::default()
    };
    value(&saved, 0)
}

fn decode_target(bytes: &[u8]) -> Result<Assignment, DecodeError> {
    let saved: target_value::ConsumerGroupTargetAssignmentMemberValue = read(bytes)?;
    Ok(saved.topic_partitions.into_iter().map(|t| (t.topic_id, t.partitions.into_iter().collect())).collect())
}

fn encode_current(current: &Current) -> Vec<u8> {
    let partitions_of = |assignment: &Assignment| {
        let topics = assignment.iter().map(|(topic_id, partitions)| current_value::TopicPartitions {
            topic_id: *topic_id,
            partitions: partitions.iter().copied().collect(),
            assignment_epochs: Some(
                partitions.iter().map(|&partition| current.since[&(*topic_id, partition)]).collect(),
            ),
            ..Default::default()
        });
        topics.collect()
    };
    let saved = current_value::ConsumerGroupCurrentMemberAssignmentValue {
        member_epoch: current.epoch,
        previous_member_epoch: current.previous_epoch,
        // Kafka's numbers of these states.
        state: match current.state {
            MemberState::Stable => 0,
            MemberState::Unrevoked => 1,
            MemberState::Unreleased => 2,
        },
        assigned_partitions: partitions_of(&current.assigned),
        partitions_pending_revocation: partitions_of(&current.revoking),
        ..Default::default()
    };
    value(&saved, 0)
}

fn decode_current(bytes: &[u8]) -> Result<Current, DecodeError> {
    let saved: current_value::ConsumerGroupCurrentMemberAssignmentValue = read(bytes)?;
    let all = saved.assigned_partitions.iter().chain(&saved.partitions_pending_revocation);
    let since = all.flat_map(|topic| {
        // Whoever wrote no epochs, or not one for each, knew of none.
        let epochs = topic.assignment_epochs.as_deref().unwrap_or_default();
        let epochs = epochs.iter().copied().chain(std::iter::repeat(saved.member_epoch));
        topic.partitions.iter().map(|&partition| (topic.topic_id, partition)).zip(epochs)
    });
    let since = since.collect();
    let assignment_of = |topics: Vec<current_value::TopicPartitions>| {
        topics.into_iter().map(|topic| (topic.topic_id, topic.partitions.into_iter().collect())).collect()
    };
    Ok(Current {
        epoch: saved.member_epoch,
        previous_epoch: saved.previous_member_epoch,
        state: match saved.state {
            0 => MemberState::Stable,
            1 => MemberState::Unrevoked,
            // Whatever else a later version knows: the next heartbeat works it out anew.
            _ => MemberState::Unreleased,
        },
        assigned: assignment_of(saved.assigned_partitions),
        revoking: assignment_of(saved.partitions_pending_revocation),
        since,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(record: Record) {
        let (key, value) = record.encode();
        assert_eq!(Record::decode(&key, value.as_deref()), Ok(Some(record)));
    }

    fn assignment() -> Assignment {
        Assignment::from([(Uuid::from_u128(7), BTreeSet::from([0, 3])), (Uuid::from_u128(9), [1].into())])
    }

    #[test]
    fn records_come_back_as_they_were_written() {
        let (group, member): (Arc<str>, Arc<str>) = ("g".into(), "m".into());
        for (expire_ms, topic_id, leader_epoch) in
            [(-1, Uuid::ZERO, 4), (-1, Uuid::from_u128(5), 4), (77, Uuid::ZERO, -1)]
        {
            let committed = Committed {
                offset: 3,
                leader_epoch,
                metadata: "x".into(),
                commit_ms: 9,
                expire_ms,
                topic_id,
            };
            check(Record::Offset(group.clone(), "t".into(), 2, Some(committed)));
        }
        check(Record::Offset(group.clone(), "t".into(), 2, None));
        let saved = SavedMember {
            id: "m".into(),
            instance: Some("i".into()),
            client_id: "c".into(),
            client_host: "/h".into(),
            rebalance_timeout_ms: 5,
            session_timeout_ms: 6,
            subscription: b"s".as_slice().into(),
            assignment: b"a".as_slice().into(),
        };
        check(Record::Classic(
            group.clone(),
            Some(SavedGroup {
                protocol_type: "consumer".into(),
                generation: 4,
                protocol: Some("range".into()),
                leader: Some("m".into()),
                state_ms: 8,
                members: vec![saved],
            }),
        ));
        check(Record::GroupEpoch(group.clone(), Some((4, -5))));
        let mut data = MemberData {
            instance: None,
            rack: Some("r".into()),
            client_id: "c".into(),
            client_host: "/h".into(),
            topics: vec!["a".into(), "b".into()],
            regex: Some("a.*".into()),
            rebalance_timeout_ms: 5,
            assignor: Some("range".into()),
            classic: None,
        };
        check(Record::Member(group.clone(), member.clone(), Some(data.clone())));
        let protocols =
            vec![("range".into(), b"s".as_slice().into()), ("sticky".into(), [].as_slice().into())];
        data.classic = Some(ClassicData { session_timeout_ms: 7, protocols });
        check(Record::Member(group.clone(), member.clone(), Some(data)));
        check(Record::TargetEpoch(group.clone(), Some(3)));
        check(Record::Target(group.clone(), member.clone(), Some(assignment())));
        for state in [MemberState::Stable, MemberState::Unrevoked, MemberState::Unreleased] {
            let (assigned, revoking) = (assignment(), Assignment::new());
            let since = partitions_of(&assigned).zip(2..).collect();
            let current = Current { epoch: 5, previous_epoch: 4, state, assigned, revoking, since };
            check(Record::Current(group.clone(), member.clone(), Some(current)));
        }
        check(Record::Regex(group.clone(), "a.*".into(), Some((vec!["ab".into()], 2, 3))));
        check(Record::Regex(group, "a.*".into(), None));
    }

    #[test]
    fn the_offset_keys_of_old_versions_are_read_as_those_of_today() {
        let committed = Committed {
            offset: 3,
            leader_epoch: -1,
            metadata: "x".into(),
            commit_ms: 9,
            expire_ms: -1,
            topic_id: Uuid::ZERO,
        };
        for value in [Some(committed), None] {
            let record = Record::Offset("g".into(), "t".into(), 2, value);
            let (mut key, value) = record.encode();
            assert_eq!(key[..2], [0, 1]);
            key[1] = 0;
            assert_eq!(Record::decode(&key, value.as_deref()), Ok(Some(record)));
        }
    }

    #[test]
    fn records_of_other_kinds_are_skipped_and_damaged_ones_refused() {
        assert_eq!(Record::decode(b"\x7f\x00", None), Ok(None));
        assert!(Record::decode(b"\0", None).is_err());
        assert!(Record::decode(b"\0\x01\0\x01g\0\x01t\0\0\0\x03", Some(b"\0\x03")).is_err());
    }
}
