//! Asking the cores: one round of questions at a time, shared by all who want to know.
//!
//! ```text
//!   round n:  Metrics(n) to every core that owes no answer ─► slices … Core ─┐ all are in
//!                                                                            ▼
//!             Lags(n), a slice of readers a core at a time ─► … ─► snapshot
//! ```
//! A core that has not answered by the deadline is silent: its last answer stands for it, and it is not asked again before it has
//! answered, so that no more than one letter of a kind ever waits for it.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use shard::{Guest, ShardId, boot};
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::snapshot::{Building, CoreAnswer, Limits, Reader, Snapshot, readers_of};
use crate::mail::Mail;
use crate::node::Node;
use crate::report::{Health, Inspect, Report, SLICE_READERS};

/// What knows the cores.
pub struct Hub {
    node: Arc<Node>,
    pub(super) descriptors_max: u64,
    /// When the process was started, calendar ms: found out once, so that each scrape tells the same.
    pub(super) started_ms: i64,
    state: RefCell<State>,
    /// Can be read when mail has come.
    bell: Receiver,
    /// Rings when a round has moved on.
    moved: Notify,
    /// A core that has not answered after this time is silent.
    pub(super) answer_max: Duration,
}

struct State {
    guest: Guest<Mail>,
    limits: Limits,
    cores: Vec<Core>,
    /// Rounds of either kind so far.
    number: u64,
    metrics: Option<MetricsRound>,
    /// The newest round of health that somebody waits for, or did.
    health: u64,
    /// The newest whole snapshot.
    newest: Option<Arc<Snapshot>>,
}

/// What is known of one core, and what it owes.
#[derive(Default)]
struct Core {
    owes_metrics: bool,
    owes_lags: bool,
    owes_health: bool,
    building: Option<Building>,
    answer: Option<Arc<CoreAnswer>>,
    /// Its health, and the round that it was told in.
    health: Option<(u64, Health)>,
}

struct MetricsRound {
    number: u64,
    /// Cores that are asked in this round.
    asked: Vec<bool>,
    /// Readers whose lag is to be asked for, by core; once all cores have answered.
    readers: Option<Vec<Vec<Reader>>>,
    /// Where they stand.
    lags: Vec<Reader>,
}

/// How the cores are: `None` for one that has not answered.
pub type Healths = Vec<Option<Health>>;

impl Hub {
    pub fn new(
        guest: Guest<Mail>,
        node: Arc<Node>,
        descriptors_max: u64,
        answer_max: Duration,
    ) -> io::Result<Rc<Hub>> {
        // It is no pipe, but waited for and read like one.
        let bell = Receiver::from_owned_fd_unchecked(guest.descriptor()?)?;
        let values = node.config.values();
        let limits = Limits {
            partitions_max: values.ringlog_metrics_partitions_max() as usize,
            topics_max: values.ringlog_metrics_topics_max() as usize,
            groups_max: values.ringlog_metrics_groups_max() as usize / usize::from(node.core_count),
            group_partitions_max: values.ringlog_metrics_group_partitions_max() as usize
                / usize::from(node.core_count),
        };
        let state = State {
            guest,
            limits,
            cores: (0..node.core_count).map(|_| Core::default()).collect(),
            number: 0,
            metrics: None,
            health: 0,
            newest: None,
        };
        let (state, moved) = (RefCell::new(state), Notify::new());
        let age_ms = i64::try_from(node.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        let started_ms = boot::wall_ms().0.saturating_sub(age_ms);
        Ok(Rc::new(Hub { node, descriptors_max, started_ms, state, bell, moved, answer_max }))
    }

    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Takes mail in, for ever.
    pub async fn listen(self: Rc<Hub>) {
        loop {
            if let Err(error) = self.bell.readable().await {
                return tracing::error!(%error, "there are no metrics any more: no mail can be waited for");
            }
            // Until nothing is left to be read, so that the next ring is heard.
            while self.bell.try_read(&mut [0; 8]).is_ok() {}
            let mut state = self.state.borrow_mut();
            for (from, mail) in state.guest.receive_all() {
                if let Mail::Report(report) = mail {
                    state.on_report(from, report);
                }
            }
            drop(state);
            self.moved.notify_waiters();
        }
    }

    /// What the cores count. Asks them, unless they are being asked; silent cores are named in it after a while.
    pub async fn snapshot(&self) -> Arc<Snapshot> {
        let number = self.state.borrow_mut().begin_metrics();
        let is_over = |state: &State| state.metrics.as_ref().is_none_or(|round| round.number != number);
        if !self.wait(is_over).await {
            self.state.borrow_mut().give_up(number);
            self.moved.notify_waiters();
        }
        let newest = self.state.borrow().newest.clone();
        newest.expect("a round ends with a snapshot")
    }

    /// How the cores are.
    pub async fn health(&self) -> Healths {
        let number = self.state.borrow_mut().begin_health();
        let has_told = |core: &Core| core.health.as_ref().is_some_and(|(told, _)| *told >= number);
        let are_all_in = |state: &State| state.cores.iter().all(has_told);
        self.wait(are_all_in).await;
        let state = self.state.borrow();
        let cores = state.cores.iter();
        cores
            .map(|core| core.health.as_ref().filter(|_| has_told(core)).map(|(_, health)| health.clone()))
            .collect()
    }

    /// Waits until something is so, or for as long as a core may take to answer; whether it is so.
    async fn wait(&self, is_so: impl Fn(&State) -> bool) -> bool {
        let deadline = Instant::now() + self.answer_max;
        loop {
            let mut moved = std::pin::pin!(self.moved.notified());
            // Before looking: what moves from now on is heard.
            moved.as_mut().enable();
            if is_so(&self.state.borrow()) {
                return true;
            }
            if timeout_at(deadline, moved).await.is_err() {
                return is_so(&self.state.borrow());
            }
        }
    }
}

impl State {
    fn ask(&mut self, core: usize, asked: Inspect) {
        self.guest.send(ShardId(core as u16), Mail::Inspect(asked));
    }

