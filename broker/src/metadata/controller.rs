//! The one place where metadata is changed: plan records, have the quorum agree on them, show the new image to all cores,
//! answer.
//!
//! ```text
//! request ─► plan (pure) ─► proposed ─► committed ─► image ─► all cores ─► all applied ─► reply
//!                                ▲ peers' changes ┘
//! ```
//! Changes go one after another: the next is planned when every core has applied the one before. So a topic that was
//! answered for is ready on every core (C65), and what a crash can leave half done is the last change alone. Only the active
//! controller, which is the quorum's leader, can change something; every other node applies what is committed.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use protocol::Uuid;
use quorum::{Members, NodeId, OpenError, Output, Proposal, Quorum, ReadId, Refusal, Role, Standing, Voter};
use shard::{Disk, ShardId, WallMs};

use super::features::SUPPORTED;
use super::placement::Placement;
use super::record::Record;
use super::replay::{self, Replayed};
use super::{Image, Registration};
use crate::node::Node;
use crate::request::Request;

/// Requests that may wait for earlier changes.
const QUEUE_MAX: usize = 10_000;

/// A request for a change, and what it is answered with once the change is in force everywhere.
#[derive(Debug)]
pub struct Committed {
    /// The request.
    pub request: Request,
    /// The reply's frame, once it is.
    pub reply: Vec<u8>,
    /// The reply's frame if the change cannot be made durable here.
    pub failure: Vec<u8>,
    /// The reply's frame if this node does not lead the quorum, or led it no more before it knew what became of the change: the
    /// client has to ask the one that does.
    pub not_controller: Vec<u8>,
}

/// A request that is given back, and why.
type Refused = Box<(Request, Refusal)>;

/// What an input to the quorum leads to, for the controller's core to carry out.
#[derive(Debug, Default)]
pub struct Effects {
    /// A new image, on its way to all cores.
    pub image: Option<Arc<Image>>,
    /// Requests that are answered now, and with what.
    pub answers: Vec<(Request, Vec<u8>)>,
    /// Changes of the voters that have ended.
    pub voter_changes: Vec<(Request, Result<(), String>)>,
    /// What goes to other controllers.
    pub letters: Vec<(NodeId, Vec<u8>)>,
    /// The members of the quorum, if they have changed.
    pub members: Option<Members>,
    /// Fresh reads that have ended: all that was committed when one was asked for is in the image, or it was not answered.
    pub reads: Vec<(ReadId, bool)>,
    /// Whether this node has begun, or ceased, to be the active controller, or another one has.
    pub is_lead_changed: bool,
}

/// The controller, on the first core.
#[derive(Debug)]
pub struct Controller {
    quorum: Quorum,
    placement: Placement,
    image: Arc<Image>,
    /// The image before the first record.
    blank: Image,
    /// The version of the image that each core has applied.
    applied: Vec<i64>,
    /// The change that the quorum has not decided on yet.
    proposed: Option<(Proposal, Purpose)>,
    /// Committed changes that not all cores have applied, by the version that they have to have.
    waiting: Vec<(i64, Committed)>,
    /// The change of a voter that is under way, and who asked for it.
    voter_change: Option<(NodeId, Request)>,
    queue: VecDeque<Box<Request>>,
    /// Topics that were removed according to the log, for finishing deletions at the start.
    removed: HashSet<String>,
}

/// What a change was proposed for.
#[derive(Debug)]
enum Purpose {
    /// Somebody asked for it.
    Request(Box<Committed>),
    /// The controller itself wants it.
    Own,
}

impl Controller {
    /// Opens the metadata within the node's data directory. A node that is a quorum alone takes itself into it.
    pub fn open(disk: &mut dyn Disk, node: &Node, now: WallMs) -> Result<Controller, OpenError> {
        let io = |error| OpenError::Io(node.data_dir.clone(), error);
        let blank = Image::empty(Arc::clone(&node.config), &node.cluster_id);
        let mut quorum = Quorum::open(disk, &node.data_dir, node.quorum_config(), now)?;
        let replayed = replay::replay(&node.data_dir, blank.clone(), quorum.take_outputs())?;
        let Replayed { mut image, removed } = replayed;
        let mut placement = Placement::open(disk, &node.data_dir, node.core_count).map_err(io)?;
        place_all(&mut image, &mut placement);
        if let Err(error) = placement.save(disk) {
            tracing::warn!(%error, "the placement file cannot be written: partitions may change cores at the next start");
        }
        let mut controller = Controller {
            quorum,
            placement,
            image: Arc::new(image),
            blank,
            applied: vec![0; usize::from(node.core_count)],
            proposed: None,
            waiting: Vec::new(),
            voter_change: None,
            queue: VecDeque::new(),
            removed,
        };
        controller.settle_in(disk, node, now)?;
        Ok(controller)
    }

