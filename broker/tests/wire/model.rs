//! Producers, readers and an administrator at work while connections break, disks are slow, and the process is killed and
//! started on other numbers of cores; all from a seed.
//!
//! What must hold at the end: every record is there exactly once, at the offset that its producer was told, in its producer's
//! order; and no reader ever saw anything else.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use protocol::ErrorCode;
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::fetch_request::FetchRequest;
use shard::ShardId;
use shard::memory::{Crash, Faults};
use shard::random::Random;
use storage::batch::BatchBuilder;
use storage::{ProducerEpoch, ProducerId, Sequence};

use crate::calls::{
    FETCH, PRODUCE, batch_of_size, create_request, fetch_request, fetched, produce_request, produced, records,
};
use crate::harness::{Client, DATA_DIR, Rig, WALL_MS};

const PARTITIONS: i32 = 4;
const PRODUCERS: usize = 4;
const READERS: usize = 2;

/// Requests that a producer has under way, as real ones have.
const IN_FLIGHT_MAX: usize = 5;

/// Things that happen to one node.
const STEPS: usize = 600;

/// A batch that is not acknowledged yet.
struct Sent {
    partition: i32,
    batch: Vec<u8>,
    values: Vec<String>,
}

/// An idempotent producer: what is not acknowledged when its connection breaks, it sends again in order.
struct Producer {
    name: usize,
    client: Client,
    id: i64,
    sequences: [i32; PARTITIONS as usize],
    count: usize,
    sent: VecDeque<Sent>,
    /// Where each acknowledged record must be.
    acknowledged: Vec<(i32, i64, String)>,
}

impl Producer {
    fn new(rig: &Rig, name: usize) -> Producer {
        let mut client = rig.connect();
        let id = client.producer_id();
        let sequences = [0; PARTITIONS as usize];
        Producer { name, client, id, sequences, count: 0, sent: VecDeque::new(), acknowledged: Vec::new() }
    }

    fn send(&mut self, random: &mut Random) {
        if self.sent.len() >= IN_FLIGHT_MAX {
            return;
        }
        let partition = random.below(PARTITIONS as u64) as i32;
        let sequence = &mut self.sequences[partition as usize];
        let mut builder =
            BatchBuilder::new().producer(ProducerId(self.id), ProducerEpoch(0), Sequence(*sequence));
        let mut values = Vec::new();
        for _ in 0..=random.below(3) {
            let value = format!("{}.{}", self.name, self.count);
            builder = builder.record(WALL_MS, None, Some(value.as_bytes()));
            self.count += 1;
            *sequence += 1;
            values.push(value);
        }
        let sent = Sent { partition, batch: builder.build(), values };
        self.client.send(PRODUCE, &produce_request(&[("t", sent.partition, &sent.batch)]));
        self.sent.push_back(sent);
    }

    fn poll(&mut self) {
        while let Some(reply) = self.client.poll() {
            let answer = produced(&reply).remove(0);
            assert_eq!(answer.error, ErrorCode::None, "{:?}", answer.message);
            let sent = self.sent.pop_front().expect("an answer to a batch");
            for (value, offset) in sent.values.into_iter().zip(answer.base_offset..) {
                self.acknowledged.push((sent.partition, offset, value));
            }
        }
    }

    fn reconnect(&mut self, rig: &Rig) {
        self.client = rig.connect();
        for sent in &self.sent {
            self.client.send(PRODUCE, &produce_request(&[("t", sent.partition, &sent.batch)]));
        }
    }
}

/// Reads all partitions as they grow.
struct Reader {
    client: Client,
    seen: Vec<Vec<String>>,
    is_waiting: bool,
}

impl Reader {
    fn new(rig: &Rig) -> Reader {
        Reader { client: rig.connect(), seen: vec![Vec::new(); PARTITIONS as usize], is_waiting: false }
    }

