//! One core of the load: its connections, driven by the turn loop, and the phases of a run.

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::Sender;
use std::time::Duration;

use protocol::messages::produce_response::ProduceResponse;
use protocol::{ApiKey, Decoder, Message, decode_response_header};
use shard::{App, Buf, Completion, IoError, Nanos, Native, Op, Outcome, ShardId, SocketId, Token, Turn};
use storage::{ProducerEpoch, ProducerId};

use super::arrivals::Arrivals;
use super::consumer::Consumer;
use super::frames::{Batches, PRODUCE};
use super::inbox::Inbox;
use super::producer::Producer;
use super::samples::{CoreResult, Samples};
use crate::scenario::{Amount, Scenario};

/// How long after the end what is still under way is waited for.
const DRAIN: Duration = Duration::from_secs(5);

/// How long after the start of a core its first record is due: all connections are at work by then.
const LEAD_NS: u64 = 20_000_000;

/// What a core tells the main thread.
pub enum Event {
    /// It measures from now on.
    Began,
    /// It has measured.
    Ended,
    /// All is counted.
    Counted(Box<CoreResult>),
    /// It cannot go on.
    Broken(String),
}

/// What all cores do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenario.
    pub scenario: Scenario,
    /// Its topic.
    pub topic: String,
    /// Where the broker listens.
    pub address: SocketAddr,
    /// Where each partition ended before the run.
    pub ends: Vec<i64>,
    /// A producer id for each producer, if they are idempotent.
    pub ids: Vec<(ProducerId, ProducerEpoch)>,
    /// When records are dated, ms.
    pub wall_ms: i64,
    /// What each core does.
    pub shares: Vec<Share>,
}

/// What one core does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Share {
    /// Its producers, by their number among all, with their partitions.
    pub producers: Vec<(usize, Vec<i32>)>,
    /// Its tail readers: the set that each belongs to, and its partitions.
    pub tails: Vec<(usize, Vec<i32>)>,
    /// Its readers of old data, with their partitions.
    pub back_fills: Vec<Vec<i32>>,
    /// Its connections that do nothing.
    pub idle: usize,
}

/// Divides a scenario among at most so many cores: a partition's producers and readers are on one.
pub fn plan(scenario: &Scenario, core_count: usize) -> Vec<Share> {
    let roles = [scenario.producers, scenario.tail_consumers, scenario.back_fill_consumers];
    let fewest = roles.into_iter().filter(|count| *count > 0).min().unwrap_or(1);
    let partition_count = usize::try_from(scenario.partitions).expect("checked when it was read");
    let cores = core_count.min(fewest).min(partition_count).max(1);
    let of_core = |core: usize, count: usize| (core..count).step_by(cores);
    let share = |core: usize| {
        let partitions: Vec<i32> = of_core(core, partition_count).map(|number| number as i32).collect();
        let divided = |count: usize| divide(&partitions, of_core(core, count).count());
        let tails = divided(scenario.tail_consumers);
        Share {
            producers: of_core(core, scenario.producers).zip(divided(scenario.producers)).collect(),
            tails: (0..scenario.fan_out)
                .flat_map(|set| tails.iter().map(move |own| (set, own.clone())))
                .collect(),
            back_fills: divided(scenario.back_fill_consumers),
            idle: of_core(core, scenario.idle_connections).count(),
        }
    };
    (0..cores).map(share).collect()
}

/// Gives each of `count` its part; if there are more of them than partitions, some share one.
fn divide(partitions: &[i32], count: usize) -> Vec<Vec<i32>> {
    let part = |number: usize| {
        let own: Vec<i32> = partitions.iter().skip(number).step_by(count).copied().collect();
        if own.is_empty() { vec![partitions[number % partitions.len()]] } else { own }
    };
    (0..count).map(part).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    WarmingUp,
    Measuring,
    /// Nothing new is sent; what is under way is waited for until then.
    Draining(Nanos),
    Over,
}

