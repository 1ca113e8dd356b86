//! The turn loop: one core's heart.
//!
//! ```text
//! reap ─► completions ─► mail ─► timers ─► background slice ─► end of turn ─► push
//!  ▲                                                                          │
//!  └──────────────── sleeps here when there is nothing to do ◄────────────────┘
//! ```
//!
//! The clock is read once a turn. Everything that an application does within a turn is bounded by what arrived.

use std::time::Duration;

use crate::buffer::Pool;
use crate::clock::{Nanos, WallMs};
use crate::disk::Disk;
use crate::io::{Completion, Io, Ops, Token, Wait};
use crate::mail::{Mailbox, Outbox, ShardId};
use crate::timer::Timers;

/// Letters handled in one turn; the rest waits for the next, so that sockets are not starved.
const LETTERS_MAX: usize = 4096;

/// Timers fired in one turn.
const TIMERS_MAX: usize = 4096;

/// What a core's loop has done since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoopCounts {
    /// Turns.
    pub turns: u64,
    /// Completions that were handed to the application.
    pub completions: u64,
    /// Letters that came from other cores.
    pub letters: u64,
    /// Time in turns, sleep left out, ns.
    pub busy_nanos: u64,
    /// The longest turn, ns.
    pub longest_nanos: u64,
}

/// What an application may do and know during one turn.
pub struct Turn<'a, M> {
    /// Which core this is.
    pub shard: ShardId,
    /// Monotonic time at the turn's start.
    pub now: Nanos,
    /// Calendar time at the turn's start.
    pub wall_ms: WallMs,
    /// A random number of this turn; derive more from it.
    pub random_u64: u64,
    /// Operations to start when the turn ends.
    pub ops: &'a mut Ops,
    /// The synchronous side of files.
    pub disk: &'a mut dyn Disk,
    /// This core's timers.
    pub timers: &'a mut Timers,
    /// Mail to other cores.
    pub mail: &'a mut Outbox<M>,
    /// Memory for buffers.
    pub pool: &'a Pool,
    /// What the loop has done so far.
    pub counts: LoopCounts,
}

/// The application that a core runs.
pub trait App {
    /// What cores say to each other.
    type Mail: Send;

