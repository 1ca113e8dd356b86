//! A group's offsets: committed, told, deleted, expired.

use std::sync::Arc;

use protocol::ErrorCode;

use super::{CONSUMER, Coordinator, Group, Kind};
use crate::groups::ask::{Commit, FetchOffsets, FoundCommit, GroupAnswer, GroupReply};
use crate::groups::record::{Committed, Record};
use crate::groups::step::{Effects, Env};
use crate::homes::ID_BYTES_MAX;

/// From this version of OffsetCommit on, an unknown group is told as such.
const GROUP_ID_NOT_FOUND_FROM: i16 = 9;

impl Coordinator {
    /// OffsetCommit (Q88): all partitions of the request in one go, or none if the member may not.
    pub(super) fn commit(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        commit: Commit,
        effects: &mut Effects,
    ) -> GroupReply {
        match self.groups.get_mut(id) {
            Some(group) => group.check_commit(env, &commit)?,
            // A group that commits and never joins: "simple".
            None if commit.who.generation < 0 => {}
            None if commit.version >= GROUP_ID_NOT_FOUND_FROM => return Err(ErrorCode::GroupIdNotFound),
            None => return Err(ErrorCode::IllegalGeneration),
        }
        let errors = self.write_offsets(env, id, commit, effects, |machine, record| machine.apply(record));
        Ok(GroupAnswer::PerPartition(errors))
    }

    /// Writes the offsets of a commit that may be made: one error a partition.
    pub(super) fn write_offsets(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        commit: Commit,
        effects: &mut Effects,
        apply: impl Fn(&mut Coordinator, Record),
    ) -> Vec<ErrorCode> {
        // A record has room for no more than an id's length, whatever the setting says.
        let metadata_bytes_max = (env.settings().offset_metadata_max_bytes() as usize).min(ID_BYTES_MAX);
        let mut errors = Vec::with_capacity(commit.offsets.len());
        for offset in commit.offsets {
            if !offset.error.is_none() {
                errors.push(offset.error);
                continue;
            }
            if offset.metadata.len() > metadata_bytes_max {
                errors.push(ErrorCode::OffsetMetadataTooLarge);
                continue;
            }
            errors.push(ErrorCode::None);
            let committed = Committed {
                offset: offset.offset,
                leader_epoch: offset.leader_epoch,
                metadata: offset.metadata.into(),
                commit_ms: env.wall_ms,
                expire_ms: commit.expire_ms,
                // A record with a time of expiry has no room for the id.
                topic_id: if commit.expire_ms < 0 { offset.topic_id } else { protocol::Uuid::ZERO },
            };
            let record = Record::Offset(id.clone(), offset.topic, offset.partition, Some(committed));
            effects.records.push(record.clone());
            apply(self, record);
        }
        let count = errors.iter().filter(|error| error.is_none()).count();
        effects.commits += count as u64;
        // A commit of which nothing was taken is none.
        if count > 0
            && let Some(group) = self.groups.get_mut(id)
        {
            group.history.on_commit(env, &commit.who.member);
        }
        errors
    }

    /// OffsetFetch (Q89). A group that is not there has committed nothing.
    pub(super) fn fetch_offsets(&self, id: &Arc<str>, asked: &FetchOffsets) -> GroupReply {
        let group = self.groups.get(id);
        if let (Some(group), Some(who)) = (group, &asked.who) {
            group.check_fetch(who)?;
        }
        let found = |topic: &Arc<str>, partition: i32, error, committed: Option<&Committed>| FoundCommit {
            topic: topic.clone(),
            partition,
            offset: committed.map_or(-1, |committed| committed.offset),
            leader_epoch: committed.map_or(-1, |committed| committed.leader_epoch),
            metadata: committed.map_or_else(|| "".into(), |committed| committed.metadata.clone()),
            error,
        };
        let is_unstable = |place: &(Arc<str>, i32)| {
            asked.is_stable && group.is_some_and(|group| group.pending.holds(place))
        };
        let offsets = match &asked.partitions {
            Some(partitions) => partitions
                .iter()
                .map(|(topic, partition, error)| {
                    let key = (topic.clone(), *partition);
                    let committed = group.and_then(|group| group.offsets.get(&key));
                    let error = match error.is_none() && is_unstable(&key) {
                        true => ErrorCode::UnstableOffsetCommit,
                        false => *error,
                    };
                    found(topic, *partition, error, committed.filter(|_| error.is_none()))
                })
                .collect(),
            None => {
                let all = group.into_iter().flat_map(|group| &group.offsets);
                all.map(|(place, committed)| match is_unstable(place) {
                    true => found(&place.0, place.1, ErrorCode::UnstableOffsetCommit, None),
                    false => found(&place.0, place.1, ErrorCode::None, Some(committed)),
                })
                .collect()
            }
        };
        Ok(GroupAnswer::Offsets(offsets))
    }

