//! One step of a coordinator: what it may know, and what comes of it.

use std::sync::Arc;

use protocol::{ErrorCode, Uuid};

use super::ask::{GroupAnswer, GroupReply};
use super::history::{CauseKind, History, Why};
use super::record::Record;
use crate::config::ServerValues;
use crate::homes::ReplyTo;
use crate::metadata::Image;

/// What a step may know besides its input. Clocks and chance come in here and nowhere else.
#[derive(Debug, Clone, Copy)]
pub struct Env<'a> {
    /// Monotonic time in ms: for deadlines.
    pub now_ms: i64,
    /// Calendar time in ms: for what is written down.
    pub wall_ms: i64,
    /// An id that was never seen before.
    pub fresh_id: Uuid,
    /// The topics and the settings.
    pub image: &'a Image,
}

impl Env<'_> {
    /// The settings in force.
    pub fn settings(&self) -> &ServerValues {
        self.image.server.values()
    }

    /// How long a member of a consumer group may be silent.
    pub fn consumer_session_ms(&self, group: &str) -> i64 {
        let own = self.image.group_config(group).map(|own| own.session_timeout_ms(self.settings()));
        i64::from(own.unwrap_or_else(|| self.settings().group_consumer_session_timeout_ms()))
    }

    /// How often members of a consumer group are to send heartbeats.
    pub fn consumer_heartbeat_interval_ms(&self, group: &str) -> i32 {
        let own = self.image.group_config(group).map(|own| own.heartbeat_interval_ms(self.settings()));
        own.unwrap_or_else(|| self.settings().group_consumer_heartbeat_interval_ms())
    }
}

/// What comes of a step. The replies may go out when the records are in the log.
#[derive(Debug, Default)]
pub struct Effects {
    /// To be appended, in this order, together.
    pub records: Vec<Record>,
    /// The producer and its epoch in whose transaction they are written.
    pub producer: Option<(i64, i16)>,
    /// To be sent.
    pub replies: Vec<(ReplyTo, GroupReply)>,
    /// The soonest deadline that the step has set, monotonic ms.
    pub wake_ms: Option<i64>,
    /// How many offsets it has committed.
    pub commits: u64,
    /// What began the rebalances that the step has begun.
    pub rebalances: Vec<CauseKind>,
    /// Why the consumer group is to become a classic one, if it is; for the coordinator, not for the caller.
    pub downgrade: Option<Downgrade>,
}

/// What left only members of the classic protocol in a consumer group.
#[derive(Debug)]
pub enum Downgrade {
    /// Others are gone: their partitions have to be given to those that are left.
    Departed(Why),
    /// A static member has come back with the classic protocol and takes the place that it had; if that calls for a rebalance,
    /// why.
    Replaced(Option<Why>),
}

/// A step within one group.
pub struct Context<'a> {
    /// What the step may know.
    pub env: &'a Env<'a>,
    /// The group.
    pub group: Arc<str>,
    /// What comes of it.
    pub effects: &'a mut Effects,
    /// Why it rebalances.
    pub history: &'a mut History,
}

impl Context<'_> {
    /// Answers.
    pub fn reply(&mut self, to: ReplyTo, answer: GroupAnswer) {
        self.effects.replies.push((to, Ok(answer)));
    }

    /// Answers with an error.
    pub fn refuse(&mut self, to: ReplyTo, error: ErrorCode) {
        self.effects.replies.push((to, Err(error)));
    }

    /// Writes a record.
    pub fn write(&mut self, record: Record) {
        self.effects.records.push(record);
    }

    /// A rebalance begins.
    pub fn begin_rebalance(&mut self, why: Why) {
        tracing::debug!(group = %self.group, cause = %why.cause, member = why.member, reason = why.reason, "a group rebalances");
        self.effects.rebalances.push(why.cause.kind);
        self.history.begin(self.env, why);
    }

    /// Asks for a call at this monotonic time, or sooner.
    pub fn wake_at(&mut self, at_ms: i64) {
        self.effects.wake_ms = Some(self.effects.wake_ms.map_or(at_ms, |known| known.min(at_ms)));
    }
}