    fn poll(&mut self, random: &mut Random) {
        while let Some(reply) = self.client.poll() {
            self.is_waiting = false;
            for part in fetched(&reply) {
                assert_eq!(part.error, ErrorCode::None);
                let seen = &mut self.seen[part.partition as usize];
                for (offset, value) in records(&part.records) {
                    match seen.get(offset as usize) {
                        Some(known) => assert_eq!(*known, value, "a record changed"),
                        None => {
                            assert_eq!(offset as usize, seen.len(), "a gap");
                            seen.push(value);
                        }
                    }
                }
                assert!(part.high_watermark >= seen.len() as i64, "the end moved back");
            }
        }
        if !self.is_waiting {
            let ends = self.seen.iter().zip(0..);
            let parts: Vec<_> = ends.map(|(seen, partition)| ("t", partition, seen.len() as i64)).collect();
            let limits = [1, 300, 50 << 20];
            let max_bytes = limits[random.below(3) as usize];
            let fetch = FetchRequest { max_wait_ms: 200, max_bytes, ..fetch_request(&parts) };
            self.client.send(FETCH, &fetch);
            self.is_waiting = true;
        }
    }

    fn reconnect(&mut self, rig: &Rig) {
        self.client = rig.connect();
        self.is_waiting = false;
    }
}

struct Model {
    rig: Rig,
    random: Random,
    producers: Vec<Producer>,
    readers: Vec<Reader>,
    admin: Client,
    /// Works with the topics that come and go, whatever it is told.
    visitor: Client,
}

impl Model {
    fn new(seed: u64) -> Model {
        let rig = Rig::with(1 + (seed % 4) as u16, &[]);
        rig.connect().create_with(
            "t",
            PARTITIONS,
            &[("internal.segment.bytes", "4000"), ("max.message.bytes", "2000")],
        );
        let producers = (0..PRODUCERS).map(|name| Producer::new(&rig, name)).collect();
        let readers = (0..READERS).map(|_| Reader::new(&rig)).collect();
        let (admin, visitor) = (rig.connect(), rig.connect());
        Model { rig, random: Random::from_seed(seed), producers, readers, admin, visitor }
    }

    fn step(&mut self) {
        let who = self.random.below(PRODUCERS as u64) as usize;
        match self.random.below(100) {
            0..60 => self.producers[who].send(&mut self.random),
            60..66 => self.change_topics(),
            66..70 => self.visit(),
            70..80 => self.producers[who].client.peer.reset(),
            80..83 => self.readers[who % READERS].client.peer.reset(),
            83..86 => self.readers[who % READERS].client.peer.close(),
            86..89 => self.kill(),
            89..94 => self.change_faults(),
            _ => self.rig.world.pass_ms(self.random.below(300)),
        }
        self.rig.turns(self.random.below(6) as usize);
        if self.random.chance(30) {
            self.rig.world.advance();
        }
        self.poll();
    }

    fn poll(&mut self) {
        for producer in &mut self.producers {
            producer.poll();
            if producer.client.peer.is_closed() {
                producer.reconnect(&self.rig);
            }
        }
        for reader in &mut self.readers {
            if reader.client.peer.is_closed() {
                reader.reconnect(&self.rig);
            }
            reader.poll(&mut self.random);
        }
        while self.admin.poll().is_some() {}
        while self.visitor.poll().is_some() {}
    }

    fn visit(&mut self) {
        let name = format!("churn-{}", self.random.below(3));
        let batch = batch_of_size(100);
        let parts: Vec<_> = (0..3).map(|partition| (&*name, partition, &batch[..])).collect();
        self.visitor.send(PRODUCE, &produce_request(&parts));
        let parts: Vec<_> = (0..3).map(|partition| (&*name, partition, 0)).collect();
        self.visitor.send(FETCH, &FetchRequest { max_wait_ms: 100, ..fetch_request(&parts) });
    }

    /// Topics come and go beside the one that matters.
    fn change_topics(&mut self) {
        let name = format!("churn-{}", self.random.below(3));
        if self.random.chance(50) {
            self.admin.send(7, &create_request(&name, 1 + self.random.below(5) as i32, &[]));
        } else {
            let topics = vec![DeleteTopicState { name: Some(&name), ..Default::default() }];
            self.admin.send(6, &DeleteTopicsRequest { topics, ..Default::default() });
        }
    }

    fn change_faults(&mut self) {
        self.rig.faults(Faults {
            short_write_percent: self.random.below(60),
            latency_ns_max: self.random.below(3) * 2_000_000,
            ..Faults::default()
        });
    }

