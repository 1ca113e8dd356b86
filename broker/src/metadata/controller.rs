//! The one place where metadata is changed: plan records, make them durable, show the new image to all cores, answer.
//!
//! ```text
//! request ─► plan (pure) ─► append to the log, synced ─► image ─► all cores ─► all applied ─► reply
//! ```
//! Changes go one after another: the next is planned when every core has applied the one before. So a topic that was
//! answered for is ready on every core (C65), and what a crash can leave half done is the last change alone.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use protocol::Uuid;
use shard::{Buf, Disk, IoError, ShardId, WallMs};

use super::features::SUPPORTED;
use super::log::{MetadataError, MetadataLog};
use super::placement::Placement;
use super::record::Record;
use super::{Image, Registration};
use crate::broker::peers::MessageRefusal;
use crate::node::Node;
use crate::request::Request;

/// Producer ids that one record of the log gives out, as in Kafka.
const PRODUCER_ID_BLOCK: i64 = 1000;

/// Requests that may wait for earlier changes.
const QUEUE_MAX: usize = 10_000;

/// A request for a change, and what it is answered with once the change is in force everywhere.
#[derive(Debug)]
pub struct Committed {
    /// The request.
    pub request: Request,
    /// The reply's frame, once it is.
    pub reply: Vec<u8>,
    /// The reply's frame if the change cannot be made durable.
    pub failure: Vec<u8>,
}

/// The controller, on the first core.
#[derive(Debug)]
pub struct Controller {
    log: MetadataLog,
    placement: Placement,
    image: Arc<Image>,
    /// Cores that have not yet applied the newest image.
    unapplied: HashSet<ShardId>,
    core_count: u16,
    /// The change that waits for them, and a request that is carried out again then.
    waiting: Vec<Committed>,
    queue: VecDeque<Box<Request>>,
    /// Producer ids that are given out without a new record.
    producer_ids: std::ops::Range<i64>,
    /// Topics that were removed according to the log, for finishing deletions at the start.
    removed: HashSet<String>,
}

impl Controller {
    /// Opens the metadata within the node's data directory, and takes the node into it.
    pub fn open(disk: &mut dyn Disk, node: &Node, now: WallMs) -> Result<Controller, MetadataError> {
        let (data_dir, core_count) = (&node.data_dir, node.core_count);
        let io = |error| MetadataError::Io(data_dir.to_path_buf(), error);
        let mut image = Image::empty(Arc::clone(&node.config), &node.cluster_id);
        let mut removed = HashSet::new();
        let log = MetadataLog::open(disk, data_dir, |record| {
            if let Record::RemoveTopic { id } = &record
                && let Some(topic) = image.topic_by_id(*id)
            {
                removed.insert(topic.name.to_string());
            }
            image.apply(&record);
        })?;
        let mut placement = Placement::open(disk, data_dir, core_count).map_err(io)?;
        place_all(&mut image, &mut placement);
        if let Err(error) = placement.save(disk) {
            tracing::warn!(%error, "the placement file cannot be written: partitions may change cores at the next start");
        }
        image.version = log.next_offset();
        let mut controller = Controller {
            log,
            placement,
            producer_ids: image.next_producer_id..image.next_producer_id,
            image: Arc::new(image),
            unapplied: HashSet::new(),
            core_count,
            waiting: Vec::new(),
            queue: VecDeque::new(),
            removed,
        };
        let mut missing: Vec<Record> = SUPPORTED
            .into_iter()
            .filter(|(name, ..)| !controller.image.features.contains_key(*name))
            .map(|(name, _, level)| Record::FeatureLevel { name: name.to_owned(), level })
            .collect();
        missing.extend(controller.plan_own_registration(node));
        if !missing.is_empty() {
            controller.commit(disk, &missing, now).map_err(io)?;
        }
        Ok(controller)
    }

    /// The record that this node is needed to register with, if it has changed since it last did. There is nobody else who
    /// could have led its partitions in between, so it needs neither a new term nor a new incarnation.
    fn plan_own_registration(&self, node: &Node) -> Option<Record> {
        let wanted = node.registration();
        if let Some(known) = self.image.broker(node.id) {
            let same = Registration { epoch: known.epoch, incarnation: known.incarnation, ..wanted.clone() };
            if same == **known {
                return None;
            }
        }
        Some(Record::RegisterBroker(Registration { epoch: self.log.next_offset(), ..wanted }))
    }

    /// The newest image.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// Shortens the log if most of it is history. Only when deletions that the history tells of are finished.
    pub fn shorten(&mut self, disk: &mut dyn Disk, now: WallMs) {
        if let Err(error) = self.log.shorten(disk, &self.image.to_records(), now) {
            tracing::warn!(%error, "the metadata log cannot be shortened: it stays as it is");
        }
    }