/// What a connection is for.
enum Role {
    Producer(Box<Producer>),
    Consumer(Consumer),
    Idle,
}

struct Connection {
    socket: SocketId,
    role: Role,
    inbox: Inbox,
    outbox: VecDeque<Buf>,
    is_sending: bool,
}

/// One core of the load.
pub struct Worker {
    scenario: Scenario,
    topic: String,
    connections: Vec<Connection>,
    arrivals: Vec<Arrivals>,
    samples: Samples,
    phase: Phase,
    since: Nanos,
    /// What was acknowledged or, where nothing is produced, read since the phase began, in bytes.
    progress_bytes: u64,
    /// The part of an amount of bytes that is this core's.
    part: f64,
    events: Sender<Event>,
}

impl Worker {
    /// Connects all that this core has to connect.
    pub fn connect(
        plan: &Plan,
        core: usize,
        native: &mut Native,
        events: Sender<Event>,
    ) -> std::io::Result<Worker> {
        let (scenario, share) = (&plan.scenario, &plan.shares[core]);
        let mut connections = Vec::new();
        let mut open = |role: Role| -> std::io::Result<()> {
            let stream = TcpStream::connect_timeout(&plan.address, Duration::from_secs(30))?;
            let socket = native.adopt(stream)?;
            connections.push(Connection {
                socket,
                role,
                inbox: Inbox::default(),
                outbox: VecDeque::new(),
                is_sending: false,
            });
            Ok(())
        };
        let producer_count = scenario.producers.max(1) as f64;
        for (number, partitions) in &share.producers {
            let id = plan.ids.get(*number).copied();
            let batches = Batches::new(scenario, &plan.topic, plan.wall_ms, id);
            // Their records are due one after another, not all at once.
            let phase_ns = scenario.rate.map_or(0.0, |rate| 1e9 / rate * *number as f64);
            let begin = Nanos(phase_ns as u64);
            let producer = Producer::new(scenario, partitions.clone(), 1.0 / producer_count, begin, batches);
            open(Role::Producer(Box::new(producer)))?;
        }
        for (set, partitions) in &share.tails {
            let from = partitions.iter().map(|&number| (number, plan.ends[number as usize])).collect();
            open(Role::Consumer(Consumer::new(Some(*set), from)))?;
        }
        for partitions in &share.back_fills {
            let from = partitions.iter().map(|&number| (number, 0)).collect();
            open(Role::Consumer(Consumer::new(None, from)))?;
        }
        for _ in 0..share.idle {
            open(Role::Idle)?;
        }
        let sets = if scenario.tail_consumers > 0 { scenario.fan_out } else { 0 };
        Ok(Worker {
            scenario: scenario.clone(),
            topic: plan.topic.clone(),
            connections,
            arrivals: plan.ends.iter().map(|&end| Arrivals::new(sets, end)).collect(),
            samples: Samples::new(scenario.tail_consumers > 0),
            phase: Phase::WarmingUp,
            since: Nanos(0),
            progress_bytes: 0,
            part: 1.0 / plan.shares.len() as f64,
            events,
        })
    }

    // --- sending ------------------------------------------------------------------------------------------------------

    /// Sends what a producer may send.
    fn pump(&mut self, turn: &mut Turn<'_, ()>, index: usize) {
        if matches!(self.phase, Phase::Draining(_) | Phase::Over) && !self.scenario.is_open_loop() {
            return;
        }
        let connection = &mut self.connections[index];
        let Role::Producer(producer) = &mut connection.role else { return };
        if matches!(self.phase, Phase::WarmingUp | Phase::Measuring) {
            producer.gather(turn.now);
        }
        while let Some((batch, frame)) = producer.next_request(turn.now) {
            self.samples.on_sent(batch.intended.first, turn.now);
            connection.outbox.push_back(frame);
        }
        self.flush(turn, index);
    }

