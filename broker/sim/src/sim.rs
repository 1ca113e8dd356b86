//! The loop of a run: nodes, clients and faults take turns, in an order that is drawn, while virtual time goes on.

use std::time::Duration;

use shard::memory::World;
use shard::random::Random;
use shard::{Nanos, ShardId};

use crate::client::{Client, Context, Phase};
use crate::event::{Down, Event};
use crate::faults::{Aftermath, Around, Doom, Fault, Healing, sound_link, sound_machine};
use crate::node::{Node, Turned};
use crate::node_log;
use crate::picture::{self, Picture};
use crate::topics::Topic;
use crate::trace::Trace;

/// While somebody is busy, a round takes up to so long.
const ROUND_NS_MAX: u64 = 40_000;
/// A node that cannot be started is tried again after so long.
const START_AGAIN_MS: i64 = 200;
/// Clients that may come about in a run, audits included.
pub const CLIENTS_MAX: usize = 40;

/// Nodes, clients, and what goes wrong.
pub struct Sim {
    /// What all clients share.
    pub cx: Context,
    nodes: Vec<Node>,
    clients: Vec<Box<dyn Client>>,
    /// Who takes turns first.
    order: Random,
    faults_from: Nanos,
    faults: std::collections::VecDeque<Fault>,
    healings: Vec<(Nanos, usize, Healing)>,
    dooms: Vec<Option<Doom>>,
    /// The version of each node's metadata that was seen last.
    images: Vec<Option<i64>>,
    /// Nodes that are to go down once more while they come up, so many changes after that begins.
    again: Vec<Option<(u64, Doom)>>,
}

impl Sim {
    /// Nodes that have started, on as many shards as each is given.
    pub fn new(seed: u64, shards: &[u16], trace: Trace) -> Sim {
        let world = World::new(seed);
        let count = shards.len();
        let nodes: Vec<Node> = (0..count).map(|number| Node::new(number, &world, count)).collect();
        let cx = Context::new(world, Random::from_seed(seed ^ 0x00c1_1e17), trace);
        let mut sim = Sim {
            cx,
            dooms: vec![None; nodes.len()],
            images: vec![None; nodes.len()],
            again: vec![None; nodes.len()],
            nodes,
            clients: Vec::new(),
            order: Random::from_seed(seed ^ 0x0702_4e25),
            faults_from: Nanos::default(),
            faults: std::collections::VecDeque::new(),
            healings: Vec::new(),
        };
        for (number, shards) in shards.iter().enumerate() {
            sim.nodes[number].world().set_faults(sound_machine());
            sim.heal_links(number);
            sim.start(number, *shards);
        }
        sim
    }

    /// Makes all links of a node as they should be.
    fn heal_links(&self, node: usize) {
        let own = crate::node::address_of(node).ip();
        let clients = (0..CLIENTS_MAX).map(crate::node::address_of_client);
        let peers = (0..self.nodes.len()).filter(|other| *other != node);
        for other in clients.chain(peers.map(|other| crate::node::address_of(other).ip())) {
            self.cx.world.set_link(own, other, sound_link());
            self.cx.world.set_link(other, own, sound_link());
        }
    }

