//! One run from one seed: what is in it, what it goes through, and what came of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shard::random::Random;

use crate::client::Phase;
use crate::clients::admin::Admin;
use crate::clients::committer::Committer;
use crate::clients::founder::Founder;
use crate::clients::member::Member;
use crate::clients::plain::Plain;
use crate::clients::producer::Producer;
use crate::clients::reader::Reader;
use crate::clients::steward::Steward;
use crate::clients::transactional::Transactional;
use crate::event::Isolation;
use crate::faults::{self, FAULTY_MS, Fault};
use crate::node_log;
use crate::properties::Violation;
use crate::sim::Sim;
use crate::topics::{BRITTLE, CACHED, DURABLE, MIXED, TRANSACTED, WRITTEN};
use crate::trace::Trace;

/// Within which everything must have got on after the faults, ms of virtual time.
const RECOVERY_MS_MAX: i64 = 60_000;
/// Within which everything that is under way must have ended.
const DRAIN_MS_MAX: i64 = 60_000;
/// Within which all logs must have been read.
const AUDIT_MS_MAX: i64 = 60_000;
const FOUNDING_MS_MAX: i64 = 10_000;

/// Within which all nodes of a cluster must know the same.
const AGREEING_MS_MAX: i64 = 20_000;
/// How long the nodes of a cluster have to themselves before anything goes wrong.
const CLUSTER_FOUNDING_MS: i64 = 3_000;
/// Administrators of a cluster.
const STEWARDS: usize = 3;

/// What a run is made from.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Everything that is left to chance.
    pub seed: u64,
    /// On how many shards each node starts.
    pub shards: Vec<u16>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// Whether the lines of the trace are kept.
    pub keeps_trace: bool,
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The hash of the whole trace.
    pub hash: u64,
    /// What does not hold, if anything.
    pub violation: Option<Violation>,
    /// The trace's lines, if they were to be kept.
    pub trace: Vec<String>,
}

impl Plan {
    /// The run that belongs to a seed: one node.
    pub fn of(seed: u64) -> Plan {
        let mut random = Random::from_seed(seed);
        let shards = vec![1 + random.below(4) as u16];
        let faults = faults::draw(&mut random, shards.len());
        Plan { seed, shards, faults, keeps_trace: false }
    }

    /// The run of a cluster that belongs to a seed: so many nodes, which agree on the metadata.
    pub fn of_cluster(seed: u64, nodes: usize) -> Plan {
        let mut random = Random::from_seed(seed);
        let shards = (0..nodes).map(|_| 1 + random.below(2) as u16).collect();
        let faults = faults::draw(&mut random, nodes);
        Plan { seed, shards, faults, keeps_trace: false }
    }

    /// Runs it. A failed assertion, of the nodes or of a client, is a violation too.
    pub fn run(&self) -> Outcome {
        let mut sim = None;
        let ended = node_log::gathering(|| catch_unwind(AssertUnwindSafe(|| self.go_through(&mut sim))));
        let sim: Sim = sim.expect("a world can always be made");
        let violation = match ended {
            Ok(()) => sim.cx.violation().cloned(),
            Err(panic) => Some(Violation { property: "no_assertion_fails", message: text_of(&*panic) }),
        };
        Outcome { hash: sim.cx.trace.hash(), violation, trace: sim.cx.trace.into_lines() }
    }

    fn go_through(&self, into: &mut Option<Sim>) {
        let sim = into.insert(Sim::new(self.seed, &self.shards, Trace::new(self.keeps_trace)));
        if self.shards.len() > 1 {
            return self.go_through_cluster(sim);
        }
        sim.add(Founder::new(0));
        sim.enter(Phase::Founding);
        assert!(sim.run(FOUNDING_MS_MAX, |sim| sim.is_quiet()), "topics are made while nothing goes wrong");
        sim.retire(0);
        populate(sim);
        sim.begin_faults(self.faults.clone());
        sim.enter(Phase::Faulty);
        sim.run(FAULTY_MS as i64, |_| false);
        if sim.cx.violation().is_none() {
            recover(sim);
        }
    }
}

impl Plan {
    fn go_through_cluster(&self, sim: &mut Sim) {
        sim.enter(Phase::Founding);
        for _ in 0..STEWARDS {
            sim.add(Steward::new(sim.next_client(), self.shards.len()));
        }
        sim.run(CLUSTER_FOUNDING_MS, |_| false);
        sim.begin_faults(self.faults.clone());
        sim.enter(Phase::Faulty);
        sim.run(FAULTY_MS as i64, |_| false);
        if sim.cx.violation().is_none() {
            agree(sim);
        }
    }
}

/// Nothing goes wrong any more: every administrator has to get on, and every node to know what all the others know.
fn agree(sim: &mut Sim) {
    sim.stop_faults();
    sim.enter(Phase::Recovering);
    let names = sim.names();
    sim.cx.expect_progress(names.into_iter());
    sim.run(RECOVERY_MS_MAX, |sim| sim.cx.has_recovered());
    if !sim.cx.has_recovered() {
        return sim.cx.check_end();
    }
    sim.enter(Phase::Draining);
    if !sim.run(DRAIN_MS_MAX, |sim| sim.is_quiet()) {
        return sim.cx.stuck("what was under way did not end in time", sim.busy_names());
    }
    sim.enter(Phase::Auditing);
    sim.run(AGREEING_MS_MAX, Sim::is_agreed);
    sim.tell_images();
    sim.cx.check_end();
}

fn populate(sim: &mut Sim) {
    for topic in [&DURABLE, &DURABLE, &MIXED, &CACHED] {
        sim.add(Producer::new(sim.next_client(), topic));
    }
    sim.add(Plain::new(sim.next_client(), &MIXED));
    for _ in 0..2 {
        sim.add(Transactional::new(sim.next_client()));
    }
    for topic in WRITTEN {
        sim.add(Reader::new(sim.next_client(), topic, Isolation::Uncommitted));
    }
    sim.add(Reader::new(sim.next_client(), &TRANSACTED, Isolation::Committed));
    sim.add(Producer::new(sim.next_client(), &BRITTLE));
    sim.add(Reader::new(sim.next_client(), &BRITTLE, Isolation::Uncommitted));
    for _ in 0..3 {
        sim.add(Member::new(sim.next_client()));
    }
    sim.add(Committer::new(sim.next_client()));
    sim.add(Admin::new(sim.next_client()));
}

/// Nothing goes wrong any more: everyone has to get on, to come to an end, and to be found in the logs.
fn recover(sim: &mut Sim) {
    sim.stop_faults();
    for client in sim.clients_of(&BRITTLE) {
        sim.retire(client);
    }
    sim.enter(Phase::Recovering);
    let names = sim.names();
    sim.cx.expect_progress(names.into_iter());
    sim.run(RECOVERY_MS_MAX, |sim| sim.cx.has_recovered());
    if !sim.cx.has_recovered() {
        return sim.cx.check_end();
    }
    sim.enter(Phase::Draining);
    if !sim.run(DRAIN_MS_MAX, |sim| sim.is_quiet()) {
        return sim.cx.stuck("what was under way did not end in time", sim.busy_names());
    }
    sim.enter(Phase::Auditing);
    for topic in WRITTEN {
        for isolation in [Isolation::Uncommitted, Isolation::Committed] {
            sim.add(Reader::auditing(sim.next_client(), topic, isolation));
        }
    }
    if !sim.run(AUDIT_MS_MAX, |sim| sim.is_quiet()) {
        return sim.cx.stuck("logs could not be read to their end in time", sim.busy_names());
    }
    sim.cx.check_end();
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