    /// What a quorum of this node alone lacks: the levels of new features, and the node itself.
    fn settle_in(&mut self, disk: &mut dyn Disk, node: &Node, now: WallMs) -> Result<(), OpenError> {
        if !self.quorum.members().is_only_voter(NodeId(node.id)) {
            return Ok(());
        }
        let mut missing = self.missing_features();
        missing.extend(self.plan_own_registration(node));
        if missing.is_empty() {
            return Ok(());
        }
        let values: Vec<Vec<u8>> = missing.iter().map(Record::encode).collect();
        let failed = |error: &dyn std::fmt::Display| {
            OpenError::Mixed(node.data_dir.clone(), format!("the metadata log takes nothing: {error}"))
        };
        self.quorum.propose(disk, now, &values).map_err(|refusal| failed(&refusal))?;
        self.take_effects(disk, now);
        Ok(())
    }

    fn missing_features(&self) -> Vec<Record> {
        let missing = SUPPORTED.into_iter().filter(|(name, ..)| !self.image.features.contains_key(*name));
        missing.map(|(name, _, level)| Record::FeatureLevel { name: name.to_owned(), level }).collect()
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
        Some(Record::RegisterBroker(Registration { epoch: self.log_end_offset(), ..wanted }))
    }

    // --- what it knows ------------------------------------------------------------------------------------------------

    /// The newest image.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// Where the metadata log ends.
    pub fn log_end_offset(&self) -> i64 {
        self.quorum.standing().log_end_offset
    }

    /// How the quorum stands, and who its members are.
    pub fn standing(&self) -> (Standing, &Members) {
        (self.quorum.standing(), self.quorum.members())
    }

    /// Whether the quorum has other members, so that time matters to it.
    pub fn needs_ticks(&self) -> bool {
        let members = self.quorum.members();
        members.voters().len() + members.learners().len() != 1
    }

    /// Whether this node leads a quorum that has other members.
    pub fn leads_others(&self) -> bool {
        matches!(self.quorum.role(), Role::Leader { .. }) && self.needs_ticks()
    }

    /// Whether this node is the active controller: the quorum's leader, with everything of its term applied.
    pub fn is_active(&self) -> bool {
        self.quorum.is_active()
    }

    /// Topics that the log says were removed.
    pub fn removed(&self) -> &HashSet<String> {
        &self.removed
    }

    /// Whether a change can be planned now: all cores have applied the one before.
    pub fn is_ready(&self) -> bool {
        self.proposed.is_none() && self.is_applied()
    }

    /// Whether all cores have applied the newest image.
    pub fn is_applied(&self) -> bool {
        self.applied.iter().all(|&version| version >= self.image.version)
    }

    // --- requests that wait -------------------------------------------------------------------------------------------

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

    // --- inputs -------------------------------------------------------------------------------------------------------
    // After each of them come its effects.

    /// Proposes a change; what became of it is told by the effects.
    pub fn propose(
        &mut self,
        disk: &mut dyn Disk,
        records: &[Record],
        committed: Committed,
        now: WallMs,
    ) -> Effects {
        assert!(self.is_ready(), "one change at a time");
        let values: Vec<Vec<u8>> = records.iter().map(Record::encode).collect();
        match self.propose_for(disk, &values, now, Purpose::Request(Box::new(committed))) {
            Ok(effects) => effects,
            Err((refusal, Purpose::Request(committed))) => {
                let mut effects = self.take_effects(disk, now);
                effects.answers.push(refused(*committed, &refusal));
                effects
            }
            Err((_, Purpose::Own)) => unreachable!("it was asked for a request"),
        }
    }

