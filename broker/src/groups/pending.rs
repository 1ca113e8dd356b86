//! Offsets that are committed within a transaction (TxnOffsetCommit): kept aside until its marker comes.
//!
//! They count from the commit marker on, and an abort drops them. The order between transactional and plain commits of one
//! partition is that of their *records*, as in Kafka: whoever wrote last, wins, whenever the marker came (C41). With the
//! marker's order instead, compaction, which keeps the last record of each key, would change what a replay finds.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::ErrorCode;

use super::{Coordinator, Group};
use crate::groups::ask::{GroupAnswer, GroupReply, TxnCommit};
use crate::groups::record::{Committed, Record};
use crate::groups::step::{Effects, Env};

/// A partition of a topic.
type Place = (Arc<str>, i32);

/// What transactions have committed in a group and is not decided, by producer id.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pending {
    by_producer: BTreeMap<i64, BTreeMap<Place, Staged>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Staged {
    committed: Committed,
    /// The order of its record among all.
    order: u64,
    /// Another commit was written after it, so it never counts.
    is_superseded: bool,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.by_producer.is_empty()
    }

    /// Whether a partition has an offset that is not decided.
    pub(super) fn holds(&self, place: &Place) -> bool {
        self.by_producer.values().any(|staged| staged.contains_key(place))
    }

    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        self.by_producer.values().flat_map(|staged| staged.keys())
    }

    pub(super) fn staged(&self) -> impl Iterator<Item = (&Place, &Committed)> {
        let all = self.by_producer.values().flatten();
        all.map(|(place, staged)| (place, &staged.committed))
    }

    /// A plain commit was written, or one of a transaction that has the order `before` counts from now on.
    pub(super) fn supersede(&mut self, place: &Place, before: u64) {
        for staged in self.by_producer.values_mut().filter_map(|staged| staged.get_mut(place)) {
            staged.is_superseded |= staged.order < before;
        }
    }

    /// The offset was deleted: nothing of it comes back.
    pub(super) fn remove(&mut self, place: &Place) {
        self.by_producer.retain(|_, staged| {
            staged.remove(place);
            !staged.is_empty()
        });
    }
}

impl Coordinator {
    /// TxnOffsetCommit: as OffsetCommit, but a client without group management may commit whatever the group's state.
    pub(super) fn commit_in_transaction(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        asked: TxnCommit,
        effects: &mut Effects,
    ) -> GroupReply {
        let TxnCommit { producer_id, producer_epoch, commit, .. } = asked;
        let who = &commit.who;
        let is_managed = who.generation >= 0 || !who.member.is_empty() || who.instance.is_some();
        match self.groups.get_mut(id) {
            Some(group) if is_managed => group.check_transactional(env, &commit)?,
            Some(_) => {}
            None if who.generation < 0 => {}
            None => return Err(ErrorCode::IllegalGeneration),
        }
        effects.producer = Some((producer_id, producer_epoch));
        let errors = self.write_offsets(env, id, commit, effects, |machine, record| {
            machine.apply_staged(producer_id, record);
        });
        Ok(GroupAnswer::PerPartition(errors))
    }

    /// Takes a record in that belongs to an open transaction. Only offsets are ever written in one.
    pub fn apply_staged(&mut self, producer_id: i64, record: Record) {
        let Record::Offset(group, topic, partition, Some(committed)) = record else { return };
        self.order += 1;
        let staged = Staged { committed, order: self.order, is_superseded: false };
        let known = self.groups.entry(group.clone()).or_insert_with(|| Group::classic(-1));
        known.pending.by_producer.entry(producer_id).or_default().insert((topic, partition), staged);
        self.open.entry(producer_id).or_default().insert(group);
    }

    /// A transaction has ended: what it committed counts now, or never.
    pub fn apply_marker(&mut self, producer_id: i64, is_commit: bool) {
        for id in self.open.remove(&producer_id).unwrap_or_default() {
            let Some(group) = self.groups.get_mut(&id) else { continue };
            let staged = group.pending.by_producer.remove(&producer_id).unwrap_or_default();
            for (place, staged) in staged {
                if is_commit && !staged.is_superseded {
                    group.pending.supersede(&place, staged.order);
                    group.offsets.insert(place, staged.committed);
                }
            }
            self.forget_if_vacant(&id);
        }
    }

    /// How many transactions have offsets here that are not decided.
    pub fn open_count(&self) -> usize {
        self.open.len()
    }
}
