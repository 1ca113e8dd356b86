//! A client of the simulated nodes, and what it may know and do.

use shard::Nanos;
use shard::memory::World;
use shard::random::Random;

use crate::event::Event;
use crate::properties::{Properties, Violation};
use crate::topics::Topic;
use crate::trace::Trace;

/// A client: a state machine in virtual time, at the far end of its connections.
pub trait Client {
    /// What it is, for people.
    fn name(&self) -> String;
    /// The topic that it works with, if that is one.
    fn topic(&self) -> Option<&'static Topic> {
        None
    }
    /// Takes in what has come, and goes on.
    fn poll(&mut self, cx: &mut Context);
    /// When it has something to do though nothing comes.
    fn due(&self) -> Option<Nanos>;
    /// Whether it has nothing under way.
    fn is_quiet(&self) -> bool;
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Topics are being made; nothing goes wrong yet.
    Founding,
    /// Everyone works, and the schedule of faults goes by.
    Faulty,
    /// Nothing goes wrong any more, and everyone has to get on.
    Recovering,
    /// Everyone ends what is under way and begins nothing.
    Draining,
    /// The logs are read whole.
    Auditing,
}

/// What all clients share.
pub struct Context {
    /// The world that the nodes are in.
    pub world: World,
    /// Chance, for clients.
    pub random: Random,
    /// What happened.
    pub trace: Trace,
    /// How far the run has come.
    pub phase: Phase,
    /// Who is being polled.
    pub client: usize,
    properties: Properties,
    violation: Option<Violation>,
}

impl Context {
    /// A run that begins.
    pub fn new(world: World, random: Random, trace: Trace) -> Context {
        let properties = Properties::new();
        Context { world, random, trace, phase: Phase::Founding, client: 0, properties, violation: None }
    }

    /// Time now.
    pub fn now(&self) -> Nanos {
        self.world.now()
    }

    /// Whether new work is to be begun.
    pub fn is_working(&self) -> bool {
        self.phase < Phase::Draining
    }

    /// Says what happened to the client that is being polled.
    pub fn tell(&mut self, event: Event) {
        let who = self.client;
        self.trace.line(self.world.now(), format_args!("client {who}"), &event);
        self.check(&event);
    }

    /// Says what happened to a node, or to all.
    pub fn tell_of_nodes(&mut self, event: Event) {
        self.trace.line(self.world.now(), "world", &event);
        self.check(&event);
    }

    /// The client that is being polled has done something that takes a node that works.
    pub fn progress(&mut self) {
        if self.phase >= Phase::Recovering && self.properties.is_waiting_for(self.client) {
            self.tell(Event::Progress { client: self.client });
        }
    }

    /// Whether everyone has gone on after the faults.
    pub fn has_recovered(&self) -> bool {
        self.properties.has_recovered()
    }

    /// Who has to go on after the faults.
    pub fn expect_progress(&mut self, clients: impl Iterator<Item = (usize, String)>) {
        self.properties.expect_progress(clients);
    }

    fn check(&mut self, event: &Event) {
        let found = self.properties.on_event(event);
        self.violation = self.violation.take().or(found);
    }

    /// The first property that does not hold, if there is one.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Somebody did not come to an end.
    pub fn stuck(&mut self, what: &str, names: Vec<String>) {
        let message = format!("{what}: {}", names.join(", "));
        let property = "recovers_when_faults_stop";
        self.violation = self.violation.take().or(Some(Violation { property, message }));
    }

    /// Holds everything that was seen against the properties once more, at the end.
    pub fn check_end(&mut self) {
        let found = self.properties.at_end();
        self.violation = self.violation.take().or(found);
    }
}