    fn propose_for(
        &mut self,
        disk: &mut dyn Disk,
        values: &[Vec<u8>],
        now: WallMs,
        purpose: Purpose,
    ) -> Result<Effects, (Refusal, Purpose)> {
        // A leader plans on what it has applied: it has to be all that was committed before its term.
        if !self.quorum.is_active() && matches!(self.quorum.role(), Role::Leader { .. }) {
            return Err((Refusal::NotLeader { leader: None }, purpose));
        }
        match self.quorum.propose(disk, now, values) {
            Ok(proposal) => {
                self.proposed = Some((proposal, purpose));
                Ok(self.take_effects(disk, now))
            }
            Err(refusal) => Err((refusal, purpose)),
        }
    }

    /// Proposes what the controller itself finds to be needed. It is found again if nothing comes of it.
    pub fn propose_own(&mut self, disk: &mut dyn Disk, records: &[Record], now: WallMs) -> Effects {
        assert!(self.is_ready(), "one change at a time");
        let values: Vec<Vec<u8>> = records.iter().map(Record::encode).collect();
        let proposed = self.propose_for(disk, &values, now, Purpose::Own);
        proposed.unwrap_or_else(|(refusal, _)| {
            tracing::warn!("the controller's own change of the metadata is refused: {refusal}");
            self.take_effects(disk, now)
        })
    }

    /// Asks to be told when the image has all that is committed by now, by whomever; `None` if too many ask.
    pub fn read(&mut self, disk: &mut dyn Disk, now: WallMs) -> (Option<ReadId>, Effects) {
        let id = self.quorum.read(disk, now);
        (id, self.take_effects(disk, now))
    }

    /// The version of the image that all cores have applied.
    pub fn applied_version(&self) -> i64 {
        self.applied.iter().copied().min().unwrap_or(0)
    }

    /// The node that leads the quorum, if this one knows it.
    pub fn leader(&self) -> Option<i32> {
        self.quorum.standing().leader.map(|NodeId(id)| id)
    }

    /// Time passes for the quorum.
    pub fn on_tick(&mut self, disk: &mut dyn Disk, now: WallMs) -> Effects {
        self.quorum.on_tick(disk, now);
        self.take_effects(disk, now)
    }

    /// Another controller says something; the text says why it is not heeded.
    pub fn on_letter(
        &mut self,
        disk: &mut dyn Disk,
        now: WallMs,
        from: NodeId,
        bytes: &[u8],
    ) -> (Effects, Result<(), quorum::MessageRefusal>) {
        let heeded = self.quorum.on_message(disk, now, from, bytes);
        (self.take_effects(disk, now), heeded)
    }

    /// Another controller cannot be reached at the moment.
    pub fn on_unreachable(&mut self, peer: NodeId) {
        self.quorum.on_unreachable(peer);
    }

    /// The process is about to end: somebody else had better lead.
    pub fn on_stop(&mut self, disk: &mut dyn Disk, now: WallMs) -> Effects {
        self.quorum.transfer_leadership(disk, now);
        self.take_effects(disk, now)
    }

    /// Begins to make a node a voter, for a request; gives the request back if that is refused at once.
    pub fn add_voter(
        &mut self,
        disk: &mut dyn Disk,
        now: WallMs,
        request: Request,
        voter: Voter,
    ) -> Result<Effects, Refused> {
        let id = voter.id;
        self.change_voters(disk, now, id, request, |quorum, disk| quorum.add_voter(disk, now, voter))
    }

    /// The same for a request that does not wait for the end of it: it comes back with the effects.
    pub fn begin_adding(
        &mut self,
        disk: &mut dyn Disk,
        now: WallMs,
        request: Request,
        voter: Voter,
    ) -> Result<(Effects, Option<Request>), Refused> {
        match self.quorum.add_voter(disk, now, voter) {
            Ok(()) => Ok((self.take_effects(disk, now), Some(request))),
            Err(refusal) => Err(Box::new((request, refusal))),
        }
    }

    /// Begins to take a voter out, for a request; gives the request back if that is refused at once.
    pub fn remove_voter(
        &mut self,
        disk: &mut dyn Disk,
        now: WallMs,
        request: Request,
        id: NodeId,
    ) -> Result<Effects, Refused> {
        self.change_voters(disk, now, id, request, |quorum, disk| quorum.remove_voter(disk, now, id))
    }