    fn fetch(&mut self, turn: &mut Turn<'_, ()>, index: usize) {
        let connection = &mut self.connections[index];
        let Role::Consumer(consumer) = &mut connection.role else { return };
        let is_wanted = match self.phase {
            Phase::WarmingUp | Phase::Measuring => true,
            Phase::Draining(_) => consumer.tail.is_some(),
            Phase::Over => false,
        };
        if is_wanted {
            connection.outbox.push_back(consumer.next_request(&self.scenario, &self.topic, turn.now));
            self.flush(turn, index);
        }
    }

    fn flush(&mut self, turn: &mut Turn<'_, ()>, index: usize) {
        let connection = &mut self.connections[index];
        if connection.is_sending || connection.outbox.is_empty() {
            return;
        }
        connection.is_sending = true;
        let parts = connection.outbox.drain(..).collect();
        turn.ops.push(token(index, SEND), Op::Send { socket: connection.socket, parts });
    }

    fn receive(&mut self, turn: &mut Turn<'_, ()>, index: usize) {
        let connection = &mut self.connections[index];
        let buffer = connection.inbox.take_buffer(turn.pool);
        turn.ops.push(token(index, RECEIVE), Op::ReceiveInto { socket: connection.socket, buffer });
    }

    // --- receiving ----------------------------------------------------------------------------------------------------

    fn on_replies(&mut self, turn: &mut Turn<'_, ()>, index: usize) -> Result<(), String> {
        let mut is_answered = false;
        loop {
            let connection = &mut self.connections[index];
            let Some(reply) = connection.inbox.next()? else { break };
            is_answered = true;
            match &mut connection.role {
                Role::Producer(producer) => {
                    let batch = producer.on_reply().ok_or("a reply to nothing")?;
                    let base = acknowledged_at(reply)?;
                    let bytes = u64::from(batch.intended.count) * self.scenario.record_bytes as u64;
                    match base {
                        Err(code) => self.samples.on_error(code),
                        Ok(base) => {
                            self.progress_bytes += bytes;
                            self.samples.on_acknowledged(batch.intended, bytes, turn.now);
                            let samples = &mut self.samples;
                            self.arrivals[batch.partition as usize].on_acknowledged(
                                base,
                                batch.intended,
                                |intended, at| samples.on_arrived(intended, at),
                            );
                        }
                    }
                }
                Role::Consumer(consumer) => {
                    let fetched = consumer.on_reply(reply)?;
                    let (tail, sent) = (consumer.tail, consumer.sent);
                    fetched.errors.iter().for_each(|code| self.samples.on_error(*code));
                    let is_primary = self.scenario.producers == 0;
                    let (records, bytes) = (fetched.records, fetched.bytes);
                    self.samples.on_fetched(tail.is_some(), is_primary, records, bytes, sent, turn.now);
                    if is_primary {
                        self.progress_bytes += bytes;
                    }
                    let Some(set) = tail else { continue };
                    for (partition, next) in fetched.next {
                        let samples = &mut self.samples;
                        self.arrivals[partition as usize].on_read(set, next, turn.now, |intended, at| {
                            samples.on_arrived(intended, at);
                        });
                    }
                }
                Role::Idle => return Err("a reply to nothing".to_owned()),
            }
        }
        if is_answered {
            self.pump(turn, index);
            self.fetch(turn, index);
        }
        Ok(())
    }

    // --- phases -------------------------------------------------------------------------------------------------------

    fn is_reached(&self, amount: Amount, now: Nanos) -> bool {
        match amount {
            Amount::Time(time) => now.since(self.since) >= time,
            Amount::Bytes(bytes) => self.progress_bytes as f64 >= bytes as f64 * self.part,
        }
    }