    /// OffsetDelete (Q92): offsets that members still read stay.
    pub(super) fn delete_offsets(
        &mut self,
        id: &Arc<str>,
        partitions: Vec<(Arc<str>, i32, ErrorCode)>,
        effects: &mut Effects,
    ) -> GroupReply {
        let group = self.groups.get(id).ok_or(ErrorCode::GroupIdNotFound)?;
        if group.has_members() && !group.knows_subscriptions() {
            return Err(ErrorCode::NonEmptyGroup);
        }
        let mut errors = Vec::with_capacity(partitions.len());
        for (topic, partition, error) in partitions {
            if !error.is_none() {
                errors.push(error);
                continue;
            }
            let group = self.groups.get(id);
            if group.is_some_and(|group| group.is_subscribed(&topic)) {
                errors.push(ErrorCode::GroupSubscribedToTopic);
                continue;
            }
            errors.push(ErrorCode::None);
            let key = (topic, partition);
            if group.is_some_and(|group| group.offsets.contains_key(&key)) {
                let record = Record::Offset(id.clone(), key.0, key.1, None);
                effects.records.push(record.clone());
                self.apply(record);
            }
        }
        Ok(GroupAnswer::PerPartition(errors))
    }

    pub(super) fn delete_offsets_where(
        &mut self,
        effects: &mut Effects,
        is_gone: impl Fn(&str, &Committed) -> bool,
    ) {
        let mut gone = Vec::new();
        for (id, group) in &self.groups {
            let all = group.offsets.iter().chain(group.pending.staged());
            let found = all.filter(|((topic, _), committed)| is_gone(topic, committed));
            gone.extend(
                found.map(|((topic, number), _)| Record::Offset(id.clone(), topic.clone(), *number, None)),
            );
        }
        for record in gone {
            effects.records.push(record.clone());
            self.apply(record);
        }
    }
}

impl Group {
    fn check_commit(&mut self, env: &Env<'_>, commit: &Commit) -> Result<(), ErrorCode> {
        match &mut self.kind {
            Kind::Classic(group) => group.check_commit(env.now_ms, &commit.who),
            Kind::Consumer(group) => group.check_commit(commit),
        }
    }

    /// The same for a commit within a transaction, whose client does not know of some errors.
    pub(super) fn check_transactional(&mut self, env: &Env<'_>, commit: &Commit) -> Result<(), ErrorCode> {
        match self.check_commit(env, commit) {
            // The member has its assignment, only others have not: what it has read is its own.
            Err(ErrorCode::RebalanceInProgress) => Ok(()),
            Err(ErrorCode::StaleMemberEpoch) => Err(ErrorCode::IllegalGeneration),
            checked => checked,
        }
    }

    fn check_fetch(&self, (member, epoch): &(String, i32)) -> Result<(), ErrorCode> {
        match &self.kind {
            Kind::Classic(_) => Ok(()),
            Kind::Consumer(group) => group.check_epoch(member, *epoch),
        }
    }

    /// Whether it can be told which topics the members read.
    fn knows_subscriptions(&self) -> bool {
        match &self.kind {
            Kind::Classic(group) => group.protocol_type.as_deref() == Some(CONSUMER),
            Kind::Consumer(_) => true,
        }
    }

    /// Whether an offset has expired (Q90): `offsets.retention.minutes` after the commit in a group that never had members
    /// or no longer reads the topic, after the group became empty in any other; never while members read the topic.
    pub(super) fn is_expired(&self, env: &Env<'_>, topic: &str, committed: &Committed) -> bool {
        let retention_ms = i64::from(env.settings().offsets_retention_minutes()) * 60_000;
        let since_ms = match &self.kind {
            Kind::Classic(group) if group.protocol_type.is_none() => committed.commit_ms,
            Kind::Classic(group) if group.is_empty() => committed.commit_ms.max(group.state_ms),
            Kind::Classic(group) if group.subscribed.is_some() && !group.is_subscribed(topic) => {
                committed.commit_ms
            }
            Kind::Classic(_) => return false,
            Kind::Consumer(group) if group.is_subscribed(topic) => return false,
            Kind::Consumer(_) => committed.commit_ms,
        };
        match committed.expire_ms {
            -1 => env.wall_ms.saturating_sub(since_ms) >= retention_ms,
            expire_ms => env.wall_ms >= expire_ms,
        }
    }
}