    /// Joins the round that is under way, or begins one; gives its number.
    fn begin_metrics(&mut self) -> u64 {
        if let Some(round) = &self.metrics {
            return round.number;
        }
        self.number += 1;
        let number = self.number;
        let asked: Vec<bool> = self.cores.iter().map(|core| !core.owes_metrics).collect();
        for core in (0..self.cores.len()).filter(|&core| asked[core]) {
            self.cores[core].owes_metrics = true;
            self.cores[core].building = Some(Building::new(self.limits));
            self.ask(
                core,
                Inspect::Metrics(number, self.limits.groups_max, self.limits.group_partitions_max),
            );
        }
        let (readers, lags) = (None, Vec::new());
        self.metrics = Some(MetricsRound { number, asked, readers, lags });
        self.go_on();
        number
    }

    /// Begins a round of health: a core that owes an answer is asked again when it has given it.
    fn begin_health(&mut self) -> u64 {
        self.number += 1;
        self.health = self.number;
        for core in 0..self.cores.len() {
            if !std::mem::replace(&mut self.cores[core].owes_health, true) {
                self.ask(core, Inspect::Health(self.health));
            }
        }
        self.health
    }

    fn on_report(&mut self, from: ShardId, report: Report) {
        let Some(core) = self.cores.get_mut(usize::from(from.0)) else { return };
        let current = self.metrics.as_ref().map(|round| round.number);
        let building = |core: &'_ mut Core, number| core.building.take_if(|_| current == Some(number));
        match report {
            Report::Health(number, health) => {
                core.owes_health = number < self.health;
                core.health = Some((number, *health));
                if core.owes_health {
                    self.ask(usize::from(from.0), Inspect::Health(self.health));
                }
            }
            Report::Partitions(number, image, partitions) => {
                if let Some(mut known) = building(core, number) {
                    known.add_partitions(&image, &partitions);
                    core.building = Some(known);
                }
            }
            Report::Groups(number, slice) => {
                if let Some(mut known) = building(core, number) {
                    known.add_groups(slice);
                    core.building = Some(known);
                }
            }
            Report::Core(number, facts) => {
                core.owes_metrics = false;
                if let Some(known) = building(core, number) {
                    core.answer = Some(Arc::new(known.finish(*facts)));
                }
                self.go_on();
            }
            Report::Lags(number, lags) => {
                core.owes_lags = false;
                if let Some(round) = self.metrics.as_mut().filter(|round| round.number == number)
                    && let Some(readers) =
                        round.readers.as_mut().and_then(|all| all.get_mut(usize::from(from.0)))
                {
                    let slice = readers.len().min(lags.len());
                    let told = readers.drain(..slice).zip(lags);
                    round.lags.extend(told.map(|(reader, lag)| Reader { lag, ..reader }));
                }
                self.go_on();
            }
        }
    }

    /// Takes the round of metrics on, if nothing of this stage is missing; ends it if all is there.
    fn go_on(&mut self) {
        let Some(mut round) = self.metrics.take() else { return };
        let is_missing = |(core, asked): (&Core, &bool)| *asked && core.owes_metrics;
        if self.cores.iter().zip(&round.asked).any(is_missing) {
            self.metrics = Some(round);
            return;
        }
        let answers = self.answers();
        let readers = round.readers.get_or_insert_with(|| readers_of(&answers, self.cores.len()));
        let mut is_waiting = false;
        for (core, readers) in readers.iter_mut().enumerate() {
            if readers.is_empty() {
                continue;
            }
            if !self.cores[core].owes_lags {
                self.cores[core].owes_lags = true;
                let slice = readers.iter().take(SLICE_READERS);
                let asked = slice.map(|reader| (reader.partition, reader.offset)).collect();
                self.guest.send(ShardId(core as u16), Mail::Inspect(Inspect::Lags(round.number, asked)));
            }
            is_waiting = true;
        }
        if is_waiting {
            self.metrics = Some(round);
        } else {
            self.publish(&round);
        }
    }

    /// Ends a round that takes too long with what there is.
    fn give_up(&mut self, number: u64) {
        if let Some(round) = self.metrics.take_if(|round| round.number == number) {
            self.publish(&round);
        }
    }

    fn publish(&mut self, round: &MetricsRound) {
        let snapshot = Snapshot::of(self.answers(), self.silent(), &round.lags, self.limits);
        self.newest = Some(Arc::new(snapshot));
    }

    fn answers(&self) -> Vec<Option<Arc<CoreAnswer>>> {
        self.cores.iter().map(|core| core.answer.clone()).collect()
    }

    fn silent(&self) -> Vec<bool> {
        self.cores.iter().map(|core| core.owes_metrics || core.owes_lags).collect()
    }
}

#[cfg(test)]
#[path = "hub/tests.rs"]
pub(super) mod tests;