    /// Where the metadata log ends.
    pub fn log_end_offset(&self) -> i64 {
        self.log.next_offset()
    }

    /// Topics that the log says were removed.
    pub fn removed(&self) -> &HashSet<String> {
        &self.removed
    }

    /// Whether a change can be planned now.
    pub fn is_ready(&self) -> bool {
        self.unapplied.is_empty()
    }

    /// Keeps a request until it can be carried out; gives it back if too many wait.
    pub fn enqueue(&mut self, request: Box<Request>) -> Result<(), Box<Request>> {
        if self.queue.len() >= QUEUE_MAX {
            return Err(request);
        }
        self.queue.push_back(request);
        Ok(())
    }

    /// The next request that can be carried out.
    pub fn take_ready(&mut self) -> Option<Box<Request>> {
        if self.is_ready() { self.queue.pop_front() } else { None }
    }

    /// Makes records durable and an image of them; the caller sends it to all cores. An error leaves all as it was.
    pub fn commit(
        &mut self,
        disk: &mut dyn Disk,
        records: &[Record],
        now: WallMs,
    ) -> Result<Arc<Image>, IoError> {
        assert!(self.is_ready(), "one change at a time");
        self.log.append(disk, records, now)?;
        let mut image = (*self.image).clone();
        let mut placed = Vec::new();
        for record in records {
            if let Record::RemoveTopic { id } = record
                && let Some(topic) = image.topic_by_id(*id)
            {
                self.placement.forget(*id, topic.partitions.len());
            }
            image.apply(record);
            if let Record::Partition { topic_id, partition, state } = record
                && state.replicas.contains(&image.node_id())
            {
                image.place(*topic_id, *partition, self.placement.home_of(*topic_id, *partition));
                placed.push((*topic_id, *partition));
            }
        }
        if !placed.is_empty()
            && let Err(error) = self.placement.append(disk, &placed)
        {
            tracing::warn!(%error, "the placement file cannot be written: partitions may change cores at the next start");
        }
        image.version = self.log.next_offset();
        self.image = Arc::new(image);
        Ok(Arc::clone(&self.image))
    }

    /// Says that the newest image is on its way to all cores, and what to answer when they have it.
    pub fn announce(&mut self, committed: Option<Committed>) {
        self.unapplied = (0..self.core_count).map(ShardId).collect();
        self.waiting.extend(committed);
    }

    /// A core has applied an image. Returns what can be answered now.
    pub fn on_applied(&mut self, core: ShardId, version: i64) -> Vec<Committed> {
        if version == self.image.version {
            self.unapplied.remove(&core);
        }
        if self.unapplied.is_empty() { std::mem::take(&mut self.waiting) } else { Vec::new() }
    }

    /// Takes in what another controller says. A quorum of one has no other voters, so that nobody is known who could.
    pub fn take_message(&mut self, from: i32, content: Buf) -> Result<(), MessageRefusal> {
        tracing::debug!(from, bytes = content.len(), "a message from a controller that is no voter");
        Err(MessageRefusal::UnknownSender)
    }

    /// A producer id that nobody has; durable blocks of them are taken as needed.
    pub fn next_producer_id(&mut self, disk: &mut dyn Disk, now: WallMs) -> Result<i64, IoError> {
        if self.producer_ids.is_empty() {
            let first = self.image.next_producer_id;
            let next = first + PRODUCER_ID_BLOCK;
            self.log.append(disk, &[Record::ProducerIds { next }], now)?;
            // No core needs to know, so the image is changed in place and not announced.
            let mut image = (*self.image).clone();
            image.next_producer_id = next;
            self.image = Arc::new(image);
            self.producer_ids = first..next;
        }
        let id = self.producer_ids.start;
        self.producer_ids.start += 1;
        Ok(id)
    }
}

fn place_all(image: &mut Image, placement: &mut Placement) {
    let partitions: Vec<(Uuid, i32)> = image
        .topics()
        .flat_map(|topic| {
            topic.partitions.iter().zip(0..).map(|(meta, partition)| (topic.id, partition, meta))
        })
        .filter(|(.., meta)| meta.is_on(image.node_id()))
        .map(|(topic_id, partition, _)| (topic_id, partition))
        .collect();
    placement.keep_only(&partitions);
    for (topic_id, partition) in &partitions {
        placement.home_of(*topic_id, *partition);
    }
    placement.balance();
    for (topic_id, partition) in partitions {
        let home = placement.home_of(topic_id, partition);
        image.place(topic_id, partition, home);
    }
}
