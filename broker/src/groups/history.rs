//! Why a group rebalanced: the last times, with cause, duration and who was waited for. In memory alone; after a restart it
//! begins with the loading of the group.
//!
//! ```text
//!   begin(cause) ──► also(another cause)* ──► arrived(member)* ──► end(generation)
//!        └────────── begins again before it has ended ──────────────┘
//! ```
//! Part of the state machine: no clock of its own. [`Cause`] is declared once: its name is the metric's label, its words are
//! the log's and the client's, and tests observe it.

use std::collections::VecDeque;

use protocol::group_history as told;
pub use protocol::group_history::{Awaited, Cause, CauseKind};

use super::step::Env;

/// Rebalances that a group remembers.
const PAST_MAX: usize = 16;

/// Members' names and their own words are kept up to so many bytes: a member of the consumer protocol chooses a name of any
/// length, and what is remembered outlives it.
const TEXT_BYTES_MAX: usize = 255;

/// What began a rebalance, or came on the way: a cause, whose doing it was, and what the member says about it (KIP-800).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The cause.
    pub cause: Cause,
    /// The member; empty if it was none.
    pub member: String,
    /// The member's own words.
    pub reason: Option<String>,
}

impl Why {
    /// A member's doing, or its fate.
    pub fn of(cause: Cause, member: &str) -> Why {
        Why { cause, member: cut(member).to_owned(), reason: None }
    }

    /// The same with the member's own words.
    pub fn because(self, reason: Option<&str>) -> Why {
        Why { reason: reason.map(|reason| cut(reason).to_owned()), ..self }
    }
}

/// The longest beginning of `text` that is kept.
fn cut(text: &str) -> &str {
    let end = (0..=TEXT_BYTES_MAX.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// One rebalance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebalance {
    /// What began it.
    pub why: Why,
    /// Causes that came while it was under way.
    pub further: u32,
    /// When it began, calendar ms.
    pub began_ms: i64,
    /// How long it took, ms; `None` while it is under way.
    pub took_ms: Option<i64>,
    /// Whether another one began before it had ended.
    pub is_superseded: bool,
    /// The generation or group epoch that came of it; -1 as long as there is none.
    pub generation: i32,
    /// Members before it.
    pub members_before: u32,
    /// Members after it.
    pub members_after: u32,
    /// The member that was waited for longest: which, how long in ms, and for what.
    pub slowest: Option<(String, i64, Awaited)>,
}

/// The last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCommit {
    /// When, calendar ms.
    pub at_ms: i64,
    /// By which member; empty for a client that is no member.
    pub member: String,
}

/// What a group remembers.
#[derive(Debug, Default)]
pub struct History {
    /// Oldest first.
    past: VecDeque<Rebalance>,
    /// The one under way, and when it began, monotonic ms.
    open: Option<(Rebalance, i64)>,
    /// Members before the step that is under way.
    member_count: u32,
    /// The last commit since the group was loaded.
    last_commit: Option<LastCommit>,
}

impl History {
    /// A rebalance begins; one that is under way is over with that.
    pub fn begin(&mut self, env: &Env<'_>, why: Why) {
        if let Some((mut before, since_ms)) = self.open.take() {
            before.took_ms = Some(env.now_ms - since_ms);
            before.is_superseded = true;
            before.members_after = self.member_count;
            self.keep(before);
        }
        let rebalance = Rebalance {
            why,
            further: 0,
            began_ms: env.wall_ms,
            took_ms: None,
            is_superseded: false,
            generation: -1,
            members_before: self.member_count,
            members_after: self.member_count,
            slowest: None,
        };
        self.open = Some((rebalance, env.now_ms));
    }

    /// A step begins while there are so many members.
    pub fn on_step(&mut self, members: usize) {
        self.member_count = u32::try_from(members).unwrap_or(u32::MAX);
    }

    /// Another cause came while one is under way.
    pub fn also(&mut self) {
        if let Some((open, _)) = &mut self.open {
            open.further = open.further.saturating_add(1);
        }
    }

    /// A member that was waited for has come, or will not be waited for any more.
    pub fn arrived(&mut self, env: &Env<'_>, member: &str, awaited: Awaited) {
        if let Some((_, since_ms)) = self.open {
            self.awaited(member, env.now_ms - since_ms, awaited);
        }
    }

    /// A member was waited for, for so long.
    pub fn awaited(&mut self, member: &str, waited_ms: i64, awaited: Awaited) {
        let Some((open, _)) = &mut self.open else { return };
        if waited_ms > 0 && open.slowest.as_ref().is_none_or(|(_, longest_ms, _)| waited_ms > *longest_ms) {
            open.slowest = Some((cut(member).to_owned(), waited_ms, awaited));
        }
    }

    /// The rebalance under way has ended.
    pub fn end(&mut self, env: &Env<'_>, generation: i32, members_after: usize) {
        let members_after = u32::try_from(members_after).unwrap_or(u32::MAX);
        self.member_count = members_after;
        let Some((mut open, since_ms)) = self.open.take() else { return };
        open.took_ms = Some(env.now_ms - since_ms);
        (open.generation, open.members_after) = (generation, members_after);
        self.keep(open);
    }

    /// Whether one is under way.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The group was read from the log: what was before is not known.
    pub fn on_loaded(&mut self, env: &Env<'_>, generation: i32, members: usize) {
        self.member_count = u32::try_from(members).unwrap_or(u32::MAX);
        self.begin(env, Why::of(CauseKind::CoordinatorLoaded.now(), ""));
        self.end(env, generation, members);
    }

    /// Offsets were committed.
    pub fn on_commit(&mut self, env: &Env<'_>, member: &str) {
        let member = cut(member);
        match &mut self.last_commit {
            Some(last) if last.member == member => last.at_ms = env.wall_ms,
            last => *last = Some(LastCommit { at_ms: env.wall_ms, member: member.to_owned() }),
        }
    }

    fn keep(&mut self, rebalance: Rebalance) {
        if self.past.len() == PAST_MAX {
            self.past.pop_front();
        }
        self.past.push_back(rebalance);
    }

    /// All that is remembered, the newest first; the first may be under way.
    pub fn rebalances(&self) -> impl Iterator<Item = &Rebalance> {
        let open = self.open.iter().map(|(open, _)| open);
        open.chain(self.past.iter().rev())
    }

    /// The last commit.
    pub fn last_commit(&self) -> Option<&LastCommit> {
        self.last_commit.as_ref()
    }

    /// What clients are told, but for the group and its lag.
    pub fn tell(&self) -> told::GroupHistory {
        let rebalances = self.rebalances().map(|one| told::Rebalance {
            cause: one.why.cause,
            member: one.why.member.clone(),
            reason: one.why.reason.clone().unwrap_or_default(),
            further: one.further,
            began_ms: one.began_ms,
            took_ms: one.took_ms.unwrap_or(-1),
            is_superseded: one.is_superseded,
            generation: one.generation,
            members_before: one.members_before,
            members_after: one.members_after,
            slowest: one.slowest.clone(),
        });
        told::GroupHistory {
            rebalances: rebalances.collect(),
            last_commit: self.last_commit.as_ref().map(|last| (last.at_ms, last.member.clone())),
            ..Default::default()
        }
    }
}

#[cfg(test)]
#[path = "history/tests.rs"]
mod tests;
