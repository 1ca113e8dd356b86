//! Coordinators: groups, what they have committed and how far behind they are; transactions.

use super::super::snapshot::CoreAnswer;
use super::super::text::{Kind, Number, seconds};
use super::node::sum;
use super::{Family, Scene};
use crate::groups::history::CauseKind;
use crate::homes::facts::CoordinatorPhases;
use crate::transactions::facts::TxnCounts;
use crate::transactions::record::State;

fn txns(scene: &Scene) -> TxnCounts {
    let mut all = TxnCounts::default();
    scene.snapshot.told().for_each(|(_, answer)| all.add(&answer.facts.transactions.1));
    all
}

fn of_groups(answer: &CoreAnswer) -> CoordinatorPhases {
    answer.facts.groups.0
}

fn of_transactions(answer: &CoreAnswer) -> CoordinatorPhases {
    answer.facts.transactions.0
}

pub(super) const FAMILIES: &[Family] = &[
    Family::few(
        "ringlog_coordinators",
        Kind::Gauge,
        &["of", "phase"],
        "Coordinators, one a partition of the internal topics, by what they coordinate and where they are in their lives",
        |scene, lines| {
            for (of, phases) in
                [("groups", of_groups as fn(&CoreAnswer) -> _), ("transactions", of_transactions)]
            {
                lines.put(&[of, "loading"], sum(scene, |answer| phases(answer).loading as u64));
                lines.put(&[of, "active"], sum(scene, |answer| phases(answer).active as u64));
                lines.put(&[of, "failed"], sum(scene, |answer| phases(answer).failed as u64));
            }
        },
    ),
    Family::few(
        "ringlog_groups",
        Kind::Gauge,
        &["type", "state"],
        "Groups, by type and state",
        |scene, lines| {
            for ((kind, state), count) in &scene.snapshot.group_states {
                lines.put(&[kind, state], *count);
            }
        },
    ),
    Family::few(
        "ringlog_groups_left_out",
        Kind::Gauge,
        &[],
        "Groups without series of their own, or without their lag, because there are more than ringlog.metrics.groups.max or ringlog.metrics.group.partitions.max",
        |scene, lines| {
            lines.put(&[], scene.snapshot.groups_left_out);
        },
    ),
    Family::few(
        "ringlog_group_rebalances_total",
        Kind::Counter,
        &["cause"],
        "Rebalances of groups that have begun, by what began them",
        |scene, lines| {
            for (index, cause) in CauseKind::ALL
                .into_iter()
                .enumerate()
                .filter(|(_, cause)| *cause != CauseKind::CoordinatorLoaded)
            {
                lines.put(&[cause.name()], sum(scene, |answer| answer.facts.groups.1.rebalances[index]));
            }
        },
    ),
    Family::few(
        "ringlog_group_commits_total",
        Kind::Counter,
        &[],
        "Offsets that groups have committed; those of a transaction when they are sent, whatever becomes of it",
        |scene, lines| {
            lines.put(&[], sum(scene, |answer| answer.facts.groups.1.commits));
        },
    ),
    Family::group("ringlog_group_members", "Members of the group", |group| Some(group.member_count.into())),
    Family::group(
        "ringlog_group_generation",
        "Generation of a classic group, epoch of a consumer group: it grows with each rebalance",
        |group| Some(Number::Whole(group.generation.into())),
    ),
    Family::group(
        "ringlog_group_stable",
        "Whether the group has members and all of them have what they should have",
        |group| Some((group.state.1 == "Stable").into()),
    ),
    Family::group(
        "ringlog_group_lag_records",
        "Records that the group is behind, all of its partitions together",
        |group| group.lag_records.map(Number::from),
    ),
    Family::group(
        "ringlog_group_lag_seconds",
        "The largest lag in seconds among the group's partitions",
        |group| group.lag_ms.map(seconds),
    ),
    Family::reader(
        "ringlog_group_partition_committed_offset",
        "The offset that the group has committed: the next record that it reads",
        |reader| Some(Number::Whole(reader.offset.0)),
    ),
    Family::reader(
        "ringlog_group_partition_lag_records",
        "Records between the committed offset, or the log's start if that is further, and the last stable offset",
        |reader| reader.lag.map(|lag| lag.records.into()),
    ),
    Family::reader(
        "ringlog_group_partition_lag_seconds",
        "How long ago the oldest of these records was appended; 0 if there is none",
        |reader| reader.lag?.age_ms.map(seconds),
    ),
    Family::few(
        "ringlog_transactional_ids",
        Kind::Gauge,
        &["state"],
        "Transactional ids, by the state of their transaction",
        |scene, lines| {
            let all = txns(scene);
            for (state, count) in State::ALL.into_iter().zip(all.states) {
                if !matches!(state, State::Dead | State::PrepareEpochFence) {
                    lines.put(&[state.name()], count);
                }
            }
        },
    ),
    Family::few(
        "ringlog_transactions_ended_total",
        Kind::Counter,
        &["outcome"],
        "Transactions that have ended everywhere, by outcome; those aborted for their age are among the aborted",
        |scene, lines| {
            let all = txns(scene);
            lines.put(&["committed"], all.committed);
            lines.put(&["aborted"], all.aborted);
        },
    ),
    Family::few(
        "ringlog_transactions_timed_out_total",
        Kind::Counter,
        &[],
        "Transactions that were aborted because they were open for longer than their timeout",
        |scene, lines| {
            lines.put(&[], txns(scene).timed_out);
        },
    ),
    Family::few(
        "ringlog_transactions_overdue",
        Kind::Gauge,
        &[],
        "Transactions that are open, or being ended, for longer than their timeout: they hang",
        |scene, lines| {
            lines.put(&[], txns(scene).overdue);
        },
    ),
    Family::few(
        "ringlog_transaction_oldest_seconds",
        Kind::Gauge,
        &[],
        "How long ago the oldest transaction that is open or being ended has begun",
        |scene, lines| {
            lines.put(&[], seconds(txns(scene).oldest_ms));
        },
    ),
];