    fn follow_phases(&mut self, turn: &mut Turn<'_, ()>) {
        match self.phase {
            Phase::WarmingUp if self.is_reached(self.scenario.warmup, turn.now) => {
                self.samples.begin(turn.now);
                self.enter(Phase::Measuring, turn.now, Event::Began);
            }
            Phase::Measuring if self.is_reached(self.scenario.measure, turn.now) => {
                self.samples.end(turn.now);
                self.enter(Phase::Draining(turn.now + DRAIN), turn.now, Event::Ended);
                self.send_what_gathers(turn);
            }
            Phase::Draining(deadline) if turn.now >= deadline || self.is_drained() => {
                self.samples.result.unanswered = self.unanswered();
                let result = Event::Counted(Box::new(self.samples.result.clone()));
                self.enter(Phase::Over, turn.now, result);
            }
            _ => {}
        }
    }

    fn send_what_gathers(&mut self, turn: &mut Turn<'_, ()>) {
        for index in 0..self.connections.len() {
            if let Role::Producer(producer) = &mut self.connections[index].role {
                producer.flush_all();
                self.pump(turn, index);
            }
        }
    }

    fn enter(&mut self, phase: Phase, now: Nanos, event: Event) {
        (self.phase, self.since, self.progress_bytes) = (phase, now, 0);
        // Nobody listens any more if another core has failed.
        let _ = self.events.send(event);
    }

    fn producers(&self) -> impl Iterator<Item = &Producer> {
        self.connections.iter().filter_map(|connection| match &connection.role {
            Role::Producer(producer) => Some(&**producer),
            Role::Consumer(_) | Role::Idle => None,
        })
    }

    fn is_drained(&self) -> bool {
        self.unanswered() == 0 && !self.producers().any(Producer::is_waiting)
    }

    /// Records whose time came while this core measured, and that were not answered or not read.
    fn unanswered(&self) -> u64 {
        let due = |producer: &Producer| -> u64 {
            let counted = producer.unanswered().filter(|intended| self.samples.counts(intended.first));
            counted.map(|intended| u64::from(intended.count)).sum()
        };
        let is_timed = self.scenario.is_open_loop();
        let unsent = if is_timed { self.producers().map(due).sum() } else { 0 };
        unsent + self.arrivals.iter().map(Arrivals::missing).sum::<u64>()
    }
}

const SEND: u64 = 0;
const RECEIVE: u64 = 1;

fn token(index: usize, kind: u64) -> Token {
    Token((index as u64) << 1 | kind)
}

/// The offset that a batch got, or Kafka's code; an outer error if the reply cannot be read.
fn acknowledged_at(reply: &[u8]) -> Result<Result<i64, i16>, String> {
    let mut d = Decoder::new(reply);
    decode_response_header(&mut d, ApiKey::Produce, PRODUCE).map_err(|error| error.to_string())?;
    let response = ProduceResponse::decode(&mut d, PRODUCE).map_err(|error| error.to_string())?;
    let mut partitions = response.responses.iter().flat_map(|topic| &topic.partition_responses);
    let partition = partitions.next().ok_or("a produce response without a partition")?;
    Ok(if partition.error_code == 0 { Ok(partition.base_offset) } else { Err(partition.error_code) })
}

impl App for Worker {
    type Mail = ();

    fn on_start(&mut self, turn: &mut Turn<'_, ()>) {
        self.since = turn.now;
        for index in 0..self.connections.len() {
            if let Role::Producer(producer) = &mut self.connections[index].role {
                producer.delay(turn.now.0 + LEAD_NS);
            }
            self.receive(turn, index);
            self.pump(turn, index);
            self.fetch(turn, index);
        }
    }