    fn change_voters(
        &mut self,
        disk: &mut dyn Disk,
        now: WallMs,
        id: NodeId,
        request: Request,
        begin: impl FnOnce(&mut Quorum, &mut dyn Disk) -> Result<(), Refusal>,
    ) -> Result<Effects, Refused> {
        if self.voter_change.is_some() {
            return Err(Box::new((request, Refusal::ChangePending)));
        }
        if let Err(refusal) = begin(&mut self.quorum, disk) {
            return Err(Box::new((request, refusal)));
        }
        self.voter_change = Some((id, request));
        Ok(self.take_effects(disk, now))
    }

    /// The members as they are now, for a core that has just started.
    pub fn effects_of_start(&self) -> Effects {
        Effects { members: Some(self.quorum.members().clone()), ..Effects::default() }
    }

    /// A core has applied an image. Returns what can be answered now.
    pub fn on_applied(&mut self, core: ShardId, version: i64) -> Vec<Committed> {
        let applied = &mut self.applied[usize::from(core.0)];
        *applied = version.max(*applied);
        let everywhere = self.applied.iter().copied().min().unwrap_or(0);
        let (ready, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|(version, _)| *version <= everywhere);
        self.waiting = waiting;
        let ready: Vec<(i64, Committed)> = ready;
        ready.into_iter().map(|(_, committed)| committed).collect()
    }

    // --- effects ------------------------------------------------------------------------------------------------------

    /// Applies what the quorum tells, and says what is to be done.
    fn take_effects(&mut self, disk: &mut dyn Disk, now: WallMs) -> Effects {
        let mut effects = Effects::default();
        for output in self.quorum.take_outputs() {
            match output {
                Output::Send { to, bytes } => effects.letters.push((to, bytes)),
                Output::Committed(committed) => self.on_committed(disk, committed, &mut effects),
                Output::Restored(restored) => self.on_restored(disk, restored, &mut effects),
                Output::Role(role) => self.on_role(role, &mut effects),
                Output::ChangeEnded { voter, failure } => {
                    if let Some((_, request)) = self.voter_change.take_if(|(id, _)| *id == voter) {
                        effects.voter_changes.push((request, failure.map_or(Ok(()), Err)));
                    }
                }
                Output::Members(members) => effects.members = Some(members),
                Output::ReadReady(id) => effects.reads.push((id, true)),
                Output::ReadLost(id) => effects.reads.push((id, false)),
            }
        }
        self.found_cluster(disk, now, &mut effects);
        if self.is_applied() {
            self.cut_log(disk, now);
        }
        effects
    }

    /// A new cluster has the levels of the features that its first active controller knows.
    fn found_cluster(&mut self, disk: &mut dyn Disk, now: WallMs, effects: &mut Effects) {
        let is_alone = self.quorum.members().voters().len() == 1;
        if is_alone || self.proposed.is_some() || !self.quorum.is_active() {
            return;
        }
        let values: Vec<Vec<u8>> = self.missing_features().iter().map(Record::encode).collect();
        if !values.is_empty()
            && let Ok(mut more) = self.propose_for(disk, &values, now, Purpose::Own)
        {
            effects.letters.append(&mut more.letters);
            effects.image = more.image.or(effects.image.take());
            effects.members = more.members.or(effects.members.take());
            effects.reads.append(&mut more.reads);
            effects.is_lead_changed |= more.is_lead_changed;
        }
    }

    fn on_role(&mut self, role: Role, effects: &mut Effects) {
        effects.is_lead_changed = true;
        match role {
            Role::Leader { term } => tracing::info!(term, "this node leads the metadata quorum"),
            Role::Follower { term, leader: Some(NodeId(leader)) } => {
                tracing::info!(term, leader, "the metadata quorum has a leader");
            }
            Role::Follower { term, leader: None } => {
                tracing::info!(term, "the metadata quorum has no leader")
            }
            Role::Offline => {}
        }
        if matches!(role, Role::Leader { .. }) {
            return;
        }
        // What becomes of the change is for others to know. One that was not made durable here must not be taken for lost either:
        // the client is told that this node failed.
        if let Some((_, Purpose::Request(committed))) = self.proposed.take() {
            let refusal =
                if role == Role::Offline { Refusal::Offline } else { Refusal::NotLeader { leader: None } };
            effects.answers.push(refused(*committed, &refusal));
        }
    }

