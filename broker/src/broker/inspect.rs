//! Telling the control thread what this core counts: a bounded slice a turn, so that nobody who uses the core notices.

use shard::{Nanos, boot};

use super::*;
use crate::homes::facts::Cursor;
use crate::report::{CoreFacts, GroupSlice, Health, Inspect, Report};
use crate::transactions::facts::TxnCounts;

/// Letters that a report leaves room for: a control thread that cannot keep up is waited for, and holds nobody up.
const ROOM_MIN: usize = 64;

/// How long, in ms.
const ROOM_WAIT_MS: i64 = 5;

/// A report that is being told.
#[derive(Debug)]
pub(super) struct Inspection {
    round: u64,
    to: ShardId,
    stage: Stage,
    /// How many groups may still be told one by one, and how many committed offsets.
    room: (usize, usize),
    transactions: TxnCounts,
    /// While the guest's ring is full: when it is looked at again.
    resume_at: Nanos,
}

/// What comes next.
#[derive(Debug)]
enum Stage {
    /// Partitions, from this place on.
    Partitions(usize),
    /// Groups, after this one.
    Groups(Option<Cursor>),
    /// Transactional ids, after this one.
    Transactions(Option<Cursor>),
    /// All the rest.
    Core,
}

impl Broker {
    /// The control thread asks. It asks for one report at a time; a new question ends the answer to the one before.
    pub(super) fn on_inspect(&mut self, turn: &mut Turn<'_>, from: ShardId, asked: Inspect) {
        match asked {
            Inspect::Health(round) => {
                let report = Report::Health(round, Box::new(self.health()));
                turn.mail.send(from, Mail::Report(report));
            }
            Inspect::Lags(round, readers) => {
                let lags = self.partitions.lags(&readers, turn.wall_ms);
                turn.mail.send(from, Mail::Report(Report::Lags(round, lags)));
            }
            Inspect::Metrics(round, groups_max, offsets_max) => {
                self.inspection = Some(Inspection {
                    round,
                    to: from,
                    stage: Stage::Partitions(0),
                    room: (groups_max, offsets_max),
                    transactions: TxnCounts::default(),
                    resume_at: turn.now,
                });
            }
        }
    }

    fn health(&self) -> Health {
        Health {
            is_serving: self.phase == Phase::Serving,
            is_stopping: !matches!(self.phase, Phase::Starting | Phase::Serving),
            groups: self.groups.phases(),
            transactions: self.transactions.phases(),
            disk: self.partitions.disk_facts(),
            offline: self.partitions.offline(),
        }
    }

    /// Tells one slice of the report that was asked for, if one was; `true` if more is left.
    pub(super) fn report_on(&mut self, turn: &mut Turn<'_>) -> bool {
        let Some(mut inspection) = self.inspection.take() else { return false };
        let has_room = turn.mail.room(inspection.to) >= ROOM_MIN;
        if turn.now < inspection.resume_at || !has_room {
            if turn.now >= inspection.resume_at {
                inspection.resume_at = turn.now.plus_ms(ROOM_WAIT_MS);
                turn.timers.set(inspection.resume_at, Token(TIMER_REPORT << 56));
            }
            self.inspection = Some(inspection);
            return false;
        }
        let round = inspection.round;
        let (report, next) = match inspection.stage {
            Stage::Partitions(from) => {
                let (partitions, next) = self.partitions.facts(from, turn.wall_ms);
                let report = Report::Partitions(round, Arc::clone(&self.image), partitions);
                (Some(report), next.map_or(Stage::Groups(None), Stage::Partitions))
            }
            Stage::Groups(after) => {
                let mut slice = GroupSlice::default();
                let next = self.groups.facts(after, &mut inspection.room, &mut slice);
                let next = next.map_or(Stage::Transactions(None), |last| Stage::Groups(Some(last)));
                (Some(Report::Groups(round, slice)), next)
            }
            Stage::Transactions(after) => {
                let next = self.transactions.facts(after, turn.wall_ms, &mut inspection.transactions);
                (None, next.map_or(Stage::Core, |last| Stage::Transactions(Some(last))))
            }
            Stage::Core => {
                let facts = self.core_facts(turn, inspection.transactions);
                turn.mail.send(inspection.to, Mail::Report(Report::Core(round, Box::new(facts))));
                return false;
            }
        };
        if let Some(report) = report {
            turn.mail.send(inspection.to, Mail::Report(report));
        }
        inspection.stage = next;
        self.inspection = Some(inspection);
        true
    }

    fn core_facts(&self, turn: &Turn<'_>, transactions: TxnCounts) -> CoreFacts {
        CoreFacts {
            turns: turn.counts,
            cpu: boot::thread_cpu(),
            net: self.server.counts().clone(),
            connection_count: self.server.connection_count(),
            errors: self.errors.iter().map(|(of, count)| (*of, *count)).collect(),
            waiting_requests: self.pending.len().saturating_sub(self.parked.len()),
            parked_fetches: self.parked.len(),
            fetch_sessions: self.sessions.len(),
            reading_bytes: self.partitions.reading_bytes(),
            reply_bytes: self.server.reply_bytes(),
            pool_bytes: turn.pool.kept_bytes(),
            open_files: (self.partitions.open_file_count(), self.node.open_files_max),
            journal: self.partitions.journal_facts(),
            disk: self.partitions.disk_facts(),
            groups: (self.groups.phases(), self.groups.counts()),
            transactions: (self.transactions.phases(), transactions),
            image: Arc::clone(&self.image),
        }
    }
}