    fn on_turn_start(&mut self, _: &mut Turn<'_, ()>) {}

    fn on_completion(&mut self, turn: &mut Turn<'_, ()>, completion: Completion) {
        let index = (completion.token.0 >> 1) as usize;
        let outcome = match completion.outcome {
            Outcome::Sent => {
                self.connections[index].is_sending = false;
                self.flush(turn, index);
                Ok(())
            }
            Outcome::ReceivedInto(buffer) => {
                let is_closed = buffer.len() == self.connections[index].inbox.given_len();
                self.connections[index].inbox.put_back(buffer);
                if is_closed {
                    Err("the broker closed a connection".to_owned())
                } else {
                    self.on_replies(turn, index).inspect(|()| self.receive(turn, index))
                }
            }
            Outcome::Failed(IoError::CANCELLED) if self.phase == Phase::Over => Ok(()),
            Outcome::Failed(error) => Err(format!("a connection failed: {error}")),
            other => unreachable!("nothing that was asked for ends so: {other:?}"),
        };
        if let Err(why) = outcome
            && self.phase != Phase::Over
        {
            self.enter(Phase::Over, turn.now, Event::Broken(why));
        }
    }

    fn on_mail(&mut self, _: &mut Turn<'_, ()>, _: ShardId, (): ()) {}

    fn on_timer(&mut self, _: &mut Turn<'_, ()>, _: Token) {}

    fn on_background(&mut self, _: &mut Turn<'_, ()>) -> bool {
        false
    }

    fn on_turn_end(&mut self, turn: &mut Turn<'_, ()>) -> bool {
        if self.scenario.is_open_loop() && matches!(self.phase, Phase::WarmingUp | Phase::Measuring) {
            for index in 0..self.connections.len() {
                if !matches!(self.connections[index].role, Role::Producer(_)) {
                    break;
                }
                self.pump(turn, index);
            }
        }
        self.follow_phases(turn);
        let is_timed =
            [self.scenario.warmup, self.scenario.measure].iter().any(|a| matches!(a, Amount::Time(_)));
        match self.phase {
            // A rate is kept, and ends are seen, only by one who does not sleep.
            Phase::WarmingUp | Phase::Measuring => self.scenario.is_open_loop() || is_timed,
            Phase::Draining(_) => true,
            Phase::Over => false,
        }
    }

    fn on_stop(&mut self, turn: &mut Turn<'_, ()>) {
        self.phase = Phase::Over;
        self.since = turn.now;
    }

    fn is_stopped(&self) -> bool {
        self.phase == Phase::Over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_and_all_who_use_it_are_on_one_core() {
        let text = "producers=5\ntail.consumers=3\nfan.out=2\npartitions=12\nidle.connections=7";
        let scenario = Scenario::parse("x", text).unwrap();
        for cores in 1..6 {
            let shares = plan(&scenario, cores);
            assert_eq!(shares.len(), cores.min(3));
            assert_eq!(shares.iter().map(|share| share.producers.len()).sum::<usize>(), 5);
            assert_eq!(shares.iter().map(|share| share.idle).sum::<usize>(), 7);
            for (core, share) in shares.iter().enumerate() {
                let of_producers = share.producers.iter().flat_map(|(_, own)| own);
                let of_tails = share.tails.iter().flat_map(|(_, own)| own);
                assert!(of_producers.chain(of_tails).all(|p| *p as usize % shares.len() == core));
            }
            for set in 0..2 {
                let tails = shares.iter().flat_map(|share| &share.tails).filter(|(of, _)| *of == set);
                let mut read: Vec<i32> = tails.flat_map(|(_, own)| own.clone()).collect();
                read.sort_unstable();
                assert_eq!(read, Vec::from_iter(0..12), "each partition has one reader a set");
            }
        }
    }

    #[test]
    fn producers_beyond_the_partitions_share_them() {
        let scenario = Scenario::parse("x", "producers=8\npartitions=3").unwrap();
        let shares = plan(&scenario, 1);
        let own: Vec<Vec<i32>> = shares[0].producers.iter().map(|(_, own)| own.clone()).collect();
        assert_eq!(own, [[0], [1], [2], [0], [1], [2], [0], [1]].map(|p| p.to_vec()));
    }
}