    /// The process is killed, or stopped, and started on another number of cores.
    fn kill(&mut self) {
        let cores = 1 + self.random.below(4) as u16;
        self.rig.faults(Faults::default());
        if self.random.chance(30) {
            self.rig.stop();
        } else {
            self.rig.crash(Crash::Process);
        }
        self.rig.start(cores);
        self.producers.iter_mut().for_each(|producer| producer.reconnect(&self.rig));
        self.readers.iter_mut().for_each(|reader| reader.reconnect(&self.rig));
        self.admin = self.rig.connect();
        self.visitor = self.rig.connect();
    }

    /// Lets everything come to rest, then holds the logs against what everyone was told.
    fn finish(mut self) {
        self.rig.faults(Faults::default());
        for _ in 0..200 {
            self.rig.turns(10);
            self.rig.world.advance();
            self.poll();
        }
        let mut client = self.rig.connect();
        let logs: Vec<Vec<String>> =
            (0..PARTITIONS).map(|partition| client.read_all("t", partition)).collect();
        let mut places = HashMap::new();
        for (log, partition) in logs.iter().zip(0..) {
            for (value, offset) in log.iter().zip(0..) {
                assert_eq!(places.insert(value, (partition, offset)), None, "{value} is there twice");
            }
        }
        let mut total = 0;
        for producer in &self.producers {
            assert!(producer.sent.is_empty(), "a batch was never answered");
            total += producer.count;
            let mut last = [-1; PARTITIONS as usize];
            for (partition, offset, value) in &producer.acknowledged {
                assert_eq!(places.get(value), Some(&(*partition, *offset)), "{value}");
                assert!(*offset > last[*partition as usize], "{value} is out of order");
                last[*partition as usize] = *offset;
            }
            assert_eq!(producer.acknowledged.len(), producer.count);
        }
        assert_eq!(places.len(), total, "nothing else is there");
        for reader in &self.readers {
            assert_eq!(reader.seen, logs);
        }
        self.check_nothing_left(&client);
    }

    /// When all clients have gone, no core keeps anything of theirs, and all cores agree on what there is.
    fn check_nothing_left(self, client: &Client) {
        let rig = self.rig;
        let clients = self.producers.iter().map(|producer| &producer.client);
        let clients = clients.chain(self.readers.iter().map(|reader| &reader.client));
        for client in clients.chain([&self.admin, &self.visitor, client]) {
            client.peer.close();
        }
        rig.pass_ms(1000);
        assert_eq!(rig.sum(|broker| broker.pending.len() + broker.parked.len() + broker.watch_count()), 0);
        let topics = rig.look(ShardId(0), |core| {
            let image = core.app().image.clone();
            image.topics().map(|topic| (topic.name.to_string(), topic.partitions.len())).collect::<Vec<_>>()
        });
        let partitions: usize = topics.iter().map(|(_, count)| count).sum();
        assert_eq!(rig.sum(|broker| broker.partition_count()), partitions);
        for path in rig.world.paths() {
            let dir = path.parent().unwrap();
            let is_known = dir == Path::new(DATA_DIR)
                || topics
                    .iter()
                    .any(|(name, count)| (0..*count as i32).any(|number| dir == rig.dir(name, number)));
            let is_ours = dir.ends_with("__cluster_metadata-0") || dir.ends_with("ringlog-journal");
            assert!(is_known || is_ours, "{} is left", path.display());
        }
    }
}

#[test]
fn every_record_is_there_once_whatever_happens() {
    for seed in 0..12 {
        println!("seed {seed}");
        let mut model = Model::new(seed);
        (0..STEPS).for_each(|_| model.step());
        model.finish();
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let disk_of = |seed: u64| {
        let mut model = Model::new(seed);
        (0..STEPS).for_each(|_| model.step());
        let world = &model.rig.world;
        world.paths().into_iter().map(|path| (world.file(&path), path)).collect::<Vec<_>>()
    };
    for seed in [100, 101, 102] {
        let (once, again) = (disk_of(seed), disk_of(seed));
        assert_eq!(once.len(), again.len());
        for ((bytes, path), (other, _)) in once.iter().zip(&again) {
            assert!(bytes == other, "{} differs with seed {seed}", path.display());
        }
    }
}