    /// The core starts: open, listen, set timers.
    fn on_start(&mut self, turn: &mut Turn<'_, Self::Mail>);
    /// A turn begins: every operation pushed in earlier turns is with the back end.
    fn on_turn_start(&mut self, turn: &mut Turn<'_, Self::Mail>);
    /// An operation completed.
    fn on_completion(&mut self, turn: &mut Turn<'_, Self::Mail>, completion: Completion);
    /// Another core wrote.
    fn on_mail(&mut self, turn: &mut Turn<'_, Self::Mail>, from: ShardId, mail: Self::Mail);
    /// A timer fired.
    fn on_timer(&mut self, turn: &mut Turn<'_, Self::Mail>, token: Token);
    /// A slice of background work; `true` if more is waiting.
    fn on_background(&mut self, turn: &mut Turn<'_, Self::Mail>) -> bool;
    /// The turn ends: commit what it gathered, send what it answers; `true` if the next turn must come at once.
    fn on_turn_end(&mut self, turn: &mut Turn<'_, Self::Mail>) -> bool;
    /// The process should end: stop taking work on.
    fn on_stop(&mut self, turn: &mut Turn<'_, Self::Mail>);
    /// Whether the core may end now.
    fn is_stopped(&self) -> bool;
}

/// One core: a back end, an application, and what connects them.
pub struct Shard<I: Io, A: App> {
    io: I,
    app: A,
    mailbox: Mailbox<A::Mail>,
    timers: Timers,
    ops: Ops,
    pool: Pool,
    done: Vec<Completion>,
    counts: LoopCounts,
    is_busy: bool,
    is_stopping: bool,
    spin: Duration,
    /// Whether the last look found nothing, so that the core may sleep.
    has_spun: bool,
}

impl<I: Io, A: App> Shard<I, A> {
    /// A core that has not started yet.
    pub fn new(io: I, app: A, mailbox: Mailbox<A::Mail>, pool: Pool) -> Shard<I, A> {
        Shard {
            io,
            app,
            mailbox,
            timers: Timers::default(),
            ops: Ops::default(),
            pool,
            done: Vec::new(),
            counts: LoopCounts::default(),
            is_busy: true,
            is_stopping: false,
            spin: Duration::ZERO,
            has_spun: false,
        }
    }

    /// The same, but it looks for work for so long before it sleeps. For back ends whose time passes by itself.
    pub fn with_spin(self, spin: Duration) -> Shard<I, A> {
        Shard { spin, ..self }
    }

    /// Runs the application's start; call once, before the first turn.
    pub fn start(&mut self) {
        self.with_turn(|app, turn| app.on_start(turn));
        self.end_turn();
    }

    /// Tells the application once that the process should end.
    pub fn stop(&mut self) {
        if !std::mem::replace(&mut self.is_stopping, true) {
            self.with_turn(|app, turn| app.on_stop(turn));
            self.end_turn();
            self.is_busy = true;
        }
    }

    /// Whether the application has ended.
    pub fn is_stopped(&self) -> bool {
        self.app.is_stopped()
    }

    /// Whether the next turn has nothing to do before a completion or a timer comes.
    pub fn is_idle(&self) -> bool {
        !self.is_busy && !self.mailbox.has_mail()
    }

    /// What its loop has done so far.
    pub fn counts(&self) -> LoopCounts {
        self.counts
    }

    /// The application, to be looked at between turns.
    pub fn app(&mut self) -> &mut A {
        &mut self.app
    }

    /// The back end, to be looked at between turns.
    pub fn io(&mut self) -> &mut I {
        &mut self.io
    }

    /// One turn; sleeps first if there is nothing to do.
    pub fn turn(&mut self) {
        self.sleep_and_reap();
        let mut done = std::mem::take(&mut self.done);
        let (mailbox, now) = (&mut self.mailbox, self.io.now());
        let letters: Vec<_> = std::iter::from_fn(|| mailbox.receive()).take(LETTERS_MAX).collect();
        let due: Vec<_> = std::iter::from_fn(|| self.timers.pop_due(now)).take(TIMERS_MAX).collect();
        let is_cut = letters.len() == LETTERS_MAX || due.len() == TIMERS_MAX;
        self.counts.completions += done.len() as u64;
        self.counts.letters += letters.len() as u64;
        let has_more = self.with_turn(|app, turn| {
            app.on_turn_start(turn);
            for completion in done.drain(..) {
                app.on_completion(turn, completion);
            }
            for (from, mail) in letters {
                app.on_mail(turn, from, mail);
            }
            for token in due {
                app.on_timer(turn, token);
            }
            let has_more = app.on_background(turn);
            app.on_turn_end(turn) || has_more
        });
        self.done = done;
        self.is_busy = has_more || is_cut;
        self.end_turn();
        let took = self.io.now().since(now).as_nanos() as u64;
        self.counts.turns += 1;
        self.counts.busy_nanos += took;
        self.counts.longest_nanos = self.counts.longest_nanos.max(took);
    }

    fn sleep_and_reap(&mut self) {
        let mut wait = match self.timers.next_deadline() {
            _ if self.is_busy => Wait::No,
            Some(deadline) => Wait::Until(deadline),
            None => Wait::Forever,
        };
        if wait != Wait::No && !self.spin.is_zero() && !self.has_spun {
            // Found or not, a whole turn follows: what rang the bell meanwhile may have been the end of the process.
            self.has_spun = !self.has_found_by_spinning(wait);
            return;
        }
        if wait != Wait::No {
            self.mailbox.bell().park();
            if self.mailbox.has_mail() {
                wait = Wait::No;
            }
        }
        self.io.reap(wait, &mut self.done);
        self.mailbox.bell().unpark();
        self.has_spun &= wait == Wait::No;
    }

    /// Looks for completions and mail for a while; `true` if there is something to do.
    fn has_found_by_spinning(&mut self, wait: Wait) -> bool {
        let until = self.io.now() + self.spin;
        let until = if let Wait::Until(deadline) = wait { until.min(deadline) } else { until };
        loop {
            self.io.reap(Wait::No, &mut self.done);
            if !self.done.is_empty() || self.mailbox.has_mail() {
                return true;
            }
            if self.io.now() >= until {
                return false;
            }
        }
    }

    fn end_turn(&mut self) {
        self.mailbox.flush();
        // Nobody rings when a full ring has room again: come back and look.
        self.is_busy |= self.mailbox.outbox().is_backlogged();
        for (token, op) in self.ops.drain() {
            self.io.push(token, op);
        }
    }

    fn with_turn<R>(&mut self, act: impl FnOnce(&mut A, &mut Turn<'_, A::Mail>) -> R) -> R {
        let (now, wall_ms, random_u64) = (self.io.now(), self.io.wall_ms(), self.io.random_u64());
        let mut turn = Turn {
            shard: self.mailbox.me(),
            now,
            wall_ms,
            random_u64,
            ops: &mut self.ops,
            disk: self.io.disk(),
            timers: &mut self.timers,
            mail: self.mailbox.outbox(),
            pool: &self.pool,
            counts: self.counts,
        };
        act(&mut self.app, &mut turn)
    }
}