    fn on_committed(&mut self, disk: &mut dyn Disk, committed: quorum::Committed, effects: &mut Effects) {
        let is_own = self.proposed.as_ref().is_some_and(|(own, _)| own.index == committed.index);
        let own = if is_own { self.proposed.take() } else { None };
        let records = match replay::decode(&committed.records) {
            Ok(records) => records,
            Err(error) => return self.quorum.leave(disk, &error.to_string()),
        };
        if !records.is_empty() {
            self.apply(disk, &records, committed.next_offset, effects);
        }
        match own {
            Some((own, purpose)) if own.term == committed.term => match purpose {
                // What no core needs to know is answered for at once.
                Purpose::Request(request) if self.is_applied() => {
                    effects.answers.push((request.request, request.reply));
                }
                Purpose::Request(request) => self.waiting.push((self.image.version, *request)),
                Purpose::Own => {}
            },
            // Another leader's batch stands in its place.
            Some((_, Purpose::Request(request))) => {
                effects.answers.push(refused(*request, &Refusal::NotLeader { leader: None }));
            }
            Some((_, Purpose::Own)) | None => {}
        }
    }

    /// Makes a new image of records.
    fn apply(&mut self, disk: &mut dyn Disk, records: &[Record], version: i64, effects: &mut Effects) {
        let mut image = (*self.image).clone();
        // No core needs to know which producer ids are given out: that alone is not announced.
        let is_announced = records.iter().any(|record| !matches!(record, Record::ProducerIds { .. }));
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
        image.version = if is_announced { version } else { self.image.version };
        self.image = Arc::new(image);
        if is_announced {
            effects.image = Some(Arc::clone(&self.image));
        }
    }

    /// The image is made anew: this node was too far behind to be told of single changes.
    fn on_restored(&mut self, disk: &mut dyn Disk, restored: quorum::Restored, effects: &mut Effects) {
        let mut image = self.blank.clone();
        match replay::decode(&restored.records) {
            Ok(records) => records.iter().for_each(|record| image.apply(record)),
            Err(error) => return self.quorum.leave(disk, &error.to_string()),
        }
        keep_places(&mut image, &mut self.placement);
        if let Err(error) = self.placement.save(disk) {
            tracing::warn!(%error, "the placement file cannot be written: partitions may change cores at the next start");
        }
        image.version = restored.next_offset;
        self.image = Arc::new(image);
        effects.image = Some(Arc::clone(&self.image));
    }

    /// Lets the log be cut when most of it is history. Only when deletions that the history tells of are finished.
    pub fn cut_log(&mut self, disk: &mut dyn Disk, now: WallMs) {
        if self.quorum.wants_checkpoint() {
            let records = self.image.to_records().iter().map(Record::encode).collect();
            self.quorum.take_checkpoint(disk, now, records);
        }
    }
}

/// What a request is answered with whose change is not made.
fn refused(committed: Committed, refusal: &Refusal) -> (Request, Vec<u8>) {
    tracing::warn!("a change of the metadata is refused: {refusal}");
    let frame = match refusal {
        Refusal::Offline | Refusal::TooLarge => committed.failure,
        Refusal::NotLeader { .. }
        | Refusal::Busy
        | Refusal::ChangePending
        | Refusal::AlreadyVoter
        | Refusal::UnknownVoter
        | Refusal::LastVoter => committed.not_controller,
    };
    (committed.request, frame)
}

fn place_all(image: &mut Image, placement: &mut Placement) {
    keep_places(image, placement);
    placement.balance();
    for (topic_id, partition) in own_partitions(image) {
        let home = placement.home_of(topic_id, partition);
        image.place(topic_id, partition, home);
    }
}

/// Partitions that are open stay where they are.
fn keep_places(image: &mut Image, placement: &mut Placement) {
    let partitions = own_partitions(image);
    placement.keep_only(&partitions);
    for (topic_id, partition) in partitions {
        let home = placement.home_of(topic_id, partition);
        image.place(topic_id, partition, home);
    }
}

fn own_partitions(image: &Image) -> Vec<(Uuid, i32)> {
    image
        .topics()
        .flat_map(|topic| {
            topic.partitions.iter().zip(0..).map(|(meta, partition)| (topic.id, partition, meta))
        })
        .filter(|(.., meta)| meta.is_on(image.node_id()))
        .map(|(topic_id, partition, _)| (topic_id, partition))
        .collect()
}