    /// A node, to be looked at between turns.
    pub fn node(&mut self, number: usize) -> &mut Node {
        &mut self.nodes[number]
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number that the next client gets.
    pub fn next_client(&self) -> usize {
        self.clients.len()
    }

    /// Adds a client.
    pub fn add(&mut self, client: impl Client + 'static) {
        assert!(self.clients.len() < CLIENTS_MAX, "every client has its address");
        self.clients.push(Box::new(client));
    }

    /// Takes a client out; nobody hears of it again.
    pub fn retire(&mut self, number: usize) {
        self.clients[number] = Box::new(Retired);
    }

    /// The clients that work with a topic.
    pub fn clients_of(&self, topic: &'static Topic) -> Vec<usize> {
        let of_topic = |client: &dyn Client| client.topic().is_some_and(|other| other.name == topic.name);
        let all = self.clients.iter().enumerate();
        all.filter(|(_, client)| of_topic(&***client)).map(|(number, _)| number).collect()
    }

    /// Numbers and names of all clients.
    pub fn names(&self) -> Vec<(usize, String)> {
        let working = self.clients.iter().enumerate().filter(|(_, client)| !client.name().is_empty());
        working.map(|(number, client)| (number, client.name())).collect()
    }

    /// The names of those that have something under way.
    pub fn busy_names(&self) -> Vec<String> {
        self.clients.iter().filter(|client| !client.is_quiet()).map(|client| client.name()).collect()
    }

    /// Whether no client has anything under way.
    pub fn is_quiet(&self) -> bool {
        self.clients.iter().all(|client| client.is_quiet())
    }

    /// From now on these faults come about.
    pub fn begin_faults(&mut self, faults: Vec<Fault>) {
        self.faults_from = self.cx.now();
        self.faults = faults.into();
    }

    /// From now on nothing goes wrong: links and disks are healed, and a node that may have been hurt is started anew.
    pub fn stop_faults(&mut self) {
        self.faults.clear();
        for (_, node, healing) in std::mem::take(&mut self.healings) {
            self.heal(node, &healing);
        }
        for number in 0..self.nodes.len() {
            (self.dooms[number], self.again[number]) = (None, None);
            self.nodes[number].world().forgo_doom();
            self.nodes[number].pause(0);
        }
        self.cx.tell_of_nodes(Event::FaultsStop);
    }

    /// Goes on until `is_over`, or for so long at most; whether it is over. A violation ends it too.
    pub fn run(&mut self, ms_max: i64, is_over: impl Fn(&mut Sim) -> bool) -> bool {
        let until = self.cx.now().plus_ms(ms_max);
        while self.cx.violation().is_none() && self.cx.now() < until {
            if is_over(self) {
                return true;
            }
            let is_busy = self.round();
            let next = if is_busy { None } else { self.next_moment() };
            let least = Duration::from_nanos(1_000 + self.order.below(ROUND_NS_MAX));
            let step = next.map_or(least, |next| next.min(until).since(self.cx.now()).max(least));
            self.cx.world.pass(step);
        }
        false
    }

    fn round(&mut self) -> bool {
        self.apply_faults();
        let mut is_busy = false;
        for number in 0..self.nodes.len() {
            is_busy |= self.turn(number);
        }
        let first = self.order.below(self.clients.len().max(1) as u64) as usize;
        for index in 0..self.clients.len() {
            let number = (index + first) % self.clients.len();
            self.cx.client = number;
            self.clients[number].poll(&mut self.cx);
        }
        is_busy
    }

    fn turn(&mut self, number: usize) -> bool {
        if let Some(shards) = self.nodes[number].is_due() {
            self.start(number, shards);
        }
        let first = self.order.below(8) as usize;
        let trace = &mut self.cx.trace;
        let turned = self.nodes[number].turn(first, |ShardId(shard), core| {
            let counts = core.counts();
            trace.numbers(&[u64::from(shard), counts.completions, counts.letters]);
        });
        self.take_log_lines();
        self.look_at_image(number);
        match turned {
            Turned::Idle => {}
            Turned::Busy => return true,
            Turned::Stopped => {
                self.nodes[number].on_stopped();
                self.cx.tell_of_nodes(Event::Down { node: number, how: Down::Stopped });
            }
            Turned::Doomed => self.fulfil_doom(number),
        }
        false
    }

    /// Tells how far a node of a cluster has come in the metadata.
    fn look_at_image(&mut self, number: usize) {
        if self.nodes.len() < 2 || self.cx.violation().is_some() {
            return;
        }
        let image = self.nodes[number].core(ShardId(0)).map(|core| core.image.clone());
        let version = image.as_ref().map(|image| image.version);
        if std::mem::replace(&mut self.images[number], version) == version {
            return;
        }
        if let Some(image) = image {
            let (version, digest) = (image.version, picture::digest(&image));
            self.cx.tell_of_nodes(Event::ImageSeen { node: number, version, digest });
        }
    }

    /// Whether all nodes run and know the same.
    pub fn is_agreed(&mut self) -> bool {
        let pictures: Vec<Option<u64>> = self
            .nodes
            .iter_mut()
            .map(|node| node.core(ShardId(0)).map(|core| picture::digest(&core.image)))
            .collect();
        pictures.iter().all(|digest| digest.is_some() && *digest == pictures[0])
    }

    /// Tells what all nodes know in the end.
    pub fn tell_images(&mut self) {
        for number in 0..self.nodes.len() {
            let picture = self.nodes[number].core(ShardId(0)).map(|core| Picture::of(&core.image));
            if let Some(picture) = picture {
                self.cx.tell_of_nodes(Event::ImageAtEnd { node: number, picture: picture.into() });
            }
        }
    }

    fn fulfil_doom(&mut self, number: usize) {
        let doom = self.dooms[number].take().expect("who dooms a node says how it goes on");
        self.go_down(number, doom);
    }

    fn go_down(&mut self, number: usize, doom: Doom) {
        self.nodes[number].end(doom.how, doom.shards, doom.down_ms);
        self.again[number] = doom.again_after_changes.map(|changes| (changes, doom));
        self.cx.tell_of_nodes(Event::Down { node: number, how: doom.how });
    }

    fn start(&mut self, number: usize, shards: u16) {
        if let Some((changes, doom)) = self.again[number].take() {
            self.nodes[number].world().doom(changes);
            self.dooms[number] = Some(Doom { again_after_changes: None, ..doom });
        }
        let started = self.nodes[number].start(shards);
        self.take_log_lines();
        if self.nodes[number].world().is_doomed() {
            return self.fulfil_doom(number);
        }
        match started {
            Ok(()) => self.cx.tell_of_nodes(Event::Up { node: number, shards }),
            Err(why) => {
                self.cx.tell_of_nodes(Event::NotUp { node: number, why });
                self.nodes[number].end(Down::Killed, shards, START_AGAIN_MS);
            }
        }
    }

    fn take_log_lines(&mut self) {
        for node_log::Line { node, shard, text } in node_log::take() {
            self.cx.trace.line(self.cx.world.now(), format_args!("node {node}/{shard}"), text);
        }
    }

    fn apply_faults(&mut self) {
        let now = self.cx.now();
        let around = Around { clients: CLIENTS_MAX, nodes: self.nodes.len() };
        while self.faults.front().is_some_and(|fault| self.faults_from.plus_ms(fault.at_ms as i64) <= now) {
            let fault = self.faults.pop_front().expect("it was looked at just now");
            self.cx.trace.line(now, "fault", &fault);
            match fault.apply(&mut self.nodes[fault.node], around) {
                Aftermath::None => {}
                Aftermath::Heals(ms, healing) => {
                    self.healings.push((now.plus_ms(ms as i64), fault.node, healing))
                }
                Aftermath::GoesDown(doom) => self.go_down(fault.node, doom),
                Aftermath::Doomed(doom) => self.dooms[fault.node] = Some(doom),
            }
        }
        while let Some(index) = self.healings.iter().position(|(at, ..)| *at <= now) {
            let (_, node, healing) = self.healings.remove(index);
            self.cx.trace.line(now, "fault", format_args!("node {node} is healed of {healing:?}"));
            self.heal(node, &healing);
        }
    }

    fn heal(&mut self, node: usize, healing: &Healing) {
        if let Some(how) = healing.apply(&mut self.nodes[node], node) {
            self.cx.tell_of_nodes(Event::Down { node, how });
        }
    }

    /// When the next thing happens that somebody waits for.
    fn next_moment(&self) -> Option<Nanos> {
        let now = self.cx.now();
        let of_nodes = self.nodes.iter().filter_map(Node::next);
        // Who has just had its turn and did nothing waits for something else.
        let of_clients = self.clients.iter().filter_map(|client| client.due()).filter(|due| *due > now);
        let of_faults = self.faults.front().map(|fault| self.faults_from.plus_ms(fault.at_ms as i64));
        let of_healings = self.healings.iter().map(|(at, ..)| *at);
        let all = of_nodes.chain(of_clients).chain(of_faults).chain(of_healings);
        all.chain(self.cx.world.next_at_peers()).min()
    }

    /// The run enters its next phase.
    pub fn enter(&mut self, phase: Phase) {
        self.cx.phase = phase;
        self.cx.trace.line(self.cx.world.now(), "run", format_args!("{phase:?}"));
    }
}

/// In the place of a client that has done its work.
struct Retired;

impl Client for Retired {
    fn name(&self) -> String {
        String::new()
    }

    fn poll(&mut self, _: &mut Context) {}

    fn due(&self) -> Option<Nanos> {
        None
    }

    fn is_quiet(&self) -> bool {
        true
    }
}
